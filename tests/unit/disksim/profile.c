/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "disksim/profile.h"

static char path[] = "/tmp/dls-profile-XXXXXX";

static int read_text(const char *text, struct sim_profile *profile)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int r = sim_profile_read(path, profile);
    unlink(path);
    strcpy(path + strlen(path) - 6, "XXXXXX");
    return r;
}

#define SSD "kind = ssd\ncapacity = 1T\ninterface = 550M\nrate = 5e8\niops = 98k\n"

Test(profile, units_and_comments)
{
    struct sim_profile profile;

    cr_assert_eq(
        read_text("# a disk\n\n" SSD "latency = 66us # fast\n  read_ahead=128Ki\t\r\nlate = 1.5ms", &profile),
        0);
    cr_assert_eq(profile.kind, SIM_SSD);
    cr_assert_eq(profile.capacity, 1e12);
    cr_assert_eq(profile.interface, 550e6);
    cr_assert_eq(profile.rate, 5e8);
    cr_assert_eq(profile.iops, 98000);
    cr_assert_float_eq(profile.latency, 66e-6, 1e-12);
    cr_assert_eq(profile.read_ahead, 131072);
    cr_assert_float_eq(profile.late, 1.5e-3, 1e-12);
}

Test(profile, mistakes_name_file_and_line)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {SSD "speed = 3\n", "line 6: there is no 'speed'"},
        {"kind = tape\n", "line 1: kind 'tape'"},
        {"\nrate 5\n", "line 2: 'rate 5': expected name = value"},
        {"rate = 5q\n", "line 1: rate '5q'"},
        {"rate = -5\n", "line 1: rate '-5'"},
        {"rate = nan\n", "line 1: rate 'nan'"},
        {"rate =\n", "line 1: rate ''"},
        {"kind = ssd\ncapacity = 1T\ninterface = 1M\nrate = 1M\n", "an ssd needs rate and iops"},
        {"kind = hdd\ncapacity = 1T\ninterface = 1M\n", "an hdd needs rpm"},
        {SSD "span = 2T\n", "span is larger"},
        {SSD "extent = 100\n", "extent"},
        {SSD "credit_ios = 5\nburst_iops = 1k\n", "credits need"},
    };
    struct sim_profile profile;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_assert_eq(read_text(bad[i].text, &profile), -EINVAL, "%s", bad[i].text);
        cr_assert_not_null(strstr(dls_err_text(), bad[i].part), "'%s' lacks '%s'", dls_err_text(),
                           bad[i].part);
    }
    cr_assert_eq(sim_profile_read("/no/such.profile", &profile), -ENOENT);
    cr_assert_eq(sim_profile_find("no-such-disk", &profile), -ENOENT);
}

Test(profile, changes_apply_together_or_not_at_all)
{
    struct sim_profile profile;

    cr_assert_eq(read_text(SSD, &profile), 0);
    cr_assert_eq(sim_profile_change(&profile, "span=150G,iops=1k"), 0);
    cr_assert_eq(profile.span, 150e9);
    cr_assert_eq(profile.iops, 1000);
    cr_assert_eq(sim_profile_change(&profile, "iops=2k,span=2T"), -EINVAL);
    cr_assert_eq(profile.iops, 1000);
    cr_assert_eq(sim_profile_change(&profile, ""), 0);
}

Test(profile, those_that_come_with_it_are_sound)
{
    static const char *const names[] = {"hdd-7200", "hdd-5400-usb", "sata-ssd",
                                        "nvme",     "cloud-volume", "nfs-like"};

    for (size_t i = 0; i < 6; i++) {
        struct sim_profile profile;
        char file[600];
        snprintf(file, sizeof(file), "%s/%s.profile", getenv("DLS_PROFILES"), names[i]);
        cr_assert_eq(sim_profile_read(file, &profile), 0, "%s", dls_err_text());
        cr_assert_eq(profile.kind, i < 2 ? SIM_HDD : SIM_SSD);
    }
}
