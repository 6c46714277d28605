/* SPDX-License-Identifier: Apache-2.0 */
/* A reader in a thread of its own, woken and looked at by two others, with either engine. */
#include "base/err.h"
#include "base/hist.h"
#include "io/reader.h"
#include "support/pattern.h"
#include "support/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES 4u
#define BLOCK (256u << 10)
#define BLOCKS 6u /* in memory */
#define READS 400u

static const char *paths[FILES];
static struct dls_reader *reader;
static atomic_bool over;

static const char *path_of(void *user, uint32_t file)
{
    (void)user;
    return paths[file];
}

static void *meddle(void *arg)
{
    uint64_t before = 0;

    (void)arg;
    while (!atomic_load(&over)) {
        struct dls_reader_stats stats;
        dls_latency latency;
        dls_reader_wake(reader);
        dls_reader_get_stats(reader, &stats);
        dls_hist_latency(stats.latency, &latency);
        if (stats.bytes < before || strlen(stats.detail) == 0)
            abort();
        before = stats.bytes;
        usleep(20);
    }
    return NULL;
}

static void push(struct dls_extent *extent, uint8_t *memory, uint32_t number)
{
    *extent = (struct dls_extent){
        .file = number % FILES, .offset = number / FILES % 4 * BLOCK, .length = BLOCK, .memory = memory};
    dls_reader_push(reader, extent);
}

static char wait_failed[] = "wait failed", wrong_bytes[] = "wrong bytes";

/* Returns NULL if every byte was right. */
static void *read_all(void *arg)
{
    struct dls_extent extents[BLOCKS], *done;
    uint8_t *memory = arg;
    uint32_t pushed = 0, back = 0;

    for (; pushed < BLOCKS; pushed++)
        push(&extents[pushed], memory + (size_t)pushed * BLOCK, pushed);
    while (back < READS) {
        if (dls_reader_wait(reader, back % 3 == 0 ? 100000 : -1, &done) != 0)
            return wait_failed;
        while (done != NULL) {
            struct dls_extent *extent = done;
            done = done->next;
            back++;
            if (extent->result != 0 ||
                pattern_check(extent->file, extent->offset, extent->memory, BLOCK) != -1)
                return wrong_bytes;
            if (pushed < READS)
                push(extent, extent->memory, pushed++);
        }
    }
    return NULL;
}

static int run(dls_engine engine, uint8_t *memory)
{
    struct dls_reader_config config = {
        .path = path_of,
        .files = FILES,
        .open_files = 2,
        .engine = engine,
        .depth = 16,
        .request_bytes = 32 << 10,
        .memory = memory,
        .memory_bytes = BLOCKS * BLOCK,
    };
    pthread_t owner, meddlers[2];
    void *wrong = NULL;

    if (dls_reader_open(&config, &reader) != 0) {
        fprintf(stderr, "%s\n", dls_err_text());
        return engine == DLS_ENGINE_URING ? 77 : 1;
    }
    atomic_store(&over, false);
    for (int i = 0; i < 2; i++)
        pthread_create(&meddlers[i], NULL, meddle, NULL);
    pthread_create(&owner, NULL, read_all, memory);
    pthread_join(owner, &wrong);
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(meddlers[i], NULL);
    dls_reader_close(&reader);
    if (wrong != NULL)
        fprintf(stderr, "%s\n", (const char *)wrong);
    return wrong != NULL;
}

int main(void)
{
    uint8_t *memory = pattern_memory(BLOCKS * BLOCK);
    int pread_result, uring_result;

    for (uint32_t i = 0; i < FILES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "file-%u", i);
        paths[i] = support_path(pattern_dir(), name);
        pattern_write(paths[i], i, 4 * BLOCK);
    }
    pread_result = run(DLS_ENGINE_PREAD, memory);
    uring_result = run(DLS_ENGINE_URING, memory);
    free(memory);
    return pread_result != 0 ? pread_result : uring_result;
}
