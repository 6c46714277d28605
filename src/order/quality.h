/* SPDX-License-Identifier: Apache-2.0 */
/* How good a shuffle an order is, from the plan alone: nothing is read but the manifest. */
#ifndef DLS_ORDER_QUALITY_H
#define DLS_ORDER_QUALITY_H

#include "order/order.h"

/* Measures batches of `batch` samples, of one rank alone, spread over an epoch and the next one. All blocks
 * of a shard are taken to be equally long. Of a dataset that was packed without shuffling records are taken
 * to lie class after class, of one that was shuffled they lie as dlpack-shards shuffles. *ret_quality's
 * memory is left alone. -ENOMEM. */
int dls_quality_measure(const struct dls_order_config *order, const struct dls_manifest *manifest,
                        uint32_t batch, dls_quality *ret_quality);

#endif
