/* SPDX-License-Identifier: Apache-2.0 */
/* A set of files and a reader of them, for the tests of the reader. */
#include "io/reader.h"

#include "base/err.h"
#include "support/pattern.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 24u
#define BLOCK (512u << 10)

/* Some files, a reader of them, and memory for some blocks. */
struct set {
    uint32_t files;
    uint64_t bytes; /* of each */
    const char *paths[FILES_MAX];
    uint8_t *memory;
    uint32_t blocks; /* that fit in memory */
    struct dls_extent *extents;
    struct dls_reader *reader;
    struct dls_reader_config config;
};

static inline const char *set_path(void *user, uint32_t file)
{
    const struct set *set = user;

    return set->paths[file];
}

static inline void set_make(struct set *set, const char *directory, uint32_t files, uint64_t bytes,
                            uint32_t blocks)
{
    memset(set, 0, sizeof(*set));
    set->files = files;
    set->bytes = bytes;
    set->blocks = blocks;
    for (uint32_t i = 0; i < files; i++) {
        char name[32];
        snprintf(name, sizeof(name), "file-%02u", i);
        set->paths[i] = support_path(directory, name);
        pattern_write(set->paths[i], i, bytes);
    }
    set->memory = pattern_memory((size_t)blocks * BLOCK);
    set->extents = calloc(blocks, sizeof(*set->extents));
    set->config = (struct dls_reader_config){
        .path = set_path,
        .path_user = set,
        .files = files,
        .depth = 8,
        .request_bytes = 64 << 10,
        .memory = set->memory,
        .memory_bytes = (uint64_t)blocks * BLOCK,
    };
}

static inline void set_open(struct set *set)
{
    int r = dls_reader_open(&set->config, &set->reader);

    cr_assert(r == 0, "%s", dls_err_text());
}

static inline void set_end(struct set *set)
{
    dls_reader_close(&set->reader);
    cr_expect(set->reader == NULL);
    free(set->memory);
    free(set->extents);
}

static inline struct dls_extent *set_push(struct set *set, uint32_t place, uint32_t file, uint64_t offset,
                                          uint64_t length)
{
    struct dls_extent *extent = &set->extents[place];

    *extent = (struct dls_extent){
        .file = file,
        .offset = offset,
        .length = length,
        .memory = set->memory + (size_t)place * BLOCK,
        .user = set,
    };
    memset(extent->memory, 0xee, length);
    dls_reader_push(set->reader, extent);
    return extent;
}

static inline void set_check(const struct dls_extent *extent)
{
    cr_assert(extent->result == 0, "result %d at %" PRIu64, extent->result, extent->error_at);
    int64_t at = pattern_check(extent->file, extent->offset, extent->memory, extent->length);
    cr_assert(at == -1, "file %u differs at offset %" PRId64, extent->file, at);
}

/* Waits until all that was pushed is back. Returns how many extents that was. */
static inline unsigned set_drain(struct set *set)
{
    struct dls_extent *done;
    unsigned count = 0;

    while (!dls_reader_idle(set->reader)) {
        cr_assert(dls_reader_wait(set->reader, -1, &done) == 0, "%s", dls_err_text());
        for (; done != NULL; done = done->next)
            count++;
    }
    return count;
}

/* Reads every block of every file, files interleaved, `blocks` in memory at a time, and compares every byte.
 */
static inline void set_read_all(struct set *set)
{
    uint64_t per_file = set->bytes / BLOCK, total = per_file * set->files, pushed = 0, back = 0;
    struct dls_extent *done;

    for (uint32_t i = 0; i < set->blocks && pushed < total; i++, pushed++)
        set_push(set, i, (uint32_t)(pushed % set->files), pushed / set->files * BLOCK, BLOCK);
    while (back < total) {
        cr_assert(dls_reader_wait(set->reader, -1, &done) == 0, "%s", dls_err_text());
        while (done != NULL) {
            struct dls_extent *extent = done;
            done = done->next;
            set_check(extent);
            back++;
            if (pushed < total) {
                set_push(set, (uint32_t)(extent - set->extents), (uint32_t)(pushed % set->files),
                         pushed / set->files * BLOCK, BLOCK);
                pushed++;
            }
        }
    }
    cr_expect(dls_reader_idle(set->reader));
}
