/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/problem.h"

#include "base/mem.h"
#include "shards/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *problem_name(enum problem_kind kind)
{
    static const char *const names[PROBLEM_KINDS] = {
        [PROBLEM_NONE] = "none",
        [PROBLEM_UNREADABLE] = "unreadable",
        [PROBLEM_CHANGED] = "changed",
        [PROBLEM_EMPTY] = "empty",
        [PROBLEM_NOT_IMAGE] = "not-an-image",
        [PROBLEM_UNSUPPORTED] = "unsupported",
        [PROBLEM_DAMAGED] = "damaged",
        [PROBLEM_TOO_LARGE] = "too-large",
        [PROBLEM_DIRECTORY] = "unreadable-directory",
        [PROBLEM_WARNING] = "warning",
        [PROBLEM_SPECIAL] = "special-file",
        [PROBLEM_HIDDEN] = "hidden",
        [PROBLEM_HIDDEN_DIRECTORY] = "hidden-directory",
        [PROBLEM_LOOP] = "loop",
        [PROBLEM_NO_CLASS] = "no-class",
    };
    return names[kind];
}

bool problem_is_error(enum problem_kind kind)
{
    return kind > PROBLEM_NONE && kind < PROBLEM_WARNING;
}

int problem_add(struct problem_list *list, enum problem_kind kind, const char *path, const char *text)
{
    struct problem problem = {.kind = kind};

    if (list->count == list->room) {
        uint64_t room = list->room ? list->room * 2 : 16;
        struct problem *items = dls_realloc(DLS_MEM_TOOL, list->items, room * sizeof(*items));
        if (!items)
            return -ENOMEM;
        list->items = items;
        list->room = room;
    }
    problem.path = dls_strndup(DLS_MEM_TOOL, path, strlen(path));
    problem.text = dls_strndup(DLS_MEM_TOOL, text, strlen(text));
    if (!problem.path || !problem.text) {
        dls_free(problem.path);
        dls_free(problem.text);
        return -ENOMEM;
    }
    list->items[list->count++] = problem;
    return 0;
}

static int compare_problems(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;

    return names_compare(x->path, strlen(x->path), y->path, strlen(y->path));
}

void problem_sort(struct problem_list *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), compare_problems);
}

void problem_free(struct problem_list *list)
{
    for (uint64_t i = 0; i < list->count; i++) {
        dls_free(list->items[i].path);
        dls_free(list->items[i].text);
    }
    dls_free(list->items);
    *list = (struct problem_list){0};
}
