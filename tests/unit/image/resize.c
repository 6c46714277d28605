/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "image/resize_kernel.h"
#include "support/synthetic.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct line {
    int pattern;
    uint64_t seed;
    uint32_t width, height;
    struct dls_box box;
    int filter;
    uint32_t to_width, to_height;
    uint64_t hash;
};

static const struct line lines[] = {
#include "unit/image/resize_table.h"
};

/* Memory that ends with the picture's last byte, so that a sanitizer sees any read or write behind it. */
static struct dls_pixels make_pixels(uint32_t width, uint32_t height, size_t gap)
{
    struct dls_pixels pixels = {NULL, width, height, 3 * (size_t)width + gap};
    pixels.data = malloc(pixels.stride * (height - 1) + 3 * (size_t)width);
    cr_assert_not_null(pixels.data);
    return pixels;
}

static struct dls_pixels make_picture(int pattern, uint64_t seed, uint32_t width, uint32_t height)
{
    struct dls_pixels pixels = make_pixels(width, height, 0);
    support_fill(pattern, seed, pixels.stride, pixels.data, pixels.stride * height);
    return pixels;
}

static struct dls_pixels cut(const struct dls_pixels *pixels, const struct dls_box *box)
{
    return (struct dls_pixels){pixels->data + box->y * pixels->stride + 3 * (size_t)box->x, box->width,
                               box->height, pixels->stride};
}

static void mirror(const struct dls_pixels *pixels)
{
    for (uint32_t y = 0; y < pixels->height; y++) {
        uint8_t *row = pixels->data + y * pixels->stride;
        for (uint32_t a = 0, b = pixels->width - 1; a < b; a++, b--)
            for (unsigned c = 0; c < 3; c++) {
                uint8_t keep = row[3 * a + c];
                row[3 * a + c] = row[3 * b + c];
                row[3 * b + c] = keep;
            }
    }
}

static bool equal(const struct dls_pixels *a, const struct dls_pixels *b)
{
    for (uint32_t y = 0; y < a->height; y++)
        if (memcmp(a->data + y * a->stride, b->data + y * b->stride, 3 * (size_t)a->width) != 0)
            return false;
    return true;
}

static struct dls_resizer *make_resizer(const struct dls_resize_kernel *kernel)
{
    struct dls_resizer *resizer = NULL;
    cr_assert_eq(dls_resizer_create(&resizer), 0);
    if (kernel)
        dls_resizer_use(resizer, kernel);
    return resizer;
}

static void check_table(const struct dls_resize_kernel *kernel, bool flip)
{
    struct dls_resizer *resizer = make_resizer(kernel);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct line *line = &lines[i];
        struct dls_pixels whole = make_picture(line->pattern, line->seed, line->width, line->height);
        struct dls_pixels from = cut(&whole, &line->box),
                          to = make_pixels(line->to_width, line->to_height, 0);
        cr_assert_eq(dls_resize(resizer, line->filter, &from, flip, &to), 0);
        if (flip)
            mirror(&to);
        cr_assert_eq(dls_hash64(to.data, to.stride * to.height), line->hash,
                     "%s: line %zu, %u×%u to %u×%u differs", kernel->name, i, from.width, from.height,
                     to.width, to.height);
        free(whole.data);
        free(to.data);
    }
    dls_resizer_free(&resizer);
}

Test(resize, equals_pillow)
{
    unsigned usable = 0;
    for (unsigned k = 0; dls_resize_kernels[k]; k++)
        if (dls_resize_kernels[k]->usable()) {
            usable++;
            check_table(dls_resize_kernels[k], false);
            check_table(dls_resize_kernels[k], true);
        }
    cr_assert_geq(usable, 1);
}

/* One random resize by two kernels, with gaps behind the rows that must stay as they were. */
static void compare_once(struct dls_resizer *plain, struct dls_resizer *fast, const char *name,
                         struct dls_rng *rng)
{
    uint32_t limit = dls_rng_below(rng, 3) ? 60 : 700;
    uint32_t width = 1 + (uint32_t)dls_rng_below(rng, limit),
             height = 1 + (uint32_t)dls_rng_below(rng, limit);
    uint32_t to_width = 1 + (uint32_t)dls_rng_below(rng, 300),
             to_height = 1 + (uint32_t)dls_rng_below(rng, 40);
    size_t gap = dls_rng_below(rng, 70);
    bool flip = dls_rng_below(rng, 2);
    enum dls_filter filter = (enum dls_filter)dls_rng_below(rng, 2);
    struct dls_pixels from =
        make_picture((int)dls_rng_below(rng, SUPPORT_PATTERNS), dls_rng_u64(rng), width, height);
    struct dls_pixels a = make_pixels(to_width, to_height, 0), b = make_pixels(to_width, to_height, gap);
    memset(b.data, 0xA5, b.stride * (to_height - 1) + 3 * (size_t)to_width);
    cr_assert_eq(dls_resize(plain, filter, &from, flip, &a), 0);
    cr_assert_eq(dls_resize(fast, filter, &from, flip, &b), 0);
    cr_assert(equal(&a, &b), "%s differs: %u×%u to %u×%u, filter %d, flip %d", name, width, height, to_width,
              to_height, filter, flip);
    for (uint32_t y = 0; y + 1 < to_height; y++)
        for (size_t i = 3 * (size_t)to_width; i < b.stride; i++)
            cr_assert_eq(b.data[y * b.stride + i], 0xA5, "%s wrote behind row %u", name, y);
    free(from.data);
    free(a.data);
    free(b.data);
}

Test(resize, kernels_agree)
{
    struct dls_resizer *plain = make_resizer(&dls_resize_portable);
    for (unsigned k = 0; dls_resize_kernels[k]; k++) {
        if (!dls_resize_kernels[k]->usable())
            continue;
        struct dls_resizer *fast = make_resizer(dls_resize_kernels[k]);
        struct dls_rng rng;
        dls_rng_init(&rng, 4, 0, 0);
        for (int i = 0; i < 600; i++)
            compare_once(plain, fast, dls_resize_kernels[k]->name, &rng);
        dls_resizer_free(&fast);
    }
    dls_resizer_free(&plain);
}

/* A job for a random part of a random resize, without its source. */
static struct dls_resize_job random_job(struct dls_rng *rng)
{
    struct dls_resize_job job = {.filter = (enum dls_filter)dls_rng_below(rng, 2)};
    job.width = 1 + (uint32_t)dls_rng_below(rng, 300);
    job.height = 1 + (uint32_t)dls_rng_below(rng, 300);
    job.to_width = dls_rng_below(rng, 4) ? 1 + (uint32_t)dls_rng_below(rng, 250) : job.width;
    job.to_height = dls_rng_below(rng, 4) ? 1 + (uint32_t)dls_rng_below(rng, 250) : job.height;
    if (dls_rng_below(rng, 8) == 0)
        job.height = 101 * (job.width = 1 + job.width % 4);
    job.part.x = (uint32_t)dls_rng_below(rng, job.to_width);
    job.part.y = (uint32_t)dls_rng_below(rng, job.to_height);
    job.part.width = 1 + (uint32_t)dls_rng_below(rng, job.to_width - job.part.x);
    job.part.height = 1 + (uint32_t)dls_rng_below(rng, job.to_height - job.part.y);
    job.flip_x = dls_rng_below(rng, 2);
    job.flip_y = dls_rng_below(rng, 2);
    return job;
}

/* What is cut out of a resize is the same when only that part, and only the source it needs, is there. */
Test(resize, part_equals_cut_of_whole)
{
    struct dls_resizer *resizer = make_resizer(NULL);
    struct dls_rng rng;
    dls_rng_init(&rng, 5, 0, 0);
    for (int i = 0; i < 1500; i++) {
        struct dls_resize_job job = random_job(&rng);
        struct dls_pixels from = make_picture(i % SUPPORT_PATTERNS, (uint64_t)i, job.width, job.height);
        struct dls_pixels whole = make_pixels(job.to_width, job.to_height, 0);
        struct dls_pixels part = make_pixels(job.part.width, job.part.height, 0),
                          expected = cut(&whole, &job.part);
        cr_assert_eq(dls_resize(resizer, job.filter, &from, false, &whole), 0);
        dls_resize_source(&job, &job.source);
        cr_assert(job.source.width >= 1 && job.source.x + job.source.width <= job.width);
        cr_assert(job.source.height >= 1 && job.source.y + job.source.height <= job.height);
        struct dls_pixels needed = make_pixels(job.source.width, job.source.height, 0);
        for (uint32_t y = 0; y < needed.height; y++)
            memcpy(needed.data + y * needed.stride,
                   from.data + (job.source.y + y) * from.stride + 3 * (size_t)job.source.x, needed.stride);
        cr_assert_eq(dls_resize_part(resizer, &job, &needed, &part), 0);
        if (job.flip_x)
            mirror(&expected);
        if (job.flip_y)
            for (uint32_t y = 0; y < part.height; y++)
                cr_assert_arr_eq(part.data + y * part.stride,
                                 expected.data + (part.height - 1 - y) * expected.stride, part.stride);
        else
            cr_assert(equal(&part, &expected), "case %d", i);
        free(from.data);
        free(whole.data);
        free(part.data);
        free(needed.data);
    }
    dls_resizer_free(&resizer);
}

/* Once the largest picture was seen, no picture makes the resizer allocate. */
Test(resize, allocates_nothing_once_grown)
{
    struct dls_resizer *resizer = make_resizer(NULL);
    struct dls_pixels from = make_picture(SUPPORT_NOISE, 1, 700, 600), to = make_pixels(224, 224, 0);
    struct dls_rng rng;
    dls_rng_init(&rng, 6, 0, 0);
    cr_assert_eq(dls_resize(resizer, DLS_FILTER_BICUBIC, &from, false, &to), 0);
    cr_assert_eq(dls_resize(resizer, DLS_FILTER_BILINEAR, &from, true, &to), 0);
    uint64_t before = dls_mem_count(DLS_MEM_TAGS);
    for (int i = 0; i < 50; i++) {
        struct dls_box box = {0, 0, 1 + (uint32_t)dls_rng_below(&rng, 700),
                              1 + (uint32_t)dls_rng_below(&rng, 600)};
        struct dls_pixels some = cut(&from, &box);
        cr_assert_eq(dls_resize(resizer, (enum dls_filter)(i % 2), &some, i & 2, &to), 0);
    }
    cr_assert_eq(dls_mem_count(DLS_MEM_TAGS), before);
    free(from.data);
    free(to.data);
    dls_resizer_free(&resizer);
}

/* Whatever allocation fails, the error is -ENOMEM, and the same resizer gives the right pixels afterwards. */
Test(resize, survives_lack_of_memory)
{
    struct dls_pixels from = make_picture(SUPPORT_WAVES, 2, 90, 70), to = make_pixels(40, 50, 0);
    struct dls_pixels expected = make_pixels(40, 50, 0);
    struct dls_resizer *plain = make_resizer(NULL);
    cr_assert_eq(dls_resize(plain, DLS_FILTER_BILINEAR, &from, false, &expected), 0);
    unsigned failures = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct dls_resizer *resizer = make_resizer(NULL);
        dls_mem_fail(seed, 4);
        int r = dls_resize(resizer, DLS_FILTER_BILINEAR, &from, false, &to);
        dls_mem_fail(0, 0);
        cr_assert(r == 0 || r == -ENOMEM);
        failures += r != 0;
        struct dls_box box = {3, 2, 10, 12};
        struct dls_pixels some = cut(&from, &box);
        cr_assert_eq(dls_resize(resizer, DLS_FILTER_BILINEAR, &some, false, &to), 0);
        cr_assert_eq(dls_resize(resizer, DLS_FILTER_BILINEAR, &from, false, &to), 0);
        cr_assert(equal(&to, &expected));
        dls_resizer_free(&resizer);
    }
    cr_assert_geq(failures, 10);
    dls_resizer_free(&plain);
    free(from.data);
    free(to.data);
    free(expected.data);
}

Test(resize, free_takes_null)
{
    struct dls_resizer *resizer = NULL;
    dls_resizer_free(&resizer);
    dls_resizer_free(NULL);
    resizer = make_resizer(NULL);
    dls_resizer_free(&resizer);
    cr_assert_null(resizer);
}
