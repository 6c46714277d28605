/* SPDX-License-Identifier: Apache-2.0 */
#include "io/filesystem.h"

#include "base/err.h"
#include "support/pattern.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* A mount table with these lines. */
static const char *table(const char *text)
{
    const char *path = support_path(pattern_dir(), "mounts");

    support_write_file(path, text, strlen(text));
    return path;
}

Test(filesystem, knows_those_of_every_linux)
{
    struct dls_filesystem filesystem;
    char name[32];

    cr_assert(dls_filesystem_get("/proc/self", NULL, &filesystem) == 0);
    cr_expect_str_eq(filesystem.name, "proc");
    dls_filesystem_name("/proc", name, sizeof(name));
    cr_expect_str_eq(name, "proc");
    if (dls_filesystem_get("/dev/shm", NULL, &filesystem) == 0) {
        cr_expect_str_eq(filesystem.name, "tmpfs");
        cr_expect(filesystem.kind == DLS_FILESYSTEM_MEMORY);
        struct stat status;
        stat("/dev/shm", &status);
        cr_expect(filesystem.device == status.st_dev);
    }
}

Test(filesystem, tells_that_a_path_is_missing)
{
    struct dls_filesystem filesystem;

    cr_expect(dls_filesystem_get("/no/such/place", NULL, &filesystem) == -ENOENT);
    cr_expect(strstr(dls_err_text(), "'/no/such/place'") != NULL, "%s", dls_err_text());
}

Test(filesystem, finds_the_mount_by_device_number)
{
    struct dls_filesystem filesystem;
    struct stat status;
    char text[1000];

    cr_assert(stat(pattern_dir(), &status) == 0);
    snprintf(
        text, sizeof(text),
        "20 1 9999:1 / / rw - rootfs rootfs rw\n"
        "21 20 %u:%u / /elsewhere rw,noatime shared:1 master:2 - fuse.some\\040thing /dev/odd\\040name rw\n"
        "22 20 9999:2 / %s rw - nearer /dev/near rw\n",
        major(status.st_dev), minor(status.st_dev), pattern_dir());
    cr_assert(dls_filesystem_get(pattern_dir(), table(text), &filesystem) == 0);
    cr_expect_str_eq(filesystem.name, "fuse.some\\040thing");
    cr_expect_str_eq(filesystem.source, "/dev/odd name");
}

/* btrfs gives every subvolume a number that no mount has. */
Test(filesystem, finds_the_mount_by_the_longest_path)
{
    struct dls_filesystem filesystem;
    char text[3000];

    snprintf(text, sizeof(text),
             "20 1 9999:1 / / rw - rootfs none rw\n"
             "22 20 9999:2 / %s rw - btrfs /dev/sdz9 rw\n"
             "23 20 9999:3 / %s-longer rw - wrong wrong rw\n"
             "24 20 9999:4 / /other rw - wrong wrong rw\n",
             pattern_dir(), pattern_dir());
    cr_assert(dls_filesystem_get(pattern_dir(), table(text), &filesystem) == 0);
    cr_expect_str_eq(filesystem.name, "btrfs");
    cr_expect_str_eq(filesystem.source, "/dev/sdz9");
}

Test(filesystem, bears_broken_mount_tables)
{
    static const char *const lines[] = {
        "",
        "\n",
        "x\n",
        "1 2\n",
        "1 2 3:4\n",
        "1 2 a:b / / rw - ext4 x rw\n",
        "1 2 3:4 / / rw\n",
        "1 2 3:4 / / rw -\n",
        "1 2 3:4 / / rw - ext4\n",
        "1 2 3:4 / /\\1 rw - ext4 a\\04\n",
    };
    struct dls_filesystem plain, filesystem;
    char *longer = malloc(40001);

    cr_assert(dls_filesystem_get(pattern_dir(), "/no/such/table", &plain) == 0);
    cr_expect_str_eq(plain.source, "");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) - 1; i++) {
        cr_assert(dls_filesystem_get(pattern_dir(), table(lines[i]), &filesystem) == 0);
        cr_expect_str_eq(filesystem.name, plain.name, "line %zu", i);
        cr_expect_str_eq(filesystem.source, "", "line %zu", i);
    }
    /* A line that is too long is not taken for several. */
    memset(longer, 'a', 40000);
    strcpy(longer + 39950, " 1 2 3:4 / / rw - ext4 /dev/x rw\n");
    cr_assert(dls_filesystem_get(pattern_dir(), table(longer), &filesystem) == 0);
    cr_expect_str_eq(filesystem.source, "");
    free(longer);
}
