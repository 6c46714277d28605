/* SPDX-License-Identifier: Apache-2.0 */
/* One record to one place of a batch. */
#include "loader/state.h"

#include "base/err.h"
#include "base/rng.h"
#include "device/cuda_kernel.h"
#include "image/geometry.h"
#include "shard/cell.h"
#include "shard/part.h"

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
    struct dls_box box; /* in stored coordinates */
    uint8_t orientation;
    struct dls_look look;
    struct dls_picture_need need;
};

/* Everything that is random about a sample. New draws come behind the others, so that what a seed gave stays.
 */
static void choose_view(const struct dls_loader *loader, uint64_t number, uint64_t epoch, struct job *job)
{
    const dls_loader_params *p = &loader->plan.params;
    const struct dls_cell *cell = job->cell;
    bool swaps;
    struct dls_rng rng;

    job->picture = (struct dls_picture){.codec = (dls_codec)cell->codec,
                                        .width = cell->width,
                                        .height = cell->height,
                                        .channels = cell->channels,
                                        .bits = 8,
                                        .orientation = cell->orientation};
    job->orientation = p->ignore_orientation || cell->orientation == 0 ? 1 : cell->orientation;
    swaps = dls_orientation_swaps(job->orientation);
    dls_rng_init(&rng, p->seed, epoch, number);
    dls_view_choose(p->crop, p->flip != 0, swaps ? cell->height : cell->width,
                    swaps ? cell->width : cell->height, p->width, p->height, &rng, &job->view);
    if (p->flip_vertical)
        job->view.upside_down = dls_rng_u32(&rng) >> 31;
    dls_finish_choose(&loader->finish, &rng, &job->look);
    dls_box_to_stored(&job->view.box, job->orientation, cell->width, cell->height, &job->box);
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

/* Is the box already what is asked for? Then it need not be resized. */
static bool fits_as_it_is(const struct job *job, const struct dls_pixels *to)
{
    return job->orientation == 1 && !job->view.flip && !job->view.upside_down &&
           job->box.width == to->width && job->box.height == to->height;
}

static int resize(struct dls_worker *worker, const struct job *job, const struct dls_pixels *from,
                  const struct dls_pixels *to)
{
    const struct dls_resize_job whole = {
        .filter = DLS_FILTER_BILINEAR,
        .width = from->width,
        .height = from->height,
        .to_width = to->width,
        .to_height = to->height,
        .part = {0, 0, to->width, to->height},
        .source = {0, 0, from->width, from->height},
        .flip_x = job->view.flip,
        .flip_y = job->view.upside_down,
    };
    return dls_resize_part(worker->resizer, &whole, from, to);
}

static int decode(struct dls_worker *worker, const struct job *job, const struct dls_picture_parts *parts,
                  const uint8_t *data, uint8_t *memory, const struct dls_pixels *to)
{
    const struct dls_box *upright = &job->view.box;
    struct dls_pixels from = {.data = memory + parts->box,
                              .width = job->box.width,
                              .height = job->box.height,
                              .stride = (size_t)job->box.width * 3};
    const bool direct = fits_as_it_is(job, to);
    int r;

    dls_decoder_lend(worker->decoder, memory + parts->codec, parts->codec_bytes);
    r = dls_decoder_rgb(worker->decoder, &job->picture, data, job->cell->raw, &job->box, direct ? to : &from,
                        NULL);
    dls_decoder_lend(worker->decoder, NULL, 0);
    if (r < 0 || direct)
        return r;
    if (job->orientation != 1) {
        struct dls_pixels turned = {.data = memory + parts->turned,
                                    .width = upright->width,
                                    .height = upright->height,
                                    .stride = (size_t)upright->width * 3};
        dls_orient(&from, job->orientation, &turned);
        from = turned;
    }
    return resize(worker, job, &from, to);
}

/* Unpacks and decodes in this thread's region of the room for pictures. */
static int use_room(struct dls_worker *worker, const struct job *job, const uint8_t *stored,
                    const struct dls_pixels *to)
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
        r = decode(worker, job, &parts, data, memory, to);
    worker->cell.bytes = NULL;
    worker->cell.room = 0;
    dls_room_give(worker->loader->room, worker->index);
    return r;
}

static void leave_mirroring(struct dls_view *view, uint8_t *ret_mirror)
{
    *ret_mirror = (uint8_t)((view->flip ? DLS_MIRROR_X : 0) | (view->upside_down ? DLS_MIRROR_Y : 0));
    view->flip = view->upside_down = false;
}

static int make_image(struct dls_worker *worker, const struct dls_sample *sample, uint64_t epoch,
                      struct dls_slot *slot, uint32_t place)
{
    uint8_t *goal = dls_slot_image(slot, place);
    const struct dls_pixels to = {.data = worker->tile != NULL ? worker->tile : goal,
                                  .width = slot->view.width,
                                  .height = slot->view.height,
                                  .stride = (size_t)slot->view.width * 3};
    struct job job = {.cell = &sample->cell};
    int r;

    if (sample->cell.width == 0 || sample->cell.height == 0)
        return dls_err(EBADMSG, "the picture has no size");
    choose_view(worker->loader, sample->number, epoch, &job);
    if (slot->mirror != NULL) /* it costs a device nothing */
        leave_mirroring(&job.view, &slot->mirror[place]);
    look_at_header(worker, sample->stored, &job);
    r = use_room(worker, &job, sample->stored, &to);
    if (r == 0)
        dls_finish_apply(&worker->loader->finish, &job.look, &to, goal);
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
        r = make_image(worker, sample, epoch, slot, place);
    } else if (!p->no_verify) {
        struct dls_part part = dls_cell_part(&sample->cell);
        r = dls_part_verify(&part, sample->stored);
    }
    return r < 0 ? explain(worker, sample, r) : 0;
}
