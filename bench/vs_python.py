#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python costs: images/s of a loop in Python against dls-bench's in C, in alternation; the time of one step of that loop while
batches lie ready; and what a process holds over many epochs, beside torch's DataLoader with 2, 4 and 8 workers.

PHOTOS is a folder of class folders, DATASET the same packed. The last part needs torch and torchvision and is left out without them.
"""
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time

import package
import rounds

BATCH = 64


def build_of(args):
    return os.path.dirname(os.path.dirname(os.path.abspath(args.bench)))


def rate_in_python(args):
    package.load(build_of(args))
    import dlshards

    loader = dlshards.Loader(args.dataset, BATCH, 224, crop="random", flip=True)
    start, images = time.perf_counter(), 0
    while time.perf_counter() - start < args.seconds:
        for pictures, _labels in loader:
            images += len(pictures)
            if time.perf_counter() - start >= args.seconds:
                break
    return {"images_per_second": images / (time.perf_counter() - start)}


def timed(batches, pause):
    """Microseconds of next() on batches that lie ready: in turn, or with a pause of the caller before each."""
    taken = []
    next(batches)
    time.sleep(0.3)
    for _ in range(40):
        time.sleep(pause)
        start = time.perf_counter()
        images, labels = next(batches)
        taken.append((time.perf_counter() - start) * 1e6)
        del images, labels
    return taken


def step_in_python(args):
    """Small images and a long ring, which is filled before the clock runs."""
    package.load(build_of(args))
    import dlshards

    loader = dlshards.Loader(args.dataset, 1, 16, ring_batches=64)
    in_turn, paused = [], []
    for _ in range(4):
        in_turn += timed(iter(loader), 0)
        paused += timed(iter(loader), 0.003)
    return {"in_turn_us": statistics.median(in_turn), "paused_us": statistics.median(paused)}


def holdings(pid):
    """PSS of a process and its children, their open files, and what lies in /dev/shm."""
    pids, memory, files = [pid], 0, 0
    for one in pids:
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children") as file:
                    pids += [int(p) for p in file.read().split()]
            with open(f"/proc/{one}/smaps_rollup") as file:
                memory += next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
            files += len(os.listdir(f"/proc/{one}/fd"))
        except (OSError, StopIteration):
            pass
    shm = os.statvfs("/dev/shm")
    return memory / 1e6, files, (shm.f_blocks - shm.f_bfree) * shm.f_frsize / 1e6, len(pids)


def hold(args, make):
    """Twenty epochs; what is held is looked at in the middle of each."""
    shm_before = holdings(os.getpid())[2]
    loader, seen = make(), []
    for _ in range(args.epochs):
        batches = 0
        for images, _labels in loader:
            batches += 1
            if batches == 2:
                seen.append(holdings(os.getpid()))
            del images
    memory = [s[0] for s in seen]
    return {"memory_mb_first": memory[0], "memory_mb_most": max(memory), "memory_mb_last": memory[-1],
            "open_files": max(s[1] for s in seen), "shm_mb": max(s[2] for s in seen) - shm_before,
            "processes": max(s[3] for s in seen)}


def hold_ours(args):
    package.load(build_of(args))
    from dlshards.torch import TorchLoader

    return hold(args, lambda: TorchLoader(args.dataset, BATCH, 224, crop="random", flip=True, memory="1GiB"))


def hold_data_loader(args):
    import torch
    from torchvision import datasets, transforms

    torch.set_num_threads(1)
    folder = datasets.ImageFolder(args.photos, transforms.Compose([
        transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.PILToTensor()]))
    return hold(args, lambda: torch.utils.data.DataLoader(folder, BATCH, shuffle=True, num_workers=args.workers, drop_last=True,
                                                          persistent_workers=True))


PARTS = {"rate": rate_in_python, "step": step_in_python, "hold-ours": hold_ours, "hold-torch": hold_data_loader}


def alone(args, part, workers=0):
    """A part in a process of its own."""
    command = [sys.executable, os.path.abspath(__file__), args.photos, args.dataset, f"--bench={args.bench}", f"--part={part}",
               f"--seconds={args.seconds}", f"--epochs={args.epochs}", f"--workers={workers}"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])


def main():
    parser = rounds.arguments(__doc__)
    parser.add_argument("photos")
    parser.add_argument("dataset")
    parser.add_argument("--epochs", type=int, default=20, help="of the comparison of memory (default 20)")
    parser.add_argument("--part", choices=PARTS, help="run this part alone and print its figures")
    parser.add_argument("--workers", type=int, default=0, help="of the DataLoader, with --part=hold-torch")
    args = parser.parse_args()
    if args.part:
        print(json.dumps(PARTS[args.part](args)), flush=True)
        os._exit(0)
    last = {}

    def in_c():
        values, last["result"] = rounds.bench_run(args.bench, args.dataset, args.seconds, "--crop=random", "--flip",
                                                  f"--batch={BATCH}")
        return {"images_per_second": values["images_per_second"]}
    values = rounds.play({"in C": in_c, "in Python": lambda: alone(args, "rate"), "a step": lambda: alone(args, "step")}, args.rounds)
    ratio = rounds.ratio(values, "in Python", "in C", "images_per_second")
    env = rounds.environment(last["result"], args)
    rows = ["# What Python costs", "", rounds.describe(env), f"- {args.rounds} rounds of {args.seconds:g} s a run, in alternation", "",
            "Median (least–most).", "", "| | |", "| --- | --- |",
            f"| images/s, dls-bench (C) | {rounds.show(rounds.spread(values['in C']['images_per_second']), 0)} |",
            f"| images/s, Python | {rounds.show(rounds.spread(values['in Python']['images_per_second']), 0)} |",
            f"| Python : C | {rounds.show(ratio, 3)} |",
            f"| one step of the loop, batches being ready, microseconds | {rounds.show(rounds.spread(values['a step']['in_turn_us']), 1)} |",
            f"| the same behind 3 ms of sleep | {rounds.show(rounds.spread(values['a step']['paused_us']), 1)} |",
            ""]
    report = {"environment": env, "rates": values, "ratio": ratio}
    if importlib.util.find_spec("torchvision"):
        held = {"dlshards": alone(args, "hold-ours")}
        for workers in (2, 4, 8):
            held[f"DataLoader, {workers} workers"] = alone(args, "hold-torch", workers)
        report["held"] = held
        rows += [f"Over {args.epochs} epochs, looked at in the middle of each; memory of the process and its children, shared pages counted once:", "",
                 "| | memory at first, MB | most | at last | open files | in /dev/shm, MB | processes |", "| --- | --- | --- | --- | --- | --- | --- |"]
        rows += [f"| {name} | {h['memory_mb_first']:.0f} | {h['memory_mb_most']:.0f} | {h['memory_mb_last']:.0f} | {h['open_files']} | "
                 f"{h['shm_mb']:.0f} | {h['processes']} |" for name, h in held.items()]
    rounds.finish(args.out, report, "\n".join(rows))


if __name__ == "__main__":
    main()
