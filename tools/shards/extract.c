/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/mem.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "decode/decode.h"
#include "shard/file.h"
#include "shards/commands.h"
#include "shards/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct extract_config {
    const char *class_name, *match;
    int progress;
    bool quiet;
};

static const struct tool_option options[] = {
    {.name = "class",
     .letter = 'c',
     .kind = TOOL_TEXT,
     .argument = "NAME",
     .at = offsetof(struct extract_config, class_name),
     .help = "Only records of this class."},
    {.name = "match",
     .kind = TOOL_TEXT,
     .argument = "PATTERN",
     .at = offsetof(struct extract_config, match),
     .help = "Only records whose key matches this pattern of the shell's: * is any text, / included."},
    TOOL_OPTION_PROGRESS(struct extract_config),
    TOOL_OPTION_QUIET(struct extract_config),
    {0},
};

struct extract {
    const struct extract_config *config;
    struct walk_filter filter;
    struct dls_cell_scratch scratch;
    struct tool_progress progress;
    int folder;      /* the temporary one, which the files are made in */
    char *part;      /* its path */
    const char *out; /* the final one, which messages name */
    struct dls_dataset *dataset;
    uint64_t files, bytes;
};

/* A key becomes a path below the folder, never one outside it. */
static int check_key(const struct walk_item *item)
{
    const char *key = item->key, *end = key + item->key_length;

    if (item->key_length == 0 || item->key_length >= PATH_MAX)
        return dls_err(EINVAL, "record %llu: its key has %zu bytes, a file's path has 1 to %d",
                       (unsigned long long)item->number, item->key_length, PATH_MAX - 1);
    if (memchr(key, 0, item->key_length))
        return dls_err(EINVAL, "record %llu: its key has a NUL byte in it", (unsigned long long)item->number);
    while (key < end) {
        const char *slash = memchr(key, '/', (size_t)(end - key));
        size_t length = (size_t)((slash ? slash : end) - key);
        if (length == 0 || (length == 1 && key[0] == '.') ||
            (length == 2 && key[0] == '.' && key[1] == '.') || (slash && slash + 1 == end))
            return dls_err(EINVAL, "record %llu, key '%.*s': it cannot be the path of a file in the folder",
                           (unsigned long long)item->number, (int)item->key_length, item->key);
        key += length + 1;
    }
    return 0;
}

/* Makes the folders on the way. Nothing in the temporary folder is a link: it was made by this run. */
static int make_folders(const struct extract *extract, char *path)
{
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int failed = mkdirat(extract->folder, path, 0777) != 0 && errno != EEXIST ? errno : 0;
        int r = failed ? dls_err_sys(failed, "'%s/%s'", extract->out, path) : 0;
        *slash = '/';
        if (r < 0)
            return r;
    }
    return 0;
}

static int write_file(struct extract *extract, const struct walk_item *item, const uint8_t *data,
                      size_t length)
{
    char path[PATH_MAX];

    memcpy(path, item->key, item->key_length);
    path[item->key_length] = 0;
    int r = make_folders(extract, path);
    if (r < 0)
        return r;
    int fd = openat(extract->folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno == EEXIST ? dls_err(EEXIST, "record %llu, key '%s': another record has this key, too",
                                         (unsigned long long)item->number, path)
                               : dls_err_sys(errno, "'%s/%s'", extract->out, path);
    r = dls_file_write(fd, path, data, length);
    if (close(fd) != 0 && r == 0)
        r = dls_err_sys(errno, "'%s/%s'", extract->out, path);
    return r;
}

static int extract_item(void *user, const struct walk_item *item)
{
    struct extract *extract = user;
    const uint8_t *data;

    if (interrupted())
        return -EINTR;
    if (!walk_filter_takes(&extract->filter, item))
        return 0;
    int r = check_key(item);
    if (r == 0 && item->image.codec == DLS_CODEC_RAW)
        r = dls_err(ENOTSUP, "record %llu, key '%.*s': it is stored as bare pixels, not as a file",
                    (unsigned long long)item->number, (int)item->key_length, item->key);
    if (r == 0) {
        r = dls_cell_open(&item->image, item->view->data + item->image.offset, 1, &extract->scratch, &data);
        if (r < 0)
            r = dls_err_context(r, "'%s', record %llu, key '%.*s', offset %llu",
                                dls_set_shard_path(extract->dataset, item->at->shard),
                                (unsigned long long)item->number, (int)item->key_length, item->key,
                                (unsigned long long)(item->at->offset + item->image.offset));
    }
    if (r == 0)
        r = write_file(extract, item, data, item->image.raw);
    if (r < 0)
        return r;
    extract->files++;
    extract->bytes += item->image.raw;
    tool_progress_update(&extract->progress, extract->files, extract->bytes);
    return 0;
}

static void remove_all(char *folder)
{
    char *roots[] = {folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    if (!walk)
        return;
    for (FTSENT *entry; (entry = fts_read(walk));) {
        if (entry->fts_info == FTS_DP)
            rmdir(entry->fts_accpath);
        else if (entry->fts_info != FTS_D)
            unlink(entry->fts_accpath);
    }
    fts_close(walk);
}

/* ".NAME.tmp-XXXXXX" beside OUT. */
static int make_part(struct extract *extract, const char *out)
{
    static const char ending[] = ".tmp-XXXXXX";
    size_t length = strlen(out), parent;

    while (length > 1 && out[length - 1] == '/')
        length--;
    for (parent = length; parent > 0 && out[parent - 1] != '/'; parent--)
        ;
    extract->part = dls_alloc(DLS_MEM_TOOL, length + 1 + sizeof(ending));
    if (!extract->part)
        return -ENOMEM;
    memcpy(extract->part, out, parent);
    extract->part[parent] = '.';
    memcpy(extract->part + parent + 1, out + parent, length - parent);
    memcpy(extract->part + length + 1, ending, sizeof(ending));
    if (access(out, F_OK) == 0)
        return dls_err(EEXIST, "'%s' exists", out);
    if (!mkdtemp(extract->part)) {
        int r = dls_err_sys(errno, "'%s'", out);
        dls_free(extract->part);
        extract->part = NULL;
        return r;
    }
    extract->folder = open(extract->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return extract->folder < 0 ? dls_err_sys(errno, "'%s'", extract->part) : 0;
}

static int commit(struct extract *extract, const char *out)
{
    mode_t mask = umask(0);

    umask(mask);
    /* mkdtemp() makes folders for their owner alone. */
    if (fchmod(extract->folder, 0777 & ~mask) != 0 || syncfs(extract->folder) != 0)
        return dls_err_sys(errno, "'%s'", extract->part);
    if (renameat2(AT_FDCWD, extract->part, AT_FDCWD, out, RENAME_NOREPLACE) != 0 &&
        ((errno != EINVAL && errno != ENOSYS) || access(out, F_OK) == 0 || rename(extract->part, out) != 0))
        return dls_err_sys(errno, "'%s'", out);
    return 0;
}

static int extract_main(const struct tool_call *call)
{
    struct extract extract = {.config = call->config, .folder = -1, .out = call->operands[1]};
    struct dls_dataset *dataset = NULL;

    interrupt_setup();
    extract.filter =
        (struct walk_filter){.class_name = extract.config->class_name, .match = extract.config->match};
    int r = dls_set_open(call->operands[0], &dataset);
    if (r == -ENOENT)
        r = dls_err_context(r, "not a dataset");
    extract.dataset = dataset;
    if (r == 0 && dls_set_schema(dataset)->image < 0)
        r = dls_err(EINVAL, "'%s': there is no image field", call->operands[0]);
    if (r == 0)
        r = walk_filter_init(&extract.filter, dataset);
    if (r == 0)
        r = make_part(&extract, call->operands[1]);
    if (r == 0) {
        bool all = !extract.filter.class_name && !extract.filter.match;
        tool_progress_start(&extract.progress,
                            extract.config->quiet ? TOOL_PROGRESS_NONE
                                                  : (enum tool_progress_mode)extract.config->progress,
                            "extract", "files", all ? dls_set_manifest(dataset)->records : 0, 0);
        r = walk_records(dataset, true, extract_item, &extract);
        tool_progress_end(&extract.progress, extract.files, extract.bytes);
    }
    if (r == 0)
        r = commit(&extract, call->operands[1]);
    if (r < 0 && !interrupted())
        tool_say(call, "%s", dls_err_text());
    if (r < 0 && extract.part)
        remove_all(extract.part);
    if (extract.folder >= 0)
        close(extract.folder);
    dls_free(extract.part);
    dls_cell_scratch_free(&extract.scratch);
    dls_set_close(&dataset);
    if (interrupted())
        return interrupt_exit_code();
    if (r == 0 && !extract.config->quiet)
        printf("%llu file%s, %llu bytes\n", (unsigned long long)extract.files, extract.files == 1 ? "" : "s",
               (unsigned long long)extract.bytes);
    return r < 0 ? TOOL_FAILED : TOOL_OK;
}

const struct tool_command shards_extract = {
    .name = "extract",
    .operands = "DATASET OUT",
    .least = 2,
    .most = 2,
    .summary = "Writes the pictures back as files, to the byte as they were packed",
    .details = "OUT must not exist. Keys are the paths: a key that would lead out of OUT is refused.",
    .options = options,
    .config_bytes = sizeof(struct extract_config),
    .run = extract_main,
};
