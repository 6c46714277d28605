/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/flow.h"

#include "base/hash.h"
#include "support/check.h"
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(int r, const char *what)
{
    if (r >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, dls_last_error());
    _exit(99);
}

static void add_record(dls_writer *writer, const struct flow_spec *spec, uint32_t i)
{
    uint32_t times = spec->huge == i + 1 ? (spec->huge_times ? spec->huge_times : 20) : 1;
    struct support_jpeg picture = {
        .width = (spec->width ? spec->width : 64) * times + i % 5,
        .height = (spec->height ? spec->height : 48) * times + i % 3,
        .seed = i,
        .progressive = spec->progressive,
        .orientation = spec->turned ? 1 + i % 8 : 0,
        .grayscale = i % 11 == 10,
    };
    char key[64];
    int64_t label = i % FLOW_CLASSES;
    size_t length;
    uint8_t *bytes = support_make_jpeg(&picture, &length);
    dls_value values[3] = {
        {.data = bytes,
         .length = length,
         .codec = DLS_CODEC_JPEG,
         .width = picture.width,
         .height = picture.height,
         .channels = picture.grayscale ? 1 : 3,
         .orientation = (uint8_t)picture.orientation},
        {.data = &label, .length = sizeof(label)},
        {.data = key},
    };

    values[2].length = (size_t)snprintf(key, sizeof(key), "class-%d/picture-%05u.jpg", (int)label, i);
    must(dls_writer_add(writer, values, 3), "dls_writer_add");
    free(bytes);
}

const char *flow_make(const struct flow_spec *spec)
{
    static const char *const classes[FLOW_CLASSES] = {"class-0", "class-1", "class-2", "class-3",
                                                      "class-4", "class-5", "class-6"};
    const char *path = support_path(support_temp_dir(), "set.dls");
    dls_writer_params params;
    dls_writer *writer = NULL;
    uint32_t records = spec->none ? 0 : spec->records ? spec->records : 100;

    dls_writer_params_init(&params);
    params.block_bytes = spec->block_bytes ? spec->block_bytes : 8192;
    params.shard_bytes = spec->shard_bytes ? spec->shard_bytes : 65536;
    params.classes = classes;
    params.class_count = FLOW_CLASSES;
    must(dls_writer_open(path, &params, &writer), "dls_writer_open");
    for (uint32_t i = 0; i < records; i++)
        add_record(writer, spec, i);
    must(dls_writer_finish(writer), "dls_writer_finish");
    dls_writer_close(&writer);
    return path;
}

dls_dataset *flow_open(const char *path)
{
    dls_dataset *dataset = NULL;

    must(dls_dataset_open(path, &dataset), "dls_dataset_open");
    return dataset;
}

dls_loader_params flow_params(void)
{
    dls_loader_params params;

    dls_loader_params_init(&params);
    params.batch_size = 16;
    params.width = 32;
    params.height = 24;
    params.epochs = 1;
    params.threads = 2;
    params.seed = 7;
    params.order = DLS_ORDER_WINDOW;
    params.memory_bytes = 64u << 20;
    return params;
}

dls_loader *flow_start(dls_dataset *dataset, const dls_loader_params *params)
{
    dls_loader *loader = NULL;

    must(dls_loader_open(dataset, params, &loader), "dls_loader_open");
    return loader;
}

size_t flow_image_bytes(const dls_batch *batch)
{
    size_t number = batch->dtype == DLS_DTYPE_UINT8 ? 1 : batch->dtype == DLS_DTYPE_FLOAT32 ? 4 : 2;

    return (size_t)batch->width * batch->height * 3 * number;
}

const uint8_t *flow_image(const dls_batch *batch, uint32_t place)
{
    return (const uint8_t *)batch->images + place * flow_image_bytes(batch);
}

static void check_batch(const dls_batch *batch, const dls_loader_params *params, const struct flow_run *run)
{
    size_t image = flow_image_bytes(batch);

    CHECK(batch->index == run->batches);
    CHECK(batch->size == params->batch_size && batch->count >= 1 && batch->count <= batch->size);
    CHECK(params->tail != DLS_TAIL_DROP || batch->count == batch->size);
    CHECK(batch->width == params->width && batch->height == params->height && batch->channels == 3);
    CHECK(batch->dtype == params->dtype && batch->layout == params->layout);
    CHECK((batch->images == NULL) == (params->no_decode == 1));
    CHECK((uintptr_t)batch->images % 4096 == 0);
    CHECK(batch->images_bytes == (batch->images != NULL ? image * batch->size : 0));
    for (uint32_t i = 0; i < batch->size; i++)
        CHECK(batch->valid[i] == (i < batch->count));
    for (uint32_t i = batch->count; i < batch->size; i++) {
        CHECK(batch->labels[i] == -1 && batch->records[i] == UINT64_MAX);
        for (size_t k = 0; batch->images != NULL && k < image; k++)
            CHECK(flow_image(batch, i)[k] == 0);
    }
}

static void note_batch(const dls_batch *batch, struct flow_run *run)
{
    run->samples = realloc(run->samples, (run->count + batch->count) * sizeof(*run->samples));
    CHECK(run->samples != NULL);
    for (uint32_t i = 0; i < batch->count; i++)
        run->samples[run->count++] = (struct flow_sample){
            .record = batch->records[i],
            .label = batch->labels[i],
            .pixels = batch->images != NULL ? dls_hash64(flow_image(batch, i), flow_image_bytes(batch)) : 0,
        };
    run->epoch = batch->epoch;
    run->batches++;
    run->last_count = batch->count;
}

int flow_epoch(dls_loader *loader, const dls_loader_params *params, struct flow_run *ret_run)
{
    const dls_batch *batch = NULL;
    int r;

    memset(ret_run, 0, sizeof(*ret_run));
    while ((r = dls_loader_next(loader, 60 * INT64_C(1000000000), &batch)) > 0) {
        check_batch(batch, params, ret_run);
        note_batch(batch, ret_run);
        dls_batch_release(loader, &batch);
        CHECK(batch == NULL);
    }
    return r;
}

void flow_run_free(struct flow_run *run)
{
    free(run->samples);
    memset(run, 0, sizeof(*run));
}

void flow_expect_all(const struct flow_run *run, uint64_t records)
{
    bool *seen = calloc(records + 1, sizeof(*seen));

    CHECK(run->count == records);
    for (uint64_t i = 0; i < run->count; i++) {
        const struct flow_sample *sample = &run->samples[i];
        CHECK(sample->record < records);
        CHECK(!seen[sample->record]);
        CHECK(sample->label == (int64_t)(sample->record % FLOW_CLASSES));
        seen[sample->record] = true;
    }
    free(seen);
}

bool flow_same(const struct flow_run *a, const struct flow_run *b)
{
    return a->count == b->count && a->batches == b->batches &&
           (a->count == 0 || memcmp(a->samples, b->samples, a->count * sizeof(*a->samples)) == 0);
}

void flow_find(dls_dataset *dataset, uint64_t record, struct flow_place *ret_place)
{
    dls_dataset_info info;
    dls_record *found = NULL;

    dls_dataset_get_info(dataset, &info);
    must(dls_dataset_read(dataset, record, &found), "dls_dataset_read");
    snprintf(ret_place->shard, sizeof(ret_place->shard), "%s/shard-%05u.dls", info.path, found->shard);
    ret_place->offset = found->offset;
    ret_place->length = found->values[0].length;
    snprintf(ret_place->key, sizeof(ret_place->key), "%.*s", (int)found->values[2].length,
             (const char *)found->values[2].data);
    dls_record_free(&found);
}

void flow_damage(const char *path, uint64_t offset)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t byte;

    CHECK(fd >= 0 && pread(fd, &byte, 1, (off_t)offset) == 1);
    byte ^= 4;
    CHECK(pwrite(fd, &byte, 1, (off_t)offset) == 1);
    close(fd);
}
