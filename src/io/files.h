/* SPDX-License-Identifier: Apache-2.0 */
/* The files a reader reads: opened on demand, a bounded number at a time, with O_DIRECT where that works.
 * Belongs to the reader's thread. */
#ifndef DLS_IO_FILES_H
#define DLS_IO_FILES_H

#include "io/io.h"

#include <stdbool.h>

struct dls_files;

struct dls_files_config {
    const char *(*path)(void *user, uint32_t file);
    void *path_user;
    uint32_t count; /* files */
    uint32_t slots; /* open at most */
    dls_direct direct;
};

/* Opens file 0 and finds out by a test read into scratch[0, 4096), aligned to 4096, whether O_DIRECT works.
 */
int dls_files_create(const struct dls_files_config *config, uint8_t *scratch, struct dls_files **ret_files);
/* Registers open files with an engine from now on. */
void dls_files_attach(struct dls_files *files, const struct dls_io_ops *ops, struct dls_io *io);
void dls_files_free(struct dls_files **files);

/* Opens `file` unless it is open, and holds it: it stays so until as many dls_files_release(). 1: no room as
 * long as the others are held, try again after a release. A negative errno comes with text. */
int dls_files_hold(struct dls_files *files, uint32_t file, uint32_t *ret_slot);
void dls_files_release(struct dls_files *files, uint32_t slot);

int dls_files_fd(const struct dls_files *files, uint32_t slot);
/* The slot's number for the engine, or -1 if the engine did not take the file. */
int dls_files_engine_slot(const struct dls_files *files, uint32_t slot);
bool dls_files_direct(const struct dls_files *files, uint32_t slot);
/* After a direct read was refused: reads of this file go through the page cache from now on. False if
 * O_DIRECT was demanded. */
bool dls_files_make_buffered(struct dls_files *files, uint32_t slot);

/* "O_DIRECT", "buffered (…)": how file 0 is read. */
const char *dls_files_detail(const struct dls_files *files);

#endif
