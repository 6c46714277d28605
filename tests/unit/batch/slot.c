/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/slot.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct dls_slot_shape shape = {.size = 5, .width = 7, .height = 3, .images = true};

Test(slot, bytes_hold_every_array_and_are_whole_pages)
{
    uint64_t bytes;
    struct dls_slot_shape other = {.size = 256, .width = 224, .height = 224, .images = true};

    cr_assert_eq(dls_slot_bytes(&shape, &bytes), 0);
    cr_assert_eq(bytes, 4096); /* 5 × 63 → 320, and 5 × 17 */
    cr_assert_eq(dls_slot_bytes(&other, &bytes), 0);
    cr_assert_eq(bytes, 256 * 150528 + 8192); /* 256 × 17 = 4352 → two pages */
    other.images = false;
    cr_assert_eq(dls_slot_bytes(&other, &bytes), 0);
    cr_assert_eq(bytes, 8192);
}

Test(slot, a_batch_too_large_for_any_machine_is_refused)
{
    uint64_t bytes = 77;
    struct dls_slot_shape largest = {.size = 65536, .width = 16384, .height = 16384, .images = true};
    struct dls_slot_shape beyond = {
        .size = UINT32_MAX, .width = UINT32_MAX, .height = UINT32_MAX, .images = true};

    cr_assert_eq(dls_slot_bytes(&largest, &bytes), 0);
    cr_assert_eq(bytes, (65536ull * 16384 * 16384 * 3) + 65536ull * 17);
    bytes = 77;
    cr_assert_eq(dls_slot_bytes(&beyond, &bytes), -EOVERFLOW);
    cr_assert_eq(bytes, 77);
}

Test(slot, arrays_do_not_overlap_and_lie_in_the_memory)
{
    struct dls_slot slot = {0};
    uint8_t *memory = aligned_alloc(4096, 4096);

    dls_slot_bind(&slot, &shape, memory);
    dls_slot_begin(&slot, 3, 9, 5);
    memset(slot.images, 1, slot.view.images_bytes);
    for (uint32_t i = 0; i < 5; i++) {
        slot.labels[i] = -2;
        slot.records[i] = 3;
        slot.valid[i] = 4;
    }
    for (size_t i = 0; i < slot.view.images_bytes; i++)
        cr_assert_eq(slot.images[i], 1);
    for (uint32_t i = 0; i < 5; i++)
        cr_assert(slot.view.labels[i] == -2 && slot.view.records[i] == 3 && slot.view.valid[i] == 4);
    cr_assert_eq(slot.view.images, memory);
    cr_assert_eq(slot.view.images_bytes, 5 * 7 * 3 * 3);
    cr_assert_eq(dls_slot_image(&slot, 4) - memory, 4 * 63);
    cr_assert_leq((const void *)(slot.valid + 5), (const void *)(memory + 4096));
    cr_assert(slot.view.epoch == 3 && slot.view.index == 9 && slot.view.count == 5 && slot.view.size == 5);
    cr_assert_eq(slot.remaining, 5);
    free(memory);
}

Test(slot, blank_empties_the_places_behind_the_last_sample_alone)
{
    struct dls_slot slot = {0};
    uint8_t *memory = aligned_alloc(4096, 4096);

    memset(memory, 9, 4096);
    dls_slot_bind(&slot, &shape, memory);
    dls_slot_begin(&slot, 0, 0, 3);
    dls_slot_blank(&slot);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(slot.valid[i], i < 3 ? 9 : 0);
        cr_assert_eq(slot.labels[i], i < 3 ? 0x0909090909090909 : -1);
        cr_assert_eq(slot.records[i], i < 3 ? 0x0909090909090909u : UINT64_MAX);
        for (size_t k = 0; k < 63; k++)
            cr_assert_eq(dls_slot_image(&slot, i)[k], i < 3 ? 9 : 0);
    }
    free(memory);
}

Test(slot, without_images_there_is_no_image_memory)
{
    struct dls_slot slot = {0};
    struct dls_slot_shape labels = {.size = 5, .width = 7, .height = 3, .images = false};
    uint8_t *memory = aligned_alloc(4096, 4096);

    dls_slot_bind(&slot, &labels, memory);
    dls_slot_begin(&slot, 0, 0, 1);
    dls_slot_blank(&slot);
    cr_assert_null(slot.view.images);
    cr_assert_eq(slot.view.images_bytes, 0);
    cr_assert_null(dls_slot_image(&slot, 0));
    cr_assert_eq(slot.labels[4], -1);
    free(memory);
}

Test(slot, wider_numbers_make_longer_images)
{
    static const uint32_t bytes[] = {1, 4, 2, 2};

    for (int dtype = DLS_DTYPE_UINT8; dtype <= DLS_DTYPE_BFLOAT16; dtype++) {
        struct dls_slot_shape other = shape;
        struct dls_slot slot = {0};
        uint64_t needed;
        other.dtype = (dls_dtype)dtype;
        other.layout = DLS_LAYOUT_NCHW;
        cr_assert_eq(dls_slot_bytes(&other, &needed), 0);
        uint8_t *memory = aligned_alloc(DLS_SLOT_ALIGN, needed);
        dls_slot_bind(&slot, &other, memory);
        cr_assert(slot.view.dtype == (dls_dtype)dtype && slot.view.layout == DLS_LAYOUT_NCHW);
        cr_assert_eq(dls_slot_image_bytes(&slot), 7 * 3 * 3 * bytes[dtype]);
        cr_assert_eq(slot.view.images_bytes, 5 * dls_slot_image_bytes(&slot));
        cr_assert((uint8_t *)slot.labels >= memory + slot.view.images_bytes);
        cr_assert_eq(dls_slot_image(&slot, 4), memory + 4 * dls_slot_image_bytes(&slot));
        free(memory);
    }
}

/* Five samples whose label, record and pixels are 10, 11, …; those of the mask are bad. */
static struct dls_slot spoiled(unsigned mask)
{
    const struct dls_slot_shape full = {.size = 6,
                                        .width = 2,
                                        .height = 2,
                                        .images = true,
                                        .views = 2,
                                        .draws = true,
                                        .mirror = true};
    struct dls_slot slot = {0};
    uint8_t *memory = aligned_alloc(4096, 4096);

    dls_slot_bind(&slot, &full, memory);
    dls_slot_begin(&slot, 0, 0, 5);
    for (uint32_t i = 0; i < 5; i++) {
        bool bad = mask >> i & 1;
        slot.labels[i] = 10 + i;
        slot.records[i] = 10 + i;
        slot.valid[i] = !bad;
        slot.mirror[i] = (uint8_t)(10 + i);
        memset(dls_slot_image(&slot, i), 10 + (int)i, dls_slot_image_bytes(&slot));
        slot.draws[2 * i].record = slot.draws[2 * i + 1].record = 10 + i;
        atomic_fetch_add(&slot.bad, bad);
    }
    return slot;
}

static void expect_places(struct dls_slot *slot, uint32_t count, const int *wanted)
{
    cr_assert_eq(slot->view.count, count);
    for (uint32_t i = 0; i < 6; i++) {
        const uint8_t *image = dls_slot_image(slot, i);
        int pixel = i < count ? wanted[i] : 0;
        for (size_t k = 0; k < 24; k++)
            cr_assert_eq(image[k], pixel);
        cr_assert_eq(slot->valid[i], i < count);
        cr_assert_eq(slot->labels[i], i < count ? wanted[i] : -1);
        cr_assert_eq(slot->records[i], i < count ? (uint64_t)wanted[i] : UINT64_MAX);
        cr_assert_eq(slot->mirror[i], pixel);
        cr_assert(slot->draws[2 * i].record == (uint64_t)pixel && slot->draws[2 * i + 1].record == (uint64_t)pixel);
    }
    free(slot->images);
}

Test(slot, good_samples_move_up_to_the_places_of_bad_ones)
{
    struct dls_slot one = spoiled(1u << 2), three = spoiled(0x15), all = spoiled(0x1f), none = spoiled(0);

    dls_slot_blank(&none);
    dls_slot_settle(&none, false);
    expect_places(&none, 5, (const int[]){10, 11, 12, 13, 14});
    dls_slot_settle(&one, false);
    expect_places(&one, 4, (const int[]){10, 11, 13, 14});
    dls_slot_settle(&three, false);
    expect_places(&three, 2, (const int[]){11, 13});
    dls_slot_settle(&all, false);
    expect_places(&all, 0, NULL);
}

Test(slot, bad_samples_become_copies_of_their_neighbours)
{
    struct dls_slot one = spoiled(1u << 2), first = spoiled(3), all = spoiled(0x1f), last = spoiled(0x1e);

    dls_slot_settle(&one, true);
    expect_places(&one, 5, (const int[]){10, 11, 11, 13, 14});
    dls_slot_settle(&first, true);
    expect_places(&first, 5, (const int[]){12, 12, 12, 13, 14});
    dls_slot_settle(&last, true);
    expect_places(&last, 5, (const int[]){10, 10, 10, 10, 10});
    dls_slot_settle(&all, true);
    expect_places(&all, 0, NULL);
}
