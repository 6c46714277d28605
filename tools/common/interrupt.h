/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT, SIGTERM and SIGHUP ask a long command to stop cleanly. One that comes a second or more after the
 * first ends it at once; earlier ones are taken for the same wish, as timeout(1) and shells send a signal to
 * a process and again to its group. */
#ifndef TOOLS_COMMON_INTERRUPT_H
#define TOOLS_COMMON_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* SIGXFSZ is ignored, too, so that a file-size limit shows as an error of write(). System calls that wait end
 * with EINTR when a signal comes. Returns where the signal's number will stand, 0 until then. */
const atomic_int *interrupt_setup(void);
bool interrupted(void);
/* What the process exits with: 128 + the signal's number. */
int interrupt_exit_code(void);

#endif
