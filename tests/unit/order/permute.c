/* SPDX-License-Identifier: Apache-2.0 */
#include "order/permute.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void check_bijection(uint64_t count, uint64_t key)
{
    struct dls_permute permute;
    bool *seen = calloc(count, sizeof(*seen));
    cr_assert_not_null(seen);
    dls_permute_init(&permute, count, key, 7);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = dls_permute_at(&permute, i);
        cr_assert(value < count, "count %lu: %lu stands at %lu", count, value, i);
        cr_assert_not(seen[value], "count %lu: %lu stands twice", count, value);
        seen[value] = true;
        cr_assert_eq(dls_permute_find(&permute, value), i);
    }
    free(seen);
}

Test(permute, every_small_count_is_a_bijection)
{
    for (uint64_t count = 1; count <= 600; count++)
        for (uint64_t key = 0; key < 3; key++)
            check_bijection(count, key);
}

Test(permute, counts_about_powers_of_two)
{
    for (unsigned bits = 10; bits <= 18; bits++)
        for (int off = -1; off <= 1; off++)
            check_bijection((UINT64_C(1) << bits) + (uint64_t)off, bits);
}

Test(permute, large_counts_invert)
{
    static const uint64_t counts[] = {UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 40) - 1,
                                      UINT64_C(1) << 40, (UINT64_C(1) << 40) + 1, UINT64_C(1000000000),
                                      UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX};
    struct dls_rng rng;
    dls_rng_init(&rng, 1, 2, 3);
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        struct dls_permute permute;
        uint64_t fixed = 0;
        dls_permute_init(&permute, counts[c], c, 9);
        for (int i = 0; i < 20000; i++) {
            uint64_t index = dls_rng_below(&rng, counts[c]);
            uint64_t value = dls_permute_at(&permute, index);
            cr_assert(value < counts[c]);
            cr_assert_eq(dls_permute_find(&permute, value), index);
            fixed += value == index;
        }
        cr_assert_leq(fixed, 2, "%lu of 20000 stay where they were", fixed);
    }
}

/* Places that agree under two keys: on average one, whatever the count. */
Test(permute, keys_give_different_orders)
{
    struct dls_permute first, second;
    for (uint64_t key = 0; key < 50; key++) {
        unsigned same_a = 0, same_b = 0;
        dls_permute_init(&first, 5000, key, 1);
        dls_permute_init(&second, 5000, key + 1, 1);
        for (uint64_t i = 0; i < 5000; i++)
            same_a += dls_permute_at(&first, i) == dls_permute_at(&second, i);
        dls_permute_init(&second, 5000, key, 2);
        for (uint64_t i = 0; i < 5000; i++)
            same_b += dls_permute_at(&first, i) == dls_permute_at(&second, i);
        cr_assert_leq(same_a, 10);
        cr_assert_leq(same_b, 10);
    }
}

Test(permute, same_keys_give_the_same_order)
{
    struct dls_permute permute;
    static const uint64_t expected[10] = {6, 4, 9, 5, 7, 0, 8, 1, 2, 3};
    static const uint64_t large[4] = {619025, 638436, 147412, 486083};
    dls_permute_init(&permute, 10, 123, 456);
    for (uint64_t i = 0; i < 10; i++)
        cr_assert_eq(dls_permute_at(&permute, i), expected[i], "place %lu holds %lu", i,
                     dls_permute_at(&permute, i));
    dls_permute_init(&permute, 1000003, 123, 456);
    for (uint64_t i = 0; i < 4; i++)
        cr_assert_eq(dls_permute_at(&permute, i), large[i], "place %lu holds %lu", i,
                     dls_permute_at(&permute, i));
}

/* The value at each place is uniform over keys. 5.5 standard deviations of the statistic pass; the keys are
 * fixed. */
Test(permute, values_are_uniform_over_keys)
{
    for (unsigned count = 2; count <= 40; count++) {
        enum { KEYS = 40000 };
        unsigned(*hits)[40] = calloc(count, sizeof(*hits));
        for (uint64_t key = 0; key < KEYS; key++) {
            struct dls_permute permute;
            dls_permute_init(&permute, count, key, count);
            for (unsigned i = 0; i < count; i++)
                hits[i][dls_permute_at(&permute, i)]++;
        }
        for (unsigned i = 0; i < count; i++) {
            double chi2 = 0, mean = (double)KEYS / count;
            for (unsigned v = 0; v < count; v++)
                chi2 += (hits[i][v] - mean) * (hits[i][v] - mean) / mean;
            double df = count - 1, sigma = (chi2 - df) * (chi2 - df) / (2 * df);
            cr_expect_leq(sigma, 5.5 * 5.5, "count %u place %u: chi2 %.1f", count, i, chi2);
        }
        free(hits);
    }
}

/* All orders of four, and of three, come up equally often. */
Test(permute, whole_orders_are_uniform_over_keys)
{
    enum { KEYS = 48000 };
    for (unsigned count = 3; count <= 5; count++) {
        unsigned hits[3125] = {0}, orders = count == 3 ? 6 : count == 4 ? 24 : 120, kinds = 0;
        for (uint64_t key = 0; key < KEYS; key++) {
            struct dls_permute permute;
            unsigned code = 0;
            dls_permute_init(&permute, count, key, 99);
            for (unsigned i = 0; i < count; i++)
                code = code * count + (unsigned)dls_permute_at(&permute, i);
            hits[code]++;
        }
        double chi2 = 0, mean = (double)KEYS / orders;
        for (unsigned c = 0; c < 3125; c++) {
            kinds += hits[c] > 0;
            chi2 += hits[c] ? (hits[c] - mean) * (hits[c] - mean) / mean : 0;
        }
        cr_expect_eq(kinds, orders);
        cr_expect_leq((chi2 - orders) * (chi2 - orders) / (2.0 * orders), 5.5 * 5.5,
                      "count %u: chi2 %.1f over %u orders", count, chi2, orders);
    }
}

/* What stands at one place says nothing about its neighbour: all pairs of values come up equally often. */
Test(permute, neighbours_are_independent)
{
    enum { KEYS = 60000 };
    for (unsigned count = 12; count <= 24; count++) {
        unsigned(*hits)[24] = calloc(count, sizeof(*hits));
        for (uint64_t key = 0; key < KEYS; key++) {
            struct dls_permute permute;
            dls_permute_init(&permute, count, key, 1);
            hits[dls_permute_at(&permute, 3)][dls_permute_at(&permute, 4)]++;
        }
        double chi2 = 0, pairs = count * (count - 1), mean = KEYS / pairs;
        for (unsigned i = 0; i < count * count; i++) {
            unsigned n = hits[i / count][i % count];
            if (i / count != i % count)
                chi2 += (n - mean) * (n - mean) / mean;
        }
        double sigma = (chi2 - pairs + 1) * (chi2 - pairs + 1) / (2 * pairs);
        cr_expect_leq(sigma, 5.5 * 5.5, "count %u: chi2 %.1f over %.0f pairs", count, chi2, pairs);
        free(hits);
    }
}
