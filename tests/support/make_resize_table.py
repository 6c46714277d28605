#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/image/resize_table.h: what Pillow makes of synthetic pictures. Needs pillow, numpy and xxhash.

usage: make_resize_table.py > tests/unit/image/resize_table.h
"""
import random

import numpy as np
import PIL
import xxhash
from PIL import Image

from synthetic import picture

FILTERS = [Image.Resampling.BILINEAR, Image.Resampling.BICUBIC]
# (width, height, box or None for all, to_width, to_height); each is taken with both filters.
FIXED = [
    (1, 1, None, 1, 1), (1, 1, None, 7, 5), (2, 1, None, 1, 1), (1, 2, None, 3, 1), (3, 3, None, 2, 2),
    (5, 4, None, 5, 4), (5, 4, None, 5, 9), (5, 4, None, 9, 4), (17, 9, None, 224, 224), (400, 350, None, 224, 224),
    (224, 224, None, 224, 224), (500, 375, (100, 0, 324, 375), 224, 224), (500, 375, (0, 75, 500, 299), 224, 224),
    (500, 375, (13, 17, 413, 367), 224, 224), (640, 480, None, 32, 32), (2000, 16, None, 3, 5), (16, 2000, None, 5, 3),
    (4, 401, None, 9, 100), (4, 401, None, 4, 77), (4, 400, None, 9, 100), (4, 401, None, 9, 500),
    (1, 1000, None, 64, 64), (3000, 2, None, 224, 2), (33, 65, None, 64, 32), (257, 129, None, 128, 256),
    (448, 448, None, 224, 224), (896, 896, None, 224, 224), (1792, 30, None, 224, 15), (300, 300, None, 299, 301),
]

# On both sides of the border between the two orders of the passes.
BORDER = [
    (100, 300, None, 50, 200), (100, 301, None, 50, 200), (100, 299, None, 50, 200), (427, 640, None, 224, 224),
    (428, 640, None, 224, 224), (448, 672, None, 224, 224), (448, 673, None, 224, 224), (50, 81, None, 60, 80),
    (50, 80, None, 60, 81), (50, 90, None, 50, 80), (200, 90, None, 170, 30), (200, 91, None, 170, 30),
    (600, 700, (20, 10, 420, 690), 300, 480), (600, 700, (20, 10, 420, 691), 300, 480),
]


def random_cases(count):
    rng = random.Random(1)
    for _ in range(count):
        limit = rng.choice([8, 40, 200, 600])
        width, height = rng.randint(1, limit), rng.randint(1, limit)
        left, top = rng.randint(0, width - 1), rng.randint(0, height - 1)
        box = (left, top, rng.randint(left + 1, width), rng.randint(top + 1, height))
        to = rng.choice([8, 40, 224, 300])
        yield width, height, box, rng.randint(1, to), rng.randint(1, to)


def main():
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print(f"/* Made by tests/support/make_resize_table.py with Pillow {PIL.__version__}: pattern, seed, size, box,")
    print(" * filter, target, XXH3 of the target's bytes. */")
    cases = FIXED + list(random_cases(150)) + BORDER
    for number, (width, height, box, to_width, to_height) in enumerate(cases):
        box = box or (0, 0, width, height)
        for kind in (0, 1):
            pattern, seed = (number + kind) % 3, 2 * number + kind
            image = Image.fromarray(picture(pattern, seed, width, height))
            out = np.asarray(image.crop(box).resize((to_width, to_height), FILTERS[kind]))
            print(f"{{{pattern}, {seed}, {width}, {height}, {{{box[0]}, {box[1]}, {box[2] - box[0]}, {box[3] - box[1]}}}, "
                  f"{kind}, {to_width}, {to_height}, 0x{xxhash.xxh3_64_intdigest(out.tobytes()):016x}}},")


main()
