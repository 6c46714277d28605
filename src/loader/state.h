/* SPDX-License-Identifier: Apache-2.0 */
/* A running loader. One lock guards what its threads share; it is taken once a sample (for the ticket) and
 * once a block, and never held while reading, decoding or copying. */
#ifndef DLS_LOADER_STATE_H
#define DLS_LOADER_STATE_H

#include "base/hist.h"
#include "base/thread.h"
#include "batch/ring.h"
#include "decode/decode.h"
#include "device/cuda.h"
#include "device/host.h"
#include "image/resize.h"
#include "loader/choose.h"
#include "loader/group.h"
#include "loader/meter.h"
#include "loader/plan.h"
#include "loader/room.h"
#include "loader/window.h"

#define DLS_NO_TICKET UINT64_MAX

/* Counters that one thread writes and any thread reads. */
struct dls_counters {
    struct dls_meter meter;
    _Atomic uint64_t items, bytes;
    struct dls_hist latency;
};

/* A decode thread. */
struct dls_worker {
    struct dls_loader *loader;
    uint32_t index;
    struct dls_thread thread;
    uint64_t ticket; /* of the first sample it is making, or DLS_NO_TICKET [lock] */
    struct dls_decoder *decoder;
    struct dls_resizer *resizer;
    uint8_t *tile; /* plan.tile_bytes, or NULL: pictures are made in the batch itself */
    uint32_t *nearest; /* with masks: which pixels a mask's columns and rows are; else NULL */
    struct dls_cell_scratch cell;
    struct dls_counters counters;
    _Atomic uint64_t bad_records, warnings; /* this thread's */
};

/* A run of samples that stand side by side in one batch and one group. */
struct dls_ticket {
    uint64_t number; /* of its first sample, counted through all epochs of this loader */
    uint32_t count;
    uint32_t place; /* of the first sample in the batch */
    struct dls_slot *slot;
    struct dls_group *group;
    uint64_t position; /* of the first sample in the group */
    bool first;        /* it starts the batch */
};

struct dls_loader {
    dls_dataset *dataset; /* the caller's */
    struct dls_plan plan;
    struct dls_host_memory window_memory, ring_memory;
    struct dls_room *room;
    struct dls_finish finish;
    struct dls_chooser chooser;
    struct dls_cuda *cuda;   /* NULL: batches are on the CPU */
    char memory_detail[256];
    uint64_t opened_ns;
    dls_quality quality;
    char detail[512]; /* of how it reads */

    pthread_mutex_t lock;
    pthread_cond_t work;  /* a block was loaded, a batch buffer came free, a group was laid out, the end */
    pthread_cond_t ready; /* a batch is ready, something failed, the I/O thread has started */
    bool have_locks;
    bool stop, stop_feed;  /* [lock] decode threads, and after them the I/O thread, are to end */
    struct dls_ring *ring; /* [lock] */

    /* The I/O thread and what it fills. */
    struct dls_thread feed;
    bool feed_started;               /* [lock] it has opened the reader, or failed to */
    struct dls_error feed_error;     /* [lock] the engine has failed: no block that is still read will come */
    const struct dls_io_ops *io_ops; /* tests only: reads with this engine; else NULL */
    struct dls_reader *reader;       /* set before feed_started; lives until the I/O thread ends */
    struct dls_walk walk;            /* the I/O thread's own */
    void *zstd;                      /* likewise: undoes the directories of all blocks, one after the other */
    struct dls_window window;        /* [lock] */
    struct dls_group
        groups[DLS_GROUPS]; /* group n is at n % DLS_GROUPS; laid out by the I/O thread, without the lock */
    uint64_t laid, retired; /* [lock] groups laid out, and done with, since the start */
    bool laid_all;          /* [lock] there are no more */
    struct dls_meter feed_meter;

    /* The next sample to be handed to a decode thread. [lock] */
    uint64_t next_group, next_position; /* group (counted as `laid`) and place in it */
    uint64_t next_ticket;
    struct dls_slot *next_slot; /* the batch being filled, or NULL before its first sample */
    uint32_t blocked_out;       /* decode threads that wait for a batch buffer */

    uint32_t worker_count;
    struct dls_worker *workers;

    /* The first failure in the order of samples. [lock] */
    struct dls_error failure;
    uint64_t failure_ticket;

    /* The caller's side. [lock] */
    uint64_t epoch, batch; /* of the batch that comes next */
    bool raised;           /* the failure has been told, and is from now on */
    bool ended;
    uint32_t callers; /* inside dls_pipeline_next() */
    struct dls_counters consume;
};

static inline void dls_count(_Atomic uint64_t *counter, uint64_t value)
{
    /* One writer at a time, so no locked instruction is needed. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + value,
                          memory_order_relaxed);
}

/* Is a record with this error to be passed over? */
static inline bool dls_may_go_on(const struct dls_loader *loader, int error)
{
    return loader->plan.params.on_error != DLS_ON_ERROR_FAIL &&
           (error == -EBADMSG || error == -ENOTSUP || error == -EFBIG);
}

/* feed.c: the I/O thread. */
void *dls_feed_main(void *loader);

/* work.c: a decode thread. */
void *dls_worker_main(void *worker);

/* ticket.c. */
/* Hands out the next run of at most `most` samples; waits for its block and for a batch buffer. False when
 * there are no more: the end, a failure, or the loader closes. */
bool dls_ticket_take(struct dls_worker *worker, uint32_t most, struct dls_ticket *ret_ticket);
/* The samples of the ticket stand in the batch. */
void dls_ticket_done(struct dls_loader *loader, const struct dls_ticket *ticket);
/* One sample of `block` has been made. */
void dls_block_used(struct dls_loader *loader, struct dls_window_block *block);
/* Sample `ticket` cannot be made: r and this thread's error text say why. */
void dls_ticket_fail(struct dls_loader *loader, uint64_t ticket, int r);

/* sample.c: makes a sample at `place` of `slot`. r and the error text name shard, record, key and offset. */
int dls_sample_make(struct dls_worker *worker, const struct dls_sample *sample, uint64_t epoch,
                    struct dls_slot *slot, uint32_t place);

#endif
