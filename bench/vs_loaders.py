#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dlshards against the loaders that PyTorch users have, warm, from the page cache, on all cores, in alternation.

PHOTOS is a folder of class folders with JPEGs, DATASET the same packed. Two pipelines: RandomResizedCrop 224, flip and
normalisation to float32; and Resize((224, 224)), flip, ToTensor, Normalize(0.5). Each run is a process of its own that is
timed once its first batches are through. Needs torch, torchvision and nvidia-dali (CPU only); what is missing is left out.
"""
import importlib.util
import json
import os
import subprocess
import sys
import time

import package
import rounds

BATCH, SIDE, WARM_UP = 64, 224, 1.5
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CPUS = len(os.sched_getaffinity(0))


def endless(loader):
    while True:
        yield from loader


def dlshards_batches(args, crop):
    package.load(os.path.dirname(os.path.dirname(os.path.abspath(args.bench))))
    from dlshards.torch import TorchLoader

    mean, std = (MEAN, STD) if crop == "random" else ((0.5,) * 3, (0.5,) * 3)
    return endless(TorchLoader(args.dataset, BATCH, SIDE, crop=crop, flip=True, dtype="float32", layout="nchw", mean=mean,
                               std=std))


class Files:
    """Bytes of JPEG files to tensors, without Pillow."""

    def __init__(self, samples, transform):
        self.samples, self.transform = samples, transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        from torchvision.io import ImageReadMode, decode_jpeg, read_file

        path, label = self.samples[index]
        return self.transform(decode_jpeg(read_file(path), mode=ImageReadMode.RGB)), label


def torch_batches(args, kind, workers):
    import torch
    from torchvision import datasets, transforms
    from torchvision.transforms import v2

    torch.set_num_threads(1)
    folder = datasets.ImageFolder(args.photos)
    folder.samples = folder.imgs = folder.samples * 20  # so that an epoch is no shorter than the packed one
    if kind == "decode_jpeg":
        data = Files(folder.samples, v2.Compose([
            v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(MEAN, STD)]))
    else:
        shape = transforms.RandomResizedCrop(SIDE) if kind == "PIL" else transforms.Resize((SIDE, SIDE))
        norm = transforms.Normalize(MEAN, STD) if kind == "PIL" else transforms.Normalize((0.5,) * 3, (0.5,) * 3)
        folder.transform = transforms.Compose([shape, transforms.RandomHorizontalFlip(), transforms.ToTensor(), norm])
        data = folder
    return endless(torch.utils.data.DataLoader(data, BATCH, shuffle=True, num_workers=workers, drop_last=True,
                                               persistent_workers=True))


def dali_batches(args):
    from nvidia.dali import fn, pipeline_def, types

    @pipeline_def(batch_size=BATCH, num_threads=CPUS, device_id=None)
    def pipeline():
        coded, labels = fn.readers.file(file_root=args.photos, random_shuffle=True, name="reader")
        images = fn.decoders.image_random_crop(coded, device="cpu", random_area=[0.08, 1.0],
                                               random_aspect_ratio=[3 / 4, 4 / 3])
        images = fn.resize(images, size=[SIDE, SIDE])
        return fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="CHW", mirror=fn.random.coin_flip(),
                                        mean=[255 * m for m in MEAN], std=[255 * s for s in STD]), labels

    pipe = pipeline()
    pipe.build()
    while True:
        yield pipe.run()


CONTESTANTS = {
    "dlshards, random": lambda args: dlshards_batches(args, "random"),
    "DALI (CPU), random": dali_batches,
    "DataLoader + PIL, 1 worker, random": lambda args: torch_batches(args, "PIL", 1),
    "DataLoader + PIL, 2 workers, random": lambda args: torch_batches(args, "PIL", 2),
    "DataLoader + decode_jpeg + v2, 1 worker, random": lambda args: torch_batches(args, "decode_jpeg", 1),
    "DataLoader + decode_jpeg + v2, 2 workers, random": lambda args: torch_batches(args, "decode_jpeg", 2),
    "dlshards, squash": lambda args: dlshards_batches(args, "squash"),
    "DataLoader + PIL, 1 worker, squash": lambda args: torch_batches(args, "squash", 1),
    "DataLoader + PIL, 2 workers, squash": lambda args: torch_batches(args, "squash", 2),
}
BARE = "bare libjpeg-turbo, full decode"
# Figure: what is divided, by the best of what.
RATIOS = {
    "dlshards : DALI (CPU), random": ("dlshards, random", "DALI"),
    "dlshards : DataLoader + PIL, random": ("dlshards, random", "DataLoader + PIL"),
    "dlshards : DataLoader + decode_jpeg + v2, random": ("dlshards, random", "DataLoader + decode_jpeg"),
    "dlshards, random : bare libjpeg-turbo": ("dlshards, random", BARE),
    "dlshards : DataLoader + PIL, squash": ("dlshards, squash", "DataLoader + PIL"),
}


def cpu_seconds():
    """User and system time of this process and of its children, which are loaders' workers."""
    ticks = 0
    for pid in (entry for entry in os.listdir("/proc") if entry.isdigit()):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(pid) == os.getpid() or int(fields[1]) == os.getpid():
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def run_one(args):
    """In a process of its own: the rate of one contestant."""
    batches = iter(CONTESTANTS[args.one](args))
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP:
        next(batches)
    start, cpu, count = time.perf_counter(), cpu_seconds(), 0
    while time.perf_counter() - start < args.seconds:
        next(batches)
        count += BATCH
    elapsed = time.perf_counter() - start
    print(json.dumps({"images_per_second": count / elapsed,
                      "cpu_s_per_1000_images": (cpu_seconds() - cpu) / count * 1000}), flush=True)
    os._exit(0)  # no loader's threads or workers are waited for


def batch_is_equal(args):
    """A batch of the squash pipeline against torchvision's transforms on Pillow pictures, flipped as it was drawn."""
    import io

    import numpy
    import torch
    from PIL import Image, ImageOps
    from torchvision import transforms

    import dlshards
    half = (0.5,) * 3
    finish = transforms.Compose([transforms.ToTensor(), transforms.Normalize(half, half)])
    loader = dlshards.Loader(args.dataset, BATCH, SIDE, flip=True, dtype="float32", layout="nchw", mean=half, std=half,
                             draws=True)
    batch = next(loader.batches())
    draws = numpy.asarray(batch.draws).view(dlshards.DRAW)[:, 0]
    wanted = []
    for draw in draws:
        raw = loader.dataset.raw(int(draw["record"]))["image"]
        picture = ImageOps.exif_transpose(Image.open(io.BytesIO(raw))).convert("RGB")
        picture = transforms.functional.resize(picture, [SIDE, SIDE])
        wanted.append(finish(transforms.functional.hflip(picture) if draw["flip"] else picture))
    return torch.equal(torch.from_dlpack(batch.images), torch.stack(wanted))


def versions():
    found = []
    for module in ("torch", "torchvision", "PIL", "nvidia.dali"):
        try:
            found.append(f"{module.split('.')[-1]} {importlib.import_module(module).__version__}")
        except ImportError:
            found.append(f"no {module}")
    return ", ".join(found)


def contestants(args):
    def go(name):
        command = [sys.executable, os.path.abspath(__file__), args.photos, args.dataset, f"--bench={args.bench}",
                   f"--seconds={args.seconds}", f"--one={name}"]
        return lambda: json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)

    def bare():
        r = rounds.run_json([args.bench, "decode", args.photos, "--json", f"--threads={CPUS}",
                             f"--seconds={round(args.seconds * 1000)}ms"])
        return {"images_per_second": r["images_per_second"],
                "cpu_s_per_1000_images": r["cpu_seconds"] / r["images"] * 1000}

    have_torch, have_dali = (importlib.util.find_spec(m) is not None for m in ("torchvision", "nvidia"))
    names = [n for n in CONTESTANTS if (have_dali or not n.startswith("DALI")) and (have_torch or n.startswith("DALI"))]
    return {**{name: go(name) for name in names}, BARE: bare}


def ratios(values):
    result = {}
    for title, (ours, rival) in RATIOS.items():
        kind = ours.rsplit(" ", 1)[1]
        rivals = [n for n in values if n.startswith(rival) and (n == BARE or n.endswith(kind))]
        if rivals and ours in values:
            best = max(rivals, key=lambda n: rounds.spread(values[n]["images_per_second"])["median"])
            result[title] = {"rival": best, **rounds.ratio(values, ours, best, "images_per_second"),
                             "cpu": rounds.ratio(values, best, ours, "cpu_s_per_1000_images")}
    return result


def main():
    parser = rounds.arguments(__doc__)
    parser.add_argument("photos")
    parser.add_argument("dataset")
    parser.add_argument("--one", help="run this contestant alone and print its rate")
    args = parser.parse_args()
    if args.one:
        run_one(args)
    _, last = rounds.bench_run(args.bench, args.dataset, 1)
    values = rounds.play(contestants(args), args.rounds)
    package.load(os.path.dirname(os.path.dirname(os.path.abspath(args.bench))))
    env = rounds.environment(last, args)
    report = {
        "what": "loaders for PyTorch", "environment": env, "peers": versions(), "cpus": CPUS, "batch": BATCH,
        "records": last["dataset"]["records"], "seconds": args.seconds, "rounds": args.rounds,
        "batch_equals_torchvision": batch_is_equal(args) if importlib.util.find_spec("torchvision") else None,
        "results": {n: {m: rounds.spread(v) for m, v in ms.items()} for n, ms in values.items()},
        "ratios": ratios(values),
    }
    lines = ["# Loaders for PyTorch, warm", "", rounds.describe(env), f"- {versions()}",
             f"- {args.rounds} rounds of {args.seconds:g} s a run, in alternation; batches of {BATCH}, {CPUS} threads for "
             "dlshards, DALI and libjpeg-turbo; photos in the page cache",
             f"- a batch of the squash pipeline equals torchvision's to the bit: {report['batch_equals_torchvision']}", "",
             "Medians (least–most). CPU time is that of the process and its workers: where other programs take part of the CPUs, it "
             "says more than rates do.", "",
             "| | images/s | CPU s/1000 images |", "| --- | --- | --- |"]
    for name, result in report["results"].items():
        lines.append(f"| {name} | {rounds.show(result['images_per_second'], 0)} | "
                     f"{rounds.show(result['cpu_s_per_1000_images'], 2)} |")
    lines += ["", "Ratios round by round, to the better number of workers; of CPU time, how many times as much the other takes:", "",
              "| | images/s | CPU time |", "| --- | --- | --- |"]
    for title, ratio in report["ratios"].items():
        lines.append(f"| {title} | {rounds.show(ratio, 2)} | {rounds.show(ratio['cpu'], 2)} |")
    rounds.finish(args.out, report, "\n".join(lines))


main()
