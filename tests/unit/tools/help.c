/* SPDX-License-Identifier: Apache-2.0 */
#include "common/help.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct config {
    bool flag;
    uint64_t size;
    int choice;
    const char *file;
};

static const struct tool_option table[] = {
    {.name = "flag",
     .letter = 'f',
     .kind = TOOL_FLAG,
     .at = offsetof(struct config, flag),
     .help = "Raise it."},
    {.name = "size",
     .kind = TOOL_BYTES,
     .argument = "SIZE",
     .at = offsetof(struct config, size),
     .preset = "8M",
     .least = 4096,
     .most = 1u << 30,
     .multiple = 4096,
     .unit = "bytes",
     .help = "Make it this large. A second sentence, long enough that the line has to be broken somewhere."},
    {.name = "choice",
     .letter = 'c',
     .kind = TOOL_CHOICE,
     .argument = "red|blue",
     .at = offsetof(struct config, choice),
     .preset = "red",
     .help = "Paint it."},
    {.name = "file",
     .kind = TOOL_TEXT,
     .argument = "FILE",
     .at = offsetof(struct config, file),
     .preset_note = "none",
     .help = "Keep it."},
    {0},
};

static const struct tool_command commands[] = {
    {.name = "paint",
     .operands = "THING",
     .least = 1,
     .most = 1,
     .summary = "Paints a thing",
     .options = table},
    {.name = "list", .operands = "", .summary = "Lists things", .options = table + 4},
    {0},
};

static const struct tool tool = {.name = "brush", .summary = "Paints", .commands = commands};

static char *room;
static size_t size;
static FILE *out;

static void setup(void)
{
    out = open_memstream(&room, &size);
}

static void teardown(void)
{
    free(room);
}

TestSuite(help, .init = setup, .fini = teardown);

static void expect(const char *text)
{
    fclose(out);
    cr_expect_str_eq(room, text);
}

Test(help, of_a_command_shows_every_row_with_range_and_default)
{
    tool_print_command_help(&tool, &commands[0], out);
    expect("Usage: brush paint [OPTION]... THING\n"
           "Paints a thing.\n"
           "\n"
           "Options:\n"
           "  -f, --flag              Raise it.\n"
           "      --size=SIZE         Make it this large. A second sentence, long enough\n"
           "                          that the line has to be broken somewhere. (4k to 1G\n"
           "                          bytes, a multiple of 4k; default: 8M)\n"
           "  -c, --choice=red|blue   Paint it. (default: red)\n"
           "      --file=FILE         Keep it. (default: none)\n"
           "  -h, --help              Print this help.\n"
           "\n"
           "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. Manual: man brush\n");
}

Test(help, of_the_tool_lists_the_commands)
{
    tool_print_help(&tool, out);
    fflush(out);
    cr_expect_eq(strncmp(room,
                         "Usage: brush COMMAND [OPTION]... [ARGUMENT]...\nPaints.\n\nCommands:\n"
                         "  paint      Paints a thing\n  list       Lists things\n",
                         100),
                 0, "%s", room);
    fclose(out);
}

Test(help, commands_for_completions)
{
    tool_print_commands(&tool, out);
    expect("paint\tPaints a thing\nlist\tLists things\n");
}

Test(help, long_options_for_completions)
{
    tool_print_long_options(&commands[0], out);
    expect(
        "--flag\t-f\t\tRaise it.\n"
        "--size=\t\tSIZE\tMake it this large. A second sentence, long enough that the line has to be broken "
        "somewhere.\n"
        "--choice=\t-c\tred|blue\tPaint it.\n"
        "--file=\t\tFILE\tKeep it.\n"
        "--help\t-h\t\tPrint this help.\n");
}

Test(help, mdoc_for_the_manual_page)
{
    tool_print_mdoc(&commands[0], out);
    expect(".Bl -tag -width Ds\n"
           ".It Fl f , Fl -flag\n"
           "Raise it.\n"
           ".It Fl -size Ns = Ns Ar SIZE\n"
           "Make it this large.\n"
           "A second sentence, long enough that the line has to be broken somewhere.\n"
           "(4k to 1G bytes, a multiple of 4k; default: 8M)\n"
           ".It Fl c Cm red | blue , Fl -choice Ns = Ns Cm red | blue\n"
           "Paint it.\n"
           "(default: red)\n"
           ".It Fl -file Ns = Ns Ar FILE\n"
           "Keep it.\n"
           "(default: none)\n"
           ".It Fl h , Fl -help\n"
           "Print a summary of the options.\n"
           ".El\n");
}
