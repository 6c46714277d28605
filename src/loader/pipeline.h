/* SPDX-License-Identifier: Apache-2.0 */
/* What the public loader functions call (src/dls.c). */
#ifndef DLS_LOADER_PIPELINE_H
#define DLS_LOADER_PIPELINE_H

#include <dlshards/loader.h>

struct dls_io_ops;

int dls_pipeline_open(dls_dataset *dataset, const dls_loader_params *params, dls_loader **ret_loader);
/* For tests: reads with the engine `io_ops` instead of a probed one. */
int dls_pipeline_open_with(dls_dataset *dataset, const dls_loader_params *params,
                           const struct dls_io_ops *io_ops, dls_loader **ret_loader);
void dls_pipeline_close(dls_loader **loader);
int dls_pipeline_next(dls_loader *loader, int64_t timeout_ns, const dls_batch **ret_batch);
int dls_pipeline_device_tensor(dls_loader *loader, const dls_batch *batch, void *stream,
                               dls_device_tensor *ret_tensor);
void dls_pipeline_release(dls_loader *loader, const dls_batch **batch);
uint64_t dls_pipeline_batches(const dls_loader *loader);
int dls_pipeline_quality(dls_dataset *dataset, const dls_loader_params *params, dls_quality *ret_quality);
int dls_pipeline_get_state(dls_loader *loader, void *ret_state, size_t size);
void dls_pipeline_stats(const dls_loader *loader, dls_stats *ret_stats);
int dls_pipeline_verdict(const dls_loader *loader, char *ret_text, size_t size);

#endif
