/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <dlshards/common.h>
#include <jpeglib.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/thread.h"
#include "io/device.h"

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

static void first_cpu_model(char *ret_text, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");

    while (file && fgets(line, sizeof(line), file)) {
        char *value = strchr(line, ':');
        if (!value || strncmp(line, "model name", 10) != 0)
            continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = '\0';
        snprintf(ret_text, size, "%s", value);
        break;
    }
    if (file)
        fclose(file);
}

void bench_host_get(const char *path, struct bench_host *ret_host)
{
    struct dls_device device;
    struct utsname names;

    *ret_host = (struct bench_host){0};
    if (uname(&names) == 0)
        snprintf(ret_host->kernel, sizeof(ret_host->kernel), "%.9s %.65s", names.sysname, names.release);
    first_cpu_model(ret_host->cpu, sizeof(ret_host->cpu));
    ret_host->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    ret_host->usable = dls_cpu_count();
    ret_host->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (path && dls_device_get(path, NULL, &device) == 0) {
        snprintf(ret_host->filesystem, sizeof(ret_host->filesystem), "%s", device.filesystem.name);
        dls_device_describe(&device, ret_host->device, sizeof(ret_host->device));
    }
}

const char *bench_host_libraries(void)
{
    static char text[200];
    unsigned xxh = XXH_versionNumber();
    int n =
        snprintf(text, sizeof(text), "libdlshards %s, libjpeg-turbo %s, zstd %s, xxhash %u.%u.%u, jansson %s",
                 dls_version(), TEXT(LIBJPEG_TURBO_VERSION), ZSTD_versionString(), xxh / 10000,
                 xxh / 100 % 100, xxh % 100, JANSSON_VERSION);
    /* liburing has no version in its headers: the build knows it. */
    if (BENCH_URING_VERSION[0])
        snprintf(text + n, sizeof(text) - (size_t)n, ", liburing %s", BENCH_URING_VERSION);
    return text;
}

void bench_host_print(const struct bench_host *host, FILE *out)
{
    fprintf(out, "  machine  : %s; %s, %u CPUs (%u usable), %.1f GB memory\n", host->kernel, host->cpu,
            host->cpus, host->usable, (double)host->memory_bytes / 1e9);
    if (host->device[0])
        fprintf(out, "  device   : %s\n", host->device);
    fprintf(out, "  libraries: %s\n", bench_host_libraries());
}

json_t *bench_host_json(const struct bench_host *host)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:s, s:s, s:s}", "kernel", host->kernel, "cpu", host->cpu,
                     "cpus", (json_int_t)host->cpus, "usable_cpus", (json_int_t)host->usable, "memory_bytes",
                     (json_int_t)host->memory_bytes, "filesystem", host->filesystem, "device", host->device,
                     "libraries", bench_host_libraries());
}
