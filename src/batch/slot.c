/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/slot.h"

#include "base/bytes.h"
#include "base/err.h"

#include <string.h>

#define CHANNELS 3u

uint32_t dls_dtype_bytes(dls_dtype dtype)
{
    return dtype == DLS_DTYPE_UINT8 ? 1 : dtype == DLS_DTYPE_FLOAT32 ? 4 : 2;
}

static uint32_t views_of(const struct dls_slot_shape *shape)
{
    return shape->views > 0 ? shape->views : 1;
}

static bool images_overflow(const struct dls_slot_shape *shape, uint64_t *ret_bytes)
{
    uint64_t bytes = 0;

    if (shape->images && (dls_mul_overflows((uint64_t)shape->width * CHANNELS, shape->height, &bytes) ||
                          dls_mul_overflows(bytes, dls_dtype_bytes(shape->dtype), &bytes) ||
                          dls_mul_overflows(bytes, (uint64_t)shape->size * views_of(shape), &bytes)))
        return true;
    *ret_bytes = bytes;
    return bytes > INT64_MAX / 8;
}

/* What comes with each image, beside its pixels; each array begins at a multiple of 8. */
static void beside(const struct dls_slot_shape *shape, uint64_t *ret_draws, uint64_t *ret_masks, uint64_t *ret_boxes)
{
    const uint64_t images = (uint64_t)shape->size * views_of(shape);

    *ret_draws = shape->draws ? images * sizeof(dls_draw) : 0;
    *ret_masks = shape->masks ? dls_align_up(images * shape->width * shape->height, sizeof(uint64_t)) : 0;
    *ret_boxes = images * shape->boxes * 4 * sizeof(float);
}

int dls_slot_bytes(const struct dls_slot_shape *shape, uint64_t *ret_bytes)
{
    uint64_t bytes;

    if (images_overflow(shape, &bytes))
        return dls_err(EOVERFLOW, "a batch of %u images of %u x %u pixels is too large", shape->size,
                       shape->width, shape->height);
    bytes = dls_align_up(bytes, sizeof(uint64_t));
    uint64_t draws, masks, boxes;
    beside(shape, &draws, &masks, &boxes);
    bytes += draws + masks + boxes;
    bytes += (uint64_t)shape->size * (sizeof(int64_t) + sizeof(uint64_t) + sizeof(uint8_t) + (shape->mirror ? 1 : 0));
    *ret_bytes = dls_align_up(bytes, DLS_SLOT_ALIGN);
    return 0;
}

void dls_slot_bind(struct dls_slot *slot, const struct dls_slot_shape *shape, uint8_t *memory)
{
    uint64_t images = 0;

    images_overflow(shape, &images);
    slot->images = shape->images ? memory : NULL;
    uint64_t draws, masks, boxes;
    beside(shape, &draws, &masks, &boxes);
    memory += dls_align_up(images, sizeof(uint64_t));
    slot->draws = shape->draws ? (dls_draw *)(void *)memory : NULL;
    slot->boxes = shape->boxes ? (float *)(void *)(memory + draws) : NULL;
    slot->masks = shape->masks ? memory + draws + boxes : NULL;
    memory += draws + boxes + masks;
    slot->labels = (int64_t *)(void *)memory;
    slot->records = (uint64_t *)(void *)(slot->labels + shape->size);
    slot->valid = (uint8_t *)(slot->records + shape->size);
    slot->mirror = shape->mirror ? slot->valid + shape->size : NULL;
    slot->images_bytes = images;
    slot->image_bytes = (uint64_t)shape->width * shape->height * CHANNELS * dls_dtype_bytes(shape->dtype) *
                        views_of(shape);
    slot->view = (dls_batch){
        .size = shape->size,
        .width = shape->width,
        .height = shape->height,
        .channels = CHANNELS,
        .dtype = shape->dtype,
        .layout = shape->layout,
        .images = slot->images,
        .images_bytes = (size_t)images,
        .labels = slot->labels,
        .records = slot->records,
        .valid = slot->valid,
        .views = views_of(shape),
        .draws = slot->draws,
        .masks = slot->masks,
        .boxes = slot->boxes,
        .boxes_per_image = shape->boxes,
    };
}

void dls_slot_begin(struct dls_slot *slot, uint64_t epoch, uint64_t index, uint32_t count)
{
    slot->view.epoch = epoch;
    slot->view.index = index;
    slot->view.count = count;
    atomic_store_explicit(&slot->bad, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->remaining, count, memory_order_relaxed);
}

/* Of one sample. */
static size_t mask_bytes(const struct dls_slot *slot)
{
    return (size_t)slot->view.width * slot->view.height * slot->view.views;
}

static size_t box_numbers(const struct dls_slot *slot)
{
    return (size_t)slot->view.boxes_per_image * 4 * slot->view.views;
}

void dls_slot_blank(struct dls_slot *slot)
{
    for (uint32_t place = slot->view.count; place < slot->view.size; place++) {
        slot->labels[place] = -1;
        slot->records[place] = UINT64_MAX;
        slot->valid[place] = 0;
        if (slot->mirror != NULL)
            slot->mirror[place] = 0;
    }
    const size_t first = slot->view.count, rest = slot->view.size - slot->view.count;
    if (slot->draws != NULL)
        memset(slot->draws + first * slot->view.views, 0, rest * slot->view.views * sizeof(*slot->draws));
    if (slot->masks != NULL)
        memset(slot->masks + first * mask_bytes(slot), 0, rest * mask_bytes(slot));
    if (slot->boxes != NULL)
        memset(slot->boxes + first * box_numbers(slot), 0, rest * box_numbers(slot) * sizeof(*slot->boxes));
    if (slot->images != NULL && slot->view.count < slot->view.size) {
        uint64_t filled = slot->view.count * slot->image_bytes;
        memset(slot->images + filled, 0, slot->images_bytes - filled);
    }
}

static void copy_place(struct dls_slot *slot, uint32_t from, uint32_t to)
{
    const size_t views = slot->view.views;

    slot->labels[to] = slot->labels[from];
    slot->records[to] = slot->records[from];
    slot->valid[to] = 1;
    if (slot->mirror != NULL)
        slot->mirror[to] = slot->mirror[from];
    if (slot->draws != NULL)
        memcpy(slot->draws + to * views, slot->draws + from * views, views * sizeof(*slot->draws));
    if (slot->masks != NULL)
        memcpy(slot->masks + to * mask_bytes(slot), slot->masks + from * mask_bytes(slot), mask_bytes(slot));
    if (slot->boxes != NULL)
        memcpy(slot->boxes + to * box_numbers(slot), slot->boxes + from * box_numbers(slot),
               box_numbers(slot) * sizeof(*slot->boxes));
    if (slot->images != NULL)
        memcpy(dls_slot_image(slot, to), dls_slot_image(slot, from), slot->image_bytes);
}

static void move_up(struct dls_slot *slot)
{
    uint32_t count = 0;

    for (uint32_t place = 0; place < slot->view.count; place++) {
        if (slot->valid[place] == 0)
            continue;
        if (count < place)
            copy_place(slot, place, count);
        count++;
    }
    slot->view.count = count;
}

static void copy_neighbours(struct dls_slot *slot)
{
    uint32_t good = 0;

    while (good < slot->view.count && slot->valid[good] == 0)
        good++;
    if (good == slot->view.count)
        slot->view.count = 0;
    for (uint32_t place = 0; place < slot->view.count; place++) {
        if (slot->valid[place] == 0)
            copy_place(slot, good, place);
        else
            good = place;
    }
}

void dls_slot_settle(struct dls_slot *slot, bool substitute)
{
    if (atomic_load_explicit(&slot->bad, memory_order_relaxed) == 0)
        return;
    if (substitute)
        copy_neighbours(slot);
    else
        move_up(slot);
    dls_slot_blank(slot);
}

uint64_t dls_slot_image_bytes(const struct dls_slot *slot)
{
    return slot->image_bytes;
}

uint8_t *dls_slot_image(const struct dls_slot *slot, uint32_t place)
{
    return slot->images != NULL ? slot->images + place * dls_slot_image_bytes(slot) : NULL;
}
