/* SPDX-License-Identifier: Apache-2.0 */
/* A Huffman decoder in the place of libjpeg's, for JPEGs without damage: it takes the place of the module's decode_mcu
 * function, all else stays libjpeg's. */
#ifndef DLS_DECODE_JPEG_HUFF_H
#define DLS_DECODE_JPEG_HUFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dls_jpeg;

#define DLS_HUFF_BITS 10 /* of the data that choose an entry of a table */

/* What the next bits say. */
struct dls_huff_entry {
    int16_t value;  /* of the coefficient, or how many bits of it follow */
    uint8_t run;    /* zeros before it */
    uint8_t length; /* bits it takes; DLS_HUFF_OPEN is set: of the code alone; 0: the code is longer than that */
};
#define DLS_HUFF_OPEN 0x80u
#define DLS_HUFF_END 128u /* run: the block has no more */

/* For blocks that are passed over: as many symbols as the bits show. */
struct dls_huff_leap {
    uint8_t step;   /* coefficients they stand for */
    uint8_t length; /* bits they take; 0: take one symbol by its entry */
    uint8_t ends;   /* the last of them ends the block */
};

/* For blocks that are kept: up to two coefficients at once, and the block's end behind them. */
struct dls_huff_pair {
    uint8_t length; /* bits they take; DLS_HUFF_OPEN is set: the block ends; 0: take one symbol by its entry */
    uint8_t step;   /* coefficients they stand for */
    struct {
        uint8_t run, at, size; /* zeros before the value, where its bits begin, how many they are */
    } values[2];               /* those that there are not have all 0 */
};

struct dls_huff_table {
    bool filled;
    uint8_t bits[17], values[256]; /* as the file has them */
    int32_t limit[18];             /* the largest code of each length, -1 if there is none */
    int32_t first[17];             /* index of its first value, less its first code */
    struct dls_huff_entry entries[1 << DLS_HUFF_BITS];
    struct dls_huff_pair pairs[1 << DLS_HUFF_BITS]; /* of AC tables, as are */
    struct dls_huff_leap leaps[1 << DLS_HUFF_BITS]; /* of AC tables */
};

/* Tables are kept from picture to picture: most have the same ones. */
struct dls_huff {
    struct dls_huff_table dc[4], ac[4];
    const uint8_t *at, *end; /* of the data */
    uint64_t buffer;         /* its next bits, from the top */
    int bits;                /* how many */
    int made_up;             /* of these, the last, that stand for missing ones */
    int last_dc[4];
    uint32_t column;         /* of the next unit */
    uint64_t left;           /* units to the end */
    uint32_t restart_left;
    unsigned restart_next;
};

/* Called once jpeg_start_decompress() has been: has the rest of the picture decoded by this decoder, if it is of the kind.
 * When the data is not as it should be, jumps to jpeg->escape with jpeg->irregular set: the picture is then libjpeg's alone,
 * which has ways with damage. */
void dls_huff_take_over(struct dls_jpeg *jpeg);

#endif
