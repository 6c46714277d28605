/* SPDX-License-Identifier: Apache-2.0 */
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Everything handed out for the life of the process, so that leak checkers see it reachable. */
static struct kept {
    struct kept *next;
    pid_t maker; /* not 0: a directory to be removed by this process */
    char text[];
} *kept;

static _Noreturn void die(const char *what, const char *path)
{
    fprintf(stderr, "test support: %s '%s': %s\n", what, path, strerror(errno));
    _exit(99);
}

static struct kept *keep(size_t bytes)
{
    struct kept *new = calloc(1, sizeof(*new) + bytes);

    if (new == NULL)
        die("out of memory for", "a path");
    new->next = kept;
    kept = new;
    return new;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

void support_remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_directories(void)
{
    for (struct kept *k = kept; k != NULL; k = k->next)
        if (k->maker == getpid())
            support_remove_tree(k->text);
}

const char *support_temp_dir(void)
{
    static pid_t registered;
    const char *base = getenv("TMPDIR");

    if (base == NULL || base[0] == '\0')
        base = "/tmp";
    size_t bytes = strlen(base) + sizeof("/dlshards-test-XXXXXX");
    struct kept *new = keep(bytes);
    snprintf(new->text, bytes, "%s/dlshards-test-XXXXXX", base);
    if (mkdtemp(new->text) == NULL)
        die("cannot make", new->text);
    new->maker = getpid();
    if (registered != getpid()) {
        registered = getpid();
        atexit(remove_directories);
    }
    return new->text;
}

const char *support_path(const char *directory, const char *name)
{
    size_t bytes = strlen(directory) + strlen(name) + 2;
    struct kept *new = keep(bytes);

    snprintf(new->text, bytes, "%s/%s", directory, name);
    return new->text;
}

/* The rest of a file or pipe. */
static uint8_t *read_all(int fd, const char *name, size_t *ret_length)
{
    size_t length = 0, room = 65536;
    uint8_t *data = malloc(room + 1);

    for (;;) {
        if (data == NULL)
            die("out of memory for", name);
        ssize_t got = read(fd, data + length, room - length);
        if (got < 0 && errno != EINTR)
            die("cannot read", name);
        if (got == 0)
            break;
        length += got > 0 ? (size_t)got : 0;
        if (length == room)
            data = realloc(data, (room *= 2) + 1);
    }
    data[length] = '\0';
    if (ret_length != NULL)
        *ret_length = length;
    return data;
}

uint8_t *support_read_file(const char *path, size_t *ret_length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        die("cannot open", path);
    uint8_t *data = read_all(fd, path, ret_length);
    close(fd);
    return data;
}

void support_write_file(const char *path, const void *data, size_t length)
{
    char *parent = strdup(path);

    for (char *slash = strchr(parent + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(parent, 0777) < 0 && errno != EEXIST)
            die("cannot make", parent);
        *slash = '/';
    }
    free(parent);

    FILE *file = fopen(path, "we");
    if (file == NULL)
        die("cannot open", path);
    if (fwrite(data, 1, length, file) != length || fclose(file) != 0)
        die("cannot write", path);
}

/* A file without a name for the output: unlike pipes, two of them cannot dead-lock. */
static int output_file(bool wanted)
{
    int fd = wanted ? open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : open("/dev/null", O_RDWR | O_CLOEXEC);

    if (fd < 0 && wanted) {
        FILE *file = tmpfile();
        fd = file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
        if (file != NULL)
            fclose(file);
    }
    if (fd < 0)
        die("cannot make", "a file for output");
    return fd;
}

static void take_output(int fd, char **ret_text)
{
    if (ret_text != NULL) {
        lseek(fd, 0, SEEK_SET);
        *ret_text = (char *)read_all(fd, "output", NULL);
    }
    close(fd);
}

int support_run(const char *const argv[], char **ret_out, char **ret_err)
{
    int out = output_file(ret_out != NULL), err = output_file(ret_err != NULL), status;
    pid_t child = fork();

    if (child < 0)
        die("cannot start", argv[0]);
    if (child == 0) {
        int null = open("/dev/null", O_RDONLY);
        dup2(null, 0);
        dup2(out, 1);
        dup2(err, 2);
        execvp(argv[0], (char *const *)argv);
        dprintf(2, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            die("cannot wait for", argv[0]);
    take_output(out, ret_out);
    take_output(err, ret_err);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
