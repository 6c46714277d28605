/* SPDX-License-Identifier: Apache-2.0 */
#include "hdd_buffer.h"

#include <math.h>

void hdd_buffer_init(struct hdd_buffer *buffer, const struct hdd_geometry *geometry,
                     const struct sim_profile *profile)
{
    *buffer = (struct hdd_buffer){.geometry = geometry,
                                  .segments = (unsigned)profile->segments,
                                  .segment_bytes = profile->segment_bytes,
                                  .active = -1};
}

double hdd_buffer_reach(const struct hdd_buffer *buffer, double time)
{
    if (time <= buffer->since)
        return buffer->head;
    return fmin(buffer->head + (time - buffer->since) * hdd_rate(buffer->geometry, buffer->head),
                buffer->limit);
}

static double high_of(const struct hdd_buffer *buffer, int segment, double time)
{
    return segment == buffer->active ? hdd_buffer_reach(buffer, time) : buffer->segment[segment].high;
}

bool hdd_buffer_has(const struct hdd_buffer *buffer, double address, double length, double time,
                    double *ret_ready, int *ret_segment)
{
    double end = address + length;

    for (int i = 0; i < (int)buffer->segments; i++) {
        double low = buffer->segment[i].low, high = high_of(buffer, i, time);
        if (high <= low || address < low)
            continue;
        bool reading = i == buffer->active && high < buffer->limit;
        if (end > high && !(reading && address <= high))
            continue;
        /* The head passes the end of the piece without a seek, at the rate of the platter. */
        *ret_ready = end <= high
                         ? time
                         : buffer->since + (end - buffer->head) / hdd_rate(buffer->geometry, buffer->head);
        *ret_segment = i;
        return true;
    }
    return false;
}

static void trim(struct hdd_buffer *buffer, int segment)
{
    double least = buffer->segment[segment].high - buffer->segment_bytes;
    buffer->segment[segment].low = fmax(buffer->segment[segment].low, least);
}

void hdd_buffer_hit(struct hdd_buffer *buffer, int segment, double address, double length, double start,
                    double done)
{
    double end = address + length;

    buffer->segment[segment].used = start;
    if (segment != buffer->active)
        return;
    double reach = hdd_buffer_reach(buffer, start);
    if (end > reach) {
        buffer->head = end;
        buffer->since = done;
        buffer->limit = end + buffer->segment_bytes;
    } else if (reach < buffer->limit) {
        /* What was handed out makes room, so the head may go on for longer. */
        buffer->head = reach;
        buffer->since = start;
        buffer->limit = fmax(buffer->limit, end + buffer->segment_bytes);
    }
    buffer->segment[segment].high = hdd_buffer_reach(buffer, done);
    trim(buffer, segment);
}

bool hdd_buffer_miss(struct hdd_buffer *buffer, double address, double length, double start, double done)
{
    bool continues = false;
    int oldest = 0;

    for (int i = 0; i < (int)buffer->segments; i++) {
        double high = high_of(buffer, i, start);
        if (high > buffer->segment[i].low && address == high)
            continues = true;
        if (buffer->segment[i].used < buffer->segment[oldest].used)
            oldest = i;
    }
    if (buffer->active >= 0) {
        buffer->segment[buffer->active].high = hdd_buffer_reach(buffer, start);
        trim(buffer, buffer->active);
    }
    buffer->active = oldest;
    buffer->head = address + length;
    buffer->since = done;
    buffer->limit = buffer->head + buffer->segment_bytes;
    buffer->segment[oldest].low = address;
    buffer->segment[oldest].high = buffer->head;
    buffer->segment[oldest].used = start;
    trim(buffer, oldest);
    return continues;
}

double hdd_buffer_read_on(struct hdd_buffer *buffer, double bytes)
{
    bytes = fmin(bytes, buffer->segment_bytes);
    buffer->since += bytes / hdd_rate(buffer->geometry, buffer->head);
    buffer->head += bytes;
    buffer->limit = fmax(buffer->limit, buffer->head);
    buffer->segment[buffer->active].high = buffer->head;
    trim(buffer, buffer->active);
    return buffer->since;
}
