/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cgroup.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <string.h>

Test(cgroup, version_2_texts)
{
    cr_assert_eq(dls_cgroup_parse_max("max 100000\n"), 0);
    cr_assert_eq(dls_cgroup_parse_max("100000 100000\n"), 1);
    cr_assert_eq(dls_cgroup_parse_max("150000 100000\n"), 2);
    cr_assert_eq(dls_cgroup_parse_max("200000 100000\n"), 2);
    cr_assert_eq(dls_cgroup_parse_max("200001 100000"), 3);
    cr_assert_eq(dls_cgroup_parse_max("1000 100000"), 1);
    cr_assert_eq(dls_cgroup_parse_max("25000 50000"), 1);
}

Test(cgroup, version_1_texts)
{
    cr_assert_eq(dls_cgroup_parse_cfs("-1\n", "100000\n"), 0);
    cr_assert_eq(dls_cgroup_parse_cfs("350000\n", "100000\n"), 4);
    cr_assert_eq(dls_cgroup_parse_cfs("50000\n", "100000\n"), 1);
}

Test(cgroup, nonsense_is_no_limit)
{
    static const char *const texts[] = {
        "", "\n", "max", "100000", "100000 ", "100000 0", "0 100000", "-5 100000", "100000 -5", "x 100000", "100000 x",
        "99999999999999999999 100000",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        cr_assert_eq(dls_cgroup_parse_max(texts[i]), 0, "'%s'", texts[i]);
    cr_assert_eq(dls_cgroup_parse_cfs("", ""), 0);
    cr_assert_eq(dls_cgroup_parse_cfs("100000", "0"), 0);
    cr_assert_eq(dls_cgroup_parse_max("9223372036854775807 1"), 2147483647);
}

static void put(const char *root, const char *name, const char *text)
{
    support_write_file(support_path(root, name), text, strlen(text));
}

static unsigned cpus(const char *root)
{
    return dls_cgroup_cpus(support_path(root, "self"), support_path(root, "sys"));
}

Test(cgroup, the_least_quota_on_the_way_up_counts)
{
    const char *root = support_temp_dir();

    put(root, "self", "0::/machine/box/task\n");
    put(root, "sys/machine/box/task/cpu.max", "800000 100000\n");
    cr_assert_eq(cpus(root), 8);
    put(root, "sys/machine/box/cpu.max", "max 100000\n");
    cr_assert_eq(cpus(root), 8);
    put(root, "sys/machine/cpu.max", "300000 100000\n");
    cr_assert_eq(cpus(root), 3);
    put(root, "sys/other/cpu.max", "100000 100000\n");
    cr_assert_eq(cpus(root), 3);
}

/* A container sees its own group at the mount, whatever its name is outside. */
Test(cgroup, a_group_that_is_not_visible_is_looked_for_at_the_mount)
{
    const char *root = support_temp_dir();

    put(root, "self", "0::/system.slice/docker-abc.scope\n");
    put(root, "sys/cpu.max", "200000 100000\n");
    cr_assert_eq(cpus(root), 2);
}

Test(cgroup, version_1_by_controller)
{
    const char *root = support_temp_dir();

    put(root, "self", "12:memory:/m\n4:cpu,cpuacct:/docker/abc\n3:cpuset:/docker/abc\n");
    put(root, "sys/memory/m/cpu.max", "100000 100000\n");
    put(root, "sys/cpuset/docker/abc/cpu.cfs_quota_us", "100000\n");
    put(root, "sys/cpuset/docker/abc/cpu.cfs_period_us", "100000\n");
    cr_assert_eq(cpus(root), 0, "memory and cpuset have no CPU quota");
    put(root, "sys/cpu,cpuacct/cpu.cfs_quota_us", "550000\n");
    cr_assert_eq(cpus(root), 0, "a quota without a period");
    put(root, "sys/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    cr_assert_eq(cpus(root), 6);
    put(root, "sys/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
    put(root, "sys/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
    cr_assert_eq(cpus(root), 6);
}

static unsigned long long memory(const char *root)
{
    return dls_cgroup_memory(support_path(root, "self"), support_path(root, "sys"));
}

Test(cgroup, memory_of_version_2_is_the_least_up_to_the_root)
{
    const char *root = support_temp_dir();

    put(root, "self", "0::/a/b\n");
    put(root, "sys/a/b/memory.max", "max\n");
    cr_assert_eq(memory(root), 0);
    put(root, "sys/a/memory.max", "2147483648\n");
    cr_assert_eq(memory(root), 2147483648u);
    put(root, "sys/a/b/memory.high", "1073741824\n");
    cr_assert_eq(memory(root), 1073741824u);
    put(root, "sys/memory.max", "536870912\n");
    cr_assert_eq(memory(root), 536870912u);
    cr_assert_eq(cpus(root), 0);
}

Test(cgroup, memory_of_version_1)
{
    const char *root = support_temp_dir();

    put(root, "self", "12:memory:/m\n4:cpu,cpuacct:/m\n");
    put(root, "sys/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
    cr_assert_eq(memory(root), 0, "that is how it says that there is no limit");
    put(root, "sys/memory/memory.limit_in_bytes", "1000000000\n");
    cr_assert_eq(memory(root), 1000000000u);
}

Test(cgroup, no_files_no_limit)
{
    const char *root = support_temp_dir();

    cr_assert_eq(cpus(root), 0);
    put(root, "self", "garbage\n::\n0:\n0::/x\n:::\n0::");
    cr_assert_eq(cpus(root), 0);
}
