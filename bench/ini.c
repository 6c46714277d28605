/* SPDX-License-Identifier: Apache-2.0 */
#include "ini.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define FILE_MOST (1 << 20)
#define LINE_MOST 4096
#define JOBS_MOST 1024

struct reader {
    const char *path;
    unsigned line;
    struct ini_file *file;
    struct ini_job global; /* its settings are copied into each job that follows */
    struct ini_job *into;  /* the section under way; NULL: none yet */
};

static void *grow(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    size_t more = *room ? *room * 2 : 8;
    void *longer = dls_realloc(DLS_MEM_TOOL, list, more * size);
    if (longer)
        *room = more;
    return longer;
}

/* Takes a copy of both texts. */
static int add_setting(struct ini_job *job, const char *name, const char *value, unsigned line)
{
    struct ini_setting *list = grow(job->settings, job->count, &job->room, sizeof(*list));
    if (!list)
        return -ENOMEM;
    job->settings = list;
    struct ini_setting *setting = &list[job->count];
    *setting = (struct ini_setting){.line = line};
    setting->name = dls_strndup(DLS_MEM_TOOL, name, strlen(name));
    setting->value = value ? dls_strndup(DLS_MEM_TOOL, value, strlen(value)) : NULL;
    job->count++;
    return setting->name && (setting->value || !value) ? 0 : -ENOMEM;
}

static void free_settings(struct ini_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        dls_free(job->settings[i].name);
        dls_free(job->settings[i].value);
    }
    dls_free(job->settings);
    dls_free(job->name);
    *job = (struct ini_job){0};
}

static int start_job(struct reader *reader, const char *name)
{
    struct ini_file *file = reader->file;

    for (size_t i = 0; i < file->count; i++)
        if (!strcmp(file->jobs[i].name, name))
            return dls_err(EEXIST, "'%s', line %u: there is a job '%s' in line %u already", reader->path,
                           reader->line, name, file->jobs[i].line);
    if (file->count == JOBS_MOST)
        return dls_err(E2BIG, "'%s', line %u: more than %d jobs", reader->path, reader->line, JOBS_MOST);
    struct ini_job *jobs = grow(file->jobs, file->count, &file->room, sizeof(*jobs));
    if (!jobs)
        return -ENOMEM;
    file->jobs = jobs;
    reader->into = &jobs[file->count++];
    *reader->into = (struct ini_job){.line = reader->line};
    reader->into->name = dls_strndup(DLS_MEM_TOOL, name, strlen(name));
    int r = reader->into->name ? 0 : -ENOMEM;
    for (size_t i = 0; r == 0 && i < reader->global.count; i++) {
        const struct ini_setting *setting = &reader->global.settings[i];
        r = add_setting(reader->into, setting->name, setting->value, setting->line);
    }
    return r;
}

static int read_section(struct reader *reader, char *text)
{
    char *end = strchr(text, ']');

    if (!end || end[1] != '\0' || end == text + 1)
        return dls_err(EINVAL, "'%s', line %u: '%s' is no section: expected [NAME] alone on the line",
                       reader->path, reader->line, text);
    *end = '\0';
    if (strcmp(text + 1, "global") != 0)
        return start_job(reader, text + 1);
    reader->into = &reader->global;
    return 0;
}

/* Copies `text` to room[LINE_MOST], its ${NAME}s replaced. */
static int expand(const struct reader *reader, const char *text, char *room)
{
    size_t used = 0;

    while (*text) {
        char name[256];
        const char *end = text[0] == '$' && text[1] == '{' ? strchr(text, '}') : NULL;
        const char *from = text;
        size_t length = 1;
        if (end) {
            snprintf(name, sizeof(name), "%.*s", (int)(end - text - 2), text + 2);
            from = getenv(name);
            if (!from)
                return dls_err(ENOENT, "'%s', line %u: the environment has no '%s'", reader->path,
                               reader->line, name);
            length = strlen(from);
        }
        if (used + length + 1 > LINE_MOST)
            return dls_err(E2BIG, "'%s', line %u: the value is longer than %d bytes", reader->path,
                           reader->line, LINE_MOST - 1);
        memcpy(room + used, from, length);
        used += length;
        text = end ? end + 1 : text + 1;
    }
    room[used] = '\0';
    return 0;
}

static void trim(char *text)
{
    size_t n = strlen(text);

    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
}

static int read_setting(struct reader *reader, char *text)
{
    char value[LINE_MOST];
    char *equals = strchr(text, '=');

    if (!reader->into)
        return dls_err(EINVAL, "'%s', line %u: '%s' stands before the first [section]", reader->path,
                       reader->line, text);
    if (!equals)
        return add_setting(reader->into, text, NULL, reader->line);
    *equals = '\0';
    trim(text);
    if (!text[0])
        return dls_err(EINVAL, "'%s', line %u: there is no name before '='", reader->path, reader->line);
    int r = expand(reader, equals + 1 + strspn(equals + 1, " \t"), value);
    return r < 0 ? r : add_setting(reader->into, text, value, reader->line);
}

/* Ends the text where a comment begins. */
static void drop_comment(char *text)
{
    for (char *at = text; *at; at++)
        if ((*at == ';' || *at == '#') && (at == text || at[-1] == ' ' || at[-1] == '\t')) {
            *at = '\0';
            return;
        }
}

static int read_line(struct reader *reader, const char *line, size_t length)
{
    char room[LINE_MOST];

    if (length >= sizeof(room))
        return dls_err(E2BIG, "'%s', line %u: longer than %d bytes", reader->path, reader->line,
                       LINE_MOST - 1);
    if (memchr(line, '\0', length))
        return dls_err(EINVAL, "'%s', line %u: a NUL byte", reader->path, reader->line);
    memcpy(room, line, length);
    room[length] = '\0';
    char *text = room + strspn(room, " \t");
    drop_comment(text);
    trim(text);
    if (!text[0])
        return 0;
    return text[0] == '[' ? read_section(reader, text) : read_setting(reader, text);
}

int ini_parse(const char *path, const char *text, size_t length, struct ini_file *ret_file)
{
    struct reader reader = {.path = path, .file = ret_file};
    const char *end = text + length;
    int r = 0;

    *ret_file = (struct ini_file){0};
    while (r == 0 && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop)
            stop = end;
        reader.line++;
        r = read_line(&reader, text, (size_t)(stop - text));
        text = stop + 1;
    }
    free_settings(&reader.global);
    if (r == 0 && ret_file->count == 0)
        r = dls_err(EINVAL, "'%s': there is no job in it", path);
    return r;
}

int ini_load(const char *path, struct ini_file *ret_file)
{
    size_t length = 0;
    int r = 0;

    *ret_file = (struct ini_file){0};
    FILE *file = fopen(path, "re");
    if (!file)
        return dls_err_sys(errno, "'%s'", path);
    char *text = dls_alloc(DLS_MEM_TOOL, FILE_MOST + 1);
    if (!text)
        r = -ENOMEM;
    else
        length = fread(text, 1, FILE_MOST + 1, file);
    if (r == 0 && ferror(file))
        r = dls_err_sys(errno, "'%s'", path);
    else if (r == 0 && length > FILE_MOST)
        r = dls_err(EFBIG, "'%s': longer than %d bytes", path, FILE_MOST);
    fclose(file);
    if (r == 0)
        r = ini_parse(path, text, length, ret_file);
    dls_free(text);
    return r;
}

void ini_free(struct ini_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free_settings(&file->jobs[i]);
    dls_free(file->jobs);
    *file = (struct ini_file){0};
}

const struct ini_setting *ini_find(const struct ini_job *job, const char *name)
{
    for (size_t i = job->count; i > 0; i--)
        if (!strcmp(job->settings[i - 1].name, name))
            return &job->settings[i - 1];
    return NULL;
}
