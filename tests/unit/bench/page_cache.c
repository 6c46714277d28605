/* SPDX-License-Identifier: Apache-2.0 */
#include "page_cache.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

static char folder[] = "/tmp/dls-cache-XXXXXX", path[64];

static void make_file(size_t bytes)
{
    static char data[65536];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    cr_assert_eq(write(fd, data, bytes), (ssize_t)bytes);
    cr_assert_eq(fsync(fd), 0);
    close(fd);
}

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

Test(page_cache, what_is_filled_is_in_it, .fini = remove_file)
{
    struct page_cache state;

    make_file(50000);
    int fd = open(path, O_RDONLY);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
    cr_assert_eq(page_cache_fill(folder), 0, "%s", dls_err_text());
    cr_assert_eq(page_cache_get(folder, &state), 0);
    cr_assert_eq(state.bytes, 53248);
    if (state.known)
        cr_assert_eq(state.resident, 53248);
}

Test(page_cache, an_absent_folder_is_named)
{
    struct page_cache state;

    cr_assert_eq(page_cache_get("/nowhere/at/all", &state), -ENOENT);
    cr_assert_not_null(strstr(dls_err_text(), "/nowhere/at/all"));
}
