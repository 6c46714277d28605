/* SPDX-License-Identifier: Apache-2.0 */
/* The engine vtable: something that carries out reads. The thread that first calls submit() or wait() is the
 * engine's: it alone may call anything from then on, except wake(). Another one may open() before, and
 * close() once nothing is in flight; but memory that the engine has locked is free again at once only when
 * its own thread closes it. */
#ifndef DLS_IO_IO_H
#define DLS_IO_IO_H

#include <dlshards/loader.h>
#include <stdbool.h>
#include <stdint.h>

struct dls_io; /* an engine's own object, starts with `const struct dls_io_ops *ops` */

/* Memory is registered in pieces of this many bytes, counted from its start. A read that crosses from one to
 * the next works, but not as a fixed one. */
#define DLS_IO_CHUNK (1ull << 30)
#define DLS_IO_DETAIL 256

/* One read. Owned by the submitter, who keeps it and the memory until it comes back from wait(). */
struct dls_io_request {
    int fd;          /* an open file */
    int slot;        /* its place among the engine's registered files, or -1 */
    bool buffered;   /* goes through the page cache: may block while it starts */
    uint8_t *buffer; /* in the registered memory or anywhere */
    uint32_t length;
    uint64_t offset;
    void *user;
    int64_t result; /* bytes read (may be short; 0 at end of file) or a negative errno */
    uint64_t submitted_ns, completed_ns;
    struct dls_io_request *next; /* list link: the submitter's before, the engine's after submit() */
};

struct dls_io_config {
    uint32_t depth;  /* requests in flight at most */
    uint32_t files;  /* slots for registered files */
    uint8_t *memory; /* all reads go here: register it if that is allowed */
    uint64_t memory_bytes;
    int test_fd;  /* an open file: open() tries a real read of its first page into `memory`; -1: no try */
    char *detail; /* filled at open: what is in use and why nothing better, or why open() failed; room for
                     DLS_IO_DETAIL bytes */
};

struct dls_io_ops {
    const char *name;
    int (*open)(const struct dls_io_config *config, struct dls_io **ret_io);
    /* Puts fd in a slot (-1 empties it). Engines without registered files do nothing. */
    int (*set_file)(struct dls_io *io, int slot, int fd);
    /* Takes every request of the list, at most `depth` minus those in flight. The next wait() may be what
     * starts them, so that starting some and waiting for others is one system call. 0 or a negative errno,
     * which takes none. */
    int (*submit)(struct dls_io *io, struct dls_io_request *list);
    /* Waits until a request is done, wake() is called or timeout_ns is over (< 0: for ever). *ret_done: list
     * of the finished ones in order of completion, or NULL. */
    int (*wait)(struct dls_io *io, int64_t timeout_ns, struct dls_io_request **ret_done);
    /* Makes a running or the next wait() return. Any thread. */
    void (*wake)(struct dls_io *io);
    /* Waits for what is in flight, then frees everything. Sets *io to NULL. */
    void (*close)(struct dls_io **io);
};

extern const struct dls_io_ops dls_io_uring; /* -ENOTSUP from open where it is missing or forbidden */
extern const struct dls_io_ops dls_io_pread;

#endif
