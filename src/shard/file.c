/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/file.h"

#include "base/err.h"
#include "base/mem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

int dls_file_open(const char *path, int *ret_fd)
{
    /* O_NONBLOCK: a pipe in a file's place must not hold the caller up; plain files do not care. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return dls_err_sys(errno, "'%s'", path);
    *ret_fd = fd;
    return 0;
}

int dls_file_read(int fd, const char *path, void *memory, uint64_t length, uint64_t offset)
{
    uint64_t done = 0;

    while (done < length) {
        ssize_t n = pread(fd, (char *)memory + done, length - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return dls_err_sys(errno, "'%s', offset %" PRIu64, path, offset + done);
        if (n == 0)
            return dls_err(EBADMSG, "'%s' ends at offset %" PRIu64 ", %" PRIu64 " bytes short: it was cut off", path,
                           offset + done, length - done);
        done += (uint64_t)n;
    }
    return 0;
}

int dls_file_load(const char *path, uint64_t most, char **ret_bytes, size_t *ret_length)
{
    struct stat st;
    char *bytes = NULL;
    int fd = -1, r = dls_file_open(path, &fd);

    if (r < 0)
        return r;
    if (fstat(fd, &st) < 0) {
        r = dls_err_sys(errno, "'%s'", path);
    } else if (!S_ISREG(st.st_mode)) {
        r = dls_err(EBADMSG, "'%s' is not a plain file", path);
    } else if ((uint64_t)st.st_size > most) {
        r = dls_err(EBADMSG, "'%s' has %" PRIu64 " bytes, at most %" PRIu64 " are allowed", path,
                    (uint64_t)st.st_size, most);
    } else {
        bytes = dls_alloc(DLS_MEM_SHARD, (size_t)st.st_size + 1);
        r = bytes ? dls_file_read(fd, path, bytes, (uint64_t)st.st_size, 0) : -ENOMEM;
    }
    close(fd);
    if (r < 0) {
        dls_free(bytes);
        return r;
    }
    *ret_bytes = bytes;
    *ret_length = (size_t)st.st_size;
    return 0;
}

int dls_file_write(int fd, const char *path, const void *memory, size_t length)
{
    size_t done = 0;

    while (done < length) {
        ssize_t n = write(fd, (const char *)memory + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return dls_err_sys(errno, "'%s': cannot write", path);
        done += (size_t)n;
    }
    return 0;
}

int dls_file_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;

    if (fd < 0 || fsync(fd) < 0)
        r = dls_err_sys(errno, "'%s': cannot flush to the disk", path);
    if (fd >= 0)
        close(fd);
    return r;
}
