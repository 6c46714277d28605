/* SPDX-License-Identifier: Apache-2.0 */
/* What a loader will do and hold: every parameter with a value, and where the memory goes. */
#ifndef DLS_LOADER_PLAN_H
#define DLS_LOADER_PLAN_H

#include "batch/slot.h"
#include "order/order.h"
#include "order/share.h"

#include <dlshards/loader.h>

#define DLS_GROUPS 4u
#define DLS_PICKS 256u
/* Two records of one shard are read at once if no more lies between them. */
#define DLS_PICK_GAP (16ull << 10)

/* What the plan depends on: facts of the dataset and of the machine. */
struct dls_plan_facts {
    uint8_t uuid[16];
    uint64_t records, blocks, shards;
    const struct dls_manifest_shard *shard_list;
    uint64_t largest_table; /* blocks of the shard with the most */
    uint64_t path_bytes;    /* length of a shard's path */
    uint64_t largest_block;         /* bytes */
    uint64_t directory_bytes;       /* raw length of the longest block directory */
    uint64_t largest_image;         /* bytes of the largest image before decoding, zstd undone */
    uint64_t max_width, max_height; /* of any picture */
    uint64_t max_pixels;            /* width × height of the one with the most */
    uint64_t machine_bytes;         /* memory that this process may use */
    uint32_t cpus;
    uint32_t launched_rank, launched_world; /* as a launcher says; world 0: none does */
    bool has_image, has_rows;               /* a record table (shard/rows.h) */
    bool random_reads;        /* the disk has no heads to move */
    const struct dls_schema *schema;        /* NULL: no fields but the image are known */
    uint64_t mean_image;                    /* bytes, stored */
};

/* What this rank does in an epoch. */
struct dls_plan_epoch {
    uint64_t samples; /* drawn */
    uint64_t batches;
    uint64_t before; /* batches of it that an earlier loader has handed out */
};

struct dls_plan {
    dls_loader_params params; /* every member has its value; memory_bytes is the budget */
    struct dls_order_config order;
    struct dls_slot_shape shape;
    uint32_t mask, boxes;           /* 1 + index of these fields in the schema; 0: none */
    uint64_t start_epoch;           /* params.first_epoch, or later if a state was restored */
    struct dls_progress progress;   /* of start_epoch */
    struct dls_plan_epoch begun;    /* start_epoch */
    bool begun_is_over;             /* it has no batch left, though the tail left samples */
    struct dls_plan_epoch whole;    /* those behind it */
    uint64_t max_width, max_height; /* of any picture, pixels; at least 1 */
    uint64_t max_pixels;            /* of the one with the most */
    /* Memory, in bytes; the sum is at most the budget. */
    uint64_t window_bytes;  /* the arena that blocks are read into */
    uint64_t ring_bytes;    /* batch buffers */
    uint64_t slot_bytes;    /* one of them */
    uint64_t other_bytes;   /* directories, threads, requests, tables: see budget.c */
    uint64_t pixels_bytes;  /* decoded pictures on their way into a batch, all threads together */
    uint64_t region_bytes;  /* the most that one picture may take of it */
    uint64_t tile_bytes;    /* of a decode thread, for a picture that is not yet in its final form; 0: none */
    uint64_t picture_bytes; /* of these, what the largest picture needs */
    uint32_t window_entries; /* blocks held at most */
    uint32_t groups;         /* groups of blocks held at most */
    /* Order FULL: */
    uint32_t picks;        /* records in a group; 0 in other orders */
    uint64_t rows_bytes;   /* the beginning of window_bytes: pages of record tables */
    uint64_t extent_bytes; /* the longest read that neighbours are joined to */
    uint64_t run_bytes;    /* read in the order of the disk before anything behind them is */
};

/* Copies `params` (NULL: all defaults), checks ranges and fills in the defaults that do not depend on the
 * budget. -EINVAL naming the parameter, its value and what was expected. */
int dls_params_resolve(const dls_loader_params *params, const struct dls_plan_facts *facts,
                       dls_loader_params *ret_params);
/* Divides the budget. -ENOMEM naming the least that works. */
int dls_budget_divide(const struct dls_plan_facts *facts, struct dls_plan *plan);
static inline const struct dls_plan_epoch *dls_plan_epoch(const struct dls_plan *plan, uint64_t epoch)
{
    return epoch == plan->start_epoch ? &plan->begun : &plan->whole;
}
/* All of it. */
int dls_plan_make(const dls_loader_params *params, const struct dls_plan_facts *facts,
                  struct dls_plan *ret_plan);

/* What decoding one picture is charged for. */
struct dls_picture_need {
    uint64_t encoded;               /* bytes to be unpacked by zstd first; 0: none */
    uint64_t width, height;         /* of the picture */
    uint64_t line;                  /* the picture's width, or the most it may be */
    uint64_t box_width, box_height; /* of the part that is decoded */
    bool turned;                    /* a second copy is needed, to turn it upright */
    bool whole_in_codec;            /* the codec may have to hold all of the picture in its own form */
};
/* Where the parts of it lie, behind the encoded bytes at 0; each part is aligned to 64 bytes. */
struct dls_picture_parts {
    uint64_t box, turned, codec; /* offsets */
    uint64_t codec_bytes;        /* what the codec may work in */
    uint64_t total;
};
void dls_picture_divide(const struct dls_picture_need *need, struct dls_picture_parts *ret_parts);
uint64_t dls_picture_bytes(const struct dls_picture_need *need);

#endif
