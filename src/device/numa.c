/* SPDX-License-Identifier: Apache-2.0 */
#include "device/numa.h"

#include <ctype.h>
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BUS_ID_MOST 31

int dls_numa_of_pci(const char *sysfs, const char *bus_id)
{
    char name[BUS_ID_MOST + 1], path[256];
    int node = -1;
    FILE *file;
    size_t i = 0;

    for (; bus_id[i] != '\0' && i < BUS_ID_MOST; i++)
        name[i] = (char)tolower((unsigned char)bus_id[i]); /* as sysfs writes it */
    name[i] = '\0';
    if (strchr(name, '/') != NULL ||
        snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/numa_node", sysfs, name) >= (int)sizeof(path))
        return -1;
    file = fopen(path, "re");
    if (file == NULL)
        return -1;
    if (fscanf(file, "%d", &node) != 1 || node < 0 || node > 1023)
        node = -1;
    fclose(file);
    return node;
}

int dls_numa_prefer(void *memory, size_t bytes, int node)
{
    unsigned long mask[1024 / (8 * sizeof(unsigned long))] = {0};
    const unsigned bits = 8 * sizeof(unsigned long);

    if (node < 0 || node > 1023)
        return -EINVAL;
    mask[(unsigned)node / bits] = 1ul << ((unsigned)node % bits);
    /* The kernel reads one bit fewer than it is told. */
    return syscall(SYS_mbind, memory, bytes, MPOL_PREFERRED, mask, sizeof(mask) * 8 + 1, 0) == 0 ? 0 : -errno;
}
