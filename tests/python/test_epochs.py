# SPDX-License-Identifier: Apache-2.0
"""Epochs, ranks and states: which batches come when."""

import json
import pickle

import numpy

import dlshards
from sample import WithDataset


class Epochs(WithDataset):
    def loader(self, **params):
        return dlshards.Loader(self.path, 4, 16, **{"memory": "64MiB", "seed": 3, "window_blocks": 1, **params})

    def epoch(self, loader, most=99):
        """The records of an epoch's first batches."""
        seen = []
        for batch in loader.batches():
            seen.append(tuple(numpy.asarray(batch.records).tolist()))
            del batch
            if len(seen) == most:
                break
        return seen

    def whole(self, count, **params):
        loader = self.loader(**params)
        return [self.epoch(loader) for _ in range(count)]


class EpochsTest(Epochs):
    def test_each_loop_is_an_epoch_with_an_order_of_its_own(self):
        epochs = self.whole(3)
        self.assertEqual([len(epoch) for epoch in epochs], [6] * 3)
        self.assertEqual([sorted(sum(epoch, ())) for epoch in epochs], [list(range(self.count))] * 3)
        self.assertEqual(len(set(map(tuple, epochs))), 3)

    def test_a_loop_that_is_left_is_over(self):
        epochs = self.whole(3)
        loader = self.loader()
        self.assertEqual(self.epoch(loader, 2), epochs[0][:2])
        self.assertEqual(self.epoch(loader), epochs[1])
        self.assertEqual(self.epoch(loader), epochs[2])

    def test_set_epoch_goes_anywhere(self):
        epochs = self.whole(4)
        loader = self.loader()
        for wanted in (0, 1, 3, 0, 2):
            loader.set_epoch(wanted)
            self.assertEqual(self.epoch(loader), epochs[wanted])
        self.assertEqual(self.epoch(loader, 1), epochs[3][:1])
        loader.set_epoch(3)  # again from its beginning
        self.assertEqual(self.epoch(loader), epochs[3])
        self.assertEqual(self.whole(1, epoch=2)[0], epochs[2])
        with self.assertRaises(ValueError):
            loader.set_epoch(-1)

    def test_in_turn_set_epoch_restarts_nothing(self):
        loader = self.loader()
        for epoch in range(3):
            loader.set_epoch(epoch)
            self.epoch(loader)
        self.assertEqual(loader.stats()["consume"]["items"], 18)

    def test_a_loop_that_is_left_behind_the_last_batch_restarts_nothing(self):
        epochs = self.whole(3)
        loader = self.loader()
        self.assertEqual([self.epoch(loader, 6) for _ in range(2)], epochs[:2])
        self.assertEqual(loader.stats()["consume"]["items"], 12)
        loader.set_epoch(2)
        self.assertEqual(self.epoch(loader, 6), epochs[2])
        self.assertEqual(loader.stats()["consume"]["items"], 18)

    def test_loops_are_empty_after_the_last_epoch(self):
        loader = self.loader(epochs=2)
        self.assertEqual([len(self.epoch(loader)) for _ in range(4)], [6, 6, 0, 0])
        loader.set_epoch(1)
        self.assertEqual([len(self.epoch(loader)) for _ in range(2)], [6, 0])
        loader.set_epoch(2)
        self.assertEqual(self.epoch(loader), [])
        loader = self.loader(epochs=2)
        self.epoch(loader, 1)
        self.assertEqual([len(self.epoch(loader)) for _ in range(2)], [6, 0])

    def test_an_older_loop_cannot_go_on(self):
        loader = self.loader()
        old = loader.batches()
        next(old)
        loader.set_epoch(5)
        next(loader.batches())
        with self.assertRaisesRegex(RuntimeError, "another loop"):
            next(old)

    def test_ranks_share_each_epoch(self):
        for tail in ("drop", "pad", "exact"):
            ranks = [self.whole(2, rank=rank, world_size=2, tail=tail) for rank in range(2)]
            for epoch in range(2):
                valid = [r for rank in ranks for b in rank[epoch] for r in b if r < self.count]
                self.assertEqual(len(valid), len(set(valid)))
                if tail != "drop":
                    self.assertEqual(sorted(valid), list(range(self.count)))
                if tail != "exact":
                    self.assertEqual(len(ranks[0][epoch]), len(ranks[1][epoch]))
        self.assertEqual(len(self.loader(rank=1, world_size=3)), 2)

    def test_pad_shows_the_empty_places(self):
        loader = dlshards.Loader(self.path, 10, 16, tail="pad", epochs=1, memory="64MiB")
        last = [(numpy.asarray(b.valid).tolist(), numpy.asarray(b.labels).tolist(), b.count) for b in loader.batches()][-1]
        self.assertEqual((last[0], last[1][4:], last[2]), ([1] * 4 + [0] * 6, [-1] * 6, 4))
        loader = dlshards.Loader(self.path, 10, 16, tail="exact", epochs=1, memory="64MiB")
        self.assertEqual([len(labels) for _, labels in loader], [10, 10, 4])


class StateTest(Epochs):
    def test_what_is_left_is_what_was_left(self):
        epochs = self.whole(3)
        flat = sum(epochs, [])
        for taken in (0, 1, 5, 6, 7, 12, 17):
            loader = self.loader()
            seen = []
            while len(seen) < taken:
                seen += self.epoch(loader, taken - len(seen))
            state = json.loads(json.dumps(loader.state_dict()))
            self.assertLess(len(pickle.dumps(state)), 2048)
            other = self.loader(threads=1, seed=0)
            other.load_state_dict(state)
            rest = []
            while len(seen) + len(rest) < len(flat):
                rest += self.epoch(other)
            self.assertEqual(seen + rest, flat, f"after {taken} batches")

    def test_the_number_of_epochs_counts_from_the_first(self):
        loader = self.loader(epochs=4)
        self.epoch(loader)
        self.epoch(loader, 1)
        loader.set_epoch(2)  # starts reading anew
        self.epoch(loader, 3)
        other = self.loader(epochs=4)
        other.load_state_dict(loader.state_dict())
        self.assertEqual([len(self.epoch(other)) for _ in range(3)], [3, 6, 0])

    def test_set_epoch_of_the_epoch_that_goes_on_changes_nothing(self):
        epochs = self.whole(3)
        loader = self.loader()
        self.epoch(loader)
        self.epoch(loader, 2)
        state = loader.state_dict()
        for wanted, expected in ((1, epochs[1][2:]), (2, epochs[2])):
            other = self.loader()
            other.load_state_dict(state)
            other.set_epoch(wanted)
            self.assertEqual(self.epoch(other), expected)

    def test_at_the_end_of_all_epochs(self):
        loader = self.loader(epochs=1)
        self.epoch(loader)
        other = self.loader(epochs=1)
        other.load_state_dict(loader.state_dict())
        self.assertEqual(self.epoch(other), [])

    def test_another_number_of_ranks_goes_on(self):
        one = dlshards.Loader(self.path, 2, 16, rank=0, world_size=2, memory="64MiB", window_blocks=1, tail="exact")
        seen = sum(self.epoch(one, 3), ())
        two = dlshards.Loader(self.path, 2, 16, rank=1, world_size=2, memory="64MiB", window_blocks=1, tail="exact")
        seen += sum(self.epoch(two, 3), ())
        for rank in range(3):
            other = dlshards.Loader(self.path, 2, 16, rank=rank, world_size=3, memory="64MiB", tail="exact")
            other.load_state_dict(one.state_dict())
            seen += sum(self.epoch(other), ())
        self.assertEqual(sorted(seen), list(range(self.count)))

    def test_what_is_no_state_is_refused(self):
        loader = self.loader()
        self.epoch(loader, 1)
        good = loader.state_dict()
        for bad in (None, {}, {"dlshards": 2}, {"dlshards": 1}, {**good, "state": "00"}, {**good, "state": "xyz"},
                    {**good, "state": good["state"][:-2]}):
            with self.assertRaises(ValueError, msg=str(bad)):
                loader.load_state_dict(bad)
        with self.assertRaisesRegex(ValueError, "seed"):
            self.loader(seed=4).load_state_dict(good)
        self.assertEqual(len(self.epoch(loader)), 6)  # it is as it was

