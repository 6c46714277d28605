/* SPDX-License-Identifier: Apache-2.0 */
/* Every public entry point: check the arguments, call, nothing else. The reader's map of the library. */
#include <dlshards/dlshards.h>

/* common.h */

const char *dls_version(void)
{
    return DLS_VERSION_STRING;
}

/* dataset.h */

/* writer.h */

/* loader.h */
