/* SPDX-License-Identifier: Apache-2.0 */
/* What lies under a path: the file system, the block device under that, and what the kernel knows about it.
 * For the choice of a plan, and for the lines that go with every measurement. */
#ifndef DLS_IO_DEVICE_H
#define DLS_IO_DEVICE_H

#include "io/filesystem.h"

enum dls_device_kind {
    DLS_DEVICE_UNKNOWN, /* no block device is known under the file system */
    DLS_DEVICE_MEMORY,  /* tmpfs, zram, a RAM disk */
    DLS_DEVICE_NETWORK, /* a network file system */
    DLS_DEVICE_USER,    /* FUSE */
    DLS_DEVICE_HDD,     /* rotates */
    DLS_DEVICE_SSD,     /* does not */
    DLS_DEVICE_NVME,
    DLS_DEVICE_VIRTUAL, /* a hypervisor's disk: what it says of rotation says little */
};

struct dls_device {
    struct dls_filesystem filesystem;
    enum dls_device_kind kind;
    char name[64];        /* of the whole disk the file system is on: "sda", "dm-0"; "" if there is none */
    char under[64];       /* of the disk at the bottom of a stack (dm, md, loop); "" if it is `name` itself */
    uint32_t members;     /* disks directly under a dm or md device; 0 for others */
    char stack[40];       /* what such a stack is: "LVM", "dm-crypt", "md raid0", "loop on tmpfs"; else "" */
    char model[80];       /* "" if it has none */
    char driver[32];      /* "virtio_blk", "sd", "nvme"; "" if unknown */
    int rotational;       /* 1, 0; -1: unknown */
    char scheduler[32];   /* the one in use */
    uint32_t nr_requests; /* the kernel's queue; 0: unknown */
    uint32_t queue_depth; /* the device's own (SCSI, SATA); 0: unknown */
    uint32_t read_ahead_kib, max_read_kib, logical_block_bytes;
    uint64_t bytes; /* its size; 0: unknown */
};

/* Other places to look in, for tests. NULL members: the real ones. */
struct dls_device_roots {
    const char *sys;    /* /sys */
    const char *mounts; /* /proc/self/mountinfo */
};

/* `roots` may be NULL. Fails only where there is no such path; what cannot be found out stays empty or
 * unknown. */
int dls_device_get(const char *path, const struct dls_device_roots *roots, struct dls_device *ret_device);
/* The same for a block device by number, without a file system. -ENODEV with text if the kernel knows none.
 */
int dls_device_get_number(unsigned major, unsigned minor, const struct dls_device_roots *roots,
                          struct dls_device *ret_device);
/* One line without a path or serial number: "ext4 on sda: WDC WD40EFRX, hard disk, 4.0 TB, scheduler
 * mq-deadline, …". Writes at most `size` bytes with the NUL. Returns the length it needs, as snprintf() does.
 */
int dls_device_describe(const struct dls_device *device, char *ret_text, size_t size);

#endif
