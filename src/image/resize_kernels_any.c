/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_kernel.h"

const struct dls_resize_kernel *const dls_resize_kernels[] = {
    &dls_resize_portable,
    NULL,
};
