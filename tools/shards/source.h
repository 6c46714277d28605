/* SPDX-License-Identifier: Apache-2.0 */
/* The files below a folder, as torchvision's ImageFolder would list them: the first level of directories are
 * the classes, everything below belongs to its class. Names are bytes and are kept exactly. */
#ifndef TOOLS_SHARDS_SOURCE_H
#define TOOLS_SHARDS_SOURCE_H

#include "shards/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOURCE_NO_CLASS UINT32_MAX

struct source_dir {
    uint64_t path; /* in `text`: from the source's root, "" for the root itself */
    uint32_t parent;
    uint32_t class; /* as found while walking, in the order of `classes` once sorted */
    uint32_t rank;  /* place among the directories once sorted */
    dev_t device;
    ino_t inode;
};

struct source_file {
    uint64_t name; /* in `text` */
    uint64_t size; /* bytes, when it was listed */
    uint32_t dir;
};

struct source_class {
    uint64_t name; /* in `text` */
    uint64_t files;
    uint32_t found; /* its number while walking */
};

struct source {
    const char *root; /* as the user named it */
    int root_fd;
    bool hidden; /* take names that start with a dot, too */
    char *text;  /* every name, NUL behind each */
    uint64_t text_length, text_room;
    struct source_dir *dirs;
    uint64_t dir_count, dir_room;
    struct source_file *files;
    uint64_t file_count, file_room;
    struct source_class *classes;
    uint64_t class_count, class_room;
    uint64_t bytes;             /* of all files */
    struct problem_list passed; /* what was passed over or could not be listed, sorted by path */
};

/* Lists everything below `root`, whose name must stay alive. `cancelled` is asked now and then: once it
 * returns true the walk ends with -EINTR. A negative errno with text only if nothing could be listed at all;
 * the caller ends *source with source_free() in any case. */
int source_walk(struct source *source, const char *root, bool hidden, bool (*cancelled)(void));
void source_free(struct source *source);

/* The path of file `index` below the root. Writes at most `size` bytes, returns its length, or -ENAMETOOLONG.
 */
int source_path(const struct source *source, uint64_t index, char *room, size_t size);
/* The class of file `index`, or SOURCE_NO_CLASS. */
uint32_t source_class_of(const struct source *source, uint64_t index);

#endif
