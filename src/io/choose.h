/* SPDX-License-Identifier: Apache-2.0 */
/* Which engine reads: the best that opens here. */
#ifndef DLS_IO_CHOOSE_H
#define DLS_IO_CHOOSE_H

#include "io/io.h"

/* Room that dls_io_choose() needs in config->detail: what is in use, and why nothing better is. */
#define DLS_IO_CHOICE (2 * DLS_IO_DETAIL + 32)

/* Opens the engine asked for, AUTO meaning io_uring, else pread; `only`, if not NULL, is tried instead of
 * all. Fails with text. */
int dls_io_choose(const struct dls_io_config *config, dls_engine engine, const struct dls_io_ops *only,
                  const struct dls_io_ops **ret_ops, struct dls_io **ret_io);

#endif
