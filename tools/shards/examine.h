/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at one picture: what it is, whether it decodes, and the sums that mean and deviation come from. */
#ifndef TOOLS_SHARDS_EXAMINE_H
#define TOOLS_SHARDS_EXAMINE_H

#include "decode/decode.h"
#include "shards/problem.h"

/* Sums over pixels, in whole numbers, so that they do not depend on the order of adding. */
struct pixel_sums {
    uint64_t pixels;
    uint64_t sum[3], square[3];
};

/* rgb: `pixels` × 3 bytes. Adds to *sums. */
void pixel_sums_add(struct pixel_sums *sums, const uint8_t *rgb, uint64_t pixels);

struct examined {
    enum problem_kind kind; /* PROBLEM_NONE, an error, or PROBLEM_WARNING */
    char text[512];         /* the reason, if there is a problem */
    struct dls_picture picture;
    struct pixel_sums sums; /* empty if it was not decoded */
};

/* Where memory for decoding comes from; see examine(). */
struct examine_memory {
    /* Gives `bytes` of memory for one picture, and sets `internal` more apart for what the codec will
     * allocate itself; waits until there is room for both. NULL: none to be had. */
    uint8_t *(*take)(void *user, uint64_t bytes, uint64_t internal);
    void (*give_back)(void *user, uint8_t *memory, uint64_t bytes, uint64_t internal);
    void *user;
};

/* Examines data[0, length). check: decode it too, not only its header. A picture of more than max_pixels is
 * refused unseen. Returns 0 with the verdict in *ret_examined; negative only for what is not the picture's
 * fault (-ENOMEM). */
int examine(struct dls_decoder *decoder, const uint8_t *data, size_t length, bool check, uint64_t max_pixels,
            const struct examine_memory *memory, struct examined *ret_examined);

#endif
