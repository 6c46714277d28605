/* SPDX-License-Identifier: Apache-2.0 */
/* The classic loader, for comparison: workers that each make whole batches of the files of a folder, opened,
 * read and decoded one by one in a random order, as PyTorch's DataLoader over ImageFolder does, without
 * Python. */
#ifndef DLS_BENCH_FOLDER_H
#define DLS_BENCH_FOLDER_H

#include <dlshards/loader.h>
#include <stddef.h>
#include <stdint.h>

struct bench_folder;

/* Lists the regular files in `path` and below it. Of `params`, what is used is batch_size, width, height,
 * crop, flip, seed, first_epoch, threads, no_decode and order (NONE: by name; else: a random permutation each
 * epoch); the last batch of an epoch is dropped if it is not full. Batches come in order; each worker is at
 * most two ahead. */
int bench_folder_open(const char *path, const dls_loader_params *params, struct bench_folder **ret_folder);
/* Starts the workers. -ENOTSUP for what this loader does not do. */
int bench_folder_start(struct bench_folder *folder);
/* Joins the workers and frees all. */
void bench_folder_close(struct bench_folder **folder);

uint64_t bench_folder_files(const struct bench_folder *folder);
uint64_t bench_folder_bytes(const struct bench_folder *folder);
uint64_t bench_folder_batches(const struct bench_folder *folder);

/* As dls_loader_next(): 1 and the images of the next batch, which is given back by the next call; 0 at the
 * end of an epoch; -ETIMEDOUT; or the error of a worker, with the name of the file. */
int bench_folder_next(struct bench_folder *folder, int64_t timeout_ns, uint64_t *ret_images);
/* read: files and their bytes, the time in open() and read(). decode: as the loader's. Both are of the same
 * threads. */
void bench_folder_get_stats(struct bench_folder *folder, dls_stats *ret_stats);

#endif
