/* SPDX-License-Identifier: Apache-2.0 */
/* Photo-like pictures without end, made of a few real ones: crops at other scales, encoded anew at other
 * qualities. */
#ifndef DLS_BENCH_PHOTOS_H
#define DLS_BENCH_PHOTOS_H

#include "decode/decode.h"
#include "files.h"

struct bench_photos {
    struct dls_pixels *list; /* the real ones, decoded */
    size_t count;
    uint32_t longer_side; /* of what is made, at most */
    uint64_t seed;
};

/* Decodes the pictures among the files; -EINVAL where there is none. Free after failure, too. */
int bench_photos_open(const struct bench_files *files, uint32_t longer_side, uint64_t seed,
                      struct bench_photos *ret_photos);
void bench_photos_free(struct bench_photos *photos);

/* JPEG file `number`: a function of it, of the seed, the real pictures and the libjpeg in use. The caller
 * frees *ret_data with free(). Any thread. */
int bench_photos_make(const struct bench_photos *photos, uint64_t number, uint8_t **ret_data,
                      size_t *ret_length);

#endif
