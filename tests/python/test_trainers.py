# SPDX-License-Identifier: Apache-2.0
"""TorchLoader in the hands of trainers: a plain loop, torch.compile, Lightning, Hugging Face. Skipped without them."""

import importlib.util
import os
import tempfile
import unittest

from sample import WithDataset

try:
    import torch

    from dlshards.torch import TorchLoader
except ImportError:
    torch = None

STEPS = 6  # of 4 records


def needs(*packages):
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"this Python has no {', '.join(missing)}")


@needs("torch")
class TorchLoaderTest(WithDataset):
    def loader(self, **params):
        return TorchLoader(self.path, 4, 32, **{"augment": "half-train", "memory": "64MiB", **params})

    def network(self):
        return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, len(self.classes)))

    def test_tensors_of_each_type_and_order(self):
        for dtype in ("uint8", "float32", "float16", "bfloat16"):
            for layout in ("nhwc", "nchw"):
                loader = TorchLoader(self.path, 4, (24, 32), dtype=dtype, layout=layout, memory="64MiB")
                images, labels = next(iter(loader))
                self.assertEqual((images.dtype, tuple(images.shape)), (getattr(torch, dtype), (4, 3, 24, 32)))
                self.assertEqual((labels.dtype, tuple(labels.shape)), (torch.int64, (4,)))
                order = torch.channels_last if layout == "nhwc" else torch.contiguous_format
                self.assertTrue(images.is_contiguous(memory_format=order))
                self.assertGreater(images.float().std().item(), 0)

    def test_a_tensor_keeps_its_batch_and_gives_it_back(self):
        loader = self.loader(ring_batches=2)
        batches = iter(loader)
        images, labels = next(batches)
        part = images[1, :, 3:5]
        before = part.clone()
        del images, labels
        with self.assertRaises(BufferError):
            next(batches)
        self.assertTrue(torch.equal(part, before))
        del part
        self.assertEqual(len(list(self.loader(keep="copy", epochs=1))), STEPS)

    def test_dicts(self):
        batch = next(iter(self.loader(keys=("pixel_values", "labels"))))
        self.assertEqual({name: tuple(value.shape) for name, value in batch.items()}, {"pixel_values": (4, 3, 32, 32), "labels": (4,)})
        with self.assertRaises(ValueError):
            self.loader(keys="labels")

    def test_a_compiled_model(self):
        model = torch.compile(self.network(), backend="aot_eager")
        for images, labels in self.loader(epochs=1):
            torch.nn.functional.cross_entropy(model(images), labels).backward()
        self.assertIsNotNone(next(model.parameters()).grad)

    def test_ranks_of_torch_distributed(self):
        with tempfile.TemporaryDirectory() as folder:
            torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
            try:
                self.assertEqual(len(self.loader()), STEPS)
                self.assertEqual(len(self.loader(rank=1, world_size=2)), STEPS // 2)
            finally:
                torch.distributed.destroy_process_group()

    @needs("lightning")
    def test_lightning(self):
        import logging

        import lightning

        logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
        test = self
        seen = []

        class Module(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.network = test.network()

            def training_step(self, batch, index):
                images, labels = batch
                seen.append(self.current_epoch)
                return torch.nn.functional.cross_entropy(self.network(images), labels)

            def validation_step(self, batch, index):
                seen.append("validation")

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.01)

        with tempfile.TemporaryDirectory() as folder:
            trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                                        enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder)
            evaluation = TorchLoader(self.path, 10, 32, augment="half-eval", memory="64MiB")
            trainer.fit(Module(), self.loader(), evaluation)
        self.assertEqual([seen.count(epoch) for epoch in (0, 1)], [STEPS, STEPS])
        self.assertEqual(seen.count("validation"), 2 + 2 * 3)  # two to begin with, then all three, twice

    @needs("transformers", "accelerate")
    def test_hugging_face(self):
        os.environ["WANDB_DISABLED"] = "true"
        from transformers import Trainer, TrainingArguments
        from transformers.utils import logging

        logging.set_verbosity_error()
        loader = self.loader(keys=("pixel_values", "labels"))

        class Model(torch.nn.Module):
            def __init__(self, network):
                super().__init__()
                self.network = network

            def forward(self, pixel_values, labels=None):
                logits = self.network(pixel_values)
                return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

        class Ours(Trainer):
            def get_train_dataloader(self):
                return loader

        with tempfile.TemporaryDirectory() as folder:
            arguments = TrainingArguments(folder, num_train_epochs=2, per_device_train_batch_size=4, report_to=[], save_strategy="no",
                                          use_cpu=True, disable_tqdm=True, logging_strategy="no")
            result = Ours(Model(self.network()), arguments).train()
        self.assertEqual(result.global_step, 2 * STEPS)
        self.assertEqual(loader.stats()["consume"]["items"], 2 * STEPS)
