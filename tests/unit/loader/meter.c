/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/meter.h"

#include "base/thread.h"

#include <criterion/criterion.h>

static void expect(const struct dls_meter *meter, uint64_t now, uint64_t busy, uint64_t in, uint64_t out)
{
    uint64_t spent[DLS_METER_STATES] = {0};

    dls_meter_read(meter, now, spent);
    cr_assert_eq(spent[DLS_METER_BUSY], busy);
    cr_assert_eq(spent[DLS_METER_WAIT_IN], in);
    cr_assert_eq(spent[DLS_METER_WAIT_OUT], out);
}

Test(meter, each_state_gets_the_time_it_lasted)
{
    struct dls_meter meter = {0};

    expect(&meter, 1000, 0, 0, 0);
    dls_meter_enter(&meter, DLS_METER_BUSY, 1000);
    dls_meter_enter(&meter, DLS_METER_WAIT_IN, 1100);
    dls_meter_enter(&meter, DLS_METER_BUSY, 1150);
    dls_meter_enter(&meter, DLS_METER_WAIT_OUT, 1157);
    dls_meter_enter(&meter, DLS_METER_OFF, 1160);
    expect(&meter, 99999, 107, 50, 3);
}

Test(meter, a_wait_shows_before_it_ends)
{
    struct dls_meter meter = {0};

    dls_meter_enter(&meter, DLS_METER_BUSY, 10);
    dls_meter_enter(&meter, DLS_METER_WAIT_OUT, 20);
    expect(&meter, 25, 10, 0, 5);
    expect(&meter, 90, 10, 0, 70);
    dls_meter_enter(&meter, DLS_METER_BUSY, 100);
    expect(&meter, 100, 10, 0, 80);
}

Test(meter, entering_the_same_state_goes_on_with_it)
{
    struct dls_meter meter = {0};

    dls_meter_enter(&meter, DLS_METER_BUSY, 10);
    dls_meter_enter(&meter, DLS_METER_BUSY, 20);
    expect(&meter, 30, 20, 0, 0);
}

Test(meter, a_clock_that_another_thread_read_earlier_does_no_harm)
{
    struct dls_meter meter = {0};

    dls_meter_enter(&meter, DLS_METER_BUSY, 100);
    expect(&meter, 90, 0, 0, 0);
    dls_meter_enter(&meter, DLS_METER_WAIT_IN, 95);
    expect(&meter, 105, 0, 10, 0);
}

static void *flip_forever(void *arg)
{
    struct dls_meter *meter = arg;

    for (uint64_t now = 1; now <= 400000; now++)
        dls_meter_enter(meter, now % 2 == 0 ? DLS_METER_BUSY : DLS_METER_WAIT_IN, now);
    return NULL;
}

Test(meter, a_reader_never_sees_a_change_by_half)
{
    struct dls_meter meter = {0};
    struct dls_thread thread = {0};
    uint64_t last = 0;

    cr_assert_eq(dls_thread_start(&thread, "flip", flip_forever, &meter), 0);
    while (last < 399990) {
        uint64_t spent[DLS_METER_STATES] = {0}, total;
        dls_meter_read(&meter, 0, spent);
        total = spent[DLS_METER_BUSY] + spent[DLS_METER_WAIT_IN];
        cr_assert_geq(total, last);
        cr_assert_leq(spent[DLS_METER_BUSY], spent[DLS_METER_WAIT_IN] + 1);
        cr_assert_leq(spent[DLS_METER_WAIT_IN], spent[DLS_METER_BUSY] + 1);
        last = total;
    }
    dls_thread_join(&thread);
}
