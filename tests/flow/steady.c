/* SPDX-License-Identifier: Apache-2.0 */
/* Fifty epochs: resident memory stays flat, the library's own code allocates nothing, and what the codec
 * libraries allocate inside is counted apart. */
#include "flow/flow.h"

#include "base/mem.h"
#include "support/check.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define WARM_UP 5
#define EPOCHS 50

/* Every allocation of the process, the codec libraries' too. */
static _Atomic uint64_t heap_calls;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    heap_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    heap_calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    heap_calls++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    heap_calls++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size)
{
    heap_calls++;
    *ret_memory = __libc_memalign(alignment, size);
    return *ret_memory != NULL ? 0 : 12;
}

static uint64_t resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    CHECK(file != NULL && fscanf(file, "%lu %lu", &size, &resident) == 2);
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* One epoch without any allocation of this program's. */
static void run_epoch(dls_loader *loader)
{
    const dls_batch *batch = NULL;
    dls_stats stats;
    int r;

    while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
        dls_batch_release(loader, &batch);
        dls_loader_get_stats(loader, &stats);
    }
    if (r < 0)
        fprintf(stderr, "%s\n", dls_last_error());
    CHECK(r == 0);
}

static void fifty_epochs(dls_dataset *dataset, uint64_t records, dls_order order, dls_engine engine,
                         dls_crop crop)
{
    dls_loader_params params = flow_params();
    uint64_t own = 0, all = 0, resident = 0, samples = (EPOCHS - WARM_UP) * records;
    dls_stats stats;

    params.engine = engine;
    params.order = order;
    params.crop = crop;
    params.flip = 1;
    if (crop == DLS_CROP_CENTER) { /* with all that may come behind resizing */
        params.dtype = DLS_DTYPE_FLOAT16;
        params.layout = DLS_LAYOUT_NCHW;
        params.flip_vertical = 1;
        params.brightness = params.contrast = params.saturation = params.hue = 0.4;
        params.grayscale = 0.2;
    }
    params.epochs = EPOCHS;
    params.window_blocks = 3;
    dls_loader *loader = flow_start(dataset, &params);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        if (epoch == WARM_UP) {
            own = dls_mem_count(DLS_MEM_TAGS);
            all = heap_calls;
            resident = resident_bytes();
        }
        run_epoch(loader);
    }
    own = dls_mem_count(DLS_MEM_TAGS) - own;
    all = heap_calls - all - own;
    dls_loader_get_stats(loader, &stats);
    printf("%s, crop %d: own allocations %llu, the codec libraries' %llu for %llu pictures, resident %llu "
           "KiB then %llu\n",
           stats.engine, (int)crop, (unsigned long long)own, (unsigned long long)all,
           (unsigned long long)samples, (unsigned long long)resident >> 10,
           (unsigned long long)resident_bytes() >> 10);
    CHECK(own == 0);
    CHECK(resident_bytes() <= resident + (512u << 10));
    CHECK(stats.heap_allocations == dls_mem_count(DLS_MEM_TAGS));
    dls_loader_close(&loader);
}

int main(void)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 96, .turned = true}));

    fifty_epochs(dataset, 96, DLS_ORDER_WINDOW, DLS_ENGINE_AUTO, DLS_CROP_SQUASH);
    fifty_epochs(dataset, 96, DLS_ORDER_WINDOW, DLS_ENGINE_AUTO, DLS_CROP_RANDOM);
    fifty_epochs(dataset, 96, DLS_ORDER_WINDOW, DLS_ENGINE_AUTO, DLS_CROP_CENTER);
    fifty_epochs(dataset, 96, DLS_ORDER_WINDOW, DLS_ENGINE_PREAD, DLS_CROP_RANDOM);
    fifty_epochs(dataset, 96, DLS_ORDER_FULL, DLS_ENGINE_AUTO, DLS_CROP_RANDOM);
    dls_dataset_close(&dataset);
    return 0;
}
