# SPDX-License-Identifier: Apache-2.0
"""Whole batches against torchvision's transforms on Pillow pictures, to the bit. Skipped where torch is missing."""

import io
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import dlshards

try:
    import PIL
    import torch
    from PIL import Image, ImageOps
    from torchvision import transforms as v1
    from torchvision.transforms import v2

    MISSING = "" if int(PIL.__version__.split(".")[0]) >= 13 else "Pillow is older than 13 and resizes otherwise"
except ImportError as error:
    MISSING = str(error)

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "sample"
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@unittest.skipIf(MISSING, MISSING)
class TorchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "sample.dls")
        tool = os.path.join(os.environ["DLS_BUILD"], "tools", "dlpack-shards")
        subprocess.run([tool, "pack", "-q", os.environ.get("DLS_PHOTOS", str(SAMPLE)), cls.path], check=True)
        cls.dataset = dlshards.Dataset(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def pictures(self, batch):
        for record in numpy.asarray(batch.records):
            raw = self.dataset.raw(int(record))["image"]
            yield ImageOps.exif_transpose(Image.open(io.BytesIO(raw))).convert("RGB")

    def batches(self, size, **params):
        params = {"tail": "exact", "epochs": 1, "memory": "256MiB", **params}
        loader = dlshards.Loader(self.dataset, 8, size, **params)
        seen = 0
        for batch in loader.batches():
            seen += len(numpy.asarray(batch.labels))
            yield batch
        self.assertEqual(seen, len(self.dataset))

    def compare(self, transform, size, **params):
        """transform: a Pillow picture to what stands in the batch."""
        for batch in self.batches(size, **params):
            wanted = torch.stack([transform(picture) for picture in self.pictures(batch)])
            got = torch.from_dlpack(batch.images)
            self.assertEqual(got.shape, wanted.shape)
            self.assertTrue(torch.equal(got, wanted), str(params))

    def test_squash_to_tensor_and_normalise(self):
        for mean, std in (((0.5,) * 3, (0.5,) * 3), (MEAN, STD)):
            transform = v1.Compose([v1.Resize((224, 224)), v1.ToTensor(), v1.Normalize(mean, std)])
            self.compare(transform, 224, dtype="float32", layout="nchw", mean=mean, std=std)
        transform = v1.Compose([transform, v2.ToDtype(torch.bfloat16)])
        self.compare(transform, 224, dtype="bfloat16", layout="nchw", mean=MEAN, std=STD)

    def test_scaling_by_a_product_differs_by_one_unit_in_the_last_place(self):
        """v2's ToDtype(scale=True) multiplies by 1 / 255, ToTensor divides by 255."""
        scale = v2.Compose([v2.Resize((224, 224)), v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
        for batch in self.batches(224, dtype="float32", layout="nchw"):
            wanted = torch.stack([scale(picture) for picture in self.pictures(batch)])
            got = torch.from_dlpack(batch.images)
            apart = (got.view(torch.int32) - wanted.view(torch.int32)).abs()
            self.assertLessEqual(apart.max().item(), 1)

    def test_resize_and_center_crop(self):
        for shorter, size in ((256, (224, 224)), (232, (224, 224)), (257, (200, 224)), (64, (64, 31))):
            for name in ("bilinear", "bicubic"):
                resize = v2.Resize(shorter, interpolation=getattr(v2.InterpolationMode, name.upper()))
                transform = v2.Compose([resize, v2.CenterCrop(size), v2.PILToTensor()])
                self.compare(transform, size, crop="center", resize=shorter, filter=name, layout="nchw")

    def test_bicubic_squash(self):
        for size in ((224, 224), (31, 500), (700, 33)):
            resize = v2.Resize(size, interpolation=v2.InterpolationMode.BICUBIC)
            self.compare(v2.Compose([resize, v2.PILToTensor()]), size, filter="bicubic", layout="nchw")

    def test_five_and_ten_crops(self):
        for crop, transform in (("five", v2.FiveCrop(96)), ("ten", v2.TenCrop(96))):
            def images(picture):
                crops = transform(v2.functional.resize(picture, 110))
                return torch.stack([v2.functional.pil_to_tensor(image) for image in crops])

            self.compare(images, 96, crop=crop, resize=110, layout="nchw")

    def test_padding(self):
        for size in ((224, 224), (100, 300), (300, 100)):
            def pad(picture):
                image = ImageOps.pad(picture, (size[1], size[0]), Image.Resampling.BILINEAR, (124, 116, 104))
                return v2.functional.pil_to_tensor(image)

            self.compare(pad, size, crop="pad", pad_color=(124, 116, 104), layout="nchw")
