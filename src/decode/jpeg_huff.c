/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/jpeg_huff.h"

#include "decode/jpeg_lib.h"

#include <string.h>

#include <jpegint.h>

#define INLINE __attribute__((always_inline)) static inline

/* Zigzag to rows, and behind it places for runs that lead beyond a block's end. */
static const uint8_t places[64 + 32] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
};

static struct dls_jpeg *self(j_decompress_ptr cinfo)
{
    return cinfo->client_data;
}

static _Noreturn void give_up(struct dls_jpeg *jpeg)
{
    jpeg->irregular = true;
    longjmp(jpeg->escape, 1);
}

/* A number of `size` bits as JPEG codes it: those that begin with 0 are negative. */
static inline int extend(uint32_t bits, unsigned size)
{
    return bits >> (size - 1) ? (int)bits : (int)bits - (int)(1u << size) + 1;
}

/* The entry for the bits `index`, of which the first `length` are the code of `symbol`. */
static struct dls_huff_entry make_entry(unsigned index, unsigned length, uint8_t symbol, bool dc)
{
    unsigned size = dc ? symbol : symbol & 15, run = dc ? 0 : symbol >> 4;
    struct dls_huff_entry entry = {.run = (uint8_t)run, .length = (uint8_t)length};
    if (size == 0) {
        if (!dc && run != 15)
            entry.run = DLS_HUFF_END;
    } else if (length + size <= DLS_HUFF_BITS) {
        entry.value =
            (int16_t)extend(index >> (DLS_HUFF_BITS - length - size) & ((1u << size) - 1), size);
        entry.length = (uint8_t)(length + size);
    } else {
        entry.value = (int16_t)size;
        entry.length = (uint8_t)(length | DLS_HUFF_OPEN);
    }
    return entry;
}

/* The symbol that bits begin with. */
struct symbol {
    uint8_t code, size, run; /* bits of the code, 0 if it is longer than those of an index; bits of the value */
};

/* The symbol that begins `at` bits into the `index`. False if its code cannot be seen whole there. */
INLINE bool find_symbol(const struct symbol *symbols, unsigned index, unsigned at, struct symbol *ret_symbol)
{
    *ret_symbol = symbols[index << at & ((1u << DLS_HUFF_BITS) - 1)];
    return ret_symbol->code != 0 && ret_symbol->code <= DLS_HUFF_BITS - at;
}

static struct dls_huff_leap make_leap(const struct symbol *symbols, unsigned index)
{
    struct dls_huff_leap leap = {0};
    struct symbol symbol;
    while (leap.length < DLS_HUFF_BITS && leap.step < 48 && find_symbol(symbols, index, leap.length, &symbol)) {
        leap.length = (uint8_t)(leap.length + symbol.code + symbol.size);
        if (symbol.run == DLS_HUFF_END) {
            leap.ends = 1;
            break;
        }
        leap.step = (uint8_t)(leap.step + symbol.run + 1);
    }
    return leap;
}

static struct dls_huff_pair make_pair(const struct symbol *symbols, unsigned index)
{
    struct dls_huff_pair pair = {0};
    struct symbol symbol;
    for (unsigned i = 0; pair.length < DLS_HUFF_BITS && find_symbol(symbols, index, pair.length, &symbol); i++) {
        if (symbol.run == DLS_HUFF_END) {
            pair.length = (uint8_t)((pair.length + symbol.code) | DLS_HUFF_OPEN);
            break;
        }
        if (i == 2)
            break;
        pair.values[i].run = (uint8_t)symbol.run;
        pair.values[i].at = (uint8_t)(pair.length + symbol.code);
        pair.values[i].size = (uint8_t)symbol.size;
        pair.length = (uint8_t)(pair.length + symbol.code + symbol.size);
        pair.step = (uint8_t)(pair.step + symbol.run + 1);
    }
    return pair;
}

/* libjpeg has checked that the codes are a tree, and that sizes of DC values are 15 at most. */
static void fill_table(struct dls_huff_table *table, const JHUFF_TBL *source, bool dc)
{
    struct symbol symbols[1 << DLS_HUFF_BITS] = {{0}};
    unsigned next = 0, code = 0;
    if (table->filled && memcmp(table->bits, source->bits, sizeof(table->bits)) == 0 &&
        memcmp(table->values, source->huffval, sizeof(table->values)) == 0)
        return;
    memcpy(table->bits, source->bits, sizeof(table->bits));
    memcpy(table->values, source->huffval, sizeof(table->values));
    memset(table->entries, 0, sizeof(table->entries));
    table->bits[0] = source->bits[0];
    for (unsigned length = 1; length <= 16; length++, code <<= 1) {
        table->first[length] = (int32_t)next - (int32_t)code;
        for (unsigned i = 0; i < table->bits[length] && next < 256; i++, next++, code++) {
            if (length > DLS_HUFF_BITS)
                continue;
            const uint8_t value = table->values[next], run = value >> 4;
            const struct symbol symbol = {(uint8_t)length, value & 15,
                                          (value & 15) == 0 && run != 15 ? DLS_HUFF_END : run};
            unsigned rest = DLS_HUFF_BITS - length, index = code << rest;
            for (unsigned k = 0; k < 1u << rest && index + k < 1u << DLS_HUFF_BITS; k++) {
                table->entries[index + k] = make_entry(index + k, length, value, dc);
                symbols[index + k] = symbol;
            }
        }
        table->limit[length] = table->bits[length] > 0 ? (int32_t)code - 1 : -1;
    }
    for (unsigned index = 0; !dc && index < 1u << DLS_HUFF_BITS; index++) {
        table->leaps[index] = make_leap(symbols, index);
        table->pairs[index] = make_pair(symbols, index);
    }
    table->filled = true;
}

INLINE uint64_t load_big_endian(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* The state, in registers while a unit is decoded. */
struct reader {
    const uint8_t *at, *end;
    uint64_t buffer;
    int bits, made_up;
};

/* Byte by byte, for the neighbourhood of 0xff: a 0 behind it is no data, anything else is a marker, before which zeros are
 * made up. */
static __attribute__((noinline)) struct reader refill_slowly(struct reader reader)
{
    while (reader.bits <= 56) {
        uint64_t byte = 0;
        if (reader.at >= reader.end ||
            (*reader.at == 0xff && (reader.end - reader.at < 2 || reader.at[1] != 0))) {
            reader.made_up += 8;
        } else {
            byte = *reader.at;
            reader.at += byte == 0xff ? 2 : 1;
        }
        reader.buffer |= byte << (56 - reader.bits);
        reader.bits += 8;
    }
    return reader;
}

/* 56 bits at least. */
INLINE void refill(struct reader *reader)
{
    if (reader->end - reader->at >= 8) {
        const uint64_t ones = UINT64_C(0x0101010101010101);
        uint64_t next = load_big_endian(reader->at), inverse = ~next;
        if (((inverse - ones) & next & (ones << 7)) == 0) { /* none of the bytes is 0xff */
            reader->buffer |= next >> reader->bits;
            reader->at += (63 - reader->bits) >> 3;
            reader->bits |= 56;
            return;
        }
    }
    *reader = refill_slowly(*reader);
}

INLINE void drop(struct reader *reader, unsigned count)
{
    reader->buffer <<= count;
    reader->bits -= (int)count;
}

INLINE uint32_t take(struct reader *reader, unsigned count)
{
    uint32_t value = (uint32_t)(reader->buffer >> (64 - count));
    drop(reader, count);
    return value;
}

/* The symbol of a code that is longer than a table's index; -1 if there is none. */
static __attribute__((noinline)) int long_code(uint64_t buffer, const struct dls_huff_table *table, unsigned *ret_length)
{
    for (unsigned length = DLS_HUFF_BITS + 1; length <= 16; length++) {
        int32_t code = (int32_t)(buffer >> (64 - length));
        if (table->limit[length] >= 0 && code <= table->limit[length]) {
            int32_t index = code + table->first[length];
            *ret_length = length;
            return index >= 0 && index < 256 ? table->values[index] : -1;
        }
    }
    return -1;
}

/* What an entry leaves open: *run and the value. False if there is no such code. */
INLINE bool finish_entry(struct reader *reader, const struct dls_huff_table *table, bool dc,
                                struct dls_huff_entry entry, unsigned *ret_run, int *ret_value)
{
    unsigned size = (unsigned)entry.value, run = entry.run;
    if (entry.length != 0) {
        drop(reader, entry.length & ~DLS_HUFF_OPEN);
    } else {
        unsigned length;
        int symbol = long_code(reader->buffer, table, &length);
        if (symbol < 0)
            return false;
        drop(reader, length);
        size = dc ? (unsigned)symbol : (unsigned)symbol & 15;
        run = dc ? 0 : (unsigned)symbol >> 4;
        if (!dc && size == 0 && run != 15)
            run = DLS_HUFF_END;
    }
    *ret_run = run;
    *ret_value = size > 0 ? extend(take(reader, size), size) : 0;
    return true;
}

INLINE bool decode_dc(struct reader *reader, const struct dls_huff_table *table, int *ret_difference)
{
    unsigned run;
    if (reader->bits < 32)
        refill(reader);
    struct dls_huff_entry entry = table->entries[reader->buffer >> (64 - DLS_HUFF_BITS)];
    if (entry.length - 1u < DLS_HUFF_OPEN - 1) {
        drop(reader, entry.length);
        *ret_difference = entry.value;
        return true;
    }
    return finish_entry(reader, table, true, entry, &run, ret_difference);
}

/* What one lookup did. */
enum outcome { MORE, ENDED, WRONG };

/* One symbol by its entry. block NULL: it is passed over. */
INLINE enum outcome take_symbol(struct reader *reader, const struct dls_huff_table *table, unsigned index, unsigned *k,
                                JCOEF *block)
{
    struct dls_huff_entry entry = table->entries[index];
    unsigned run = entry.run;
    int value = entry.value;
    if (entry.length - 1u < DLS_HUFF_OPEN - 1)
        drop(reader, entry.length);
    else if (!finish_entry(reader, table, false, entry, &run, &value))
        return WRONG;
    *k += run;
    if (*k > 63)
        return *k >= DLS_HUFF_END ? ENDED : WRONG;
    if (block != NULL)
        block[places[*k]] = (JCOEF)value;
    return ++*k == 64 ? ENDED : MORE;
}

INLINE enum outcome leap(struct reader *reader, const struct dls_huff_table *table, unsigned *k)
{
    unsigned index = (unsigned)(reader->buffer >> (64 - DLS_HUFF_BITS));
    struct dls_huff_leap leap = table->leaps[index];
    /* The last symbols of a block that is full stand alone: what follows is the next block's. */
    if (leap.length == 0 || *k + leap.step > 64u - leap.ends)
        return take_symbol(reader, table, index, k, NULL);
    drop(reader, leap.length);
    *k += leap.step;
    return leap.ends || *k == 64 ? ENDED : MORE;
}

/* Without keeping anything. False if the data is not as it should be. A lookup takes 31 bits at most, but hardly ever more
 * than 16: so two for each refill, as whether one is due would be hard to foretell. */
INLINE bool pass_ac(struct reader *reader, const struct dls_huff_table *table)
{
    unsigned k = 1;
    for (;;) {
        if (reader->bits < 50)
            refill(reader);
        enum outcome outcome = leap(reader, table, &k);
        if (outcome == MORE && reader->bits >= 32)
            outcome = leap(reader, table, &k);
        if (outcome != MORE)
            return outcome == ENDED;
    }
}

/* As extend(), of the first `size` bits, without a branch; 0 if there are none. */
INLINE int value_of(uint64_t buffer, unsigned size)
{
    int bits = (int)(buffer >> 1 >> (63 - size)), negative = (int)~((int64_t)buffer >> 63);
    return bits + (negative & (1 - (1 << size)));
}

INLINE enum outcome take_pair(struct reader *reader, const struct dls_huff_table *table, unsigned *k, JCOEF *block)
{
    unsigned index = (unsigned)(reader->buffer >> (64 - DLS_HUFF_BITS));
    const struct dls_huff_pair *pair = &table->pairs[index];
    const unsigned ends = pair->length / DLS_HUFF_OPEN;
    /* As in leap(): what follows the last coefficient of a block that is full is not this block's. */
    if (pair->length == 0 || *k + pair->step > 64u - ends)
        return take_symbol(reader, table, index, k, block);
    unsigned first = *k + pair->values[0].run, second = first + 1 + pair->values[1].run;
    /* The second first: where there is none, it is a 0 behind all that is there, or under the first. */
    block[places[second]] = (JCOEF)value_of(reader->buffer << pair->values[1].at, pair->values[1].size);
    block[places[first]] = (JCOEF)value_of(reader->buffer << pair->values[0].at, pair->values[0].size);
    drop(reader, pair->length & ~DLS_HUFF_OPEN);
    *k += pair->step;
    return ends || *k == 64 ? ENDED : MORE;
}

/* False if the data is not as it should be. */
INLINE bool decode_ac(struct reader *reader, const struct dls_huff_table *table, JCOEF *block)
{
    unsigned k = 1;
    for (;;) {
        if (reader->bits < 50)
            refill(reader);
        enum outcome outcome = take_pair(reader, table, &k, block);
        if (outcome == MORE && reader->bits >= 32)
            outcome = take_pair(reader, table, &k, block);
        if (outcome != MORE)
            return outcome == ENDED;
    }
}

/* The marker must stand where the data ends, with less than a byte left of that. */
static void pass_restart(struct dls_jpeg *jpeg, struct dls_huff *huff)
{
    if (huff->bits - huff->made_up >= 8 || huff->end - huff->at < 2 || huff->at[0] != 0xff ||
        huff->at[1] != JPEG_RST0 + huff->restart_next)
        give_up(jpeg);
    huff->at += 2;
    huff->restart_next = (huff->restart_next + 1) % 8;
    huff->restart_left = jpeg->cinfo.restart_interval;
    huff->buffer = 0;
    huff->bits = huff->made_up = 0;
    memset(huff->last_dc, 0, sizeof(huff->last_dc));
}

INLINE bool decode_block(struct dls_huff *huff, struct reader *reader, const jpeg_component_info *component,
                         int index, JCOEF *block)
{
    int difference;
    if (!decode_dc(reader, &huff->dc[component->dc_tbl_no], &difference))
        return false;
    huff->last_dc[index] += difference;
    if (huff->last_dc[index] != (JCOEF)huff->last_dc[index])
        return false;
    if (block == NULL)
        return pass_ac(reader, &huff->ac[component->ac_tbl_no]);
    block[0] = (JCOEF)huff->last_dc[index];
    if (component->DCT_scaled_size == 1)
        return pass_ac(reader, &huff->ac[component->ac_tbl_no]);
    return decode_ac(reader, &huff->ac[component->ac_tbl_no], block);
}

/* Where libjpeg goes on, with the markers. */
static void hand_back(struct dls_jpeg *jpeg, const struct dls_huff *huff)
{
    jpeg->source.next_input_byte = huff->at;
    jpeg->source.bytes_in_buffer = (size_t)(huff->end - huff->at);
}

/* libjpeg's decode_mcu: one unit; blocks NULL: it is not needed. */
INLINE boolean decode_unit(j_decompress_ptr cinfo, JBLOCKROW *blocks)
{
    struct dls_jpeg *jpeg = self(cinfo);
    struct dls_huff *huff = &jpeg->huff;
    if (huff->left == 0)
        give_up(jpeg);
    if (cinfo->restart_interval != 0) {
        if (huff->restart_left == 0)
            pass_restart(jpeg, huff);
        huff->restart_left--;
    }
    /* libjpeg makes no pixels of units outside of the columns that are wanted. */
    if (huff->column < cinfo->master->first_iMCU_col || huff->column > cinfo->master->last_iMCU_col)
        blocks = NULL;
    if (++huff->column == cinfo->MCUs_per_row)
        huff->column = 0;
    struct reader reader = {huff->at, huff->end, huff->buffer, huff->bits, huff->made_up};
    for (int i = 0; i < cinfo->blocks_in_MCU; i++) {
        int index = cinfo->MCU_membership[i];
        if (!decode_block(huff, &reader, cinfo->cur_comp_info[index], index, blocks != NULL ? *blocks[i] : NULL))
            give_up(jpeg);
    }
    if (reader.bits < reader.made_up) /* bits were used that are not there */
        give_up(jpeg);
    huff->at = reader.at;
    huff->buffer = reader.buffer;
    huff->bits = reader.bits;
    huff->made_up = reader.made_up;
    if (--huff->left == 0)
        hand_back(jpeg, huff);
    return TRUE;
}

static boolean decode_mcu(j_decompress_ptr cinfo, JBLOCKROW *blocks)
{
    return decode_unit(cinfo, blocks);
}

#if defined(__x86_64__)
/* Shifts by a variable number of bits, of which all this consists, have better instructions there. */
__attribute__((target("bmi2"))) static boolean decode_mcu_bmi2(j_decompress_ptr cinfo, JBLOCKROW *blocks)
{
    return decode_unit(cinfo, blocks);
}

static bool have_bmi2(void)
{
    return __builtin_cpu_supports("bmi2");
}
#else
#define decode_mcu_bmi2 decode_mcu
static bool have_bmi2(void)
{
    return false;
}
#endif

void dls_huff_take_over(struct dls_jpeg *jpeg)
{
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    struct dls_huff *huff = &jpeg->huff;
    if (cinfo->progressive_mode || cinfo->arith_code || cinfo->comps_in_scan != cinfo->num_components ||
        jpeg_has_multiple_scans(cinfo))
        return;
    for (int i = 0; i < cinfo->comps_in_scan; i++) {
        const jpeg_component_info *component = cinfo->cur_comp_info[i];
        fill_table(&huff->dc[component->dc_tbl_no], cinfo->dc_huff_tbl_ptrs[component->dc_tbl_no], true);
        fill_table(&huff->ac[component->ac_tbl_no], cinfo->ac_huff_tbl_ptrs[component->ac_tbl_no], false);
    }
    huff->at = jpeg->source.next_input_byte;
    huff->end = huff->at + jpeg->source.bytes_in_buffer;
    huff->buffer = 0;
    huff->bits = huff->made_up = 0;
    memset(huff->last_dc, 0, sizeof(huff->last_dc));
    huff->column = 0;
    huff->left = (uint64_t)cinfo->MCUs_per_row * cinfo->MCU_rows_in_scan;
    huff->restart_left = cinfo->restart_interval;
    huff->restart_next = (unsigned)jpeg->restart_shift;
    cinfo->entropy->decode_mcu = have_bmi2() ? decode_mcu_bmi2 : decode_mcu;
}
