/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a small file whole; false if there is none. */
static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length;

    if (fd < 0)
        return false;
    do
        length = read(fd, text, size - 1);
    while (length < 0 && errno == EINTR);
    close(fd);
    if (length < 0)
        return false;
    text[length] = '\0';
    return true;
}

static bool parse_number(const char *text, char **ret_end, long long *ret_number)
{
    errno = 0;
    *ret_number = strtoll(text, ret_end, 10);
    return *ret_end != text && errno == 0;
}

static unsigned cpus_of(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    long long cpus = quota / period + (quota % period != 0);
    return cpus > INT_MAX ? INT_MAX : (unsigned)cpus;
}

unsigned dls_cgroup_parse_max(const char *cpu_max)
{
    long long quota, period;
    char *end;

    if (!parse_number(cpu_max, &end, &quota) || !parse_number(end, &end, &period))
        return 0;
    return cpus_of(quota, period);
}

unsigned dls_cgroup_parse_cfs(const char *quota_text, const char *period_text)
{
    long long quota, period;
    char *end;

    if (!parse_number(quota_text, &end, &quota) || !parse_number(period_text, &end, &period))
        return 0;
    return cpus_of(quota, period);
}

typedef unsigned long long limit;
typedef limit limit_fn(const char *directory);

static limit least(limit a, limit b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The quota of one directory, in whichever version it speaks. */
static limit quota_at(const char *directory)
{
    char path[PATH_MAX], quota[128], period[128];

    if (snprintf(path, sizeof(path), "%s/cpu.max", directory) < (int)sizeof(path) &&
        read_text(path, quota, sizeof(quota)))
        return dls_cgroup_parse_max(quota);
    if (snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", directory) >= (int)sizeof(path) ||
        !read_text(path, quota, sizeof(quota)))
        return 0;
    if (snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", directory) >= (int)sizeof(path) ||
        !read_text(path, period, sizeof(period)))
        return 0;
    return dls_cgroup_parse_cfs(quota, period);
}

/* A number of bytes; "max" and what version 1 says without a limit (pages to the end of 63 bits) are none. */
static limit bytes_in(const char *directory, const char *name)
{
    char path[PATH_MAX], text[128], *end;
    long long bytes;

    if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path) ||
        !read_text(path, text, sizeof(text)) || !parse_number(text, &end, &bytes))
        return 0;
    return bytes > 0 && bytes < LLONG_MAX / 2 ? (limit)bytes : 0;
}

static limit memory_at(const char *directory)
{
    return least(least(bytes_in(directory, "memory.max"), bytes_in(directory, "memory.high")),
                 bytes_in(directory, "memory.limit_in_bytes"));
}

/* From root/mount/group up to root/mount. In a container the group's name may be the host's, of which nothing is to
 * be seen here: what does not exist sets no limit, and the walk ends at what is mounted. */
static limit limit_up(const char *root, const char *mount, const char *group, limit_fn *at)
{
    char path[PATH_MAX];
    limit found = 0;
    int length = snprintf(path, sizeof(path), "%s/%s", root, mount);

    if (length >= (int)sizeof(path) || strlen(group) >= sizeof(path) - (size_t)length)
        return 0;
    char *stop = path + length;
    strcpy(stop, group);
    for (;;) {
        found = least(found, at(path));
        char *slash = strrchr(stop, '/');
        if (slash == NULL)
            return found;
        *slash = '\0';
    }
}

/* True if `controllers`, a comma-separated list, names `controller`. */
static bool names(const char *controllers, const char *controller)
{
    for (const char *at = controllers; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        if (length == strlen(controller) && memcmp(at, controller, length) == 0)
            return true;
    }
    return false;
}

static limit find_limit(const char *self, const char *root, const char *controller, limit_fn *at)
{
    char text[8192];
    limit found = 0;

    if (!read_text(self, text, sizeof(text)))
        return 0;
    /* Lines of "number:controllers:group"; the unified hierarchy has number 0 and no controllers. */
    for (char *line = text, *next; *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        if (*next == '\n')
            *next++ = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        controllers++;
        *group++ = '\0';
        if (controllers[0] == '\0')
            found = least(found, limit_up(root, "", group, at));
        else if (names(controllers, controller))
            found = least(found, limit_up(root, controllers, group, at));
    }
    return found;
}

unsigned dls_cgroup_cpus(const char *self, const char *root)
{
    return (unsigned)find_limit(self, root, "cpu", quota_at);
}

unsigned long long dls_cgroup_memory(const char *self, const char *root)
{
    return find_limit(self, root, "memory", memory_at);
}
