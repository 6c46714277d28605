/* SPDX-License-Identifier: Apache-2.0 */
/* A trainer as a user writes it, after the loop in dlshards.h. Built against the installed library. */
#include <dlshards/dlshards.h>

#include <stdio.h>
#include <string.h>

static void train(const dls_batch *batch, unsigned long long *sum)
{
    const size_t image = (size_t)batch->width * batch->height * batch->channels;

    for (uint32_t i = 0; i < batch->count; i++)
        *sum += ((const unsigned char *)batch->images)[i * image + image / 2] + (unsigned long long)batch->labels[i];
}

int main(int argc, char **argv)
{
    dls_dataset *dataset = NULL;
    dls_loader *loader = NULL;
    dls_loader_params params;
    unsigned long long samples = 0, sum = 0;

    if (argc != 2 || strcmp(dls_version(), DLS_VERSION_STRING) != 0)
        return 2;
    dls_loader_params_init(&params);
    params.batch_size = 4;
    params.crop = DLS_CROP_RANDOM;
    params.tail = DLS_TAIL_EXACT;
    params.epochs = 3;

    int r = dls_dataset_open(argv[1], &dataset);
    if (r == 0)
        r = dls_loader_open(dataset, &params, &loader);
    for (uint64_t epoch = 0; r >= 0 && epoch < params.epochs; epoch++) {
        const dls_batch *batch = NULL;
        while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
            train(batch, &sum);
            samples += batch->count;
            dls_batch_release(loader, &batch);
        }
    }
    if (r < 0)
        fprintf(stderr, "%s\n", dls_last_error());
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
    printf("%llu samples in 3 epochs\n", samples);
    return r < 0 || sum == 0;
}
