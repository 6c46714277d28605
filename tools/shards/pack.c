/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/pack.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/thread.h"
#include "order/permute.h"
#include "shard/writer.h"
#include "shards/commands.h"
#include "shards/feed.h"
#include "common/interrupt.h"

#include <dlshards/version.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

/* What the input is, apart from the pictures' bytes: the names and sizes, and what decides the order. */
static int make_pack_id(const struct pack *pack, uint8_t ret_id[16])
{
    const struct source *source = &pack->source;
    const struct pack_config *config = pack->config;
    uint64_t numbers[] = {config->seed, config->no_shuffle, config->block_bytes, config->shard_bytes,
                          source->file_count};
    struct dls_hasher *hasher = NULL;
    char path[PATH_MAX];
    int r = dls_hasher_create(&hasher);

    if (r < 0)
        return r;
    dls_hasher_reset(hasher);
    dls_hasher_add(hasher, numbers, sizeof(numbers));
    for (uint64_t i = 0; i < source->file_count; i++) {
        int length = source_path(source, i, path, sizeof(path));
        if (length >= 0)
            dls_hasher_add(hasher, path, (size_t)length + 1);
        dls_hasher_add(hasher, &source->files[i].size, sizeof(source->files[i].size));
    }
    dls_hasher_128(hasher, ret_id);
    dls_hasher_free(&hasher);
    return 0;
}

static int open_writer(struct pack *pack, dls_writer **ret_writer)
{
    const struct source *source = &pack->source;
    const struct pack_config *config = pack->config;
    const char **names = dls_alloc_array(DLS_MEM_TOOL, source->class_count + 1, sizeof(*names));
    dls_writer_params params;
    int r;

    if (!names)
        return -ENOMEM;
    dls_writer_params_init(&params);
    for (uint64_t i = 0; i < source->class_count; i++)
        names[i] = source->text + source->classes[i].name;
    params.classes = names;
    params.class_count = (uint32_t)source->class_count;
    params.block_bytes = (uint32_t)config->block_bytes;
    params.shard_bytes = config->shard_bytes;
    params.zstd_level = (int)config->level;
    params.seed = config->seed;
    params.shuffled = !config->no_shuffle;
    params.creator = "dlpack-shards " DLS_VERSION_STRING;
    r = make_pack_id(pack, params.pack_id);
    if (r == 0)
        r = dls_shard_writer_open(pack->out, &params, ret_writer);
    dls_free(names);
    return r;
}

static int add_record(struct pack *pack, dls_writer *writer, const struct feed_item *item, const char *path)
{
    const struct dls_picture *picture = &item->examined.picture;
    uint32_t class = source_class_of(&pack->source, item->file);
    int64_t label = class == SOURCE_NO_CLASS ? -1 : (int64_t) class;
    const dls_value values[] = {
        {.data = item->data,
         .length = item->length,
         .codec = picture->codec,
         .width = picture->width,
         .height = picture->height,
         .channels = picture->channels,
         .orientation = picture->orientation},
        {.data = &label, .length = sizeof(label)},
        {.data = path, .length = strlen(path)},
    };
    int r = dls_shard_writer_add(writer, values, 3);

    if (r < 0)
        return r;
    pack->records++;
    pack->bytes += item->length;
    pack->codecs[picture->codec]++;
    if (class != SOURCE_NO_CLASS)
        pack->class_records[class]++;
    pack->pixels += item->examined.sums.pixels;
    for (unsigned c = 0; c < 3; c++) {
        pack->sum[c] += item->examined.sums.sum[c];
        pack->square[c] += item->examined.sums.square[c];
    }
    return 0;
}

/* One file: into the dataset, or into the report. -ECANCELED: it is bad, and --on-error=fail. */
static int take_item(struct pack *pack, dls_writer *writer, const struct feed_item *item)
{
    const struct examined *examined = &item->examined;
    bool skip = pack->config->on_error == ON_ERROR_SKIP;
    char path[2 * PATH_MAX];

    /* A path too long to be opened is one of the bad files; it is still named, as far as it fits. */
    source_path(&pack->source, item->file, path, sizeof(path));
    if (problem_is_error(examined->kind)) {
        report_add(&pack->report, examined->kind, path, examined->text, skip ? "skipped" : "failed");
        pack->skipped += skip;
        return skip ? 0 : -ECANCELED;
    }
    if (examined->kind == PROBLEM_WARNING)
        report_add(&pack->report, PROBLEM_WARNING, path, examined->text, "kept");
    return add_record(pack, writer, item, path);
}

static int write_records(struct pack *pack, dls_writer *writer, struct feed *feed)
{
    uint64_t files = 0, bytes = 0;

    for (;;) {
        const struct feed_item *item = NULL;
        int r = interrupted() ? -EINTR : feed_next(feed, &item);
        if (r == 0 || (r < 0 && r != -ETIMEDOUT))
            return r;
        if (r > 0) {
            files++;
            bytes += item->length;
            r = take_item(pack, writer, item);
            feed_release(feed);
            if (r < 0)
                return r;
        }
        tool_progress_update(&pack->progress, files, bytes);
    }
}

/* From the first byte written to the dataset under its final name. */
static int write_dataset(struct pack *pack)
{
    const struct pack_config *config = pack->config;
    uint64_t threads = config->threads ? config->threads : dls_cpu_count();
    struct dls_permute shuffle;
    struct feed_settings settings = {.source = &pack->source,
                                     .shuffle = config->no_shuffle ? NULL : &shuffle,
                                     .threads = (unsigned)threads,
                                     .memory = config->memory,
                                     .max_pixels = config->max_pixels,
                                     .check = !config->no_check};
    double mean[3], std[3];
    dls_writer *writer = NULL;
    struct feed *feed = NULL;
    int r = open_writer(pack, &writer);

    dls_permute_init(&shuffle, pack->source.file_count, dls_mix64(config->seed, 1),
                     dls_mix64(config->seed, 2));
    if (r == 0)
        r = feed_start(&settings, &feed);
    if (r == 0)
        r = write_records(pack, writer, feed);
    feed_stop(&feed);
    if (r == 0 && !pack->records)
        r = dls_err(ENODATA, "'%s': none of its %llu files can be packed", pack->root,
                    (unsigned long long)pack->source.file_count);
    if (r == 0 && pack_pixel_stats(pack, mean, std))
        dls_shard_writer_set_pixels(writer, mean, std);
    if (r == 0)
        r = dls_shard_writer_finish(writer);
    dls_shard_writer_close(&writer);
    return r;
}

/* What the walk passed over; -ECANCELED if one of it is an error and errors end the run. */
static int report_walk(struct pack *pack)
{
    bool skip = pack->config->on_error == ON_ERROR_SKIP;
    const struct problem_list *passed = &pack->source.passed;

    for (uint64_t i = 0; i < passed->count; i++) {
        const struct problem *problem = &passed->items[i];
        bool bad = problem_is_error(problem->kind);
        report_add(&pack->report, problem->kind, problem->path, problem->text,
                   !bad   ? "passed over"
                   : skip ? "skipped"
                          : "failed");
        if (bad && !skip)
            return -ECANCELED;
        pack->skipped += bad;
    }
    return 0;
}

/* Says why the run ended and gives its exit code. */
static int conclude(struct pack *pack, int r)
{
    tool_progress_clear(&pack->progress);
    if (r == -EINTR && interrupted()) {
        tool_say(pack->call, "interrupted: nothing is left of '%s'", pack->out);
        return interrupt_exit_code();
    }
    if (r == -ECANCELED)
        tool_say(pack->call,
                 "stopped at the first file that cannot be packed, nothing is left of '%s': "
                 "--on-error=skip goes on without such files",
                 pack->out);
    else if (r == -ENOMEM)
        tool_say(pack->call, "out of memory: nothing is left of '%s'", pack->out);
    else
        tool_say(pack->call, "%s%s", dls_err_text(), pack->writing ? ": nothing is left of the dataset" : "");
    return TOOL_FAILED;
}

static void mention_emptied(const struct pack *pack)
{
    const struct source *source = &pack->source;

    for (uint64_t i = 0; i < source->class_count && !pack->config->quiet; i++)
        if (source->classes[i].files && !pack->class_records[i])
            tool_say(pack->call, "class '%s' has no records: every file in it was skipped",
                     source->text + source->classes[i].name);
}

static int run_pack(struct pack *pack)
{
    const struct pack_config *config = pack->config;
    int exit_code = pack_check_out(pack), r;

    if (exit_code != TOOL_OK)
        return exit_code;
    r = source_walk(&pack->source, pack->root, config->hidden, interrupted);
    if (r == 0)
        r = report_open(&pack->report, config->report);
    if (r == 0)
        r = report_walk(pack);
    if (r < 0)
        return conclude(pack, r);
    exit_code = pack_check_source(pack);
    if (exit_code == TOOL_OK)
        exit_code = pack_check_space(pack);
    if (exit_code != TOOL_OK)
        return exit_code;
    pack->class_records = dls_alloc_array(DLS_MEM_TOOL, pack->source.class_count + 1, sizeof(uint64_t));
    if (!pack->class_records)
        return conclude(pack, -ENOMEM);
    tool_progress_start(&pack->progress,
                        (enum tool_progress_mode)(config->quiet ? TOOL_PROGRESS_NONE : config->progress),
                        "pack", "files", pack->source.file_count, pack->source.bytes);
    pack->writing = true;
    r = write_dataset(pack);
    if (r < 0)
        return conclude(pack, r);
    tool_progress_end(&pack->progress, pack->source.file_count, pack->source.bytes);
    mention_emptied(pack);
    pack_print_summary(pack);
    return TOOL_OK;
}

static int pack_main(const struct tool_call *call)
{
    struct pack pack = {
        .call = call, .config = call->config, .root = call->operands[0], .started = dls_now()};
    size_t length = strlen(call->operands[1]);
    int exit_code;

    interrupt_setup();
    /* Who reads the progress may go away; the dataset is still wanted. */
    signal(SIGPIPE, SIG_IGN);
    pack.source.root_fd = -1;
    pack.report = (struct report){
        .call = call, .progress = &pack.progress, .quiet = pack.config->quiet, .root = pack.root};
    while (length > 1 && call->operands[1][length - 1] == '/')
        length--;
    pack.out = dls_strndup(DLS_MEM_TOOL, call->operands[1], length);
    exit_code = pack.out ? run_pack(&pack) : conclude(&pack, -ENOMEM);
    if (report_close(&pack.report) < 0) {
        tool_say(call, "%s", dls_err_text());
        if (exit_code == TOOL_OK)
            exit_code = TOOL_FAILED;
    }
    source_free(&pack.source);
    dls_free(pack.class_records);
    dls_free(pack.out);
    return exit_code;
}

const struct tool_command shards_pack = {
    .name = "pack",
    .operands = "SRC OUT",
    .least = 2,
    .most = 2,
    .summary = "Packs the folder SRC into the new dataset OUT",
    .details =
        "SRC/CLASS/.../PICTURE: the directories in SRC are the classes, labelled 0, 1, ... in the\n"
        "order in which torchvision's ImageFolder sorts them. Pictures are JPEG, PNG and WebP, known by\n"
        "their content, and are kept byte for byte. A folder of pictures alone is packed without labels.\n"
        "OUT appears when it is whole and on the disk; nothing in SRC is changed.",
    .options = pack_options,
    .config_bytes = sizeof(struct pack_config),
    .run = pack_main,
};
