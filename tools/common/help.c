/* SPDX-License-Identifier: Apache-2.0 */
#include "common/help.h"

#include "common/options.h"

#include <string.h>

#define HELP_COLUMN 26
#define HELP_WIDTH 80

/* What stands behind the help of an option: its range and its default. */
static void facts_text(const struct tool_option *option, char *room, size_t size)
{
    const char *preset = option->preset_note ? option->preset_note : option->preset;
    char range[128];

    room[0] = 0;
    tool_range_text(option, range, sizeof(range));
    if (range[0] && preset)
        snprintf(room, size, "%s; default: %s", range, preset);
    else if (range[0])
        snprintf(room, size, "%s", range);
    else if (preset)
        snprintf(room, size, "default: %s", preset);
}

/* Prints words so that no line is longer than HELP_WIDTH; `column` is where the cursor stands. */
static void print_wrapped(FILE *out, const char *text, unsigned *column)
{
    while (*text) {
        size_t word = strcspn(text, " ");
        if (*column > HELP_COLUMN && *column + 1 + word > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            *column = HELP_COLUMN;
        }
        if (*column > HELP_COLUMN) {
            fputc(' ', out);
            ++*column;
        }
        fwrite(text, 1, word, out);
        *column += (unsigned)word;
        text += word;
        text += strspn(text, " ");
    }
}

static void print_row(FILE *out, char letter, const char *name, const char *argument, const char *help,
                      const char *facts)
{
    char head[128];
    unsigned column = HELP_COLUMN;

    if (letter)
        snprintf(head, sizeof(head), "  -%c, --%s%s%s", letter, name, argument ? "=" : "",
                 argument ? argument : "");
    else
        snprintf(head, sizeof(head), "      --%s%s%s", name, argument ? "=" : "", argument ? argument : "");
    if (strlen(head) + 2 > HELP_COLUMN)
        fprintf(out, "%s\n%*s", head, HELP_COLUMN, "");
    else
        fprintf(out, "%-*s", HELP_COLUMN, head);
    print_wrapped(out, help, &column);
    if (facts[0]) {
        char text[512];
        snprintf(text, sizeof(text), "(%s)", facts);
        print_wrapped(out, text, &column);
    }
    fputc('\n', out);
}

void tool_print_command_help(const struct tool *tool, const struct tool_command *command, FILE *out)
{
    char facts[384];

    fprintf(out, "Usage: %s %s [OPTION]...%s%s\n%s.\n", tool->name, command->name,
            command->operands[0] ? " " : "", command->operands, command->summary);
    if (command->details)
        fprintf(out, "\n%s\n", command->details);
    fprintf(out, "\nOptions:\n");
    for (const struct tool_option *option = command->options; option->name; option++) {
        facts_text(option, facts, sizeof(facts));
        print_row(out, option->letter, option->name, option->argument, option->help, facts);
    }
    print_row(out, 'h', "help", NULL, "Print this help.", "");
    fprintf(out, "\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. Manual: man %s\n",
            tool->name);
}

void tool_print_help(const struct tool *tool, FILE *out)
{
    fprintf(out, "Usage: %s COMMAND [OPTION]... [ARGUMENT]...\n%s.\n\nCommands:\n", tool->name,
            tool->summary);
    for (const struct tool_command *command = tool->commands; command->name; command++)
        fprintf(out, "  %-10s %s\n", command->name, command->summary);
    fprintf(out,
            "\n'%s COMMAND --help' lists the options of a command; '%s --version' prints the version.\n"
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. Manual: man %s\n",
            tool->name, tool->name, tool->name);
}

void tool_print_commands(const struct tool *tool, FILE *out)
{
    for (const struct tool_command *command = tool->commands; command->name; command++)
        fprintf(out, "%s\t%s\n", command->name, command->summary);
}

void tool_print_long_options(const struct tool_command *command, FILE *out)
{
    for (const struct tool_option *option = command->options; option->name; option++) {
        char letter[3] = {'-', option->letter, 0};
        fprintf(out, "--%s%s\t%s\t%s\t%s\n", option->name, option->argument ? "=" : "",
                option->letter ? letter : "", option->argument ? option->argument : "", option->help);
    }
    fprintf(out, "--help\t-h\t\tPrint this help.\n");
}

/* The argument in mdoc: words of a choice are literals, others are metavariables. */
static void print_mdoc_argument(const struct tool_option *option, FILE *out)
{
    const char *at = option->argument;

    if (option->kind != TOOL_CHOICE) {
        fprintf(out, "Ar %s", at);
        return;
    }
    for (const char *sep = "Cm "; *at; sep = " | ") {
        int word = (int)strcspn(at, "|");
        fprintf(out, "%s%.*s", sep, word, at);
        at += word + (at[word] == '|');
    }
}

/* A line for each sentence, as mdoc wants it. */
static void print_mdoc_text(const char *text, FILE *out)
{
    while (*text) {
        const char *stop = strstr(text, ". ");
        int length = stop ? (int)(stop + 1 - text) : (int)strlen(text);
        if (text[0] == '.' || text[0] == '\'')
            fputs("\\&", out);
        for (int i = 0; i < length; i++)
            if (text[i] == '\\')
                fputs("\\e", out);
            else
                fputc(text[i], out);
        fputc('\n', out);
        text += length + (stop ? 1 : 0);
    }
}

void tool_print_mdoc(const struct tool_command *command, FILE *out)
{
    char facts[384];

    fprintf(out, ".Bl -tag -width Ds\n");
    for (const struct tool_option *option = command->options; option->name; option++) {
        fprintf(out, ".It ");
        if (option->letter && option->argument) {
            fprintf(out, "Fl %c ", option->letter);
            print_mdoc_argument(option, out);
            fprintf(out, " , ");
        } else if (option->letter) {
            fprintf(out, "Fl %c , ", option->letter);
        }
        fprintf(out, "Fl -%s", option->name);
        if (option->argument) {
            fprintf(out, " Ns = Ns ");
            print_mdoc_argument(option, out);
        }
        fputc('\n', out);
        print_mdoc_text(option->help, out);
        facts_text(option, facts, sizeof(facts));
        if (facts[0])
            fprintf(out, "(%s)\n", facts);
    }
    fprintf(out, ".It Fl h , Fl -help\nPrint a summary of the options.\n.El\n");
}
