/* SPDX-License-Identifier: Apache-2.0 */
/* make_dataset FOLDER N: makes FOLDER/photos with N pictures and FOLDER/set.dls with the same. */
#include <dlshards/dlshards.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/support.h"

int main(int argc, char **argv)
{
    dls_writer_params params;
    dls_writer *writer = NULL;
    char path[4096];

    CHECK(argc == 3);
    dls_writer_params_init(&params);
    params.block_bytes = 64 << 10;
    snprintf(path, sizeof(path), "%s/set.dls", argv[1]);
    CHECK(dls_writer_open(path, &params, &writer) == 0);
    for (uint32_t i = 0; i < (uint32_t)atoi(argv[2]); i++) {
        struct support_jpeg spec = {.width = 80 + i % 50, .height = 60 + i % 30, .seed = i};
        size_t length;
        uint8_t *jpeg = support_make_jpeg(&spec, &length);
        int64_t label = i % 3;
        snprintf(path, sizeof(path), "%s/photos/%u.jpg", argv[1], i);
        support_write_file(path, jpeg, length);
        dls_value values[3] = {{.data = jpeg,
                                .length = length,
                                .codec = DLS_CODEC_JPEG,
                                .width = spec.width,
                                .height = spec.height,
                                .channels = 3},
                               {.data = &label, .length = sizeof(label)},
                               {.data = path, .length = strlen(path)}};
        CHECK(dls_writer_add(writer, values, 3) == 0);
        free(jpeg);
    }
    CHECK(dls_writer_finish(writer) == 0);
    dls_writer_close(&writer);
    return 0;
}
