/* SPDX-License-Identifier: Apache-2.0 */
/* fio's job files: sections of settings, those of [global] before those of each job. */
#ifndef DLS_BENCH_INI_H
#define DLS_BENCH_INI_H

#include <stddef.h>

struct ini_setting {
    char *name;
    char *value; /* NULL: the name stood alone */
    unsigned line;
};

struct ini_job {
    char *name;
    unsigned line;
    struct ini_setting *settings; /* those of [global] so far first; of equal names the last one counts */
    size_t count, room;
};

struct ini_file {
    struct ini_job *jobs;
    size_t count, room;
};

/* Parses text[0, length), which need not end with NUL; `path` is for messages, which name the line. ${NAME}
 * in a value is the environment's, an error where it is not set. Lines starting with ';' or '#' and what
 * stands behind " ;" or " #" are comments. Free with ini_free(), after failure too. */
int ini_parse(const char *path, const char *text, size_t length, struct ini_file *ret_file);
/* Reads and parses a file of at most 1 MiB. */
int ini_load(const char *path, struct ini_file *ret_file);
void ini_free(struct ini_file *file);

/* The setting in force, or NULL. */
const struct ini_setting *ini_find(const struct ini_job *job, const char *name);

#endif
