/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_axis.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static struct dls_scale scale_of(const struct dls_axis_key *key)
{
    double scale = (key->span > 0 ? key->span : (double)key->in) / key->out, stretch = scale < 1.0 ? 1.0 : scale;
    double support = (key->filter == DLS_FILTER_BICUBIC ? 2.0 : 1.0) * stretch;
    return (struct dls_scale){key->filter, (int32_t)key->in, scale, support, 1.0 / stretch, key->offset};
}

/* Is each result a pixel as it is? */
static bool is_identity(const struct dls_axis_key *key)
{
    return key->in == key->out && key->span == 0;
}

static void span_of(const struct dls_scale *scale, uint32_t x, uint32_t *ret_start, uint32_t *ret_end)
{
    double center = scale->offset + (x + 0.5) * scale->scale;
    double start = center - scale->support + 0.5, end = center + scale->support + 0.5;
    *ret_start = start < 0 ? 0 : (uint32_t)start;
    *ret_end = end > scale->in ? (uint32_t)scale->in : (uint32_t)end;
}

void dls_axis_need(const struct dls_axis_key *key, uint32_t *ret_first, uint32_t *ret_count)
{
    uint32_t start = key->first, end = key->first + key->count, unused;
    if (!is_identity(key)) {
        struct dls_scale scale = scale_of(key);
        span_of(&scale, key->first, &start, &unused);
        span_of(&scale, key->first + key->count - 1, &unused, &end);
    }
    *ret_first = start;
    *ret_count = end - start;
}

void dls_axis_reach(enum dls_filter filter, uint32_t in, uint32_t out, uint32_t first, uint32_t count,
                    uint32_t *ret_first, uint32_t *ret_count)
{
    const struct dls_axis_key key = {.filter = filter, .in = in, .out = out, .first = first, .count = count};
    dls_axis_need(&key, ret_first, ret_count);
}

/* Sizes vary from picture to picture: some room to spare makes growing rare. */
static int grow(void **memory, size_t *allocated, size_t size)
{
    if (size <= *allocated)
        return 0;
    size_t wanted = size + size / 4;
    dls_free(*memory);
    *allocated = 0;
    *memory = dls_alloc_aligned(DLS_MEM_IMAGE, 64, (wanted + 63) & ~(size_t)63);
    if (!*memory)
        return -ENOMEM;
    *allocated = wanted;
    return 0;
}

static int reserve(struct dls_axis *axis, size_t count, size_t pitch)
{
    if (grow((void **)&axis->spans, &axis->spans_size, (count + DLS_AXIS_SPARE) * sizeof(*axis->spans)) < 0 ||
        grow((void **)&axis->weights, &axis->weights_size,
             (count * pitch + DLS_AXIS_SPARE) * sizeof(*axis->weights)) < 0 ||
        grow((void **)&axis->work, &axis->work_size, DLS_LANES * pitch * sizeof(*axis->work)) < 0 ||
        grow((void **)&axis->raw, &axis->raw_size, DLS_LANES * pitch * sizeof(*axis->raw)) < 0)
        return -ENOMEM;
    return 0;
}

static void set_taps(struct dls_axis *axis, uint32_t taps)
{
    axis->taps = taps;
    axis->groups = (taps + DLS_GROUP - 1) / DLS_GROUP;
    axis->pitch = axis->groups * DLS_GROUP;
}

/* Which result entry i is. */
static uint32_t result_of(const struct dls_axis_key *key, uint32_t i)
{
    return key->first + (key->flip ? key->count - 1 - i : i);
}

/* The latest start of a span when the pixels before `reach` are what there is. */
static uint32_t latest_start(const struct dls_axis *axis, uint32_t reach)
{
    if (!axis->key.gather)
        return UINT32_MAX;
    return reach > axis->pitch ? reach - axis->pitch : 0;
}

/* A line whose length stays is not filtered: one tap of weight one gives the pixel itself. */
static void fill_identity(struct dls_axis *axis, uint32_t reach)
{
    const struct dls_axis_key *key = &axis->key;
    set_taps(axis, 1);
    uint32_t latest = latest_start(axis, reach);
    memset(axis->weights, 0, sizeof(*axis->weights) * key->count * axis->pitch);
    for (uint32_t i = 0; i < key->count; i++) {
        uint32_t start = result_of(key, i) - key->origin;
        uint32_t begin = start < latest ? start : latest;
        axis->spans[i] = (struct dls_span){begin, start - begin + 1};
        axis->weights[(size_t)i * axis->pitch + (start - begin)] = 1 << DLS_WEIGHT_BITS;
    }
}

/* Puts eight weighed results in their rows. False if one has more taps than was thought. */
static bool put_results(struct dls_axis *axis, const struct dls_weighed *weighed, uint32_t first,
                        uint32_t latest)
{
    const struct dls_axis_key *key = &axis->key;
    for (uint32_t l = 0; l < DLS_LANES && first + l < key->count; l++) {
        uint32_t start = (uint32_t)weighed->start[l] - key->origin, length = (uint32_t)weighed->length[l];
        uint32_t begin = start < latest ? start : latest;
        if (length > axis->taps)
            return false;
        assert((uint32_t)weighed->start[l] >= key->origin);
        axis->spans[first + l] = (struct dls_span){begin, start - begin + length};
        int32_t *row = axis->weights + (size_t)(first + l) * axis->pitch + (start - begin);
        for (uint32_t t = 0; t < length; t++)
            row[t] = weighed->weights[t * DLS_LANES + l];
    }
    return true;
}

static bool fill(struct dls_axis *axis, const struct dls_scale *scale, dls_weigh_fn *weigh, uint32_t reach)
{
    const struct dls_axis_key *key = &axis->key;
    uint32_t latest = latest_start(axis, reach);
    memset(axis->weights, 0, sizeof(*axis->weights) * key->count * axis->pitch);
    for (uint32_t i = 0; i < key->count; i += DLS_LANES) {
        struct dls_weighed weighed = {.work = axis->work, .weights = axis->raw};
        for (uint32_t l = 0; l < DLS_LANES; l++)
            weighed.x[l] = (int32_t)result_of(key, i + l < key->count ? i + l : key->count - 1);
        weigh(scale, &weighed);
        if (!put_results(axis, &weighed, i, latest))
            return false;
    }
    return true;
}

static bool same_key(const struct dls_axis_key *a, const struct dls_axis_key *b)
{
    return a->filter == b->filter && a->in == b->in && a->out == b->out && a->first == b->first &&
           a->count == b->count && a->origin == b->origin &&
           a->offset == b->offset && a->span == b->span && a->flip == b->flip && a->gather == b->gather;
}

int dls_axis_set(struct dls_axis *axis, const struct dls_axis_key *key, dls_weigh_fn *weigh,
                 bool *ret_changed)
{
    assert(key->in >= 1 && key->in <= INT32_MAX && key->out >= 1 && key->out <= INT32_MAX && key->count >= 1);
    assert(key->first < key->out && key->count <= key->out - key->first);
    if (same_key(&axis->key, key)) {
        *ret_changed = false;
        return 0;
    }
    axis->key.count = 0; /* matches no key until all is filled */
    struct dls_scale scale = scale_of(key);
    uint32_t start, count;
    dls_axis_need(key, &start, &count);
    /* A span is at most 2 × support long, rounded up; one more when the sums that give its ends are rounded
     * apart. */
    uint32_t taps = (uint32_t)ceil(2 * scale.support);
    if (taps > count)
        taps = count;
    int r = reserve(axis, key->count, ((size_t)taps + 1 + DLS_GROUP) & ~(size_t)(DLS_GROUP - 1));
    if (r < 0)
        return r;
    axis->key = *key;
    if (is_identity(key))
        fill_identity(axis, start + count - key->origin);
    else
        for (set_taps(axis, taps); !fill(axis, &scale, weigh, start + count - key->origin);)
            set_taps(axis, taps + 1);
    *ret_changed = true;
    return 0;
}

void dls_axis_free(struct dls_axis *axis)
{
    dls_free(axis->spans);
    dls_free(axis->weights);
    dls_free(axis->work);
    dls_free(axis->raw);
    memset(axis, 0, sizeof(*axis));
}
