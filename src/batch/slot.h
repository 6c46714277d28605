/* SPDX-License-Identifier: Apache-2.0 */
/* One batch buffer: the images, labels, record numbers and flags of a batch in one piece of memory. */
#ifndef DLS_BATCH_SLOT_H
#define DLS_BATCH_SLOT_H

#include <dlshards/batch.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DLS_SLOT_ALIGN 4096u

struct dls_slot_shape {
    uint32_t size;          /* samples */
    uint32_t width, height; /* of the images */
    bool images;            /* false: a batch of labels alone */
    dls_dtype dtype;
    dls_layout layout;
    uint32_t views; /* images a sample; 0 is 1 */
    bool draws;     /* with what was drawn for each image */
    bool masks;     /* with a mask for each image */
    uint32_t boxes; /* in each image */
    bool mirror; /* with a flag a sample that says how a device is to turn its image */
};

enum dls_slot_state { DLS_SLOT_FREE = 0, DLS_SLOT_FILLING, DLS_SLOT_READY, DLS_SLOT_LENT };

struct dls_slot {
    dls_batch view; /* what the caller sees; first, so that a lent batch leads back to its slot */
    uint8_t *images;
    int64_t *labels;
    uint64_t *records;
    uint8_t *valid;
    uint8_t *mirror; /* NULL without shape.mirror; empty places have 0 */
    dls_draw *draws; /* NULL without shape.draws */
    uint8_t *masks;  /* NULL without shape.masks */
    float *boxes;    /* NULL without shape.boxes */
    uint64_t image_bytes, images_bytes; /* of one sample's images here, of all */
    _Atomic uint32_t bad;       /* samples that could not be made */
    _Atomic uint32_t remaining; /* samples still to be made; who takes it to 0 reports the batch as ready */
    enum dls_slot_state state;  /* guarded by the ring's owner */
};

/* Memory of one slot, a multiple of DLS_SLOT_ALIGN. -EOVERFLOW if it does not fit 63 bits. */
int dls_slot_bytes(const struct dls_slot_shape *shape, uint64_t *ret_bytes);
/* Puts a zeroed slot on dls_slot_bytes() of memory, aligned to DLS_SLOT_ALIGN, which stays the caller's. */
void dls_slot_bind(struct dls_slot *slot, const struct dls_slot_shape *shape, uint8_t *memory);
/* Starts batch `index` of `epoch`, which has `count` (1 … size) samples. */
void dls_slot_begin(struct dls_slot *slot, uint64_t epoch, uint64_t index, uint32_t count);
/* Empties the places behind the last sample: label -1, record UINT64_MAX, valid 0, black. */
void dls_slot_blank(struct dls_slot *slot);
/* All samples are made; those with valid 0 among the first `count` are bad. Moves the others up, or puts copies of their
 * neighbours in the places of the bad ones (of the one before, else the first good one), and sets the new count. */
void dls_slot_settle(struct dls_slot *slot, bool substitute);
/* Bytes of a number of this type. */
uint32_t dls_dtype_bytes(dls_dtype dtype);
/* Of the images of one sample. */
uint64_t dls_slot_image_bytes(const struct dls_slot *slot);
/* Memory of the first image at `place`; NULL in a batch without images. */
uint8_t *dls_slot_image(const struct dls_slot *slot, uint32_t place);

#endif
