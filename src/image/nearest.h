/* SPDX-License-Identifier: Apache-2.0 */
/* Pillow's NEAREST, one direction at a time. */
#ifndef DLS_IMAGE_NEAREST_H
#define DLS_IMAGE_NEAREST_H

#include <stdint.h>

/* A line of `in` pixels becomes one of `to`: writes which of them pixels [first, first + count) of the result are. */
void dls_nearest(uint32_t in, uint32_t to, uint32_t first, uint32_t count, uint32_t *ret_index);

#endif
