/* SPDX-License-Identifier: Apache-2.0 */
#include "advice.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static char said[4096];

static void keep(void *user, const char *text)
{
    size_t used = strlen(said);
    snprintf(said + used, sizeof(said) - used, "%s\n", text);
}

static const char *advise(struct bench_advice advice)
{
    said[0] = '\0';
    bench_advice_say(&advice, keep, NULL);
    return said;
}

static const struct bench_advice balanced = {.disk = 1000,
                                             .disk_bytes = 100e6,
                                             .record_bytes = 100e3,
                                             .decoder_thread = 500,
                                             .threads = 4,
                                             .cpus = 4,
                                             .batch = 64};

Test(advice, a_slow_disk_is_told_what_would_do)
{
    const char *text = advise(balanced);

    cr_assert_not_null(strstr(
        text, "bound by the disk: it gives 1000 images a second (100 MB/s), the decoder could do 2000"));
    cr_assert_not_null(strstr(text, "a disk of 200 MB/s would lift it to 2000 images a second, 2.0 times"));
    cr_assert_not_null(strstr(text, "records of 50 kB in place of 100"));
}

Test(advice, a_trainer_sets_the_goal)
{
    struct bench_advice advice = balanced;

    advice.trainer = 1500;
    cr_assert_not_null(strstr(advise(advice), "a disk of 150 MB/s would lift it to 1500"));
    advice.trainer = 400;
    cr_assert_not_null(strstr(
        advise(advice), "bound by the trainer: it takes 400 images a second, the loader can give 1000"));
    cr_assert_not_null(strstr(said, "could feed 2 such trainers"));
    cr_assert_not_null(strstr(said, "1 decode thread would do"));
}

Test(advice, a_slow_decoder_is_told_how_many_cpus)
{
    struct bench_advice advice = balanced;

    advice.disk = 10000;
    advice.threads = 2;
    advise(advice);
    cr_assert_not_null(strstr(said, "bound by the decoder: 1000 images a second with 2 threads on 4 CPUs"));
    cr_assert_not_null(strstr(said, "--threads=4"));
    cr_assert_not_null(strstr(said, "20 CPUs would give the 10000 images a second that the disk gives"));
    advice.trainer = 1600;
    advise(advice);
    cr_assert_not_null(strstr(said, "4 CPUs would give the 1600 images a second that the trainer takes"));
}

Test(advice, threads_beyond_the_cpus_do_not_count)
{
    struct bench_advice advice = balanced;

    advice.threads = 64;
    cr_assert_not_null(strstr(advise(advice), "the decoder could do 2000"));
}

Test(advice, workers_are_the_fewest_that_are_enough)
{
    struct bench_advice advice = balanced;
    double images;

    cr_assert_eq(bench_advice_workers(&advice, &images), 0);
    advice.folder[0] = (struct bench_folder_rate){1, 60};
    advice.folder[1] = (struct bench_folder_rate){2, 97};
    advice.folder[2] = (struct bench_folder_rate){4, 100};
    advice.folder[3] = (struct bench_folder_rate){8, 90};
    advice.folder_count = 4;
    cr_assert_eq(bench_advice_workers(&advice, &images), 2);
    cr_assert_eq(images, 97);
    cr_assert_not_null(strstr(advise(advice), "file by file, 2 workers give 97 images a second"));
    cr_assert_not_null(strstr(said, "packed, it is 10.3 times that"));
}

Test(advice, nothing_measured_is_no_advice)
{
    struct bench_advice advice = balanced;

    advice.decoder_thread = 0;
    cr_assert_str_eq(advise(advice), "too little was measured: try a longer --seconds\n");
}
