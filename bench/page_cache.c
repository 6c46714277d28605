/* SPDX-License-Identifier: Apache-2.0 */
#include "page_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"

/* cachestat(2) is younger than the headers of many systems. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
struct range {
    uint64_t offset, length;
};
struct pages {
    uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

typedef int (*file_fn)(int fd, const struct stat *st, void *user);

static int each_file(const char *folder, file_fn fn, void *user)
{
    int r = 0;

    DIR *dir = opendir(folder);
    if (!dir)
        return dls_err_sys(errno, "'%s'", folder);
    for (struct dirent *entry; r == 0 && (entry = readdir(dir));) {
        struct stat st;
        int fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            continue; /* Its absence does no harm here; the loader will say what it misses. */
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            r = fn(fd, &st, user);
        close(fd);
    }
    closedir(dir);
    return r;
}

static int count(int fd, const struct stat *st, void *user)
{
    struct page_cache *state = user;
    struct range all = {0, 0};
    struct pages pages = {0};
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    state->bytes += dls_align_up((uint64_t)st->st_size, page);
    if (syscall(SYS_cachestat, fd, &all, &pages, 0) == 0)
        state->resident += pages.cached * page;
    else
        state->known = false;
    return 0;
}

int page_cache_get(const char *folder, struct page_cache *ret_state)
{
    struct page_cache state = {.known = true};
    int r = each_file(folder, count, &state);

    if (r == 0)
        *ret_state = state;
    return r;
}

static int drop(int fd, const struct stat *st, void *user)
{
    /* Dirty pages are not dropped, so they are written first. */
    if (fdatasync(fd) != 0 && errno != EROFS && errno != EINVAL)
        return dls_err_sys(errno, "fdatasync");
    int r = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return r ? dls_err_sys(r, "posix_fadvise") : 0;
}

int page_cache_drop(const char *folder, bool *ret_all)
{
    int r = each_file(folder, drop, NULL);
    bool all = false;

    if (r < 0)
        return dls_err_context(r, "emptying the cache of '%s'", folder);
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        all = write(fd, "3", 1) == 1;
        close(fd);
    }
    *ret_all = all;
    return 0;
}

#define FILL_BYTES (1 << 20)

static int read_through(const char *path, void *room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = 0;

    if (fd < 0)
        return dls_err_sys(errno, "'%s'", path);
    do {
        n = read(fd, room, FILL_BYTES);
    } while (n > 0 || (n < 0 && errno == EINTR));
    int r = n < 0 ? dls_err_sys(errno, "'%s'", path) : 0;
    close(fd);
    return r;
}

int page_cache_fill(const char *folder)
{
    char *roots[] = {(char *)folder, NULL};
    int r = 0;

    void *room = dls_alloc(DLS_MEM_TOOL, FILL_BYTES);
    if (!room)
        return -ENOMEM;
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (!walk) {
        r = dls_err_sys(errno, "'%s'", folder);
        dls_free(room);
        return r;
    }
    for (FTSENT *entry; r == 0 && (errno = 0, entry = fts_read(walk));)
        if (entry->fts_info == FTS_F)
            r = read_through(entry->fts_accpath, room);
    fts_close(walk);
    dls_free(room);
    return r;
}
