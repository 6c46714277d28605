/* SPDX-License-Identifier: Apache-2.0 */
/** @file batch.h
 *  A batch: decoded images and their labels in one piece of memory that the loader lends. */
#ifndef DLSHARDS_BATCH_H
#define DLSHARDS_BATCH_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A read-only view of a lent batch. All arrays have `size` places, of which the first `count` are filled; the
 *  rest (a padded or uneven last batch) have valid 0, label -1 and black pixels. */
typedef struct dls_batch {
    uint64_t epoch;          /**< the epoch it belongs to, counted from params.first_epoch */
    uint64_t index;          /**< its number within the epoch, from 0 */
    uint32_t size;           /**< places: the batch size */
    uint32_t count;          /**< samples */
    uint32_t width;          /**< of every image, in pixels */
    uint32_t height;         /**< likewise */
    uint32_t channels;       /**< 3: red, green, blue */
    const uint8_t *images;   /**< size × height × width × channels, uint8 NHWC, aligned to 4096 bytes; NULL if the
                                  loader does not decode */
    size_t images_bytes;     /**< length of `images` in bytes */
    const int64_t *labels;   /**< size labels: the first value of the field "label", -1 where there is none */
    const uint64_t *records; /**< size record numbers, for dls_dataset_read() */
    const uint8_t *valid;    /**< size flags: 1 = a sample, 0 = an empty place */
} dls_batch;

#ifdef __cplusplus
}
#endif
#endif
