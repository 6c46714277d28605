/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

static const char *pick(const char *const *names, size_t count, unsigned value)
{
    return value < count ? names[value] : "?";
}

#define NAMES(function, type, ...)                                                                           \
    const char *function(type value)                                                                         \
    {                                                                                                        \
        static const char *const names[] = {__VA_ARGS__};                                                    \
        return pick(names, sizeof(names) / sizeof(names[0]), (unsigned)value);                               \
    }

NAMES(bench_order_name, dls_order, "auto", "window", "none", "full")
NAMES(bench_tail_name, dls_tail, "drop", "pad", "exact")
NAMES(bench_crop_name, dls_crop, "squash", "center", "random", "five", "ten", "pad")
NAMES(bench_dtype_name, dls_dtype, "uint8", "float32", "float16", "bfloat16")
NAMES(bench_layout_name, dls_layout, "nhwc", "nchw")
NAMES(bench_direct_name, dls_direct, "auto", "on", "off")
NAMES(bench_engine_name, dls_engine, "auto", "uring", "pread")
NAMES(bench_bound_name, dls_bound, "unknown", "disk", "decoder", "consumer")
NAMES(bench_end_name, enum bench_end, "epochs", "time", "signal", "error")

const char *bench_engine_asked(const struct bench_settings *settings)
{
    return settings->files ? "files" : settings->mmap ? "mmap" : bench_engine_name(settings->params.engine);
}
