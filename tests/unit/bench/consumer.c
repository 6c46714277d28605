/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

static const atomic_int go_on;

static int with_trace(const char *text, struct bench_consumer *ret_consumer)
{
    char path[] = "/tmp/dls-trace-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct bench_settings settings = {.consume_trace = path};
    int r = bench_consumer_init(ret_consumer, &settings, &go_on);
    unlink(path);
    return r;
}

Test(consumer, reads_a_trace)
{
    struct bench_consumer consumer;

    cr_assert_eq(with_trace("# ms\n 1.5 \n\n20 # slow\n0\n", &consumer), 0, "%s", dls_err_text());
    cr_assert_eq(consumer.trace_count, 3);
    cr_assert_eq(consumer.trace[0], 1.5);
    cr_assert_eq(consumer.trace[1], 20);
    cr_assert_eq(consumer.trace[2], 0);
    bench_consumer_free(&consumer);
    cr_assert_eq(with_trace("1\n\n-2\n", &consumer), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "line 3: '-2' is no time"));
    bench_consumer_free(&consumer);
    cr_assert_eq(with_trace("# nothing\n", &consumer), -EINVAL);
    bench_consumer_free(&consumer);
}

/* The least times are certain, however slow the machine. */
Test(consumer, works_as_long_as_it_is_told, .timeout = 60)
{
    struct bench_consumer consumer;

    cr_assert_eq(with_trace("2\n30\n", &consumer), 0);
    for (int i = 0; i < 3; i++) {
        uint64_t got = dls_now();
        bench_consume(&consumer, got, 8);
        cr_assert_geq(dls_now() - got, i == 1 ? 30000000 : 2000000);
    }
    bench_consumer_free(&consumer);
}

Test(consumer, asks_at_a_rate, .timeout = 60)
{
    struct bench_settings settings = {.rate = 1000};
    struct bench_consumer consumer;

    cr_assert_eq(bench_consumer_init(&consumer, &settings, &go_on), 0);
    uint64_t start = dls_now();
    for (int i = 0; i < 5; i++)
        bench_consume(&consumer, dls_now(), 10);
    cr_assert_geq(dls_now() - start, 50000000);
    bench_consumer_free(&consumer);
}

Test(consumer, a_signal_ends_its_work)
{
    static const atomic_int stop = 15;
    struct bench_settings settings = {.consume_ms = 3600e3};
    struct bench_consumer consumer;

    cr_assert_eq(bench_consumer_init(&consumer, &settings, &stop), 0);
    bench_consume(&consumer, dls_now(), 1);
    bench_consumer_free(&consumer);
}
