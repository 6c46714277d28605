#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The read path against fio: the same files, request size, depth and O_DIRECT, nothing decoded, in alternation.

Where the kernel has huge pages reserved (vm.nr_hugepages), fio also runs in its best form, with them: the loader's buffers lie on
transparent ones, and on virtual disks that alone can triple the rate. fio reads the files from end to end; the loader reads the same bytes in its blocks, as stored and shuffled, without
and with checking every record's checksum. CPU is user and system time of the whole process.
"""
import glob
import json
import os
import subprocess
import sys

import rounds


def fio_run(files, size, depth, seconds, *options):
    done = subprocess.run(
        ["fio", "--name=read", "--filename=" + ":".join(f.replace(":", "\\:") for f in files), "--readonly", "--rw=read",
         f"--bs={size}", f"--iodepth={depth}", "--ioengine=io_uring", "--direct=1", "--time_based",
         f"--runtime={seconds}", "--file_service_type=sequential", "--thread", "--output-format=json", *options],
        stdout=subprocess.PIPE, check=True)
    job = json.loads(done.stdout)["jobs"][0]
    read = job["read"]
    wall = read["runtime"] / 1000
    cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000
    return {"mb_per_second": read["io_bytes"] / wall / 1e6, "cpu_s_per_gb": cpu / (read["io_bytes"] / 1e9)}


def huge_bytes():
    """Of huge pages that are free to be taken."""
    with open("/proc/meminfo", encoding="ascii") as file:
        facts = dict(line.split(":") for line in file)
    return int(facts["HugePages_Free"]) * int(facts["Hugepagesize"].split()[0]) * 1024


def main():
    parser = rounds.arguments(__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--io-size", type=int, default=1 << 20, help="bytes of a request (default 1048576)")
    parser.add_argument("--depth", type=int, default=32, help="requests in flight (default 32)")
    args = parser.parse_args()
    files = sorted(glob.glob(os.path.join(args.dataset, "shard-*.dls")))
    if not files:
        sys.exit(f"{args.dataset}: no shards in it")
    last = {}

    def loader(*options):
        def go():
            values, result = rounds.bench_run(args.bench, args.dataset, args.seconds, "--read-only", "--direct=on",
                                              "--engine=uring", f"--depth={args.depth}", f"--io-size={args.io_size}",
                                              *options)
            last["result"] = result
            return {k: values[k] for k in ("mb_per_second", "cpu_s_per_gb")}
        return go

    def fio(*options):
        return lambda: fio_run(files, args.io_size, args.depth, args.seconds, *options)

    fixed = ("--fixedbufs=1", "--registerfiles=1")
    contestants = {"fio": fio(), "fio, fixed buffers and files": fio(*fixed)}
    best = "fio, fixed buffers and files"
    if huge_bytes() >= args.io_size * args.depth + (4 << 20):
        contestants["fio, huge pages"] = fio("--iomem=shmhuge")
        best = "fio, fixed buffers and files, huge pages"
        contestants[best] = fio(*fixed, "--iomem=shmhuge")
    contestants.update({
        "dls, stored order, no checksums": loader("--order=none", "--no-verify"),
        "dls, shuffled, no checksums": loader("--no-verify"),
        "dls, shuffled, checksums": loader(),
    })
    values = rounds.play(contestants, args.rounds)
    env = rounds.environment(last["result"], args)
    report = {
        "what": "read path against fio", "environment": env,
        "engine": last["result"]["engine"]["detail"],
        "fio": rounds.command_output("fio", "--version"),
        "bytes": sum(os.path.getsize(f) for f in files), "io_size": args.io_size, "depth": args.depth,
        "seconds": args.seconds, "rounds": args.rounds,
        "results": {n: {m: rounds.spread(v) for m, v in ms.items()} for n, ms in values.items()},
        "ratios_to_fio": {n: {m: rounds.ratio(values, n, "fio", m) for m in ms} for n, ms in values.items()},
        "fio_best": best,
        "ratios_to_fio_best": {n: {m: rounds.ratio(values, n, best, m) for m in ms} for n, ms in values.items()},
    }
    lines = [f"# The read path against fio: {args.io_size // 1024} KiB requests, depth {args.depth}", "",
             rounds.describe(env) + f"\n- {report['fio']}; {args.rounds} rounds of {args.seconds:g} s a run, in alternation; "
             f"{report['bytes'] / 1e6:.0f} MB in {len(files)} shard(s), O_DIRECT\n- engine: {report['engine']}", "",
             f"Median (least–most). Ratios are to fio's run of the same round; its best is *{best}*.", "",
             "| | MB/s | : fio | : its best | CPU s/GB | : fio | : its best |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, result in report["results"].items():
        cells = []
        for measure, digits in (("mb_per_second", 0), ("cpu_s_per_gb", 3)):
            cells.append(rounds.show(result[measure], digits))
            cells.append(rounds.show(report["ratios_to_fio"][name][measure], 2))
            cells.append(rounds.show(report["ratios_to_fio_best"][name][measure], 2))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    rounds.finish(args.out, report, "\n".join(lines))


main()
