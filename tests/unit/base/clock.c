/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <criterion/criterion.h>
#include <time.h>

Test(clock, is_the_monotonic_clock_in_nanoseconds)
{
    struct timespec before, after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    uint64_t now = dls_now();
    clock_gettime(CLOCK_MONOTONIC, &after);
    cr_assert_geq(now, (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec);
    cr_assert_leq(now, (uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec);
}
