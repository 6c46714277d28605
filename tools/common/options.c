/* SPDX-License-Identifier: Apache-2.0 */
#include "common/options.h"

#include "common/units.h"

#include <stdarg.h>
#include <string.h>

static bool complain(struct tool_complaint *complaint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool complain(struct tool_complaint *complaint, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(complaint->text, sizeof(complaint->text), format, args);
    va_end(args);
    return false;
}

int tool_choice_find(const char *choices, const char *text, size_t length)
{
    for (int index = 0;; index++) {
        size_t word = strcspn(choices, "|");
        if (word == length && !memcmp(choices, text, length))
            return index;
        if (!choices[word])
            return -1;
        choices += word + 1;
    }
}

/* A limit as the option's own kind is written. */
static char *limit_text(const struct tool_option *option, uint64_t value, char *room)
{
    if (option->kind == TOOL_BYTES)
        return tool_exact_bytes(value, room);
    if (option->kind == TOOL_TIME)
        snprintf(room, TOOL_UNIT_ROOM, "%gs", (double)value / 1e9);
    else
        snprintf(room, TOOL_UNIT_ROOM, "%llu", (unsigned long long)value);
    return room;
}

void tool_range_text(const struct tool_option *option, char *room, size_t size)
{
    char least[TOOL_UNIT_ROOM], most[TOOL_UNIT_ROOM], multiple[TOOL_UNIT_ROOM];
    size_t used = 0;

    room[0] = 0;
    if (option->most)
        snprintf(room, size, "%s to %s", limit_text(option, option->least, least),
                 limit_text(option, option->most, most));
    else if (option->least)
        snprintf(room, size, "at least %s", limit_text(option, option->least, least));
    used = strlen(room);
    if (used && option->unit)
        snprintf(room + used, size - used, " %s", option->unit);
    used = strlen(room);
    if (option->multiple)
        snprintf(room + used, size - used, "%sa multiple of %s", used ? ", " : "",
                 limit_text(option, option->multiple, multiple));
}

/* What a value of this option looks like, for messages. */
static const char *expected_text(const struct tool_option *option)
{
    switch (option->kind) {
    case TOOL_COUNT:
        return "a whole number";
    case TOOL_BYTES:
        return "bytes such as 4096, 64k, 8MiB or 2G";
    case TOOL_TIME:
        return "a time such as 30, 500ms or 2m";
    case TOOL_REAL:
        return "a number";
    default:
        return "a text";
    }
}

/* Turns `text` into the option's value at its place in config. */
static bool store(const struct tool_option *option, const char *text, void *config,
                  struct tool_complaint *complaint)
{
    void *at = (char *)config + option->at;
    uint64_t number = 0;
    bool good = false;
    char range[128];
    int choice;

    switch (option->kind) {
    case TOOL_FLAG:
        *(bool *)at = true;
        return true;
    case TOOL_TEXT:
        *(const char **)at = text;
        return true;
    case TOOL_CHOICE:
        choice = tool_choice_find(option->argument, text, strlen(text));
        if (choice < 0)
            return complain(complaint, "--%s: '%s' is not one of its values: expected %s", option->name, text,
                            option->argument);
        *(int *)at = choice;
        return true;
    case TOOL_REAL:
        if (!tool_parse_real(text, at))
            return complain(complaint, "--%s: '%s' cannot be used: expected a number", option->name, text);
        return true;
    case TOOL_COUNT:
        good = tool_parse_count(text, &number);
        break;
    case TOOL_BYTES:
        good = tool_parse_bytes(text, &number);
        break;
    case TOOL_TIME:
        good = tool_parse_time(text, &number);
        break;
    }
    tool_range_text(option, range, sizeof(range));
    if (!good || number < option->least || (option->most && number > option->most) ||
        (option->multiple && number % option->multiple))
        return complain(complaint, "--%s: '%s' cannot be used: expected %s%s%s", option->name, text,
                        expected_text(option), range[0] ? ", " : "", range);
    *(uint64_t *)at = number;
    return true;
}

static const struct tool_option *find_long(const struct tool_option *options, const char *name, size_t length)
{
    for (; options->name; options++)
        if (strlen(options->name) == length && !memcmp(options->name, name, length))
            return options;
    return NULL;
}

static const struct tool_option *find_letter(const struct tool_option *options, char letter)
{
    for (; options->name; options++)
        if (options->letter == letter)
            return options;
    return NULL;
}

struct parse {
    const struct tool_command *command;
    int argc, next; /* `next` is the first argument not yet taken */
    char **argv;
    void *config;
    enum tool_asked asked;
    struct tool_complaint *complaint;
};

static bool parse_long(struct parse *parse, const char *name)
{
    static const char *const built_in[] = {"help", "long-options", "mdoc"};
    size_t length = strcspn(name, "=");
    const struct tool_option *option = find_long(parse->command->options, name, length);

    for (size_t i = 0; i < 3; i++)
        if (!strcmp(name, built_in[i])) {
            parse->asked = (enum tool_asked)(TOOL_ASKED_HELP + i);
            return true;
        }
    if (!option)
        return complain(parse->complaint, "--%.*s is not an option of this command", (int)length, name);
    if (option->kind == TOOL_FLAG)
        return name[length] ? complain(parse->complaint, "--%s takes no value, but has '%s'", option->name,
                                       name + length + 1)
                            : store(option, NULL, parse->config, parse->complaint);
    if (name[length])
        return store(option, name + length + 1, parse->config, parse->complaint);
    if (parse->next == parse->argc)
        return complain(parse->complaint, "--%s needs a value: expected %s", option->name, option->argument);
    return store(option, parse->argv[parse->next++], parse->config, parse->complaint);
}

/* A cluster of short options; the last of them may have its value behind it or as the next argument. */
static bool parse_letters(struct parse *parse, const char *letters)
{
    for (; *letters; letters++) {
        const struct tool_option *option = find_letter(parse->command->options, *letters);
        if (!option && *letters == 'h') {
            parse->asked = TOOL_ASKED_HELP;
            continue;
        }
        if (!option)
            return complain(parse->complaint, "-%c is not an option of this command", *letters);
        if (option->kind == TOOL_FLAG) {
            store(option, NULL, parse->config, parse->complaint);
            continue;
        }
        if (letters[1])
            return store(option, letters + 1, parse->config, parse->complaint);
        if (parse->next == parse->argc)
            return complain(parse->complaint, "-%c needs a value: expected %s", *letters, option->argument);
        return store(option, parse->argv[parse->next++], parse->config, parse->complaint);
    }
    return true;
}

/* Points *ret_word at word number `index` of `words`, which are parted by blanks. */
static int word_at(const char *words, unsigned index, const char **ret_word)
{
    for (; index; index--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    *ret_word = words;
    return (int)strcspn(words, " ");
}

static bool check_operands(const struct parse *parse, unsigned count)
{
    const struct tool_command *command = parse->command;

    if (count < command->least) {
        const char *word;
        int length = word_at(command->operands, count, &word);
        return complain(parse->complaint, "%.*s is missing: expected %s", length, word, command->operands);
    }
    if (count > command->most)
        return complain(parse->complaint, "'%s' is one argument too many: expected %s%s",
                        parse->argv[command->most], command->most ? command->operands : "options only",
                        command->most ? " (quote names that hold blanks)" : "");
    return true;
}

bool tool_parse(const struct tool_command *command, int argc, char **argv, void *config,
                unsigned *ret_operands, enum tool_asked *ret_asked, struct tool_complaint *ret_complaint)
{
    struct parse parse = {command, argc, 0, argv, config, TOOL_ASKED_RUN, ret_complaint};
    unsigned operands = 0;
    bool options_end = false;

    for (const struct tool_option *option = command->options; option->name; option++)
        if (option->preset && !store(option, option->preset, config, ret_complaint))
            return false;
    while (parse.next < argc) {
        char *argument = argv[parse.next++];
        bool good = true;
        if (options_end || argument[0] != '-' || !argument[1])
            argv[operands++] = argument;
        else if (!strcmp(argument, "--"))
            options_end = true;
        else if (argument[1] == '-')
            good = parse_long(&parse, argument + 2);
        else
            good = parse_letters(&parse, argument + 1);
        if (!good)
            return false;
        if (parse.asked != TOOL_ASKED_RUN)
            break;
    }
    *ret_asked = parse.asked;
    *ret_operands = operands;
    return parse.asked != TOOL_ASKED_RUN || check_operands(&parse, operands);
}
