/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/place.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "support/support.h"

static struct dls_manifest_shard shards[1] = {{.file = (char *)"shard-00000.dls"}};
static const struct dls_manifest listed = {.shards = shards, .shard_count = 1};

static unsigned count(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned n = 0;

    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static void put(const struct dls_place *place, const char *name)
{
    char *path = dls_place_file(place, name);

    support_write_file(path, "x", 1);
    dls_free(path);
}

Test(place, appears_under_its_name_at_the_end_alone)
{
    const char *root = support_temp_dir(), *target = support_path(root, "set.dls");
    struct dls_place place = {0};
    struct stat st;

    cr_assert_eq(dls_place_open(&place, support_path(root, "set.dls//")), 0, "%s", dls_err_text());
    put(&place, "shard-00000.dls");
    put(&place, "dataset.json");
    cr_assert_neq(access(target, F_OK), 0);
    cr_assert_not_null(strstr(place.folder, "/.set.dls.tmp-"));
    cr_assert_eq(dls_place_commit(&place), 0, "%s", dls_err_text());
    cr_assert_null(place.folder);
    dls_place_close(&place, &listed);
    cr_assert_eq(stat(target, &st), 0);
    cr_assert_eq(st.st_mode & 0500, 0500);
    cr_assert_eq(count(target), 2);
    cr_assert_eq(count(root), 1);
}

Test(place, one_that_is_given_up_leaves_nothing)
{
    const char *root = support_temp_dir();
    struct dls_place place = {0};

    cr_assert_eq(dls_place_open(&place, support_path(root, "set.dls")), 0);
    put(&place, "shard-00000.dls");
    put(&place, "dataset.json");
    dls_place_close(&place, &listed);
    cr_assert_eq(count(root), 0);
}

Test(place, what_exists_is_never_replaced)
{
    const char *root = support_temp_dir(), *target = support_path(root, "set.dls");
    struct dls_place place = {0}, late = {0};

    cr_assert_eq(dls_place_open(&late, target), 0);
    support_write_file(support_path(target, "mine"), "x", 1);
    cr_assert_eq(dls_place_open(&place, target), -EEXIST);
    cr_assert_not_null(strstr(dls_err_text(), target));
    dls_place_close(&place, &listed);
    cr_assert_eq(dls_place_commit(&late), -EEXIST); /* it came in between */
    dls_place_close(&late, &listed);
    cr_assert_eq(access(support_path(target, "mine"), F_OK), 0);
    cr_assert_eq(count(root), 1);
    cr_assert_eq(dls_place_open(&place, support_path(root, "absent/set.dls")), -ENOENT);
    dls_place_close(&place, &listed);
}
