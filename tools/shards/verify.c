/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "common/emit.h"
#include "common/progress.h"
#include "common/units.h"
#include "shards/commands.h"
#include "common/interrupt.h"
#include "shards/verify_shards.h"

#include <string.h>

struct verify_config {
    uint64_t threads;
    int progress;
    bool decode, quiet, json;
};

static const struct tool_option options[] = {
    {.name = "decode",
     .letter = 'd',
     .kind = TOOL_FLAG,
     .at = offsetof(struct verify_config, decode),
     .help = "Decode every picture, too: finds those that were damaged before they were packed."},
    TOOL_OPTION_THREADS(struct verify_config),
    TOOL_OPTION_JSON(struct verify_config),
    TOOL_OPTION_PROGRESS(struct verify_config),
    TOOL_OPTION_QUIET(struct verify_config),
    {0},
};

/* One run. */
struct verify {
    const struct tool_call *call;
    const struct verify_config *config;
    const struct dls_manifest *manifest;
    struct tool_progress progress;
    struct tool_emit emit;
    uint64_t started;
};

static void emit_fault_json(struct tool_emit *emit, const struct dls_fault *fault)
{
    tool_emit_object(emit, NULL);
    tool_emit_text(emit, "kind", fault->kind);
    tool_emit_name(emit, "file", fault->file, strlen(fault->file));
    tool_emit_count(emit, "shard", fault->shard);
    if (fault->block >= 0)
        tool_emit_int(emit, "block", fault->block);
    if (fault->record >= 0)
        tool_emit_int(emit, "record", fault->record);
    if (fault->key)
        tool_emit_name(emit, "key", fault->key, fault->key_length);
    if (fault->offset >= 0)
        tool_emit_int(emit, "offset", fault->offset);
    tool_emit_text(emit, "message", fault->text);
    tool_emit_close(emit);
}

/* "FILE: block 1, record 2, key 'K', offset 3: what is wrong", on stdout: it is what was asked for. */
static void emit_fault_text(struct tool_emit *emit, const struct dls_fault *fault)
{
    char line[8192];
    size_t used = 0;
    const char *sep = "";

#define ADD(...)                                                                                             \
    do {                                                                                                     \
        if (used < sizeof(line))                                                                             \
            used += (size_t)snprintf(line + used, sizeof(line) - used, __VA_ARGS__);                         \
    } while (0)
    /* Texts about a file as a whole name it themselves. */
    if (!strstr(fault->text, fault->file)) {
        ADD("'%s'", fault->file);
        sep = ": ";
    }
    if (fault->block >= 0) {
        ADD("%sblock %lld", sep, (long long)fault->block);
        sep = ", ";
    }
    if (fault->record >= 0) {
        ADD("%srecord %lld", sep, (long long)fault->record);
        sep = ", ";
    }
    if (fault->key) {
        ADD("%skey '%.*s'", sep, (int)fault->key_length, fault->key);
        sep = ", ";
    }
    if (fault->offset >= 0) {
        ADD("%soffset %lld", sep, (long long)fault->offset);
        sep = ", ";
    }
    ADD("%s%s", used ? ": " : "", fault->text);
#undef ADD
    tool_emit_line(emit, "%s", line);
}

static void tell_fault(void *user, const struct dls_fault *fault)
{
    struct verify *verify = user;

    tool_progress_clear(&verify->progress);
    if (verify->config->json)
        emit_fault_json(&verify->emit, fault);
    else
        emit_fault_text(&verify->emit, fault);
}

static int show_progress(void *user, uint64_t bytes)
{
    struct verify *verify = user;

    tool_progress_update(&verify->progress, 0, bytes);
    return interrupted();
}

static void print_summary(struct verify *verify, const struct verify_result *result)
{
    struct tool_emit *emit = &verify->emit;
    double seconds = (double)(dls_now() - verify->started) / 1e9, time = seconds > 0 ? seconds : 1e-9;
    char text[TOOL_UNIT_ROOM], rate[TOOL_UNIT_ROOM];

    if (verify->config->json)
        tool_emit_close(emit);
    else if (verify->config->quiet)
        return;
    tool_emit_bool(emit, "good", result->faults == 0);
    tool_emit_count(emit, "faults", result->faults);
    if (verify->config->decode)
        tool_emit_count(emit, "warnings", result->warnings);
    tool_emit_count(emit, "shards", verify->manifest->shard_count);
    tool_emit_count(emit, "blocks", verify->manifest->blocks);
    tool_emit_count(emit, "records", verify->manifest->records);
    tool_emit_bytes(emit, "bytes", result->bytes);
    tool_emit_bool(emit, "decoded", verify->config->decode);
    if (emit->json)
        tool_emit_real(emit, "seconds", seconds, 3);
    else
        tool_emit_line(emit, "%-18s%s, %s", "time", tool_show_time(seconds, text),
                       tool_show_rate((double)result->bytes / time, rate));
}

static int run_verify(struct verify *verify, struct dls_dataset *dataset)
{
    const struct verify_config *config = verify->config;
    struct verify_settings settings = {.dataset = dataset,
                                       .threads =
                                           (unsigned)(config->threads ? config->threads : dls_cpu_count()),
                                       .decode = config->decode,
                                       .fault = tell_fault,
                                       .progress = show_progress,
                                       .user = verify};
    struct verify_result result = {0};
    int r;

    tool_progress_start(&verify->progress,
                        config->quiet ? TOOL_PROGRESS_NONE : (enum tool_progress_mode)config->progress,
                        "verify", NULL, 0, verify->manifest->bytes);
    tool_emit_start(&verify->emit, stdout, config->json);
    if (config->json || !config->quiet)
        tool_emit_text(&verify->emit, "dataset", verify->call->operands[0]);
    if (config->json)
        tool_emit_array(&verify->emit, "problems");
    r = verify_shards(&settings, &result);
    tool_progress_end(&verify->progress, 0, result.bytes);
    if (r == 0)
        print_summary(verify, &result);
    else if (config->json)
        tool_emit_close(&verify->emit);
    tool_emit_end(&verify->emit);
    if (r == -ECANCELED && interrupted()) {
        tool_say(verify->call, "interrupted: not everything was read");
        return interrupt_exit_code();
    }
    if (r < 0)
        tool_say(verify->call, "%s", r == -ENOMEM ? "out of memory" : dls_err_text());
    return r < 0 || result.faults ? TOOL_FAILED : TOOL_OK;
}

static int verify_main(const struct tool_call *call)
{
    struct verify verify = {.call = call, .config = call->config, .started = dls_now()};
    struct dls_dataset *dataset = NULL;
    int exit_code;

    interrupt_setup();
    if (dls_set_open_unchecked(call->operands[0], &dataset) < 0) {
        tool_say(call, "%s", dls_err_text());
        return TOOL_FAILED;
    }
    verify.manifest = dls_set_manifest(dataset);
    exit_code = run_verify(&verify, dataset);
    dls_set_close(&dataset);
    return exit_code;
}

const struct tool_command shards_verify = {
    .name = "verify",
    .operands = "DATASET",
    .least = 1,
    .most = 1,
    .summary = "Reads all of a dataset and lists everything that is wrong with it",
    .details =
        "Checks every structure and every checksum, and names shard, block, record, key and offset of each\n"
        "fault. Exit code 1 if there is any.",
    .options = options,
    .config_bytes = sizeof(struct verify_config),
    .run = verify_main,
};
