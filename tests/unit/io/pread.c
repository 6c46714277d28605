/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include <sys/resource.h>

Test(pread, reads_every_byte_buffered)
{
    engine_case_reads(&dls_io_pread, false);
}

Test(pread, reads_every_byte_directly)
{
    engine_case_reads(&dls_io_pread, true);
}

Test(pread, tells_ends_and_errors)
{
    engine_case_ends_and_errors(&dls_io_pread);
}

Test(pread, follows_a_change_of_files)
{
    engine_case_slots_change_files(&dls_io_pread);
}

Test(pread, waits_end_by_time_and_by_wake)
{
    engine_case_waits_end(&dls_io_pread);
}

Test(pread, wakes_from_another_thread)
{
    engine_case_wake(&dls_io_pread);
}

Test(pread, close_waits_for_reads_in_flight)
{
    engine_case_close_in_flight(&dls_io_pread);
}

Test(pread, may_be_used_by_another_thread_than_opened_it)
{
    engine_case_other_thread(&dls_io_pread);
}

Test(pread, close_takes_null)
{
    engine_case_closes_null(&dls_io_pread);
}

Test(pread, has_a_thread_a_request_up_to_32)
{
    static const struct {
        uint32_t depth;
        const char *detail;
    } cases[] = {{1, "1 thread"}, {5, "5 threads"}, {32, "32 threads"}, {500, "32 threads"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char detail[DLS_IO_DETAIL];
        struct dls_io *io;
        struct dls_io_config config = {.depth = cases[i].depth, .test_fd = -1, .detail = detail};
        cr_assert(dls_io_pread.open(&config, &io) == 0);
        cr_expect_str_eq(detail, cases[i].detail);
        dls_io_pread.close(&io);
    }
}
