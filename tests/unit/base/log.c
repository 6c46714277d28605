/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <dlshards/dlshards.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct seen {
    int count;
    dls_log_level level;
    char text[2000];
};

static void take(void *user, dls_log_level level, const char *message)
{
    struct seen *seen = user;

    seen->count++;
    seen->level = level;
    snprintf(seen->text, sizeof(seen->text), "%s", message);
}

Test(log, discards_until_told_where_to)
{
    struct seen seen = {0};

    dls_log(DLS_LOG_ERROR, "nobody hears");
    dls_set_log(NULL, &seen, DLS_LOG_DEBUG);
    dls_log(DLS_LOG_ERROR, "nobody hears");
    cr_assert_eq(seen.count, 0);
}

Test(log, passes_levels_up_to_the_threshold)
{
    struct seen seen = {0};

    dls_set_log(take, &seen, DLS_LOG_WARNING);
    dls_log(DLS_LOG_INFO, "no");
    dls_log(DLS_LOG_DEBUG, "no");
    cr_assert_eq(seen.count, 0);
    dls_log(DLS_LOG_WARNING, "engine %s, depth %d", "pread", 8);
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.level, DLS_LOG_WARNING);
    cr_assert_str_eq(seen.text, "engine pread, depth 8");
    dls_log(DLS_LOG_ERROR, "x");
    cr_assert_eq(seen.count, 2);
    dls_set_log(take, &seen, DLS_LOG_NONE);
    dls_log(DLS_LOG_ERROR, "x");
    cr_assert_eq(seen.count, 2);
}

Test(log, a_message_is_one_line_and_cut)
{
    struct seen seen = {0};
    char name[3000];

    dls_set_log(take, &seen, DLS_LOG_DEBUG);
    dls_log(DLS_LOG_INFO, "a\nb\x1b");
    cr_assert_str_eq(seen.text, "a?b?");
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    dls_log(DLS_LOG_INFO, "%s", name);
    cr_assert_eq(strlen(seen.text), 1023);
}
