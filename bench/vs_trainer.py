#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a trainer waits that takes --ms a batch: PyTorch's DataLoader over a folder with several num_workers against dlshards,
on the same emulated disk, in alternation. ROOT is made by peers/data.py; needs torch and torchvision."""
import argparse
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "peers"))
import emulated
import loaders  # noqa: E402
import rounds  # noqa: E402
import run as peers  # noqa: E402


def run_one(args):
    """In a process of its own: a trainer that sleeps for its work, as one does that waits for a GPU."""
    loaders.BATCH = args.batch
    make = loaders.dlshards if args.workers_one < 0 else loaders.torch_pil
    batches = iter(make(args.root, args.workers_one, args.build))
    next(batches)
    start, waited, steps = time.perf_counter(), 0, 0
    while time.perf_counter() - start < args.seconds:
        time.sleep(args.ms / 1e3)
        before = time.perf_counter()
        next(batches)
        waited += time.perf_counter() - before
        steps += 1
    seconds = time.perf_counter() - start
    print(json.dumps({"waiting_share": waited / seconds, "busy_share": 1 - waited / seconds, "seconds": seconds,
                      "images_per_second": steps * args.batch / seconds}), flush=True)
    for pid in peers.family(os.getpid())[1:]:
        os.kill(pid, 9)  # children of this process alone
    os._exit(0)


def measure(args, workers):
    data = "dls" if workers < 0 else "photos"
    for _ in range(4):
        base = peers.tempfile.mkdtemp(prefix="dls-trainer-")
        mountpoint = os.path.join(base, data)
        os.mkdir(mountpoint)
        try:
            with emulated.Disk(args.bench, args.disk, os.path.join(args.root, data), mountpoint, args.options) as disk:
                command = [sys.executable, os.path.abspath(__file__), base, f"--bench={args.bench}", f"--workers-one={workers}",
                           f"--batch={args.batch}", f"--ms={args.ms}", f"--seconds={args.seconds}", f"--build={args.build}", "--one"]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=args.seconds * 10 + 300)
        finally:
            os.rmdir(mountpoint)
            os.rmdir(base)
        if disk.report["in_time"]:
            return json.loads(done.stdout.splitlines()[-1])
        print("the emulator was late, once more", file=sys.stderr)
    sys.exit("the emulator is late all the time: this machine is too busy")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--bench", required=True)
    parser.add_argument("--disk", default="hdd-7200")
    parser.add_argument("--options", default="span=150G")
    parser.add_argument("--ms", type=float, default=20, help="of the trainer, a batch (default 20)")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--workers", default="0,2,4,8")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--out")
    parser.add_argument("--note", default="")
    parser.add_argument("--build", help=argparse.SUPPRESS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--workers-one", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.build = args.build or os.path.dirname(os.path.dirname(os.path.abspath(args.bench)))
    if args.one:
        run_one(args)
    names = {f"DataLoader + PIL over the folder, num_workers={n}": int(n) for n in args.workers.split(",")}
    names["dlshards"] = -1
    values = rounds.play({name: (lambda n: lambda: measure(args, n))(n) for name, n in names.items()}, args.rounds)
    _, result = rounds.bench_run(args.bench, os.path.join(args.root, "dls"), 1)
    env = rounds.environment(result, args)
    rows = [f"# A trainer of {args.ms:g} ms a batch of {args.batch} on an emulated disk: {args.disk}, {args.options}", "",
            rounds.describe(env), f"- {peers.versions(['DataLoader + PIL'])}",
            f"- {args.rounds} rounds of {args.seconds:g} s a run, from the second batch on, in alternation; RandomResizedCrop 224 and flip", "",
            f"The trainer could take {args.batch / args.ms * 1e3:.0f} images a second. Median (least–most).", "",
            "| | trainer waits, % | trainer works, % | images/s | time for the same epoch, dlshards' = 1 |", "| --- | --- | --- | --- | --- |"]
    for name, v in values.items():
        times = rounds.ratio(values, "dlshards", name, "images_per_second")
        rows.append(f"| {name} | {rounds.show(rounds.spread([100 * x for x in v['waiting_share']]), 1)} | "
                    f"{rounds.show(rounds.spread([100 * x for x in v['busy_share']]), 1)} | "
                    f"{rounds.show(rounds.spread(v['images_per_second']), 0)} | {rounds.show(times, 2)} |")
    report = {"environment": env, "disk": args.disk, "options": args.options, "ms": args.ms, "batch": args.batch,
              "runs": {n: {m: rounds.spread(x) for m, x in v.items()} for n, v in values.items()}}
    rounds.finish(args.out, report, "\n".join(rows))


if __name__ == "__main__":
    main()
