#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel: torchrun --nproc-per-node=2 ddp.py DATASET

The loader takes rank and world from torchrun. Every rank does the same number of steps (tail="pad"), and together they see
each record once; this script checks that."""

import argparse
import sys

import numpy
import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

import model
from dlshards.torch import TorchLoader


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=5)
    args = parser.parse_args()

    distributed.init_process_group("gloo")
    loader = TorchLoader(args.dataset, args.batch, 64, augment="half-train", tail="pad", epochs=args.epochs, memory="256MiB")
    torch.manual_seed(0)
    network = DistributedDataParallel(model.small(len(loader.classes)))
    optimizer = model.optimizer_of(network)
    good = True
    for epoch in range(args.epochs):
        steps, records = 0, []
        for batch in loader.batches():
            images, labels = torch.from_dlpack(batch.images), torch.from_dlpack(batch.labels)
            records += numpy.asarray(batch.records)[: batch.count].tolist()
            if (labels >= 0).any():
                model.step(network, optimizer, images, labels)
            else:  # no sample left for this rank: the step without a share of the gradient
                optimizer.zero_grad()
                (network(images).sum() * 0).backward()
                optimizer.step()
            steps += 1
            del batch, images, labels
        everyone = [None] * distributed.get_world_size()
        distributed.all_gather_object(everyone, (steps, records))
        seen = sorted(record for _, some in everyone for record in some)
        good &= len({steps for steps, _ in everyone}) == 1 and seen == list(range(len(loader.dataset)))
        if distributed.get_rank() == 0:
            print(f"epoch {epoch}: {[steps for steps, _ in everyone]} steps, {len(seen)} records, {'good' if good else 'BAD'}", flush=True)
    loader.close()
    distributed.destroy_process_group()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
