/* SPDX-License-Identifier: Apache-2.0 */
/** @file loader.h
 *  Streams shuffled, decoded batches from a dataset. */
#ifndef DLSHARDS_LOADER_H
#define DLSHARDS_LOADER_H

#include "batch.h"
#include "dataset.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/** In which order records come. */
typedef enum dls_order {
    DLS_ORDER_WINDOW = 0, /**< blocks permuted, taken in groups of `window_blocks`, records permuted in a group */
    DLS_ORDER_NONE = 1    /**< as stored: for evaluation, and for comparing with other tools */
} dls_order;

/** What becomes of the samples that do not fill a last batch. */
typedef enum dls_tail {
    DLS_TAIL_DROP = 0, /**< they are left out; at least one batch must be full */
    DLS_TAIL_PAD = 1,  /**< the batch is filled up with empty places (valid = 0); its count says how many are real */
    DLS_TAIL_EXACT = 2 /**< as PAD, named for evaluation: each record exactly once, the last batch uneven */
} dls_tail;

/** How a picture becomes width × height. Interpolation is bilinear and antialiased, as Pillow 13's. */
typedef enum dls_crop {
    DLS_CROP_SQUASH = 0, /**< the whole picture is resized, the aspect ratio not kept */
    DLS_CROP_CENTER = 1, /**< the largest centred box of the target's aspect ratio is resized */
    DLS_CROP_RANDOM = 2  /**< torchvision's RandomResizedCrop: area 0.08–1, ratio 3/4–4/3 */
} dls_crop;

/** What reads the disk. */
typedef enum dls_engine {
    DLS_ENGINE_AUTO = 0,  /**< the best that a real test read shows to work here */
    DLS_ENGINE_URING = 1, /**< io_uring, or fail */
    DLS_ENGINE_PREAD = 2  /**< a pool of threads in pread() */
} dls_engine;

/** Whether reads bypass the page cache. */
typedef enum dls_direct {
    DLS_DIRECT_AUTO = 0, /**< O_DIRECT where the file system takes it, buffered elsewhere */
    DLS_DIRECT_ON = 1,   /**< O_DIRECT, or fail */
    DLS_DIRECT_OFF = 2   /**< through the page cache */
} dls_direct;

/** Options of a loader. 0 in any member means the default. */
typedef struct dls_loader_params {
    size_t struct_size;       /**< set by dls_loader_params_init() */
    uint32_t batch_size;      /**< samples, 1 to 65536; default 256 */
    uint32_t width;           /**< of the images in a batch, pixels, 1 to 16384; default 224 */
    uint32_t height;          /**< likewise; default: as width */
    dls_crop crop;            /**< default SQUASH */
    int flip;                 /**< 1: mirror half the pictures left to right, at random; default 0 */
    int ignore_orientation;   /**< 1: leave pictures as stored, as torchvision does; default: upright (EXIF) */
    int no_decode;            /**< 1: read and check, but decode nothing (batches without images); default 0 */
    int no_verify;            /**< 1: trust record checksums unseen; default 0. Structures are always checked */
    dls_order order;          /**< default WINDOW */
    uint32_t window_blocks;   /**< blocks in a group, 1 to 4096; default: as many as half the memory holds twice,
                                   16 at most; fewer if threads, batches and pictures leave less room.
                                   The order depends on it: state it to repeat a run elsewhere */
    dls_tail tail;            /**< default DROP */
    uint64_t seed;            /**< of the shuffle and of augmentation; default 0 */
    uint64_t first_epoch;     /**< the number of the first epoch; default 0 */
    uint64_t epochs;          /**< how many, then the loader ends; default: endless */
    uint32_t threads;         /**< decode threads, 1 to 1024; default: the CPUs this process may use */
    uint32_t ring_batches;    /**< batch buffers, 2 to 64; the caller may hold one fewer; default 4 */
    uint64_t memory_bytes;    /**< the budget of everything the loader holds; bytes; default 1 GiB, or a quarter
                                   of the machine's memory if that is less */
    dls_engine engine;        /**< default AUTO */
    dls_direct direct;        /**< default AUTO */
    uint32_t io_depth;        /**< requests in flight, 1 to 1024; default 32 */
    uint32_t io_bytes;        /**< longest single read, bytes, a multiple of 4096 to 64 MiB; default 1 MiB */
    dls_dtype dtype;          /**< of the images' numbers; default UINT8 */
    dls_layout layout;        /**< of each image; default NHWC */
    double mean[3];           /**< of red, green, blue, 1 = full scale, -1000 to 1000: subtracted; default 0. Only
                                   with a float dtype */
    double std[3];            /**< divides what is left, likewise, 1e-6 to 1000 each; default (all 0): 1, so that 0 in
                                   mean and std is torchvision's ToTensor alone */
    int flip_vertical;        /**< 1: turn half the pictures upside down, at random; default 0 */
    double brightness;        /**< torchvision's ColorJitter(brightness, contrast, saturation, hue): a factor */
    double contrast;          /**< uniform in 1 ± the number (not below 0) for each of the three, */
    double saturation;        /**< 0 to 1000; */
    double hue;               /**< a turn uniform in ± this part of the circle, 0 to 0.5; the four in random order,
                                   after resizing and flips, with Pillow's arithmetic; default 0: none */
    double grayscale;         /**< RandomGrayscale, after the jitter: the probability that a picture becomes grey,
                                   0 to 1; default 0 */
} dls_loader_params;

/** A running loader: one I/O thread, `threads` decode threads. It forks no process and names no shared memory.
 *  Thread-safety: dls_loader_next(), _release(), _get_stats() and _verdict() may be called by different threads at
 *  a time; close waits for no one and must be the last call. */
typedef struct dls_loader dls_loader;

/** Sets every member to its default and struct_size. */
DLS_API void dls_loader_params_init(dls_loader_params *params);

/** Starts reading `dataset`, which must stay open until the loader is closed. `params` may be NULL.
 *  @retval -EINVAL a parameter is out of range, the dataset has no image field, or it has fewer records than a batch
 *          takes while `tail` is DROP: no batch would ever come (a dataset without records opens)
 *  @retval -ENOMEM memory_bytes is too small: dls_last_error() names the least that works
 *  @retval -ENOTSUP the engine asked for does not work here: dls_last_error() says why
 *  The caller owns *ret_loader and ends it with dls_loader_close(). */
DLS_API int dls_loader_open(dls_dataset *dataset, const dls_loader_params *params, dls_loader **ret_loader);

/** Stops all threads and frees everything, lent batches too. Sets *loader to NULL; takes NULL. */
DLS_API void dls_loader_close(dls_loader **loader);

/** The next batch.
 *  @param timeout_ns how long to wait: < 0 for ever, 0 not at all
 *  @return 1: *ret_batch is lent to the caller until dls_batch_release()
 *  @return 0: the end of an epoch. The call after that goes on with the next epoch, already being read, or returns
 *             0 again when all `epochs` are done
 *  @retval -EAGAIN (timeout 0) or -ETIMEDOUT: no batch yet
 *  @retval -EDEADLK the caller holds all batch buffers it may: release one first
 *  @retval -EBADMSG a record or block is damaged, -EIO the disk failed: dls_last_error() names shard, record, key
 *          and offset. The loader then only repeats this error. */
DLS_API int dls_loader_next(dls_loader *loader, int64_t timeout_ns, const dls_batch **ret_batch);

/** Gives a lent batch back and sets *batch to NULL; takes NULL and a pointer to NULL. */
DLS_API void dls_batch_release(dls_loader *loader, const dls_batch **batch);

/** Batches in each epoch with these parameters; 0 for NULL. Never fails. */
DLS_API uint64_t dls_loader_batches(const dls_loader *loader);

/** Counters since the loader was opened; see stats.h. All zero for NULL. Never fails. */
DLS_API void dls_loader_get_stats(const dls_loader *loader, dls_stats *ret_stats);

/** One sentence: whether the disk, the decoder or the consumer holds the rest up, by how much, and what would help.
 *  Writes at most `size` bytes with the NUL. @return the length it needs, as snprintf() does
 *  @retval -EINVAL NULL for a loader or a text */
DLS_API int dls_loader_verdict(const dls_loader *loader, char *ret_text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
