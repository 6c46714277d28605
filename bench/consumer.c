/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "common/units.h"

#define TRACE_MOST (1 << 20)

/* A line without what is behind '#' and without blanks around it. */
static char *strip(char *line)
{
    line += strspn(line, " \t");
    line[strcspn(line, "#\r\n")] = '\0';
    for (size_t n = strlen(line); n && (line[n - 1] == ' ' || line[n - 1] == '\t'); n--)
        line[n - 1] = '\0';
    return line;
}

static int read_trace(struct bench_consumer *consumer, const char *path, FILE *file)
{
    char line[128];
    size_t room = 0;

    for (unsigned number = 1; fgets(line, sizeof(line), file); number++) {
        double value;
        char *text = strip(line);
        if (!text[0])
            continue;
        if (!tool_parse_real(text, &value) || value < 0 || value > 3600e3)
            return dls_err(EINVAL, "'%s', line %u: '%s' is no time in milliseconds from 0 to 3600000", path,
                           number, text);
        if (consumer->trace_count == TRACE_MOST)
            return dls_err(E2BIG, "'%s': more than %d times", path, TRACE_MOST);
        if (consumer->trace_count == room) {
            room = room ? room * 2 : 256;
            double *trace = dls_realloc(DLS_MEM_TOOL, consumer->trace, room * sizeof(*trace));
            if (!trace)
                return -ENOMEM;
            consumer->trace = trace;
        }
        consumer->trace[consumer->trace_count++] = value;
    }
    if (ferror(file))
        return dls_err_sys(errno ? errno : EIO, "'%s'", path);
    return consumer->trace_count ? 0 : dls_err(EINVAL, "'%s': no times in it", path);
}

int bench_consumer_init(struct bench_consumer *consumer, const struct bench_settings *settings,
                        const atomic_int *stop)
{
    *consumer =
        (struct bench_consumer){.milliseconds = settings->consume_ms, .rate = settings->rate, .stop = stop};
    if (!settings->consume_trace)
        return 0;
    FILE *file = fopen(settings->consume_trace, "re");
    if (!file)
        return dls_err_sys(errno, "'%s'", settings->consume_trace);
    int r = read_trace(consumer, settings->consume_trace, file);
    fclose(file);
    return r;
}

void bench_consumer_free(struct bench_consumer *consumer)
{
    dls_free(consumer->trace);
    consumer->trace = NULL;
}

static void sleep_until(const struct bench_consumer *consumer, uint64_t until)
{
    struct timespec at = {.tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};

    while (!atomic_load(consumer->stop) &&
           clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

void bench_consume(struct bench_consumer *consumer, uint64_t got, uint64_t images)
{
    double ms =
        consumer->trace ? consumer->trace[consumer->batches % consumer->trace_count] : consumer->milliseconds;
    uint64_t until = ms > 0 ? got + (uint64_t)(ms * 1e6) : 0;

    consumer->batches++;
    if (consumer->rate > 0) {
        /* What came late is not made up for by a burst: the next batch is due a period after this one. */
        uint64_t from = consumer->due_ns > got ? consumer->due_ns : got;
        consumer->due_ns = from + (uint64_t)((double)images / consumer->rate * 1e9);
        if (consumer->due_ns > until)
            until = consumer->due_ns;
    }
    if (until > got)
        sleep_until(consumer, until);
}
