/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_file(int dir_fd, const char *path)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = openat(dir_fd, path, flags | O_NOATIME);

    /* Only a file's owner may ask for that. */
    return fd < 0 && errno == EPERM ? openat(dir_fd, path, flags) : fd;
}

/* Reads until the end of the file or until `room` is full; returns the bytes read or a negative errno. */
static ssize_t read_all(int fd, uint8_t *memory, size_t room)
{
    size_t length = 0;

    while (length < room) {
        ssize_t n = read(fd, memory + length, room - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    return (ssize_t)length;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

int read_file(int dir_fd, const char *path, uint8_t *memory, size_t size, enum problem_kind *ret_kind,
              char *ret_text, size_t text_size)
{
    int fd = open_file(dir_fd, path), r = 0;
    struct stat before, after;
    bool changed = false;
    ssize_t length = 0;

    if (fd < 0 || fstat(fd, &before) < 0) {
        r = -errno;
    } else if (!S_ISREG(before.st_mode)) {
        changed = true;
        snprintf(ret_text, text_size, "is no longer a file");
    } else {
        length = read_all(fd, memory, size + 1);
        if (length < 0)
            r = (int)length;
        else if (fstat(fd, &after) < 0)
            r = -errno;
        else if ((size_t)length != size || (uint64_t)after.st_size != size ||
                 !same_time(&before.st_mtim, &after.st_mtim)) {
            changed = true;
            snprintf(ret_text, text_size, "changed while it was packed: it had %zu bytes, now it has %lld",
                     size, (long long)after.st_size);
        }
    }
    if (r < 0)
        snprintf(ret_text, text_size, "%s", strerror(-r));
    *ret_kind = changed ? PROBLEM_CHANGED : r < 0 ? PROBLEM_UNREADABLE : PROBLEM_NONE;
    if (fd >= 0)
        close(fd);
    return changed ? -ESTALE : r;
}
