/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/buffer.h"

#include "base/mem.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(buffer, grows_and_keeps_what_it_has)
{
    struct dls_buffer buffer = {0};

    for (unsigned i = 0; i < 10000; i++)
        cr_assert_eq(dls_buffer_append(&buffer, &i, sizeof(i)), 0);
    cr_assert_eq(buffer.length, 40000);
    for (unsigned i = 0; i < 10000; i++)
        cr_assert_eq(memcmp(buffer.bytes + 4 * i, &i, 4), 0);
    dls_buffer_free(&buffer);
    cr_assert_eq(buffer.length, 0);
    cr_assert_null(buffer.bytes);
}

Test(buffer, pads_with_zeros_to_a_multiple)
{
    struct dls_buffer buffer = {0};

    cr_assert_eq(dls_buffer_pad(&buffer, 8), 0);
    cr_assert_eq(buffer.length, 0);
    cr_assert_eq(dls_buffer_append(&buffer, "abc", 3), 0);
    cr_assert_eq(dls_buffer_pad(&buffer, 8), 0);
    cr_assert_eq(dls_buffer_pad(&buffer, 8), 0);
    cr_assert_eq(dls_buffer_append_zeros(&buffer, 2), 0);
    cr_assert_eq(buffer.length, 10);
    cr_assert_eq(memcmp(buffer.bytes, "abc\0\0\0\0\0\0\0", 10), 0);
    dls_buffer_free(&buffer);
}

Test(buffer, prints)
{
    struct dls_buffer buffer = {0};

    for (int i = 0; i < 300; i++)
        cr_assert_eq(dls_buffer_printf(&buffer, "%d,", i % 10), 0);
    cr_assert_eq(buffer.length, 600);
    cr_assert_eq(memcmp(buffer.bytes + 596, "8,9,", 4), 0);
    dls_buffer_free(&buffer);
}

Test(buffer, lengths_beyond_memory_are_an_error)
{
    struct dls_buffer buffer = {0};

    cr_assert_eq(dls_buffer_append(&buffer, "x", 1), 0);
    cr_assert_eq(dls_buffer_reserve(&buffer, SIZE_MAX), -ENOMEM);
    cr_assert_eq(dls_buffer_reserve(&buffer, SIZE_MAX - 1), -ENOMEM);
    cr_assert_eq(buffer.length, 1);
    cr_assert_eq(buffer.bytes[0], 'x');
    dls_buffer_free(&buffer);
}

Test(buffer, survives_a_failed_allocation)
{
    struct dls_buffer buffer = {0};

    cr_assert_eq(dls_buffer_append(&buffer, "abc", 3), 0);
    dls_mem_fail(1, 1);
    cr_assert_eq(dls_buffer_append_zeros(&buffer, 1 << 20), -ENOMEM);
    dls_mem_fail(0, 0);
    cr_assert_eq(buffer.length, 3);
    cr_assert_eq(memcmp(buffer.bytes, "abc", 3), 0);
    dls_buffer_free(&buffer);
}
