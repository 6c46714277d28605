/* SPDX-License-Identifier: Apache-2.0 */
/* One picture, whole and upright: for looking at single records. Loaders have tools of their own that are kept. */
#ifndef DLS_IMAGE_WHOLE_H
#define DLS_IMAGE_WHOLE_H

#include <dlshards/dataset.h>
#include <stdbool.h>

/* What dls_record_decode() of dataset.h does with one value. The caller ends *ret_image with dls_whole_free(). */
int dls_whole_decode(const dls_value *value, bool as_stored, dls_image **ret_image);
void dls_whole_free(dls_image **image);

#endif
