/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "support/support.h"

Test(file, is_read_whole_or_not_at_all)
{
    const char *path = support_path(support_temp_dir(), "file");
    char bytes[10];
    int fd;

    support_write_file(path, "0123456789", 10);
    cr_assert_eq(dls_file_open(path, &fd), 0);
    cr_assert_eq(dls_file_read(fd, path, bytes, 4, 3), 0);
    cr_assert_arr_eq(bytes, "3456", 4);
    cr_assert_eq(dls_file_read(fd, path, bytes, 0, 10), 0);
    cr_assert_eq(dls_file_read(fd, path, bytes, 5, 6), -EBADMSG);
    cr_assert_not_null(strstr(dls_err_text(), path));
    close(fd);
    cr_assert_eq(dls_file_read(fd, path, bytes, 1, 0), -EBADF);
    cr_assert_eq(dls_file_open(support_path(path, "below"), &fd), -ENOTDIR);
    cr_assert_eq(dls_file_open("/nowhere/file", &fd), -ENOENT);
    cr_assert_not_null(strstr(dls_err_text(), "/nowhere/file"));
}

Test(file, is_loaded_up_to_a_limit_with_a_nul_behind)
{
    const char *path = support_path(support_temp_dir(), "file");
    char *bytes = NULL;
    size_t length = 0;

    support_write_file(path, "0123456789", 10);
    cr_assert_eq(dls_file_load(path, 10, &bytes, &length), 0, "%s", dls_err_text());
    cr_assert_eq(length, 10);
    cr_assert_str_eq(bytes, "0123456789");
    dls_free(bytes);
    cr_assert_lt(dls_file_load(path, 9, &bytes, &length), 0);
    cr_assert_not_null(strstr(dls_err_text(), path));
    support_write_file(path, "", 0);
    cr_assert_eq(dls_file_load(path, 9, &bytes, &length), 0);
    cr_assert(length == 0 && bytes[0] == 0);
    dls_free(bytes);
}

Test(file, writes_name_the_file_that_fails)
{
    const char *folder = support_temp_dir(), *path = support_path(folder, "file");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    size_t length;

    cr_assert_eq(dls_file_write(fd, path, "abc", 3), 0);
    cr_assert_eq(dls_file_write(fd, path, "", 0), 0);
    close(fd);
    uint8_t *back = support_read_file(path, &length);
    cr_assert(length == 3 && memcmp(back, "abc", 3) == 0);
    free(back);
    cr_assert_eq(dls_file_sync(path), 0);
    cr_assert_eq(dls_file_sync(folder), 0);
    cr_assert_eq(dls_file_sync("/nowhere/file"), -ENOENT);
    fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        cr_assert_eq(dls_file_write(fd, "/dev/full", "abc", 3), -ENOSPC);
        cr_assert_not_null(strstr(dls_err_text(), "/dev/full"));
        close(fd);
    }
}
