/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "photos.h"

struct dataset_options {
    uint64_t images, classes, side, seed, threads;
    int progress;
    bool quiet;
};

#define AT(member) offsetof(struct dataset_options, member)

const struct tool_option bench_dataset_options[] = {
    {.name = "images",
     .letter = 'n',
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(images),
     .least = 1,
     .most = 100000000,
     .preset = "10000",
     .help = "Pictures to make."},
    {.name = "classes",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(classes),
     .least = 1,
     .most = 100000,
     .preset = "100",
     .help = "Folders that they are shared out to."},
    {.name = "side",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(side),
     .least = 32,
     .most = 8192,
     .unit = "pixels",
     .preset = "500",
     .help = "Longer side of most pictures; one in five is smaller."},
    {.name = "seed",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(seed),
     .preset_note = "0",
     .help = "Of all that is random."},
    TOOL_OPTION_THREADS(struct dataset_options),
    TOOL_OPTION_PROGRESS(struct dataset_options),
    TOOL_OPTION_QUIET(struct dataset_options),
    {0},
};
const size_t bench_dataset_config_bytes = sizeof(struct dataset_options);

struct work {
    const struct dataset_options *options;
    const struct bench_photos *photos;
    const atomic_int *stop;
    int folder;
    _Atomic uint64_t next, done, bytes;
    _Atomic int failed;
    struct dls_error error;
    pthread_mutex_t lock; /* guards error */
};

static int write_file(int folder, const char *name, const uint8_t *data, size_t length)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    size_t done = 0;
    int r = 0;

    if (fd < 0)
        return dls_err_sys(errno, "'%s'", name);
    while (r == 0 && done < length) {
        ssize_t n = write(fd, data + done, length - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            r = dls_err_sys(n == 0 ? EIO : errno, "'%s', offset %zu", name, done);
    }
    if (close(fd) != 0 && r == 0)
        r = dls_err_sys(errno, "'%s'", name);
    return r;
}

static int make(struct work *work, uint64_t number)
{
    uint8_t *data = NULL;
    size_t length = 0;
    char name[64];

    int r = bench_photos_make(work->photos, number, &data, &length);
    if (r < 0)
        return r;
    snprintf(name, sizeof(name), "class-%05" PRIu64 "/%09" PRIu64 ".jpg", number % work->options->classes,
             number);
    r = write_file(work->folder, name, data, length);
    free(data);
    atomic_fetch_add(&work->bytes, length);
    return r;
}

static void *run(void *arg)
{
    struct work *work = arg;

    while (!atomic_load(&work->failed) && !atomic_load(work->stop)) {
        uint64_t number = atomic_fetch_add(&work->next, 1);
        if (number >= work->options->images)
            break;
        int r = make(work, number);
        if (r < 0) {
            pthread_mutex_lock(&work->lock);
            dls_error_keep(&work->error, r);
            pthread_mutex_unlock(&work->lock);
            atomic_store(&work->failed, 1);
        }
        atomic_fetch_add(&work->done, 1);
    }
    return NULL;
}

static int make_folders(int folder, uint64_t count)
{
    char name[32];

    for (uint64_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "class-%05" PRIu64, i);
        if (mkdirat(folder, name, 0777) != 0)
            return dls_err_sys(errno, "'%s'", name);
    }
    return 0;
}

static int make_all(const struct tool_call *call, struct work *work)
{
    const struct dataset_options *options = work->options;
    unsigned count = options->threads ? (unsigned)options->threads : dls_cpu_count();
    struct tool_progress progress = {0};
    int r = 0;

    struct dls_thread *threads = dls_alloc_array(DLS_MEM_TOOL, count, sizeof(*threads));
    if (!threads)
        return -ENOMEM;
    tool_progress_start(&progress,
                        options->quiet ? TOOL_PROGRESS_NONE : (enum tool_progress_mode)options->progress,
                        call->command->name, "images", options->images, 0);
    for (unsigned i = 0; i < count && r == 0; i++)
        r = dls_thread_start(&threads[i], "photos", run, work);
    while (r == 0 && !atomic_load(&work->failed) && !atomic_load(work->stop) &&
           atomic_load(&work->done) < options->images) {
        usleep(50000);
        tool_progress_update(&progress, atomic_load(&work->done), atomic_load(&work->bytes));
    }
    if (r < 0)
        atomic_store(&work->failed, 1);
    for (unsigned i = 0; i < count; i++)
        dls_thread_join(&threads[i]);
    tool_progress_end(&progress, atomic_load(&work->done), atomic_load(&work->bytes));
    dls_free(threads);
    return r < 0 ? r : work->error.code ? dls_error_raise(&work->error) : 0;
}

/* The folder gets its name when it is whole; what is left of one that is not keeps a name that says so. */
static int fill(const struct tool_call *call, struct work *work, const char *out)
{
    char part[4096];

    if (snprintf(part, sizeof(part), "%s.part", out) >= (int)sizeof(part))
        return dls_err(ENAMETOOLONG, "'%s'", out);
    if (access(out, F_OK) == 0)
        return dls_err(EEXIST, "'%s' exists", out);
    if (mkdir(part, 0777) != 0)
        return dls_err_sys(errno, "'%s'", part);
    work->folder = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work->folder < 0)
        return dls_err_sys(errno, "'%s'", part);
    int r = make_folders(work->folder, work->options->classes);
    if (r == 0)
        r = make_all(call, work);
    close(work->folder);
    if (r == 0 && !atomic_load(work->stop) && rename(part, out) != 0)
        r = dls_err_sys(errno, "'%s'", out);
    if (r < 0)
        return dls_err_context(r, "'%s' is left in part", part);
    return 0;
}

int bench_command_dataset(const struct tool_call *call)
{
    const struct dataset_options *options = call->config;
    struct work work = {.options = options, .stop = interrupt_setup(), .lock = PTHREAD_MUTEX_INITIALIZER};
    struct bench_photos photos = {0};
    struct bench_files files;

    int r = bench_files_load(call->operands[0], &files);
    if (r == 0)
        r = bench_photos_open(&files, (uint32_t)options->side, options->seed, &photos);
    bench_files_free(&files);
    work.photos = &photos;
    if (r == 0)
        r = fill(call, &work, call->operands[1]);
    size_t made_of = photos.count;
    bench_photos_free(&photos);
    if (r < 0) {
        tool_say(call, "%s", dls_err_text());
        return TOOL_FAILED;
    }
    if (atomic_load(work.stop)) {
        tool_say(call, "interrupted: '%s.part' is left in part", call->operands[1]);
        return TOOL_INTERRUPTED;
    }
    if (!options->quiet)
        printf("%" PRIu64 " pictures of %.1f kB on average in %" PRIu64 " classes, made of %zu photos\n",
               options->images, (double)atomic_load(&work.bytes) / 1e3 / (double)options->images,
               options->classes, made_of);
    return TOOL_OK;
}
