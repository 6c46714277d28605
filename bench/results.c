/* SPDX-License-Identifier: Apache-2.0 */
#include "results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define FILE_MOST (256 << 20)

static int add(struct bench_results *results, const char *name, json_t *result)
{
    if (results->count == results->room) {
        size_t room = results->room ? results->room * 2 : 8;
        void *list = dls_realloc(DLS_MEM_TOOL, results->list, room * sizeof(*results->list));
        if (!list)
            return -ENOMEM;
        results->list = list;
        results->room = room;
    }
    struct bench_loaded *loaded = &results->list[results->count];
    loaded->name = dls_strndup(DLS_MEM_TOOL, name, strlen(name));
    if (!loaded->name)
        return -ENOMEM;
    loaded->result = json_incref(result);
    results->count++;
    return 0;
}

static const char *schema_of(const json_t *json)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    return schema ? schema : "";
}

static int add_run(const char *path, struct bench_results *results, const char *name, json_t *run)
{
    if (strcmp(schema_of(run), "dls-bench-run-1") != 0 || !json_is_object(json_object_get(run, "run")))
        return dls_err(EINVAL, "'%s': not a result of 'dls-bench run --json' (schema '%s')", path,
                       schema_of(run));
    return add(results, name, run);
}

static int add_object(const char *path, struct bench_results *results, const char *name, json_t *json)
{
    size_t i;
    json_t *job;
    int r = 0;

    if (!strcmp(schema_of(json), "dls-bench-sweep-1")) {
        if (!results->sweeps)
            results->sweeps = json_array();
        return json_array_append(results->sweeps, json) < 0 ? -ENOMEM : 0;
    }
    if (strcmp(schema_of(json), "dls-bench-jobs-1") != 0)
        return add_run(path, results, name, json);
    json_array_foreach(json_object_get(json, "jobs"), i, job)
    {
        const char *job_name = json_string_value(json_object_get(job, "job"));
        if (r == 0)
            r = add_run(path, results, job_name ? job_name : name, json_object_get(job, "result"));
    }
    return r;
}

/* The file's name without folders and ending. */
static void short_name(const char *path, char *room, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(room, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(room, '.');
    if (dot && dot != room)
        *dot = '\0';
}

/* The next byte that is no white space is left to be read. */
static int more(FILE *file)
{
    int c;

    while ((c = getc(file)) == ' ' || c == '\n' || c == '\r' || c == '\t')
        ;
    if (c != EOF)
        ungetc(c, file);
    return c != EOF;
}

int bench_results_load(const char *path, struct bench_results *results)
{
    char name[256];
    int r = 0;

    FILE *file = fopen(path, "re");
    if (!file)
        return dls_err_sys(errno, "'%s'", path);
    short_name(path, name, sizeof(name));
    if (!more(file))
        r = dls_err(EINVAL, "'%s': empty", path);
    while (r == 0 && more(file)) {
        json_error_t error;
        json_t *json = json_loadf(file, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (!json)
            r = dls_err(EINVAL, "'%s', line %d: %s", path, error.line, error.text);
        else
            r = add_object(path, results, name, json);
        json_decref(json);
        if (ftello(file) > FILE_MOST)
            r = dls_err(EFBIG, "'%s': longer than %d bytes", path, FILE_MOST);
    }
    fclose(file);
    return r;
}

void bench_results_free(struct bench_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        dls_free(results->list[i].name);
        json_decref(results->list[i].result);
    }
    dls_free(results->list);
    json_decref(results->sweeps);
    *results = (struct bench_results){0};
}

json_t *bench_at(const json_t *result, const char *path)
{
    char name[64];

    while (result) {
        size_t length = strcspn(path, ".");
        if (length >= sizeof(name))
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        json_t *member = json_object_get(result, name);
        if (!path[length])
            return member;
        result = member;
        path += length + 1;
    }
    return NULL;
}

double bench_number_at(const json_t *result, const char *path)
{
    const json_t *member = bench_at(result, path);
    return json_is_number(member) ? json_number_value(member) : NAN;
}
