/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

static int read_whole(const char *path, struct bench_file *file)
{
    size_t done = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return dls_err_sys(errno, "'%s'", path);
    while (done < file->length) {
        ssize_t n = pread(fd, file->data + done, file->length - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int r = n < 0 ? dls_err_sys(errno, "'%s', offset %zu", path, done)
                          : dls_err(EIO, "'%s', offset %zu: the file became shorter", path, done);
            close(fd);
            return r;
        }
        done += (size_t)n;
    }
    close(fd);
    return 0;
}

static int add(struct bench_files *files, const FTSENT *entry)
{
    if (files->count == files->room) {
        size_t room = files->room ? files->room * 2 : 256;
        void *list = dls_realloc(DLS_MEM_TOOL, files->list, room * sizeof(*files->list));
        if (!list)
            return -ENOMEM;
        files->list = list;
        files->room = room;
    }
    struct bench_file *file = &files->list[files->count++];
    *file = (struct bench_file){.length = (size_t)entry->fts_statp->st_size};
    file->path = dls_strndup(DLS_MEM_TOOL, entry->fts_path, entry->fts_pathlen);
    file->data = dls_alloc(DLS_MEM_TOOL, file->length ? file->length : 1);
    if (!file->path || !file->data)
        return -ENOMEM;
    files->bytes += file->length;
    return read_whole(entry->fts_accpath, file);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct bench_file *)a)->path, ((const struct bench_file *)b)->path);
}

int bench_files_load(const char *folder, struct bench_files *ret_files)
{
    char *roots[] = {(char *)folder, NULL};
    int r = 0;

    *ret_files = (struct bench_files){0};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (!walk)
        return dls_err_sys(errno, "'%s'", folder);
    for (FTSENT *entry; r == 0 && (errno = 0, entry = fts_read(walk));) {
        if (entry->fts_info == FTS_F)
            r = add(ret_files, entry);
        else if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
            r = dls_err_sys(entry->fts_errno, "'%s'", entry->fts_path);
    }
    fts_close(walk);
    if (r == 0 && ret_files->count == 0)
        r = dls_err(ENOENT, "'%s': no files in it", folder);
    if (r == 0)
        qsort(ret_files->list, ret_files->count, sizeof(*ret_files->list), by_path);
    return r;
}

void bench_files_free(struct bench_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        dls_free(files->list[i].path);
        dls_free(files->list[i].data);
    }
    dls_free(files->list);
    *files = (struct bench_files){0};
}
