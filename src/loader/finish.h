/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a picture between resizing and its place in the batch: colours, then numbers of the type
 * and in the order that are asked for. */
#ifndef DLS_LOADER_FINISH_H
#define DLS_LOADER_FINISH_H

#include "image/color.h"
#include "image/normalize.h"

#include <dlshards/loader.h>

struct dls_rng;

/* Filled by dls_finish_init(), then only read: threads share it. */
struct dls_finish {
    dls_dtype dtype; /* uint8 if a device does the rest; the normalizer is then for it */
    dls_layout layout;
    bool tile; /* pixels are made in a tile, from which they go to the batch; else in the batch itself */
    bool jitter;
    struct dls_color_ranges ranges;
    double grayscale;
    struct dls_normalizer normalizer; /* of the float types */
};

/* What one picture gets. */
struct dls_look {
    struct dls_color_jitter jitter;
    bool grey;
};

/* Are pixels as they are resized not what stands in the batch? */
bool dls_finish_needs_tile(const dls_loader_params *params);
/* params: resolved. -EINVAL. */
int dls_finish_init(struct dls_finish *finish, const dls_loader_params *params);
/* Draws the jitter's numbers, if there is one, then the grey's. */
void dls_finish_choose(const struct dls_finish *finish, struct dls_rng *rng, struct dls_look *ret_look);
/* Colours `pixels` in place and, if they are a tile, writes them to `place` in the batch. */
void dls_finish_apply(const struct dls_finish *finish, const struct dls_look *look,
                      const struct dls_pixels *pixels, void *place);

#endif
