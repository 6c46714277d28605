/* SPDX-License-Identifier: Apache-2.0 */
/* Every public entry point: check the arguments, call, nothing else. The reader's map of the library. */
#include <dlshards/dlshards.h>

#include "base/err.h"
#include "base/log.h"

/* common.h */

const char *dls_version(void)
{
    return DLS_VERSION_STRING;
}

const char *dls_last_error(void)
{
    return dls_err_text();
}

void dls_set_log(dls_log_fn fn, void *user, dls_log_level threshold)
{
    dls_log_set(fn, user, threshold);
}

/* dataset.h */

/* writer.h */

/* loader.h */
