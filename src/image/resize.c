/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize.h"

#include "base/mem.h"
#include "image/resize_kernel.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct dls_resizer {
    const struct dls_resize_kernel *kernel;
    struct dls_resize_table horizontal, vertical;
    uint8_t *rows; /* a ring of horizontally resized rows, then one row of the source */
    size_t rows_size;
    const uint8_t **taps; /* the rows that make one row of the result */
    size_t taps_count;
};

int dls_resizer_create(struct dls_resizer **ret_resizer)
{
    struct dls_resizer *resizer = dls_alloc(DLS_MEM_IMAGE, sizeof(*resizer));
    if (!resizer)
        return -ENOMEM;
    unsigned best = 0;
    while (!dls_resize_kernels[best]->usable())
        best++;
    resizer->kernel = dls_resize_kernels[best];
    *ret_resizer = resizer;
    return 0;
}

void dls_resizer_use(struct dls_resizer *resizer, const struct dls_resize_kernel *kernel)
{
    resizer->kernel = kernel;
    resizer->horizontal.stale = resizer->vertical.stale = true;
}

static void table_free(struct dls_resize_table *table)
{
    dls_axis_free(&table->axis);
    dls_free(table->packed);
}

void dls_resizer_free(struct dls_resizer **resizer)
{
    if (!resizer || !*resizer)
        return;
    table_free(&(*resizer)->horizontal);
    table_free(&(*resizer)->vertical);
    dls_free((*resizer)->rows);
    dls_free((*resizer)->taps);
    dls_free(*resizer);
    *resizer = NULL;
}

/* Sizes vary from picture to picture: some room to spare makes growing rare. */
static int grow(void **memory, size_t *allocated, size_t size)
{
    if (size <= *allocated)
        return 0;
    size_t wanted = size + size / 4;
    dls_free(*memory);
    *allocated = 0;
    *memory = dls_alloc_aligned(DLS_MEM_IMAGE, 64, wanted);
    if (!*memory)
        return -ENOMEM;
    *allocated = wanted;
    return 0;
}

static int set_table(struct dls_resize_table *table, const struct dls_axis_key *key, dls_weigh_fn *weigh,
                     size_t (*packed_size)(const struct dls_axis *),
                     void (*pack)(const struct dls_axis *, void *))
{
    bool changed;
    int r = dls_axis_set(&table->axis, key, weigh, &changed);
    if (r < 0)
        return r;
    if (!changed && !table->stale)
        return 0;
    table->stale = true;
    r = grow(&table->packed, &table->packed_size, packed_size(&table->axis));
    if (r < 0)
        return r;
    pack(&table->axis, table->packed);
    table->stale = false;
    return 0;
}

static size_t row_size(uint32_t width)
{
    return ((size_t)width * 3 + DLS_RESIZE_PAD + 63) & ~(size_t)63;
}

/* One pass over the result, top to bottom: rows of the source are resized horizontally when a row of the
 * result first needs them, and stay in a ring just long enough. */
struct pass {
    struct dls_resizer *resizer;
    const struct dls_pixels *from, *to;
    bool across, down; /* which of the two passes there are */
    bool down_first;
    uint32_t offset; /* of the first wanted pixel in a row, if there is no horizontal pass */
    size_t ring_row;
    uint32_t ring_rows, made; /* rows before `made` have been resized */
    uint8_t *spare;
};

/* Pillow 13 shrinks the height before the width if it loses more than twice as many lines as the width loses
 * columns; the other order rounds differently. */
static bool height_first(const struct dls_resize_job *job)
{
    int64_t columns = (int64_t)job->width - job->to_width, lines = (int64_t)job->height - job->to_height;
    return lines > 0 && lines > 2 * columns;
}

static struct dls_axis_key across_key(const struct dls_resize_job *job)
{
    return (struct dls_axis_key){.filter = job->filter,
                                 .in = job->width,
                                 .out = job->to_width,
                                 .first = job->part.x,
                                 .count = job->part.width,
                                 .origin = job->source.x,
                                 .offset = job->offset_x,
                                 .span = job->span_x,
                                 .flip = job->flip_x,
                                 .gather = true};
}

static struct dls_axis_key down_key(const struct dls_resize_job *job)
{
    return (struct dls_axis_key){.filter = job->filter,
                                 .in = job->height,
                                 .out = job->to_height,
                                 .first = job->part.y,
                                 .count = job->part.height,
                                 .origin = job->source.y,
                                 .offset = job->offset_y,
                                 .span = job->span_y};
}

static int prepare(struct pass *pass, const struct dls_resize_job *job)
{
    struct dls_resizer *resizer = pass->resizer;
    const struct dls_resize_kernel *kernel = resizer->kernel;
    const struct dls_axis_key across = across_key(job), down = down_key(job);
    pass->across = job->width != job->to_width || job->span_x > 0 || job->flip_x;
    pass->down = job->height != job->to_height || job->span_y > 0;
    pass->down_first = height_first(job);
    pass->offset = job->part.x - job->source.x;
    int r = 0;
    if (pass->across)
        r = set_table(&resizer->horizontal, &across, kernel->weigh, kernel->horizontal_size,
                      kernel->pack_horizontal);
    if (r == 0 && pass->down)
        r = set_table(&resizer->vertical, &down, kernel->weigh, kernel->vertical_size, kernel->pack_vertical);
    if (r < 0)
        return r;
    pass->ring_rows = pass->down ? resizer->vertical.axis.taps : 1;
    pass->ring_row = row_size(job->part.width);
    size_t ring = pass->across ? pass->ring_rows * pass->ring_row : 0;
    size_t spare = row_size(pass->from->width) + kernel->overshoot;
    r = grow((void **)&resizer->rows, &resizer->rows_size, ring + spare);
    if (r == 0)
        r = grow((void **)&resizer->taps, &resizer->taps_count, pass->ring_rows * sizeof(*resizer->taps));
    pass->spare = resizer->rows + ring;
    return r;
}

int dls_resizer_reserve(struct dls_resizer *resizer, enum dls_filter filter, uint32_t width, uint32_t height,
                        uint32_t to_width, uint32_t to_height)
{
    /* A line that keeps its length needs no table: one pixel more does. */
    width += width == to_width;
    height += height == to_height;
    const struct dls_pixels from = {.width = width, .height = height};
    const struct dls_resize_job job = {
        .filter = filter,
        .width = width,
        .height = height,
        .to_width = to_width,
        .to_height = to_height,
        .part = {0, 0, to_width, to_height},
        .source = {0, 0, width, height},
    };
    struct pass pass = {.resizer = resizer, .from = &from};
    return prepare(&pass, &job);
}

/* Row y of the source, readable as far behind its end as the kernel may look. */
static const uint8_t *source_row(const struct pass *pass, uint32_t y)
{
    const struct dls_pixels *from = pass->from;
    size_t bytes = 3 * (size_t)from->width, rest = (from->height - 1 - y) * from->stride;
    const uint8_t *row = from->data + y * from->stride;
    if (rest >= pass->resizer->kernel->overshoot)
        return row;
    return memcpy(pass->spare, row, bytes);
}

static const uint8_t *resized_row(struct pass *pass, uint32_t y)
{
    if (!pass->across)
        return pass->from->data + y * pass->from->stride + 3 * (size_t)pass->offset;
    uint8_t *row = pass->resizer->rows + y % pass->ring_rows * pass->ring_row;
    if (y >= pass->made) {
        pass->resizer->kernel->horizontal(&pass->resizer->horizontal, source_row(pass, y), row);
        pass->made = y + 1;
    }
    return row;
}

/* The height first: each row of the result needs its source rows in full width. */
static void height_first_row(struct pass *pass, uint32_t index, uint8_t *out)
{
    struct dls_resizer *resizer = pass->resizer;
    const struct dls_span *span = &resizer->vertical.axis.spans[index];
    for (uint32_t t = 0; t < span->length; t++)
        resizer->taps[t] = pass->from->data + (span->start + t) * pass->from->stride;
    resizer->kernel->vertical(&resizer->vertical, index, resizer->taps, pass->spare,
                              3 * (size_t)pass->from->width);
    if (pass->across) {
        resizer->kernel->horizontal(&resizer->horizontal, pass->spare, resizer->rows);
        memcpy(out, resizer->rows, 3 * (size_t)pass->to->width);
    } else {
        memcpy(out, pass->spare + 3 * (size_t)pass->offset, 3 * (size_t)pass->to->width);
    }
}

static void result_row(struct pass *pass, uint32_t index, uint32_t top, uint8_t *out)
{
    struct dls_resizer *resizer = pass->resizer;
    size_t bytes = 3 * (size_t)pass->to->width;
    if (!pass->down) {
        memcpy(out, resized_row(pass, top + index), bytes);
        return;
    }
    if (pass->down_first) {
        height_first_row(pass, index, out);
        return;
    }
    const struct dls_axis *axis = &resizer->vertical.axis;
    for (uint32_t t = 0; t < axis->spans[index].length; t++)
        resizer->taps[t] = resized_row(pass, axis->spans[index].start + t);
    resizer->kernel->vertical(&resizer->vertical, index, resizer->taps, out, bytes);
}

int dls_resize_part(struct dls_resizer *resizer, const struct dls_resize_job *job,
                    const struct dls_pixels *from, const struct dls_pixels *to)
{
    struct pass pass = {.resizer = resizer, .from = from, .to = to};
    assert(from->width == job->source.width && from->height == job->source.height);
    assert(to->width == job->part.width && to->height == job->part.height);
    int r = prepare(&pass, job);
    if (r < 0)
        return r;
    for (uint32_t y = 0; y < to->height; y++)
        result_row(&pass, y, job->part.y - job->source.y,
                   to->data + (job->flip_y ? to->height - 1 - y : y) * to->stride);
    return 0;
}

int dls_resize(struct dls_resizer *resizer, enum dls_filter filter, const struct dls_pixels *from, bool flip,
               const struct dls_pixels *to)
{
    const struct dls_resize_job job = {
        .filter = filter,
        .width = from->width,
        .height = from->height,
        .to_width = to->width,
        .to_height = to->height,
        .part = {0, 0, to->width, to->height},
        .source = {0, 0, from->width, from->height},
        .flip_x = flip,
    };
    return dls_resize_part(resizer, &job, from, to);
}

void dls_resize_source(const struct dls_resize_job *job, struct dls_box *ret_source)
{
    const struct dls_axis_key across = across_key(job), down = down_key(job);
    struct dls_box source;
    dls_axis_need(&across, &source.x, &source.width);
    dls_axis_need(&down, &source.y, &source.height);
    *ret_source = source;
}
