/* SPDX-License-Identifier: Apache-2.0 */
/* Job files: what parses becomes a command line or a message. */
#include "job.h"

#include <stdint.h>

#include "settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const struct tool_command run = {.name = "run",
                                     .operands = "DATASET",
                                     .least = 1,
                                     .most = 1,
                                     .options = bench_run_options,
                                     .config_bytes = sizeof(struct bench_options)};
    struct ini_file file;

    if (ini_parse("fuzz.job", (const char *)input, size, &file) == 0) {
        for (size_t i = 0; i < file.count; i++) {
            struct bench_job job;
            bench_job_from("fuzz.job", &file.jobs[i], &run, "data.dls", &job);
            bench_job_free(&job);
        }
    }
    ini_free(&file);
    return 0;
}
