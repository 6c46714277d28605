# SPDX-License-Identifier: Apache-2.0
"""The contestants: each is a generator of (images, labels) without end, from what data.py has made in `root`.

images: uint8, batch × 224 × 224 × 3 or batch × 3 × 224 × 224; RandomResizedCrop and flip unless the name says otherwise.
"""
import os
import sys

BATCH, SIDE = 64, 224


def endless(loader):
    while True:
        yield from loader


def pil_transform():
    from torchvision import transforms

    return transforms.Compose([transforms.RandomResizedCrop(SIDE), transforms.RandomHorizontalFlip(), transforms.PILToTensor()])


def decode_jpeg_transform():
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg
    from torchvision.transforms import v2

    crop = v2.Compose([v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()])

    def apply(data):
        # A copy, as torch wants memory that it may write to.
        return crop(decode_jpeg(torch.frombuffer(bytearray(data), dtype=torch.uint8), mode=ImageReadMode.RGB))
    return apply


class FromBytes:
    """Bytes of a JPEG file to a tensor, by torchvision's decoder."""

    def __init__(self):
        self.apply = None

    def __call__(self, data):
        if self.apply is None:
            self.apply = decode_jpeg_transform()
        return self.apply(data)


def data_loader(data, workers, **options):
    import torch

    torch.set_num_threads(1)
    return endless(torch.utils.data.DataLoader(data, num_workers=workers, persistent_workers=workers > 0, drop_last=True,
                                               batch_size=options.pop("batch_size", BATCH), **options))


def dlshards(root, workers, build):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    import package

    package.load(build)
    from dlshards.torch import TorchLoader

    return endless(TorchLoader(os.path.join(root, "dls"), BATCH, SIDE, crop="random", flip=True))


def torch_pil(root, workers, build):
    from torchvision import datasets

    return data_loader(datasets.ImageFolder(os.path.join(root, "photos"), pil_transform()), workers, shuffle=True)


def load_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def torch_decode_jpeg(root, workers, build):
    from torchvision import datasets

    folder = datasets.DatasetFolder(os.path.join(root, "photos"), load_bytes, extensions=(".jpg", ".jpeg", ".JPEG"),
                                    transform=FromBytes())
    return data_loader(folder, workers, shuffle=True)


def dali(root, workers, build):
    from nvidia.dali import fn, pipeline_def

    @pipeline_def(batch_size=BATCH, num_threads=workers, device_id=None, prefetch_queue_depth=2)
    def pipeline():
        coded, labels = fn.readers.file(file_root=os.path.join(root, "photos"), random_shuffle=True, name="reader")
        images = fn.decoders.image_random_crop(coded, device="cpu", random_area=[0.08, 1.0],
                                               random_aspect_ratio=[3 / 4, 4 / 3])
        images = fn.resize(images, size=[SIDE, SIDE])
        return fn.flip(images, horizontal=fn.random.coin_flip()), labels

    pipe = pipeline()
    pipe.build()
    while True:
        images, labels = pipe.run()
        yield images.as_tensor(), labels.as_array().reshape(-1)


def webdataset(root, workers, build):
    import glob

    import webdataset as wds

    urls = sorted(glob.glob(os.path.join(root, "wds", "*.tar")))
    data = (wds.WebDataset(urls, shardshuffle=len(urls), nodesplitter=wds.split_by_node, workersplitter=wds.split_by_worker)
            .shuffle(1000).to_tuple("jpg", "cls").map_tuple(FromBytes(), int).batched(BATCH, partial=False))
    return endless(wds.WebLoader(data, batch_size=None, num_workers=min(workers, len(urls))))


def mosaicml(root, workers, build):
    from streaming import StreamingDataset

    class Photos(StreamingDataset):
        def __init__(self, **options):
            super().__init__(**options)
            self.transform = FromBytes()

        def __getitem__(self, index):
            sample = super().__getitem__(index)
            return self.transform(sample["image"]), sample["label"]

    return data_loader(Photos(local=os.path.join(root, "mds"), shuffle=True, batch_size=BATCH), workers)


def litdata(root, workers, build):
    import litdata as lit

    class Photos(lit.StreamingDataset):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.crop = FromBytes()

        def __getitem__(self, index):
            sample = super().__getitem__(index)
            return self.crop(sample["image"]), sample["label"]

    data = Photos(os.path.join(root, "litdata"), shuffle=True, drop_last=True)
    return endless(lit.StreamingDataLoader(data, batch_size=BATCH, num_workers=workers))


def grain(root, workers, build):
    import glob

    import grain.python as pygrain
    import numpy
    import torch

    class Decode(pygrain.MapTransform):
        def __init__(self):
            self.crop = FromBytes()

        def map(self, record):
            torch.set_num_threads(1)
            return numpy.asarray(self.crop(record[4:])), int.from_bytes(record[:4], "little")

    source = pygrain.ArrayRecordDataSource(sorted(glob.glob(os.path.join(root, "array_record", "*"))))
    sampler = pygrain.IndexSampler(len(source), pygrain.NoSharding(), shuffle=True, seed=0)
    return pygrain.DataLoader(data_source=source, sampler=sampler, worker_count=workers,
                              operations=[Decode(), pygrain.Batch(BATCH, drop_remainder=True)])


def spdl(root, workers, build):
    import random

    import numpy
    import spdl.io
    from spdl.pipeline import PipelineBuilder

    photos = os.path.join(root, "photos")
    samples = [(os.path.join(photos, c, f), i) for i, c in enumerate(sorted(os.listdir(photos)))
               for f in sorted(os.listdir(os.path.join(photos, c)))]

    def source():
        order = random.Random(0)
        while True:
            order.shuffle(samples)
            yield from samples

    def decode(batch):
        buffer = spdl.io.load_image_batch([path for path, _ in batch], width=SIDE, height=SIDE)
        return spdl.io.to_numpy(buffer), numpy.array([label for _, label in batch])

    pipeline = (PipelineBuilder().add_source(source()).aggregate(BATCH).pipe(decode, concurrency=workers).add_sink(4)
                .build(num_threads=workers))
    with pipeline.auto_stop():
        yield from pipeline.get_iterator(timeout=60)


def ffcv(root, workers, build):
    from ffcv.fields.decoders import IntDecoder, RandomResizedCropRGBImageDecoder
    from ffcv.loader import Loader, OrderOption
    from ffcv.transforms import RandomHorizontalFlip, Squeeze, ToTensor, ToTorchImage

    # As its guide says: random order where all is in memory, quasi-random and its own cache where it is not.
    in_memory = os.environ.get("DLS_PEERS_DISK") == "warm"
    image = [RandomResizedCropRGBImageDecoder((SIDE, SIDE)), RandomHorizontalFlip(), ToTensor(), ToTorchImage()]
    loader = Loader(os.path.join(root, "ffcv", "photos.beton"), batch_size=BATCH, num_workers=workers, os_cache=in_memory,
                    order=OrderOption.RANDOM if in_memory else OrderOption.QUASI_RANDOM, drop_last=True,
                    pipelines={"image": image, "label": [IntDecoder(), ToTensor(), Squeeze(1)]})
    return endless(loader)


# Name, generator, the module it needs, what of root it reads, and whether its numbers of workers are tried.
CONTESTANTS = {
    "dlshards": (dlshards, "torch", "dls", False),
    "DataLoader + PIL": (torch_pil, "torchvision", "photos", True),
    "DataLoader + decode_jpeg": (torch_decode_jpeg, "torchvision", "photos", True),
    "DALI (CPU)": (dali, "nvidia.dali", "photos", True),
    "FFCV (re-encoded)": (ffcv, "ffcv", "ffcv", True),
    "SPDL (squash)": (spdl, "spdl.io", "photos", True),
    "WebDataset": (webdataset, "webdataset", "wds", True),
    "MosaicML Streaming": (mosaicml, "streaming", "mds", True),
    "LitData": (litdata, "litdata", "litdata", True),
    "Grain + ArrayRecord": (grain, "grain", "array_record", True),
}
