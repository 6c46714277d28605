/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/mem.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 4160

/* The buffer of xxHash's own sanity check: the top bytes of a multiplicative sequence. */
static const uint8_t *sanity_buffer(void)
{
    static uint8_t buffer[LENGTH];
    uint64_t generator = UINT64_C(2654435761);

    for (int i = 0; i < LENGTH; i++) {
        buffer[i] = (uint8_t)(generator >> 56);
        generator *= UINT64_C(11400714785074694797);
    }
    return buffer;
}

/* Each length takes another path of the algorithm; the values are those of xxHash's sanity check. */
static const struct {
    size_t length;
    uint64_t hash;
} known[] = {
    {0, 0x2D06800538D394C2},    {1, 0xC44BDFF4074EECDB},    {6, 0x27B56A84CD2D7325},   {12, 0xA713DAF0DFBB77E7},
    {24, 0xA3FE70BF9D3510EB},   {48, 0x397DA259ECBA1F11},   {80, 0xBCDEFBBB2C47C90A},  {195, 0xCD94217EE362EC3A},
    {403, 0xCDEB804D65C6DEA4},  {512, 0x617E49599013CB6B},  {2048, 0xDD59E2C3A5F038E0}, {2240, 0x6E73A90539CF2948},
    {2367, 0xCB37AEB9E5D361ED},
};

Test(hash, known_values)
{
    const uint8_t *buffer = sanity_buffer();

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        cr_assert_eq(dls_hash64(buffer, known[i].length), known[i].hash, "length %zu: %016llx", known[i].length,
                     (unsigned long long)dls_hash64(buffer, known[i].length));
}

Test(hash, pieces_of_any_size_give_the_same)
{
    const uint8_t *buffer = sanity_buffer();
    struct dls_hasher *hasher = NULL;

    cr_assert_eq(dls_hasher_create(&hasher), 0);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        static const size_t pieces[] = {1, 7, 64, 1000, LENGTH};
        for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
            dls_hasher_reset(hasher);
            for (size_t at = 0; at < known[i].length; at += pieces[p]) {
                size_t rest = known[i].length - at;
                dls_hasher_add(hasher, buffer + at, rest < pieces[p] ? rest : pieces[p]);
            }
            cr_assert_eq(dls_hasher_64(hasher), known[i].hash, "length %zu in pieces of %zu", known[i].length, pieces[p]);
        }
    }
    dls_hasher_free(&hasher);
    cr_assert_null(hasher);
    dls_hasher_free(&hasher);
}

static void check_128(const char *text, const char *expected)
{
    struct dls_hasher *hasher = NULL;
    uint8_t digest[16];
    char hex[33];

    cr_assert_eq(dls_hasher_create(&hasher), 0);
    dls_hasher_add(hasher, text, strlen(text));
    dls_hasher_128(hasher, digest);
    for (int i = 0; i < 16; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    cr_assert_str_eq(hex, expected, "'%s'", text);
    dls_hasher_free(&hasher);
}

/* As `xxhsum -H2` prints them. */
Test(hash, canonical_128_bits)
{
    check_128("", "99aa06d3014798d86001c324468d497f");
    check_128("a", "a96faf705af16834e6c632b61e964e1f");
    check_128("abc", "06b05ab6733a618578af5f94892f3950");
}

Test(hash, one_changed_bit_changes_the_hash)
{
    uint8_t data[300];

    memset(data, 0x5a, sizeof(data));
    uint64_t before = dls_hash64(data, sizeof(data));
    for (size_t bit = 0; bit < sizeof(data) * 8; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cr_assert_neq(dls_hash64(data, sizeof(data)), before, "bit %zu", bit);
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

Test(hash, a_failing_allocation_is_reported)
{
    struct dls_hasher *hasher = NULL;

    dls_mem_fail(1, 1);
    int r = dls_hasher_create(&hasher);
    dls_mem_fail(0, 0);
    cr_assert_eq(r, -12);
    cr_assert_null(hasher);
}
