/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

static int add(struct sim_tree *tree, uint32_t parent, const char *name, const struct stat *st)
{
    if (tree->count == tree->room) {
        if (tree->room >= UINT32_MAX / 4)
            return dls_err(EFBIG, "'%s': too many files", tree->root);
        uint32_t room = tree->room ? tree->room * 2 : 1024;
        void *nodes = dls_realloc(DLS_MEM_TOOL, tree->nodes, room * sizeof(*tree->nodes));
        if (!nodes)
            return -ENOMEM;
        tree->nodes = nodes;
        tree->room = room;
    }
    char *copy = dls_strndup(DLS_MEM_TOOL, name, strlen(name));
    if (!copy)
        return -ENOMEM;
    tree->nodes[tree->count++] = (struct sim_node){.name = copy, .parent = parent, .st = *st};
    return 0;
}

int sim_tree_path(const struct sim_tree *tree, uint32_t node, char *ret_path, size_t size)
{
    size_t root = strlen(tree->root), length = root, at;

    for (uint32_t i = node; i; i = tree->nodes[i].parent)
        length += 1 + strlen(tree->nodes[i].name);
    if (length + 1 > size)
        return dls_err(ENAMETOOLONG, "'%s': the path is too long", tree->nodes[node].name);
    memcpy(ret_path, tree->root, root);
    ret_path[length] = '\0';
    at = length;
    for (uint32_t i = node; i; i = tree->nodes[i].parent) {
        size_t n = strlen(tree->nodes[i].name);
        at -= n;
        memcpy(ret_path + at, tree->nodes[i].name, n);
        ret_path[--at] = '/';
    }
    return 0;
}

static int not_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the entries of one folder. */
static int scan(struct sim_tree *tree, uint32_t folder)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    int r = sim_tree_path(tree, folder, path, sizeof(path));

    if (r < 0)
        return r;
    int count = scandir(path, &entries, not_dots, by_bytes);
    if (count < 0)
        return dls_err_sys(errno, "'%s'", path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    r = fd < 0 ? dls_err_sys(errno, "'%s'", path) : 0;
    tree->nodes[folder].first_child = tree->count;
    for (int i = 0; i < count; i++) {
        struct stat st;
        if (r == 0 && fstatat(fd, entries[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            r = add(tree, folder, entries[i]->d_name, &st);
        free(entries[i]);
    }
    free(entries);
    tree->nodes[folder].children = tree->count - tree->nodes[folder].first_child;
    if (fd >= 0)
        close(fd);
    return r;
}

/* The array grows while it is walked: folders are scanned in the order in which they were found. */
static int walk(struct sim_tree *tree)
{
    struct stat st;
    int r;

    if (stat(tree->root, &st) != 0)
        return dls_err_sys(errno, "'%s'", tree->root);
    if (!S_ISDIR(st.st_mode))
        return dls_err_sys(ENOTDIR, "'%s'", tree->root);
    r = add(tree, 0, "", &st);
    for (uint32_t i = 0; r == 0 && i < tree->count; i++)
        if (S_ISDIR(tree->nodes[i].st.st_mode))
            r = scan(tree, i);
    return r;
}

static int by_inode(const void *a, const void *b, void *user)
{
    const struct sim_node *nodes = user;
    ino_t x = nodes[*(const uint32_t *)a].st.st_ino, y = nodes[*(const uint32_t *)b].st.st_ino;
    return (x > y) - (x < y);
}

/* Files back to back in blocks of 4 KiB: a fresh file system without fragments. */
static int lay_out(struct sim_tree *tree, const struct sim_profile *profile, enum sim_layout layout)
{
    uint32_t *order = dls_alloc_array(DLS_MEM_TOOL, tree->count, sizeof(*order));
    struct dls_rng rng;

    if (!order)
        return -ENOMEM;
    for (uint32_t i = 0; i < tree->count; i++)
        order[i] = i;
    if (layout == SIM_LAYOUT_INODE)
        qsort_r(order, tree->count, sizeof(*order), by_inode, tree->nodes);
    dls_rng_init(&rng, 0, 0, 0);
    for (uint32_t i = tree->count; layout == SIM_LAYOUT_SHUFFLED && i-- > 1;) {
        uint32_t j = (uint32_t)dls_rng_below(&rng, i + 1), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        struct sim_node *node = &tree->nodes[order[i]];
        node->rank = i;
        node->packed = tree->bytes;
        tree->bytes += S_ISREG(node->st.st_mode) ? dls_align_up((uint64_t)node->st.st_size, 4096) : 4096;
    }
    dls_free(order);
    tree->extent = profile->extent;
    tree->stretch = profile->span > (double)tree->bytes ? profile->span / (double)tree->bytes : 1;
    if ((double)tree->bytes * tree->stretch > profile->capacity)
        return dls_err(ENOSPC, "'%s': %.1f GB do not fit a disk of %.1f GB", tree->root,
                       (double)tree->bytes / 1e9, profile->capacity / 1e9);
    return 0;
}

double sim_tree_address(const struct sim_tree *tree, uint64_t packed)
{
    double extent = floor((double)packed / tree->extent) * tree->extent;
    return extent * tree->stretch + ((double)packed - extent);
}

static uint32_t slot_of(const struct sim_tree *tree, uint32_t parent, const char *name)
{
    return (uint32_t)dls_mix64(parent, dls_hash64(name, strlen(name))) & tree->mask;
}

static int index_names(struct sim_tree *tree)
{
    uint32_t size = 16;

    while (size < tree->count * 2)
        size *= 2;
    tree->table = dls_alloc_array(DLS_MEM_TOOL, size, sizeof(*tree->table));
    if (!tree->table)
        return -ENOMEM;
    tree->mask = size - 1;
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t slot = slot_of(tree, tree->nodes[i].parent, tree->nodes[i].name);
        while (tree->table[slot])
            slot = (slot + 1) & tree->mask;
        tree->table[slot] = i;
    }
    return 0;
}

uint32_t sim_tree_find(const struct sim_tree *tree, uint32_t parent, const char *name)
{
    for (uint32_t slot = slot_of(tree, parent, name); tree->table[slot]; slot = (slot + 1) & tree->mask) {
        const struct sim_node *node = &tree->nodes[tree->table[slot]];
        if (node->parent == parent && strcmp(node->name, name) == 0)
            return tree->table[slot];
    }
    return SIM_NO_NODE;
}

int sim_tree_load(const char *root, const struct sim_profile *profile, enum sim_layout layout,
                  struct sim_tree *ret_tree)
{
    struct sim_tree *tree = ret_tree;
    char path[PATH_MAX];

    *tree = (struct sim_tree){0};
    if (!realpath(root, path))
        return dls_err_sys(errno, "'%s'", root);
    tree->root = dls_strndup(DLS_MEM_TOOL, path, strlen(path));
    if (!tree->root)
        return -ENOMEM;
    int r = walk(tree);
    if (r == 0)
        r = lay_out(tree, profile, layout);
    if (r == 0)
        r = index_names(tree);
    return r;
}

void sim_tree_free(struct sim_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++)
        dls_free(tree->nodes[i].name);
    dls_free(tree->nodes);
    dls_free(tree->table);
    dls_free(tree->root);
    *tree = (struct sim_tree){0};
}
