/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/source.h"

#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *root;
static struct source source;

static void make(const char *name)
{
    support_write_file(support_path(root, name), name, strlen(name));
}

static void setup(void)
{
    root = support_temp_dir();
}

static void teardown(void)
{
    source_free(&source);
}

static void walk(bool hidden)
{
    cr_assert_eq(source_walk(&source, root, hidden, NULL), 0);
}

/* The list as "class:path" words, parted by '|'. */
static const char *listed(void)
{
    static char text[4096];
    size_t used = 0;

    text[0] = 0;
    for (uint64_t i = 0; i < source.file_count; i++) {
        char path[512];
        cr_assert_geq(source_path(&source, i, path, sizeof(path)), 0);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d:%s", i ? "|" : "",
                                 (int)source_class_of(&source, i), path);
    }
    return text;
}

static const char *passed(void)
{
    static char text[4096];
    size_t used = 0;

    text[0] = 0;
    for (uint64_t i = 0; i < source.passed.count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s:%s", i ? "|" : "",
                                 problem_name(source.passed.items[i].kind), source.passed.items[i].path);
    return text;
}

TestSuite(source, .init = setup, .fini = teardown);

/* As sorted(os.walk(class)) with sorted(files): a directory's own files first, directories by their path as a
 * string. */
Test(source, files_come_in_the_order_of_image_folder)
{
    make("b/2.jpg");
    make("b/10.jpg");
    make("a/z.jpg");
    make("a/x y/1.jpg");
    make("a/x/y/1.jpg");
    make("a/x/2.jpg");
    make("B/q.jpg");
    walk(false);
    cr_expect_str_eq(listed(),
                     "0:B/q.jpg|1:a/z.jpg|1:a/x/2.jpg|1:a/x y/1.jpg|1:a/x/y/1.jpg|2:b/10.jpg|2:b/2.jpg");
    cr_expect_eq(source.class_count, 3);
    cr_expect_str_eq(source.text + source.classes[0].name, "B");
    cr_expect_eq(source.classes[1].files, 4);
    /* Each file holds its own name. */
    cr_expect_eq(source.bytes, 7 + 8 + 7 + 11 + 11 + 9 + 7);
}

Test(source, a_flat_folder_has_no_classes)
{
    make("2.jpg");
    make("1.jpg");
    make(".hidden/x.jpg");
    walk(false);
    cr_expect_str_eq(listed(), "-1:1.jpg|-1:2.jpg");
    cr_expect_eq(source.class_count, 0);
    cr_expect_str_eq(passed(), "hidden-directory:.hidden");
}

Test(source, files_beside_class_directories_belong_to_none)
{
    make("README");
    make("a/1.jpg");
    walk(false);
    cr_expect_str_eq(listed(), "0:a/1.jpg");
    cr_expect_str_eq(passed(), "no-class:README");
}

Test(source, hidden_names_are_taken_when_asked)
{
    make(".c/1.jpg");
    make("a/.b/1.jpg");
    make("a/._1.jpg");
    walk(true);
    cr_expect_str_eq(listed(), "0:.c/1.jpg|1:a/._1.jpg|1:a/.b/1.jpg");
    cr_expect_eq(source.passed.count, 0);
    source_free(&source);
    walk(false);
    cr_expect_str_eq(listed(), "");
    cr_expect_str_eq(passed(), "hidden-directory:.c|hidden:a/._1.jpg|hidden-directory:a/.b");
}

Test(source, links_are_followed_and_loops_are_not)
{
    make("a/1.jpg");
    make("a/sub/2.jpg");
    cr_assert_eq(symlink("1.jpg", support_path(root, "a/link.jpg")), 0);
    cr_assert_eq(symlink("..", support_path(root, "a/up")), 0);
    cr_assert_eq(symlink(".", support_path(root, "a/sub/self")), 0);
    cr_assert_eq(symlink("a", support_path(root, "b")), 0);
    cr_assert_eq(symlink("nowhere", support_path(root, "a/gone.jpg")), 0);
    walk(false);
    cr_expect_str_eq(listed(), "0:a/1.jpg|0:a/gone.jpg|0:a/link.jpg|0:a/sub/2.jpg|1:b/1.jpg|1:b/gone.jpg|"
                               "1:b/link.jpg|1:b/sub/2.jpg");
    cr_expect_str_eq(passed(), "loop:a/sub/self|loop:a/up|loop:b/sub/self|loop:b/up");
}

Test(source, pipes_are_passed_over)
{
    make("a/1.jpg");
    cr_assert_eq(mkfifo(support_path(root, "a/pipe.jpg"), 0600), 0);
    walk(false);
    cr_expect_str_eq(listed(), "0:a/1.jpg");
    cr_expect_str_eq(passed(), "special-file:a/pipe.jpg");
    cr_expect_str_eq(source.passed.items[0].text, "a named pipe");
}

Test(source, an_empty_class_keeps_its_place)
{
    make("a/1.jpg");
    make("c/1.jpg");
    cr_assert_eq(mkdir(support_path(root, "b"), 0700), 0);
    walk(false);
    cr_expect_str_eq(listed(), "0:a/1.jpg|2:c/1.jpg");
    cr_expect_eq(source.classes[1].files, 0);
}

Test(source, a_missing_root_is_an_error)
{
    cr_expect_eq(source_walk(&source, support_path(root, "nope"), false, NULL), -ENOENT);
    source_free(&source);
    make("file");
    cr_expect_eq(source_walk(&source, support_path(root, "file"), false, NULL), -ENOTDIR);
}

static bool always(void)
{
    return true;
}

Test(source, a_walk_can_be_stopped)
{
    make("a/1.jpg");
    cr_expect_eq(source_walk(&source, root, false, always), -EINTR);
}
