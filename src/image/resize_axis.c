/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_axis.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* The arithmetic here is Pillow's, operation by operation in double precision: any other order of the same
 * sums would now and then round a weight differently. */

struct scale {
    double scale;   /* source pixels in a result pixel */
    double support; /* half the filter's width in source pixels */
    double inverse; /* filter units in a source pixel */
};

static struct scale scale_of(enum dls_filter filter, uint32_t in, uint32_t out)
{
    double scale = (double)in / out, stretch = scale < 1.0 ? 1.0 : scale;
    return (struct scale){scale, (filter == DLS_FILTER_BICUBIC ? 2.0 : 1.0) * stretch, 1.0 / stretch};
}

static double center_of(const struct scale *scale, uint32_t x)
{
    return (x + 0.5) * scale->scale;
}

static void span_of(const struct scale *scale, uint32_t in, uint32_t x, uint32_t *ret_start,
                    uint32_t *ret_length)
{
    double center = center_of(scale, x);
    int64_t from = (int64_t)(center - scale->support + 0.5), to = (int64_t)(center + scale->support + 0.5);
    if (from < 0)
        from = 0;
    if (to > in)
        to = in;
    *ret_start = (uint32_t)from;
    *ret_length = (uint32_t)(to - from);
}

static double bilinear(double x)
{
    x = fabs(x);
    return x < 1.0 ? 1.0 - x : 0.0;
}

/* Keys's cubic with a = -1/2. */
static double bicubic(double x)
{
    x = fabs(x);
    if (x < 1.0)
        return (1.5 * x - 2.5) * x * x + 1;
    if (x < 2.0)
        return (((x - 5) * x + 8) * x - 4) * -0.5;
    return 0.0;
}

static void weigh(enum dls_filter filter, const struct scale *scale, uint32_t x, uint32_t start,
                  uint32_t length, double *work, int32_t *ret_weights)
{
    double center = center_of(scale, x), sum = 0;
    for (uint32_t i = 0; i < length; i++) {
        double at = ((double)(start + i) - center + 0.5) * scale->inverse;
        work[i] = filter == DLS_FILTER_BICUBIC ? bicubic(at) : bilinear(at);
        sum += work[i];
    }
    for (uint32_t i = 0; i < length; i++) {
        double weight = (sum != 0.0 ? work[i] / sum : work[i]) * (1 << DLS_WEIGHT_BITS);
        ret_weights[i] = (int32_t)(weight < 0 ? weight - 0.5 : weight + 0.5);
    }
}

static int grow(void **memory, size_t *allocated, size_t count, size_t size)
{
    if (count <= *allocated)
        return 0;
    dls_free(*memory);
    *allocated = 0;
    *memory = dls_alloc_array(DLS_MEM_IMAGE, count, size);
    if (!*memory)
        return -ENOMEM;
    *allocated = count;
    return 0;
}

static int reserve(struct dls_axis *axis, size_t count, size_t pitch)
{
    if (grow((void **)&axis->spans, &axis->spans_size, count, sizeof(*axis->spans)) < 0 ||
        grow((void **)&axis->weights, &axis->weights_size, count * pitch, sizeof(*axis->weights)) < 0 ||
        grow((void **)&axis->work, &axis->work_size, pitch, sizeof(*axis->work)) < 0)
        return -ENOMEM;
    return 0;
}

/* A line whose length stays is not filtered: one tap of weight one gives the pixel itself. */
static void fill_identity(struct dls_axis *axis)
{
    const struct dls_axis_key *key = &axis->key;
    for (uint32_t i = 0; i < key->count; i++) {
        axis->spans[i].start = key->first + (key->flip ? key->count - 1 - i : i) - key->origin;
        axis->spans[i].length = 1;
        axis->weights[i] = 1 << DLS_WEIGHT_BITS;
    }
}

static void fill(struct dls_axis *axis, const struct scale *scale)
{
    const struct dls_axis_key *key = &axis->key;
    memset(axis->weights, 0, sizeof(*axis->weights) * key->count * axis->pitch);
    axis->taps = 0;
    for (uint32_t i = 0; i < key->count; i++) {
        struct dls_span *span = &axis->spans[i];
        uint32_t x = key->first + (key->flip ? key->count - 1 - i : i);
        span_of(scale, key->in, x, &span->start, &span->length);
        weigh(key->filter, scale, x, span->start, span->length, axis->work,
              axis->weights + (size_t)i * axis->pitch);
        assert(span->start >= key->origin && span->length <= axis->pitch);
        span->start -= key->origin;
        if (axis->taps < span->length)
            axis->taps = span->length;
    }
}

static bool same_key(const struct dls_axis_key *a, const struct dls_axis_key *b)
{
    return a->filter == b->filter && a->in == b->in && a->out == b->out && a->first == b->first &&
           a->count == b->count && a->origin == b->origin && a->flip == b->flip;
}

int dls_axis_set(struct dls_axis *axis, const struct dls_axis_key *key, bool *ret_changed)
{
    assert(key->in >= 1 && key->out >= 1 && key->count >= 1);
    assert(key->first < key->out && key->count <= key->out - key->first);
    if (same_key(&axis->key, key)) {
        *ret_changed = false;
        return 0;
    }
    axis->key.count = 0; /* matches no key until all is filled */
    struct scale scale = scale_of(key->filter, key->in, key->out);
    size_t pitch = key->in == key->out ? 1 : (size_t)ceil(2 * scale.support) + 1;
    if (pitch > key->in)
        pitch = key->in;
    int r = reserve(axis, key->count, pitch);
    if (r < 0)
        return r;
    axis->taps = axis->pitch = (uint32_t)pitch;
    axis->key = *key;
    if (key->in == key->out)
        fill_identity(axis);
    else
        fill(axis, &scale);
    *ret_changed = true;
    return 0;
}

void dls_axis_free(struct dls_axis *axis)
{
    dls_free(axis->spans);
    dls_free(axis->weights);
    dls_free(axis->work);
    memset(axis, 0, sizeof(*axis));
}

void dls_axis_reach(enum dls_filter filter, uint32_t in, uint32_t out, uint32_t first, uint32_t count,
                    uint32_t *ret_first, uint32_t *ret_count)
{
    uint32_t start, length, last_start;
    if (in == out) {
        *ret_first = first;
        *ret_count = count;
        return;
    }
    struct scale scale = scale_of(filter, in, out);
    span_of(&scale, in, first, &start, &length);
    span_of(&scale, in, first + count - 1, &last_start, &length);
    *ret_first = start;
    *ret_count = last_start + length - start;
}
