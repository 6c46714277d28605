/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of the machine's memory is near a device. */
#ifndef DLS_DEVICE_NUMA_H
#define DLS_DEVICE_NUMA_H

#include <stddef.h>

/* The NUMA node that the PCI device ("0000:3b:00.0", letters of either case) is attached to; -1 if the kernel does not
 * say so, or the machine has but one. sysfs: "/sys", except in tests. */
int dls_numa_of_pci(const char *sysfs, const char *bus_id);
/* Asks that pages of this memory, which nobody has touched yet, come from `node` while it has any. 0, or a negative
 * errno without text: it is a wish. */
int dls_numa_prefer(void *memory, size_t bytes, int node);

#endif
