/* SPDX-License-Identifier: Apache-2.0 */
/* The file system under a path. */
#ifndef DLS_IO_FILESYSTEM_H
#define DLS_IO_FILESYSTEM_H

#include <stddef.h>
#include <stdint.h>

enum dls_filesystem_kind {
    DLS_FILESYSTEM_DISK,    /* on a block device, or unknown */
    DLS_FILESYSTEM_MEMORY,  /* tmpfs, ramfs */
    DLS_FILESYSTEM_NETWORK, /* another machine answers */
    DLS_FILESYSTEM_USER,    /* a program answers (FUSE) */
    DLS_FILESYSTEM_OVERLAY, /* other file systems one over the other */
};

struct dls_filesystem {
    char name[32];    /* "ext4", "fuse.sshfs"; "type 0x1234" when unknown */
    char source[256]; /* what was mounted, as the mount table has it; "" if unknown */
    enum dls_filesystem_kind kind;
    uint64_t device; /* st_dev of the path */
};

/* `mounts`: the mount table to look in, NULL for /proc/self/mountinfo. 0, or a negative errno with text when
 * there is no such path. */
int dls_filesystem_get(const char *path, const char *mounts, struct dls_filesystem *ret_filesystem);

/* Just the name, by the magic number: without a look into the mount table. */
void dls_filesystem_name(const char *path, char *ret_name, size_t size);

#endif
