/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/facts.h"

#include "base/bytes.h"
#include "base/cgroup.h"
#include "base/err.h"
#include "base/log.h"
#include "base/thread.h"
#include "io/device.h"
#include "loader/launcher.h"
#include "order/quality.h"
#include "shard/rows.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Indexes of manifest percentiles: the largest. */
#define LARGEST 8

/* The machine's memory, or what this process's control group may use of it. */
static uint64_t memory_allowed(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    uint64_t limit = dls_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup");

    return limit > 0 ? dls_min64(machine, limit) : machine;
}

/* Is this a device for which one place is as near as any other? Not known of what a hypervisor, another
 * machine or a program shows. */
static bool no_heads(const char *path)
{
    struct dls_device device;

    if (dls_device_get(path, NULL, &device) < 0) {
        dls_err_clear();
        return false;
    }
    return device.kind == DLS_DEVICE_SSD || device.kind == DLS_DEVICE_NVME ||
           device.kind == DLS_DEVICE_MEMORY;
}

int dls_facts_gather(const dls_dataset *dataset, const dls_loader_params *params,
                     struct dls_plan_facts *ret_facts)
{
    const struct dls_manifest *manifest = dls_set_manifest(dataset);
    dls_dataset_info info;

    dls_set_info(dataset, &info);
    *ret_facts = (struct dls_plan_facts){
        .records = manifest->records,
        .blocks = manifest->blocks,
        .shards = manifest->shard_count,
        .shard_list = manifest->shards,
        .largest_block = dls_set_largest_block(dataset),
        .directory_bytes = dls_set_directory_room(dataset),
        .largest_image = manifest->bytes_percentile[LARGEST],
        .max_width = manifest->width_percentile[LARGEST],
        .max_height = manifest->height_percentile[LARGEST],
        .max_pixels = manifest->largest_pixels,
        .machine_bytes = memory_allowed(),
        .random_reads = no_heads(info.path),
        .cpus = dls_cpu_count(),
        .has_image = dls_set_schema(dataset)->image >= 0,
        .has_rows = dls_set_has_rows(dataset),
        .schema = dls_set_schema(dataset),
        .mean_image = manifest->records > 0 ? manifest->image_bytes / manifest->records : 0,
    };
    for (uint32_t i = 0; i < manifest->shard_count; i++)
        ret_facts->largest_table = dls_max64(ret_facts->largest_table, manifest->shards[i].blocks);
    if (manifest->shard_count > 0)
        ret_facts->path_bytes = strlen(dls_set_shard_path(dataset, 0));
    memcpy(ret_facts->uuid, manifest->uuid, sizeof(ret_facts->uuid));
    if (params != NULL && params->world > 0)
        return 0;
    const char *name;
    int r = dls_launcher_get(&ret_facts->launched_rank, &ret_facts->launched_world, &name);
    if (name != NULL)
        dls_log(DLS_LOG_INFO, "loader: rank %u of %u, as %s says", ret_facts->launched_rank,
                ret_facts->launched_world, name);
    return r;
}

/* Would it be noticed that this is not a true permutation? The numbers are estimates from some thousand
 * samples. */
static bool shuffles_badly(const dls_quality *quality)
{
    return quality->classes < 0.98 * quality->classes_expected ||
           quality->mates > fmax(0.02, 2 * quality->mates_expected) || fabs(quality->lag) > 0.1;
}

static int measure(const struct dls_plan *plan, const struct dls_manifest *manifest, dls_quality *ret_quality)
{
    *ret_quality = (dls_quality){.order = (int)plan->params.order,
                                 .window_blocks = plan->params.window_blocks,
                                 .batch_size = plan->params.batch_size,
                                 .window_bytes = plan->window_bytes};
    return dls_quality_measure(&plan->order, manifest, plan->params.batch_size, ret_quality);
}

int dls_plan_choose(const dls_loader_params *params, const struct dls_plan_facts *facts,
                    const struct dls_manifest *manifest, struct dls_plan *ret_plan, dls_quality *ret_quality)
{
    dls_loader_params own = {.struct_size = sizeof(own)};
    struct dls_plan plan;
    dls_quality quality;
    int r = dls_plan_make(params, facts, &plan);

    if (r == 0)
        r = measure(&plan, manifest, &quality);
    if (r < 0)
        return r;
    if (params != NULL)
        own = *params;
    if (own.order == DLS_ORDER_AUTO && own.window_blocks == 0 && own.state == NULL && facts->random_reads &&
        facts->has_rows && shuffles_badly(&quality)) {
        struct dls_plan full;
        own.struct_size = sizeof(own);
        own.order = DLS_ORDER_FULL;
        if (dls_plan_make(&own, facts, &full) == 0) {
            plan = full;
            r = measure(&plan, manifest, &quality);
        }
        dls_err_clear();
    }
    if (r < 0)
        return r;
    dls_log(DLS_LOG_INFO,
            "loader: shuffle: %.1f classes in a batch, %.1f expected; %.2f %% of mates together again, %.2f "
            "expected; "
            "neighbours correlate by %.2f",
            quality.classes, quality.classes_expected, 100 * quality.mates, 100 * quality.mates_expected,
            quality.lag);
    *ret_plan = plan;
    *ret_quality = quality;
    return 0;
}
