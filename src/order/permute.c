/* SPDX-License-Identifier: Apache-2.0 */
#include "order/permute.h"

#include "base/rng.h"

#include <assert.h>

/* Fisher and Yates's shuffle. A remainder's bias is of the order of 2^-60 here. */
static uint64_t shuffled_table(uint64_t count, uint64_t key)
{
    uint8_t values[DLS_PERMUTE_TABLE];
    uint64_t table = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t j = dls_mix64(key, i) % (i + 1);
        values[i] = values[j];
        values[j] = (uint8_t)i;
    }
    for (uint64_t i = 0; i < count; i++)
        table |= (uint64_t)values[i] << 4 * i;
    return table;
}

void dls_permute_init(struct dls_permute *permute, uint64_t count, uint64_t key_a, uint64_t key_b)
{
    assert(count >= 1);
    permute->count = count;
    if (count <= DLS_PERMUTE_TABLE) {
        permute->table = shuffled_table(count, dls_mix64(key_a, key_b));
        return;
    }
    unsigned bits = 64 - (unsigned)__builtin_clzll(count - 1), high_bits = bits / 2;
    permute->low_bits = bits - high_bits;
    permute->high_mask = ((uint64_t)1 << high_bits) - 1;
    permute->low_mask = ((uint64_t)1 << permute->low_bits) - 1;
    for (unsigned i = 0; i < DLS_PERMUTE_ROUNDS; i++)
        permute->keys[i] = dls_mix64(dls_mix64(key_a, i), key_b);
    permute->rotation = dls_mix64(dls_mix64(key_a, DLS_PERMUTE_ROUNDS), key_b) % count;
}

/* A round's function. The result's high bits are the well-mixed ones, so that they are what a caller's mask
 * keeps. */
static inline uint64_t mix(uint64_t half, uint64_t key)
{
    uint64_t x = (half ^ key) * UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x >> 32;
}

static inline uint64_t join(const struct dls_permute *permute, uint64_t high, uint64_t low)
{
    return high << permute->low_bits | low;
}

uint64_t dls_permute_at(const struct dls_permute *permute, uint64_t index)
{
    assert(index < permute->count);
    if (permute->count <= DLS_PERMUTE_TABLE)
        return permute->table >> 4 * index & 15;
    uint64_t value = index;
    do {
        uint64_t high = value >> permute->low_bits, low = value & permute->low_mask;
        for (unsigned i = 0; i < DLS_PERMUTE_ROUNDS; i += 2) {
            low ^= mix(high, permute->keys[i]) & permute->low_mask;
            high ^= mix(low, permute->keys[i + 1]) & permute->high_mask;
        }
        value = join(permute, high, low);
    } while (value >= permute->count);
    uint64_t room = permute->count - permute->rotation; /* value + rotation might not fit in 64 bits */
    return value < room ? value + permute->rotation : value - room;
}

uint64_t dls_permute_find(const struct dls_permute *permute, uint64_t value)
{
    assert(value < permute->count);
    uint64_t index = 0;
    if (permute->count <= DLS_PERMUTE_TABLE) {
        while ((permute->table >> 4 * index & 15) != value)
            index++;
        return index;
    }
    index =
        value >= permute->rotation ? value - permute->rotation : value + (permute->count - permute->rotation);
    do {
        uint64_t high = index >> permute->low_bits, low = index & permute->low_mask;
        for (unsigned i = DLS_PERMUTE_ROUNDS; i > 0; i -= 2) {
            high ^= mix(low, permute->keys[i - 1]) & permute->high_mask;
            low ^= mix(high, permute->keys[i - 2]) & permute->low_mask;
        }
        index = join(permute, high, low);
    } while (index >= permute->count);
    return index;
}
