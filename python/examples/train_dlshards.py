#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same training from a dataset that `dlpack-shards pack PHOTOS DATASET` has made. See train_dataloader.py."""

import argparse

import torch

import model
from dlshards.torch import TorchLoader
from measure import Meter


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--memory", default="1GiB")
    args = parser.parse_args()
    torch.manual_seed(0)

    loader = TorchLoader(args.dataset, args.batch, args.size, augment="half-train", memory=args.memory, epochs=args.epochs)
    network = model.small(len(loader.classes))
    optimizer = model.optimizer_of(network)
    meter = Meter()
    for epoch in range(args.epochs):
        losses = []
        for images, labels in meter(loader):
            losses.append(model.step(network, optimizer, images, labels))
            if len(losses) % 8 == 1:
                meter.look()
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}")
    print(meter.line("dlshards"))
    print(loader.verdict())


if __name__ == "__main__":
    main()
