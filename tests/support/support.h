/* SPDX-License-Identifier: Apache-2.0 */
/* What tests need again and again. Setup that fails ends the process with a message and status 99: no test can go
 * on without it, and none should have to say so. */
#ifndef DLS_TESTS_SUPPORT_H
#define DLS_TESTS_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new empty directory under $TMPDIR or /tmp. It is removed with all that is in it when the process that made it
 * ends normally. The path stays valid until then. */
const char *support_temp_dir(void);
/* Removes a directory and everything below it. */
void support_remove_tree(const char *path);

/* directory/name in malloc()ed memory, freed when the process ends. */
const char *support_path(const char *directory, const char *name);

/* The whole file with a NUL behind it; free() it. */
uint8_t *support_read_file(const char *path, size_t *ret_length);
/* Makes the directories above it, too. */
void support_write_file(const char *path, const void *data, size_t length);

/* Runs argv[0] (searched in PATH) with stdin from /dev/null. Each of ret_out and ret_err may be NULL (then it goes
 * to /dev/null); else free() what it gets. Returns the exit status, 128 + n if signal n ended it. */
int support_run(const char *const argv[], char **ret_out, char **ret_err);

/* How a picture for tests is made. 0 in any member is the default. */
struct support_jpeg {
    unsigned width, height; /* default 64 × 48 */
    int quality;            /* default 90 */
    bool grayscale, progressive;
    bool optimize; /* Huffman tables made for this picture */
    int horizontal, vertical; /* sampling of the luma component, default 2 × 2 (4:2:0) */
    unsigned restart;       /* MCUs between restart markers */
    unsigned orientation;   /* 1–8: an EXIF segment with this value; 0: none */
    uint32_t seed;          /* which picture */
};
/* A smooth gradient with some texture, as a JPEG file in memory; free() it. */
uint8_t *support_make_jpeg(const struct support_jpeg *spec, size_t *ret_length);
/* The pixels it is made of: width × height × 3 bytes RGB; free() it. */
uint8_t *support_make_pixels(unsigned width, unsigned height, uint32_t seed);

#endif
