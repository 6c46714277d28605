/* SPDX-License-Identifier: Apache-2.0 */
#include "io/files.h"

#include "base/err.h"
#include "support/pattern.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT 6u

static const char *paths[COUNT];
static uint8_t *scratch;

static const char *path_of(void *user, uint32_t file)
{
    cr_assert(user == paths && file < COUNT);
    return paths[file];
}

static struct dls_files *make(uint32_t slots, dls_direct direct)
{
    struct dls_files_config config = {
        .path = path_of, .path_user = paths, .count = COUNT, .slots = slots, .direct = direct};
    struct dls_files *files = NULL;

    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%u", i);
        paths[i] = support_path(pattern_dir(), name);
        pattern_write(paths[i], i, 8192);
    }
    scratch = pattern_memory(4096);
    cr_assert(dls_files_create(&config, scratch, &files) == 0, "%s", dls_err_text());
    return files;
}

static void end(struct dls_files **files)
{
    dls_files_free(files);
    cr_expect(*files == NULL);
    dls_files_free(files);
    free(scratch);
}

/* That the slot's descriptor is the file's. */
static void expect_file(const struct dls_files *files, uint32_t slot, uint32_t file)
{
    uint8_t *page = pattern_memory(4096);

    cr_expect(pread(dls_files_fd(files, slot), page, 4096, 4096) == 4096);
    cr_expect(pattern_check(file, 4096, page, 4096) == -1);
    free(page);
}

Test(files, opens_each_file_once)
{
    struct dls_files *files = make(COUNT, DLS_DIRECT_AUTO);
    uint32_t first, again, other;

    cr_assert(dls_files_hold(files, 3, &first) == 0);
    cr_assert(dls_files_hold(files, 3, &again) == 0);
    cr_assert(dls_files_hold(files, 4, &other) == 0);
    cr_expect(first == again);
    cr_expect(first != other);
    expect_file(files, first, 3);
    expect_file(files, other, 4);
    end(&files);
}

Test(files, closes_the_longest_unused_and_none_that_is_held)
{
    struct dls_files *files = make(3, DLS_DIRECT_AUTO);
    uint32_t held, slot, same;

    /* File 0 is open since the start. */
    cr_assert(dls_files_hold(files, 1, &held) == 0);
    cr_assert(dls_files_hold(files, 0, &slot) == 0);
    int fd0 = dls_files_fd(files, slot);
    dls_files_release(files, slot);
    cr_assert(dls_files_hold(files, 2, &slot) == 0);
    dls_files_release(files, slot);
    /* 0 has waited for longer than 2. */
    cr_assert(dls_files_hold(files, 3, &slot) == 0);
    expect_file(files, slot, 3);
    cr_expect(dls_files_fd(files, slot) == fd0, "the lowest free descriptor is the one just closed");
    cr_assert(dls_files_hold(files, 2, &same) == 0);
    /* All three are held now: 1, 2, 3. */
    cr_expect(dls_files_hold(files, 4, &slot) == 1);
    dls_files_release(files, held);
    cr_assert(dls_files_hold(files, 4, &slot) == 0);
    cr_expect(slot == held);
    expect_file(files, slot, 4);
    expect_file(files, same, 2);
    end(&files);
}

Test(files, a_hold_counts)
{
    struct dls_files *files = make(1, DLS_DIRECT_AUTO);
    uint32_t slot, other;

    cr_assert(dls_files_hold(files, 1, &slot) == 0);
    cr_assert(dls_files_hold(files, 1, &slot) == 0);
    dls_files_release(files, slot);
    cr_expect(dls_files_hold(files, 2, &other) == 1);
    expect_file(files, slot, 1);
    dls_files_release(files, slot);
    cr_expect(dls_files_hold(files, 2, &other) == 0);
    expect_file(files, other, 2);
    end(&files);
}

Test(files, a_missing_file_costs_no_slot)
{
    struct dls_files *files = make(1, DLS_DIRECT_AUTO);
    uint32_t slot;

    cr_assert(unlink(paths[5]) == 0);
    for (int i = 0; i < 5; i++) {
        cr_expect(dls_files_hold(files, 5, &slot) == -ENOENT);
        cr_expect(strstr(dls_err_text(), paths[5]) != NULL);
        cr_assert(dls_files_hold(files, 1, &slot) == 0);
        expect_file(files, slot, 1);
        dls_files_release(files, slot);
    }
    end(&files);
}

Test(files, reads_through_the_page_cache_as_asked)
{
    struct dls_files *files = make(2, DLS_DIRECT_OFF);
    uint32_t slot;

    cr_assert(dls_files_hold(files, 1, &slot) == 0);
    cr_expect(!dls_files_direct(files, slot));
    cr_expect((fcntl(dls_files_fd(files, slot), F_GETFL) & O_DIRECT) == 0);
    cr_expect_str_eq(dls_files_detail(files), "buffered (as asked)");
    end(&files);
}

Test(files, remembers_which_file_went_buffered)
{
    struct dls_files *files = make(1, DLS_DIRECT_AUTO);
    uint32_t slot;

    if (!pattern_direct_works(paths[0])) {
        end(&files);
        cr_skip_test("no O_DIRECT there");
    }
    cr_expect_str_eq(dls_files_detail(files), "O_DIRECT");
    for (int turn = 0; turn < 2; turn++) {
        cr_assert(dls_files_hold(files, 1, &slot) == 0);
        bool direct = (fcntl(dls_files_fd(files, slot), F_GETFL) & O_DIRECT) != 0;
        cr_expect(direct == (turn == 0));
        cr_expect(dls_files_direct(files, slot) == direct);
        cr_expect(dls_files_make_buffered(files, slot));
        cr_expect(!dls_files_direct(files, slot));
        cr_expect((fcntl(dls_files_fd(files, slot), F_GETFL) & O_DIRECT) == 0);
        dls_files_release(files, slot);
        /* Another file takes the slot, and is read directly. */
        cr_assert(dls_files_hold(files, 2, &slot) == 0);
        cr_expect(dls_files_direct(files, slot));
        dls_files_release(files, slot);
    }
    end(&files);
}

Test(files, does_not_go_buffered_when_direct_is_demanded)
{
    struct dls_files *files;
    uint32_t slot;

    pattern_write(support_path(pattern_dir(), "try"), 0, 4096);
    if (!pattern_direct_works(support_path(pattern_dir(), "try")))
        cr_skip_test("no O_DIRECT there");
    files = make(1, DLS_DIRECT_ON);
    cr_assert(dls_files_hold(files, 1, &slot) == 0);
    cr_expect(!dls_files_make_buffered(files, slot));
    cr_expect(dls_files_direct(files, slot));
    end(&files);
}

/* /proc has no O_DIRECT: a stand-in for every file system that refuses it at open. */
static const char *proc_path(void *user, uint32_t file)
{
    (void)user, (void)file;
    return "/proc/self/status";
}

Test(files, says_who_refuses_direct_reads)
{
    struct dls_files_config config = {.path = proc_path, .count = 1, .slots = 1};
    struct dls_files *files = NULL;
    uint32_t slot;

    scratch = pattern_memory(4096);
    cr_assert(dls_files_create(&config, scratch, &files) == 0, "%s", dls_err_text());
    cr_expect_str_eq(dls_files_detail(files), "buffered (proc refuses O_DIRECT)");
    cr_assert(dls_files_hold(files, 0, &slot) == 0);
    cr_expect(!dls_files_direct(files, slot));
    dls_files_free(&files);

    config.direct = DLS_DIRECT_ON;
    cr_expect(dls_files_create(&config, scratch, &files) == -ENOTSUP);
    cr_expect_str_eq(dls_err_text(), "read directly: '/proc/self/status': proc refuses O_DIRECT");
    cr_expect(files == NULL);
    free(scratch);
}

/* What stands in a shard's place may have changed since the dataset was opened; a pipe would keep open()
 * waiting for ever. */
Test(files, what_is_no_plain_file_is_refused_and_not_waited_for, .timeout = 20)
{
    const dls_direct modes[] = {DLS_DIRECT_AUTO, DLS_DIRECT_ON, DLS_DIRECT_OFF};
    struct dls_files_config config = {.path = path_of, .path_user = paths, .count = COUNT, .slots = COUNT};
    struct dls_files *files = make(COUNT, DLS_DIRECT_AUTO), *other = NULL;
    uint32_t slot;

    unlink(paths[3]);
    cr_assert(mkfifo(paths[3], 0600) == 0);
    cr_expect(dls_files_hold(files, 3, &slot) == -EBADMSG);
    cr_expect(strstr(dls_err_text(), paths[3]) && strstr(dls_err_text(), "not a plain file"), "%s",
              dls_err_text());
    unlink(paths[4]);
    cr_assert(mkdir(paths[4], 0700) == 0);
    cr_expect(dls_files_hold(files, 4, &slot) == -EBADMSG);
    cr_assert(dls_files_hold(files, 5, &slot) == 0);
    cr_expect((fcntl(dls_files_fd(files, slot), F_GETFL) & O_NONBLOCK) == 0);
    dls_files_release(files, slot);
    unlink(paths[0]);
    cr_assert(mkfifo(paths[0], 0600) == 0);
    for (unsigned i = 0; i < 3; i++) {
        config.direct = modes[i];
        cr_expect(dls_files_create(&config, scratch, &other) == -EBADMSG);
        cr_expect(strstr(dls_err_text(), "not a plain file") != NULL, "%s", dls_err_text());
    }
    end(&files);
}
