/* SPDX-License-Identifier: Apache-2.0 */
/* Which stage holds the others up: read off the shares of time that each of them spent working and waiting.
 */
#ifndef DLS_LOADER_VERDICT_H
#define DLS_LOADER_VERDICT_H

#include <dlshards/stats.h>

dls_bound dls_verdict_bound(const dls_stats *stats);
/* The sentence of dls_loader_verdict(). decoded: batches have images. cpus: that this process may use. */
int dls_verdict_text(const dls_stats *stats, int decoded, unsigned cpus, char *ret_text, size_t size);

#endif
