/* SPDX-License-Identifier: Apache-2.0 */
/* A trainer in C: softmax regression on small images, to show the loop, what a padded batch asks for, and what the
 * statistics say.   trainer DATASET [EPOCHS] */
#include <dlshards/dlshards.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 16
#define INPUTS (3 * SIZE * SIZE)
#define RATE 0.01f

struct model {
    uint32_t classes;
    float *weights; /* classes × (INPUTS + 1): the last is the bias */
    float *odds;    /* of one sample, a class each */
};

/* Fills in model->odds and returns the loss. */
static double look(const struct model *model, const float *image, int64_t label)
{
    float most = -INFINITY, sum = 0;

    for (uint32_t c = 0; c < model->classes; c++) {
        const float *weights = model->weights + c * (INPUTS + 1u);
        float score = weights[INPUTS];
        for (int i = 0; i < INPUTS; i++)
            score += weights[i] * image[i];
        model->odds[c] = score;
        most = score > most ? score : most;
    }
    for (uint32_t c = 0; c < model->classes; c++)
        sum += model->odds[c] = expf(model->odds[c] - most);
    for (uint32_t c = 0; c < model->classes; c++)
        model->odds[c] /= sum;
    return -log(model->odds[label] + 1e-12);
}

static void learn(struct model *model, const float *image, int64_t label)
{
    for (uint32_t c = 0; c < model->classes; c++) {
        float *weights = model->weights + c * (INPUTS + 1u), slope = model->odds[c] - (c == label ? 1.f : 0.f);
        for (int i = 0; i < INPUTS; i++)
            weights[i] -= RATE * slope * image[i];
        weights[INPUTS] -= RATE * slope;
    }
}

/* One epoch: 0, or a negative errno. */
static int train(dls_loader *loader, struct model *model, uint64_t epoch)
{
    const dls_batch *batch = NULL;
    uint64_t samples = 0;
    double loss = 0;
    int r;

    while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
        for (uint32_t i = 0; i < batch->count; i++) { /* places behind `count` are empty */
            const float *image = (const float *)batch->images + (size_t)i * INPUTS;
            if (batch->labels[i] < 0 || batch->labels[i] >= model->classes)
                continue;
            loss += look(model, image, batch->labels[i]);
            learn(model, image, batch->labels[i]);
            samples++;
        }
        dls_batch_release(loader, &batch);
    }
    if (r == 0 && samples > 0)
        printf("epoch %llu: %llu samples, loss %.3f\n", (unsigned long long)epoch, (unsigned long long)samples,
               loss / (double)samples);
    return r;
}

static void report(const dls_loader *loader)
{
    char verdict[512];
    dls_stats stats;

    dls_loader_get_stats(loader, &stats);
    printf("%.0f images/s, waiting %.0f %%, %.1f of %.1f MB, %s\n",
           (double)stats.decode.items / ((double)stats.elapsed_ns * 1e-9),
           100 * (double)stats.consume.wait_in_ns / (double)stats.elapsed_ns, (double)stats.memory_bytes * 1e-6,
           (double)stats.memory_budget * 1e-6, stats.engine);
    if (dls_loader_verdict(loader, verdict, sizeof(verdict)) > 0)
        puts(verdict);
}

int main(int argc, char **argv)
{
    dls_dataset *dataset = NULL;
    dls_loader *loader = NULL;
    struct model model = {0};
    dls_loader_params params;
    dls_dataset_info info;
    int r;

    if (argc < 2) {
        fprintf(stderr, "usage: trainer DATASET [EPOCHS]\n");
        return 2;
    }
    dls_loader_params_init(&params);
    params.batch_size = 8;
    params.width = SIZE;
    params.flip = 1;
    params.tail = DLS_TAIL_EXACT;
    params.dtype = DLS_DTYPE_FLOAT32;
    params.layout = DLS_LAYOUT_NCHW;
    params.memory_bytes = 256u << 20;
    params.epochs = argc > 2 ? strtoull(argv[2], NULL, 10) : 5;
    for (int i = 0; i < 3; i++)
        params.mean[i] = params.std[i] = 0.5;

    r = dls_dataset_open(argv[1], &dataset);
    if (r == 0)
        r = dls_loader_open(dataset, &params, &loader);
    dls_dataset_get_info(dataset, &info);
    model.classes = info.classes;
    model.weights = calloc(model.classes * (INPUTS + 1u), sizeof(float));
    model.odds = calloc(model.classes, sizeof(float));
    for (uint64_t epoch = 0; r == 0 && model.weights && model.odds && epoch < params.epochs; epoch++)
        r = train(loader, &model, epoch);
    if (r == 0)
        report(loader);
    else
        fprintf(stderr, "trainer: %s\n", dls_last_error());
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
    free(model.weights);
    free(model.odds);
    return r == 0 ? 0 : 1;
}
