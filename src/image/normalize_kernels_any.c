/* SPDX-License-Identifier: Apache-2.0 */
#include "image/normalize.h"

const struct dls_normalize_kernel *const dls_normalize_kernels[] = {
    &dls_normalize_portable,
    NULL,
};
