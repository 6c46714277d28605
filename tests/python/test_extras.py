# SPDX-License-Identifier: Apache-2.0
"""Masks, boxes and draws beside the images. Against torchvision's transforms where it is."""

import io
import os
import pathlib
import tempfile
import unittest

import numpy
import written

import dlshards

try:
    from PIL import Image
except ImportError:
    Image = None
try:
    import torch
    from torchvision import tv_tensors
    from torchvision.transforms import v2
    from torchvision.transforms.v2 import functional
except ImportError:
    torch = None

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "sample"
COUNT = 24


def make_boxes(width, height):
    return numpy.array([[width * 0.1, height * 0.2, width * 0.7, height * 0.9], [0, 0, width, height],
                        [width * 0.9, height * 0.9, width, height], [numpy.nan] * 4], numpy.float32)


@unittest.skipIf(Image is None, "this Python has no Pillow")
class ExtrasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "masks.dls")
        cls.pictures, cls.masks = [], []
        random = numpy.random.default_rng(1)
        records = []
        for i, path in zip(range(COUNT), sorted(SAMPLE.glob("*/*.jp*g"))):
            picture = Image.open(path)
            picture.load()
            width, height = picture.size
            mask = Image.fromarray(random.integers(0, 21, (height, width), numpy.uint8))
            if i % 2:  # as segmentation sets store them
                mask = mask.convert("P")
                mask.putpalette([(c * 37) % 256 for c in range(768)])
            coded = io.BytesIO()
            mask.save(coded, "PNG")
            orientation = picture.getexif().get(0x112, 0)
            assert orientation in (0, 1), path
            jpeg, png, boxes = path.read_bytes(), coded.getvalue(), make_boxes(width, height).tobytes()
            records.append([
                written.Value(jpeg, len(jpeg), written.JPEG, width, height, 3, 0),
                written.Value(png, len(png), written.PNG, width, height, 3 if i % 2 else 1, 0),
                written.Value(boxes, len(boxes)),
            ])
            cls.pictures.append(picture.convert("RGB"))
            cls.masks.append(mask)
        written.write(cls.path, [(b"image", written.IMAGE, 0), (b"mask", written.IMAGE, 0), (b"boxes", written.FLOAT32, 16)],
                      records)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def samples(self, crop, **params):
        """Draw, image, mask and boxes of each sample as the loader gives them."""
        loader = dlshards.Loader(self.path, 4, (48, 64), crop=crop, masks="mask", boxes="boxes", draws=True, tail="exact",
                                 layout="nchw", epochs=1, memory="256MiB", **params)
        for batch in loader.batches():
            draws = numpy.asarray(batch.draws).view(dlshards.DRAW)[:, 0]
            for i in range(batch.count):
                yield (draws[i], *(numpy.asarray(a)[i].copy() for a in (batch.images, batch.masks, batch.boxes)))

    def test_shapes(self):
        for keep in ("error", "copy"):
            loader = dlshards.Loader(self.path, 4, (48, 64), crop="ten", resize=70, masks="mask", boxes="boxes", keep=keep,
                                     memory="256MiB")
            kept = [batch for _, batch in zip(range(3), loader.batches())]
            for batch in kept:
                self.assertEqual(numpy.asarray(batch.masks).shape, (4, 10, 48, 64))
                self.assertEqual(numpy.asarray(batch.boxes).shape, (4, 10, 4, 4))
                self.assertLess(numpy.asarray(batch.masks).max(), 21)
                self.assertTrue(numpy.isnan(numpy.asarray(batch.boxes)[:, :, 3]).all())
        batch = next(dlshards.Loader(self.path, 4, 48, memory="256MiB").batches())
        self.assertIsNone(batch.masks)
        self.assertIsNone(batch.boxes)
        with self.assertRaisesRegex(ValueError, "no field 'depth'"):
            dlshards.Loader(self.path, 4, 48, masks="depth", memory="256MiB")

    def test_a_pad_value(self):
        for draw, _, mask, _ in self.samples("pad", mask_pad=255):
            self.assertEqual((mask == 255).any(), draw["resized_width"] < 64 or draw["resized_height"] < 48)

    @unittest.skipIf(torch is None, "this Python has no torchvision")
    def test_random_crops_are_those_of_torchvision(self):
        count = 0
        for draw, image, mask, boxes in self.samples("random", flip=True, flip_vertical=True):
            picture, labels = self.pictures[draw["record"]], self.masks[draw["record"]]
            place = [int(draw[name]) for name in ("y", "x", "height", "width")]

            def both(value, interpolation):
                value = functional.resized_crop(value, *place, [48, 64], interpolation=interpolation)
                value = functional.horizontal_flip(value) if draw["flip"] else value
                return functional.vertical_flip(value) if draw["flip_vertical"] else value

            wanted = functional.pil_to_tensor(both(picture, v2.InterpolationMode.BILINEAR))
            self.assertTrue((image == wanted.numpy()).all())
            self.assertTrue((mask == numpy.asarray(both(labels, v2.InterpolationMode.NEAREST))).all())
            given = tv_tensors.BoundingBoxes(torch.from_numpy(make_boxes(*picture.size)[:3]), format="XYXY",
                                             canvas_size=picture.size[::-1])
            moved = v2.functional.clamp_bounding_boxes(both(given, v2.InterpolationMode.BILINEAR)).numpy()
            self.assertLess(numpy.abs(boxes[:3] - moved).max(), 1e-3)
            count += 1
        self.assertEqual(count, len(self.pictures))

    @unittest.skipIf(torch is None, "this Python has no torchvision")
    def test_jitter_and_grey_are_those_of_torchvision(self):
        from torchvision.transforms import functional as colours

        functions = (colours.adjust_brightness, colours.adjust_contrast, colours.adjust_saturation, colours.adjust_hue)
        for draw, image, _, _ in self.samples("squash", jitter=(0.4, 0.4, 0.4, 0.1), grayscale=0.3):
            picture = functional.resize(self.pictures[draw["record"]], [48, 64])
            for step in draw["jitter_order"][: draw["jitter"]]:
                picture = functions[step](picture, float(draw["jitter_factor"][step]))
            picture = colours.to_grayscale(picture, 3) if draw["grayscale"] else picture
            self.assertTrue((image == functional.pil_to_tensor(picture).numpy()).all(), str(draw))


@unittest.skipIf(torch is None, "this Python has no torchvision")
class DistributionTest(unittest.TestCase):
    """Draws have the distributions of torchvision's transforms: Kolmogorov and Smirnov's test of two samples, at a level
    of one in a million."""

    COUNT = 12000

    def assert_alike(self, ours, theirs, what):
        ours, theirs = numpy.sort(ours), numpy.sort(theirs)
        every = numpy.concatenate([ours, theirs])
        apart = numpy.abs(numpy.searchsorted(ours, every, "right") / len(ours)
                          - numpy.searchsorted(theirs, every, "right") / len(theirs)).max()
        limit = 2.69 * ((len(ours) + len(theirs)) / (len(ours) * len(theirs))) ** 0.5
        self.assertLess(apart, limit, what)

    def test_against_torchvision(self):
        from torchvision import transforms as v1

        picture = Image.effect_noise((40, 30), 50).convert("RGB")
        coded = io.BytesIO()
        picture.save(coded, "JPEG")
        jpeg = coded.getvalue()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "same.dls")
            value = written.Value(jpeg, len(jpeg), written.JPEG, 40, 30, 3, 0)
            written.write(path, [(b"image", written.IMAGE, 0)], [[value]] * self.COUNT)
            loader = dlshards.Loader(path, 1000, 8, crop="random", flip=True, flip_vertical=True,
                                     jitter=(0.4, 0.3, 1.5, 0.2), grayscale=0.2, draws=True, epochs=1, seed=3, memory="256MiB")
            draws = numpy.concatenate([numpy.asarray(b.draws).view(dlshards.DRAW)[:, 0].copy() for b in loader.batches()])
            del loader
        self.assertEqual(len(draws), self.COUNT)
        torch.manual_seed(1)
        boxes = numpy.array([v1.RandomResizedCrop.get_params(picture, (0.08, 1.0), (3 / 4, 4 / 3)) for _ in draws])
        for column, name in enumerate(("y", "x", "height", "width")):
            self.assert_alike(draws[name], boxes[:, column], name)
        self.assert_alike(draws["width"] / draws["height"], boxes[:, 3] / boxes[:, 2], "ratio")
        self.assert_alike(draws["width"] * draws["height"], boxes[:, 3] * boxes[:, 2], "area")
        ranges = v1.ColorJitter(0.4, 0.3, 1.5, 0.2)
        jitter = [v1.ColorJitter.get_params(ranges.brightness, ranges.contrast, ranges.saturation, ranges.hue) for _ in draws]
        for step, name in enumerate(("brightness", "contrast", "saturation", "hue")):
            self.assert_alike(draws["jitter_factor"][:, step], numpy.array([j[1 + step] for j in jitter]), name)
        orders = [int("".join(str(step) for step in order)) for order in draws["jitter_order"]]
        self.assert_alike(numpy.array(orders), numpy.array([int("".join(str(int(s)) for s in j[0])) for j in jitter]), "order")
        for name, share in (("flip", 0.5), ("flip_vertical", 0.5), ("grayscale", 0.2)):
            sigma = (share * (1 - share) / self.COUNT) ** 0.5
            self.assertLess(abs(draws[name].mean() - share), 5 * sigma, name)
