#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The loader on an emulated disk against that disk's own sequential rate (fio, from end to end), in alternation.

DATASET is copied to a tmpfs and laid over `span` bytes of the disk in pieces of `extent`. Every run gets a fresh mount, so that
nothing is cached; a run during which the emulator was late is void and is made again.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import emulated
import rounds


def main():
    parser = rounds.arguments(__doc__)
    parser.add_argument("profile")
    parser.add_argument("dataset")
    parser.add_argument("--options", default="span=150G,extent=8Mi", help="of the disk (default span=150G,extent=8Mi)")
    parser.set_defaults(rounds=3, seconds=10)
    args = parser.parse_args()
    base = tempfile.mkdtemp(prefix="dls-disk-", dir="/dev/shm")
    mountpoint = os.path.join(base, "mnt")
    last, reports = {}, {}

    def on_disk(name, run):
        def go():
            for _ in range(5):
                with emulated.Disk(args.bench, args.profile, os.path.join(base, "src"), mountpoint, args.options) as disk:
                    values = run(mountpoint)
                if disk.report["in_time"]:
                    reports.setdefault(name, []).append(disk.report)
                    return values
                print(f"{name}: the emulator was late, once more", file=sys.stderr)
            sys.exit("the emulator is late all the time: this machine is too busy")
        return go

    def fio(where):
        files = sorted(glob.glob(os.path.join(where, "shard-*.dls")))
        done = subprocess.run(
            ["fio", "--name=read", "--filename=" + ":".join(files), "--readonly", "--rw=read", "--bs=1M", "--iodepth=8",
             "--ioengine=io_uring", "--direct=1", "--time_based", f"--runtime={args.seconds}",
             "--file_service_type=sequential", "--thread", "--output-format=json"], stdout=subprocess.PIPE, check=True)
        read = json.loads(done.stdout)["jobs"][0]["read"]
        return {"mb_per_second": read["io_bytes"] / read["runtime"] / 1e3}

    def loader(*options):
        def go(where):
            values, result = rounds.bench_run(args.bench, where, args.seconds, *options)
            last["result"] = result
            return {k: values[k] for k in ("mb_per_second", "images_per_second")}
        return go

    runs = {"fio, sequential": fio, "dls, read only, shuffled": loader("--read-only"),
            "dls, read only, stored order": loader("--read-only", "--order=none"),
            "dls, decoded, RandomResizedCrop 224": loader("--crop=random", "--batch=64")}
    try:
        shutil.copytree(args.dataset, os.path.join(base, "src"))
        os.mkdir(mountpoint)
        values = rounds.play({n: on_disk(n, r) for n, r in runs.items()}, args.rounds)
    finally:
        shutil.rmtree(base)
    env = rounds.environment(last["result"], args)
    env.pop("device")
    env.pop("filesystem")
    report = {
        "what": "loader on an emulated disk", "environment": env, "profile": args.profile, "options": args.options,
        "bytes": last["result"]["dataset"]["bytes"], "seconds": args.seconds, "rounds": args.rounds,
        "results": {n: {m: rounds.spread(v) for m, v in ms.items()} for n, ms in values.items()},
        "ratios_to_sequential": {n: rounds.ratio(values, n, "fio, sequential", "mb_per_second") for n in values},
        "emulator": {n: [{k: r[k] for k in ("late_us_mean", "late_us_p99", "late_us_max", "late_share", "seek_ms",
                                            "queue_mean", "cpu_s_per_gb")} for r in rs] for n, rs in reports.items()},
    }
    late = max(r["late_us_p99"] for rs in reports.values() for r in rs)
    lines = [f"# The loader on an emulated disk: {args.profile}, {args.options}", "",
             rounds.describe(env) + f"\n- {args.rounds} rounds of {args.seconds:g} s a run, in alternation; {report['bytes'] / 1e6:.0f}"
             f" MB; the emulator's answers were at most {late:.0f} µs late (99th percentile of the worst run)", "",
             "Median (least–most). Ratios are to fio's sequential run of the same round.", "",
             "| | MB/s | : sequential | images/s |", "| --- | --- | --- | --- |"]
    for name, result in report["results"].items():
        images = rounds.show(result["images_per_second"], 0) if "images_per_second" in result else "–"
        lines.append(f"| {name} | {rounds.show(result['mb_per_second'], 0)} | "
                     f"{rounds.show(report['ratios_to_sequential'][name], 3)} | {images} |")
    rounds.finish(args.out, report, "\n".join(lines))


main()
