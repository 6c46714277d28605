/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over files and the files of directories, in the order of their names. */
#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    size_t length;
    uint8_t *data = support_read_file(path, &length);
    /* Of exactly the right length, so that AddressSanitizer sees one byte too far. */
    uint8_t *exact = malloc(length != 0 ? length : 1);

    if (exact == NULL)
        abort();
    memcpy(exact, data, length);
    free(data);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
    return 1;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_directory(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, visible, alphasort);

    if (count < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 0;
    }
    for (int i = 0; i < count; i++) {
        replay_file(support_path(path, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;

    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
            count += replay_directory(argv[i]);
        else
            count += replay_file(argv[i]);
    }
    /* A corpus that has gone missing must not pass for one without faults. */
    if (count == 0) {
        fprintf(stderr, "no input\n");
        return 1;
    }
    printf("%d inputs\n", count);
    return 0;
}
