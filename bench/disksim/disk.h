/* SPDX-License-Identifier: Apache-2.0 */
/* An emulated disk that runs: a folder behind FUSE, whose reads take as long as the model says. One thread.
 */
#ifndef DLS_DISKSIM_DISK_H
#define DLS_DISKSIM_DISK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/hist.h"
#include "model.h"
#include "tree.h"

struct sim_disk_config {
    struct sim_profile profile;
    enum sim_layout layout;
    const char *folder, *mountpoint;
    bool realtime; /* ask for SCHED_FIFO, so that replies are in time on a busy machine */
};

/* What came of it. */
struct sim_disk_report {
    struct sim_counts counts;
    double seconds;         /* from the mount to its end */
    uint64_t metadata;      /* reads of inodes and directories among the requests */
    uint64_t replies, late; /* late: by more than the profile allows and than a tenth of their time */
    double late_mean, late_p99,
        late_max; /* seconds behind the due time, of all replies; early ones count as 0 */
    double cpu_seconds;
    bool realtime; /* was granted */
};

/* Mounts, calls `ready`, and serves until it is unmounted or *stop becomes non-zero; then unmounts.
 * Returns 0 or a negative errno; -ENOTSUP where this program was built without FUSE. */
int sim_disk_run(const struct sim_disk_config *config, const atomic_int *stop, void (*ready)(void *user),
                 void *user, struct sim_disk_report *ret_report);

#endif
