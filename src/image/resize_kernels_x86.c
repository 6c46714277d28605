/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_kernel.h"

const struct dls_resize_kernel *const dls_resize_kernels[] = {
    &dls_resize_avx512, &dls_resize_avx2, &dls_resize_sse41, &dls_resize_portable, NULL,
};
