/* SPDX-License-Identifier: Apache-2.0 */
/** @file writer.h
 *  Writes a dataset record by record, in the order in which the records are to be stored. (`dlpack-shards pack`
 *  is built on it and adds the folder walk, the checks and the shuffle.) */
#ifndef DLSHARDS_WRITER_H
#define DLSHARDS_WRITER_H

#include "dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a writer; 0 or NULL in any member means the default. */
typedef struct dls_writer_params {
    size_t struct_size;        /**< set by dls_writer_params_init() */
    const dls_field *fields;   /**< the schema; default: "image" IMAGE, "label" INT64 × 1, "key" STRING */
    uint32_t field_count;      /**< length of `fields`, 1 to 32 */
    const char *const *classes;  /**< class names, label 0 first; default: none. May be NULL where lengths are 0 */
    const size_t *class_lengths; /**< byte lengths of `classes`; default: NUL-terminated */
    uint32_t class_count;      /**< length of `classes` */
    uint64_t shard_bytes;      /**< a shard is closed before it would exceed this; bytes; default 1 GiB */
    uint32_t block_bytes;      /**< bytes; a multiple of 4096 from 4096 to 256 MiB; default 8 MiB */
    int zstd_level;            /**< for directories, indexes and fields that shrink, 1 to 19; default 3 */
    uint64_t seed;             /**< recorded: the seed of the shuffle the caller made */
    int shuffled;              /**< recorded: 1 if the caller shuffled */
    uint8_t pack_id[16];       /**< identity of the input (stored in each shard); default: zeros */
    const char *creator;       /**< recorded: the program, e.g. "dlpack-shards 0.1.0"; default "libdlshards V" */
} dls_writer_params;

/** A dataset that is being written. JPEG, PNG, WebP and private image codecs are stored as they are; raw pixels and
 *  BYTES are compressed with zstd where that saves a fiftieth. Two writers given the same records, parameters and
 *  version of zstd write the same bytes. Where a file size limit (RLIMIT_FSIZE) is in force, the system sends SIGXFSZ
 *  on reaching it: a program that ignores that signal gets -EFBIG instead. Thread-safety: one thread at a time. */
typedef struct dls_writer dls_writer;

/** Sets every member to its default and struct_size. */
DLS_API void dls_writer_params_init(dls_writer_params *params);

/** Starts a dataset that is to appear at `path`. Everything goes to a hidden temporary directory beside it until
 *  dls_writer_finish(). `params` may be NULL; nothing it points to needs to outlive the call.
 *  @retval -EEXIST `path` exists    @retval -EINVAL a parameter is out of range    other errnos of mkdir, open */
DLS_API int dls_writer_open(const char *path, const dls_writer_params *params, dls_writer **ret_writer);

/** Appends one record: one value a field, in the order of the schema. The values are copied.
 *  @retval -EINVAL a value does not fit its field, or a label its classes    @retval -EFBIG larger than 4 GiB
 *  @retval -ENOTSUP codec COEF
 *  After these the writer goes on as if the call had not been made.
 *  @retval -ENOSPC and other errnos of write: the writer can then only be closed. */
DLS_API int dls_writer_add(dls_writer *writer, const dls_value *values, uint32_t count);

/** Writes what is pending, the indexes and the manifest, flushes all of it to the disk and only then renames the
 *  directory to its final name. Call it once, then close. */
DLS_API int dls_writer_finish(dls_writer *writer);

/** Ends *writer and sets it to NULL; takes NULL and a pointer to NULL. Without a successful dls_writer_finish()
 *  the temporary directory is removed. */
DLS_API void dls_writer_close(dls_writer **writer);

#ifdef __cplusplus
}
#endif
#endif
