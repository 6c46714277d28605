/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with one file of the source. */
#ifndef TOOLS_SHARDS_PROBLEM_H
#define TOOLS_SHARDS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum problem_kind {
    PROBLEM_NONE,
    /* Files that were to be packed and cannot be. */
    PROBLEM_UNREADABLE,
    PROBLEM_CHANGED,
    PROBLEM_EMPTY,
    PROBLEM_NOT_IMAGE,
    PROBLEM_UNSUPPORTED,
    PROBLEM_DAMAGED,
    PROBLEM_TOO_LARGE,
    PROBLEM_DIRECTORY, /* a directory that cannot be listed */
    /* Packed all the same. */
    PROBLEM_WARNING,
    /* Never meant to be packed. */
    PROBLEM_SPECIAL,
    PROBLEM_HIDDEN,
    PROBLEM_HIDDEN_DIRECTORY,
    PROBLEM_LOOP,
    PROBLEM_NO_CLASS,
    PROBLEM_KINDS,
};

/* The word for reports: "unreadable", "not-an-image", … */
const char *problem_name(enum problem_kind kind);
/* True for the kinds that `--on-error` is about. */
bool problem_is_error(enum problem_kind kind);

struct problem {
    enum problem_kind kind;
    char *path; /* owned; from the source's root */
    char *text; /* owned; one line */
};

struct problem_list {
    struct problem *items;
    uint64_t count, room;
};

/* Takes copies; -ENOMEM. */
int problem_add(struct problem_list *list, enum problem_kind kind, const char *path, const char *text);
/* By path, as names_compare() orders. */
void problem_sort(struct problem_list *list);
void problem_free(struct problem_list *list);

#endif
