/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of the resizer, one implementation a file, all giving the same bytes. */
#ifndef DLS_IMAGE_RESIZE_KERNEL_H
#define DLS_IMAGE_RESIZE_KERNEL_H

#include "image/resize_axis.h"

/* An axis with its weights laid out as a kernel wants them. */
struct dls_resize_table {
    struct dls_axis axis;
    void *packed;
    size_t packed_size; /* allocated */
    bool stale;         /* the axis was set anew since it was packed */
};

struct dls_resize_kernel {
    const char *name;
    /* True if this machine can run it. */
    bool (*usable)(void);
    dls_weigh_fn *weigh;
    /* Bytes that `horizontal` may read behind the end of a row; it never uses what it reads there. */
    size_t overshoot;
    /* Sizes of the packed weights, 0 if there are none, and the packing. */
    size_t (*horizontal_size)(const struct dls_axis *axis);
    void (*pack_horizontal)(const struct dls_axis *axis, void *packed);
    size_t (*vertical_size)(const struct dls_axis *axis);
    void (*pack_vertical)(const struct dls_axis *axis, void *packed);
    /* One row: 3 × table->axis.key.count bytes and up to DLS_RESIZE_PAD more are written. */
    void (*horizontal)(const struct dls_resize_table *table, const uint8_t *from, uint8_t *to);
    /* Row `index` of the result from axis.spans[index].length rows; exactly `size` bytes are read and
     * written. */
    void (*vertical)(const struct dls_resize_table *table, uint32_t index, const uint8_t *const *rows,
                     uint8_t *to, size_t size);
};

#define DLS_RESIZE_PAD 64

/* From the fastest to the plainest, ending with NULL. The last works everywhere. */
extern const struct dls_resize_kernel *const dls_resize_kernels[];
extern const struct dls_resize_kernel dls_resize_portable;
extern const struct dls_resize_kernel dls_resize_sse41, dls_resize_avx2,
    dls_resize_avx512; /* on x86-64 only */

/* For tests and benchmarks: makes a resizer use `kernel`. */
void dls_resizer_use(struct dls_resizer *resizer, const struct dls_resize_kernel *kernel);

#endif
