/* SPDX-License-Identifier: Apache-2.0 */
#include "fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"

/* ext4 reads 32 blocks of its inode table at once: 512 inodes. */
#define INODES_A_READ 512
#define INODE_READ_BYTES 131072
#define FOREVER 1e9

static struct sim_fs *fs_of(fuse_req_t fuse)
{
    return fuse_req_userdata(fuse);
}

static uint32_t node_of(fuse_ino_t ino)
{
    return (uint32_t)(ino - FUSE_ROOT_ID);
}

static struct sim_question *ask(fuse_req_t fuse, enum sim_ask what, uint32_t node, uint64_t packed,
                                size_t length)
{
    struct sim_fs *fs = fs_of(fuse);
    struct sim_question *question = fs->unused;

    if (question)
        fs->unused = question->unused;
    else if (!(question = dls_alloc(DLS_MEM_TOOL, sizeof(*question))))
        return NULL;
    *question = (struct sim_question){.ask = what, .fuse = fuse, .node = node};
    question->request = (struct sim_request){
        .address = sim_tree_address(&fs->tree, packed), .length = (double)length, .arrived = fs->clock()};
    return question;
}

static void on_init(void *user, struct fuse_conn_info *conn)
{
    const struct sim_fs *fs = user;

    conn->want |= conn->capable & (FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO | FUSE_CAP_PARALLEL_DIROPS |
                                   FUSE_CAP_CACHE_SYMLINKS);
    conn->want &= ~(unsigned)(FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE | FUSE_CAP_SPLICE_READ |
                              FUSE_CAP_READDIRPLUS | FUSE_CAP_AUTO_INVAL_DATA);
    conn->max_read = SIM_READ_MOST;
    conn->max_readahead = (unsigned)fs->profile->read_ahead;
    /* The default of 12 would cap the depth of the queue. */
    conn->max_background = 256;
    conn->congestion_threshold = 256;
    conn->time_gran = 1;
}

static void make_entry(const struct sim_fs *fs, uint32_t node, struct fuse_entry_param *ret_entry)
{
    *ret_entry = (struct fuse_entry_param){.ino = node + FUSE_ROOT_ID,
                                           .attr = fs->tree.nodes[node].st,
                                           .attr_timeout = FOREVER,
                                           .entry_timeout = FOREVER};
    ret_entry->attr.st_ino = ret_entry->ino;
}

static void on_lookup(fuse_req_t fuse, fuse_ino_t parent, const char *name)
{
    struct sim_fs *fs = fs_of(fuse);
    uint32_t node = sim_tree_find(&fs->tree, node_of(parent), name);
    struct fuse_entry_param entry = {.entry_timeout = FOREVER};

    if (node == SIM_NO_NODE) {
        fuse_reply_entry(fuse, &entry);
        return;
    }
    uint32_t piece = fs->tree.nodes[node].rank / (fs->profile->metadata > 1 ? 1 : INODES_A_READ);
    uint8_t *known = &fs->inodes_known[piece];
    if (fs->profile->metadata > 0 && !*known) {
        uint64_t packed = fs->tree.nodes[node].packed & ~((128ull << 20) - 1); /* the block group's head */
        struct sim_question *question = ask(fuse, SIM_ASK_ENTRY, node, packed, INODE_READ_BYTES);
        if (question) {
            *known = 1;
            fs->metadata++;
            sim_model_submit(fs->model, &question->request);
            return;
        }
    }
    make_entry(fs, node, &entry);
    fuse_reply_entry(fuse, &entry);
}

static void on_getattr(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *info)
{
    struct fuse_entry_param entry;

    make_entry(fs_of(fuse), node_of(ino), &entry);
    fuse_reply_attr(fuse, &entry.attr, FOREVER);
}

static void on_readlink(fuse_req_t fuse, fuse_ino_t ino)
{
    char path[PATH_MAX], target[PATH_MAX];
    ssize_t n = -1;

    errno = ENAMETOOLONG;
    if (sim_tree_path(&fs_of(fuse)->tree, node_of(ino), path, sizeof(path)) == 0)
        n = readlink(path, target, sizeof(target) - 1);
    if (n < 0) {
        fuse_reply_err(fuse, errno);
        return;
    }
    target[n] = '\0';
    fuse_reply_readlink(fuse, target);
}

static void on_open(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *info)
{
    char path[PATH_MAX];
    int fd = -1;

    if ((info->flags & O_ACCMODE) != O_RDONLY) {
        fuse_reply_err(fuse, EROFS);
        return;
    }
    errno = ENAMETOOLONG;
    if (sim_tree_path(&fs_of(fuse)->tree, node_of(ino), path, sizeof(path)) == 0)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fuse_reply_err(fuse, errno);
        return;
    }
    info->fh = (uint64_t)fd;
    info->keep_cache = 1;
    info->noflush = 1;
    fuse_reply_open(fuse, info);
}

static void on_release(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *info)
{
    close((int)info->fh);
    fuse_reply_err(fuse, 0);
}

static void on_read(fuse_req_t fuse, fuse_ino_t ino, size_t length, off_t offset, struct fuse_file_info *info)
{
    struct sim_fs *fs = fs_of(fuse);
    const struct sim_node *node = &fs->tree.nodes[node_of(ino)];

    if (offset >= node->st.st_size) {
        fuse_reply_buf(fuse, NULL, 0);
        return;
    }
    uint64_t left = (uint64_t)(node->st.st_size - offset), start = (uint64_t)offset & ~4095ull;
    length = (size_t)dls_min64(dls_min64(length, left), SIM_READ_MOST);
    uint64_t end = dls_align_up((uint64_t)offset + length, 4096);
    struct sim_question *question =
        ask(fuse, SIM_ASK_READ, node_of(ino), node->packed + start, (size_t)(end - start));
    if (!question) {
        fuse_reply_err(fuse, ENOMEM);
        return;
    }
    question->fd = (int)info->fh;
    question->offset = offset;
    question->length = length;
    /* Should it not be in memory below, it is on its way while the emulated disk turns. */
    posix_fadvise(question->fd, offset, (off_t)length, POSIX_FADV_WILLNEED);
    sim_model_submit(fs->model, &question->request);
}

static void on_opendir(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *info)
{
    struct sim_fs *fs = fs_of(fuse);
    uint32_t node = node_of(ino);

    info->cache_readdir = 1;
    info->keep_cache = 1;
    if (fs->profile->metadata > 0 && !fs->folders_known[node]) {
        struct sim_question *question = ask(fuse, SIM_ASK_OPENDIR, node, fs->tree.nodes[node].packed, 4096);
        if (question) {
            question->info = *info;
            fs->folders_known[node] = 1;
            fs->metadata++;
            sim_model_submit(fs->model, &question->request);
            return;
        }
    }
    fuse_reply_open(fuse, info);
}

static void on_readdir(fuse_req_t fuse, fuse_ino_t ino, size_t size, off_t offset,
                       struct fuse_file_info *info)
{
    struct sim_fs *fs = fs_of(fuse);
    const struct sim_node *folder = &fs->tree.nodes[node_of(ino)];
    char *text = dls_alloc(DLS_MEM_TOOL, size);
    size_t used = 0;

    if (!text) {
        fuse_reply_err(fuse, ENOMEM);
        return;
    }
    for (; offset < (off_t)folder->children + 2; offset++) {
        uint32_t child = folder->first_child + (uint32_t)(offset - 2);
        const char *name = offset == 0 ? "." : offset == 1 ? ".." : fs->tree.nodes[child].name;
        struct stat st = offset < 2 ? folder->st : fs->tree.nodes[child].st;
        st.st_ino = offset == 0 ? ino : offset == 1 ? folder->parent + FUSE_ROOT_ID : child + FUSE_ROOT_ID;
        size_t n = fuse_add_direntry(fuse, text + used, size - used, name, &st, offset + 1);
        if (n > size - used)
            break;
        used += n;
    }
    fuse_reply_buf(fuse, text, used);
    dls_free(text);
}

static void on_statfs(fuse_req_t fuse, fuse_ino_t ino)
{
    const struct sim_fs *fs = fs_of(fuse);
    struct statvfs st = {.f_bsize = 4096,
                         .f_frsize = 4096,
                         .f_blocks = (fsblkcnt_t)(fs->profile->capacity / 4096),
                         .f_files = fs->tree.count,
                         .f_namemax = NAME_MAX,
                         .f_flag = ST_RDONLY};

    fuse_reply_statfs(fuse, &st);
}

const struct fuse_lowlevel_ops sim_fs_ops = {
    .init = on_init,
    .lookup = on_lookup,
    .getattr = on_getattr,
    .readlink = on_readlink,
    .open = on_open,
    .release = on_release,
    .read = on_read,
    .opendir = on_opendir,
    .readdir = on_readdir,
    .statfs = on_statfs,
};

void sim_fs_prepare(struct sim_fs *fs, struct sim_question *question)
{
    if (question->ask != SIM_ASK_READ || fs->data_of == question)
        return;
    ssize_t n = pread(question->fd, fs->data, question->length, question->offset);
    fs->data_length = n < 0 ? -errno : n;
    fs->data_of = question;
}

void sim_fs_answer(struct sim_fs *fs, struct sim_question *question)
{
    struct fuse_entry_param entry;

    sim_model_finish(fs->model);
    sim_fs_prepare(fs, question);
    if (question->ask == SIM_ASK_ENTRY) {
        make_entry(fs, question->node, &entry);
        fuse_reply_entry(question->fuse, &entry);
    } else if (question->ask == SIM_ASK_OPENDIR) {
        fuse_reply_open(question->fuse, &question->info);
    } else if (fs->data_length < 0) {
        fuse_reply_err(question->fuse, (int)-fs->data_length);
    } else {
        fuse_reply_buf(question->fuse, (const char *)fs->data, (size_t)fs->data_length);
    }
    fs->data_of = NULL;
    question->unused = fs->unused;
    fs->unused = question;
}

int sim_fs_open(struct sim_fs *fs, const char *folder, enum sim_layout layout)
{
    int r = sim_tree_load(folder, fs->profile, layout, &fs->tree);

    if (r == 0)
        r = sim_model_create(fs->profile, &fs->model);
    if (r < 0)
        return r;
    fs->inodes_known = dls_alloc(DLS_MEM_TOOL, (size_t)fs->tree.count + 1);
    fs->folders_known = dls_alloc(DLS_MEM_TOOL, fs->tree.count);
    fs->data = dls_alloc_aligned(DLS_MEM_TOOL, 4096, SIM_READ_MOST);
    return fs->inodes_known && fs->folders_known && fs->data ? 0 : -ENOMEM;
}

void sim_fs_close(struct sim_fs *fs)
{
    while (fs->unused) {
        struct sim_question *question = fs->unused;
        fs->unused = question->unused;
        dls_free(question);
    }
    sim_model_free(&fs->model);
    sim_tree_free(&fs->tree);
    dls_free(fs->inodes_known);
    dls_free(fs->folders_known);
    dls_free(fs->data);
}
