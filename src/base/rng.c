/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"

#include <string.h>

/* The constants of the paper: two multipliers, and a step of the key for each of the two words. */
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define KEY_STEP_0 0x9E3779B9u
#define KEY_STEP_1 0xBB67AE85u
#define ROUNDS 10

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

__extension__ typedef unsigned __int128 uint128;

void dls_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t ret_out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t p0 = (uint64_t)MULTIPLIER_0 * c0, p1 = (uint64_t)MULTIPLIER_1 * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += KEY_STEP_0;
        k1 += KEY_STEP_1;
    }
    ret_out[0] = c0;
    ret_out[1] = c1;
    ret_out[2] = c2;
    ret_out[3] = c3;
}

/* Seed and epoch make the key, the item the upper half of the counter; the lower half counts blocks. */
void dls_rng_init(struct dls_rng *rng, uint64_t seed, uint64_t epoch, uint64_t item)
{
    uint64_t key = dls_mix64(seed, epoch);

    memset(rng, 0, sizeof(*rng));
    rng->key[0] = (uint32_t)key;
    rng->key[1] = (uint32_t)(key >> 32);
    rng->counter[2] = (uint32_t)item;
    rng->counter[3] = (uint32_t)(item >> 32);
    rng->used = 4;
}

uint32_t dls_rng_u32(struct dls_rng *rng)
{
    if (rng->used == 4) {
        dls_philox(rng->counter, rng->key, rng->block);
        if (++rng->counter[0] == 0)
            rng->counter[1]++;
        rng->used = 0;
    }
    return rng->block[rng->used++];
}

uint64_t dls_rng_u64(struct dls_rng *rng)
{
    uint64_t low = dls_rng_u32(rng);

    return low | (uint64_t)dls_rng_u32(rng) << 32;
}

uint64_t dls_rng_below(struct dls_rng *rng, uint64_t bound)
{
    uint128 product = (uint128)dls_rng_u64(rng) * bound;

    if ((uint64_t)product < bound) {
        /* 2^64 mod bound products would give some results once too often. */
        uint64_t surplus = (0 - bound) % bound;
        while ((uint64_t)product < surplus)
            product = (uint128)dls_rng_u64(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

double dls_rng_double(struct dls_rng *rng)
{
    return (double)(dls_rng_u64(rng) >> 11) * 0x1p-53;
}

static uint64_t finalise(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

uint64_t dls_mix64(uint64_t a, uint64_t b)
{
    return finalise(finalise(a + GOLDEN) + b + GOLDEN);
}
