/* SPDX-License-Identifier: Apache-2.0 */
#include "support/pattern.h"

#include "base/rng.h"
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *pattern_dir(void)
{
    static const char *directory;
    static pid_t maker;

    if (maker != getpid()) {
        maker = getpid();
        directory = support_temp_dir();
    }
    return directory;
}

void pattern_fill(uint32_t number, uint64_t offset, uint8_t *memory, size_t length)
{
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = dls_mix64(number + 1, offset + i);
        memcpy(memory + i, &word, 8);
    }
}

void pattern_write(const char *path, uint32_t number, uint64_t length)
{
    uint8_t *bytes = malloc(length + 8);

    if (bytes == NULL)
        abort();
    pattern_fill(number, 0, bytes, (length + 7) / 8 * 8);
    support_write_file(path, bytes, length);
    free(bytes);
}

int64_t pattern_check(uint32_t number, uint64_t offset, const uint8_t *memory, size_t length)
{
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = dls_mix64(number + 1, offset + i);
        if (memcmp(memory + i, &word, 8) != 0)
            return (int64_t)(offset + i);
    }
    return -1;
}

uint8_t *pattern_memory(size_t length)
{
    uint8_t *memory = aligned_alloc(4096, (length + 4095) / 4096 * 4096);

    if (memory == NULL)
        abort();
    memset(memory, 0xee, length);
    return memory;
}

bool pattern_direct_works(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    uint8_t *page = pattern_memory(4096);
    bool works = fd >= 0 && pread(fd, page, 4096, 0) >= 0;

    if (fd >= 0)
        close(fd);
    free(page);
    return works;
}
