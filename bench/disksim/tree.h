/* SPDX-License-Identifier: Apache-2.0 */
/* A folder as it was at the start, and where on the disk its files lie. */
#ifndef DLS_DISKSIM_TREE_H
#define DLS_DISKSIM_TREE_H

#include <stdint.h>
#include <sys/stat.h>

#include "profile.h"

#define SIM_NO_NODE UINT32_MAX

/* In which order the files were written to the emulated disk. */
enum sim_layout {
    SIM_LAYOUT_INODE,   /* as on the file system below: the order in which they were made */
    SIM_LAYOUT_NAME,    /* by path */
    SIM_LAYOUT_SHUFFLED /* an old disk */
};

struct sim_node {
    char *name;
    uint32_t parent;
    uint32_t first_child, children; /* the nodes of a folder's entries are neighbours */
    uint32_t rank;                  /* its place in the layout */
    uint64_t packed;                /* address if the files lay back to back */
    struct stat st;
};

struct sim_tree {
    char *root;
    struct sim_node *nodes; /* node 0 is the root */
    uint32_t count, room;
    uint32_t *table; /* hash table of (parent, name): node numbers, 0 = empty */
    uint32_t mask;
    uint64_t bytes; /* packed length of everything */
    double extent, stretch;
};

/* Walks `root` and lays its files out. Free with sim_tree_free() whether it succeeds or not. */
int sim_tree_load(const char *root, const struct sim_profile *profile, enum sim_layout layout,
                  struct sim_tree *ret_tree);
void sim_tree_free(struct sim_tree *tree);
/* The entry of that name in folder `parent`, or SIM_NO_NODE. */
uint32_t sim_tree_find(const struct sim_tree *tree, uint32_t parent, const char *name);
/* Where a byte of the packed layout lies on the disk. */
double sim_tree_address(const struct sim_tree *tree, uint64_t packed);
/* The node's path below; returns 0 or -ENAMETOOLONG. */
int sim_tree_path(const struct sim_tree *tree, uint32_t node, char *ret_path, size_t size);

#endif
