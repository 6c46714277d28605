/* SPDX-License-Identifier: Apache-2.0 */
/* In place of cuda_runtime.c in a build without CUDA. Nothing but probe() is called once it has failed. */
#include "device/cuda_ops.h"

#include "base/err.h"

static int probe(int index)
{
    return dls_err(ENOTSUP, "CUDA device %d: this libdlshards was built without CUDA", index);
}

const struct dls_cuda_ops dls_cuda_runtime = {.probe = probe};
