/* SPDX-License-Identifier: Apache-2.0 */
/* What is drawn for a sample: which part of its picture it shows, how that is turned and coloured. */
#ifndef DLS_LOADER_CHOOSE_H
#define DLS_LOADER_CHOOSE_H

#include "image/geometry.h"
#include "loader/finish.h"

/* Checks the parameters of crops against each other, with width and height known, and fills in the rest of them.
 * -EINVAL. */
int dls_crop_resolve(dls_loader_params *params);

/* Filled by dls_chooser_init(), then only read: threads share it. */
struct dls_chooser {
    struct dls_crop_spec spec;
    uint64_t seed;
    bool may_turn; /* top to bottom */
    const struct dls_finish *finish;
    const dls_draw *replay; /* the caller's */
    uint64_t replay_count;
};

/* params: resolved. */
void dls_chooser_init(struct dls_chooser *chooser, const dls_loader_params *params,
                      const struct dls_finish *finish);
/* width, height: of the upright picture. A pure function of what it is given. -EINVAL: a draw that is to be made again
 * does not fit the picture. */
int dls_choose(const struct dls_chooser *chooser, uint64_t epoch, uint64_t record, uint32_t width, uint32_t height,
               struct dls_view *ret_view, struct dls_look *ret_look);
/* The same in the words of the public interface. */
void dls_draw_put(const struct dls_view *view, const struct dls_look *look, uint64_t epoch, uint64_t record,
                  dls_draw *ret_draw);

#endif
