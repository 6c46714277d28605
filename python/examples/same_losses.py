#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A ResNet-18 sees RandomResizedCrops of a dataset; a second one sees the same crops, made by Pillow and torchvision from the
same files. The losses of both are equal, step by step."""

import argparse
import io
import sys

import numpy
import torch
from PIL import Image, ImageOps
from torchvision.models import resnet18
from torchvision.transforms.v2 import functional

import dlshards
import model


def by_torchvision(dataset, draw, size):
    """The image that `draw` describes, in torchvision's way."""
    picture = ImageOps.exif_transpose(Image.open(io.BytesIO(dataset.raw(int(draw["record"]))["image"]))).convert("RGB")
    box = [int(draw[name]) for name in ("y", "x", "height", "width")]
    picture = functional.resized_crop(picture, *box, [size, size])
    if draw["flip"]:
        picture = functional.horizontal_flip(picture)
    image = functional.pil_to_tensor(picture).to(torch.float32) / 255
    return functional.normalize(image, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", type=int, default=96)
    args = parser.parse_args()

    loader = dlshards.Loader(args.dataset, args.batch, args.size, augment="imagenet-train", draws=True, memory="512MiB")
    networks, optimizers = [], []
    for _ in range(2):
        torch.manual_seed(0)
        networks.append(resnet18(num_classes=len(loader.classes)))
        optimizers.append(model.optimizer_of(networks[-1]))
    equal, step = True, 0
    while step < args.steps:
        for batch in loader.batches():
            labels = torch.from_dlpack(batch.labels)
            draws = numpy.asarray(batch.draws).view(dlshards.DRAW)[:, 0]
            theirs = torch.stack([by_torchvision(loader.dataset, draw, args.size) for draw in draws])
            ours = model.step(networks[0], optimizers[0], torch.from_dlpack(batch.images), labels)
            other = model.step(networks[1], optimizers[1], theirs, labels)
            print(f"step {step}: dlshards {ours:.6f}, torchvision {other:.6f}")
            equal &= ours == other
            step += 1
            del batch, labels, draws
            if step == args.steps:
                break
    print("equal" if equal else "DIFFERENT")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
