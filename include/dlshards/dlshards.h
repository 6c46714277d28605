/* SPDX-License-Identifier: Apache-2.0 */
/** @file dlshards.h
 *  Everything. The whole use of a loader:
 *
 *  @code
 *  dls_dataset *dataset = NULL;
 *  dls_loader *loader = NULL;
 *  dls_loader_params params;
 *
 *  dls_loader_params_init(&params);
 *  params.batch_size = 64;
 *  params.crop = DLS_CROP_RANDOM;
 *  params.epochs = 3;
 *
 *  int r = dls_dataset_open("train.dls", &dataset);
 *  if (r == 0)
 *      r = dls_loader_open(dataset, &params, &loader);
 *  for (uint64_t epoch = 0; r >= 0 && epoch < params.epochs; epoch++) {
 *      const dls_batch *batch = NULL;
 *      while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
 *          train(batch->images, batch->labels, batch->count);
 *          dls_batch_release(loader, &batch);
 *      }
 *  }
 *  if (r < 0)
 *      fprintf(stderr, "%s\n", dls_last_error());
 *  dls_loader_close(&loader);
 *  dls_dataset_close(&dataset);
 *  @endcode
 */
#ifndef DLSHARDS_H
#define DLSHARDS_H

#include "batch.h"
#include "common.h"
#include "dataset.h"
#include "loader.h"
#include "stats.h"
#include "version.h"
#include "writer.h"

#endif
