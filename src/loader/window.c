/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/window.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

int dls_window_init(struct dls_window *window, uint8_t *memory, uint64_t bytes, uint32_t count,
                    const struct dls_schema *schema, uint64_t directory_room)
{
    int r = 0;

    memset(window, 0, sizeof(*window));
    window->entries = dls_alloc_array(DLS_MEM_LOADER, count, sizeof(*window->entries));
    if (window->entries == NULL)
        return -ENOMEM;
    window->memory = memory;
    window->bytes = bytes;
    for (; r == 0 && window->count < count; window->count++)
        r = dls_block_view_init(&window->entries[window->count].view, schema, directory_room);
    if (r < 0)
        dls_window_free(window);
    return r;
}

void dls_window_free(struct dls_window *window)
{
    for (uint32_t i = 0; i < window->count; i++)
        dls_block_view_free(&window->entries[i].view);
    dls_free(window->entries);
    memset(window, 0, sizeof(*window));
}

struct dls_window_block *dls_window_take(struct dls_window *window, uint64_t length)
{
    uint64_t start, place, gap;
    struct dls_window_block *block;

    assert(length > 0 && length <= window->bytes);
    if (window->pushed - window->popped == window->count)
        return NULL;
    if (window->pushed == window->popped)
        window->head = window->tail = 0; /* an empty ring starts anew, without a gap */
    place = window->head % window->bytes;
    gap = place + length > window->bytes ? window->bytes - place : 0;
    start = window->head + gap;
    if (start + length - window->tail > window->bytes)
        return NULL;
    window->head = start + length;

    block = &window->entries[window->pushed++ % window->count];
    assert(block->state == DLS_BLOCK_NONE);
    block->state = DLS_BLOCK_READING;
    block->start = start;
    block->extent.memory = window->memory + start % window->bytes;
    block->extent.length = length;
    block->extent.user = block;
    block->error.code = 0;
    return block;
}

bool dls_window_reclaim(struct dls_window *window)
{
    bool any = false;

    while (window->popped < window->pushed) {
        struct dls_window_block *oldest = &window->entries[window->popped % window->count];
        if (oldest->state != DLS_BLOCK_DONE)
            break;
        oldest->state = DLS_BLOCK_NONE;
        window->popped++;
        any = true;
    }
    /* A gap before the block that is now the oldest is free as well. */
    if (window->popped < window->pushed)
        window->tail = window->entries[window->popped % window->count].start;
    else
        window->tail = window->head;
    return any;
}
