/* SPDX-License-Identifier: Apache-2.0 */
/* Which of how many processes this one is, as the program that started them says in the environment. */
#ifndef DLS_LOADER_LAUNCHER_H
#define DLS_LOADER_LAUNCHER_H

#include <stdint.h>

/* *ret_name: the variable that named the world; with NULL, and world 0, there is none. -EINVAL if rank and
 * world do not fit together. */
int dls_launcher_get(uint32_t *ret_rank, uint32_t *ret_world, const char **ret_name);

#endif
