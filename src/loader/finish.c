/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/finish.h"

#include "base/rng.h"

bool dls_finish_needs_tile(const dls_loader_params *params)
{
    return !params->no_decode && params->device == DLS_DEVICE_CPU &&
           (params->dtype != DLS_DTYPE_UINT8 || params->layout != DLS_LAYOUT_NHWC);
}

static enum dls_element element_of(dls_dtype dtype)
{
    return dtype == DLS_DTYPE_FLOAT16    ? DLS_ELEMENT_FLOAT16
           : dtype == DLS_DTYPE_BFLOAT16 ? DLS_ELEMENT_BFLOAT16
                                         : DLS_ELEMENT_FLOAT32;
}

int dls_finish_init(struct dls_finish *finish, const dls_loader_params *params)
{
    float mean[3], std[3];

    *finish = (struct dls_finish){
        .dtype = params->device == DLS_DEVICE_CPU ? params->dtype : DLS_DTYPE_UINT8,
        .layout = params->layout,
        .tile = dls_finish_needs_tile(params),
        .jitter = params->brightness > 0 || params->contrast > 0 || params->saturation > 0 || params->hue > 0,
        .grayscale = params->grayscale,
    };
    dls_color_ranges_init(params->brightness, params->contrast, params->saturation, params->hue,
                          &finish->ranges);
    if (params->dtype == DLS_DTYPE_UINT8)
        return 0;
    for (int channel = 0; channel < 3; channel++) {
        mean[channel] = (float)params->mean[channel];
        std[channel] = (float)params->std[channel];
    }
    return dls_normalize_init(&finish->normalizer, element_of(params->dtype), params->layout, mean, std);
}

void dls_finish_choose(const struct dls_finish *finish, struct dls_rng *rng, struct dls_look *ret_look)
{
    struct dls_look look = {.grey = false};

    if (finish->jitter)
        dls_color_choose(&finish->ranges, rng, &look.jitter);
    if (finish->grayscale > 0)
        look.grey = dls_rng_double(rng) < finish->grayscale;
    *ret_look = look;
}

void dls_finish_apply(const struct dls_finish *finish, const struct dls_look *look,
                      const struct dls_pixels *pixels, void *place)
{
    dls_color_apply(&look->jitter, pixels);
    if (look->grey)
        dls_color_grey(pixels);
    if (!finish->tile)
        return;
    if (finish->dtype == DLS_DTYPE_UINT8)
        dls_planes(pixels, place);
    else
        dls_normalize(&finish->normalizer, pixels, place);
}
