/* SPDX-License-Identifier: Apache-2.0 */
#include "device/numa.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>


static int node_of(const char *text, const char *bus_id)
{
    char root[] = "/tmp/dls-numa-XXXXXX", path[256], command[300];
    FILE *file;

    cr_assert_not_null(mkdtemp(root));
    snprintf(command, sizeof(command), "mkdir -p %s/bus/pci/devices/0000:3b:00.0", root);
    cr_assert_eq(system(command), 0);
    snprintf(path, sizeof(path), "%s/bus/pci/devices/0000:3b:00.0/numa_node", root);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    int node = dls_numa_of_pci(root, bus_id);
    snprintf(command, sizeof(command), "rm -r %s", root);
    cr_assert_eq(system(command), 0);
    return node;
}

Test(numa, the_node_is_what_sysfs_says_in_either_case)
{
    cr_assert_eq(node_of("1\n", "0000:3b:00.0"), 1);
    cr_assert_eq(node_of("0\n", "0000:3B:00.0"), 0);
}

Test(numa, where_nothing_is_known_it_is_no_node)
{
    cr_assert_eq(node_of("-1\n", "0000:3b:00.0"), -1);
    cr_assert_eq(node_of("", "0000:3b:00.0"), -1);
    cr_assert_eq(node_of("4096\n", "0000:3b:00.0"), -1);
    cr_assert_eq(node_of("1\n", "0000:3c:00.0"), -1);
    cr_assert_eq(node_of("1\n", "../devices/0000:3b:00.0"), -1);
    cr_assert_eq(dls_numa_of_pci("/nowhere", ""), -1);
}

Test(numa, a_wish_for_a_node_that_is_there_is_taken_or_forbidden_and_others_are_refused)
{
    void *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    int r = dls_numa_prefer(memory, 8192, 0);

    /* Containers' filters and kernels without NUMA say no. */
    cr_assert(r == 0 || r == -EPERM || r == -ENOSYS, "%d", r);
    memset(memory, 1, 8192);
    cr_assert_eq(dls_numa_prefer(memory, 8192, -1), -EINVAL);
    cr_assert_eq(dls_numa_prefer(memory, 8192, 1024), -EINVAL);
    cr_assert_lt(dls_numa_prefer(memory, 8192, 1023), 0);
    munmap(memory, 8192);
}
