/* SPDX-License-Identifier: Apache-2.0 */
/* The one assertion of plain test programs: says where, and ends the process with status 1. */
#ifndef DLS_TESTS_CHECK_H
#define DLS_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                       \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                           \
        }                                                                                                      \
    } while (0)

#endif
