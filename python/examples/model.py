# SPDX-License-Identifier: Apache-2.0
"""A small network, so that a CPU keeps up with a loader; and one step of training."""

import torch
from torch import nn


def small(classes):
    return nn.Sequential(nn.Conv2d(3, 16, 16, stride=16), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, classes))


def step(model, optimizer, images, labels):
    """One step; returns the loss. Labels of -1 (empty places of a padded batch) do not count."""
    loss = nn.functional.cross_entropy(model(images), labels, ignore_index=-1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def optimizer_of(model):
    return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
