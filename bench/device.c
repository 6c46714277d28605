/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The first line of folder/name, "" if there is none. */
static void read_line(const char *folder, const char *name, char *ret_text, size_t size)
{
    char path[PATH_MAX];

    ret_text[0] = '\0';
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fgets(ret_text, (int)size, file))
        ret_text[strcspn(ret_text, "\n")] = '\0';
    fclose(file);
    for (size_t n = strlen(ret_text); n && ret_text[n - 1] == ' '; n--)
        ret_text[n - 1] = '\0';
}

/* The scheduler in use stands in brackets: "mq-deadline [none]". */
static void pick_scheduler(char *text)
{
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

    if (close) {
        memmove(text, open + 1, (size_t)(close - open - 1));
        text[close - open - 1] = '\0';
    }
}

void bench_device_describe(const char *path, char *ret_text, size_t size)
{
    char link[64], folder[PATH_MAX], model[64], rotational[8], scheduler[64], sectors[32];
    struct stat st;

    ret_text[0] = '\0';
    if (stat(path, &st) != 0)
        return;
    snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
    if (!realpath(link, folder))
        return;
    /* A partition has no queue: its disk, one folder up, has. */
    read_line(folder, "queue/rotational", rotational, sizeof(rotational));
    if (!rotational[0]) {
        *strrchr(folder, '/') = '\0';
        read_line(folder, "queue/rotational", rotational, sizeof(rotational));
    }
    read_line(folder, "queue/scheduler", scheduler, sizeof(scheduler));
    read_line(folder, "device/model", model, sizeof(model));
    read_line(folder, "size", sectors, sizeof(sectors));
    pick_scheduler(scheduler);
    snprintf(ret_text, size, "%s%s%s%s, %s, scheduler %s, %.0f GB", strrchr(folder, '/') + 1,
             model[0] ? " (" : "", model, model[0] ? ")" : "",
             rotational[0] == '1' ? "rotational" : "not rotational", scheduler[0] ? scheduler : "unknown",
             strtod(sectors, NULL) * 512 / 1e9);
}
