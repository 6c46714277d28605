/* SPDX-License-Identifier: Apache-2.0 */
/* How much CPU time and memory a container may use: affinity and the machine do not show its limits. */
#ifndef DLS_BASE_CGROUP_H
#define DLS_BASE_CGROUP_H

/* CPUs' worth of time of a quota, rounded up; 0 = no limit or not to be understood.
 * Version 2: the text of cpu.max ("max 100000", "150000 100000"). */
unsigned dls_cgroup_parse_max(const char *cpu_max);
/* Version 1: the texts of cpu.cfs_quota_us ("-1" = none) and cpu.cfs_period_us. */
unsigned dls_cgroup_parse_cfs(const char *quota, const char *period);

/* The least quota of this process's group and those above it, 0 if there is none. `self` is normally
 * /proc/self/cgroup, `root` /sys/fs/cgroup. */
unsigned dls_cgroup_cpus(const char *self, const char *root);

/* Bytes of memory, likewise; 0 = no limit. Version 2: memory.max and memory.high; version 1: memory.limit_in_bytes. */
unsigned long long dls_cgroup_memory(const char *self, const char *root);

#endif
