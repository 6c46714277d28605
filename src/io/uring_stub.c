/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for uring.c where the library is built without liburing. */
#include "io/io.h"

#include <errno.h>
#include <stdio.h>

static int stub_open(const struct dls_io_config *config, struct dls_io **ret_io)
{
    (void)ret_io;
    snprintf(config->detail, DLS_IO_DETAIL, "built without liburing");
    return -ENOTSUP;
}

const struct dls_io_ops dls_io_uring = {.name = "io_uring", .open = stub_open};
