/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/dataset.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "shard/block.h"
#include "shard/file.h"
#include "shard/set.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = dls_alloc(DLS_MEM_SHARD, length);

    if (path)
        snprintf(path, length, "%s/%s", folder, name);
    return path;
}

static int load_manifest(struct dls_dataset *set)
{
    char *path = join(set->path, "dataset.json"), *text = NULL;
    size_t length;
    int r = path ? dls_file_load(path, DLS_MANIFEST_MAX, &text, &length) : -ENOMEM;

    if (r == 0) {
        r = dls_manifest_parse(text, length, &set->manifest);
        if (r < 0)
            dls_err_context(r, "'%s'", path);
    }
    dls_free(text);
    dls_free(path);
    return r;
}

static int check_files(const struct dls_dataset *set)
{
    for (uint32_t i = 0; i < set->manifest.shard_count; i++) {
        const struct dls_manifest_shard *listed = &set->manifest.shards[i];
        struct stat st;

        if (stat(set->shards[i].path, &st) < 0)
            return dls_err_sys(errno, "'%s'", set->shards[i].path);
        if ((uint64_t)st.st_size != listed->bytes)
            return dls_err(EBADMSG, "'%s' has %" PRIu64 " bytes, the manifest says %" PRIu64 ": it was cut off or replaced",
                           set->shards[i].path, (uint64_t)st.st_size, listed->bytes);
    }
    return 0;
}

static int open_set(const char *path, int check, struct dls_dataset **ret_dataset)
{
    struct dls_dataset *set = dls_alloc(DLS_MEM_SHARD, sizeof(*set));
    int r = -ENOMEM;

    if (!set)
        return r;
    pthread_mutex_init(&set->lock, NULL);
    set->path = dls_strndup(DLS_MEM_SHARD, path, strlen(path));
    if (!set->path)
        goto fail;
    r = load_manifest(set);
    if (r < 0)
        goto fail;
    set->shards = dls_alloc_array(DLS_MEM_SHARD, set->manifest.shard_count + 1u, sizeof(*set->shards));
    r = set->shards ? 0 : -ENOMEM;
    for (uint32_t i = 0; r == 0 && i < set->manifest.shard_count; i++) {
        set->shards[i].path = join(path, set->manifest.shards[i].file);
        r = set->shards[i].path ? 0 : -ENOMEM;
    }
    if (r == 0 && check)
        r = check_files(set);
    if (r < 0)
        goto fail;
    *ret_dataset = set;
    return 0;
fail:
    dls_set_close(&set);
    return r;
}

int dls_set_open(const char *path, struct dls_dataset **ret_dataset)
{
    return open_set(path, 1, ret_dataset);
}

int dls_set_open_unchecked(const char *path, struct dls_dataset **ret_dataset)
{
    return open_set(path, 0, ret_dataset);
}

void dls_set_close(struct dls_dataset **dataset)
{
    struct dls_dataset *set = *dataset;

    if (!set)
        return;
    for (uint32_t i = 0; set->shards && i < set->manifest.shard_count; i++)
        dls_shard_free(&set->shards[i]);
    dls_free(set->shards);
    dls_manifest_free(&set->manifest);
    dls_free(set->path);
    pthread_mutex_destroy(&set->lock);
    dls_free(set);
    *dataset = NULL;
}

const struct dls_manifest *dls_set_manifest(const struct dls_dataset *dataset)
{
    return &dataset->manifest;
}

const struct dls_schema *dls_set_schema(const struct dls_dataset *dataset)
{
    return &dataset->manifest.schema;
}

const char *dls_set_shard_path(const struct dls_dataset *dataset, uint32_t shard)
{
    return dataset->shards[shard].path;
}

static uint64_t table_bytes(const struct dls_shard *shard)
{
    return (shard->trailer.blocks + 1ull) * sizeof(*shard->marks);
}

/* Drops the tables that were not looked into for the longest time. The lock is held. */
static void drop_tables(struct dls_dataset *set, const struct dls_shard *but)
{
    while (set->table_bytes > DLS_TABLES_KEPT) {
        struct dls_shard *oldest = NULL;
        for (uint32_t i = 0; i < set->manifest.shard_count; i++) {
            struct dls_shard *shard = &set->shards[i];
            if (shard->marks && shard != but && (!oldest || shard->used < oldest->used))
                oldest = shard;
        }
        if (!oldest)
            return;
        set->table_bytes -= table_bytes(oldest);
        dls_free(oldest->marks);
        oldest->marks = NULL;
    }
}

/* The lock is held. */
static int load(struct dls_dataset *set, uint32_t number)
{
    struct dls_shard *shard = &set->shards[number];
    struct dls_shard fresh = {.path = shard->path};
    int r = dls_shard_load(&fresh, &set->manifest, number);

    if (r < 0)
        return r;
    if (!shard->loaded) /* else threads read what is there, which was the same */
        *shard = fresh;
    shard->marks = fresh.marks;
    shard->used = ++set->looks;
    set->table_bytes += table_bytes(shard);
    drop_tables(set, shard);
    return 0;
}

int dls_set_shard(struct dls_dataset *dataset, uint32_t number, const struct dls_shard **ret_shard)
{
    struct dls_shard *shard = &dataset->shards[number];
    int r = 0;

    pthread_mutex_lock(&dataset->lock);
    if (!shard->loaded)
        r = load(dataset, number);
    pthread_mutex_unlock(&dataset->lock);
    if (r == 0)
        *ret_shard = shard; /* once loaded it does not change, but for its table, until the dataset is closed */
    return r;
}

int dls_set_table(struct dls_dataset *dataset, uint32_t number, uint64_t record, uint32_t *block,
                  struct dls_table_block *ret_entry)
{
    struct dls_shard *shard = &dataset->shards[number];
    int r = 0;

    pthread_mutex_lock(&dataset->lock);
    if (!shard->marks)
        r = load(dataset, number);
    if (r == 0) {
        shard->used = ++dataset->looks;
        if (record != DLS_BY_NUMBER)
            *block = dls_shard_find(shard, record);
        *ret_entry = dls_table_get(shard->marks, *block);
    }
    pthread_mutex_unlock(&dataset->lock);
    return r;
}

/* The last shard whose first record or block (member at byte `member` of the entry) is ≤ number. */
static uint32_t find_shard(const struct dls_manifest *manifest, size_t member, uint64_t number)
{
    uint32_t low = 0, high = manifest->shard_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (dls_get64((const char *)&manifest->shards[middle] + member) <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t dls_set_find_record(const struct dls_dataset *dataset, uint64_t record)
{
    return find_shard(&dataset->manifest, offsetof(struct dls_manifest_shard, first_record), record);
}

int dls_set_block(struct dls_dataset *dataset, uint64_t number, struct dls_block_at *ret_at)
{
    const struct dls_manifest *manifest = &dataset->manifest;
    struct dls_table_block listed = {0};
    int r;

    if (number >= manifest->blocks)
        return dls_err(ERANGE, "block %" PRIu64 ": the dataset has %" PRIu64, number, manifest->blocks);
    uint32_t index = find_shard(manifest, offsetof(struct dls_manifest_shard, first_block), number);
    uint32_t block = (uint32_t)(number - manifest->shards[index].first_block);
    r = dls_set_table(dataset, index, DLS_BY_NUMBER, &block, &listed);
    if (r < 0)
        return r;
    if (listed.length > manifest->largest_block)
        return dls_err(EBADMSG, "'%s', block %" PRIu32 ": %" PRIu64 " bytes, the manifest says at most %" PRIu64,
                       dataset->shards[index].path, block, listed.length, manifest->largest_block);
    *ret_at = (struct dls_block_at){
        .shard = index,
        .block = block,
        .offset = listed.offset,
        .length = listed.length,
        .first_record = manifest->shards[index].first_record + listed.first_record,
        .records = listed.records,
    };
    return 0;
}

int dls_set_check_block(const struct dls_dataset *dataset, const struct dls_shard *shard, uint32_t block,
                        const struct dls_table_block *listed, const struct dls_block_view *view)
{
    if (view->number != block || view->first_record != listed->first_record || view->records != listed->records)
        return dls_err(EBADMSG, "it says it is block %" PRIu32 " with %" PRIu32 " records from %" PRIu32
                       ", the block table says %" PRIu32 " from %" PRIu32,
                       view->number, view->records, view->first_record, listed->records, listed->first_record);
    if (view->pack_prefix != shard->pack_prefix)
        return dls_err(EBADMSG, "offset 48: it is a block of another pack");
    if (view->directory_length > dataset->manifest.directory_bytes)
        return dls_err(EBADMSG, "its directory has %" PRIu64 " bytes, the manifest says at most %" PRIu64,
                       view->directory_length, dataset->manifest.directory_bytes);
    return 0;
}

int dls_set_open_block(struct dls_dataset *dataset, const struct dls_block_at *at, const uint8_t *data,
                       struct dls_block_view *view)
{
    const uint64_t first = dataset->manifest.shards[at->shard].first_record;
    const struct dls_table_block listed = {.offset = at->offset,
                                           .length = at->length,
                                           .first_record = (uint32_t)(at->first_record - first),
                                           .records = at->records};
    int r = dls_block_view_open(view, data, at->length);

    if (r == 0)
        r = dls_set_check_block(dataset, &dataset->shards[at->shard], at->block, &listed, view);
    if (r < 0)
        return dls_err_context(r, "'%s', block %" PRIu32 " at offset %" PRIu64, dataset->shards[at->shard].path,
                               at->block, at->offset);
    return 0;
}

void dls_set_info(const struct dls_dataset *dataset, dls_dataset_info *ret_info)
{
    const struct dls_manifest *manifest = &dataset->manifest;

    *ret_info = (dls_dataset_info){
        .path = dataset->path,
        .records = manifest->records,
        .blocks = manifest->blocks,
        .bytes = manifest->bytes,
        .shards = manifest->shard_count,
        .classes = manifest->class_count,
        .fields = manifest->schema.count,
        .block_bytes = manifest->block_bytes,
        .largest_block = manifest->largest_block,
        .shuffled = manifest->shuffled,
    };
    memcpy(ret_info->uuid, manifest->uuid, 16);
}

uint64_t dls_set_directory_room(const struct dls_dataset *dataset)
{
    return dataset->manifest.directory_bytes;
}

uint64_t dls_set_largest_block(const struct dls_dataset *dataset)
{
    return dataset->manifest.largest_block;
}
