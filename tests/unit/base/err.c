/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/thread.h"

#include <dlshards/dlshards.h>
#include <criterion/criterion.h>
#include <string.h>

Test(err, starts_empty)
{
    cr_assert_str_eq(dls_err_text(), "");
    cr_assert_str_eq(dls_last_error(), "");
}

Test(err, sets_the_text_and_returns_the_negative_code)
{
    cr_assert_eq(dls_err(EBADMSG, "'%s', record %d, offset %u: checksum", "a.dls", 7, 4096u), -EBADMSG);
    cr_assert_str_eq(dls_err_text(), "'a.dls', record 7, offset 4096: checksum");
    cr_assert_str_eq(dls_last_error(), dls_err_text());
    dls_err_clear();
    cr_assert_str_eq(dls_err_text(), "");
}

Test(err, sys_appends_the_sentence_of_the_code)
{
    cr_assert_eq(dls_err_sys(ENOENT, "open: '%s'", "x"), -ENOENT);
    cr_assert_str_eq(dls_err_text(), "open: 'x': No such file or directory");
}

Test(err, context_goes_in_front)
{
    int r = dls_err(EINVAL, "not a number");

    cr_assert_eq(dls_err_context(r, "dataset '%s'", "d"), -EINVAL);
    cr_assert_str_eq(dls_err_text(), "dataset 'd': not a number");
    cr_assert_eq(dls_err_context(r, "open"), -EINVAL);
    cr_assert_str_eq(dls_err_text(), "open: dataset 'd': not a number");
}

Test(err, the_text_may_be_its_own_argument)
{
    dls_err(EIO, "read failed");
    dls_err(EIO, "shard 3: %s", dls_err_text());
    cr_assert_str_eq(dls_err_text(), "shard 3: read failed");
    dls_err_context(-EIO, "(%s)", dls_err_text());
    cr_assert_str_eq(dls_err_text(), "(shard 3: read failed): shard 3: read failed");
}

Test(err, long_texts_are_cut_everywhere)
{
    char name[2000];

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    dls_err(EIO, "%s", name);
    cr_assert_eq(strlen(dls_err_text()), DLS_ERR_TEXT - 1);
    dls_err_sys(EIO, "%s", name);
    cr_assert_eq(strlen(dls_err_text()), DLS_ERR_TEXT - 1);
    dls_err_context(-EIO, "%s", name);
    cr_assert_eq(strlen(dls_err_text()), DLS_ERR_TEXT - 1);
    dls_err_context(-EIO, "front");
    cr_assert_eq(strlen(dls_err_text()), DLS_ERR_TEXT - 1);
    cr_assert_eq(strncmp(dls_err_text(), "front: nnn", 10), 0);
}

/* A file may be called anything; the promise is one line, and no control of a terminal. */
Test(err, control_characters_of_names_are_replaced)
{
    dls_err(EIO, "'%s'", "a\nb\x1b[31m\x7f" "é");
    cr_assert_str_eq(dls_err_text(), "'a?b?[31m?é'");
}

static void *fail_in_worker(void *arg)
{
    struct dls_error *error = arg;

    dls_error_keep(error, 0);
    cr_assert_eq(error->code, 0);
    dls_error_keep(error, dls_err(EBADMSG, "shard 1: first"));
    dls_error_keep(error, dls_err(EIO, "shard 2: second"));
    return NULL;
}

Test(err, travels_between_threads_and_the_first_wins)
{
    struct dls_error error = {0};
    struct dls_thread thread = {0};

    dls_err(EINVAL, "mine");
    cr_assert_eq(dls_thread_start(&thread, "worker", fail_in_worker, &error), 0);
    dls_thread_join(&thread);
    cr_assert_str_eq(dls_err_text(), "mine", "another thread's text came through: %s", dls_err_text());
    cr_assert_eq(dls_error_raise(&error), -EBADMSG);
    cr_assert_str_eq(dls_err_text(), "shard 1: first");
}

Test(err, raising_no_error_leaves_the_text)
{
    struct dls_error error = {0};

    dls_err(EINVAL, "before");
    cr_assert_eq(dls_error_raise(&error), 0);
    cr_assert_str_eq(dls_err_text(), "before");
}
