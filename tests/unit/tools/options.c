/* SPDX-License-Identifier: Apache-2.0 */
#include "common/options.h"

#include <criterion/criterion.h>
#include <string.h>

struct config {
    bool flag, other;
    uint64_t count, bytes, time;
    double real;
    int choice;
    const char *text;
};

static const struct tool_option table[] = {
    {.name = "flag", .letter = 'f', .kind = TOOL_FLAG, .at = offsetof(struct config, flag), .help = "F."},
    {.name = "other", .letter = 'o', .kind = TOOL_FLAG, .at = offsetof(struct config, other), .help = "O."},
    {.name = "count",
     .letter = 'c',
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = offsetof(struct config, count),
     .preset = "3",
     .least = 1,
     .most = 9,
     .unit = "things",
     .help = "C."},
    {.name = "bytes",
     .letter = 'b',
     .kind = TOOL_BYTES,
     .argument = "SIZE",
     .at = offsetof(struct config, bytes),
     .preset = "8M",
     .least = 4096,
     .most = 1u << 30,
     .multiple = 4096,
     .help = "B."},
    {.name = "time",
     .kind = TOOL_TIME,
     .argument = "TIME",
     .at = offsetof(struct config, time),
     .help = "T."},
    {.name = "real", .kind = TOOL_REAL, .argument = "X", .at = offsetof(struct config, real), .help = "R."},
    {.name = "choice",
     .kind = TOOL_CHOICE,
     .argument = "red|green|blue",
     .at = offsetof(struct config, choice),
     .preset = "green",
     .help = "C."},
    {.name = "text",
     .letter = 't',
     .kind = TOOL_TEXT,
     .argument = "FILE",
     .at = offsetof(struct config, text),
     .help = "T."},
    {0},
};

static const struct tool_command command = {.name = "cmd",
                                            .operands = "SRC OUT",
                                            .least = 0,
                                            .most = 2,
                                            .options = table,
                                            .config_bytes = sizeof(struct config)};

static struct config config;
static char *operands[16];
static unsigned count;
static enum tool_asked asked;
static struct tool_complaint complaint;

/* Parses words parted by blanks; "~" stands for an empty word. */
static bool parse(const struct tool_command *how, const char *line)
{
    static char copy[256];
    int argc = 0;

    memset(&config, 0, sizeof(config));
    complaint.text[0] = 0;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        operands[argc++] = strcmp(word, "~") ? word : word + 1;
    return tool_parse(how, argc, operands, &config, &count, &asked, &complaint);
}

static void expect_complaint(const char *line, const char *text)
{
    cr_expect_not(parse(&command, line), "'%s' was taken", line);
    cr_expect_str_eq(complaint.text, text);
}

Test(options, presets_come_from_the_table)
{
    cr_assert(parse(&command, ""));
    cr_expect_eq(asked, TOOL_ASKED_RUN);
    cr_expect_eq(count, 0);
    cr_expect_eq(config.count, 3);
    cr_expect_eq(config.bytes, 8u << 20);
    cr_expect_eq(config.choice, 1);
    cr_expect_null(config.text);
    cr_expect_not(config.flag);
}

Test(options, every_way_to_give_a_value)
{
    cr_assert(parse(&command, "--count=4 --bytes 64k --time=2m --real -0.5 --choice=blue --text=a=b"));
    cr_expect_eq(config.count, 4);
    cr_expect_eq(config.bytes, 65536);
    cr_expect_eq(config.time, 120000000000ull);
    cr_expect_eq(config.real, -0.5);
    cr_expect_eq(config.choice, 2);
    cr_expect_str_eq(config.text, "a=b");
    cr_assert(parse(&command, "-c5 -b 8k -fot name"));
    cr_expect_eq(config.count, 5);
    cr_expect_eq(config.bytes, 8192);
    cr_expect(config.flag && config.other);
    cr_expect_str_eq(config.text, "name");
    cr_assert(parse(&command, "-c 1 -c 2"));
    cr_expect_eq(config.count, 2, "the last one counts");
    cr_assert(parse(&command, "--text="));
    cr_expect_str_eq(config.text, "");
}

Test(options, operands_may_stand_anywhere)
{
    cr_assert(parse(&command, "one -f two"));
    cr_expect_eq(count, 2);
    cr_expect_str_eq(operands[0], "one");
    cr_expect_str_eq(operands[1], "two");
    cr_expect(config.flag);
    cr_assert(parse(&command, "- -- -rf.jpg"));
    cr_expect_eq(count, 2);
    cr_expect_str_eq(operands[0], "-");
    cr_expect_str_eq(operands[1], "-rf.jpg");
    cr_assert(parse(&command, "~ x"));
    cr_expect_str_eq(operands[0], "");
}

Test(options, complaints_name_option_value_and_what_was_expected)
{
    expect_complaint("--nope", "--nope is not an option of this command");
    expect_complaint("--coun=3", "--coun is not an option of this command");
    expect_complaint("-z", "-z is not an option of this command");
    expect_complaint("--flag=1", "--flag takes no value, but has '1'");
    expect_complaint("--count", "--count needs a value: expected N");
    expect_complaint("-fc", "-c needs a value: expected N");
    expect_complaint("--count=x", "--count: 'x' cannot be used: expected a whole number, 1 to 9 things");
    expect_complaint("--count=10", "--count: '10' cannot be used: expected a whole number, 1 to 9 things");
    expect_complaint("--count=0", "--count: '0' cannot be used: expected a whole number, 1 to 9 things");
    expect_complaint("--bytes=5000",
                     "--bytes: '5000' cannot be used: expected bytes such as 4096, 64k, 8MiB or 2G, "
                     "4k to 1G, a multiple of 4k");
    expect_complaint("--time=soon", "--time: 'soon' cannot be used: expected a time such as 30, 500ms or 2m");
    expect_complaint("--real=x", "--real: 'x' cannot be used: expected a number");
    expect_complaint("--choice=gree", "--choice: 'gree' is not one of its values: expected red|green|blue");
    expect_complaint("--choice=", "--choice: '' is not one of its values: expected red|green|blue");
    expect_complaint("a b c",
                     "'c' is one argument too many: expected SRC OUT (quote names that hold blanks)");
}

Test(options, missing_operands_are_named)
{
    struct tool_command two = command;

    two.least = 2;
    cr_expect_not(parse(&two, "a"));
    cr_expect_str_eq(complaint.text, "OUT is missing: expected SRC OUT");
    cr_expect_not(parse(&two, ""));
    cr_expect_str_eq(complaint.text, "SRC is missing: expected SRC OUT");
    cr_expect(parse(&two, "--help"), "help needs no operands");
    cr_expect_eq(asked, TOOL_ASKED_HELP);
    cr_expect(parse(&two, "--long-options"));
    cr_expect_eq(asked, TOOL_ASKED_LONG_OPTIONS);
    cr_expect(parse(&two, "-h"));
    cr_expect_eq(asked, TOOL_ASKED_HELP);
}

Test(options, a_choice_is_a_whole_word)
{
    cr_expect_eq(tool_choice_find("a|bc|d", "a", 1), 0);
    cr_expect_eq(tool_choice_find("a|bc|d", "bc", 2), 1);
    cr_expect_eq(tool_choice_find("a|bc|d", "d", 1), 2);
    cr_expect_eq(tool_choice_find("a|bc|d", "b", 1), -1);
    cr_expect_eq(tool_choice_find("a|bc|d", "a|bc", 4), -1);
}
