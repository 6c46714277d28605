/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color_kernel.h"

const struct dls_color_kernel *const dls_color_kernels[] = {&dls_color_avx2, &dls_color_portable, NULL};
