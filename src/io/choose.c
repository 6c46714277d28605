/* SPDX-License-Identifier: Apache-2.0 */
#include "io/choose.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

int dls_io_choose(const struct dls_io_config *config, dls_engine engine, const struct dls_io_ops *only,
                  const struct dls_io_ops **ret_ops, struct dls_io **ret_io)
{
    const struct dls_io_ops *ops = only;
    char detail[DLS_IO_DETAIL] = "", why[DLS_IO_DETAIL] = "";
    struct dls_io_config each = *config;
    int r;

    each.detail = detail;
    if (ops == NULL)
        ops = engine == DLS_ENGINE_PREAD ? &dls_io_pread : &dls_io_uring;
    r = ops->open(&each, ret_io);
    if (r != 0 && only == NULL && engine == DLS_ENGINE_AUTO) {
        snprintf(why, sizeof(why), "; no io_uring: %s", detail[0] != '\0' ? detail : strerror(-r));
        detail[0] = '\0';
        ops = &dls_io_pread;
        r = ops->open(&each, ret_io);
    }
    if (r != 0)
        return dls_err(-r, "read engine '%s' does not work here: %s%s", ops->name,
                       detail[0] != '\0' ? detail : strerror(-r), why);
    snprintf(config->detail, DLS_IO_CHOICE, "%s%s", detail, why);
    *ret_ops = ops;
    return 0;
}
