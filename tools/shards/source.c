/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/source.h"

#include "base/err.h"
#include "base/mem.h"
#include "shards/names.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes room for one more element at the end of a growing array. */
static int grow(void **array, uint64_t count, uint64_t *room, size_t size)
{
    uint64_t larger = *room ? *room + *room / 2 + 1 : 64;
    void *memory;

    if (count < *room)
        return 0;
    memory = dls_realloc(DLS_MEM_TOOL, *array, larger * size);
    if (!memory)
        return -ENOMEM;
    *array = memory;
    *room = larger;
    return 0;
}

/* Keeps the text "first/second" (or one of them) and writes where it stands. */
static int keep_text(struct source *source, const char *first, const char *second, uint64_t *ret_at)
{
    size_t a = strlen(first), b = strlen(second), need = a + b + 2;
    char *to;

    if (source->text_length + need > source->text_room) {
        uint64_t room = source->text_room + source->text_room / 2 + need + 4096;
        char *text = dls_realloc(DLS_MEM_TOOL, source->text, room);
        if (!text)
            return -ENOMEM;
        source->text = text;
        source->text_room = room;
    }
    to = source->text + source->text_length;
    *ret_at = source->text_length;
    memcpy(to, first, a);
    to += a;
    if (a && b)
        *to++ = '/';
    memcpy(to, second, b);
    to[b] = 0;
    source->text_length += (uint64_t)(to + b + 1 - (source->text + *ret_at));
    return 0;
}

/* Notes something that is not packed. `name` is in directory `dir`. */
static int pass_over(struct source *source, enum problem_kind kind, uint32_t dir, const char *name,
                     const char *text)
{
    const char *path = source->text + source->dirs[dir].path;
    char whole[2 * PATH_MAX];

    snprintf(whole, sizeof(whole), "%s%s%s", path, *path && *name ? "/" : "", name);
    return problem_add(&source->passed, kind, whole, text);
}

static int add_class(struct source *source, const char *name, uint32_t *ret_class)
{
    struct source_class class = {.found = (uint32_t)source->class_count};
    int r = grow((void **)&source->classes, source->class_count, &source->class_room, sizeof(class));

    if (r == 0 && source->class_count >= SOURCE_NO_CLASS)
        r = dls_err(EOVERFLOW, "'%s' has too many class directories", source->root);
    if (r == 0)
        r = keep_text(source, "", name, &class.name);
    if (r < 0)
        return r;
    source->classes[source->class_count++] = class;
    *ret_class = class.found;
    return 0;
}

/* True if (device, inode) is directory `dir` or one above it: following it would never end. */
static bool is_above(const struct source *source, uint32_t dir, const struct stat *st)
{
    for (;; dir = source->dirs[dir].parent) {
        if (source->dirs[dir].device == st->st_dev && source->dirs[dir].inode == st->st_ino)
            return true;
        if (!dir)
            return false;
    }
}

static int add_dir(struct source *source, uint32_t parent, const char *name, const struct stat *st)
{
    struct source_dir dir = {.parent = parent, .device = st->st_dev, .inode = st->st_ino};
    char above[PATH_MAX];
    int r = grow((void **)&source->dirs, source->dir_count, &source->dir_room, sizeof(dir));

    if (r < 0)
        return r;
    if (source->dir_count >= UINT32_MAX)
        return dls_err(EOVERFLOW, "'%s' has too many directories", source->root);
    if (source->dir_count == 0) {
        dir.class = SOURCE_NO_CLASS;
        r = keep_text(source, "", "", &dir.path);
    } else {
        if (is_above(source, parent, st))
            return pass_over(source, PROBLEM_LOOP, parent, name, "leads back to a directory above it");
        /* keep_text() may move the text, so the part above is copied out first. */
        snprintf(above, sizeof(above), "%s", source->text + source->dirs[parent].path);
        if (strlen(above) + strlen(name) + 2 > PATH_MAX)
            return pass_over(source, PROBLEM_DIRECTORY, parent, name, strerror(ENAMETOOLONG));
        dir.class = source->dirs[parent].class;
        if (parent == 0)
            r = add_class(source, name, &dir.class);
        if (r == 0)
            r = keep_text(source, above, name, &dir.path);
    }
    if (r == 0)
        source->dirs[source->dir_count++] = dir;
    return r;
}

static int add_file(struct source *source, uint32_t dir, const char *name, uint64_t size)
{
    struct source_file file = {.size = size, .dir = dir};
    int r = grow((void **)&source->files, source->file_count, &source->file_room, sizeof(file));

    if (r == 0)
        r = keep_text(source, "", name, &file.name);
    if (r == 0)
        source->files[source->file_count++] = file;
    return r;
}

static const char *special_text(mode_t mode)
{
    return S_ISFIFO(mode)   ? "a named pipe"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
                            : "not a file";
}

static int add_entry(struct source *source, uint32_t dir, int fd, const struct dirent *entry)
{
    const char *name = entry->d_name;
    struct stat st;
    bool known = fstatat(fd, name, &st, 0) == 0, is_dir = known && S_ISDIR(st.st_mode);

    if (name[0] == '.' && !source->hidden)
        return pass_over(source, is_dir ? PROBLEM_HIDDEN_DIRECTORY : PROBLEM_HIDDEN, dir, name,
                         is_dir && dir == 0 ? "hidden directory (ImageFolder would count it as a class)"
                                            : "hidden: its name starts with a dot");
    /* A dangling link: opening it later gives the reason, as for any other file that cannot be read. */
    if (!known)
        return add_file(source, dir, name, 0);
    if (is_dir)
        return add_dir(source, dir, name, &st);
    if (!S_ISREG(st.st_mode))
        return pass_over(source, PROBLEM_SPECIAL, dir, name, special_text(st.st_mode));
    return add_file(source, dir, name, (uint64_t)st.st_size);
}

/* Lists directory number `dir`. One that cannot be read is noted; only the root's failure is an error. */
static int list_dir(struct source *source, uint32_t dir, bool (*cancelled)(void))
{
    const char *path = source->text + source->dirs[dir].path;
    int fd = openat(source->root_fd, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    int r = 0;

    if (!stream) {
        int code = errno;
        if (fd >= 0)
            close(fd);
        return dir ? pass_over(source, PROBLEM_DIRECTORY, dir, "", strerror(code))
                   : dls_err_sys(code, "'%s' cannot be listed", source->root);
    }
    while (r == 0 && (errno = 0, entry = readdir(stream))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        r = cancelled && cancelled() ? dls_err(EINTR, "interrupted") : add_entry(source, dir, fd, entry);
    }
    if (r == 0 && errno)
        r = pass_over(source, PROBLEM_DIRECTORY, dir, "", strerror(errno));
    closedir(stream);
    return r;
}

static int compare_classes(const void *a, const void *b, void *arg)
{
    const struct source *source = arg;
    const char *x = source->text + ((const struct source_class *)a)->name;
    const char *y = source->text + ((const struct source_class *)b)->name;

    return names_compare(x, strlen(x), y, strlen(y));
}

/* As sorted(os.walk(class)): by the path as one string, in which '/' is a character like any other. */
static int compare_dirs(const void *a, const void *b, void *arg)
{
    const struct source *source = arg;
    const struct source_dir *x = &source->dirs[*(const uint32_t *)a],
                            *y = &source->dirs[*(const uint32_t *)b];
    const char *p = source->text + x->path, *q = source->text + y->path;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return names_compare(p, strlen(p), q, strlen(q));
}

static int compare_files(const void *a, const void *b, void *arg)
{
    const struct source *source = arg;
    const struct source_file *x = a, *y = b;
    uint32_t p = source->dirs[x->dir].rank, q = source->dirs[y->dir].rank;

    if (p != q)
        return p < q ? -1 : 1;
    return names_compare(source->text + x->name, strlen(source->text + x->name), source->text + y->name,
                         strlen(source->text + y->name));
}

/* Files directly in the root belong to no class when there are classes; ImageFolder does not see them either.
 */
static int drop_classless(struct source *source)
{
    uint64_t kept = 0;
    int r = 0;

    for (uint64_t i = 0; i < source->file_count && r == 0; i++) {
        if (source->class_count && source->files[i].dir == 0)
            r = pass_over(source, PROBLEM_NO_CLASS, 0, source->text + source->files[i].name,
                          "directly in the source folder, in no class directory");
        else
            source->files[kept++] = source->files[i];
    }
    source->file_count = kept;
    return r;
}

static int sort_all(struct source *source)
{
    uint32_t *order = NULL, *class_of = NULL;
    int r = drop_classless(source);

    if (r < 0)
        return r;
    order = dls_alloc_array(DLS_MEM_TOOL, source->dir_count, sizeof(*order));
    class_of = dls_alloc_array(DLS_MEM_TOOL, source->class_count + 1, sizeof(*class_of));
    if (!order || !class_of) {
        r = -ENOMEM;
        goto done;
    }
    if (source->class_count)
        qsort_r(source->classes, source->class_count, sizeof(*source->classes), compare_classes, source);
    for (uint32_t i = 0; i < source->class_count; i++)
        class_of[source->classes[i].found] = i;
    for (uint32_t i = 0; i < source->dir_count; i++) {
        order[i] = i;
        if (source->dirs[i].class != SOURCE_NO_CLASS)
            source->dirs[i].class = class_of[source->dirs[i].class];
    }
    qsort_r(order, source->dir_count, sizeof(*order), compare_dirs, source);
    for (uint32_t i = 0; i < source->dir_count; i++)
        source->dirs[order[i]].rank = i;
    if (source->file_count)
        qsort_r(source->files, source->file_count, sizeof(*source->files), compare_files, source);
    for (uint64_t i = 0; i < source->file_count; i++) {
        uint32_t class = source_class_of(source, i);
        source->bytes += source->files[i].size;
        if (class != SOURCE_NO_CLASS)
            source->classes[class].files++;
    }
    problem_sort(&source->passed);
done:
    dls_free(order);
    dls_free(class_of);
    return r;
}

int source_walk(struct source *source, const char *root, bool hidden, bool (*cancelled)(void))
{
    struct stat st;
    int r;

    *source = (struct source){.root = root, .root_fd = -1, .hidden = hidden};
    source->root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (source->root_fd < 0 && errno == ENOTDIR)
        return dls_err(ENOTDIR, "'%s' is not a directory: give the folder that holds the class directories",
                       root);
    if (source->root_fd < 0 || fstat(source->root_fd, &st) < 0)
        return dls_err_sys(errno, "'%s'", root);
    r = add_dir(source, 0, "", &st);
    for (uint32_t dir = 0; r == 0 && dir < source->dir_count; dir++)
        r = list_dir(source, dir, cancelled);
    return r < 0 ? r : sort_all(source);
}

void source_free(struct source *source)
{
    if (source->root_fd >= 0)
        close(source->root_fd);
    problem_free(&source->passed);
    dls_free(source->text);
    dls_free(source->dirs);
    dls_free(source->files);
    dls_free(source->classes);
    *source = (struct source){.root_fd = -1};
}

int source_path(const struct source *source, uint64_t index, char *room, size_t size)
{
    const struct source_file *file = &source->files[index];
    const char *dir = source->text + source->dirs[file->dir].path;
    int length = snprintf(room, size, "%s%s%s", dir, *dir ? "/" : "", source->text + file->name);

    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : length;
}

uint32_t source_class_of(const struct source *source, uint64_t index)
{
    return source->dirs[source->files[index].dir].class;
}
