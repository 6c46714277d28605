/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/plan.h"

#include "base/bytes.h"
#include "base/err.h"
#include "loader/choose.h"
#include "loader/extras.h"
#include "loader/finish.h"
#include "loader/resume.h"

#include <stddef.h>

#define DEFAULT_MEMORY (1ull << 30)
#define STRUCT_SIZE_MAX 4096u

struct range {
    const char *name;
    uint64_t value, least, most; /* 0 is always allowed: the default */
};

static int check_ranges(const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct range *range = &ranges[i];
        if (range->value != 0 && (range->value < range->least || range->value > range->most))
            return dls_err(EINVAL, "dls_loader_open: %s is %llu: expected %llu to %llu, or 0 for the default",
                           range->name, (unsigned long long)range->value, (unsigned long long)range->least,
                           (unsigned long long)range->most);
    }
    return 0;
}

struct real_range {
    const char *name;
    double value, least, most;
};

/* NaN is in no range. */
static int check_reals(const struct real_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct real_range *range = &ranges[i];
        if (!(range->value >= range->least && range->value <= range->most))
            return dls_err(EINVAL, "dls_loader_open: %s is %g: expected %g to %g", range->name, range->value,
                           range->least, range->most);
    }
    return 0;
}

static bool all_zero(const double values[3])
{
    return values[0] == 0 && values[1] == 0 && values[2] == 0;
}

static int check_pixels(const dls_loader_params *p)
{
    const double least = all_zero(p->std) ? 0 : 1e-6;
    const struct real_range ranges[] = {
        {"mean[0]", p->mean[0], -1000, 1000},   {"mean[1]", p->mean[1], -1000, 1000},
        {"mean[2]", p->mean[2], -1000, 1000},   {"std[0]", p->std[0], least, 1000},
        {"std[1]", p->std[1], least, 1000},     {"std[2]", p->std[2], least, 1000},
        {"brightness", p->brightness, 0, 1000}, {"contrast", p->contrast, 0, 1000},
        {"saturation", p->saturation, 0, 1000}, {"hue", p->hue, 0, 0.5},
        {"grayscale", p->grayscale, 0, 1},
    };
    int r = check_reals(ranges, sizeof(ranges) / sizeof(*ranges));

    if (r == 0 && p->dtype == DLS_DTYPE_UINT8 && !(all_zero(p->mean) && all_zero(p->std)))
        r = dls_err(EINVAL, "dls_loader_open: mean and std are given: expected a float dtype with them");
    return r;
}

/* The casts make negative values of enums and flags large ones. */
static int check(const dls_loader_params *p)
{
    const struct range ranges[] = {
        {"batch_size", p->batch_size, 1, 65536},
        {"width", p->width, 1, 16384},
        {"height", p->height, 1, 16384},
        {"crop", (unsigned)p->crop, DLS_CROP_SQUASH, DLS_CROP_PAD},
        {"flip", (unsigned)p->flip, 0, 1},
        {"ignore_orientation", (unsigned)p->ignore_orientation, 0, 1},
        {"no_decode", (unsigned)p->no_decode, 0, 1},
        {"no_verify", (unsigned)p->no_verify, 0, 1},
        {"order", (unsigned)p->order, DLS_ORDER_AUTO, DLS_ORDER_FULL},
        {"window_blocks", p->window_blocks, 1, 4096},
        {"tail", (unsigned)p->tail, DLS_TAIL_DROP, DLS_TAIL_EXACT},
        {"threads", p->threads, 1, 1024},
        {"ring_batches", p->ring_batches, 2, 64},
        {"engine", (unsigned)p->engine, DLS_ENGINE_AUTO, DLS_ENGINE_PREAD},
        {"direct", (unsigned)p->direct, DLS_DIRECT_AUTO, DLS_DIRECT_OFF},
        {"io_depth", p->io_depth, 1, 1024},
        {"io_bytes", p->io_bytes, 4096, 64u << 20},
        {"dtype", (unsigned)p->dtype, DLS_DTYPE_UINT8, DLS_DTYPE_BFLOAT16},
        {"layout", (unsigned)p->layout, DLS_LAYOUT_NHWC, DLS_LAYOUT_NCHW},
        {"flip_vertical", (unsigned)p->flip_vertical, 0, 1},
        {"world", p->world, 1, DLS_RANKS_MAX},
        {"device", (unsigned)p->device, DLS_DEVICE_CPU, DLS_DEVICE_CUDA},
        {"device_index", p->device_index, 0, 1023},
        {"filter", (unsigned)p->filter, DLS_FILTER_BILINEAR, DLS_FILTER_BICUBIC},
        {"resize", p->resize, 1, 16384},
        {"pad_color", p->pad_color, 0, 0xffffff},
        {"draws", (unsigned)p->draws, 0, 1},
        {"on_error", (unsigned)p->on_error, DLS_ON_ERROR_FAIL, DLS_ON_ERROR_SUBSTITUTE},
        {"strict", (unsigned)p->strict, 0, 1},
        {"mask_pad", p->mask_pad, 0, 255},
        {"dct_scale", (unsigned)p->dct_scale, DLS_DCT_SCALE_EXACT, DLS_DCT_SCALE_FAST},
    };
    int r = check_ranges(ranges, sizeof(ranges) / sizeof(*ranges));

    if (r < 0)
        return r;
    if (p->device == DLS_DEVICE_CUDA && p->no_decode)
        return dls_err(EINVAL, "dls_loader_open: device CUDA with no_decode: there would be no images to copy");
    if (p->device == DLS_DEVICE_CPU && p->device_index != 0)
        return dls_err(EINVAL, "dls_loader_open: device_index is %u: expected 0 with device CPU", p->device_index);
    if (p->io_bytes % 4096 != 0)
        return dls_err(EINVAL, "dls_loader_open: io_bytes is %u: expected a multiple of 4096", p->io_bytes);
    if (p->rank > 0 && p->rank >= p->world)
        return dls_err(EINVAL, "dls_loader_open: rank is %u: expected less than world, which is %u", p->rank,
                       p->world);
    return check_pixels(p);
}

/* A caller built with a later header may hand us a longer struct; that is fine as long as it asks for nothing
 * we do not know. */
static int copy_params(const dls_loader_params *params, dls_loader_params *ret_params)
{
    memset(ret_params, 0, sizeof(*ret_params));
    ret_params->struct_size = sizeof(*ret_params);
    if (params == NULL)
        return 0;
    if (params->struct_size < sizeof(*ret_params))
        return dls_err(
            EINVAL, "dls_loader_open: struct_size is %zu: expected %zu, as dls_loader_params_init() sets it",
            params->struct_size, sizeof(*ret_params));
    /* No header of ours will ever ask for this: it was never set. Reading on would end outside memory. */
    if (params->struct_size > STRUCT_SIZE_MAX)
        return dls_err(EINVAL, "dls_loader_open: struct_size is %zu: call dls_loader_params_init()",
                       params->struct_size);
    if (params->struct_size > sizeof(*ret_params) &&
        !dls_all_zero((const uint8_t *)params + sizeof(*ret_params),
                      params->struct_size - sizeof(*ret_params)))
        return dls_err(EINVAL, "dls_loader_open: the parameters use options that this version does not know");
    *ret_params = *params;
    return 0;
}

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
    return value != 0 ? value : fallback;
}

int dls_params_resolve(const dls_loader_params *params, const struct dls_plan_facts *facts,
                       dls_loader_params *ret_params)
{
    dls_loader_params p;
    int r = copy_params(params, &p);

    if (r == 0)
        r = check(&p);
    if (r < 0)
        return r;
    if (!facts->has_image)
        return dls_err(EINVAL, "dls_loader_open: the dataset has no image field");
    p.struct_size = sizeof(p);
    p.batch_size = or_default(p.batch_size, 256);
    p.width = or_default(p.width, 224);
    p.height = or_default(p.height, p.width);
    r = dls_crop_resolve(&p);
    if (r < 0)
        return r;
    p.threads = or_default(p.threads, facts->cpus < 1024 ? facts->cpus : 1024);
    p.ring_batches = or_default(p.ring_batches, 4);
    p.io_depth = or_default(p.io_depth, 32);
    p.io_bytes = or_default(p.io_bytes, 1u << 20);
    if (p.order == DLS_ORDER_AUTO)
        p.order = DLS_ORDER_WINDOW;
    if (p.world == 0 && facts->launched_world > 0) {
        p.world = facts->launched_world;
        p.rank = facts->launched_rank;
    }
    p.world = or_default(p.world, 1);
    p.mask_field = p.boxes_field = NULL;
    p.state = NULL;
    p.state_size = 0;
    if (all_zero(p.std))
        p.std[0] = p.std[1] = p.std[2] = 1;
    if (p.epochs == 0 || p.epochs > UINT64_MAX - p.first_epoch)
        p.epochs = UINT64_MAX - p.first_epoch;
    if (p.memory_bytes == 0)
        p.memory_bytes = dls_min64(DEFAULT_MEMORY, facts->machine_bytes / 4);
    *ret_params = p;
    return 0;
}

int dls_plan_make(const dls_loader_params *params, const struct dls_plan_facts *facts,
                  struct dls_plan *ret_plan)
{
    struct dls_plan plan = {0};
    int r = copy_params(params, &plan.params);

    if (r == 0)
        r = dls_resume_read(facts, &plan);
    if (r == 0)
        r = dls_params_resolve(&plan.params, facts, &plan.params);
    if (r < 0)
        return r;
    r = dls_extras_find(params, facts, &plan);
    if (r < 0)
        return r;
    const dls_loader_params *p = &plan.params;
    plan.shape = (struct dls_slot_shape){
        .size = p->batch_size,
        .width = p->width,
        .height = p->height,
        .images = !p->no_decode,
        .dtype = p->dtype,
        .layout = p->layout,
        .views = dls_crop_views(p->crop),
        .draws = p->draws && !p->no_decode,
        .masks = plan.mask > 0,
        .boxes = plan.boxes > 0 ? facts->schema->fields[plan.boxes - 1].count / 4 : 0,
    };
    if (p->device == DLS_DEVICE_CUDA) { /* the rest is the kernel's */
        plan.shape.dtype = DLS_DTYPE_UINT8;
        plan.shape.layout = DLS_LAYOUT_NHWC;
        plan.shape.mirror = p->flip || p->flip_vertical || p->replay_count > 0;
    }
    if (dls_finish_needs_tile(p))
        plan.tile_bytes = dls_align_up((uint64_t)p->width * p->height * 3, 64);
    plan.max_width = dls_max64(facts->max_width, 1);
    plan.max_pixels = facts->max_pixels;
    plan.max_height = dls_max64(facts->max_height, 1);
    dls_resume_cut(facts, &plan);
    /* An epoch without a batch is a training loop that ends at once and says nothing. */
    if (plan.whole.batches == 0 && facts->records > 0 && p->tail == DLS_TAIL_DROP)
        return dls_err(
            EINVAL,
            "dls_loader_open: batch_size %u%s is more than the %llu records, and a batch that is not "
            "full is dropped: take a smaller one, or tail PAD or EXACT",
            p->batch_size, p->world > 1 ? " for each rank" : "", (unsigned long long)facts->records);
    if (p->order == DLS_ORDER_FULL && !facts->has_rows)
        return dls_err(ENOTSUP,
                       "dls_loader_open: order FULL needs a record table, and the rows of this dataset are "
                       "too long for one");
    r = dls_budget_divide(facts, &plan);
    if (r < 0)
        return r;
    plan.order = (struct dls_order_config){.seed = p->seed,
                                           .mode = p->order,
                                           .window = p->window_blocks,
                                           .records = facts->records,
                                           .shard_count = (uint32_t)facts->shards,
                                           .shards = facts->shard_list};
    memcpy(plan.order.uuid, facts->uuid, sizeof(plan.order.uuid));
    *ret_plan = plan;
    return 0;
}
