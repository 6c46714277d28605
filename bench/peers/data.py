#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes each loader's own dataset out of one folder of class folders with JPEG files: data.py PHOTOS OUT --bench=DLS_BENCH.

OUT gets photos/ (copies, --copies of each), dls/, wds/, mds/, litdata/, array_record/ and ffcv/; those whose package is missing are left out.
"""
import argparse
import importlib.util
import os
import shutil
import subprocess


def have(module):
    return importlib.util.find_spec(module) is not None


def list_photos(folder):
    """(path, label) in a shuffled order that is always the same: formats that are read in sequence need it."""
    import random

    classes = sorted(os.listdir(folder))
    samples = [(os.path.join(folder, c, f), i) for i, c in enumerate(classes) for f in sorted(os.listdir(os.path.join(folder, c)))]
    random.Random(0).shuffle(samples)
    return samples


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make_photos(source, out, copies):
    for name in sorted(os.listdir(source)):
        os.makedirs(os.path.join(out, name))
        for file in sorted(os.listdir(os.path.join(source, name))):
            for i in range(copies):
                shutil.copyfile(os.path.join(source, name, file), os.path.join(out, name, f"{i:03d}-{file}"))


def make_wds(samples, out):
    import webdataset

    os.makedirs(out)
    with webdataset.ShardWriter(os.path.join(out, "%05d.tar"), maxsize=64e6, verbose=0) as writer:
        for i, (path, label) in enumerate(samples):
            writer.write({"__key__": f"{i:09d}", "jpg": read(path), "cls": label})


def make_mds(samples, out):
    from streaming import MDSWriter

    with MDSWriter(out=out, columns={"image": "bytes", "label": "int"}, size_limit="64mb") as writer:
        for path, label in samples:
            writer.write({"image": read(path), "label": label})


def lit_sample(sample):
    return {"image": read(sample[0]), "label": sample[1]}


def make_litdata(samples, out):
    import litdata

    litdata.optimize(lit_sample, samples, output_dir=out, chunk_bytes="64MB", num_workers=1)


def make_array_record(samples, out):
    from array_record.python.array_record_module import ArrayRecordWriter

    os.makedirs(out)
    writer = ArrayRecordWriter(os.path.join(out, "photos.array_record"), "group_size:1")
    for path, label in samples:
        writer.write(label.to_bytes(4, "little") + read(path))
    writer.close()


class Samples:
    """What FFCV's writer indexes: it encodes the pictures anew."""

    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        from PIL import Image

        return Image.open(self.samples[index][0]).convert("RGB"), self.samples[index][1]


def make_ffcv(samples, out):
    from ffcv.fields import IntField, RGBImageField
    from ffcv.writer import DatasetWriter

    os.makedirs(out)
    fields = {"image": RGBImageField(write_mode="jpg", jpeg_quality=90), "label": IntField()}
    DatasetWriter(os.path.join(out, "photos.beton"), fields, num_workers=1).from_indexed_dataset(Samples(samples))


FORMATS = {"ffcv": ("ffcv", make_ffcv), "wds": ("webdataset", make_wds), "mds": ("streaming", make_mds), "litdata": ("litdata", make_litdata),
           "array_record": ("array_record", make_array_record)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos")
    parser.add_argument("out")
    parser.add_argument("--bench", required=True, help="the dls-bench whose build has dlpack-shards beside it")
    parser.add_argument("--copies", type=int, default=20, help="of each photo, so that the data are larger (default 20)")
    args = parser.parse_args()
    os.makedirs(args.out)
    photos = os.path.join(args.out, "photos")
    make_photos(args.photos, photos, args.copies)
    pack = os.path.join(os.path.dirname(args.bench), "../tools/dlpack-shards")
    subprocess.run([pack, "pack", photos, os.path.join(args.out, "dls"), "-q"], check=True)
    samples = list_photos(photos)
    for name, (module, make) in FORMATS.items():
        if have(module):
            make(samples, os.path.join(args.out, name))
            print(name, "made")
        else:
            print(f"{name}: no {module} here")


if __name__ == "__main__":
    main()
