#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/image/color_table.h: what torchvision's functions for Pillow images make of synthetic pictures. Needs
pillow, numpy and xxhash; torchvision's own few lines (ImageEnhance, a sum in the hue channel) are written out here.

usage: make_color_table.py > tests/unit/image/color_table.h
"""
import numpy as np
import PIL
import xxhash
from PIL import Image, ImageEnhance

from synthetic import picture

ENHANCERS = [ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color]
HUE, GREY = 3, 4


def adjust(operation, factor, image):
    if operation < HUE:
        return ENHANCERS[operation](image).enhance(factor)
    if operation == HUE:
        hue, saturation, value = image.convert("HSV").split()
        turned = np.array(hue, dtype=np.uint8) + np.int32(factor * 255).astype(np.uint8)
        return Image.merge("HSV", (Image.fromarray(turned), saturation, value)).convert("RGB")
    grey = image.convert("L")
    return Image.merge("RGB", (grey, grey, grey))


def main():
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print(f"/* Made by tests/support/make_color_table.py with Pillow {PIL.__version__}: pattern, seed, size, operation")
    print(" * (0 brightness, 1 contrast, 2 saturation, 3 hue, 4 grey), factor, XXH3 of the result's bytes. */")
    seed = 0
    for width, height in ((1, 1), (3, 2), (64, 5), (65, 5), (131, 40), (224, 224)):
        for operation in range(5):
            factors = [0, 1, 0.5, 0.75, 1.25, 2.5, 0.1] if operation < HUE else [0, 0.5, -0.5, 0.1, -0.1, 0.37]
            for factor in factors if operation != GREY else [0]:
                seed += 1
                image = Image.fromarray(picture(seed % 3, seed, width, height))
                out = np.asarray(adjust(operation, factor, image))
                print(f"{{{seed % 3}, {seed}, {width}, {height}, {operation}, {factor}, "
                      f"0x{xxhash.xxh3_64_intdigest(out.tobytes()):016x}}},")


main()
