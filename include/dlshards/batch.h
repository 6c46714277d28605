/* SPDX-License-Identifier: Apache-2.0 */
/** @file batch.h
 *  A batch: decoded images and their labels in one piece of memory that the loader lends. */
#ifndef DLSHARDS_BATCH_H
#define DLSHARDS_BATCH_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a number of an image is. */
typedef enum dls_dtype {
    DLS_DTYPE_UINT8 = 0,    /**< as decoded, 0 to 255 */
    DLS_DTYPE_FLOAT32 = 1,  /**< (x / 255 - mean) / std, each step rounded to float32: torchvision's ToTensor and
                                 Normalize, to the bit */
    DLS_DTYPE_FLOAT16 = 2,  /**< as FLOAT32, then rounded to nearest, ties to even; too large: infinite */
    DLS_DTYPE_BFLOAT16 = 3  /**< likewise */
} dls_dtype;

/** How the numbers of an image lie in memory, without gaps. */
typedef enum dls_layout {
    DLS_LAYOUT_NHWC = 0, /**< row by row, red, green, blue of a pixel side by side */
    DLS_LAYOUT_NCHW = 1  /**< all of red row by row, then green, then blue */
} dls_layout;

/** Where the images of a batch are. */
typedef enum dls_device_type {
    DLS_DEVICE_CPU = 0, /**< in the machine's memory */
    DLS_DEVICE_CUDA = 1 /**< in the memory of a CUDA device */
} dls_device_type;

/** What was drawn for one image, and so how its picture's pixels became its own: the box is resized to resized_width ×
 *  resized_height, placed with its corner at (left, top) of the image, mirrored with the image, and coloured. A point
 *  (px, py) of the upright picture comes to ((px - x) × resized_width / width + left, likewise) before mirroring.
 *  Kept as bytes and given back in params.replay it makes the same image again. */
typedef struct dls_draw {
    uint64_t epoch;          /**< of the sample */
    uint64_t record;         /**< likewise */
    uint32_t x, y;           /**< corner of the box, in pixels of the upright picture */
    uint32_t width, height;  /**< of the box */
    uint32_t resized_width;  /**< of the box after resizing */
    uint32_t resized_height; /**< likewise */
    int32_t left, top;       /**< where it begins in the image: negative where it is cut, positive where it is padded */
    uint8_t flip;            /**< 1: the image is mirrored left to right */
    uint8_t flip_vertical;   /**< 1: and top to bottom */
    uint8_t grayscale;       /**< 1: made grey, after the jitter */
    uint8_t jitter;          /**< steps of colour jitter, 0 to 4 */
    uint8_t jitter_order[4]; /**< the steps in their order: 0 brightness, 1 contrast, 2 saturation, 3 hue */
    double jitter_factor[4]; /**< of brightness, contrast, saturation, and the turn of the hue; 1, 1, 1, 0 where there is
                                  no such step */
} dls_draw;

/** A read-only view of a lent batch. All arrays have `size` places, of which the first `count` are filled; the
 *  rest (a padded or uneven last batch) have valid 0, label -1 and an image of zeros. */
typedef struct dls_batch {
    uint64_t epoch;          /**< the epoch it belongs to, counted from params.first_epoch */
    uint64_t index;          /**< its number within the epoch, from 0 */
    uint32_t size;           /**< places: the batch size */
    uint32_t count;          /**< samples */
    uint32_t width;          /**< of every image, in pixels */
    uint32_t height;         /**< likewise */
    uint32_t channels;       /**< 3: red, green, blue */
    dls_dtype dtype;         /**< of the numbers in `images` */
    dls_layout layout;       /**< of each image */
    const void *images;      /**< size × views × height × width × channels numbers, or size × views × channels × height ×
                                  width with NCHW, aligned to 4096 bytes; NULL if the loader does not decode, or if they
                                  are on a device: see dls_batch_device_tensor() */
    size_t images_bytes;     /**< length of `images` in bytes */
    const int64_t *labels;   /**< size labels: the first value of the field "label", -1 where there is none */
    const uint64_t *records; /**< size record numbers, for dls_dataset_read() */
    const uint8_t *valid;    /**< size flags: 1 = a sample, 0 = an empty place */
    uint32_t views;          /**< images of each sample: 5 with FIVE, 10 with TEN, else 1 */
    const dls_draw *draws;   /**< size × views; all zero in empty places. NULL without params.draws */
    const uint8_t *masks;    /**< size × views × height × width: of each pixel the palette index where the mask is a PNG
                                  with a palette, else its grey, or red, value. In the machine's memory even if images
                                  are on a device; zero in empty places. NULL without params.mask_field */
    const float *boxes;      /**< size × views × boxes_per_image × 4: x0, y0, x1, y1 in pixels of the image, cut off at its
                                  edges: what lies outside has no width or no height. A box with a NaN, to fill a record
                                  up with, is 4 NaN; empty places have zeros. NULL without params.boxes_field */
    uint32_t boxes_per_image; /**< a quarter of the field's values; 0 without */
} dls_batch;

/** A lent batch on a device: shape, dtype and layout are those of the dls_batch. */
typedef struct dls_device_tensor {
    dls_device_type device;
    uint32_t device_index; /**< number of the device, as the runtime counts them */
    const void *images;    /**< pointers in the device's memory */
    size_t images_bytes;   /**< length of `images` */
    const int64_t *labels; /**< size labels, as in dls_batch */
} dls_device_tensor;

#ifdef __cplusplus
}
#endif
#endif
