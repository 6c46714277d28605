#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training from a folder of photos (PHOTOS/class/picture) with torch's DataLoader. See train_dlshards.py."""

import argparse
import pathlib
import random

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

import model
from measure import Meter


class Photos(Dataset):
    def __init__(self, root, size):
        self.classes = sorted(entry.name for entry in pathlib.Path(root).iterdir() if entry.is_dir())
        self.files = [
            (file, label)
            for label, name in enumerate(self.classes)
            for file in sorted(pathlib.Path(root, name).rglob("*"))
            if file.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp")
        ]
        self.transform = v2.Compose(
            [
                v2.Resize((size, size)),
                v2.RandomHorizontalFlip(),
                v2.ToImage(),
                v2.ToDtype(torch.float32, scale=True),
                v2.Normalize([0.5] * 3, [0.5] * 3),
            ]
        )

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        file, label = self.files[index]
        with Image.open(file) as image:
            return self.transform(image.convert("RGB")), label


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(0)
    random.seed(0)

    data = Photos(args.photos, args.size)
    loader = DataLoader(
        data,
        batch_size=args.batch,
        shuffle=True,
        num_workers=args.workers,
        pin_memory=torch.cuda.is_available(),
        drop_last=True,
        persistent_workers=args.workers > 0,
    )
    network = model.small(len(data.classes))
    optimizer = model.optimizer_of(network)
    meter = Meter()
    for epoch in range(args.epochs):
        losses = []
        for images, labels in meter(loader):
            losses.append(model.step(network, optimizer, images, labels))
            if len(losses) % 8 == 1:
                meter.look()
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}")
    print(meter.line(f"DataLoader, {args.workers} workers"))


if __name__ == "__main__":
    main()
