#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dct_scale "fast" against "exact": how far apart the images are, as PSNR over the three channels, and what it gains.

DATASET is read whole, squashed, at each size. Only images that differ count for the PSNR. Needs numpy.
"""
import sys
import time

import rounds


def epoch(dataset, size, crop, dct_scale):
    import dlshards
    return dlshards.Loader(dataset, 64, size, crop=crop, shuffle=False, tail="exact", epochs=1, dct_scale=dct_scale,
                           memory="1GiB")


def psnrs(dataset, size, crop):
    """Of the images that differ, and how many there are in all."""
    import numpy
    values, count = [], 0
    for (exact, _), (fast, _) in zip(epoch(dataset, size, crop, "exact"), epoch(dataset, size, crop, "fast")):
        error = ((exact.astype(numpy.float32) - fast) ** 2).mean(axis=(1, 2, 3))
        count += len(error)
        values += [10 * numpy.log10(255**2 / e) for e in error if e > 0]
    return numpy.array(values), count


def rate(dataset, size, crop, dct_scale):
    count, start = 0, time.perf_counter()
    for images, _ in epoch(dataset, size, crop, dct_scale):
        count += len(images)
    return count / (time.perf_counter() - start)


def main():
    import os
    import package
    parser = rounds.arguments(__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--sizes", default="32,64,96,128,160,224", help="sides (default 32,64,96,128,160,224)")
    parser.add_argument("--crop", default="squash", choices=("squash", "center", "random"))
    args = parser.parse_args()
    package.load(os.path.dirname(os.path.dirname(os.path.abspath(args.bench))))
    import numpy
    _, result = rounds.bench_run(args.bench, args.dataset, 1)
    report = {"what": "dct_scale fast against exact", "environment": rounds.environment(result, args),
              "crop": args.crop, "rounds": args.rounds, "results": {}}
    lines = ["# dct_scale fast against exact", "", rounds.describe(report["environment"]), "",
             f"Crop {args.crop}. PSNR in dB of the images that differ, over all three channels. Rates: {args.rounds} epochs "
             "of each in alternation, median (least–most).", "",
             "| side | differ | PSNR least | 5 % | median | images/s exact | fast | gain |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for size in (int(s) for s in args.sizes.split(",")):
        values, count = psnrs(args.dataset, size, args.crop)
        rates = {name: [] for name in ("exact", "fast")}
        for number in range(args.rounds):
            for name in ("exact", "fast") if number % 2 else ("fast", "exact"):
                rates[name].append(rate(args.dataset, size, args.crop, name))
        spread = {name: rounds.spread(v) for name, v in rates.items()}
        gain = rounds.spread([f / e for f, e in zip(rates["fast"], rates["exact"])])
        quality = [float(v) for v in numpy.percentile(values, (0, 5, 50))] if len(values) else None
        report["results"][str(size)] = {"images": count, "differ": len(values), "psnr_0_5_50": quality,
                                        "images_per_second": spread, "gain": gain}
        shown = " | ".join(f"{v:.1f}" for v in quality) if quality else "– | – | –"
        lines.append(f"| {size} | {100 * len(values) / count:.0f} % | {shown} | {rounds.show(spread['exact'], 0)} | "
                     f"{rounds.show(spread['fast'], 0)} | {rounds.show(gain, 2)} |")
        print(f"{size} done", file=sys.stderr)
    rounds.finish(args.out, report, "\n".join(lines))


main()
