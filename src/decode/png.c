/* SPDX-License-Identifier: Apache-2.0 */
/* PNG by libspng: it gives the samples, the conversion to RGB is Pillow's. */
#include "decode/codec.h"

#include "base/err.h"
#include "base/mem.h"
#include "decode/png_chunks.h"
#include "decode/png_convert.h"

#include <inttypes.h>
#include <string.h>

#include <spng.h>

/* Text and profile chunks larger than this are not worth inflating. */
#define CHUNK_MAX (64u << 20)

struct png {
    struct dls_scratch *scratch;
    struct dls_arena arena;
};

/* libspng's allocation functions carry no pointer of ours, so the arena of the call in progress is the
 * thread's. */
static _Thread_local struct dls_arena *current;

static void *lib_malloc(size_t size)
{
    return dls_arena_alloc(current, size);
}

static void *lib_realloc(void *block, size_t size)
{
    return dls_arena_realloc(current, block, size);
}

static void *lib_calloc(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? NULL : dls_arena_alloc(current, count * size);
}

static void lib_free(void *block)
{
    (void)block; /* the arena takes all back at once */
}

static int png_create(struct dls_scratch *scratch, void **ret_state)
{
    struct png *png = dls_alloc(DLS_MEM_DECODE, sizeof(*png));
    if (png == NULL)
        return -ENOMEM;
    png->scratch = scratch;
    *ret_state = png;
    return 0;
}

static void png_destroy(void *state)
{
    struct png *png = state;
    dls_arena_free(&png->arena);
    dls_free(png);
}

static int png_header(void *state, const uint8_t *data, size_t length, const struct dls_picture *hint,
                      struct dls_picture *ret_picture)
{
    static const uint8_t channels[] = {1, 0, 3, 3, 2, 0, 4};
    struct png *png = state;
    struct dls_png_facts facts;
    (void)hint;
    dls_arena_reset(&png->arena);
    int r = dls_png_walk(data, length, &png->arena, &facts);
    if (r < 0)
        return r;
    if (dls_png_converter(facts.colour, facts.depth) == NULL)
        return dls_err(EBADMSG, "png: colour type %u with %u bits does not exist", facts.colour, facts.depth);
    ret_picture->width = facts.width;
    ret_picture->height = facts.height;
    ret_picture->channels = channels[facts.colour];
    ret_picture->bits = facts.depth;
    ret_picture->orientation = dls_side_orientation(&facts.side);
    ret_picture->animated = facts.animated;
    ret_picture->has_alpha = facts.has_trns || facts.colour >= 4;
    return 0;
}

static int lib_error(int code, const char *what)
{
    int error = EBADMSG;
    if (code == SPNG_EMEM)
        error = ENOMEM;
    if (code == SPNG_EOF || code == SPNG_IO_EOF)
        return dls_err(error, "png: the file is cut off within its %s", what);
    return dls_err(error, "png: %s: %s", what, spng_strerror(code));
}

/* Colours that the palette does not state are black, as in Pillow. */
static int read_palette(spng_ctx *context, uint8_t palette[768])
{
    struct spng_plte plte;
    int code = spng_get_plte(context, &plte);
    if (code != 0)
        return lib_error(code, "palette");
    for (uint32_t i = 0; i < plte.n_entries && i < 256; i++) {
        palette[3 * i] = plte.entries[i].red;
        palette[3 * i + 1] = plte.entries[i].green;
        palette[3 * i + 2] = plte.entries[i].blue;
    }
    return 0;
}

struct job {
    spng_ctx *context;
    struct spng_ihdr header;
    dls_png_convert *convert;
    uint8_t palette[768];
    const struct dls_box *box;
    const struct dls_pixels *pixels;
    size_t row_bytes;
};

static void convert_row(const struct job *job, const uint8_t *row, uint32_t y)
{
    job->convert(row, job->box->x, job->box->width, job->palette,
                 job->pixels->data + (y - job->box->y) * job->pixels->stride);
}

/* Row after row, up to the last one that is needed. trust: take image data whose checksum is wrong. */
static int decode_rows(struct png *png, struct job *job, bool trust)
{
    bool interlaced = job->header.interlace_method != 0;
    size_t rows = interlaced ? job->header.height : 1;
    if (job->row_bytes > SIZE_MAX / 2 / rows)
        return SPNG_EOVERFLOW;
    uint8_t *memory = dls_scratch_get(png->scratch, rows * job->row_bytes);
    if (memory == NULL)
        return -ENOMEM;
    /* libspng puts samples of less than a byte into their places by an OR. */
    if (interlaced && job->header.bit_depth < 8)
        memset(memory, 0, rows * job->row_bytes);
    int code = spng_decode_image(job->context, NULL, 0, SPNG_FMT_PNG, SPNG_DECODE_PROGRESSIVE);
    /* Only now, so that the checksum within the compressed data still counts. */
    if (trust)
        spng_set_crc_action(job->context, SPNG_CRC_USE, SPNG_CRC_USE);
    uint32_t bottom = job->box->y + job->box->height;
    if (!interlaced) {
        for (uint32_t y = 0; code == 0 && y < bottom; y++) {
            code = spng_decode_row(job->context, memory, job->row_bytes);
            if ((code == 0 || code == SPNG_EOI) && y >= job->box->y)
                convert_row(job, memory, y);
        }
        return code == SPNG_EOI ? 0 : code;
    }
    /* The rows of an interlaced picture are complete only at the end. */
    while (code == 0) {
        struct spng_row_info info;
        code = spng_get_row_info(job->context, &info);
        if (code == 0)
            code = spng_decode_row(job->context, memory + info.row_num * job->row_bytes, job->row_bytes);
    }
    for (uint32_t y = job->box->y; code == SPNG_EOI && y < bottom; y++)
        convert_row(job, memory + y * job->row_bytes, y);
    return code == SPNG_EOI ? 0 : code;
}

/* Returns libspng's code, or -ENOMEM or -EBADMSG with text. */
static int try_decode(struct png *png, const struct dls_picture *picture, const uint8_t *data, size_t length,
                      bool trust, struct job *job)
{
    struct spng_alloc alloc = {lib_malloc, lib_realloc, lib_calloc, lib_free};
    size_t size = 0;
    dls_arena_reset(&png->arena);
    job->context = spng_ctx_new2(&alloc, 0);
    if (job->context == NULL)
        return SPNG_EMEM;
    spng_set_chunk_limits(job->context, CHUNK_MAX, CHUNK_MAX);
    spng_set_crc_action(job->context, SPNG_CRC_ERROR, SPNG_CRC_DISCARD);
    int code = spng_set_png_buffer(job->context, data, length);
    if (code == 0)
        code = spng_get_ihdr(job->context, &job->header);
    if (code != 0)
        return code;
    if (job->header.width != picture->width || job->header.height != picture->height)
        return dls_err(EBADMSG, "png: the picture is %" PRIu32 " × %" PRIu32 ", not %" PRIu32 " × %" PRIu32,
                       job->header.width, job->header.height, picture->width, picture->height);
    job->convert = dls_png_converter(job->header.color_type, job->header.bit_depth);
    if (job->convert == NULL)
        return SPNG_ECOLOR_TYPE;
    if (job->header.color_type == SPNG_COLOR_TYPE_INDEXED) {
        int r = read_palette(job->context, job->palette);
        if (r < 0)
            return r;
        for (size_t i = 0; picture->indexes && i < sizeof(job->palette); i++)
            job->palette[i] = (uint8_t)(i / 3);
    }
    code = spng_decoded_image_size(job->context, SPNG_FMT_PNG, &size);
    if (code != 0)
        return code;
    job->row_bytes = size / job->header.height;
    return decode_rows(png, job, trust);
}

static int png_rgb(void *state, const struct dls_picture *picture, const uint8_t *data, size_t length,
                   const struct dls_box *box, const struct dls_pixels *pixels, struct dls_decode_notes *notes)
{
    struct png *png = state;
    struct job job = {.box = box, .pixels = pixels};
    struct dls_png_facts facts;
    dls_arena_reset(&png->arena);
    int r = dls_png_walk(data, length, &png->arena, &facts);
    if (r < 0)
        return r;
    current = &png->arena;
    int code = try_decode(png, picture, data, length, false, &job);
    spng_ctx_free(job.context);
    /* The chunks before the image have passed; like Pillow we do not let the image's own checksum stop us. */
    if (code == SPNG_ECHUNK_CRC) {
        dls_notes_warn(notes, "wrong checksum of the image data");
        code = try_decode(png, picture, data, length, true, &job);
        spng_ctx_free(job.context);
    }
    notes->codec_allocations = png->arena.calls;
    notes->trailing = length - facts.end;
    dls_arena_reset(&png->arena);
    if (code == -ENOMEM || code == -EBADMSG)
        return code;
    return code != 0 ? lib_error(code, "image data") : 0;
}

const struct dls_codec_ops dls_codec_png = {
    .name = "png", .create = png_create, .destroy = png_destroy, .header = png_header, .rgb = png_rgb};
