/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a disk: some segments, each with a piece of what was read. The one that was read last goes on
 * growing while the head stays where it is. */
#ifndef DLS_DISKSIM_HDD_BUFFER_H
#define DLS_DISKSIM_HDD_BUFFER_H

#include <stdbool.h>

#include "hdd_geometry.h"

#define HDD_SEGMENTS_MOST 64

struct hdd_buffer {
    const struct hdd_geometry *geometry;
    unsigned segments;
    double segment_bytes;
    struct {
        double low, high; /* addresses; equal: empty */
        double used;      /* when last */
    } segment[HDD_SEGMENTS_MOST];
    int active; /* the segment under the head, or -1 at the start */
    /* The head was at `head` at the time `since` and reads on from there, up to `limit`. */
    double head, since, limit;
};

void hdd_buffer_init(struct hdd_buffer *buffer, const struct hdd_geometry *geometry,
                     const struct sim_profile *profile);
/* How far the head has read by `time`. */
double hdd_buffer_reach(const struct hdd_buffer *buffer, double time);
/* True if the buffer has the piece at `time` or gets it without a seek; *ret_ready is when the platter has
 * delivered all of it. */
bool hdd_buffer_has(const struct hdd_buffer *buffer, double address, double length, double time,
                    double *ret_ready, int *ret_segment);
/* Such a piece was asked for at `start` and handed out by `done`. */
void hdd_buffer_hit(struct hdd_buffer *buffer, int segment, double address, double length, double start,
                    double done);
/* The arm left at `start` and has read the piece by `done`. Returns true if it continues what a segment
 * holds. */
bool hdd_buffer_miss(struct hdd_buffer *buffer, double address, double length, double start, double done);
/* The head reads on for `bytes` more, whatever waits; returns when that is done. */
double hdd_buffer_read_on(struct hdd_buffer *buffer, double bytes);

#endif
