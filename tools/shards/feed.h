/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and examines the files of a source with several threads, and hands them out in order. */
#ifndef TOOLS_SHARDS_FEED_H
#define TOOLS_SHARDS_FEED_H

#include "order/permute.h"
#include "shards/examine.h"
#include "shards/source.h"

struct feed_settings {
    const struct source *source;
    const struct dls_permute *shuffle; /* NULL: in the order of the list */
    unsigned threads;
    uint64_t memory; /* bytes of files and pixels held at a time; one larger picture is still taken, alone */
    uint64_t max_pixels;
    bool check;
};

/* One file, lent until feed_release(). */
struct feed_item {
    uint64_t file; /* in the source's list */
    uint8_t *data;
    size_t length;
    struct examined examined;
};

struct feed;

int feed_start(const struct feed_settings *settings, struct feed **ret_feed);
/* The next file in order. 1: *ret_item is lent; 0: all have been handed out; -ETIMEDOUT after a tenth of a
 * second without one, so that the caller can look at other things; -ENOMEM. One item can be held at a time.
 */
int feed_next(struct feed *feed, const struct feed_item **ret_item);
void feed_release(struct feed *feed);
/* Waits for the threads, which stop after the files they are at. Sets *feed to NULL; takes NULL. */
void feed_stop(struct feed **feed);

#endif
