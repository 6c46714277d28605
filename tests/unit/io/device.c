/* SPDX-License-Identifier: Apache-2.0 */
#include "io/device.h"

#include "base/err.h"
#include "support/pattern.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A made-up /sys under the test's directory. */

static const char *sys(const char *name)
{
    char path[PATH_MAX + 8];

    snprintf(path, sizeof(path), "sys/%s", name);
    return support_path(pattern_dir(), path);
}

static void put(const char *name, const char *text)
{
    support_write_file(sys(name), text, strlen(text));
}

static void put_in(const char *directory, const char *name, const char *text)
{
    put(support_path(directory, name), text);
}

static void make_dir(const char *directory)
{
    put_in(directory, ".made", "");
}

/* sys/`from` becomes a link to sys/`to`. */
static void link_to(const char *from, const char *to)
{
    char above[PATH_MAX];

    snprintf(above, sizeof(above), "%s", from);
    *strrchr(above, '/') = '\0';
    make_dir(above);
    cr_assert(symlink(sys(to), sys(from)) == 0);
}

static void put_queue(const char *disk, int rotational, const char *scheduler, const char *sectors)
{
    put_in(disk, "queue/rotational", rotational ? "1\n" : "0\n");
    put_in(disk, "queue/scheduler", scheduler);
    put_in(disk, "queue/nr_requests", "64\n");
    put_in(disk, "queue/read_ahead_kb", "128\n");
    put_in(disk, "queue/max_sectors_kb", "1280\n");
    put_in(disk, "queue/logical_block_size", "512\n");
    put_in(disk, "size", sectors);
}

static const struct dls_device_roots *roots(void)
{
    static struct dls_device_roots made;

    made.sys = sys("");
    made.mounts = "/no/such/table";
    return &made;
}

static void expect_text(unsigned major, unsigned minor, const char *expected, struct dls_device *ret_device)
{
    char text[400];

    cr_assert(dls_device_get_number(major, minor, roots(), ret_device) == 0, "%s", dls_err_text());
    cr_expect(dls_device_describe(ret_device, text, sizeof(text)) == (int)strlen(text));
    cr_expect_str_eq(text, expected);
}

static void put_hdd(void)
{
    const char *disk = "devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda";

    put_queue(disk, 1, "none [mq-deadline] bfq\n", "7814037168\n");
    put_in("devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0", "model", "WDC WD40EFRX-68N\n");
    put_in("devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0", "vendor", "ATA     \n");
    put_in("devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0", "queue_depth", "32\n");
    make_dir("bus/scsi/drivers/sd");
    link_to("devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/driver", "bus/scsi/drivers/sd");
    link_to("devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda/device",
            "devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0");
    put_in(disk, "sda1/partition", "1\n");
    link_to("dev/block/8:0", "devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda");
    link_to("dev/block/8:1", "devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda1");
}

Test(device, hard_disk_and_its_partition)
{
    static const char expected[] =
        "sda: WDC WD40EFRX-68N, hard disk, 4.0 TB, scheduler mq-deadline, queue 64, device "
        "queue 32, read-ahead 128 KiB";
    struct dls_device device;

    put_hdd();
    expect_text(8, 0, expected, &device);
    expect_text(8, 1, expected, &device);
    cr_expect(device.kind == DLS_DEVICE_HDD);
    cr_expect(device.rotational == 1);
    cr_expect(device.bytes == 7814037168ull * 512);
    cr_expect(device.nr_requests == 64 && device.queue_depth == 32);
    cr_expect(device.max_read_kib == 1280 && device.logical_block_bytes == 512);
    cr_expect_str_eq(device.driver, "sd");
    cr_expect_str_eq(device.under, "");
}

Test(device, ssd)
{
    struct dls_device device;

    put_queue("devices/host/block/sdb", 0, "[none] mq-deadline\n", "1000215216\n");
    put_in("devices/host/block/sdb", "device/model", "Samsung SSD 870 \n");
    link_to("dev/block/8:16", "devices/host/block/sdb");
    expect_text(8, 16, "sdb: Samsung SSD 870, SSD, 512 GB, scheduler none, queue 64, read-ahead 128 KiB",
                &device);
    cr_expect(device.kind == DLS_DEVICE_SSD);
}

Test(device, nvme)
{
    struct dls_device device;

    put_queue("devices/nvme/nvme0/nvme0n1", 0, "[none]\n", "3907029168\n");
    put_in("devices/nvme/nvme0", "model", "Some NVMe 2TB\n");
    link_to("devices/nvme/nvme0/nvme0n1/device", "devices/nvme/nvme0");
    put_in("devices/nvme/nvme0/nvme0n1/nvme0n1p3", "partition", "3\n");
    link_to("dev/block/259:3", "devices/nvme/nvme0/nvme0n1/nvme0n1p3");
    expect_text(259, 3, "nvme0n1: Some NVMe 2TB, NVMe, 2.0 TB, scheduler none, queue 64, read-ahead 128 KiB",
                &device);
    cr_expect(device.kind == DLS_DEVICE_NVME);
}

/* virtio disks say that they rotate unless told otherwise. */
Test(device, virtual_disk)
{
    struct dls_device device;

    put_queue("devices/virtio1/block/vda", 1, "[none]\n", "2097152\n");
    make_dir("bus/virtio/drivers/virtio_blk");
    link_to("devices/virtio1/driver", "bus/virtio/drivers/virtio_blk");
    link_to("devices/virtio1/block/vda/device", "devices/virtio1");
    link_to("dev/block/254:0", "devices/virtio1/block/vda");
    expect_text(254, 0,
                "vda: virtio_blk, virtual disk (says it rotates), 1073 MB, scheduler none, queue 64, "
                "read-ahead 128 KiB",
                &device);
    cr_expect(device.kind == DLS_DEVICE_VIRTUAL);

    put_queue("devices/host/block/sdc", 0, "[none]\n", "2097152\n");
    put_in("devices/host/block/sdc", "device/model", "QEMU HARDDISK\n");
    link_to("dev/block/8:32", "devices/host/block/sdc");
    expect_text(8, 32,
                "sdc: QEMU HARDDISK, virtual disk, 1073 MB, scheduler none, queue 64, read-ahead 128 KiB",
                &device);
    cr_expect(device.kind == DLS_DEVICE_VIRTUAL);
}

/* LVM on dm-crypt on a partition of a hard disk: its nature is the disk's. */
Test(device, stack_on_a_hard_disk)
{
    struct dls_device device;

    put_hdd();
    put_queue("devices/virtual/block/dm-0", 1, "none\n", "2000000\n");
    put_in("devices/virtual/block/dm-0", "dm/uuid", "CRYPT-LUKS2-0123\n");
    link_to("devices/virtual/block/dm-0/slaves/sda1",
            "devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda1");
    put_queue("devices/virtual/block/dm-1", 1, "none\n", "2000000\n");
    put_in("devices/virtual/block/dm-1", "dm/uuid", "LVM-abcdef\n");
    link_to("devices/virtual/block/dm-1/slaves/dm-0", "devices/virtual/block/dm-0");
    link_to("dev/block/253:1", "devices/virtual/block/dm-1");
    expect_text(
        253, 1,
        "dm-1 (LVM, sda): WDC WD40EFRX-68N, hard disk, 1024 MB, scheduler none, queue 64, device queue "
        "32, read-ahead 128 KiB",
        &device);
    cr_expect(device.kind == DLS_DEVICE_HDD);
    cr_expect_str_eq(device.name, "dm-1");
    cr_expect_str_eq(device.under, "sda");
    cr_expect(device.members == 1);
}

Test(device, array_of_disks)
{
    struct dls_device device;

    put_queue("devices/virtual/block/md0", 0, "none\n", "4000000000\n");
    put_in("devices/virtual/block/md0", "md/level", "raid0\n");
    for (char disk = 'd'; disk <= 'f'; disk++) {
        char name[64], from[100];
        snprintf(name, sizeof(name), "devices/host/block/sd%c", disk);
        put_queue(name, 0, "[none]\n", "2000000000\n");
        put_in(name, "device/model", "Disk\n");
        snprintf(from, sizeof(from), "devices/virtual/block/md0/slaves/sd%c", disk);
        link_to(from, name);
    }
    link_to("dev/block/9:0", "devices/virtual/block/md0");
    expect_text(
        9, 0,
        "md0 (md raid0, sdd and 2 more): Disk, SSD, 2.0 TB, scheduler none, queue 64, read-ahead 128 KiB",
        &device);
    cr_expect(device.members == 3);
}

Test(device, ring_of_devices_ends)
{
    struct dls_device device;

    put_queue("devices/virtual/block/dm-8", 0, "none\n", "8\n");
    put_queue("devices/virtual/block/dm-9", 0, "none\n", "8\n");
    link_to("devices/virtual/block/dm-8/slaves/dm-9", "devices/virtual/block/dm-9");
    link_to("devices/virtual/block/dm-9/slaves/dm-8", "devices/virtual/block/dm-8");
    link_to("dev/block/253:8", "devices/virtual/block/dm-8");
    cr_expect(dls_device_get_number(253, 8, roots(), &device) == 0);

    /* A loop device whose file lies on itself. */
    struct stat status;
    char link[64];
    cr_assert(stat(pattern_dir(), &status) == 0);
    put_queue("devices/virtual/block/loop3", 0, "[none]\n", "2000000\n");
    put_in("devices/virtual/block/loop3", "loop/backing_file", pattern_dir());
    snprintf(link, sizeof(link), "dev/block/%u:%u", major(status.st_dev), minor(status.st_dev));
    link_to(link, "devices/virtual/block/loop3");
    cr_expect(dls_device_get(pattern_dir(), roots(), &device) == 0);
    cr_expect_str_eq(device.name, "loop3");
}

Test(device, loop_is_what_its_file_lies_on)
{
    struct dls_device device;
    char text[400];

    if (access("/dev/shm", W_OK) != 0)
        cr_skip_test("no /dev/shm");
    put_queue("devices/virtual/block/loop0", 1, "[none]\n", "2097152\n");
    put_in("devices/virtual/block/loop0", "loop/backing_file", "/dev/shm\n");
    link_to("dev/block/7:0", "devices/virtual/block/loop0");
    cr_assert(dls_device_get_number(7, 0, roots(), &device) == 0);
    cr_expect(device.kind == DLS_DEVICE_MEMORY);
    dls_device_describe(&device, text, sizeof(text));
    cr_expect_str_eq(text,
                     "loop0 (loop on tmpfs): memory, 1073 MB, scheduler none, queue 64, read-ahead 128 KiB");
}

Test(device, found_by_the_name_of_what_was_mounted)
{
    struct dls_device device;
    struct dls_device_roots made = *roots();
    char text[2000];

    put_hdd();
    link_to("class/block/sda1", "devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda1");
    snprintf(text, sizeof(text), "22 20 9999:2 / %s rw - btrfs /dev/nowhere/sda1 rw\n", pattern_dir());
    made.mounts = support_path(pattern_dir(), "mounts");
    support_write_file(made.mounts, text, strlen(text));
    cr_assert(dls_device_get(pattern_dir(), &made, &device) == 0);
    cr_expect_str_eq(device.name, "sda");
    dls_device_describe(&device, text, sizeof(text));
    cr_expect(strncmp(text, "btrfs on sda: WDC WD40EFRX-68N, hard disk, 4.0 TB", 49) == 0, "%s", text);
}

Test(device, odd_contents_stay_harmless)
{
    struct dls_device device;
    char text[400], small[8];

    put_queue("devices/host/block/sdx", 0, "[unfinished\n", "-1\n");
    put("devices/host/block/sdx/device/model", "  evil\x1b[2J\x07 name   ");
    put("devices/host/block/sdx/queue/nr_requests", "");
    put("devices/host/block/sdx/queue/rotational", "\n");
    link_to("dev/block/8:200", "devices/host/block/sdx");
    cr_assert(dls_device_get_number(8, 200, roots(), &device) == 0);
    cr_expect_str_eq(device.model, "evil?[2J? name");
    cr_expect(device.rotational == -1 && device.kind == DLS_DEVICE_UNKNOWN);
    cr_expect(device.nr_requests == 0);
    int length = dls_device_describe(&device, text, sizeof(text));
    cr_expect(length == (int)strlen(text));
    cr_expect(dls_device_describe(&device, small, sizeof(small)) == length);
    cr_expect(strlen(small) == 7 && strncmp(small, text, 7) == 0);
    cr_expect(dls_device_describe(&device, NULL, 0) == length);
}

Test(device, tells_that_there_is_none)
{
    struct dls_device device;

    make_dir("dev/block");
    cr_expect(dls_device_get_number(8, 0, roots(), &device) == -ENODEV);
    cr_expect_str_eq(dls_err_text(), "block device 8:0: the kernel knows no such device");
    cr_expect(dls_device_get("/no/such/place", roots(), &device) == -ENOENT);
}

Test(device, real_places_have_a_description)
{
    struct dls_device device;
    char text[400];

    cr_assert(dls_device_get("/proc", NULL, &device) == 0);
    dls_device_describe(&device, text, sizeof(text));
    cr_expect_str_eq(text, "proc: memory");
    if (dls_device_get("/dev/shm", NULL, &device) == 0) {
        dls_device_describe(&device, text, sizeof(text));
        cr_expect_str_eq(text, "tmpfs: memory");
    }
}
