/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT, SIGTERM and SIGHUP ask a long command to stop cleanly; a second one ends it at once. */
#ifndef TOOLS_SHARDS_INTERRUPT_H
#define TOOLS_SHARDS_INTERRUPT_H

#include <stdbool.h>

/* SIGXFSZ is ignored, too, so that a file-size limit shows as an error of write(). */
void interrupt_setup(void);
bool interrupted(void);
/* What the process exits with: 128 + the signal's number. */
int interrupt_exit_code(void);

#endif
