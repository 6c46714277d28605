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
    DLS_ORDER_AUTO = 0,   /**< WINDOW; but FULL where a window shuffles badly (the dataset was packed without
                               shuffling), the disk is known to have no heads to move, memory_bytes is enough and
                               window_blocks is not given. dls_stats.order says which it is */
    DLS_ORDER_WINDOW = 1, /**< blocks permuted, taken in groups of `window_blocks`, records permuted in a group */
    DLS_ORDER_NONE = 2,   /**< as stored: for evaluation, and for comparing with other tools */
    DLS_ORDER_FULL = 3    /**< a true permutation of all records, each read by itself: for SSDs, and for datasets that
                               were packed without shuffling. window_blocks is not used */
} dls_order;

/** What becomes of the samples that do not fill a last batch. */
typedef enum dls_tail {
    DLS_TAIL_DROP = 0, /**< they are left out; at least one batch must be full. Every rank gets as many batches, each of
                            them full, unless on_error is SKIP */
    DLS_TAIL_PAD = 1,  /**< the batch is filled up with empty places (valid = 0); its count says how many are real.
                            Every rank gets as many batches: one whose share is a record shorter may end with a
                            batch of count 0 */
    DLS_TAIL_EXACT = 2 /**< for evaluation: each record exactly once, the last batch uneven as with PAD, but no
                            batch without a sample: ranks may differ by one batch */
} dls_tail;

/** How a picture becomes width × height. Resizing is antialiased, as Pillow 13's, to the bit. */
typedef enum dls_crop {
    DLS_CROP_SQUASH = 0, /**< the whole picture is resized, the aspect ratio not kept */
    DLS_CROP_CENTER = 1, /**< with `resize`: torchvision's Resize(resize) and CenterCrop((height, width)). Without:
                              the largest centred box of the target's aspect ratio is resized */
    DLS_CROP_RANDOM = 2, /**< torchvision's RandomResizedCrop with crop_scale and crop_ratio */
    DLS_CROP_FIVE = 3,   /**< Resize(resize) and FiveCrop((height, width)): each sample has five images, of the top
                              left, top right, bottom left and bottom right corner and of the centre */
    DLS_CROP_TEN = 4,    /**< likewise TenCrop: those five, then the same five of the mirrored picture */
    DLS_CROP_PAD = 5     /**< Pillow's ImageOps.pad(): the whole picture, its aspect ratio kept, in the middle of a
                              ground of pad_color */
} dls_crop;

/** How pixels are made of others in resizing. */
typedef enum dls_filter {
    DLS_FILTER_BILINEAR = 0, /**< Pillow's BILINEAR, torchvision's default */
    DLS_FILTER_BICUBIC = 1   /**< Pillow's BICUBIC */
} dls_filter;

/** What becomes of a record that is damaged, or is no picture that can be decoded (-EBADMSG, -ENOTSUP, -EFBIG); a block
 *  whose directory is damaged is all of its records. Other failures (the disk, memory, replay) end the run in any case.
 *  Whatever it is: the order, the number of batches and all other samples stay as they are, on any number of threads and
 *  ranks; each such record is counted in dls_stats.bad_records and told to the log, with shard, record, key and offset. */
typedef enum dls_on_error {
    DLS_ON_ERROR_FAIL = 0,      /**< dls_loader_next() returns the error, once all batches before it are out */
    DLS_ON_ERROR_SKIP = 1,      /**< it is left out: its batch has one sample fewer, those behind it move up, and `count`
                                     says how many there are: even with tail DROP fewer than `size`, at worst 0 */
    DLS_ON_ERROR_SUBSTITUTE = 2 /**< its place gets a copy of the sample before it in the batch, or, if it is the first,
                                     of the first good one; a batch without a good one has count 0 */
} dls_on_error;

/** How JPEGs are decoded for images much smaller than their picture. */
typedef enum dls_dct_scale {
    DLS_DCT_SCALE_EXACT = 0, /**< in full, then resized: Pillow's and torchvision's pixels, to the bit */
    DLS_DCT_SCALE_FAST = 1   /**< where what is cut out of the picture is at least twice as wide and high as its image, it
                                  is decoded at 1/2, 1/4 or 1/8 of its size, as far as it is then no smaller than the
                                  image, and resized from there. docs/conformance.md says how far that is from EXACT */
} dls_dct_scale;

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
    int flip;                 /**< 1: mirror half the pictures left to right, at random; not with FIVE and TEN;
                                   default 0 */
    int ignore_orientation;   /**< 1: leave pictures as stored, as torchvision does; default: upright (EXIF) */
    int no_decode;            /**< 1: read and check, but decode nothing (batches without images); default 0 */
    int no_verify;            /**< 1: trust record checksums unseen; default 0. Structures are always checked */
    dls_order order;          /**< default WINDOW */
    uint32_t window_blocks;   /**< blocks in a group, 1 to 4096; default: as many as half the memory holds twice,
                                   24 at most; fewer if threads, batches and pictures leave less room.
                                   The order depends on it: state it to repeat a run elsewhere */
    dls_tail tail;            /**< default DROP */
    uint64_t seed;            /**< of the shuffle and of augmentation; default 0 */
    uint64_t first_epoch;     /**< the number of the first epoch; default 0 */
    uint64_t epochs;          /**< how many, then the loader ends; default: endless */
    uint32_t threads;         /**< decode threads, 1 to 1024; default: the CPUs this process may use */
    uint32_t ring_batches;    /**< batch buffers, 2 to 64; the caller may hold one fewer; default 4 */
    uint64_t memory_bytes;    /**< the budget of everything the loader holds; bytes; default 1 GiB, or a quarter
                                   of the memory that the machine or the control group allows, if that is less */
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
    int flip_vertical;        /**< 1: turn half the pictures upside down, at random; not with FIVE and TEN; default 0 */
    double brightness;        /**< torchvision's ColorJitter(brightness, contrast, saturation, hue): a factor */
    double contrast;          /**< uniform in 1 ± the number (not below 0) for each of the three, */
    double saturation;        /**< 0 to 1000; */
    double hue;               /**< a turn uniform in ± this part of the circle, 0 to 0.5; the four in random order,
                                   after resizing and flips, with Pillow's arithmetic; default 0: none */
    double grayscale;         /**< RandomGrayscale, after the jitter: the probability that a picture becomes grey,
                                   0 to 1; default 0 */
    uint32_t world;           /**< ranks that share an epoch out among them, 1 to 65536; each record comes to one of
                                   them. Default: as the launcher says in the environment (RANK and WORLD_SIZE of
                                   torchrun; SLURM_PROCID and SLURM_STEP_NUM_TASKS of srun; OMPI_COMM_WORLD_RANK and
                                   _SIZE of Open MPI; PMI_RANK and PMI_SIZE), 1 if it says nothing. 1: no sharing */
    uint32_t rank;            /**< of this loader, 0 to world - 1; only with `world`. Ranks must agree in the dataset,
                                   order, seed, epochs, batch_size and tail, and in window_blocks where a state is to
                                   be taken over by another number of ranks */
    const void *state;        /**< from dls_loader_get_state(): goes on behind the batch that was the last when it was
                                   saved. Read by dls_loader_open() only. Default NULL: start at first_epoch */
    size_t state_size;        /**< its length, bytes */
    dls_device_type device;   /**< CUDA: images and labels are copied to the device while earlier batches are used. They
                                   cross the bus as bytes; a kernel there turns, normalises and orders them, to the
                                   same bits as on the CPU. Default CPU */
    uint32_t device_index;    /**< of the CUDA device, 0 to 1023; default 0 */
    dls_filter filter;        /**< of resizing; default BILINEAR */
    uint32_t resize;          /**< with CENTER, FIVE and TEN: the length that the shorter side is resized to before the
                                   crop, in pixels, 16384 at most and not less than width and height; the longer side
                                   is rounded as torchvision's Resize does. Default: with CENTER as said there; with
                                   FIVE and TEN 8/7 of the larger of width and height, which is 256 for 224 */
    uint32_t pad_color;       /**< with PAD: red × 65536 + green × 256 + blue; default 0, black */
    double crop_scale[2];     /**< with RANDOM: least and largest share of the picture's area, 0 < least <= largest <= 1;
                                   default (both 0): 0.08, 1 */
    double crop_ratio[2];     /**< with RANDOM: least and largest width / height of the box, 0.001 to 1000; default (both
                                   0): 3/4, 4/3 */
    int draws;                /**< 1: batches tell what was drawn for each image: dls_batch.draws; default 0 */
    const dls_draw *replay;   /**< draws to be made again, sorted by epoch, then by record, each of them once. Samples
                                   that are not among them are drawn as ever. It must stay as it is until the loader is
                                   closed. Not with FIVE and TEN. A draw that cannot be (a box outside of the picture)
                                   is -EINVAL from dls_loader_next(). Default NULL */
    uint64_t replay_count;    /**< length of `replay`; default 0 */
    dls_on_error on_error;    /**< for records that are damaged or cannot be decoded; default FAIL */
    int strict;               /**< 1: what a decoder only warns of (libjpeg's corrupt data, a wrong checksum of a PNG's image
                                   data) is an error of the record; default 0: counted in dls_stats.decode_warnings */
    dls_dct_scale dct_scale;  /**< default EXACT */
    const char *mask_field;   /**< name of an IMAGE field that goes the image's way, with Pillow's NEAREST and without
                                   colours: dls_batch.masks. Turned upright by its own orientation it must have the size of
                                   the upright picture; a record without one is bad (on_error). Not with no_decode or order
                                   FULL. Read by dls_loader_open() only. Default NULL: none */
    uint32_t mask_pad;        /**< value of the masks where PAD leaves the ground, 0 to 255; default 0 */
    const char *boxes_field;  /**< name of a FLOAT32 field of 4 × n values: n boxes x0, y0, x1, y1 in pixels of the upright
                                   picture (as stored with ignore_orientation), which go the image's way: dls_batch.boxes.
                                   Not with no_decode or order FULL. Read by dls_loader_open() only. Default NULL: none */
} dls_loader_params;

/** A running loader: one I/O thread, `threads` decode threads. It forks no process and names no shared memory.
 *  Thread-safety: dls_loader_next(), _release(), _get_state(), _get_stats() and _verdict() may be called by different threads at
 *  a time; close waits for no one and must be the last call. */
typedef struct dls_loader dls_loader;

/** Sets every member to its default and struct_size. */
DLS_API void dls_loader_params_init(dls_loader_params *params);

/** Starts reading `dataset`, which must stay open until the loader is closed. `params` may be NULL.
 *  @retval -EINVAL a parameter is out of range, the dataset has no image field, or it has fewer records than a batch
 *          takes while `tail` is DROP: no batch would ever come (a dataset without records opens)
 *  @retval -ENOMEM memory_bytes is too small: dls_last_error() names the least that works
 *  @retval -ENOTSUP the engine asked for does not work here: dls_last_error() says why; or device is CUDA and the
 *          library was built without it
 *  @retval -ENODEV device is CUDA and there is no driver, or no device of that number
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

/** Where a lent batch stands on the CUDA device of the loader. What is put into `stream` after this call finds it
 *  complete. After dls_batch_release() the memory is written again as soon as the work that is in `stream` at that
 *  time is done: nothing needs to be synchronised, but `stream` must live until then. A batch can be used in up to
 *  four streams: one call for each.
 *  @param stream a cudaStream_t; NULL, or CUDA's names for it, is the default stream
 *  @retval -EINVAL NULL, a batch that is not lent, or the loader's device is the CPU
 *  @retval -ENOSPC a fifth stream    @retval -EIO CUDA fails: dls_last_error() has its reason */
DLS_API int dls_batch_device_tensor(dls_loader *loader, const dls_batch *batch, void *stream,
                                    dls_device_tensor *ret_tensor);

/** Gives a lent batch back and sets *batch to NULL; takes NULL and a pointer to NULL. */
DLS_API void dls_batch_release(dls_loader *loader, const dls_batch **batch);

/** How well a loader with these parameters would shuffle, without starting one: a few ms. `params` may be NULL.
 *  @retval -EINVAL, -ENOMEM, -ENOTSUP as dls_loader_open() */
DLS_API int dls_loader_quality(dls_dataset *dataset, const dls_loader_params *params, dls_quality *ret_quality);

/** Batches in a whole epoch with these parameters, of this rank; 0 for NULL. An epoch that a state has begun has
 *  fewer left. Never fails. */
DLS_API uint64_t dls_loader_batches(const dls_loader *loader);

/** Where the run stands: behind the last batch that dls_loader_next() has handed out, or, once that has returned 0 for
 *  the end of an epoch, at the beginning of the next. Batches that are lent count as used: save when they are.
 *
 *  The state of one rank stands for all, if they have taken as many batches: it can be restored by any number of ranks,
 *  each with the same bytes in params.state and its own params.rank. With the same `world` every rank goes on with
 *  exactly the batches that it would have had. With another one, what is left of the epoch is shared out anew: each of
 *  its records still comes once, and with DROP fewer than batch_size × world are left out. Later epochs are as if the
 *  loader had always had this world.
 *
 *  The restoring loader must have the same dataset (-EINVAL otherwise). seed, order, window_blocks and first_epoch may
 *  be left at 0 and are then the saved ones; a value that differs from the saved one is -EINVAL. `epochs` counts from
 *  the saved first_epoch, so the same parameters end at the same place. batch_size, tail, threads, memory_bytes and
 *  whatever else does not change the order may differ; batch_size and tail change how the rest is cut.
 *  dls_batch.epoch and .index go on counting.
 *
 *  Writes at most `size` bytes: any that are stored and given back unchanged, on any machine.
 *  Cost: nothing is read or waited for, whatever the size of the dataset; at most 1024 bytes.
 *  @return the length of the state in bytes, whether it fitted or not: nothing is written if it did not
 *  @retval -EINVAL NULL for a loader, or for ret_state with a size
 *  @retval -EOVERFLOW the number of ranks has changed more than 56 times in one epoch */
DLS_API int dls_loader_get_state(dls_loader *loader, void *ret_state, size_t size);

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
