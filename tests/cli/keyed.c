/* SPDX-License-Identifier: Apache-2.0 */
/* keyed OUT KEY...: a dataset whose records have these keys, whatever they are. "NUL" in a key is a NUL byte. */
#include <dlshards/dlshards.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/support.h"

int main(int argc, char **argv)
{
    dls_writer_params params;
    dls_writer *writer = NULL;

    CHECK(argc > 2);
    dls_writer_params_init(&params);
    CHECK(dls_writer_open(argv[1], &params, &writer) == 0);
    for (int i = 2; i < argc; i++) {
        struct support_jpeg spec = {.width = 32, .height = 24, .seed = (uint32_t)i};
        size_t length, key = strlen(argv[i]);
        uint8_t *jpeg = support_make_jpeg(&spec, &length);
        int64_t label = -1;
        char *nul = strstr(argv[i], "NUL");
        if (nul) {
            memmove(nul + 1, nul + 3, strlen(nul + 3) + 1);
            *nul = 0;
            key -= 2;
        }
        dls_value values[3] = {{.data = jpeg,
                                .length = length,
                                .codec = DLS_CODEC_JPEG,
                                .width = spec.width,
                                .height = spec.height,
                                .channels = 3},
                               {.data = &label, .length = sizeof(label)},
                               {.data = argv[i], .length = key}};
        CHECK(dls_writer_add(writer, values, 3) == 0);
        free(jpeg);
    }
    CHECK(dls_writer_finish(writer) == 0);
    dls_writer_close(&writer);
    return 0;
}
