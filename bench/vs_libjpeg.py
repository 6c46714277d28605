#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The loader, warm and decoding, against bare libjpeg-turbo that decodes the same files whole from memory, in alternation.

DATASET is PHOTOS packed by `dlpack-shards pack`. Both get the same number of decode threads.
"""
import sys

import rounds


def main():
    parser = rounds.arguments(__doc__)
    parser.add_argument("photos")
    parser.add_argument("dataset")
    parser.add_argument("--threads", default="1,2", help="numbers of decode threads (default 1,2)")
    args = parser.parse_args()
    threads = [int(n) for n in args.threads.split(",")]
    last = {}

    def bare(n):
        def go():
            r = rounds.run_json([args.bench, "decode", args.photos, "--json", f"--threads={n}",
                                 f"--seconds={round(args.seconds * 1000)}ms"])
            if r["refused"]:
                sys.exit(f"{args.photos}: files in it are no JPEG pictures")
            return {"images_per_second": r["images_per_second"], "mb_per_second": r["bytes_per_second"] / 1e6,
                    "cpu_s_per_1000_images": r["cpu_seconds"] / r["images"] * 1000}
        return go

    def loader(n, *options):
        def go():
            values, result = rounds.bench_run(args.bench, args.dataset, args.seconds, f"--threads={n}", "--batch=64",
                                              *options)
            last["result"] = result
            return {k: values[k] for k in ("images_per_second", "mb_per_second", "cpu_s_per_1000_images")}
        return go

    names = {}
    contestants = {}
    for n in threads:
        s = "" if n == 1 else "s"
        names[n] = f"libjpeg-turbo, {n} thread{s}"
        contestants[names[n]] = bare(n)
        contestants[f"RandomResizedCrop 224 and flip, {n} thread{s}"] = loader(n, "--crop=random", "--flip")
        contestants[f"squash 224, {n} thread{s}"] = loader(n, "--crop=squash")
    rounds.bench_run(args.bench, args.dataset, 1)  # warms the page cache
    values = rounds.play(contestants, args.rounds)

    def rival(name):
        return next(names[n] for n in threads if f", {n} thread" in name)

    env = rounds.environment(last["result"], args)
    report = {
        "what": "loader against bare libjpeg-turbo", "environment": env,
        "records": last["result"]["dataset"]["records"], "bytes": last["result"]["dataset"]["bytes"],
        "seconds": args.seconds, "rounds": args.rounds,
        "results": {n: {m: rounds.spread(v) for m, v in ms.items()} for n, ms in values.items()},
        "ratios_to_libjpeg": {n: {m: rounds.ratio(values, n, rival(n), m) for m in ms} for n, ms in values.items()},
    }
    lines = ["# The loader, warm, against bare libjpeg-turbo", "",
             rounds.describe(env) + f"\n- {args.rounds} rounds of {args.seconds:g} s a run, in alternation; {report['records']} "
             f"photos, {report['bytes'] / 1e6:.1f} MB, in the page cache", "",
             "Median (least–most). Ratios are to libjpeg-turbo's run, with as many threads, of the same round.", "",
             "| | images/s | : libjpeg-turbo | MB/s | CPU s/1000 images |", "| --- | --- | --- | --- | --- |"]
    for name, result in report["results"].items():
        lines.append(f"| {name} | {rounds.show(result['images_per_second'], 0)} | "
                     f"{rounds.show(report['ratios_to_libjpeg'][name]['images_per_second'], 2)} | "
                     f"{rounds.show(result['mb_per_second'], 0)} | {rounds.show(result['cpu_s_per_1000_images'], 2)} |")
    rounds.finish(args.out, report, "\n".join(lines))


main()
