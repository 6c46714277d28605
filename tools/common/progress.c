/* SPDX-License-Identifier: Apache-2.0 */
#include "common/progress.h"

#include "base/clock.h"
#include "common/units.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_INTERVAL_NS 170000000ull
#define JSON_INTERVAL_NS 1000000000ull

void tool_progress_start(struct tool_progress *progress, enum tool_progress_mode mode, const char *what,
                         const char *items, uint64_t total_items, uint64_t total_bytes)
{
    *progress = (struct tool_progress){.mode = mode,
                                       .what = what,
                                       .items = items,
                                       .total_items = total_items,
                                       .total_bytes = total_bytes,
                                       .started = dls_now()};
    if (mode == TOOL_PROGRESS_AUTO)
        progress->mode = isatty(STDERR_FILENO) ? TOOL_PROGRESS_BAR : TOOL_PROGRESS_NONE;
}

struct state {
    uint64_t items, bytes;
    double seconds, done, left; /* done: 0 … 1, or -1 if the total is not known; left: seconds, or -1 */
};

static struct state measure(const struct tool_progress *progress, uint64_t items, uint64_t bytes,
                            uint64_t now)
{
    struct state state = {items, bytes, (double)(now - progress->started) / 1e9, -1, -1};

    /* Bytes foretell the time better than files do, whose sizes differ. */
    if (progress->total_bytes)
        state.done = (double)bytes / (double)progress->total_bytes;
    else if (progress->total_items)
        state.done = (double)items / (double)progress->total_items;
    if (state.done > 1)
        state.done = 1;
    if (state.done > 0 && state.seconds > 0.5)
        state.left = state.seconds * (1 - state.done) / state.done;
    return state;
}

static void print_bar(struct tool_progress *progress, const struct state *state)
{
    char rate[TOOL_UNIT_ROOM], left[TOOL_UNIT_ROOM], head[64] = "", items[96] = "", tail[160], bar[64] = "";
    double seconds = state->seconds > 0 ? state->seconds : 1e-9;
    struct winsize size = {0};
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    int room;

    if (state->done >= 0)
        snprintf(head, sizeof(head), " %3.0f %%", state->done * 100);
    if (progress->items)
        snprintf(items, sizeof(items), " %llu %s  %.0f/s ", (unsigned long long)state->items, progress->items,
                 (double)state->items / seconds);
    snprintf(tail, sizeof(tail), "%s %s%s%s%s%s", items, tool_show_rate((double)state->bytes / seconds, rate),
             progress->note[0] ? "  " : "", progress->note,
             state->left >= 0 ? "  ETA " : "", state->left >= 0 ? tool_show_time(state->left, left) : "");
    room = width - 1 - (int)(strlen(progress->what) + strlen(head) + strlen(tail)) - 3;
    if (room > 40)
        room = 40;
    if (room >= 5 && state->done >= 0) {
        int full = (int)(state->done * room);
        bar[0] = ' ';
        bar[1] = '[';
        memset(bar + 2, '.', (size_t)room);
        memset(bar + 2, '#', (size_t)full);
        bar[room + 2] = ']';
        bar[room + 3] = 0;
    }
    fprintf(stderr, "\r%s%s%s%s\033[K", progress->what, head, bar, tail);
    fflush(stderr);
    progress->on_line = true;
}

static void print_json(const struct tool_progress *progress, const struct state *state)
{
    fprintf(stderr, "{\"event\":\"progress\",\"command\":\"%s\",\"bytes\":%llu,\"seconds\":%.3f",
            progress->what, (unsigned long long)state->bytes, state->seconds);
    if (progress->items)
        fprintf(stderr, ",\"%s\":%llu", progress->items, (unsigned long long)state->items);
    if (progress->items && progress->total_items)
        fprintf(stderr, ",\"total_%s\":%llu", progress->items, (unsigned long long)progress->total_items);
    if (progress->total_bytes)
        fprintf(stderr, ",\"total_bytes\":%llu", (unsigned long long)progress->total_bytes);
    if (state->left >= 0)
        fprintf(stderr, ",\"eta_seconds\":%.1f", state->left);
    fprintf(stderr, "}\n");
}

static void show(struct tool_progress *progress, uint64_t items, uint64_t bytes, uint64_t now)
{
    struct state state = measure(progress, items, bytes, now);

    progress->shown = now;
    if (progress->mode == TOOL_PROGRESS_BAR)
        print_bar(progress, &state);
    else
        print_json(progress, &state);
}

void tool_progress_update(struct tool_progress *progress, uint64_t items, uint64_t bytes)
{
    uint64_t now;

    if (progress->mode != TOOL_PROGRESS_BAR && progress->mode != TOOL_PROGRESS_JSON)
        return;
    now = dls_now();
    if (!progress->shown ||
        now - progress->shown >= (progress->mode == TOOL_PROGRESS_BAR ? BAR_INTERVAL_NS : JSON_INTERVAL_NS))
        show(progress, items, bytes, now);
}

void tool_progress_clear(struct tool_progress *progress)
{
    if (!progress->on_line)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->on_line = false;
}

void tool_progress_end(struct tool_progress *progress, uint64_t items, uint64_t bytes)
{
    if (progress->mode == TOOL_PROGRESS_JSON)
        show(progress, items, bytes, dls_now());
    tool_progress_clear(progress);
    progress->mode = TOOL_PROGRESS_NONE;
}
