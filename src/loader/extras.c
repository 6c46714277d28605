/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/extras.h"

#include "base/err.h"
#include "image/nearest.h"
#include "loader/state.h"

#include <math.h>
#include <string.h>

static int find_field(const struct dls_plan_facts *facts, const char *what, const char *name, dls_field_type type,
                      uint32_t *ret_field)
{
    const struct dls_schema *schema = facts->schema;

    for (uint32_t i = 0; schema != NULL && i < schema->count; i++) {
        if (strcmp(schema->fields[i].name, name) != 0)
            continue;
        if (schema->fields[i].type != type || (type == DLS_FIELD_FLOAT32 && schema->fields[i].count % 4 != 0))
            return dls_err(EINVAL, "dls_loader_open: %s: field '%s' is not %s", what, name,
                           type == DLS_FIELD_IMAGE ? "of type IMAGE" : "of type FLOAT32 with 4 values a box");
        *ret_field = i + 1;
        return 0;
    }
    return dls_err(EINVAL, "dls_loader_open: %s: the dataset has no field '%s'", what, name);
}

int dls_extras_find(const dls_loader_params *params, const struct dls_plan_facts *facts, struct dls_plan *plan)
{
    int r = 0;

    if (params == NULL || (params->mask_field == NULL && params->boxes_field == NULL))
        return 0;
    if (plan->params.no_decode || plan->params.order == DLS_ORDER_FULL)
        return dls_err(EINVAL, "dls_loader_open: mask_field or boxes_field is given: expected no %s with it",
                       plan->params.no_decode ? "no_decode" : "order FULL");
    if (params->mask_field != NULL)
        r = find_field(facts, "mask_field", params->mask_field, DLS_FIELD_IMAGE, &plan->mask);
    if (r == 0 && params->boxes_field != NULL)
        r = find_field(facts, "boxes_field", params->boxes_field, DLS_FIELD_FLOAT32, &plan->boxes);
    return r;
}

void dls_extras_get(const struct dls_plan *plan, const struct dls_window_block *block, uint32_t record,
                    struct dls_sample *sample)
{
    size_t length;

    if (plan->mask > 0) {
        dls_block_cell(&block->view, plan->mask - 1, record, &sample->mask);
        sample->mask_stored = block->view.data + sample->mask.offset;
    }
    if (plan->boxes > 0)
        sample->boxes = dls_block_inline(&block->view, plan->boxes - 1, record, &length);
}

static float clamp(double value, uint32_t most)
{
    return (float)(value < 0 ? 0 : value > most ? most : value);
}

void dls_boxes_move(const struct dls_view *view, uint32_t width, uint32_t height, const uint8_t *boxes, uint32_t count,
                    float *ret_boxes)
{
    const double scale_x = (double)view->resized_width / view->box.width;
    const double scale_y = (double)view->resized_height / view->box.height;

    for (uint32_t i = 0; i < count; i++, boxes += 16, ret_boxes += 4) {
        float box[4], x0, x1, y0, y1;
        memcpy(box, boxes, sizeof(box));
        if (isnan(box[0]) || isnan(box[1]) || isnan(box[2]) || isnan(box[3])) {
            for (int k = 0; k < 4; k++)
                ret_boxes[k] = NAN;
            continue;
        }
        x0 = clamp(((double)box[0] - view->box.x) * scale_x + view->left, width);
        y0 = clamp(((double)box[1] - view->box.y) * scale_y + view->top, height);
        x1 = clamp(((double)box[2] - view->box.x) * scale_x + view->left, width);
        y1 = clamp(((double)box[3] - view->box.y) * scale_y + view->top, height);
        ret_boxes[0] = view->flip ? (float)width - x1 : x0;
        ret_boxes[1] = view->upside_down ? (float)height - y1 : y0;
        ret_boxes[2] = view->flip ? (float)width - x0 : x1;
        ret_boxes[3] = view->upside_down ? (float)height - y0 : y1;
    }
}

/* One view of a mask; from: its box in the upright picture. */
static void place_mask(struct dls_worker *worker, const struct dls_view *view, const struct dls_pixels *from,
                       uint32_t width, uint32_t height, uint8_t *to)
{
    uint32_t *columns = worker->nearest, *rows = columns + width, left, top;
    struct dls_box part;

    memset(to, (int)worker->loader->plan.params.mask_pad, (size_t)width * height);
    dls_view_part(view, width, height, &part, &left, &top);
    dls_nearest(view->box.width, view->resized_width, part.x, part.width, columns);
    dls_nearest(view->box.height, view->resized_height, part.y, part.height, rows);
    for (uint32_t y = 0; y < part.height; y++) {
        const uint8_t *line = from->data + rows[y] * from->stride;
        uint32_t at = top + y, x = left;
        uint8_t *out = to + (size_t)(view->upside_down ? height - 1 - at : at) * width;
        for (uint32_t i = 0; i < part.width; i++, x++)
            out[view->flip ? width - 1 - x : x] = line[3 * (size_t)columns[i]];
    }
}

/* A mask that is to be decoded, as sample.c does with pictures. */
struct mask_job {
    struct dls_picture picture;
    struct dls_box box; /* stored coordinates */
    uint8_t orientation;
    struct dls_picture_parts parts;
};

static int plan_mask(const struct dls_worker *worker, const struct dls_cell *cell, const struct dls_view *view,
                     uint32_t width, uint32_t height, struct mask_job *ret_job)
{
    const struct dls_plan *plan = &worker->loader->plan;
    struct mask_job job = {
        .picture = {.codec = (dls_codec)cell->codec,
                    .width = cell->width,
                    .height = cell->height,
                    .channels = cell->channels,
                    .bits = 8,
                    .indexes = 1},
        .orientation = plan->params.ignore_orientation || cell->orientation == 0 ? 1 : cell->orientation,
    };
    const bool swaps = dls_orientation_swaps(job.orientation);
    const uint32_t own_width = swaps ? cell->height : cell->width, own_height = swaps ? cell->width : cell->height;

    if (cell->codec == DLS_CODEC_NONE || cell->stored == 0)
        return dls_err(EBADMSG, "there is none");
    if (own_width != width || own_height != height)
        return dls_err(EBADMSG, "it has %u x %u pixels, the picture %u x %u", own_width, own_height, width, height);
    dls_box_to_stored(&view->box, job.orientation, cell->width, cell->height, &job.box);
    dls_picture_divide(&(struct dls_picture_need){.encoded = cell->encoding != DLS_ENCODING_STORED ? cell->raw : 0,
                                                  .width = cell->width,
                                                  .height = cell->height,
                                                  .line = cell->width,
                                                  .box_width = job.box.width,
                                                  .box_height = job.box.height,
                                                  .turned = job.orientation != 1,
                                                  .whole_in_codec = cell->codec != DLS_CODEC_RAW},
                       &job.parts);
    if (job.parts.total > plan->region_bytes)
        return dls_err(ENOMEM, "decoding it takes %llu bytes, %llu are left for that in memory_bytes",
                       (unsigned long long)job.parts.total, (unsigned long long)plan->region_bytes);
    *ret_job = job;
    return 0;
}

/* Decodes the box and turns it upright. */
static int decode_mask(struct dls_worker *worker, const struct dls_sample *sample, const struct mask_job *job,
                       uint8_t *memory, struct dls_pixels *ret_pixels)
{
    struct dls_pixels from = {.data = memory + job->parts.box,
                              .width = job->box.width,
                              .height = job->box.height,
                              .stride = (size_t)job->box.width * 3};
    const uint8_t *data;
    int r;

    worker->cell.bytes = memory;
    worker->cell.room = sample->mask.encoding != DLS_ENCODING_STORED ? sample->mask.raw : 0;
    r = dls_cell_open(&sample->mask, sample->mask_stored, !worker->loader->plan.params.no_verify, &worker->cell,
                      &data);
    worker->cell.bytes = NULL;
    worker->cell.room = 0;
    if (r < 0)
        return r;
    dls_decoder_lend(worker->decoder, memory + job->parts.codec, job->parts.codec_bytes);
    r = dls_decoder_rgb(worker->decoder, &job->picture, data, sample->mask.raw, &job->box, &from, NULL);
    dls_decoder_lend(worker->decoder, NULL, 0);
    if (r == 0 && job->orientation != 1) {
        const bool swaps = dls_orientation_swaps(job->orientation);
        struct dls_pixels turned = {.data = memory + job->parts.turned,
                                    .width = swaps ? from.height : from.width,
                                    .height = swaps ? from.width : from.height};
        turned.stride = (size_t)turned.width * 3;
        dls_orient(&from, job->orientation, &turned);
        from = turned;
    }
    *ret_pixels = from;
    return r;
}

static void place_views(struct dls_worker *worker, const struct dls_sample *sample, const struct dls_view *view,
                        const struct dls_pixels *mask, struct dls_slot *slot, uint32_t place)
{
    const dls_batch *batch = &slot->view;

    for (uint32_t index = 0; index < batch->views; index++) {
        const size_t image = (size_t)place * batch->views + index;
        struct dls_view turned = *view;
        if (batch->views > 1)
            dls_view_turn(&worker->loader->chooser.spec, index, &turned);
        if (slot->boxes != NULL)
            dls_boxes_move(&turned, batch->width, batch->height, sample->boxes, batch->boxes_per_image,
                           slot->boxes + image * batch->boxes_per_image * 4);
        if (slot->masks != NULL)
            place_mask(worker, &turned, mask, batch->width, batch->height,
                       slot->masks + image * batch->width * batch->height);
    }
}

int dls_extras_make(struct dls_worker *worker, const struct dls_sample *sample, const struct dls_view *view,
                    uint32_t width, uint32_t height, struct dls_slot *slot, uint32_t place)
{
    struct dls_pixels mask = {0};
    struct mask_job job;
    uint8_t *memory;
    int r;

    if (slot->masks == NULL) {
        if (slot->boxes != NULL)
            place_views(worker, sample, view, &mask, slot, place);
        return 0;
    }
    r = plan_mask(worker, &sample->mask, view, width, height, &job);
    if (r < 0)
        return dls_err_context(r, "the mask");
    memory = dls_room_take(worker->loader->room, worker->index, job.parts.total);
    r = decode_mask(worker, sample, &job, memory, &mask);
    if (r == 0)
        place_views(worker, sample, view, &mask, slot, place);
    dls_room_give(worker->loader->room, worker->index);
    return r < 0 ? dls_err_context(r, "the mask") : 0;
}
