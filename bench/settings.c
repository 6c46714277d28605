/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

/* Behind the library's own in the list of --engine. */
#define ENGINE_MMAP 3
#define ENGINE_FILES 4

#define AT(member) offsetof(struct bench_options, member)

const struct tool_option bench_run_options[] = {
    {.name = "epochs",
     .letter = 'n',
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(epochs),
     .least = 1,
     .most = UINT32_MAX,
     .preset_note = "3, or endless with --seconds",
     .help = "Read the dataset N times."},
    {.name = "seconds",
     .letter = 's',
     .kind = TOOL_TIME,
     .argument = "TIME",
     .at = AT(seconds_ns),
     .help = "End after this time, if the epochs have not ended before."},
    {.name = "batch",
     .letter = 'b',
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(batch),
     .least = 1,
     .most = 65536,
     .preset_note = "256, or all there are",
     .unit = "pictures",
     .help = "Pictures in a batch."},
    {.name = "size",
     .kind = TOOL_TEXT,
     .argument = "WxH",
     .at = AT(size),
     .preset_note = "224x224",
     .help = "Size of the pictures in a batch; one number makes them square."},
    {.name = "crop",
     .kind = TOOL_CHOICE,
     .argument = "squash|center|random|five|ten|pad",
     .at = AT(crop),
     .preset = "squash",
     .help = "How a picture becomes that size: all of it, the middle of it, RandomResizedCrop, FiveCrop, "
             "TenCrop, or all "
             "of it with a border."},
    {.name = "resize",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(resize),
     .least = 1,
     .most = 16384,
     .preset_note = "none; 8/7 of the size with --crop=five and ten",
     .unit = "pixels",
     .help = "Resize the shorter side to this before --crop=center, five or ten."},
    {.name = "filter",
     .kind = TOOL_CHOICE,
     .argument = "bilinear|bicubic",
     .at = AT(filter),
     .preset = "bilinear",
     .help = "How pixels are made of others in resizing."},
    {.name = "scale",
     .kind = TOOL_TEXT,
     .argument = "LEAST,MOST",
     .at = AT(scale),
     .preset_note = "0.08,1",
     .help = "Share of the picture that --crop=random takes."},
    {.name = "ratio",
     .kind = TOOL_TEXT,
     .argument = "LEAST,MOST",
     .at = AT(ratio),
     .preset_note = "0.75,1.3333",
     .help = "Width by height of what --crop=random takes."},
    {.name = "pad-color",
     .kind = TOOL_TEXT,
     .argument = "R,G,B",
     .at = AT(pad_color),
     .preset_note = "0,0,0",
     .help = "Of the border that --crop=pad makes, 0 to 255 each."},
    {.name = "flip", .kind = TOOL_FLAG, .at = AT(flip), .help = "Mirror half of the pictures at random."},
    {.name = "flip-vertical",
     .kind = TOOL_FLAG,
     .at = AT(flip_vertical),
     .help = "Turn half of the pictures upside down at random."},
    {.name = "jitter",
     .kind = TOOL_TEXT,
     .argument = "B,C,S,H",
     .at = AT(jitter),
     .preset_note = "none",
     .help = "ColorJitter's brightness, contrast, saturation and hue."},
    {.name = "grayscale",
     .kind = TOOL_REAL,
     .argument = "P",
     .at = AT(grayscale),
     .help = "Make pictures grey with this probability, 0 to 1."},
    {.name = "dtype",
     .kind = TOOL_CHOICE,
     .argument = "uint8|float32|float16|bfloat16",
     .at = AT(dtype),
     .preset = "uint8",
     .help = "Numbers in a batch: bytes, or (x / 255 - mean) / std."},
    {.name = "layout",
     .kind = TOOL_CHOICE,
     .argument = "nhwc|nchw",
     .at = AT(layout),
     .preset = "nhwc",
     .help = "Colours of a pixel side by side, or a plane for each colour."},
    {.name = "mean",
     .kind = TOOL_TEXT,
     .argument = "R,G,B",
     .at = AT(mean),
     .preset_note = "0,0,0",
     .help = "Subtracted, in units of the full scale; with a float --dtype."},
    {.name = "std",
     .kind = TOOL_TEXT,
     .argument = "R,G,B",
     .at = AT(std),
     .preset_note = "1,1,1",
     .help = "Divides what is left; with a float --dtype."},
    {.name = "dct-scale",
     .kind = TOOL_CHOICE,
     .argument = "exact|fast",
     .at = AT(dct_scale),
     .preset = "exact",
     .help = "Decode JPEGs in full, or smaller where much smaller images are made of them."},
    {.name = "on-error",
     .kind = TOOL_CHOICE,
     .argument = "fail|skip|substitute",
     .at = AT(on_error),
     .preset = "fail",
     .help = "End at a bad record, leave it out, or put a copy of its neighbour in its place."},
    {.name = "strict", .kind = TOOL_FLAG, .at = AT(strict), .help = "Take a decoder's warnings for errors."},
    {.name = "masks",
     .kind = TOOL_TEXT,
     .argument = "FIELD",
     .at = AT(masks),
     .preset_note = "none",
     .help = "Crop and resize the masks of this field with the pictures."},
    {.name = "boxes",
     .kind = TOOL_TEXT,
     .argument = "FIELD",
     .at = AT(boxes),
     .preset_note = "none",
     .help = "Move the boxes of this field with the pictures."},
    {.name = "ignore-orientation",
     .kind = TOOL_FLAG,
     .at = AT(ignore_orientation),
     .help = "Leave pictures as they are stored, whatever their EXIF data says."},
    {.name = "read-only", .kind = TOOL_FLAG, .at = AT(read_only), .help = "Read and check, decode nothing."},
    {.name = "no-verify", .kind = TOOL_FLAG, .at = AT(no_verify), .help = "Do not check records' checksums."},
    {.name = "consume-ms",
     .kind = TOOL_REAL,
     .argument = "MS",
     .at = AT(consume_ms),
     .help = "Work on each batch for this long before the next is asked for, as a trainer would."},
    {.name = "consume-trace",
     .kind = TOOL_TEXT,
     .argument = "FILE",
     .at = AT(consume_trace),
     .help = "Work on each batch for as long as FILE says: a time in milliseconds a line, over and over."},
    {.name = "rate",
     .kind = TOOL_REAL,
     .argument = "N",
     .at = AT(rate),
     .help = "Ask for N images a second at most."},
    {.name = "ramp",
     .kind = TOOL_TIME,
     .argument = "TIME",
     .at = AT(ramp_ns),
     .help = "Leave this time from the first batch on out of the result."},
    {.name = "status-interval",
     .kind = TOOL_TIME,
     .argument = "TIME",
     .at = AT(interval_ns),
     .least = 1000000,
     .preset = "1s",
     .help = "In the JSON, say apart what happened in each stretch of this length."},
    {.name = "disk",
     .kind = TOOL_TEXT,
     .argument = "PROFILE",
     .at = AT(disk),
     .help = "Read the dataset from an emulated disk, such as hdd-7200: see sim."},
    {.name = "disk-options",
     .kind = TOOL_TEXT,
     .argument = "NAME=VALUE,...",
     .at = AT(disk_options),
     .help = "Change numbers of that disk's profile, e.g. span=150G,extent=8M."},
    {.name = "order",
     .kind = TOOL_CHOICE,
     .argument = "auto|window|none|full",
     .at = AT(order),
     .preset = "auto",
     .help = "Shuffled within windows of blocks, as stored, or a permutation of all records; auto: window."},
    {.name = "window",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(window),
     .least = 1,
     .most = 4096,
     .unit = "blocks",
     .preset_note = "what half the memory holds twice, at most 24",
     .help = "Blocks that are shuffled together."},
    {.name = "tail",
     .kind = TOOL_CHOICE,
     .argument = "drop|pad|exact",
     .at = AT(tail),
     .preset = "drop",
     .help = "What becomes of pictures that do not fill a last batch."},
    {.name = "seed",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(seed),
     .preset_note = "0",
     .help = "Of the order and of the random crops."},
    {.name = "first-epoch",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(first_epoch),
     .preset_note = "0",
     .help = "Number of the first epoch."},
    {.name = "ranks",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(ranks),
     .least = 1,
     .most = 64,
     .preset = "1",
     .unit = "ranks",
     .help = "Run N loaders that share each epoch, as that many training processes would; rates are of all "
             "together."},
    {.name = "world",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(world),
     .least = 1,
     .most = 65536,
     .preset_note = "as the launcher says, else 1",
     .unit = "ranks",
     .help = "Ranks that share the dataset out among them."},
    {.name = "rank",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(rank),
     .preset_note = "0",
     .help = "Which of them this run is; with --world."},
    TOOL_OPTION_THREADS(struct bench_options),
    {.name = "ring",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(ring),
     .least = 2,
     .most = 64,
     .preset_note = "4",
     .unit = "batches",
     .help = "Batch buffers."},
    {.name = "memory",
     .letter = 'm',
     .kind = TOOL_BYTES,
     .argument = "SIZE",
     .at = AT(memory),
     .preset_note = "1 GiB, or a quarter of the machine's memory if that is less",
     .help = "All that the loader may hold."},
    {.name = "engine",
     .kind = TOOL_CHOICE,
     .argument = "auto|uring|pread|mmap|files",
     .at = AT(engine),
     .preset = "auto",
     .help = "What reads the disk; mmap: shards are mapped and copied out of by one thread; files: DATASET "
             "is a folder of pictures, which workers open, read and "
             "decode one by "
             "one, as PyTorch's DataLoader does."},
    {.name = "direct",
     .kind = TOOL_CHOICE,
     .argument = "auto|on|off",
     .at = AT(direct),
     .preset = "auto",
     .help = "Whether reads bypass the page cache; on with --engine=files: each file is dropped from it once "
             "it is read."},
    {.name = "depth",
     .letter = 'd',
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(depth),
     .least = 1,
     .most = 1024,
     .preset_note = "32",
     .unit = "reads",
     .help = "Reads in flight."},
    {.name = "io-size",
     .kind = TOOL_BYTES,
     .argument = "SIZE",
     .at = AT(io_size),
     .least = 4096,
     .most = 64 << 20,
     .multiple = 4096,
     .preset_note = "1M",
     .help = "Longest single read."},
    {.name = "cold",
     .kind = TOOL_FLAG,
     .at = AT(cold),
     .help = "Empty the page cache first: of the dataset's files, and as root of the whole machine."},
    TOOL_OPTION_JSON(struct bench_options),
    {.name = "output-format",
     .kind = TOOL_CHOICE,
     .argument = "text|json|csv",
     .at = AT(format),
     .preset = "text",
     .help = "Text, JSON as with --json, or two lines of comma-separated values: the columns' names and the "
             "values."},
    TOOL_OPTION_PROGRESS(struct bench_options),
    TOOL_OPTION_QUIET(struct bench_options),
    {.name = "verbose",
     .letter = 'v',
     .kind = TOOL_FLAG,
     .at = AT(verbose),
     .help = "Show on stderr what the library chooses and why."},
    {0},
};

/* "224", "320x240". */
static bool parse_size(const char *text, uint32_t *ret_width, uint32_t *ret_height)
{
    char first[16];
    size_t length = strcspn(text, "xX");
    uint64_t width, height;

    if (length >= sizeof(first))
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!tool_parse_count(first, &width) || (text[length] && !tool_parse_count(text + length + 1, &height)))
        return false;
    if (!text[length])
        height = width;
    if (width < 1 || width > 16384 || height < 1 || height > 16384)
        return false;
    *ret_width = (uint32_t)width;
    *ret_height = (uint32_t)height;
    return true;
}

/* `count` numbers with commas between them. */
static bool parse_reals(const char *text, double *ret_values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char one[32];
        size_t length = strcspn(text, ",");
        if (length >= sizeof(one) || (text[length] == ',') != (i + 1 < count))
            return false;
        memcpy(one, text, length);
        one[length] = '\0';
        if (!tool_parse_real(one, &ret_values[i]))
            return false;
        text += length + 1;
    }
    return true;
}

/* The options that are lists of numbers; whether these are in range, the library says. */
static bool parse_lists(const struct tool_call *call, dls_loader_params *params)
{
    const struct bench_options *options = call->config;
    double jitter[4] = {0}, color[3] = {0};
    const struct {
        const char *name, *text, *expected;
        double *values;
        size_t count;
    } lists[] = {
        {"mean", options->mean, "three numbers R,G,B", params->mean, 3},
        {"std", options->std, "three numbers R,G,B", params->std, 3},
        {"jitter", options->jitter, "four numbers B,C,S,H", jitter, 4},
        {"scale", options->scale, "two numbers LEAST,MOST", params->crop_scale, 2},
        {"ratio", options->ratio, "two numbers LEAST,MOST", params->crop_ratio, 2},
        {"pad-color", options->pad_color, "three numbers R,G,B", color, 3},
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (lists[i].text && !parse_reals(lists[i].text, lists[i].values, lists[i].count)) {
            tool_misuse(call, "--%s: '%s' cannot be used: expected %s", lists[i].name, lists[i].text,
                        lists[i].expected);
            return false;
        }
    }
    for (size_t i = 0; i < 3; i++) {
        if (color[i] < 0 || color[i] > 255) {
            tool_misuse(call, "--pad-color: '%s' cannot be used: expected numbers from 0 to 255",
                        options->pad_color);
            return false;
        }
        params->pad_color = params->pad_color << 8 | (uint32_t)color[i];
    }
    params->brightness = jitter[0];
    params->contrast = jitter[1];
    params->saturation = jitter[2];
    params->hue = jitter[3];
    return true;
}

static dls_loader_params params_from(const struct bench_options *options)
{
    dls_loader_params params;

    dls_loader_params_init(&params);
    params.batch_size = (uint32_t)options->batch;
    params.crop = (dls_crop)options->crop;
    params.resize = (uint32_t)options->resize;
    params.filter = (dls_filter)options->filter;
    params.dct_scale = (dls_dct_scale)options->dct_scale;
    params.on_error = (dls_on_error)options->on_error;
    params.strict = options->strict;
    params.mask_field = options->masks;
    params.boxes_field = options->boxes;
    params.flip = options->flip;
    params.flip_vertical = options->flip_vertical;
    params.grayscale = options->grayscale;
    params.dtype = (dls_dtype)options->dtype;
    params.layout = (dls_layout)options->layout;
    params.ignore_orientation = options->ignore_orientation;
    params.no_decode = options->read_only;
    params.no_verify = options->no_verify;
    params.order = (dls_order)options->order;
    params.window_blocks = (uint32_t)options->window;
    params.tail = (dls_tail)options->tail;
    params.seed = options->seed;
    params.world = (uint32_t)options->world;
    params.rank = (uint32_t)options->rank;
    params.first_epoch = options->first_epoch;
    params.epochs = options->epochs ? options->epochs : options->seconds_ns ? 0 : 3;
    params.threads = (uint32_t)options->threads;
    params.ring_batches = (uint32_t)options->ring;
    params.memory_bytes = options->memory;
    params.engine = options->engine >= ENGINE_MMAP ? DLS_ENGINE_AUTO : (dls_engine)options->engine;
    params.direct = (dls_direct)options->direct;
    params.io_depth = (uint32_t)options->depth;
    params.io_bytes = (uint32_t)options->io_size;
    return params;
}

int bench_settings_from(const struct tool_call *call, struct bench_settings *ret_settings)
{
    const struct bench_options *options = call->config;
    struct bench_settings settings = {
        .dataset = call->operands[0],
        .params = params_from(options),
        .seconds = (double)options->seconds_ns / 1e9,
        .files = options->engine == ENGINE_FILES,
        .mmap = options->engine == ENGINE_MMAP,
        .ranks = (uint32_t)options->ranks,
        .interval_ns = options->interval_ns,
        .ramp_seconds = (double)options->ramp_ns / 1e9,
        .consume_ms = options->consume_ms,
        .consume_trace = options->consume_trace,
        .rate = options->rate,
        .disk = options->disk,
        .disk_options = options->disk_options,
        .cold = options->cold,
        .json = options->json || options->format == 1,
        .csv = options->format == 2,
        .quiet = options->quiet,
        .verbose = options->verbose,
        .progress = options->quiet ? TOOL_PROGRESS_NONE : (enum tool_progress_mode)options->progress,
    };

    if (options->size && !parse_size(options->size, &settings.params.width, &settings.params.height))
        return tool_misuse(call, "--size: '%s' cannot be used: expected WxH or one number, each 1 to 16384",
                           options->size);
    if (options->rank > 0 && options->rank >= options->world)
        return tool_misuse(call, "--rank: %" PRIu64 " cannot be used: expected less than --world",
                           options->rank);
    if (!parse_lists(call, &settings.params))
        return TOOL_USAGE;
    if (settings.consume_ms < 0 || settings.consume_ms > 3600e3)
        return tool_misuse(call, "--consume-ms: %g cannot be used: expected 0 to 3600000",
                           settings.consume_ms);
    if (settings.ranks > 1 && (options->world || settings.files))
        return tool_misuse(call, "--ranks cannot be given with %s",
                           options->world ? "--world" : "--engine=files");
    if (settings.rate < 0)
        return tool_misuse(call, "--rate: %g cannot be used: expected 0 or more", settings.rate);
    if (settings.consume_trace && settings.consume_ms > 0)
        return tool_misuse(call, "--consume-trace and --consume-ms cannot both be given");
    if (settings.disk_options && !settings.disk)
        return tool_misuse(call, "--disk-options needs --disk");
    *ret_settings = settings;
    return TOOL_OK;
}
