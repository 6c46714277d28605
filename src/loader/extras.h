/* SPDX-License-Identifier: Apache-2.0 */
/* What goes an image's way beside its pixels: a mask, boxes. */
#ifndef DLS_LOADER_EXTRAS_H
#define DLS_LOADER_EXTRAS_H

#include "image/geometry.h"
#include "loader/group.h"
#include "loader/plan.h"

struct dls_slot;
struct dls_worker;

/* Finds the fields that params name (NULL: none) and puts them in the plan, whose params are resolved. -EINVAL. */
int dls_extras_find(const dls_loader_params *params, const struct dls_plan_facts *facts, struct dls_plan *plan);
/* Adds them to a sample of a block. */
void dls_extras_get(const struct dls_plan *plan, const struct dls_window_block *block, uint32_t record,
                    struct dls_sample *sample);
/* Writes them into the batch. view: the sample's (with several, the central one); width, height: of the upright picture.
 * -EBADMSG: the mask is missing, damaged or of another size; other errors of the decoder. */
int dls_extras_make(struct dls_worker *worker, const struct dls_sample *sample, const struct dls_view *view,
                    uint32_t width, uint32_t height, struct dls_slot *slot, uint32_t place);
/* Boxes of 4 numbers each from the upright picture to an image of width × height. */
void dls_boxes_move(const struct dls_view *view, uint32_t width, uint32_t height, const uint8_t *boxes, uint32_t count,
                    float *ret_boxes);

#endif
