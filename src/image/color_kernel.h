/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of colour operations, one implementation a file, all giving the same bytes. */
#ifndef DLS_IMAGE_COLOR_KERNEL_H
#define DLS_IMAGE_COLOR_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All work on one row, in place. */
struct dls_color_kernel {
    const char *name;
    /* True if this machine can run it. */
    bool (*usable)(void);
    /* Mixes every byte with the same one. */
    void (*blend)(uint8_t *row, size_t bytes, uint8_t base, float factor);
    uint64_t (*luma_sum)(const uint8_t *row, size_t pixels);
    /* Mixes every pixel with its luma. */
    void (*saturate)(uint8_t *row, size_t pixels, float factor);
    void (*grey)(uint8_t *row, size_t pixels);
    /* Adds `shift` of 256 parts of the circle to each hue. */
    void (*turn)(uint8_t *row, size_t pixels, uint8_t shift);
};

/* From the fastest to the plainest, ending with NULL. The last works everywhere. */
extern const struct dls_color_kernel *const dls_color_kernels[];
extern const struct dls_color_kernel dls_color_portable;
extern const struct dls_color_kernel dls_color_avx2; /* on x86-64 only */

/* For tests and benchmarks: makes all colour operations use `kernel`; NULL: the best again. */
void dls_color_use(const struct dls_color_kernel *kernel);

/* A row by the portable loops, in color_hue.c. */
void dls_color_turn_portable(uint8_t *row, size_t pixels, uint8_t shift);

#endif
