/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

void bench_samples_start(struct bench_samples *samples, uint64_t interval_ns, uint64_t now,
                         const dls_stats *stats)
{
    samples->interval_ns = interval_ns;
    samples->next_ns = now + interval_ns;
    samples->images = 0;
    samples->last = *stats;
    samples->last_ns = now;
    samples->count = 0;
}

int bench_samples_due(const struct bench_samples *samples, uint64_t now)
{
    return now >= samples->next_ns;
}

static void add(struct bench_sample *to, const struct bench_sample *sample)
{
    to->ns += sample->ns;
    to->images += sample->images;
    to->read_bytes += sample->read_bytes;
    for (int i = 0; i < 3; i++) {
        to->busy_ns[i] += sample->busy_ns[i];
        to->wait_in_ns[i] += sample->wait_in_ns[i];
        to->wait_out_ns[i] += sample->wait_out_ns[i];
    }
}

static void halve(struct bench_samples *samples)
{
    for (size_t i = 0; i < samples->count / 2; i++) {
        struct bench_sample both = samples->list[2 * i];
        add(&both, &samples->list[2 * i + 1]);
        samples->list[i] = both;
    }
    samples->count /= 2;
    samples->interval_ns *= 2;
}

void bench_samples_take(struct bench_samples *samples, uint64_t now, uint64_t images, const dls_stats *stats)
{
    const dls_stage *stages[] = {&stats->read, &stats->decode, &stats->consume};
    const dls_stage *before[] = {&samples->last.read, &samples->last.decode, &samples->last.consume};
    uint64_t since = samples->last_ns;

    if (samples->count == BENCH_SAMPLES_MOST)
        halve(samples);
    struct bench_sample *sample = &samples->list[samples->count++];
    *sample = (struct bench_sample){.ns = now - since,
                                    .images = images - samples->images,
                                    .read_bytes = stats->read.bytes - samples->last.read.bytes};
    for (int i = 0; i < 3; i++) {
        sample->busy_ns[i] = stages[i]->busy_ns - before[i]->busy_ns;
        sample->wait_in_ns[i] = stages[i]->wait_in_ns - before[i]->wait_in_ns;
        sample->wait_out_ns[i] = stages[i]->wait_out_ns - before[i]->wait_out_ns;
    }
    samples->images = images;
    samples->last = *stats;
    samples->last_ns = now;
    samples->next_ns = now + samples->interval_ns;
}

static json_t *shares(const struct bench_sample *sample, int stage)
{
    double all = (double)(sample->busy_ns[stage] + sample->wait_in_ns[stage] + sample->wait_out_ns[stage]);
    double scale = all > 0 ? 1 / all : 0;

    return json_pack("[f, f, f]", (double)sample->busy_ns[stage] * scale,
                     (double)sample->wait_in_ns[stage] * scale, (double)sample->wait_out_ns[stage] * scale);
}

json_t *bench_samples_json(const struct bench_samples *samples)
{
    json_t *list = json_array();
    uint64_t end = 0;

    for (size_t i = 0; i < samples->count; i++) {
        const struct bench_sample *sample = &samples->list[i];
        double seconds = (double)sample->ns / 1e9;
        end += sample->ns;
        json_array_append_new(
            list,
            json_pack("{s:f, s:f, s:f, s:f, s:o, s:o, s:o}", "end", (double)end / 1e9, "seconds", seconds,
                      "images_per_second", seconds > 0 ? (double)sample->images / seconds : 0.0,
                      "read_bytes_per_second", seconds > 0 ? (double)sample->read_bytes / seconds : 0.0,
                      "read", shares(sample, 0), "decode", shares(sample, 1), "consume", shares(sample, 2)));
    }
    return list;
}
