/* SPDX-License-Identifier: Apache-2.0 */
/* The file system of an emulated disk: turns what the kernel asks into requests of the model. */
#ifndef DLS_DISKSIM_FS_H
#define DLS_DISKSIM_FS_H

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

#include "model.h"
#include "tree.h"

#define SIM_READ_MOST (1u << 20)

enum sim_ask {
    SIM_ASK_READ,
    SIM_ASK_ENTRY, /* a look-up whose inode has to come off the disk */
    SIM_ASK_OPENDIR
};

/* A question of the kernel that is answered when the disk is done. */
struct sim_question {
    struct sim_request request; /* first: the model hands this out */
    enum sim_ask ask;
    fuse_req_t fuse;
    uint32_t node;
    int fd; /* READ */
    off_t offset;
    size_t length;
    struct fuse_file_info info;  /* OPENDIR */
    struct sim_question *unused; /* list of free ones */
};

struct sim_fs {
    const struct sim_profile *profile;
    struct sim_tree tree;
    struct sim_model *model;
    double (*clock)(void);
    struct sim_question *unused;
    uint64_t metadata;
    uint8_t *inodes_known;  /* a flag for each piece of the inode table that was read */
    uint8_t *folders_known; /* a flag a node */
    /* The data of one question, read from below before its time has come. */
    uint8_t *data;
    const struct sim_question *data_of;
    ssize_t data_length; /* or a negative errno */
};

extern const struct fuse_lowlevel_ops sim_fs_ops; /* user data: struct sim_fs */

/* fs->profile and fs->clock are set by the caller, the rest is zero. */
int sim_fs_open(struct sim_fs *fs, const char *folder, enum sim_layout layout);
void sim_fs_close(struct sim_fs *fs);
/* Reads the answer's data from below, if that has not been done. */
void sim_fs_prepare(struct sim_fs *fs, struct sim_question *question);
/* Tells the kernel and takes the question out of the model. */
void sim_fs_answer(struct sim_fs *fs, struct sim_question *question);

#endif
