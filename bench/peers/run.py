#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dlshards and other loaders on the same photos and the same disk, in alternation: run.py ROOT --bench=DLS_BENCH; see README.md."""
import argparse
import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import emulated  # noqa: E402
import rounds  # noqa: E402
from loaders import BATCH, CONTESTANTS  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
MEASURES = ("images_per_second", "mb_per_second", "cpu_s_per_1000_images", "memory_mb", "first_batch_seconds")


def family(pid):
    """This process and all below it."""
    found, todo = [], [pid]
    while todo:
        pid = todo.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as file:
                    todo += [int(p) for p in file.read().split()]
        except OSError:
            pass
    return found


def cpu_seconds(pid):
    total = 0
    for one in family(pid):
        try:
            with open(f"/proc/{one}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += sum(int(fields[i]) for i in (11, 12, 13, 14))
        except OSError:
            pass
    return total / TICK


def memory_bytes(pid):
    total = 0
    for one in family(pid):
        try:
            with open(f"/proc/{one}/smaps_rollup") as file:
                total += next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):
            pass
    return total


def check(images, labels, classes):
    import numpy

    images = numpy.asarray(images)
    labels = numpy.asarray(labels)
    if images.dtype != numpy.uint8 or images.shape not in ((BATCH, 224, 224, 3), (BATCH, 3, 224, 224)):
        sys.exit(f"a batch of {images.shape} {images.dtype}")
    if labels.shape != (BATCH,) or labels.min() < 0 or labels.max() >= classes:
        sys.exit(f"labels {labels}")
    return float(images.mean())


def run_one(args):
    """In a process of its own: the figures of one contestant."""
    classes = len(os.listdir(os.path.join(args.root, "photos"))) if not args.classes else args.classes
    make = CONTESTANTS[args.one][0]
    start = time.perf_counter()
    batches = iter(make(args.root, args.workers_one, args.build))
    images, labels = next(batches)
    first = time.perf_counter() - start
    means = [check(images, labels, classes)]
    begin, cpu, count, used = time.perf_counter(), cpu_seconds(os.getpid()), 0, [0]
    done = threading.Event()

    def watch():
        while not done.wait(0.5):
            used[0] = max(used[0], memory_bytes(os.getpid()))
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    while time.perf_counter() - begin < args.seconds:
        images, labels = next(batches)
        count += BATCH
        if count % (16 * BATCH) == 0:
            means.append(check(images, labels, classes))
    seconds = time.perf_counter() - begin
    done.set()
    watcher.join()
    print(json.dumps({"images_per_second": count / seconds, "first_batch_seconds": first, "seconds": seconds, "images": count,
                      "cpu_s_per_1000_images": (cpu_seconds(os.getpid()) - cpu) / count * 1000,
                      "memory_mb": used[0] / 1e6, "mean": sum(means) / len(means)}), flush=True)
    for pid in family(os.getpid())[1:]:
        os.kill(pid, signal.SIGKILL)  # children of this process alone
    os._exit(0)


def measure(args, disk, name, workers, root):
    command = [sys.executable, os.path.abspath(__file__), root, f"--bench={args.bench}", f"--one={name}", f"--build={args.build}",
               f"--workers-one={workers}", f"--seconds={args.seconds}",
               f"--classes={len(os.listdir(os.path.join(args.root, 'photos')))}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "DLS_PEERS_DISK": disk}, timeout=args.seconds * 10 + 300,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1:] or done.returncode}")
    return json.loads(lines[-1])


def drop_caches(folder):
    subprocess.run(["sync"], check=True)
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3")
    except OSError:
        for path, _, names in os.walk(folder):
            for name in names:
                fd = os.open(os.path.join(path, name), os.O_RDONLY)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(fd)


def one_run(args, disk, name, workers):
    data = CONTESTANTS[name][2]
    if disk in ("warm", "cold"):
        if disk == "cold":
            drop_caches(os.path.join(args.root, data))
        result = measure(args, disk, name, workers, args.root)
        result["mb_per_second"] = float("nan")
        return result
    for _ in range(4):
        base = tempfile.mkdtemp(prefix="dls-peers-")
        mountpoint = os.path.join(base, data)
        os.mkdir(mountpoint)
        try:
            with emulated.Disk(args.bench, disk, os.path.join(args.root, data), mountpoint, args.options) as mounted:
                result = measure(args, disk, name, workers, base)
        finally:
            os.rmdir(mountpoint)
            os.rmdir(base)
        if mounted.report["in_time"]:
            result["mb_per_second"] = mounted.report["bytes"] / 1e6 / (result["seconds"] + result["first_batch_seconds"])
            return result
        print(f"{name}: the emulator was late, once more", file=sys.stderr)
    raise RuntimeError(f"{name}: the emulator is late all the time")


def present():
    names = []
    for name, (_, module, _, _) in CONTESTANTS.items():
        try:
            importlib.import_module(module)
            names.append(name)
        except Exception as error:  # what a broken package raises is its own affair
            print(f"{name} is left out: {error}", file=sys.stderr)
    return names


def play(args, disk, names):
    """{(name, workers): {measure: [value a round]}}"""
    runs = [(name, n) for name in names for n in (args.workers if CONTESTANTS[name][3] else [0])]
    values, failed = {}, set()
    for number in range(args.rounds):
        shift = number % len(runs)
        for name, workers in runs[shift:] + runs[:shift]:
            if (name, workers) in failed:
                continue
            try:
                result = one_run(args, disk, name, workers)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"{disk}: {error}", file=sys.stderr)
                failed.add((name, workers))
                continue
            for measure_name in MEASURES + ("mean",):
                values.setdefault((name, workers), {}).setdefault(measure_name, []).append(result[measure_name])
        print(f"{disk}: round {number + 1} of {args.rounds}", file=sys.stderr)
    return values


def middle(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def best_of(values):
    """For each contestant the number of workers with the best median."""
    best = {}
    for (name, workers), measures in values.items():
        rate = middle(measures["images_per_second"])
        if name not in best or rate > middle(values[(name, best[name])]["images_per_second"]):
            best[name] = workers
    return best


def text(values, digits):
    if values[0] != values[0]:
        return "–"
    return f"{middle(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def table(disk, values):
    best = best_of(values)
    ours = values.get(("dlshards", 0))
    rows = [f"## {disk}", "", "| | workers | images/s | dlshards : it | MB/s off the disk | CPU s/1000 images | memory, MB | first batch, s |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name in sorted(best, key=lambda n: -middle(values[(n, best[n])]["images_per_second"])):
        measures = values[(name, best[name])]
        pairs = zip(ours["images_per_second"], measures["images_per_second"]) if ours else []
        ratio = [a / b for a, b in pairs]
        tried = ", ".join(f"{w}: {middle(v['images_per_second']):.0f}" for (n, w), v in values.items() if n == name and w)
        rows.append(f"| {name} | {best[name] or '–'}{' (' + tried + ')' if tried else ''} | {text(measures['images_per_second'], 0)} | "
                    f"{text(ratio, 2) if ratio else '–'} | {text(measures['mb_per_second'], 1)} | "
                    f"{text(measures['cpu_s_per_1000_images'], 2)} | {text(measures['memory_mb'], 0)} | "
                    f"{text(measures['first_batch_seconds'], 2)} |")
    if ours:
        mean = middle(ours["mean"])
        for (name, workers), measures in values.items():
            if abs(middle(measures["mean"]) / mean - 1) > 0.1:
                rows += ["", f"{name}, {workers} workers: its pixels' mean is {middle(measures['mean']):.1f}, dlshards' {mean:.1f}"]
    return "\n".join(rows) + "\n"


def versions(names):
    found = []
    for module in sorted({CONTESTANTS[name][1] for name in names} | {"PIL"}):
        version = getattr(importlib.import_module(module), "__version__", None)
        if version is None:
            from importlib import metadata

            package = {"spdl.io": "spdl"}.get(module, module)
            version = metadata.version(package) if package else "?"
        found.append(f"{module} {version}")
    return ", ".join(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--bench", required=True)
    parser.add_argument("--disks", default="warm,hdd-7200", help="warm, cold and names of emulated disks (default warm,hdd-7200)")
    parser.add_argument("--options", default="span=150G", help="of the emulated disks (default span=150G)")
    parser.add_argument("--workers", default="1,2,4,8", help="numbers of workers or threads to try (default 1,2,4,8)")
    parser.add_argument("--only", help="names of contestants, with commas between them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--out", help="write OUT.md and OUT.json")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--workers-one", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--build", help=argparse.SUPPRESS)
    parser.add_argument("--classes", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.build = args.build or os.path.dirname(os.path.dirname(os.path.abspath(args.bench)))
    if args.one:
        run_one(args)
    args.workers = [int(n) for n in args.workers.split(",")]
    names = [n for n in present() if not args.only or n in args.only.split(",")]
    _, result = rounds.bench_run(args.bench, os.path.join(args.root, "dls"), 1)
    args.note = f"{result['dataset']['records']} photos, {result['dataset']['bytes'] / 1e6:.0f} MB"
    head = (f"# dlshards and others\n\n{rounds.describe(rounds.environment(result, args))}\n- {versions(names)}\n"
            f"- {args.rounds} rounds of {args.seconds:g} s a run in alternation; batches of {BATCH}, RandomResizedCrop 224 "
            f"and flip, uint8; emulated disks with {args.options}\n- median (least–most); the workers with the best median, in brackets what "
            "each number gave\n\n")
    parts, everything = [], {}
    for disk in args.disks.split(","):
        values = play(args, disk, names)
        parts.append(table(disk, values))
        everything[disk] = [{"name": n, "workers": w, **m} for (n, w), m in values.items()]
        print(parts[-1], flush=True)
        if args.out:
            with open(args.out + ".md", "w") as file:
                file.write(head + "\n".join(parts))
            with open(args.out + ".json", "w") as file:
                json.dump(everything, file, indent=1)
                file.write("\n")


if __name__ == "__main__":
    main()
