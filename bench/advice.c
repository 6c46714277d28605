/* SPDX-License-Identifier: Apache-2.0 */
#include "advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"

/* Rates nearer to each other than this are the same for anybody who buys hardware. */
#define NEAR 1.1

struct speech {
    void (*say)(void *user, const char *text);
    void *user;
};

static void say(const struct speech *speech, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(const struct speech *speech, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    speech->say(speech->user, text);
}

uint32_t bench_advice_workers(const struct bench_advice *advice, double *ret_images)
{
    double best = 0;

    for (size_t i = 0; i < advice->folder_count; i++)
        best = fmax(best, advice->folder[i].images);
    for (size_t i = 0; i < advice->folder_count; i++)
        if (advice->folder[i].images >= 0.95 * best) {
            *ret_images = advice->folder[i].images;
            return advice->folder[i].workers;
        }
    return 0;
}

static double decoder(const struct bench_advice *advice)
{
    return advice->decoder_thread * fmin(advice->threads, advice->cpus);
}

static void say_disk(const struct bench_advice *advice, const struct speech *speech)
{
    double goal = decoder(advice);

    if (advice->trainer > 0)
        goal = fmin(goal, advice->trainer);
    say(speech,
        "bound by the disk: it gives %.0f images a second (%.0f MB/s), the decoder could do %.0f; more "
        "threads or workers "
        "do not help",
        advice->disk, advice->disk_bytes / 1e6, decoder(advice));
    say(speech, "a disk of %.0f MB/s would lift it to %.0f images a second, %.1f times as many",
        goal * advice->record_bytes / 1e6, goal, goal / advice->disk);
    say(speech, "so would records of %.0f kB in place of %.0f: pack smaller pictures",
        advice->disk_bytes / goal / 1e3, advice->record_bytes / 1e3);
}

static void say_decoder(const struct bench_advice *advice, const struct speech *speech)
{
    double goal = advice->disk;

    if (advice->trainer > 0)
        goal = fmin(goal, advice->trainer);
    double threads = ceil(goal / advice->decoder_thread);
    say(speech,
        "bound by the decoder: %.0f images a second with %u thread%s on %u CPU%s, the disk could give %.0f",
        decoder(advice), advice->threads, advice->threads == 1 ? "" : "s", advice->cpus,
        advice->cpus == 1 ? "" : "s", advice->disk);
    if (advice->threads < advice->cpus)
        say(speech, "use the CPUs that there are: --threads=%u", advice->cpus);
    say(speech, "%.0f CPUs would give the %.0f images a second that the %s; a faster disk gives nothing",
        threads, goal, goal < advice->disk ? "trainer takes" : "disk gives");
    say(speech, "smaller pictures cost less to decode: pack them at the size that training needs");
}

static void say_trainer(const struct bench_advice *advice, const struct speech *speech)
{
    double loader = fmin(advice->disk, decoder(advice));

    say(speech,
        "bound by the trainer: it takes %.0f images a second, the loader can give %.0f; nothing on the "
        "loader's side would help",
        advice->trainer, loader);
    if (loader >= 2 * advice->trainer)
        say(speech, "this machine could feed %.0f such trainers", floor(loader / advice->trainer));
    double threads = ceil(NEAR * advice->trainer / advice->decoder_thread);
    if (threads < advice->threads)
        say(speech, "%.0f decode thread%s would do", threads, threads == 1 ? "" : "s");
}

static void say_folder(const struct bench_advice *advice, const struct speech *speech)
{
    double images;
    uint32_t workers = bench_advice_workers(advice, &images);
    double ours = fmin(advice->disk, decoder(advice));

    if (!workers)
        return;
    if (advice->trainer > 0)
        ours = fmin(ours, advice->trainer);
    say(speech,
        "file by file, %u worker%s give %.0f images a second and more workers give no more: the best "
        "num_workers "
        "of a DataLoader over the folder, whose own work comes on top; packed, it is %.1f times that",
        workers, workers == 1 ? "" : "s", images, ours / images);
}

void bench_advice_say(const struct bench_advice *advice, void (*say_one)(void *user, const char *text),
                      void *user)
{
    struct speech speech = {say_one, user};
    double loader = fmin(advice->disk, decoder(advice));

    if (!(advice->disk > 0) || !(advice->decoder_thread > 0)) {
        say(&speech, "too little was measured: try a longer --seconds");
        return;
    }
    if (advice->trainer > 0 && advice->trainer <= loader)
        say_trainer(advice, &speech);
    else if (advice->disk < decoder(advice))
        say_disk(advice, &speech);
    else
        say_decoder(advice, &speech);
    say_folder(advice, &speech);
}
