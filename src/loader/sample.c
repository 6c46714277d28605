/* SPDX-License-Identifier: Apache-2.0 */
/* One record to one place of a batch. */
#include "loader/state.h"

#include "base/err.h"
#include "device/cuda_kernel.h"
#include "image/geometry.h"
#include "loader/extras.h"
#include "shard/cell.h"
#include "shard/part.h"

#include <math.h>

/* Below this a picture is charged as if its codec held all of it; above, its header is read to find out. */
#define HEADER_PIXELS (1u << 20)
#define KEY_SHOWN 200

/* Puts shard, record, key and offset before the error's text. Returns r. */
static int explain(const struct dls_worker *worker, const struct dls_sample *sample, int r)
{
    const char *path = dls_set_shard_path(worker->loader->dataset, sample->shard), *key = sample->key;
    size_t length = sample->key_length < KEY_SHOWN ? sample->key_length : KEY_SHOWN;
    struct dls_error error = {0};
    char found[KEY_SHOWN];
    int got;

    dls_error_keep(&error, r);
    if (key == NULL) { /* the record was read without its block's directory */
        got = dls_set_read_key(worker->loader->dataset, sample->number, found, sizeof(found));
        key = found;
        length = got > 0 ? (size_t)got : 0;
    }
    return dls_err_context(dls_error_raise(&error), "'%s', record %llu, key '%.*s', offset %llu", path,
                           (unsigned long long)sample->number, (int)length, key,
                           (unsigned long long)sample->offset);
}

/* What is to be made of a picture. */
struct job {
    const struct dls_cell *cell;
    struct dls_picture picture;
    struct dls_view view;
    struct dls_box part;   /* of the resized box, that the image shows, */
    uint32_t left, top;    /* and where */
    struct dls_box region; /* the view's box in the picture as it is decoded, upright: the same, or smaller, */
    double offset[2], span[2]; /* and then the exact place in it; else 0 */
    struct dls_box source; /* of the region, what all views of the sample depend on */
    struct dls_box box;    /* the same in stored coordinates of the picture as it is decoded */
    uint8_t orientation;
    struct dls_look look;
    struct dls_picture_need need;
};

static struct dls_resize_job resize_job(const struct dls_worker *worker, const struct job *job)
{
    return (struct dls_resize_job){
        .filter = worker->loader->plan.params.filter,
        .width = job->region.width,
        .height = job->region.height,
        .offset_x = job->offset[0],
        .offset_y = job->offset[1],
        .span_x = job->span[0],
        .span_y = job->span[1],
        .to_width = job->view.resized_width,
        .to_height = job->view.resized_height,
        .part = job->part,
        .source = job->source,
        .flip_x = job->view.flip,
        .flip_y = job->view.upside_down,
    };
}

/* Eighths of its size at which the picture is large enough for the view; 0: all of it. libjpeg-turbo has fast code for
 * these only. */
static uint8_t find_scale(const struct dls_worker *worker, const struct job *job)
{
    const struct dls_view *view = &job->view;

    if (worker->loader->plan.params.dct_scale != DLS_DCT_SCALE_FAST || job->picture.codec != DLS_CODEC_JPEG)
        return 0;
    for (uint8_t eighths = 1; eighths < 8; eighths *= 2)
        if ((uint64_t)view->box.width * eighths / 8 >= view->resized_width &&
            (uint64_t)view->box.height * eighths / 8 >= view->resized_height)
            return eighths;
    return 0;
}

/* One direction: what becomes of [at, at + length) of a line of `side` pixels, and where exactly it lies in that. A line
 * that is mirrored to be upright has the rest of its last, incomplete pixel in front. */
static void scale_line(uint32_t at, uint32_t length, uint32_t side, uint8_t eighths, bool mirrored, uint32_t *ret_at,
                       uint32_t *ret_length, double *ret_offset, double *ret_span)
{
    const double scale = eighths / 8.0;
    double begin = at * scale + (mirrored ? dls_scaled_side(side, eighths) - side * scale : 0);
    double end = begin + length * scale;

    *ret_at = (uint32_t)begin;
    *ret_length = (uint32_t)ceil(end) - *ret_at;
    *ret_offset = begin - *ret_at;
    *ret_span = length * scale;
}

static void find_region(struct job *job, uint32_t width, uint32_t height)
{
    const struct dls_box *box = &job->view.box;
    const uint8_t eighths = job->picture.eighths;
    bool mirror_x, mirror_y;

    job->region = *box;
    if (eighths == 0)
        return;
    dls_orientation_mirrors(job->orientation, &mirror_x, &mirror_y);
    scale_line(box->x, box->width, width, eighths, mirror_x, &job->region.x, &job->region.width, &job->offset[0],
               &job->span[0]);
    scale_line(box->y, box->height, height, eighths, mirror_y, &job->region.y, &job->region.height, &job->offset[1],
               &job->span[1]);
}

/* Which pixels of the picture are needed. */
static void find_source(const struct dls_worker *worker, struct job *job)
{
    const dls_loader_params *p = &worker->loader->plan.params;
    struct dls_resize_job resize;
    struct dls_box upright;

    dls_view_part(&job->view, p->width, p->height, &job->part, &job->left, &job->top);
    resize = resize_job(worker, job);
    if (dls_crop_views(p->crop) > 1)
        job->source = (struct dls_box){0, 0, job->region.width, job->region.height};
    else
        dls_resize_source(&resize, &job->source);
    upright = (struct dls_box){job->region.x + job->source.x, job->region.y + job->source.y, job->source.width,
                               job->source.height};
    dls_box_to_stored(&upright, job->orientation, dls_scaled_side(job->picture.width, job->picture.eighths),
                      dls_scaled_side(job->picture.height, job->picture.eighths), &job->box);
}

static int prepare(const struct dls_worker *worker, uint64_t number, uint64_t epoch, struct job *job)
{
    const struct dls_cell *cell = job->cell;
    uint32_t width = cell->width, height = cell->height; /* upright */
    int r;

    job->picture = (struct dls_picture){.codec = (dls_codec)cell->codec,
                                        .width = cell->width,
                                        .height = cell->height,
                                        .channels = cell->channels,
                                        .bits = 8,
                                        .orientation = cell->orientation};
    job->orientation =
        worker->loader->plan.params.ignore_orientation || cell->orientation == 0 ? 1 : cell->orientation;
    if (dls_orientation_swaps(job->orientation)) {
        width = cell->height;
        height = cell->width;
    }
    r = dls_choose(&worker->loader->chooser, epoch, number, width, height, &job->view, &job->look);
    if (r < 0)
        return r;
    job->picture.eighths = find_scale(worker, job);
    find_region(job, width, height);
    find_source(worker, job);
    job->need = (struct dls_picture_need){
        .encoded = cell->encoding != DLS_ENCODING_STORED ? cell->raw : 0,
        .width = cell->width,
        .height = cell->height,
        .line = cell->width,
        .box_width = job->box.width,
        .box_height = job->box.height,
        .turned = job->orientation != 1,
        .whole_in_codec = cell->codec != DLS_CODEC_RAW,
    };
    return 0;
}

/* A large JPEG is charged for what its codec holds only if it is progressive: its header says that. Damage
 * shows when it is decoded. */
static void look_at_header(struct dls_worker *worker, const uint8_t *stored, struct job *job)
{
    struct dls_picture picture;

    if (job->picture.codec != DLS_CODEC_JPEG || job->cell->encoding != DLS_ENCODING_STORED ||
        (uint64_t)job->picture.width * job->picture.height < HEADER_PIXELS)
        return;
    if (dls_decoder_header(worker->decoder, DLS_CODEC_JPEG, stored, job->cell->stored, NULL, &picture) == 0)
        job->need.whole_in_codec = picture.progressive || picture.arithmetic;
}

/* Where the images of a sample go. */
struct goal {
    struct dls_slot *slot;
    uint32_t place;
    uint64_t epoch, number;
};

/* Pixels of view `index`: in the tile, or in the batch itself. */
static struct dls_pixels pixels_of(const struct dls_worker *worker, const struct goal *goal, uint8_t *image)
{
    const dls_batch *batch = &goal->slot->view;

    return (struct dls_pixels){.data = worker->tile != NULL ? worker->tile : image,
                               .width = batch->width,
                               .height = batch->height,
                               .stride = (size_t)batch->width * 3};
}

/* Are the decoded pixels already those of the image? Then they need not be resized. */
static bool fits_as_it_is(const struct job *job, const struct dls_pixels *to)
{
    return job->orientation == 1 && job->picture.eighths == 0 && !job->view.flip && !job->view.upside_down &&
           job->view.resized_width == job->view.box.width && job->view.resized_height == job->view.box.height &&
           job->source.width == to->width && job->source.height == to->height;
}

static void fill(const struct dls_pixels *pixels, uint32_t color)
{
    for (uint32_t y = 0; y < pixels->height; y++) {
        uint8_t *at = pixels->data + y * pixels->stride;
        for (uint32_t x = 0; x < pixels->width; x++, at += 3) {
            at[0] = (uint8_t)(color >> 16);
            at[1] = (uint8_t)(color >> 8);
            at[2] = (uint8_t)color;
        }
    }
}

static int resize(struct dls_worker *worker, const struct job *job, const struct dls_pixels *from,
                  const struct dls_pixels *to)
{
    const struct dls_resize_job resize = resize_job(worker, job);
    const struct dls_box *part = &job->part;
    uint32_t left = job->view.flip ? to->width - job->left - part->width : job->left;
    uint32_t top = job->view.upside_down ? to->height - job->top - part->height : job->top;
    const struct dls_pixels place = {.data = to->data + top * to->stride + 3 * (size_t)left,
                                     .width = part->width,
                                     .height = part->height,
                                     .stride = to->stride};

    if (part->width < to->width || part->height < to->height)
        fill(to, worker->loader->plan.params.pad_color);
    return dls_resize_part(worker->resizer, &resize, from, &place);
}

/* One image out of the decoded pixels; `from` NULL: these are in place. */
static int make_view(struct dls_worker *worker, struct job *job, const struct dls_pixels *from,
                     const struct goal *goal, uint32_t index)
{
    struct dls_slot *slot = goal->slot;
    const uint32_t views = slot->view.views;
    uint8_t *image = dls_slot_image(slot, goal->place) + index * (dls_slot_image_bytes(slot) / views);
    const struct dls_pixels to = pixels_of(worker, goal, image);
    int r = 0;

    if (from != NULL)
        r = resize(worker, job, from, &to);
    if (r == 0)
        dls_finish_apply(&worker->loader->finish, &job->look, &to, image);
    return r;
}

static int make_views(struct dls_worker *worker, struct job *job, const struct dls_pixels *from,
                      const struct goal *goal)
{
    const struct dls_chooser *chooser = &worker->loader->chooser;
    const struct dls_view central = job->view;
    const uint32_t views = goal->slot->view.views;
    int r = 0;

    for (uint32_t index = 0; r == 0 && index < views; index++) {
        if (views > 1) {
            job->view = central;
            dls_view_turn(&chooser->spec, index, &job->view);
            dls_view_part(&job->view, chooser->spec.width, chooser->spec.height, &job->part, &job->left, &job->top);
        }
        if (goal->slot->draws != NULL)
            dls_draw_put(&job->view, &job->look, goal->epoch, goal->number,
                         &goal->slot->draws[(size_t)goal->place * views + index]);
        if (goal->slot->mirror != NULL) { /* it costs a device nothing */
            goal->slot->mirror[goal->place] =
                (uint8_t)((job->view.flip ? DLS_MIRROR_X : 0) | (job->view.upside_down ? DLS_MIRROR_Y : 0));
            job->view.flip = job->view.upside_down = false;
        }
        r = make_view(worker, job, from, goal, index);
    }
    return r;
}

static int decode(struct dls_worker *worker, struct job *job, const struct dls_picture_parts *parts,
                  const uint8_t *data, uint8_t *memory, const struct goal *goal)
{
    struct dls_pixels from = {.data = memory + parts->box,
                              .width = job->box.width,
                              .height = job->box.height,
                              .stride = (size_t)job->box.width * 3};
    const struct dls_pixels to = pixels_of(worker, goal, dls_slot_image(goal->slot, goal->place));
    const bool direct = goal->slot->view.views == 1 && goal->slot->mirror == NULL && fits_as_it_is(job, &to);
    struct dls_decode_notes notes;
    int r;

    dls_decoder_lend(worker->decoder, memory + parts->codec, parts->codec_bytes);
    r = dls_decoder_rgb(worker->decoder, &job->picture, data, job->cell->raw, &job->box, direct ? &to : &from,
                        &notes);
    dls_decoder_lend(worker->decoder, NULL, 0);
    if (r == 0 && notes.warnings > 0) {
        dls_count(&worker->warnings, 1);
        if (worker->loader->plan.params.strict)
            r = dls_err(EBADMSG, "%s: a warning, taken for an error: %s", dls_codec_name(job->picture.codec),
                        notes.first);
    }
    if (r < 0)
        return r;
    if (job->orientation != 1) {
        struct dls_pixels turned = {.data = memory + parts->turned,
                                    .width = job->source.width,
                                    .height = job->source.height,
                                    .stride = (size_t)job->source.width * 3};
        dls_orient(&from, job->orientation, &turned);
        from = turned;
    }
    return make_views(worker, job, direct ? NULL : &from, goal);
}

/* Unpacks and decodes in this thread's region of the room for pictures. */
static int use_room(struct dls_worker *worker, struct job *job, const uint8_t *stored, const struct goal *goal)
{
    const struct dls_plan *plan = &worker->loader->plan;
    struct dls_picture_parts parts;
    const uint8_t *data;
    uint8_t *memory;
    int r;

    dls_picture_divide(&job->need, &parts);
    if (parts.total > plan->region_bytes)
        return dls_err(ENOMEM,
                       "decoding %u x %u pixels takes %llu bytes, %llu are left for that in memory_bytes",
                       job->picture.width, job->picture.height, (unsigned long long)parts.total,
                       (unsigned long long)plan->region_bytes);
    memory = dls_room_take(worker->loader->room, worker->index, parts.total);
    worker->cell.bytes = memory;
    worker->cell.room = job->need.encoded;
    r = dls_cell_open(job->cell, stored, !plan->params.no_verify, &worker->cell, &data);
    if (r == 0)
        r = decode(worker, job, &parts, data, memory, goal);
    worker->cell.bytes = NULL;
    worker->cell.room = 0;
    dls_room_give(worker->loader->room, worker->index);
    return r;
}

static int make_image(struct dls_worker *worker, const struct dls_sample *sample, const struct goal *goal)
{
    struct job job = {.cell = &sample->cell};
    int r;

    if (sample->cell.width == 0 || sample->cell.height == 0)
        return dls_err(EBADMSG, "the picture has no size");
    r = prepare(worker, sample->number, goal->epoch, &job);
    if (r < 0)
        return r;
    const struct dls_view view = job.view;
    const bool swaps = dls_orientation_swaps(job.orientation);
    look_at_header(worker, sample->stored, &job);
    r = use_room(worker, &job, sample->stored, goal);
    if (r == 0)
        r = dls_extras_make(worker, sample, &view, swaps ? sample->cell.height : sample->cell.width,
                            swaps ? sample->cell.width : sample->cell.height, goal->slot, goal->place);
    return r;
}

int dls_sample_make(struct dls_worker *worker, const struct dls_sample *sample, uint64_t epoch,
                    struct dls_slot *slot, uint32_t place)
{
    const dls_loader_params *p = &worker->loader->plan.params;
    int r = 0;

    slot->labels[place] = sample->label;
    slot->records[place] = sample->number;
    slot->valid[place] = 1;
    if (!p->no_decode) {
        r = make_image(worker, sample, &(struct goal){slot, place, epoch, sample->number});
    } else if (!p->no_verify) {
        struct dls_part part = dls_cell_part(&sample->cell);
        r = dls_part_verify(&part, sample->stored);
    }
    return r < 0 ? explain(worker, sample, r) : 0;
}
