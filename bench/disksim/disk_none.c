/* SPDX-License-Identifier: Apache-2.0 */
/* In place of disk.c and fs.c where libfuse3 is missing. */
#include "disk.h"

#include "base/err.h"

int sim_disk_run(const struct sim_disk_config *config, const atomic_int *stop, void (*ready)(void *user),
                 void *user, struct sim_disk_report *ret_report)
{
    return dls_err(ENOTSUP, "this dls-bench was built without libfuse3, so that it cannot emulate a disk");
}
