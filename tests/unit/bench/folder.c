/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

/* Photos of the tests' own data, under other names. */
#define FILES 20

static char root[] = "/tmp/dls-folder-XXXXXX";

static void make(void)
{
    static char bytes[1 << 20];
    char path[128];

    cr_assert_not_null(mkdtemp(root));
    int in = open(DLS_TEST_DATA "/hard/flower_rgb_adobe0.jpg", O_RDONLY);
    cr_assert_geq(in, 0, "%s", DLS_TEST_DATA);
    ssize_t n = read(in, bytes, sizeof(bytes));
    close(in);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/%d", root, i % 2);
        mkdir(path, 0700);
        snprintf(path, sizeof(path), "%s/%d/%d.jpg", root, i % 2, i);
        int out = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        cr_assert_eq(write(out, bytes, (size_t)n), n);
        close(out);
    }
}

static void clean(void)
{
    char command[64];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

static dls_loader_params params_of(uint32_t batch, uint32_t threads)
{
    dls_loader_params params;
    dls_loader_params_init(&params);
    params.batch_size = batch;
    params.width = params.height = 16;
    params.threads = threads;
    return params;
}

TestSuite(folder, .init = make, .fini = clean, .timeout = 60);

Test(folder, gives_every_whole_batch_of_each_epoch)
{
    dls_loader_params params = params_of(6, 3);
    struct bench_folder *folder = NULL;
    dls_stats stats;

    params.crop = DLS_CROP_RANDOM;
    params.flip = 1;
    cr_assert_eq(bench_folder_open(root, &params, &folder), 0, "%s", dls_err_text());
    cr_assert_eq(bench_folder_files(folder), FILES);
    cr_assert_eq(bench_folder_batches(folder), 3);
    cr_assert_eq(bench_folder_start(folder), 0, "%s", dls_err_text());
    for (int epoch = 0; epoch < 4; epoch++) {
        uint64_t images = 0;
        for (int batch = 0; batch < 3; batch++) {
            cr_assert_eq(bench_folder_next(folder, -1, &images), 1, "%s", dls_err_text());
            cr_assert_eq(images, 6);
        }
        cr_assert_eq(bench_folder_next(folder, -1, &images), 0);
    }
    bench_folder_get_stats(folder, &stats);
    cr_assert_eq(stats.consume.items, 12);
    cr_assert_geq(stats.read.items, 72);
    cr_assert_eq(stats.read.bytes, stats.read.items * (bench_folder_bytes(folder) / FILES));
    bench_folder_close(&folder);
    cr_assert_null(folder);
}

Test(folder, a_file_that_is_no_picture_is_named)
{
    dls_loader_params params = params_of(20, 1);
    struct bench_folder *folder = NULL;
    char path[128];
    uint64_t images;

    snprintf(path, sizeof(path), "%s/0/4.jpg", root);
    cr_assert_eq(truncate(path, 0), 0);
    cr_assert_eq(bench_folder_open(root, &params, &folder), 0);
    cr_assert_eq(bench_folder_start(folder), 0);
    cr_assert_lt(bench_folder_next(folder, -1, &images), 0);
    cr_assert_not_null(strstr(dls_err_text(), "/0/4.jpg"));
    cr_assert_lt(bench_folder_next(folder, -1, &images), 0);
    bench_folder_close(&folder);
}

Test(folder, what_it_does_not_do_is_refused)
{
    dls_loader_params params = params_of(2, 1);
    struct bench_folder *folder = NULL;

    cr_assert_eq(bench_folder_open("/nowhere/at/all", &params, &folder), -ENOENT);
    cr_assert_null(folder);
    params.batch_size = FILES + 1;
    cr_assert_eq(bench_folder_open(root, &params, &folder), -EINVAL);
    params.batch_size = 2;
    params.dtype = DLS_DTYPE_FLOAT32;
    cr_assert_eq(bench_folder_open(root, &params, &folder), 0);
    cr_assert_eq(bench_folder_start(folder), -ENOTSUP);
    bench_folder_close(&folder);
}
