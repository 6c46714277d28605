/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/feed.h"

#include "base/mem.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES 40

static const char *root;
static struct source source;
static struct dls_permute shuffle;

/* Pictures of different sizes, every tenth of them none. */
static void setup(void)
{
    char name[32];

    root = support_temp_dir();
    for (uint32_t i = 0; i < FILES; i++) {
        struct support_jpeg spec = {
            .width = 20 + i * 9, .height = 30 + i * 5, .seed = i, .progressive = i % 3 == 0};
        size_t length = 4;
        uint8_t *jpeg = i % 10 == 9 ? NULL : support_make_jpeg(&spec, &length);
        snprintf(name, sizeof(name), "a/%02u.jpg", i);
        support_write_file(support_path(root, name), jpeg ? (const void *)jpeg : "text", length);
        free(jpeg);
    }
    cr_assert_eq(source_walk(&source, root, false, NULL), 0);
    cr_assert_eq(source.file_count, FILES);
    dls_permute_init(&shuffle, FILES, 1, 2);
}

static void teardown(void)
{
    source_free(&source);
}

TestSuite(feed, .init = setup, .fini = teardown);

/* Takes everything and checks the order; returns the sum of all pixels. */
static uint64_t drain(const struct feed_settings *settings)
{
    struct feed *feed = NULL;
    const struct feed_item *item;
    uint64_t number = 0, sum = 0;
    int r;

    cr_assert_eq(feed_start(settings, &feed), 0);
    while ((r = feed_next(feed, &item)) != 0) {
        if (r == -ETIMEDOUT)
            continue;
        cr_assert_eq(r, 1);
        cr_expect_eq(item->file, settings->shuffle ? dls_permute_at(settings->shuffle, number) : number);
        cr_expect_eq(item->examined.kind, item->file % 10 == 9 ? PROBLEM_NOT_IMAGE : PROBLEM_NONE);
        cr_expect_eq(item->length, source.files[item->file].size);
        if (item->file % 10 != 9)
            cr_expect_eq(item->examined.picture.width, 20 + item->file * 9);
        sum += item->examined.sums.sum[0] + item->examined.sums.square[2];
        number++;
        feed_release(feed);
    }
    cr_expect_eq(number, FILES);
    feed_stop(&feed);
    cr_expect_null(feed);
    return sum;
}

Test(feed, order_and_sums_are_the_same_for_any_threads_and_memory)
{
    struct feed_settings settings = {.source = &source,
                                     .shuffle = &shuffle,
                                     .threads = 1,
                                     .memory = 1 << 30,
                                     .max_pixels = 1 << 20,
                                     .check = true};
    uint64_t expected = drain(&settings);

    cr_expect_gt(expected, 0);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        settings.threads = threads;
        cr_expect_eq(drain(&settings), expected);
    }
    /* So little that nearly everything waits for memory, and the largest pictures exceed it. */
    settings.memory = 20000;
    cr_expect_eq(drain(&settings), expected);
    settings.memory = 2;
    cr_expect_eq(drain(&settings), expected);
    settings.shuffle = NULL;
    cr_expect_eq(drain(&settings), expected);
}

Test(feed, without_check_nothing_is_decoded)
{
    const struct feed_settings settings = {
        .source = &source, .threads = 2, .memory = 1 << 30, .max_pixels = 1 << 20};

    cr_expect_eq(drain(&settings), 0);
}

Test(feed, can_be_stopped_at_any_time)
{
    const struct feed_settings settings = {
        .source = &source, .threads = 4, .memory = 20000, .max_pixels = 1 << 20, .check = true};

    for (int taken = 0; taken < 10; taken++) {
        struct feed *feed = NULL;
        const struct feed_item *item;
        cr_assert_eq(feed_start(&settings, &feed), 0);
        for (int i = 0; i < taken;) {
            int r = feed_next(feed, &item);
            if (r == 1)
                feed_release(feed);
            i += r == 1;
        }
        feed_stop(&feed);
    }
}

Test(feed, pictures_beyond_the_limit_are_refused_unseen)
{
    const struct feed_settings settings = {
        .source = &source, .threads = 2, .memory = 1 << 30, .max_pixels = 599, .check = true};
    struct feed *feed = NULL;
    const struct feed_item *item = NULL;

    cr_assert_eq(feed_start(&settings, &feed), 0);
    while (feed_next(feed, &item) == -ETIMEDOUT)
        ;
    cr_expect_eq(item->examined.kind, PROBLEM_TOO_LARGE, "the first has 20 x 30 pixels");
    cr_expect_eq(item->examined.sums.pixels, 0);
    feed_stop(&feed);
}

Test(feed, a_file_removed_after_listing_is_a_problem_of_its_own)
{
    const struct feed_settings settings = {
        .source = &source, .threads = 2, .memory = 1 << 30, .max_pixels = 1 << 20};
    struct feed *feed = NULL;
    const struct feed_item *item = NULL;

    unlink(support_path(root, "a/00.jpg"));
    cr_assert_eq(feed_start(&settings, &feed), 0);
    while (feed_next(feed, &item) == -ETIMEDOUT)
        ;
    cr_expect_eq(item->examined.kind, PROBLEM_UNREADABLE);
    cr_expect_str_eq(item->examined.text, "No such file or directory");
    feed_stop(&feed);
}

Test(feed, failing_memory_ends_it_without_a_hang)
{
    const struct feed_settings settings = {
        .source = &source, .threads = 3, .memory = 1 << 20, .max_pixels = 1 << 20, .check = true};
    unsigned failed = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct feed *feed = NULL;
        const struct feed_item *item;
        int r;
        dls_mem_fail(seed, 25);
        r = feed_start(&settings, &feed);
        while (feed && (r = feed_next(feed, &item)) != 0) {
            if (r == 1)
                feed_release(feed);
            else if (r != -ETIMEDOUT)
                break;
        }
        feed_stop(&feed);
        dls_mem_fail(0, 0);
        /* Threads fail to start at the same rate. */
        cr_expect(r == 0 || r == -ENOMEM || r == -EAGAIN, "seed %llu: %d", (unsigned long long)seed, r);
        failed += r != 0;
    }
    cr_expect_gt(failed, 0);
}
