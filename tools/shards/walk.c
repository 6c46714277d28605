/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/walk.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "shard/file.h"

#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

/* Most directories of blocks fit into this. */
#define HEAD_BYTES 65536

struct walk {
    struct dls_dataset *dataset;
    const struct dls_schema *schema;
    struct dls_block_view view;
    struct dls_block_at at;
    uint8_t *block;
    int fd;
    uint32_t shard; /* that fd reads */
};

int walk_filter_init(struct walk_filter *filter, const struct dls_dataset *dataset)
{
    const struct dls_manifest *manifest = dls_set_manifest(dataset);

    filter->label = -1;
    if (!filter->class_name)
        return 0;
    for (uint32_t i = 0; i < manifest->class_count; i++)
        if (manifest->classes[i].length == strlen(filter->class_name) &&
            !memcmp(manifest->classes[i].name, filter->class_name, manifest->classes[i].length)) {
            filter->label = i;
            return 0;
        }
    return dls_err(ENOENT, "there is no class '%s'", filter->class_name);
}

bool walk_filter_takes(const struct walk_filter *filter, const struct walk_item *item)
{
    char key[4096];

    if (filter->class_name && item->label != filter->label)
        return false;
    if (!filter->match)
        return true;
    /* A key with a NUL in it or of a greater length than any path matches nothing. */
    if (item->key_length >= sizeof(key) || memchr(item->key, 0, item->key_length))
        return false;
    memcpy(key, item->key, item->key_length);
    key[item->key_length] = 0;
    return fnmatch(filter->match, key, 0) == 0;
}

static int open_shard(struct walk *walk)
{
    if (walk->fd >= 0 && walk->shard == walk->at.shard)
        return 0;
    if (walk->fd >= 0)
        close(walk->fd);
    walk->shard = walk->at.shard;
    walk->fd = -1;
    return dls_file_open(dls_set_shard_path(walk->dataset, walk->at.shard), &walk->fd);
}

static int read_part(const struct walk *walk, uint64_t from, uint64_t to)
{
    return dls_file_read(walk->fd, dls_set_shard_path(walk->dataset, walk->at.shard), walk->block + from,
                         to - from, walk->at.offset + from);
}

/* As much of the block as holds its directory. */
static int open_head(struct walk *walk)
{
    uint64_t have = dls_min64(HEAD_BYTES, walk->at.length), needed = 0;
    int r = read_part(walk, 0, have);

    while (r == 0) {
        r = dls_block_view_open_head(&walk->view, walk->block, have, walk->at.length, &needed);
        if (r != -EMSGSIZE || needed <= have || needed > walk->at.length)
            break;
        r = read_part(walk, have, needed);
        have = needed;
    }
    if (r < 0)
        return dls_err_context(r, "'%s', block %u at offset %llu",
                               dls_set_shard_path(walk->dataset, walk->at.shard), walk->at.block,
                               (unsigned long long)walk->at.offset);
    if (walk->view.records != walk->at.records)
        return dls_err(EBADMSG, "'%s', block %u: it has %u records, the block table says %u",
                       dls_set_shard_path(walk->dataset, walk->at.shard), walk->at.block, walk->view.records,
                       walk->at.records);
    return 0;
}

static void fill(const struct walk *walk, uint32_t index, struct walk_item *item)
{
    const struct dls_schema *schema = walk->schema;
    size_t length;

    *item = (struct walk_item){.number = walk->at.first_record + index,
                               .key = "",
                               .label = -1,
                               .at = &walk->at,
                               .view = &walk->view,
                               .index = index};
    if (schema->key >= 0)
        item->key =
            (const char *)dls_block_inline(&walk->view, (uint32_t)schema->key, index, &item->key_length);
    if (schema->label >= 0)
        item->label =
            (int64_t)dls_get64(dls_block_inline(&walk->view, (uint32_t)schema->label, index, &length));
    if (schema->image >= 0)
        dls_block_cell(&walk->view, (uint32_t)schema->image, index, &item->image);
}

static int walk_block(struct walk *walk, uint64_t number, bool values, walk_fn fn, void *user)
{
    struct walk_item item;
    int r = dls_set_block(walk->dataset, number, &walk->at);

    if (r == 0)
        r = open_shard(walk);
    if (r == 0 && !values)
        r = open_head(walk);
    else if (r == 0 && (r = read_part(walk, 0, walk->at.length)) == 0)
        r = dls_set_open_block(walk->dataset, &walk->at, walk->block, &walk->view);
    for (uint32_t i = 0; r == 0 && i < walk->at.records; i++) {
        fill(walk, i, &item);
        r = fn(user, &item);
    }
    return r;
}

int walk_records(struct dls_dataset *dataset, bool values, walk_fn fn, void *user)
{
    struct walk walk = {.dataset = dataset, .schema = dls_set_schema(dataset), .fd = -1};
    uint64_t blocks = dls_set_manifest(dataset)->blocks;
    int r = dls_block_view_init(&walk.view, walk.schema, dls_set_directory_room(dataset));

    if (r == 0 && blocks) {
        walk.block = dls_alloc_aligned(DLS_MEM_TOOL, 4096, (size_t)dls_set_largest_block(dataset));
        r = walk.block ? 0
                       : dls_err_sys(ENOMEM, "a block of %llu bytes",
                                     (unsigned long long)dls_set_largest_block(dataset));
    }
    for (uint64_t i = 0; r == 0 && i < blocks; i++)
        r = walk_block(&walk, i, values, fn, user);
    if (walk.fd >= 0)
        close(walk.fd);
    dls_block_view_free(&walk.view);
    dls_free(walk.block);
    return r;
}
