# SPDX-License-Identifier: Apache-2.0
"""The pictures of synthetic.c, for the scripts that make tables of what Pillow gives for them."""
import numpy as np

NOISE, EDGES, WAVES = range(3)


def scramble(value):
    value = np.asarray(value, np.uint64)
    with np.errstate(over="ignore"):
        value = (value ^ (value >> np.uint64(31))) * np.uint64(0x9FB21C651E98DF25)
        value = (value ^ (value >> np.uint64(29))) * np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))


def picture(pattern, seed, width, height):
    """An array of height × width × 3 bytes."""
    base = int(scramble(np.uint64(seed + 1)))
    i = np.arange(width * height * 3, dtype=np.uint64)
    with np.errstate(over="ignore"):
        noise = scramble(np.uint64(base) + i)
    if pattern == NOISE:
        out = noise & np.uint64(255)
    elif pattern == EDGES:
        out = (noise & np.uint64(1)) * np.uint64(255)
    else:
        i = i.astype(np.int64)
        x, y, channel = i % (3 * width) // 3, i // (3 * width), i % 3
        at = x * (1 + base % 5) + y * (1 + base // 8 % 7) + channel * (base % 256)
        at = (at + (noise % np.uint64(16)).astype(np.int64)) % 510
        out = np.where(at < 256, at, 510 - at)
    return out.astype(np.uint8).reshape(height, width, 3)
