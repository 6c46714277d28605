/* SPDX-License-Identifier: Apache-2.0 */
/* Two epochs of a loader with every kind of thread at work, both engines, statistics asked for meanwhile, and
 * a close in the middle. */
#include "flow/flow.h"

#include "base/thread.h"
#include "support/check.h"

#include <stdatomic.h>

struct watcher {
    struct dls_thread thread;
    dls_loader *loader;
    atomic_bool stop;
};

static void *watch(void *arg)
{
    struct watcher *watcher = arg;

    while (!watcher->stop) {
        dls_stats stats;
        char text[300];
        uint8_t state[1024];
        dls_loader_get_stats(watcher->loader, &stats);
        CHECK(stats.memory_bytes <= stats.memory_budget);
        CHECK(dls_loader_get_state(watcher->loader, state, sizeof(state)) > 0);
        CHECK(dls_loader_verdict(watcher->loader, text, sizeof(text)) > 0);
    }
    return NULL;
}

static void two_epochs(dls_dataset *dataset, dls_order order, dls_engine engine, uint32_t threads,
                       int no_decode)
{
    dls_loader_params params = flow_params();
    struct watcher watcher = {0};

    params.engine = engine;
    params.order = order;
    params.threads = threads;
    params.no_decode = no_decode;
    params.epochs = 3;
    params.window_blocks = 2;
    params.crop = DLS_CROP_RANDOM;
    params.flip = 1;
    params.tail = DLS_TAIL_PAD;
    dls_loader *loader = flow_start(dataset, &params);
    watcher.loader = loader;
    CHECK(dls_thread_start(&watcher.thread, "watcher", watch, &watcher) == 0);
    for (int epoch = 0; epoch < 2; epoch++) {
        struct flow_run run;
        CHECK(flow_epoch(loader, &params, &run) == 0);
        flow_expect_all(&run, 150);
        flow_run_free(&run);
    }
    const dls_batch *batch = NULL;
    CHECK(dls_loader_next(loader, -1, &batch) == 1);
    watcher.stop = true;
    dls_thread_join(&watcher.thread);
    dls_loader_close(&loader);
}

int main(void)
{
    dls_dataset *dataset = flow_open(
        flow_make(&(struct flow_spec){.records = 150, .turned = true, .huge = 77, .huge_times = 8}));

    two_epochs(dataset, DLS_ORDER_WINDOW, DLS_ENGINE_AUTO, 1, 0);
    two_epochs(dataset, DLS_ORDER_WINDOW, DLS_ENGINE_AUTO, 4, 0);
    two_epochs(dataset, DLS_ORDER_WINDOW, DLS_ENGINE_PREAD, 3, 0);
    two_epochs(dataset, DLS_ORDER_WINDOW, DLS_ENGINE_PREAD, 3, 1);
    two_epochs(dataset, DLS_ORDER_FULL, DLS_ENGINE_AUTO, 4, 0);
    two_epochs(dataset, DLS_ORDER_FULL, DLS_ENGINE_PREAD, 3, 1);
    dls_dataset_close(&dataset);
    return 0;
}
