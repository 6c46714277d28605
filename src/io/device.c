/* SPDX-License-Identifier: Apache-2.0 */
#include "io/device.h"

#include "base/err.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DEPTH_MAX 8 /* of stacked devices */

/* Reads the first line of directory/name, without blanks at its ends; "" if there is none. */
static bool read_line(const char *directory, const char *name, char *ret_line, size_t size)
{
    char path[PATH_MAX];
    size_t from = 0, length;
    ssize_t n = -1;
    int fd;

    ret_line[0] = '\0';
    if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, ret_line, size - 1);
        close(fd);
    }
    ret_line[n < 0 ? 0 : n] = '\0';
    length = strcspn(ret_line, "\n");
    while (length > 0 && ret_line[length - 1] == ' ')
        length--;
    ret_line[length] = '\0';
    while (ret_line[from] == ' ')
        from++;
    memmove(ret_line, ret_line + from, length - from + 1);
    for (char *c = ret_line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return ret_line[0] != '\0';
}

static uint64_t read_number(const char *directory, const char *name)
{
    char line[32];

    return read_line(directory, name, line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Follows directory/name; "" if it is not there. */
static bool resolve(const char *directory, const char *name, char ret_real[PATH_MAX])
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", directory, name) < (int)sizeof(path) &&
        realpath(path, ret_real) != NULL)
        return true;
    ret_real[0] = '\0';
    return false;
}

static bool has(const char *directory, const char *name)
{
    char real[PATH_MAX];

    return resolve(directory, name, real);
}

/* From a partition's directory to its disk's. */
static void to_disk(char directory[PATH_MAX])
{
    if (has(directory, "partition"))
        *strrchr(directory, '/') = '\0';
}

/* The first of the devices a stacked one is made of, and how many there are. */
static uint32_t members(const char *directory, char ret_first[PATH_MAX])
{
    char path[PATH_MAX], best[256] = "";
    struct dirent *entry;
    uint32_t count = 0;
    DIR *slaves;

    if (!resolve(directory, "slaves", path))
        return 0;
    slaves = opendir(path);
    while (slaves != NULL && (entry = readdir(slaves)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        if (best[0] == '\0' || strcmp(entry->d_name, best) < 0)
            snprintf(best, sizeof(best), "%s", entry->d_name);
    }
    if (slaves != NULL)
        closedir(slaves);
    if (count > 0 && !resolve(path, best, ret_first))
        return 0;
    if (count > 0)
        to_disk(ret_first);
    return count;
}

static void name_stack(const char *directory, struct dls_device *device)
{
    char text[64];

    if (has(directory, "dm")) {
        read_line(directory, "dm/uuid", text, sizeof(text));
        snprintf(device->stack, sizeof(device->stack), "%s",
                 strncmp(text, "LVM-", 4) == 0     ? "LVM"
                 : strncmp(text, "CRYPT-", 6) == 0 ? "dm-crypt"
                 : strncmp(text, "mpath-", 6) == 0 ? "dm-multipath"
                                                   : "device mapper");
    } else if (has(directory, "md")) {
        read_line(directory, "md/level", text, sizeof(text));
        snprintf(device->stack, sizeof(device->stack), "md %.30s", text);
    }
}

static void read_queue(const char *directory, struct dls_device *device)
{
    char text[128], *open, *close;

    device->bytes = read_number(directory, "size") * 512;
    if (read_line(directory, "queue/rotational", text, sizeof(text)))
        device->rotational = text[0] == '1';
    if (read_line(directory, "queue/scheduler", text, sizeof(text))) {
        open = strchr(text, '[');
        close = open != NULL ? strchr(open, ']') : NULL;
        if (close != NULL)
            *close = '\0';
        snprintf(device->scheduler, sizeof(device->scheduler), "%.31s", close != NULL ? open + 1 : text);
    }
    device->nr_requests = (uint32_t)read_number(directory, "queue/nr_requests");
    device->read_ahead_kib = (uint32_t)read_number(directory, "queue/read_ahead_kb");
    device->max_read_kib = (uint32_t)read_number(directory, "queue/max_sectors_kb");
    device->logical_block_bytes = (uint32_t)read_number(directory, "queue/logical_block_size");
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_virtual(const struct dls_device *device, const char *vendor)
{
    static const char *const makers[] = {"QEMU",   "VBOX",  "VMware", "Msft",
                                         "Google", "BHYVE", "Xen",    "Virtual"};

    if (starts(device->driver, "virtio") || starts(device->driver, "vbd"))
        return true;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        if (starts(vendor, makers[i]) || starts(device->model, makers[i]))
            return true;
    return false;
}

/* What a disk at the bottom is. */
static void read_hardware(const char *directory, struct dls_device *device)
{
    const char *name = base_name(directory);
    char vendor[64], real[PATH_MAX];

    read_line(directory, "device/model", device->model, sizeof(device->model));
    read_line(directory, "device/vendor", vendor, sizeof(vendor));
    device->queue_depth = (uint32_t)read_number(directory, "device/queue_depth");
    if (resolve(directory, "device/driver", real) || resolve(directory, "device/device/driver", real))
        snprintf(device->driver, sizeof(device->driver), "%.31s", base_name(real));

    if (starts(name, "zram") || starts(name, "ram"))
        device->kind = DLS_DEVICE_MEMORY;
    else if (starts(name, "nvme"))
        device->kind = DLS_DEVICE_NVME;
    else if (starts(name, "nbd") || starts(name, "rbd") || starts(name, "drbd"))
        device->kind = DLS_DEVICE_NETWORK;
    else if (is_virtual(device, vendor))
        device->kind = DLS_DEVICE_VIRTUAL;
    else if (device->rotational >= 0)
        device->kind = device->rotational ? DLS_DEVICE_HDD : DLS_DEVICE_SSD;
}

static int get(const char *path, const struct dls_device_roots *roots, unsigned depth,
               struct dls_device *ret_device);

/* A loop device is as fast as what its file lies on. */
static void follow_loop(const char *directory, const struct dls_device_roots *roots,
                        struct dls_device *device, unsigned depth)
{
    char path[PATH_MAX];
    struct dls_device below;

    snprintf(device->stack, sizeof(device->stack), "loop");
    if (depth >= DEPTH_MAX || !read_line(directory, "loop/backing_file", path, sizeof(path)) ||
        get(path, roots, depth + 1, &below) != 0)
        return;
    snprintf(device->stack, sizeof(device->stack), "loop on %.31s", below.filesystem.name);
    snprintf(device->under, sizeof(device->under), "%.63s",
             below.under[0] != '\0' ? below.under : below.name);
    snprintf(device->model, sizeof(device->model), "%.79s", below.model);
    snprintf(device->driver, sizeof(device->driver), "%.31s", below.driver);
    device->kind = below.kind;
    device->queue_depth = below.queue_depth;
    if (below.rotational >= 0)
        device->rotational = below.rotational;
}

static void read_block(char directory[PATH_MAX], const struct dls_device_roots *roots, unsigned depth,
                       struct dls_device *device)
{
    char under[PATH_MAX], below[PATH_MAX];

    to_disk(directory);
    snprintf(device->name, sizeof(device->name), "%.63s", base_name(directory));
    read_queue(directory, device);
    name_stack(directory, device);
    if (has(directory, "loop")) {
        follow_loop(directory, roots, device, depth);
        return;
    }
    snprintf(under, sizeof(under), "%s", directory);
    device->members = members(directory, below);
    for (uint32_t count = device->members; count > 0 && depth < DEPTH_MAX; depth++) {
        snprintf(under, sizeof(under), "%s", below);
        count = members(under, below);
    }
    if (device->members > 0)
        snprintf(device->under, sizeof(device->under), "%.63s", base_name(under));
    read_hardware(under, device);
}

/* Where sysfs has the device, by number, or by the name of what was mounted. */
static bool find_block(const struct dls_device *device, const char *sys, char ret_directory[PATH_MAX])
{
    char name[600], real[PATH_MAX];

    snprintf(name, sizeof(name), "dev/block/%u:%u", major((dev_t)device->filesystem.device),
             minor((dev_t)device->filesystem.device));
    if (resolve(sys, name, ret_directory))
        return true;
    if (device->filesystem.source[0] != '/')
        return false;
    if (realpath(device->filesystem.source, real) == NULL)
        snprintf(real, sizeof(real), "%s", device->filesystem.source);
    snprintf(name, sizeof(name), "class/block/%.255s", base_name(real));
    return base_name(real)[0] != '\0' && resolve(sys, name, ret_directory);
}

static int get(const char *path, const struct dls_device_roots *roots, unsigned depth,
               struct dls_device *ret_device)
{
    struct dls_device device = {.rotational = -1};
    char directory[PATH_MAX];
    const char *sys = roots != NULL && roots->sys != NULL ? roots->sys : "/sys";
    int r = dls_filesystem_get(path, roots != NULL ? roots->mounts : NULL, &device.filesystem);

    if (r != 0)
        return r;
    if (find_block(&device, sys, directory))
        read_block(directory, roots, depth, &device);
    else if (device.filesystem.kind == DLS_FILESYSTEM_MEMORY)
        device.kind = DLS_DEVICE_MEMORY;
    else if (device.filesystem.kind == DLS_FILESYSTEM_NETWORK)
        device.kind = DLS_DEVICE_NETWORK;
    else if (device.filesystem.kind == DLS_FILESYSTEM_USER)
        device.kind = DLS_DEVICE_USER;
    *ret_device = device;
    return 0;
}

int dls_device_get(const char *path, const struct dls_device_roots *roots, struct dls_device *ret_device)
{
    return get(path, roots, 0, ret_device);
}

int dls_device_get_number(unsigned major, unsigned minor, const struct dls_device_roots *roots,
                          struct dls_device *ret_device)
{
    struct dls_device device = {.rotational = -1};
    char directory[PATH_MAX];
    const char *sys = roots != NULL && roots->sys != NULL ? roots->sys : "/sys";

    device.filesystem.device = makedev(major, minor);
    if (!find_block(&device, sys, directory))
        return dls_err(ENODEV, "block device %u:%u: the kernel knows no such device", major, minor);
    read_block(directory, roots, 0, &device);
    *ret_device = device;
    return 0;
}

/* Text */

struct text {
    char *at;
    size_t size, length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    size_t used = text->length < text->size ? text->length : text->size;
    va_list args;

    va_start(args, format);
    int n = vsnprintf(text->at + used, text->size - used, format, args);
    va_end(args);
    if (n > 0)
        text->length += (size_t)n;
}

static void add_bytes(struct text *text, uint64_t bytes)
{
    if (bytes >= 1000000000000u)
        add(text, ", %.1f TB", (double)bytes / 1e12);
    else if (bytes >= 10000000000u)
        add(text, ", %" PRIu64 " GB", bytes / 1000000000);
    else if (bytes > 0)
        add(text, ", %" PRIu64 " MB", bytes / 1000000);
}

static const char *kind_text(const struct dls_device *device)
{
    switch (device->kind) {
    case DLS_DEVICE_MEMORY:
        return "memory";
    case DLS_DEVICE_NETWORK:
        return "network";
    case DLS_DEVICE_USER:
        return "a program in user space";
    case DLS_DEVICE_HDD:
        return "hard disk";
    case DLS_DEVICE_SSD:
        return "SSD";
    case DLS_DEVICE_NVME:
        return "NVMe";
    case DLS_DEVICE_VIRTUAL:
        return device->rotational > 0 ? "virtual disk (says it rotates)" : "virtual disk";
    default:
        return "unknown device";
    }
}

int dls_device_describe(const struct dls_device *device, char *ret_text, size_t size)
{
    struct text text = {ret_text, size, 0};

    if (device->filesystem.name[0] != '\0')
        add(&text, "%s%s", device->filesystem.name, device->name[0] != '\0' ? " on " : ": ");
    if (device->name[0] == '\0') {
        add(&text, "%s", kind_text(device));
        return (int)text.length;
    }
    add(&text, "%s", device->name);
    if (device->stack[0] != '\0') {
        add(&text, " (%s", device->stack);
        if (device->under[0] != '\0')
            add(&text, ", %s", device->under);
        if (device->members > 1)
            add(&text, " and %" PRIu32 " more", device->members - 1);
        add(&text, ")");
    }
    add(&text, ": ");
    if (device->model[0] != '\0')
        add(&text, "%s, ", device->model);
    else if (device->driver[0] != '\0')
        add(&text, "%s, ", device->driver);
    add(&text, "%s", kind_text(device));
    add_bytes(&text, device->bytes);
    if (device->scheduler[0] != '\0')
        add(&text, ", scheduler %s", device->scheduler);
    if (device->nr_requests > 0)
        add(&text, ", queue %" PRIu32, device->nr_requests);
    if (device->queue_depth > 0)
        add(&text, ", device queue %" PRIu32, device->queue_depth);
    if (device->read_ahead_kib > 0)
        add(&text, ", read-ahead %" PRIu32 " KiB", device->read_ahead_kib);
    return (int)text.length;
}
