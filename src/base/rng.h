/* SPDX-License-Identifier: Apache-2.0 */
/* Counter-based random numbers: a value is a pure function of a key and a position, so that any thread can make
 * any of them at any time. Philox 4×32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). */
#ifndef DLS_BASE_RNG_H
#define DLS_BASE_RNG_H

#include <stdint.h>

/* The bare function: 128-bit counter and 64-bit key to 128 bits. */
void dls_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t ret_out[4]);

/* A stream: the sequence of numbers belonging to (seed, epoch, item). */
struct dls_rng {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    unsigned used; /* words of `block` already given out */
};

void dls_rng_init(struct dls_rng *rng, uint64_t seed, uint64_t epoch, uint64_t item);
uint32_t dls_rng_u32(struct dls_rng *rng);
uint64_t dls_rng_u64(struct dls_rng *rng);
/* Uniform in [0, bound), bound ≥ 1, without bias (Lemire's multiply and reject). */
uint64_t dls_rng_below(struct dls_rng *rng, uint64_t bound);
/* Uniform in [0, 1) with 53 bits. */
double dls_rng_double(struct dls_rng *rng);

/* One well-mixed 64-bit value of two (splitmix64's finaliser over both), for deriving seeds. */
uint64_t dls_mix64(uint64_t a, uint64_t b);

#endif
