/* SPDX-License-Identifier: Apache-2.0 */
/* Committed datasets: those of an earlier build must open and hold what they held, spoiled ones must be refused with the
 * errno that the table names. They are never made anew when the code changes. */
#include "golden/make.h"
#include "support/specimen.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const char *golden(const char *kind, const char *name)
{
    return support_path(support_path(DLS_GOLDEN, kind), name);
}

Test(golden, good_ones_open_and_hold_what_they_held)
{
    for (const struct golden_good *g = golden_good; g->name; g++) {
        dls_dataset *set = NULL;
        dls_dataset_info info;
        char uuid[33];

        cr_assert_eq(dls_dataset_open(golden("good", g->name), &set), 0, "%s: %s", g->name, dls_last_error());
        cr_assert(specimen_check(set, g->records), "%s", g->name);
        dls_dataset_get_info(set, &info);
        for (unsigned i = 0; i < 16; i++)
            snprintf(uuid + 2 * i, 3, "%02x", info.uuid[i]);
        cr_assert_str_eq(uuid, g->uuid, "%s", g->name);
        dls_dataset_close(&set);
    }
}

static int read_all(dls_dataset *set)
{
    dls_dataset_info info;
    int r = 0;

    dls_dataset_get_info(set, &info);
    for (uint64_t i = 0; r == 0 && i < info.records; i++) {
        dls_record *record = NULL;
        r = dls_dataset_read(set, i, &record);
        dls_record_free(&record);
    }
    return r;
}

Test(golden, bad_ones_are_refused_with_the_right_errno)
{
    for (const struct golden_bad *b = golden_bad; b->name; b++) {
        dls_dataset *set = NULL;
        int r = dls_dataset_open(golden("bad", b->name), &set);

        cr_assert_eq(r, b->open, "%s: %d, %s", b->name, r, dls_last_error());
        if (r == 0) {
            r = read_all(set);
            cr_assert_eq(r, b->read, "%s: %d, %s", b->name, r, dls_last_error());
            cr_assert_not_null(strstr(dls_last_error(), "shard-00000.dls"), "%s: %s", b->name, dls_last_error());
        } else {
            cr_assert_not_null(strstr(dls_last_error(), b->name), "%s: %s", b->name, dls_last_error());
        }
        dls_dataset_close(&set);
    }
}

static void expect_same(const char *made, const char *kept, const char *name)
{
    size_t made_length, kept_length;
    uint8_t *a = support_read_file(support_path(made, name), &made_length);
    uint8_t *b = support_read_file(support_path(kept, name), &kept_length);

    cr_assert_eq(made_length, kept_length, "%s/%s", kept, name);
    cr_assert_eq(memcmp(a, b, made_length), 0, "%s/%s", kept, name);
    free(a);
    free(b);
}

/* What is written today is, to the byte, what was written then. */
Test(golden, the_writer_still_makes_the_same_bytes)
{
    const char *folder = support_temp_dir();

    if (ZSTD_versionNumber() != 10504)
        cr_skip("the committed bytes are those of zstd 1.5.4");
    golden_make(folder);
    for (const struct golden_good *g = golden_good; g->name; g++) {
        const char *made = support_path(support_path(folder, "good"), g->name), *kept = golden("good", g->name);

        expect_same(made, kept, "dataset.json");
        if (g->records > 0)
            expect_same(made, kept, "shard-00000.dls");
        if (g->shard_bytes > 0)
            expect_same(made, kept, "shard-00001.dls");
    }
}
