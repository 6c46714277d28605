/* SPDX-License-Identifier: Apache-2.0 */
/* What the public writer functions call (src/dls.c), and what the packer adds to the manifest. */
#ifndef DLS_SHARD_WRITER_H
#define DLS_SHARD_WRITER_H

#include <dlshards/writer.h>

int dls_shard_writer_open(const char *path, const dls_writer_params *params, dls_writer **ret_writer);
int dls_shard_writer_add(dls_writer *writer, const dls_value *values, uint32_t count);
int dls_shard_writer_finish(dls_writer *writer);
void dls_shard_writer_close(dls_writer **writer);

/* Per-channel mean and standard deviation (0 … 1) for the manifest, when the packer decoded the pictures. */
void dls_shard_writer_set_pixels(dls_writer *writer, const double mean[3], const double std[3]);

#endif
