/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/read_file.h"

#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *dir;
static int dir_fd;
static uint8_t memory[64];
static char text[128];
static enum problem_kind kind;

static void setup(void)
{
    dir = support_temp_dir();
    dir_fd = open(dir, O_RDONLY | O_DIRECTORY);
    support_write_file(support_path(dir, "file"), "0123456789", 10);
    memset(memory, 0xEE, sizeof(memory));
}

static int get(const char *name, size_t size)
{
    text[0] = 0;
    kind = PROBLEM_KINDS;
    return read_file(dir_fd, name, memory, size, &kind, text, sizeof(text));
}

TestSuite(read_file, .init = setup);

Test(read_file, reads_the_whole_file)
{
    cr_assert_eq(get("file", 10), 0);
    cr_expect_eq(kind, PROBLEM_NONE);
    cr_expect_arr_eq(memory, "0123456789", 10);
    cr_expect_eq(memory[11], 0xEE, "wrote behind its room");
}

Test(read_file, a_file_that_grew_or_shrank_has_changed)
{
    cr_expect_eq(get("file", 9), -ESTALE);
    cr_expect_eq(kind, PROBLEM_CHANGED);
    cr_expect_str_eq(text, "changed while it was packed: it had 9 bytes, now it has 10");
    cr_expect_eq(get("file", 11), -ESTALE);
    cr_expect_eq(kind, PROBLEM_CHANGED);
    cr_expect_eq(get("file", 0), -ESTALE);
    cr_expect_eq(kind, PROBLEM_CHANGED);
}

Test(read_file, a_file_that_vanished)
{
    cr_expect_eq(get("gone", 10), -ENOENT);
    cr_expect_eq(kind, PROBLEM_UNREADABLE);
    cr_expect_str_eq(text, "No such file or directory");
}

Test(read_file, a_pipe_in_its_place_is_not_waited_for)
{
    cr_assert_eq(mkfifo(support_path(dir, "pipe"), 0600), 0);
    cr_expect_eq(get("pipe", 10), -ESTALE);
    cr_expect_eq(kind, PROBLEM_CHANGED);
    cr_expect_str_eq(text, "is no longer a file");
    cr_assert_eq(mkdir(support_path(dir, "folder"), 0700), 0);
    cr_expect_eq(get("folder", 10), -ESTALE);
}

Test(read_file, the_access_time_stays)
{
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 2000}};
    struct stat st;

    cr_assert_eq(utimensat(dir_fd, "file", times, 0), 0);
    cr_assert_eq(get("file", 10), 0);
    cr_assert_eq(fstatat(dir_fd, "file", &st, 0), 0);
    cr_expect_eq(st.st_atim.tv_sec, 1000);
    cr_expect_eq(st.st_mtim.tv_sec, 2000);
}
