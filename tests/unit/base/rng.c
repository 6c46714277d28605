/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static void check_philox(const uint32_t counter[4], const uint32_t key[2], const uint32_t expected[4])
{
    uint32_t out[4];

    dls_philox(counter, key, out);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(out[i], expected[i], "word %d: %08x, not %08x", i, out[i], expected[i]);
}

/* The known answers its authors publish for Philox 4×32, 10 rounds: zeros, ones, digits of pi. */
Test(rng, philox_known_answers)
{
    check_philox((uint32_t[4]){0}, (uint32_t[2]){0}, (uint32_t[4]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    check_philox((uint32_t[4]){0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                 (uint32_t[2]){0xffffffff, 0xffffffff},
                 (uint32_t[4]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    check_philox((uint32_t[4]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                 (uint32_t[2]){0xa4093822, 0x299f31d0},
                 (uint32_t[4]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

/* splitmix64's published first outputs for the seed 1234567: its state steps by the golden ratio. */
Test(rng, mix64_is_the_finaliser_of_splitmix64)
{
    const uint64_t first = UINT64_C(6457827717110365317);
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);

    /* mix64(a, b) = f(f(a + golden) + b + golden): choose b so that the outer f gets the state of the second step. */
    uint64_t b = UINT64_C(1234567) + golden - first;
    cr_assert_eq(dls_mix64(1234567, b), UINT64_C(3203168211198807973));
    cr_assert_neq(dls_mix64(1, 2), dls_mix64(2, 1));
    cr_assert_neq(dls_mix64(0, 1), dls_mix64(1, 0));
}

Test(rng, a_stream_is_philox_of_its_counter)
{
    struct dls_rng rng;
    uint64_t key = dls_mix64(7, 3);
    uint32_t expected[8];

    dls_philox((uint32_t[4]){0, 0, 0x89abcdef, 0x01234567}, (uint32_t[2]){(uint32_t)key, (uint32_t)(key >> 32)},
               expected);
    dls_philox((uint32_t[4]){1, 0, 0x89abcdef, 0x01234567}, (uint32_t[2]){(uint32_t)key, (uint32_t)(key >> 32)},
               expected + 4);
    dls_rng_init(&rng, 7, 3, UINT64_C(0x0123456789abcdef));
    for (int i = 0; i < 8; i++)
        cr_assert_eq(dls_rng_u32(&rng), expected[i], "word %d", i);
}

Test(rng, the_block_counter_carries)
{
    struct dls_rng rng;
    uint32_t expected[4];

    dls_rng_init(&rng, 1, 2, 3);
    rng.counter[0] = 0xffffffff;
    for (int i = 0; i < 4; i++)
        dls_rng_u32(&rng);
    dls_philox((uint32_t[4]){0, 1, 3, 0}, rng.key, expected);
    cr_assert_eq(dls_rng_u32(&rng), expected[0]);
}

Test(rng, u64_is_two_words_low_first)
{
    struct dls_rng words, wide;

    dls_rng_init(&words, 5, 6, 7);
    dls_rng_init(&wide, 5, 6, 7);
    for (int i = 0; i < 10; i++) {
        uint64_t low = dls_rng_u32(&words), high = dls_rng_u32(&words);
        cr_assert_eq(dls_rng_u64(&wide), low | high << 32);
    }
}

Test(rng, streams_of_neighbours_differ)
{
    static const uint64_t keys[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, UINT64_C(1) << 32}, {1, 1, 0}};
    uint64_t first[6];

    for (int i = 0; i < 6; i++) {
        struct dls_rng rng;
        dls_rng_init(&rng, keys[i][0], keys[i][1], keys[i][2]);
        first[i] = dls_rng_u64(&rng);
        for (int j = 0; j < i; j++)
            cr_assert_neq(first[i], first[j], "streams %d and %d", i, j);
    }
}

/* Pearson's chi-square over `bound` cells; mean bound - 1, deviation sqrt(2 (bound - 1)). */
static double chi_square(uint64_t bound, unsigned draws, uint64_t seed)
{
    unsigned cells[1000] = {0};
    struct dls_rng rng;
    double sum = 0, expected = (double)draws / (double)bound;

    dls_rng_init(&rng, seed, 0, bound);
    for (unsigned i = 0; i < draws; i++) {
        uint64_t value = dls_rng_below(&rng, bound);
        cr_assert_lt(value, bound);
        cells[value]++;
    }
    for (uint64_t i = 0; i < bound; i++)
        sum += (cells[i] - expected) * (cells[i] - expected) / expected;
    return sum;
}

Test(rng, below_is_uniform)
{
    static const uint64_t bounds[] = {2, 3, 7, 10, 100, 1000};

    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        double df = (double)bounds[i] - 1;
        double chi = chi_square(bounds[i], 200000, 11);
        /* Six deviations: the seed is fixed, so this either always holds or never. */
        cr_assert_lt(fabs(chi - df), 6 * sqrt(2 * df) + 6, "bound %llu: %g", (unsigned long long)bounds[i], chi);
    }
}

/* Without rejection, of bound = 3/4 × 2^64 every third value would come twice as often: 1/2 of the draws, not 1/3,
 * would be multiples of three. */
Test(rng, below_rejects_what_would_bias)
{
    const uint64_t bound = UINT64_C(3) << 62;
    unsigned thirds[3] = {0};
    struct dls_rng rng;

    dls_rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < 90000; i++)
        thirds[dls_rng_below(&rng, bound) % 3]++;
    for (int i = 0; i < 3; i++)
        cr_assert(thirds[i] > 29000 && thirds[i] < 31000, "%u", thirds[i]);
}

Test(rng, below_at_its_ends)
{
    struct dls_rng rng;
    uint64_t seen = 0;

    dls_rng_init(&rng, 9, 9, 9);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(dls_rng_below(&rng, 1), 0);
    for (int i = 0; i < 100; i++)
        seen |= dls_rng_below(&rng, UINT64_MAX);
    cr_assert_eq(seen, UINT64_MAX);
}

Test(rng, double_is_in_the_unit_interval_with_53_bits)
{
    struct dls_rng rng;
    double sum = 0, low = 1, high = 0;

    dls_rng_init(&rng, 3, 1, 4);
    for (int i = 0; i < 100000; i++) {
        double value = dls_rng_double(&rng);
        cr_assert(value >= 0 && value < 1);
        cr_assert_eq(value * 0x1p53, floor(value * 0x1p53));
        sum += value;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    /* The mean of 100000 has a deviation of 0.00091. */
    cr_assert(fabs(sum / 100000 - 0.5) < 0.005, "%g", sum / 100000);
    cr_assert(low < 0.001 && high > 0.999);
}
