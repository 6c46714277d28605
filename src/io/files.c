/* SPDX-License-Identifier: Apache-2.0 */
#include "io/files.h"

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/filesystem.h"
#include "shard/layout.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NONE UINT32_MAX

struct open_file {
    int fd; /* -1: empty */
    uint32_t file;
    uint32_t held;
    bool direct, registered;
    uint32_t older,
        newer; /* open and not held: the list of those, oldest first. Empty: `newer` is the next empty */
};

struct dls_files {
    struct dls_files_config config;
    const struct dls_io_ops *ops;
    struct dls_io *io;
    uint32_t *slot_of; /* of each file, or NONE */
    uint8_t *buffered; /* of each file: O_DIRECT has failed */
    struct open_file *slots;
    uint32_t empty; /* first empty slot, or NONE */
    uint32_t oldest, newest;
    uint32_t held; /* open files that somebody holds */
    bool direct;   /* try O_DIRECT */
    char detail[128];
};

static void idle_add(struct dls_files *files, uint32_t slot)
{
    struct open_file *file = &files->slots[slot];

    file->older = files->newest;
    file->newer = NONE;
    if (files->newest != NONE)
        files->slots[files->newest].newer = slot;
    else
        files->oldest = slot;
    files->newest = slot;
}

static void idle_remove(struct dls_files *files, uint32_t slot)
{
    struct open_file *file = &files->slots[slot];

    if (file->older != NONE)
        files->slots[file->older].newer = file->newer;
    else
        files->oldest = file->newer;
    if (file->newer != NONE)
        files->slots[file->newer].older = file->older;
    else
        files->newest = file->older;
}

static void register_slot(struct dls_files *files, uint32_t slot)
{
    struct open_file *file = &files->slots[slot];

    if (files->ops != NULL)
        file->registered = files->ops->set_file(files->io, (int)slot, file->fd) == 0;
}

static void close_slot(struct dls_files *files, uint32_t slot)
{
    struct open_file *file = &files->slots[slot];

    /* Otherwise the engine would keep the file open. */
    if (file->registered)
        (void)files->ops->set_file(files->io, (int)slot, -1);
    close(file->fd);
    files->slot_of[file->file] = NONE;
    file->fd = -1;
    file->newer = files->empty;
    files->empty = slot;
}

/* Closes the file that nobody has held for longest; false if all are held. */
static bool evict(struct dls_files *files)
{
    uint32_t slot = files->oldest;

    if (slot == NONE)
        return false;
    idle_remove(files, slot);
    close_slot(files, slot);
    return true;
}

/* Opens what is certain to be a plain file: opening a pipe would wait for its writer, and a directory or a
 * device can be opened but not read. Negative errno without a text. */
static int open_plain(const char *path, bool direct)
{
    struct stat st;
    int fd, flags, r = 0;

    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (direct ? O_DIRECT : 0));
    while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        r = -errno;
        /* Pipes and directories refuse O_DIRECT as some file systems do. */
        return r == -EINVAL && stat(path, &st) == 0 && !S_ISREG(st.st_mode) ? -EBADMSG : r;
    }
    /* io_uring takes O_NONBLOCK seriously where plain reads do not. */
    if (fstat(fd, &st) < 0 || (flags = fcntl(fd, F_GETFL)) < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
        r = -errno;
    else if (!S_ISREG(st.st_mode))
        r = -EBADMSG;
    if (r == 0)
        return fd;
    close(fd);
    return r;
}

static const char *open_reason(int r)
{
    return r == -EBADMSG ? "not a plain file" : strerror(-r);
}

static int open_path(struct dls_files *files, uint32_t file, bool *ret_direct)
{
    const char *path = files->config.path(files->config.path_user, file);
    bool direct = files->direct && !files->buffered[file];
    int fd = open_plain(path, direct);

    if (fd == -EINVAL && direct && files->config.direct != DLS_DIRECT_ON) {
        files->buffered[file] = 1;
        return open_path(files, file, ret_direct);
    }
    if (fd < 0)
        return dls_err(-fd, "open: '%s': %s", path, open_reason(fd));
    *ret_direct = direct;
    return fd;
}

/* Opens into an empty slot, at the cost of unused files where the table or the process has no room for more.
 */
static int open_slot(struct dls_files *files, uint32_t file, uint32_t *ret_slot)
{
    bool direct = false;
    uint32_t slot;
    int fd;

    if (files->empty == NONE && !evict(files))
        return 1;
    do
        fd = open_path(files, file, &direct);
    while ((fd == -EMFILE || fd == -ENFILE) && evict(files));
    if ((fd == -EMFILE || fd == -ENFILE) && files->held > 0)
        return 1;
    if (fd < 0)
        return fd;

    slot = files->empty;
    files->empty = files->slots[slot].newer;
    files->slots[slot] = (struct open_file){.fd = fd, .file = file, .direct = direct};
    files->slot_of[file] = slot;
    register_slot(files, slot);
    *ret_slot = slot;
    return 0;
}

int dls_files_hold(struct dls_files *files, uint32_t file, uint32_t *ret_slot)
{
    uint32_t slot = files->slot_of[file];

    if (slot == NONE) {
        int r = open_slot(files, file, &slot);
        if (r != 0)
            return r;
    } else if (files->slots[slot].held == 0) {
        idle_remove(files, slot);
    }
    if (files->slots[slot].held++ == 0)
        files->held++;
    *ret_slot = slot;
    return 0;
}

void dls_files_release(struct dls_files *files, uint32_t slot)
{
    if (--files->slots[slot].held == 0) {
        files->held--;
        idle_add(files, slot);
    }
}

int dls_files_fd(const struct dls_files *files, uint32_t slot)
{
    return files->slots[slot].fd;
}

int dls_files_engine_slot(const struct dls_files *files, uint32_t slot)
{
    return files->slots[slot].registered ? (int)slot : -1;
}

bool dls_files_direct(const struct dls_files *files, uint32_t slot)
{
    return files->slots[slot].direct;
}

bool dls_files_make_buffered(struct dls_files *files, uint32_t slot)
{
    struct open_file *file = &files->slots[slot];
    int flags;

    if (files->config.direct == DLS_DIRECT_ON)
        return false;
    if (!file->direct)
        return true;
    /* The flag belongs to the open file, so registered copies and reads to come follow it, and those in
     * flight end as they began. */
    flags = fcntl(file->fd, F_GETFL);
    if (flags < 0 || fcntl(file->fd, F_SETFL, flags & ~O_DIRECT) != 0)
        return false;
    file->direct = false;
    files->buffered[file->file] = 1;
    return true;
}

const char *dls_files_detail(const struct dls_files *files)
{
    return files->detail;
}

static void why_refused(const char *path, char *why, size_t size)
{
    char name[32];

    dls_filesystem_name(path, name, sizeof(name));
    snprintf(why, size, "%s refuses O_DIRECT", name);
}

/* True if the file says by statx() that direct reads work at the alignment of blocks; says why not. */
static bool alignment_ok(int fd, const char *path, char *why, size_t size)
{
#ifdef STATX_DIOALIGN
    struct statx facts;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) != 0 || !(facts.stx_mask & STATX_DIOALIGN))
        return true; /* an older kernel, or a file system that does not say: the test read will */
    if (facts.stx_dio_offset_align == 0) {
        why_refused(path, why, size);
        return false;
    }
    if (facts.stx_dio_offset_align > DLS_ALIGN || facts.stx_dio_mem_align > DLS_ALIGN) {
        snprintf(why, size, "O_DIRECT needs %u byte alignment here", facts.stx_dio_offset_align);
        return false;
    }
#else
    (void)fd, (void)path, (void)why, (void)size;
#endif
    return true;
}

/* Whether file 0 can be read directly: 0, or a negative errno with the reason in `why`. */
static int test_direct(const char *path, uint8_t *scratch, char *why, size_t size)
{
    ssize_t n;
    int fd = open_plain(path, true), r = 0;

    if (fd < 0) {
        r = fd;
        if (r == -EINVAL)
            why_refused(path, why, size);
        else
            snprintf(why, size, "open: %s", open_reason(r));
        return r;
    }
    if (!alignment_ok(fd, path, why, size)) {
        r = -EINVAL;
    } else {
        do
            n = pread(fd, scratch, DLS_ALIGN, 0);
        while (n < 0 && errno == EINTR);
        if (n < 0) {
            r = -errno;
            if (r == -EINVAL)
                why_refused(path, why, size);
            else
                snprintf(why, size, "a direct test read failed: %s", strerror(-r));
        }
    }
    close(fd);
    return r;
}

static int choose_direct(struct dls_files *files, uint8_t *scratch)
{
    const char *path = files->config.path(files->config.path_user, 0);
    char why[80] = "";
    int r;

    if (files->config.direct == DLS_DIRECT_OFF) {
        snprintf(files->detail, sizeof(files->detail), "buffered (as asked)");
        return 0;
    }
    r = test_direct(path, scratch, why, sizeof(why));
    if (r == 0) {
        files->direct = true;
        snprintf(files->detail, sizeof(files->detail), "O_DIRECT");
        return 0;
    }
    if (files->config.direct == DLS_DIRECT_ON)
        return dls_err(r == -EINVAL ? ENOTSUP : -r, "read directly: '%s': %s", path, why);
    snprintf(files->detail, sizeof(files->detail), "buffered (%s)", why);
    return 0;
}

int dls_files_create(const struct dls_files_config *config, uint8_t *scratch, struct dls_files **ret_files)
{
    struct dls_files *files = dls_alloc(DLS_MEM_IO, sizeof(*files));
    uint32_t slot;
    int r = -ENOMEM;

    if (files == NULL)
        return -ENOMEM;
    files->config = *config;
    files->empty = files->oldest = files->newest = NONE;
    files->slot_of = dls_alloc_array(DLS_MEM_IO, config->count, sizeof(*files->slot_of));
    files->buffered = dls_alloc_array(DLS_MEM_IO, config->count, sizeof(*files->buffered));
    files->slots = dls_alloc_array(DLS_MEM_IO, config->slots, sizeof(*files->slots));
    if (files->slot_of == NULL || files->buffered == NULL || files->slots == NULL)
        goto fail;
    memset(files->slot_of, 0xff, config->count * sizeof(*files->slot_of));
    for (uint32_t i = config->slots; i-- > 0; files->empty = i)
        files->slots[i] = (struct open_file){.fd = -1, .newer = files->empty};
    r = choose_direct(files, scratch);
    if (r == 0)
        r = dls_files_hold(files, 0, &slot);
    if (r != 0)
        goto fail;
    dls_files_release(files, slot);
    *ret_files = files;
    return 0;

fail:
    dls_files_free(&files);
    return r;
}

void dls_files_attach(struct dls_files *files, const struct dls_io_ops *ops, struct dls_io *io)
{
    files->ops = ops;
    files->io = io;
    for (uint32_t i = 0; i < files->config.slots; i++)
        if (files->slots[i].fd >= 0)
            register_slot(files, i);
}

void dls_files_free(struct dls_files **files_at)
{
    struct dls_files *files = *files_at;

    if (files == NULL)
        return;
    for (uint32_t i = 0; files->slots != NULL && i < files->config.slots; i++)
        if (files->slots[i].fd >= 0)
            close(files->slots[i].fd);
    dls_free(files->slot_of);
    dls_free(files->buffered);
    dls_free(files->slots);
    dls_free(files);
    *files_at = NULL;
}
