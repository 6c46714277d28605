/* SPDX-License-Identifier: Apache-2.0 */
#include "io/filesystem.h"

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* Magic numbers of statfs(2). */
static const struct {
    uint32_t magic;
    const char *name;
    enum dls_filesystem_kind kind;
} known[] = {
    {0xef53, "ext4", DLS_FILESYSTEM_DISK}, /* ext2 and ext3 have the same */
    {0x58465342, "xfs", DLS_FILESYSTEM_DISK},        {0x9123683e, "btrfs", DLS_FILESYSTEM_DISK},
    {0xf2f52010, "f2fs", DLS_FILESYSTEM_DISK},       {0x2fc12fc1, "zfs", DLS_FILESYSTEM_DISK},
    {0xca451a4e, "bcachefs", DLS_FILESYSTEM_DISK},   {0x4d44, "vfat", DLS_FILESYSTEM_DISK},
    {0x2011bab0, "exfat", DLS_FILESYSTEM_DISK},      {0x5346544e, "ntfs", DLS_FILESYSTEM_DISK},
    {0x7366746e, "ntfs3", DLS_FILESYSTEM_DISK},      {0x9660, "iso9660", DLS_FILESYSTEM_DISK},
    {0x73717368, "squashfs", DLS_FILESYSTEM_DISK},   {0xe0f5e1e2, "erofs", DLS_FILESYSTEM_DISK},
    {0x01161970, "gfs2", DLS_FILESYSTEM_DISK},       {0x9fa0, "proc", DLS_FILESYSTEM_MEMORY},
    {0x62656572, "sysfs", DLS_FILESYSTEM_MEMORY},    {0x01021994, "tmpfs", DLS_FILESYSTEM_MEMORY},
    {0x858458f6, "ramfs", DLS_FILESYSTEM_MEMORY},    {0x958458f6, "hugetlbfs", DLS_FILESYSTEM_MEMORY},
    {0x794c7630, "overlay", DLS_FILESYSTEM_OVERLAY}, {0x65735546, "fuse", DLS_FILESYSTEM_USER},
    {0x6969, "nfs", DLS_FILESYSTEM_NETWORK},         {0x517b, "smb", DLS_FILESYSTEM_NETWORK},
    {0xfe534d42, "smb2", DLS_FILESYSTEM_NETWORK},    {0xff534d42, "cifs", DLS_FILESYSTEM_NETWORK},
    {0x01021997, "9p", DLS_FILESYSTEM_NETWORK},      {0x00c36400, "ceph", DLS_FILESYSTEM_NETWORK},
    {0x0bd00bd0, "lustre", DLS_FILESYSTEM_NETWORK},  {0x47504653, "gpfs", DLS_FILESYSTEM_NETWORK},
    {0x19830326, "beegfs", DLS_FILESYSTEM_NETWORK},  {0x5346414f, "afs", DLS_FILESYSTEM_NETWORK},
};

static enum dls_filesystem_kind name_it(const struct statfs *facts, char *ret_name, size_t size)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if ((uint32_t)facts->f_type == known[i].magic) {
            snprintf(ret_name, size, "%s", known[i].name);
            return known[i].kind;
        }
    }
    snprintf(ret_name, size, "type 0x%x", (unsigned)facts->f_type);
    return DLS_FILESYSTEM_DISK;
}

void dls_filesystem_name(const char *path, char *ret_name, size_t size)
{
    struct statfs facts;

    if (statfs(path, &facts) == 0)
        name_it(&facts, ret_name, size);
    else
        snprintf(ret_name, size, "the file system");
}

/* Undoes the mount table's \040 and the like, in place. */
static void unescape(char *text)
{
    char *out = text;

    for (; *text != '\0'; text++) {
        if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' && text[2] <= '7' &&
            text[3] >= '0' && text[3] <= '7') {
            *out++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
            text += 3;
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
}

struct mount {
    unsigned major, minor;
    char *point, *type, *source;
};

/* "36 35 98:0 /root /point options [tags …] - type source options". */
static bool parse_mount(char *line, struct mount *ret_mount)
{
    char *rest = NULL, *field = strtok_r(line, " \n", &rest);

    for (int i = 0; i < 5; i++) {
        if (field == NULL)
            return false;
        if (i == 2 && sscanf(field, "%u:%u", &ret_mount->major, &ret_mount->minor) != 2)
            return false;
        if (i == 4)
            ret_mount->point = field;
        field = strtok_r(NULL, " \n", &rest);
    }
    while (field != NULL && strcmp(field, "-") != 0)
        field = strtok_r(NULL, " \n", &rest);
    ret_mount->type = strtok_r(NULL, " \n", &rest);
    ret_mount->source = strtok_r(NULL, " \n", &rest);
    if (field == NULL || ret_mount->type == NULL || ret_mount->source == NULL)
        return false;
    unescape(ret_mount->point);
    unescape(ret_mount->source);
    return true;
}

/* How many characters of `path` the mount point covers; 0 if it is not above it. */
static size_t covers(const char *point, const char *path)
{
    size_t length = strlen(point);

    if (length == 1 && point[0] == '/')
        return 1;
    return strncmp(point, path, length) == 0 && (path[length] == '/' || path[length] == '\0') ? length : 0;
}

/* Takes type and source from the mount table. The mount with the path's device number is the one; file
 * systems with a number of their own for every subvolume are found by the longest mount point above the path.
 */
static void look_up(struct dls_filesystem *filesystem, const char *path, const char *mounts)
{
    FILE *table = fopen(mounts, "re");
    char line[8192];
    size_t best = 0;
    bool number_found = false, cut = false;

    if (table == NULL)
        return;
    while (fgets(line, sizeof(line), table) != NULL) {
        bool start = !cut;
        struct mount mount = {0};
        cut = strchr(line, '\n') == NULL; /* the rest of a long line is not a mount */
        if (!start || !parse_mount(line, &mount))
            continue;
        bool number = makedev(mount.major, mount.minor) == filesystem->device;
        size_t length = covers(mount.point, path);
        if (number ? number_found && length < best : number_found || length == 0 || length < best)
            continue;
        number_found = number_found || number;
        best = length;
        snprintf(filesystem->name, sizeof(filesystem->name), "%s", mount.type);
        snprintf(filesystem->source, sizeof(filesystem->source), "%s", mount.source);
    }
    fclose(table);
}

int dls_filesystem_get(const char *path, const char *mounts, struct dls_filesystem *ret_filesystem)
{
    struct dls_filesystem filesystem = {0};
    char real[PATH_MAX];
    struct statfs facts;
    struct stat status;

    if (realpath(path, real) == NULL || stat(real, &status) != 0 || statfs(real, &facts) != 0)
        return dls_err_sys(errno, "file system of '%s'", path);
    filesystem.device = status.st_dev;
    filesystem.kind = name_it(&facts, filesystem.name, sizeof(filesystem.name));
    look_up(&filesystem, real, mounts != NULL ? mounts : "/proc/self/mountinfo");
    *ret_filesystem = filesystem;
    return 0;
}
