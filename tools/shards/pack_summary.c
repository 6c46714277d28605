/* SPDX-License-Identifier: Apache-2.0 */
/* What pack says at its end. */
#include "shards/pack.h"

#include "base/clock.h"
#include "common/emit.h"
#include "common/units.h"
#include "decode/decode.h"

#include <math.h>

bool pack_pixel_stats(const struct pack *pack, double ret_mean[3], double ret_std[3])
{
    if (!pack->pixels)
        return false;
    for (unsigned c = 0; c < 3; c++) {
        double n = (double)pack->pixels, mean = (double)pack->sum[c] / n;
        /* n × squares - sum² is exact in 128 bits up to 10^14 pixels; as doubles it could lose all its
         * digits. */
        unsigned __int128 spread = pack->square[c] * pack->pixels - pack->sum[c] * pack->sum[c];
        ret_mean[c] = mean / 255;
        ret_std[c] = sqrt((double)spread) / n / 255;
    }
    return true;
}

static void print_problems(const struct pack *pack, struct tool_emit *emit)
{
    const uint64_t *count = pack->report.count;
    bool any = false;

    for (unsigned kind = 1; kind < PROBLEM_KINDS; kind++)
        any = any || count[kind];
    if (!any && !emit->json)
        return;
    tool_emit_object(emit, "problems");
    for (unsigned kind = 1; kind < PROBLEM_KINDS; kind++)
        if (count[kind])
            tool_emit_count(emit, problem_name(kind), count[kind]);
    tool_emit_close(emit);
}

void pack_print_summary(struct pack *pack)
{
    double seconds = (double)(dls_now() - pack->started) / 1e9, mean[3], std[3];
    double time = seconds > 0 ? seconds : 1e-9;
    char text[TOOL_UNIT_ROOM];
    struct tool_emit emit;

    if (pack->config->quiet && !pack->config->json)
        return;
    tool_emit_start(&emit, stdout, pack->config->json);
    tool_emit_text(&emit, "dataset", pack->out);
    tool_emit_count(&emit, "records", pack->records);
    tool_emit_count(&emit, "classes", pack->source.class_count);
    tool_emit_bytes(&emit, "image_bytes", pack->bytes);
    tool_emit_object(&emit, "codecs");
    for (unsigned codec = 0; codec < 256; codec++)
        if (pack->codecs[codec])
            tool_emit_count(&emit, dls_codec_name((dls_codec)codec), pack->codecs[codec]);
    tool_emit_close(&emit);
    if (pack_pixel_stats(pack, mean, std)) {
        tool_emit_array(&emit, "mean");
        for (unsigned c = 0; c < 3; c++)
            tool_emit_real(&emit, NULL, mean[c], 4);
        tool_emit_close(&emit);
        tool_emit_array(&emit, "std");
        for (unsigned c = 0; c < 3; c++)
            tool_emit_real(&emit, NULL, std[c], 4);
        tool_emit_close(&emit);
    }
    tool_emit_count(&emit, "skipped", pack->skipped);
    print_problems(pack, &emit);
    if (emit.json) {
        tool_emit_real(&emit, "seconds", seconds, 3);
        tool_emit_real(&emit, "files_per_second", (double)pack->records / time, 1);
        tool_emit_real(&emit, "bytes_per_second", (double)pack->bytes / time, 0);
    } else {
        printf("%-18s%s, ", "time", tool_show_time(seconds, text));
        printf("%.0f files/s, %s\n", (double)pack->records / time,
               tool_show_rate((double)pack->bytes / time, text));
    }
    tool_emit_end(&emit);
}
