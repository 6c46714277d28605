/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/place.h"

#include "base/err.h"
#include "base/mem.h"
#include "shard/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *format_path(const char *folder, const char *prefix, const char *name, const char *suffix)
{
    size_t length = strlen(folder) + strlen(prefix) + strlen(name) + strlen(suffix) + 2;
    char *path = dls_alloc(DLS_MEM_SHARD, length);

    if (path)
        snprintf(path, length, "%s/%s%s%s", folder, prefix, name, suffix);
    return path;
}

static int split(struct dls_place *place, const char *target)
{
    size_t length = strlen(target);

    while (length > 1 && target[length - 1] == '/')
        length--;
    if (length == 0 || (length == 1 && target[0] == '/'))
        return dls_err(EINVAL, "'%s' cannot be the name of a dataset", target);
    place->target = dls_strndup(DLS_MEM_SHARD, target, length);
    if (!place->target)
        return -ENOMEM;
    const char *slash = strrchr(place->target, '/');
    if (!slash)
        place->parent = dls_strndup(DLS_MEM_SHARD, ".", 1);
    else
        place->parent = dls_strndup(DLS_MEM_SHARD, place->target, slash == place->target ? 1 : (size_t)(slash - place->target));
    return place->parent ? 0 : -ENOMEM;
}

static const char *base_name(const struct dls_place *place)
{
    const char *slash = strrchr(place->target, '/');
    return slash ? slash + 1 : place->target;
}

int dls_place_open(struct dls_place *place, const char *target)
{
    struct stat st;
    mode_t mask;
    int r = split(place, target);

    if (r < 0)
        return r;
    if (lstat(place->target, &st) == 0)
        return dls_err(EEXIST, "'%s' exists already", place->target);
    /* A name near the file system's limit leaves no room for the suffix: the temporary one is cut. */
    char name[200];
    snprintf(name, sizeof(name), "%s", base_name(place));
    place->folder = format_path(place->parent, ".", name, ".tmp-XXXXXX");
    if (!place->folder)
        return -ENOMEM;
    if (!mkdtemp(place->folder)) {
        r = dls_err_sys(errno, "'%s': cannot create a directory there", place->parent);
        dls_free(place->folder);
        place->folder = NULL;
        return r;
    }
    mask = umask(0);
    umask(mask);
    if (chmod(place->folder, 0777 & ~mask) < 0)
        return dls_err_sys(errno, "'%s'", place->folder);
    return 0;
}

char *dls_place_file(const struct dls_place *place, const char *name)
{
    return format_path(place->folder, "", name, "");
}

static int rename_new(const char *from, const char *to)
{
    struct stat st;

    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    /* The file system has no such rename: look, then rename (a non-empty directory is not replaced in any case). */
    if (lstat(to, &st) == 0)
        return -EEXIST;
    return rename(from, to) < 0 ? -errno : 0;
}

int dls_place_commit(struct dls_place *place)
{
    int r = dls_file_sync(place->folder);

    if (r < 0)
        return r;
    r = rename_new(place->folder, place->target);
    if (r < 0)
        return dls_err_sys(-r, "'%s': cannot rename '%s' to it", place->target, place->folder);
    dls_free(place->folder);
    place->folder = NULL;
    return dls_file_sync(place->parent);
}

static void remove_file(const struct dls_place *place, const char *name)
{
    char *path = dls_place_file(place, name);

    if (path)
        unlink(path);
    dls_free(path);
}

void dls_place_close(struct dls_place *place, const struct dls_manifest *listed)
{
    if (place->folder) {
        remove_file(place, "dataset.json");
        for (uint32_t i = 0; i < listed->shard_count; i++)
            if (listed->shards[i].file)
                remove_file(place, listed->shards[i].file);
        rmdir(place->folder);
    }
    dls_free(place->folder);
    dls_free(place->parent);
    dls_free(place->target);
    *place = (struct dls_place){0};
}
