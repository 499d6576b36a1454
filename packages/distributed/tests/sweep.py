"""Functions for `test_parallel.py`, which workers import, and programs that it starts: ``python sweep.py NAME``."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

import flambeau_nn as nn
import flambeau_tensor as torch
from flambeau_distributed import parallel
from flambeau_nn import optim


def draws(item):
    return item, random.random(), float(np.random.rand()), torch.rand(2).tolist(), torch.get_num_threads()


def train(item):
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    step, x = optim.SGD(model.parameters(), lr=0.1), torch.randn(32, 4)
    for _ in range(20):
        step.zero_grad()
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        step.step()
    return loss.item(), {name: p.detach() for name, p in model.named_parameters()}


def fails(item):
    if item == 7:
        raise ValueError(f"no {item}")
    return item


class Unpicklable(Exception):
    def __init__(self, a, b):
        super().__init__(a)


def fails_oddly(item):
    raise Unpicklable(item, 2)


def dies(item):
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def slow(item):
    time.sleep(0.3 if item == 0 else 0.0)
    return item


class Product:
    """A function with data of its own, which it also writes to."""

    def __init__(self, data):
        self.data = data

    def __call__(self, x):
        before = self.data[0, 0].item()
        self.data[0, 0] = 100.0
        return before, (self.data[1] @ x).item()


def nested(item):
    return sum(parallel.map(abs, [-item] * 3))


def memory():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def identity(item):
    return item


def interrupted():
    """Print the workers' numbers, then wait for them; Ctrl-C ends all."""
    results = parallel.map(time.sleep, [0, 0, 60, 60], workers=2, chunk=1)
    try:
        print(next(results), flush=True)
        list(results)
    except KeyboardInterrupt:
        print("interrupted", flush=True)


if __name__ == "__main__":
    {"interrupted": interrupted}[sys.argv[1]]()
