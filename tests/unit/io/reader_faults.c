/* SPDX-License-Identifier: Apache-2.0 */
/* The reader over an engine that misbehaves by a seed. */
#include "reader_set.h"

#include "support/faulty_io.h"

static void set_faulty(struct set *set, struct faulty_io *plan)
{
    faulty_io_next = plan;
    set->config.ops = &faulty_io_ops;
    set_open(set);
}

Test(reader, keeps_to_the_depth_and_order)
{
    for (uint32_t depth = 1; depth <= 64; depth *= 4) {
        struct faulty_io plan = {.seed = depth, .late = true};
        struct set set;

        set_make(&set, pattern_dir(), 1, 16 * BLOCK, 16);
        set.config.depth = depth;
        set_faulty(&set, &plan);
        set_read_all(&set);
        cr_expect(plan.most_in_flight == depth, "%u of %u", plan.most_in_flight, depth);
        cr_expect(plan.longest == 64 << 10);
        cr_expect(plan.requests == 16 * 8);
        cr_expect(plan.order_breaks == 0);
        set_end(&set);
    }
}

Test(reader, bytes_are_exact_whatever_goes_wrong)
{
    uint64_t retries = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct faulty_io plan = {
            .seed = seed,
            .short_in = 4,
            .interrupt_in = 6,
            .again_in = 6,
            .io_error_in = 8,
            .spurious_in = 5,
            .late = true,
        };
        struct dls_reader_stats stats;
        struct set set;

        set_make(&set, pattern_dir(), 3, 4 * BLOCK, 5);
        set.config.open_files = seed % 2 == 0 ? 1 : 3;
        set.config.depth = 1 + (uint32_t)seed % 13;
        set.config.direct = seed % 3 == 0 ? DLS_DIRECT_OFF : DLS_DIRECT_AUTO;
        set_faulty(&set, &plan);
        set_read_all(&set);
        dls_reader_get_stats(set.reader, &stats);
        cr_expect(stats.bytes == 12ull * BLOCK);
        cr_expect(stats.reads == plan.requests);
        cr_expect(stats.reads == 12 * 8 + stats.retries);
        /* Short reads never lead to a direct read that the file system has to refuse. */
        cr_expect(strstr(stats.detail, "refused") == NULL, "%s", stats.detail);
        retries += stats.retries;
        set_end(&set);
    }
    cr_expect(retries > 1000, "%" PRIu64, retries);
}

Test(reader, a_bad_sector_fails_its_extent_alone)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct faulty_io plan = {
            .seed = seed, .late = true, .short_in = 5, .bad_from = BLOCK + 100000, .bad_to = BLOCK + 100512};
        struct set set;
        char text[600];

        set_make(&set, pattern_dir(), 1, 4 * BLOCK, 4);
        set_faulty(&set, &plan);
        for (int turn = 0; turn < 2; turn++) {
            for (uint32_t i = 0; i < 4; i++)
                set_push(&set, i, 0, (uint64_t)i * BLOCK, BLOCK);
            cr_expect(set_drain(&set) == 4);
            for (uint32_t i = 0; i < 4; i++) {
                if (i != 1) {
                    set_check(&set.extents[i]);
                    continue;
                }
                uint64_t at = set.extents[i].error_at;
                cr_expect(dls_reader_explain(set.reader, &set.extents[i]) == -EIO);
                /* Of the request of 64 KiB that holds the sector. */
                cr_expect(at >= BLOCK + 65536 && at <= BLOCK + 100000, "%" PRIu64, at);
                snprintf(text, sizeof(text), "read: '%s', offset %" PRIu64 ": Input/output error",
                         set.paths[0], at);
                cr_expect_str_eq(dls_err_text(), text);
            }
        }
        set_end(&set);
    }
}

/* EINTR without end is an error, not a hang. */
Test(reader, gives_up_after_endless_interruptions)
{
    struct faulty_io plan = {.seed = 1, .interrupt_in = 1};
    struct set set;

    set_make(&set, pattern_dir(), 1, BLOCK, 1);
    set_faulty(&set, &plan);
    set_push(&set, 0, 0, 0, BLOCK);
    cr_expect(set_drain(&set) == 1);
    cr_expect(set.extents[0].result == -EINTR);
    cr_expect(plan.requests < 8 * 70);
    set_end(&set);
}

Test(reader, goes_buffered_when_a_direct_read_is_refused_late)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct faulty_io plan = {.seed = seed, .late = true, .refuse_after = 20, .short_in = 9};
        struct dls_reader_stats stats;
        struct set set;

        set_make(&set, pattern_dir(), 2, 8 * BLOCK, 4);
        set.config.open_files = 1 + seed % 2;
        if (!pattern_direct_works(set.paths[0]))
            cr_skip_test("no O_DIRECT there");
        set_faulty(&set, &plan);
        set_read_all(&set);
        dls_reader_get_stats(set.reader, &stats);
        cr_expect(strstr(stats.detail, "O_DIRECT, faults by seed; some files buffered ('") == stats.detail,
                  "%s", stats.detail);
        cr_expect(strstr(stats.detail, "refused a direct read at offset") != NULL, "%s", stats.detail);
        set_end(&set);
    }
}

Test(reader, fails_when_direct_reads_are_demanded_and_refused_late)
{
    struct faulty_io plan = {.seed = 1, .refuse_after = 2};
    struct set set;

    set_make(&set, pattern_dir(), 1, BLOCK, 1);
    set.config.direct = DLS_DIRECT_ON;
    if (!pattern_direct_works(set.paths[0]))
        cr_skip_test("no O_DIRECT there");
    set_faulty(&set, &plan);
    set_push(&set, 0, 0, 0, BLOCK);
    cr_expect(set_drain(&set) == 1);
    cr_expect(set.extents[0].result == -EINVAL);
    set_end(&set);
}
