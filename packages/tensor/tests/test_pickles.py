"""Pickles may contain anything: loading one succeeds or raises, and the result is usable."""

import pickle
import subprocess
import sys

import pytest

import flambeau_tensor as ft
from flambeau_tensor._kernels import interop
from flambeau_tensor.subclassing import reduce_for_process

FLIP = """
import os, pickle, resource, sys, warnings
import flambeau_tensor as ft

if sys.platform == "linux" and "LD_PRELOAD" not in os.environ:  # a sanitizer reserves all of it
    with open("/proc/self/statm") as file:
        limit = int(file.read().split()[0]) * resource.getpagesize() + (1 << 28)  # Python fills what it gets
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
warnings.simplefilter("ignore")
g = ft.Generator()
things = {"tensor": ft.arange(40.0).view(4, 10)[1:, ::2], "small": ft.tensor([1, 2], dtype=ft.int8),
          "storage": ft.arange(3.0).untyped_storage(), "dtype": ft.float16, "size": ft.zeros(2, 3).shape,
          "operator": ft.add, "generator": g, "sorted": ft.sort(ft.tensor([2, 1])), "shared": [g, g]}
thing = things[sys.argv[1]]


def use(x):
    if isinstance(x, ft.Tensor):
        repr(x), x.clone(), x.stride(), x.storage_offset(), x.is_contiguous()
        if x.numel() and x.numel() < 10_000:
            x.tolist(), ft.eq(x, x)
            x.zero_()
            x.resize_(3)
    elif isinstance(x, (tuple, list)):
        for y in x:
            use(y)
    else:
        repr(x), hash(x), x == thing
        if isinstance(x, ft.Generator):
            ft.rand(2, generator=x)
        elif isinstance(x, ft.dtype):
            ft.zeros(2, dtype=x)
        elif callable(x):
            x(ft.ones(2), ft.ones(2))


def attempt(data):
    try:
        use(pickle.loads(data))
    except BaseException as e:
        return type(e)


for protocol in range(2, 6):
    try:
        data = pickle.dumps(thing, protocol)
    except TypeError:
        continue
    assert attempt(data) is None, attempt(data)
    n = len(data)
    for i in (i for i in range(n) if min(i, n - i) < 300 or i % 16 == 0):  # between is a state, of bytes alike
        for change in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            attempt(data[:i] + bytes((data[i] ^ change,)) + data[i + 1:])
        attempt(data[:i])
print("survived")
"""


@pytest.mark.parametrize(
    "name", ["tensor", "small", "storage", "dtype", "size", "operator", "generator", "sorted", "shared"]
)
def test_every_flip_of_a_byte_answers_or_raises(name):
    process = subprocess.run([sys.executable, "-c", FLIP, name], capture_output=True, text=True, timeout=600)
    assert process.returncode == 0 and "survived" in process.stdout, (process.returncode, process.stderr[-2000:])


@pytest.mark.parametrize(
    "change",
    [
        {0: int},
        {0: 5},
        {0: object},
        {0: type},
        {1: None},
        {2: None},
        {3: -1},
        {3: 2**62},
        {3: 2**63 - 1},
        {4: (2**62, 4), 5: (0, 0)},
        {4: (-1,)},
        {4: (2**40,), 5: (2**40,)},
        {5: (-1,)},
        {5: (1, 1)},
        {4: [2]},
        {4: ("a",)},
    ],
)
def test_arguments_of_a_rebuilt_tensor_are_checked(change):
    rebuild, arguments, _ = reduce_for_process(ft.arange(4))
    arguments = [change.get(i, a) for i, a in enumerate(arguments)]
    with pytest.raises((TypeError, RuntimeError, ValueError, OverflowError)):
        rebuild(*arguments)
    with pytest.raises(RuntimeError, match="floating point"):
        interop.over_storage(ft.Tensor, ft.arange(4).untyped_storage(), ft.int64, 0, (4,), (1,), True)
    assert pickle.loads(pickle.dumps(ft.arange(4))).tolist() == [0, 1, 2, 3]


def test_nothing_half_made_comes_from_new():
    """A pickle may request an uninitialized instance of any class."""
    for thing in (
        ft.arange(3.0).untyped_storage(),
        ft.float32,
        ft.add,
        ft.Generator(),
        ft.add.schema,
        ft.add.schema.arguments[0],
    ):
        cls = type(thing)
        try:
            made = cls.__new__(cls)
        except TypeError:
            continue
        for use in (
            repr,
            hash,
            str,
            lambda x, y=thing: x == y,
            lambda x: x(),
            bytes,
            lambda x: ft.zeros(2, dtype=x),
            lambda x: ft.rand(2, generator=x),
            lambda x: pickle.dumps(x),
            len,
        ):
            try:
                use(made)
            except Exception:  # noqa: S110
                pass
