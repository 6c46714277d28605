/* SPDX-License-Identifier: Apache-2.0 */
/* What is looked at before the first byte is written. */
#include "shards/pack.h"

#include "base/mem.h"
#include "common/units.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* OUT's parent directory and last name, both in `pack->out` (which is cut there): returns the parent's real
 * path, to be freed with free(), or NULL with errno. */
static char *real_parent(const struct pack *pack, const char **ret_name)
{
    const char *slash = strrchr(pack->out, '/');
    char *parent, *real;

    *ret_name = slash ? slash + 1 : pack->out;
    if (!slash)
        return realpath(".", NULL);
    parent = dls_strndup(DLS_MEM_TOOL, pack->out, slash == pack->out ? 1 : (size_t)(slash - pack->out));
    if (!parent)
        return NULL;
    real = realpath(parent, NULL);
    dls_free(parent);
    return real;
}

/* True if `path` is `folder` or below it; both as realpath() gives them. */
static bool is_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    if (length == 1)
        return true;
    return !strncmp(path, folder, length) && (path[length] == 0 || path[length] == '/');
}

/* An earlier run that was killed leaves its temporary directory; nobody else will mention it. */
static void mention_leftovers(const struct pack *pack, const char *parent, const char *name)
{
    DIR *stream = opendir(parent);
    size_t length = strlen(name);
    struct dirent *entry;

    while (stream && (entry = readdir(stream)))
        if (entry->d_name[0] == '.' && !strncmp(entry->d_name + 1, name, length) &&
            !strncmp(entry->d_name + 1 + length, ".tmp-", 5) && !pack->config->quiet)
            tool_say(pack->call,
                     "note: '%s/%s' is left from a run that was killed, or another one is under way: "
                     "it can be removed if none is",
                     parent, entry->d_name);
    if (stream)
        closedir(stream);
}

int pack_check_out(struct pack *pack)
{
    const char *name;
    struct stat st;
    char *parent, *root;
    int exit_code = TOOL_OK;

    parent = real_parent(pack, &name);
    root = realpath(pack->root, NULL);
    if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
        exit_code = tool_misuse(pack->call, "OUT: '%s' cannot be used: expected the name of a new directory",
                                pack->out);
    else if (lstat(pack->out, &st) == 0) {
        tool_say(pack->call, "'%s' exists and is not overwritten: remove it, or choose another name",
                 pack->out);
        exit_code = TOOL_FAILED;
    } else if (!parent) {
        tool_say(pack->call, "'%s' cannot be made: its parent directory: %s", pack->out, strerror(errno));
        exit_code = TOOL_FAILED;
    } else if (root && is_within(parent, root)) {
        exit_code = tool_misuse(pack->call,
                                "OUT: '%s' lies inside SRC '%s': expected a place outside it, since "
                                "nothing in the source is changed",
                                pack->out, pack->root);
    } else {
        mention_leftovers(pack, parent, name);
    }
    free(parent);
    free(root);
    return exit_code;
}

static uint64_t count_empty(const struct source *source, const char **ret_first)
{
    uint64_t count = 0;

    for (uint64_t i = source->class_count; i-- > 0;)
        if (!source->classes[i].files) {
            *ret_first = source->text + source->classes[i].name;
            count++;
        }
    return count;
}

int pack_check_source(struct pack *pack)
{
    const struct source *source = &pack->source;
    const char *first = NULL;
    uint64_t empty = count_empty(source, &first);

    if (!source->file_count) {
        tool_say(pack->call, "'%s' holds no files%s: expected SRC/CLASS/PICTURE, or pictures directly in SRC",
                 pack->root, source->class_count ? " in its class directories" : "");
        return TOOL_FAILED;
    }
    if (empty && !pack->config->allow_empty) {
        tool_say(pack->call,
                 "class '%s' holds no files%s: remove the directory, or give --allow-empty to keep its label "
                 "without "
                 "records",
                 first, empty > 1 ? " (nor do others)" : "");
        return TOOL_FAILED;
    }
    if (pack->config->quiet)
        return TOOL_OK;
    if (empty)
        tool_say(pack->call, "%llu class%s without files, the first is '%s': labels stay reserved for them",
                 (unsigned long long)empty, empty == 1 ? "" : "es", first);
    if (!source->class_count)
        tool_say(pack->call, "no class directories in '%s': packing its files without labels (label -1)",
                 pack->root);
    return TOOL_OK;
}

int pack_check_space(struct pack *pack)
{
    const struct source *source = &pack->source;
    const char *slash = strrchr(pack->out, '/');
    char need_text[TOOL_UNIT_ROOM], free_text[TOOL_UNIT_ROOM], parent[PATH_MAX];
    struct statvfs fs;
    uint64_t need, space;

    if (pack->config->no_space_check)
        return TOOL_OK;
    snprintf(parent, sizeof(parent), "%.*s",
             !slash               ? 1
             : slash == pack->out ? 1
                                  : (int)(slash - pack->out),
             slash ? pack->out : ".");
    if (statvfs(parent, &fs) < 0)
        return TOOL_OK;
    /* Pictures as they are, about 100 bytes a record in directory and record table, names, the ends of
     * blocks. */
    need = source->bytes + source->file_count * 100 + source->text_length + source->bytes / 512 + (64u << 10);
    space = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (space >= need)
        return TOOL_OK;
    tool_say(
        pack->call,
        "no room for '%s': about %s are needed, %s are free in '%s' (--no-space-check starts all the same)",
        pack->out, tool_show_bytes(need, need_text), tool_show_bytes(space, free_text), parent);
    return TOOL_FAILED;
}
