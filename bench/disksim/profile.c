/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

#define AT(member) offsetof(struct sim_profile, member)

static const struct name {
    const char *name;
    size_t at;
} names[] = {
    {"capacity", AT(capacity)},
    {"span", AT(span)},
    {"extent", AT(extent)},
    {"command", AT(command)},
    {"interface", AT(interface)},
    {"rpm", AT(rpm)},
    {"rate_outer", AT(rate_outer)},
    {"rate_inner", AT(rate_inner)},
    {"seek_track", AT(seek_track)},
    {"seek_average", AT(seek_average)},
    {"seek_full", AT(seek_full)},
    {"settle", AT(settle)},
    {"queue", AT(queue)},
    {"patience", AT(patience)},
    {"segments", AT(segments)},
    {"segment_bytes", AT(segment_bytes)},
    {"read_on", AT(read_on)},
    {"latency", AT(latency)},
    {"rate", AT(rate)},
    {"iops", AT(iops)},
    {"io_bytes", AT(io_bytes)},
    {"burst_rate", AT(burst_rate)},
    {"burst_iops", AT(burst_iops)},
    {"credit_bytes", AT(credit_bytes)},
    {"credit_ios", AT(credit_ios)},
    {"read_ahead", AT(read_ahead)},
    {"metadata", AT(metadata)},
    {"late", AT(late)},
};

/* Disk makers count in thousands; memory is counted in Ki and Mi. */
static const struct unit {
    const char *name;
    double factor;
} units[] = {
    {"", 1},         {"k", 1e3},         {"M", 1e6},   {"G", 1e9},   {"T", 1e12}, {"Ki", 1024},
    {"Mi", 1048576}, {"Gi", 1073741824}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
};

static int parse_value(const char *text, double *ret_value)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || !isfinite(value) || value < 0)
        return -EINVAL;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i].name) == 0) {
            *ret_value = value * units[i].factor;
            return 0;
        }
    return -EINVAL;
}

static int set(struct sim_profile *profile, const char *name, const char *value)
{
    if (strcmp(name, "kind") == 0) {
        bool hdd = strcmp(value, "hdd") == 0;
        if (!hdd && strcmp(value, "ssd") != 0)
            return dls_err(EINVAL, "kind '%s': expected hdd or ssd", value);
        profile->kind = hdd ? SIM_HDD : SIM_SSD;
        return 0;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i].name) != 0)
            continue;
        if (parse_value(value, (double *)((char *)profile + names[i].at)) < 0)
            return dls_err(EINVAL,
                           "%s '%s': expected a number, 0 or more, with k, M, G, T, Ki, Mi, Gi, us, ms or s",
                           name, value);
        return 0;
    }
    return dls_err(EINVAL, "there is no '%s'", name);
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    for (size_t n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

/* "name = value", which is cut up. */
static int set_pair(struct sim_profile *profile, char *pair)
{
    char *equals = strchr(pair, '=');

    if (!equals)
        return dls_err(EINVAL, "'%s': expected name = value", pair);
    *equals = '\0';
    return set(profile, trim(pair), trim(equals + 1));
}

static int read_lines(FILE *stream, const char *file, struct sim_profile *profile)
{
    char line[512];

    for (unsigned number = 1; fgets(line, sizeof(line), stream); number++) {
        line[strcspn(line, "#")] = '\0';
        char *pair = trim(line);
        int r = *pair ? set_pair(profile, pair) : 0;
        if (r < 0)
            return dls_err_context(r, "'%s', line %u", file, number);
    }
    return ferror(stream) ? dls_err_sys(EIO, "'%s'", file) : 0;
}

int sim_profile_read(const char *file, struct sim_profile *ret_profile)
{
    struct sim_profile profile = {.extent = 128e6, .read_ahead = 131072, .late = 1e-3, .segments = 1};
    FILE *stream = fopen(file, "re");

    if (!stream)
        return dls_err_sys(errno, "'%s'", file);
    int r = read_lines(stream, file, &profile);
    fclose(stream);
    if (r == 0)
        r = sim_profile_check(&profile);
    if (r == 0)
        *ret_profile = profile;
    return r;
}

int sim_profile_find(const char *name, struct sim_profile *ret_profile)
{
    static const char *const places[] = {"disksim", "../share/dlshards/disksim"};
    char program[PATH_MAX], file[PATH_MAX + 300];

    if (strchr(name, '/'))
        return sim_profile_read(name, ret_profile);
    ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (n < 0)
        return dls_err_sys(errno, "/proc/self/exe");
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(file, sizeof(file), "%s/%s/%.255s.profile", program, places[i], name);
        if (access(file, R_OK) == 0)
            return sim_profile_read(file, ret_profile);
    }
    return dls_err(ENOENT,
                   "no profile '%s': give the name of one that is installed, or a file with '/' in its name",
                   name);
}

int sim_profile_change(struct sim_profile *profile, const char *changes)
{
    struct sim_profile changed = *profile;
    char text[1024];
    char *rest = NULL;
    int r = 0;

    if (strlen(changes) >= sizeof(text))
        return dls_err(E2BIG, "more than %zu bytes of settings", sizeof(text) - 1);
    strcpy(text, changes);
    for (char *pair = strtok_r(text, ",", &rest); pair && r == 0; pair = strtok_r(NULL, ",", &rest))
        r = set_pair(&changed, pair);
    if (r == 0)
        r = sim_profile_check(&changed);
    if (r == 0)
        *profile = changed;
    return r;
}

int sim_profile_check(const struct sim_profile *profile)
{
    if (profile->capacity <= 0 || profile->extent < 4096 || profile->interface <= 0)
        return dls_err(EINVAL, "a disk needs capacity, extent (4096 or more) and interface");
    if (profile->span > profile->capacity)
        return dls_err(EINVAL, "the span is larger than the capacity");
    if (profile->kind == SIM_SSD) {
        if (profile->rate <= 0 || profile->iops <= 0)
            return dls_err(EINVAL, "an ssd needs rate and iops");
        if ((profile->credit_bytes > 0 && profile->burst_rate < profile->rate) ||
            (profile->credit_ios > 0 && profile->burst_iops < profile->iops))
            return dls_err(EINVAL, "credits need burst_rate >= rate and burst_iops >= iops");
        return 0;
    }
    if (profile->rpm <= 0 || profile->rate_inner <= 0 || profile->rate_outer < profile->rate_inner)
        return dls_err(EINVAL, "an hdd needs rpm and rate_outer >= rate_inner");
    if (profile->seek_track > profile->seek_average || profile->seek_average > profile->seek_full)
        return dls_err(EINVAL, "an hdd needs seek_track <= seek_average <= seek_full");
    if (profile->queue < 1 || profile->segments < 1 || profile->segments > 64)
        return dls_err(EINVAL, "an hdd needs queue >= 1 and 1 to 64 segments");
    return 0;
}
