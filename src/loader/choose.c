/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/choose.h"

#include "base/err.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

static int check_range(const char *name, double range[2], double least, double most)
{
    if (range[0] == 0 && range[1] == 0)
        return 0;
    if (!(range[0] >= least && range[0] <= range[1] && range[1] <= most))
        return dls_err(EINVAL, "dls_loader_open: %s is %g, %g: expected two numbers from %g to %g, the smaller first",
                       name, range[0], range[1], least, most);
    return 0;
}

/* A draw comes behind those before it. */
static bool comes_behind(const dls_draw *a, const dls_draw *b)
{
    return a->epoch != b->epoch ? a->epoch > b->epoch : a->record > b->record;
}

static int check_replay(const dls_loader_params *p)
{
    if ((p->replay == NULL) != (p->replay_count == 0))
        return dls_err(EINVAL, "dls_loader_open: replay and replay_count contradict each other");
    for (uint64_t i = 1; i < p->replay_count; i++)
        if (!comes_behind(&p->replay[i], &p->replay[i - 1]))
            return dls_err(EINVAL,
                           "dls_loader_open: replay[%llu] is of epoch %llu, record %llu: expected one behind the one "
                           "before it",
                           (unsigned long long)i, (unsigned long long)p->replay[i].epoch,
                           (unsigned long long)p->replay[i].record);
    return 0;
}

int dls_crop_resolve(dls_loader_params *p)
{
    const bool several = dls_crop_views(p->crop) > 1;
    const uint32_t longer = p->width > p->height ? p->width : p->height;
    int r = check_range("crop_scale", p->crop_scale, 1e-6, 1);

    if (r == 0)
        r = check_range("crop_ratio", p->crop_ratio, 1e-3, 1000);
    if (r == 0)
        r = check_replay(p);
    if (r < 0)
        return r;
    if (several && (p->flip || p->flip_vertical || p->replay_count > 0))
        return dls_err(EINVAL, "dls_loader_open: flip, flip_vertical or replay with crop FIVE or TEN: these are fixed");
    if (several && p->resize == 0)
        p->resize = (uint32_t)((uint64_t)longer * 8 / 7);
    if (p->resize > 0 && !several && p->crop != DLS_CROP_CENTER)
        return dls_err(EINVAL, "dls_loader_open: resize is %u: expected crop CENTER, FIVE or TEN with it", p->resize);
    if (p->resize > 0 && p->resize < longer)
        return dls_err(EINVAL, "dls_loader_open: resize is %u: expected no less than width and height, %u x %u",
                       p->resize, p->width, p->height);
    if (p->pad_color > 0 && p->crop != DLS_CROP_PAD)
        return dls_err(EINVAL, "dls_loader_open: pad_color is given: expected crop PAD with it");
    return 0;
}

void dls_chooser_init(struct dls_chooser *chooser, const dls_loader_params *params,
                      const struct dls_finish *finish)
{
    *chooser = (struct dls_chooser){.seed = params->seed,
                                    .may_turn = params->flip_vertical != 0,
                                    .finish = finish,
                                    .replay = params->replay,
                                    .replay_count = params->replay_count};
    dls_crop_spec_init(params, &chooser->spec);
}

static const dls_draw *find_draw(const struct dls_chooser *chooser, uint64_t epoch, uint64_t record)
{
    const dls_draw wanted = {.epoch = epoch, .record = record};
    uint64_t low = 0, high = chooser->replay_count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const dls_draw *draw = &chooser->replay[middle];
        if (comes_behind(&wanted, draw))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == chooser->replay_count || comes_behind(&chooser->replay[low], &wanted))
        return NULL;
    return &chooser->replay[low];
}

static int take_jitter(const dls_draw *draw, struct dls_color_jitter *ret_jitter)
{
    struct dls_color_jitter jitter = {.factor = {1, 1, 1, 0}};

    for (unsigned i = 0; i < draw->jitter && i < DLS_COLOR_STEPS; i++) {
        unsigned step = draw->jitter_order[i];
        if (step >= DLS_COLOR_STEPS || jitter.use[step])
            return dls_err(EINVAL, "replay: jitter_order[%u] is %u", i, step);
        double factor = draw->jitter_factor[step], least = step == DLS_COLOR_HUE ? -0.5 : 0;
        if (!(factor >= least && factor <= (step == DLS_COLOR_HUE ? 0.5 : 1001)))
            return dls_err(EINVAL, "replay: jitter_factor[%u] is %g", step, factor);
        jitter.order[i] = (enum dls_color_step)step;
        jitter.use[step] = true;
        jitter.factor[step] = factor;
    }
    if (draw->jitter > DLS_COLOR_STEPS)
        return dls_err(EINVAL, "replay: jitter is %u: expected 4 at most", draw->jitter);
    for (unsigned i = draw->jitter, step = 0; i < DLS_COLOR_STEPS; step++)
        if (!jitter.use[step])
            jitter.order[i++] = (enum dls_color_step)step;
    *ret_jitter = jitter;
    return 0;
}

static int take_draw(const struct dls_chooser *chooser, const dls_draw *draw, uint32_t width, uint32_t height,
                     struct dls_view *ret_view, struct dls_look *ret_look)
{
    const struct dls_view view = {.box = {draw->x, draw->y, draw->width, draw->height},
                                  .resized_width = draw->resized_width,
                                  .resized_height = draw->resized_height,
                                  .left = draw->left,
                                  .top = draw->top,
                                  .flip = draw->flip != 0,
                                  .upside_down = draw->flip_vertical != 0};
    struct dls_look look = {.grey = draw->grayscale != 0};
    struct dls_box part;
    uint32_t left, top;
    int r = take_jitter(draw, &look.jitter);

    if (r < 0)
        return r;
    if (draw->width == 0 || draw->height == 0 || draw->x >= width || draw->width > width - draw->x ||
        draw->y >= height || draw->height > height - draw->y)
        return dls_err(EINVAL, "replay: a box of %u x %u at (%u, %u) of a picture of %u x %u", draw->width,
                       draw->height, draw->x, draw->y, width, height);
    if (draw->resized_width == 0 || draw->resized_width > DLS_RESIZED_MAX || draw->resized_height == 0 ||
        draw->resized_height > DLS_RESIZED_MAX ||
        !dls_view_part(&view, chooser->spec.width, chooser->spec.height, &part, &left, &top))
        return dls_err(EINVAL, "replay: nothing of a box resized to %u x %u at (%d, %d) is in the image",
                       draw->resized_width, draw->resized_height, draw->left, draw->top);
    *ret_view = view;
    *ret_look = look;
    return 0;
}

/* New draws come behind the others, so that what a seed gave stays. */
int dls_choose(const struct dls_chooser *chooser, uint64_t epoch, uint64_t record, uint32_t width, uint32_t height,
               struct dls_view *ret_view, struct dls_look *ret_look)
{
    const dls_draw *draw = find_draw(chooser, epoch, record);
    struct dls_rng rng;

    if (draw != NULL)
        return take_draw(chooser, draw, width, height, ret_view, ret_look);
    dls_rng_init(&rng, chooser->seed, epoch, record);
    dls_view_choose(&chooser->spec, width, height, &rng, ret_view);
    if (chooser->may_turn)
        ret_view->upside_down = dls_rng_u32(&rng) >> 31;
    dls_finish_choose(chooser->finish, &rng, ret_look);
    return 0;
}

void dls_draw_put(const struct dls_view *view, const struct dls_look *look, uint64_t epoch, uint64_t record,
                  dls_draw *ret_draw)
{
    dls_draw draw;

    memset(&draw, 0, sizeof(draw)); /* draws are kept and compared as bytes */
    draw.epoch = epoch;
    draw.record = record;
    draw.x = view->box.x;
    draw.y = view->box.y;
    draw.width = view->box.width;
    draw.height = view->box.height;
    draw.resized_width = view->resized_width;
    draw.resized_height = view->resized_height;
    draw.left = view->left;
    draw.top = view->top;
    draw.flip = view->flip;
    draw.flip_vertical = view->upside_down;
    draw.grayscale = look->grey;
    for (unsigned i = 0; i < DLS_COLOR_STEPS; i++)
        if (look->jitter.use[look->jitter.order[i]])
            draw.jitter_order[draw.jitter++] = (uint8_t)look->jitter.order[i];
    for (unsigned step = 0; step < DLS_COLOR_STEPS; step++)
        draw.jitter_factor[step] = look->jitter.use[step] ? look->jitter.factor[step] : step != DLS_COLOR_HUE;
    *ret_draw = draw;
}
