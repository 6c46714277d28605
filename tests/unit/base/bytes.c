/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <criterion/criterion.h>

Test(bytes, are_little_endian_at_any_alignment)
{
    uint8_t memory[24] = {0};

    for (int shift = 0; shift < 8; shift++) {
        dls_put64(memory + shift, UINT64_C(0x0102030405060708));
        for (int i = 0; i < 8; i++)
            cr_assert_eq(memory[shift + i], 8 - i);
        cr_assert_eq(dls_get64(memory + shift), UINT64_C(0x0102030405060708));
        cr_assert_eq(dls_get32(memory + shift), 0x05060708u);
        cr_assert_eq(dls_get16(memory + shift), 0x0708u);
    }
    dls_put16(memory, 0xbeef);
    dls_put32(memory + 2, 0xdeadbeef);
    cr_assert_arr_eq(memory, ((uint8_t[]){0xef, 0xbe, 0xef, 0xbe, 0xad, 0xde}), 6);
}

Test(bytes, sums_and_products_tell_overflow)
{
    uint64_t result = 0;

    cr_assert(!dls_add_overflows(UINT64_MAX - 1, 1, &result));
    cr_assert_eq(result, UINT64_MAX);
    cr_assert(dls_add_overflows(UINT64_MAX, 1, &result));
    cr_assert(!dls_mul_overflows(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &result));
    cr_assert_eq(result, UINT64_C(0xffffffff00000000));
    cr_assert(dls_mul_overflows(UINT64_C(1) << 32, UINT64_C(1) << 32, &result));
}

Test(bytes, range_ok_at_the_edges)
{
    cr_assert(dls_range_ok(0, 0, 0));
    cr_assert(dls_range_ok(0, 10, 10));
    cr_assert(dls_range_ok(10, 0, 10));
    cr_assert(dls_range_ok(3, 7, 10));
    cr_assert(!dls_range_ok(3, 8, 10));
    cr_assert(!dls_range_ok(11, 0, 10));
    /* offset + length wraps to a small number */
    cr_assert(!dls_range_ok(UINT64_MAX, 2, 10));
    cr_assert(!dls_range_ok(2, UINT64_MAX, 10));
    cr_assert(!dls_range_ok(UINT64_MAX - 3, 8, UINT64_MAX));
}

Test(bytes, align_up_min_max)
{
    cr_assert_eq(dls_align_up(0, 4096), 0);
    cr_assert_eq(dls_align_up(1, 4096), 4096);
    cr_assert_eq(dls_align_up(4096, 4096), 4096);
    cr_assert_eq(dls_align_up(4097, 4096), 8192);
    cr_assert_eq(dls_align_up(5, 1), 5);
    cr_assert_eq(dls_min64(3, 4), 3);
    cr_assert_eq(dls_min64(4, 3), 3);
    cr_assert_eq(dls_max64(3, 4), 4);
    cr_assert_eq(dls_max64(4, 3), 4);
}

Test(bytes, all_zero_sees_every_byte)
{
    uint8_t memory[70] = {0};

    cr_assert(dls_all_zero(memory, sizeof(memory)));
    cr_assert(dls_all_zero(memory, 1));
    for (size_t i = 0; i < sizeof(memory); i++) {
        memory[i] = 1;
        cr_assert(!dls_all_zero(memory, sizeof(memory)), "byte %zu", i);
        cr_assert(dls_all_zero(memory, i), "before byte %zu", i);
        memory[i] = 0;
    }
    memory[0] = 0xff;
    memory[69] = 0xff;
    cr_assert(!dls_all_zero(memory, sizeof(memory)));
    /* No byte is all of none; and a repeated non-zero byte is not zero. */
    cr_assert(dls_all_zero(memory, 0));
    memset(memory, 7, sizeof(memory));
    cr_assert(!dls_all_zero(memory, sizeof(memory)));
}
