#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JAX: batches by DLPack, without a copy on the CPU, into a jitted function."""

import argparse

import jax
import jax.numpy as jnp

import dlshards


@jax.jit
def statistics(images, labels):
    pixels = images.astype(jnp.float32) / 255
    return pixels.mean((0, 1, 2)), labels.max()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    args = parser.parse_args()

    loader = dlshards.Loader(args.dataset, 8, 64, crop="random", flip=True, epochs=1, memory="256MiB")
    for batch in loader.batches():
        images, labels = jax.dlpack.from_dlpack(batch.images), jax.dlpack.from_dlpack(batch.labels)
        # JAX computes while Python goes on: wait, before the batch is given back.
        mean, largest = jax.block_until_ready(statistics(images, labels))
        print(f"batch {batch.index}: {images.shape}, mean {[round(float(m), 3) for m in mean]}, labels to {int(largest)}")
        del batch, images, labels


if __name__ == "__main__":
    main()
