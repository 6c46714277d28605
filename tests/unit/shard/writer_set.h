/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the writer share. */
#ifndef DLS_TESTS_WRITER_SET_H
#define DLS_TESTS_WRITER_SET_H

#include "support/specimen.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static inline const char *folder(void)
{
    static const char *path;
    if (!path)
        path = support_temp_dir();
    return path;
}

/* Names in a directory, '.' and '..' apart. */
static inline int entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);

    cr_assert_not_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;
}

static inline dls_writer *start(const char *path, const dls_field *fields, uint32_t count, uint32_t block_bytes)
{
    dls_writer_params params;
    dls_writer *writer = NULL;

    dls_writer_params_init(&params);
    params.fields = fields;
    params.field_count = count;
    params.block_bytes = block_bytes;
    if (fields == specimen_fields) {
        params.classes = specimen_classes;
        params.class_count = SPECIMEN_CLASSES;
    }
    cr_assert_eq(dls_writer_open(path, &params, &writer), 0, "%s", dls_last_error());
    return writer;
}

static inline dls_dataset *open_set(const char *path)
{
    dls_dataset *set = NULL;

    cr_assert_eq(dls_dataset_open(path, &set), 0, "%s", dls_last_error());
    return set;
}

#endif
