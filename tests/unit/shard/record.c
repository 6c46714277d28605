/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "shard/dataset.h"
#include "support/specimen.h"
#include "support/support.h"

Test(record, every_one_is_read_as_it_was_written)
{
    const char *path = support_path(support_temp_dir(), "set.dls");
    dls_dataset *dataset = NULL;

    specimen_write(path, 60, 32768);
    cr_assert_eq(dls_dataset_open(path, &dataset), 0);
    cr_assert(specimen_check(dataset, 60));
    dls_dataset_close(&dataset);
}

Test(record, one_behind_the_last_is_out_of_range)
{
    const char *path = support_path(support_temp_dir(), "set.dls");
    struct dls_dataset *set = NULL;
    dls_record *record = NULL;

    specimen_write(path, 3, 0);
    cr_assert_eq(dls_set_open(path, &set), 0);
    cr_assert_eq(dls_set_read(set, 3, &record), -ERANGE);
    cr_assert_eq(dls_set_read(set, UINT64_MAX, &record), -ERANGE);
    cr_assert_null(record);
    dls_set_record_free(&record);
    dls_set_close(&set);
}

Test(record, a_damaged_one_is_named_and_its_neighbours_are_not_touched)
{
    const char *path = support_path(support_temp_dir(), "set.dls");
    struct dls_dataset *set = NULL;
    dls_record *record = NULL;

    specimen_write(path, 9, 0);
    cr_assert_eq(dls_set_open(path, &set), 0);
    cr_assert_eq(dls_set_read(set, 4, &record), 0, "%s", dls_err_text());
    uint64_t at = record->offset + 10;
    dls_set_record_free(&record);
    int fd = open(dls_set_shard_path(set, 0), O_RDWR | O_CLOEXEC);
    uint8_t byte;
    cr_assert_eq(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= 0x40;
    cr_assert_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
    close(fd);
    cr_assert_eq(dls_set_read(set, 4, &record), -EBADMSG);
    cr_assert_not_null(strstr(dls_err_text(), dls_set_shard_path(set, 0)), "%s", dls_err_text());
    cr_assert_not_null(strstr(dls_err_text(), "record 4"), "%s", dls_err_text());
    for (uint64_t i = 3; i <= 5; i += 2) {
        cr_assert_eq(dls_set_read(set, i, &record), 0, "%s", dls_err_text());
        dls_set_record_free(&record);
    }
    dls_set_close(&set);
}
