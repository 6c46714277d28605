/* SPDX-License-Identifier: Apache-2.0 */
/* The packer's reading threads: files are handed out in order while memory is short, and a stop in the
 * middle. */
#include "order/permute.h"
#include "shards/feed.h"
#include "support/check.h"
#include "support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FILES 60

static uint64_t drain(const struct feed_settings *settings, uint64_t most)
{
    struct feed *feed = NULL;
    uint64_t number = 0, sum = 0;

    CHECK(feed_start(settings, &feed) == 0);
    while (number < most) {
        const struct feed_item *item = NULL;
        int r = feed_next(feed, &item);
        if (r == -ETIMEDOUT)
            continue;
        CHECK(r == 1);
        CHECK(item->file == dls_permute_at(settings->shuffle, number));
        sum += item->examined.sums.sum[1];
        number++;
        feed_release(feed);
    }
    feed_stop(&feed);
    return sum;
}

int main(void)
{
    const char *root = support_temp_dir();
    struct source source;
    struct dls_permute shuffle;
    struct feed_settings settings = {.source = &source,
                                     .shuffle = &shuffle,
                                     .threads = 4,
                                     .memory = 60000,
                                     .max_pixels = 1 << 20,
                                     .check = true};
    uint64_t sum;

    for (uint32_t i = 0; i < FILES; i++) {
        struct support_jpeg spec = {.width = 20 + i, .height = 90 - i, .seed = i, .progressive = i % 2};
        char name[32];
        size_t length;
        uint8_t *jpeg = support_make_jpeg(&spec, &length);
        snprintf(name, sizeof(name), "a/%u.jpg", i);
        support_write_file(support_path(root, name), jpeg, length);
        free(jpeg);
    }
    CHECK(source_walk(&source, root, false, NULL) == 0);
    dls_permute_init(&shuffle, FILES, 3, 4);
    sum = drain(&settings, FILES);
    settings.threads = 2;
    CHECK(drain(&settings, FILES) == sum && sum > 0);
    settings.threads = 8;
    drain(&settings, FILES / 3);
    source_free(&source);
    return 0;
}
