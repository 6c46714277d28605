/* SPDX-License-Identifier: Apache-2.0 */
#include "golden/make.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: golden-make FOLDER\n");
        return 2;
    }
    golden_make(argv[1]);
    return 0;
}
