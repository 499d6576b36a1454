"""Every operator on device 'meta' gives what it gives on memory, without the elements: shapes, dtypes and strides.

Arguments are drawn from schemas (`Arguments` in test_any_arguments.py). Calls that succeed on memory are made again
with all tensors on 'meta'. What cannot be told without elements has to say so, in words that stand in a list here.
"""

import random
import warnings
from pathlib import Path
from runpy import run_path

import pytest

import flambeau as torch
from flambeau_tensor.extend import operators

Arguments = run_path(str(Path(__file__).with_name("test_any_arguments.py")))["Arguments"]
TRIES, ENOUGH, PARTS = 16, 2, 4
# What is said of a call whose result depends on elements.
REFUSES = (
    "attempted to run this operator with Meta tensors",
    "cannot be called on meta tensors",
    "Cannot copy out of meta tensor",
    "can't convert meta device type tensor to numpy",
    "cannot repeat_interleave a meta tensor without output_size",
    "Not available for 'meta' device type",
    "only available on CPU",
    "Cannot pack tensors on meta",
    "Unknown device type meta for Dlpack",
    "Tensor on device cpu is not on the expected device meta",  # given an array, or a number of NumPy
)
# Names of operators whose result is no tensor's geometry, or is one by chance: memory, devices, pickles.
PASSED_BY = {
    "sparse_coo",  # a sparse tensor is no geometry
    *("__deepcopy__", "__reduce_ex__", "__reduce__", "__setstate__", "__dlpack__", "__dlpack_device__", "__array__"),
    *("cpu", "to", "data_ptr", "from_file", "frombuffer", "from_numpy", "as_tensor", "asarray", "tensor", "numpy"),
    *("storage", "untyped_storage", "_typed_storage", "set_", "share_memory_", "type", "is_shared", "resize_"),
    *("__array_wrap__", "__contains__", "__cuda_array_interface__", "new_tensor", "set_data", "data", "_base"),
    *("empty", "empty_like", "new_empty"),
}


class Regular(Arguments):
    """Draws well-behaved arguments: plain tensors, square matrices more often than not, few shapes."""

    def tensor(self):
        kind = self.one_of(*["float32"] * 6, "float64", "int64", "int64", "int64", "bool", "complex64", "bfloat16")
        shape = self.one_of((3, 3), (3, 3), (3,), (2, 3), (2, 3, 3), (), (4, 3), (2, 4, 3), (1, 3, 5, 5), (0, 3))
        dtype = getattr(self.torch, kind)
        t = (self.torch.rand(shape) * 2).to(dtype) if dtype is not self.torch.bool else self.torch.rand(shape) > 0.5
        chance = self.draw.random()
        if chance < 0.2 and len(shape) > 1:
            t = t.transpose(-1, -2).contiguous().transpose(-1, -2)
        elif chance < 0.3 and len(shape) == 4:
            t = t.contiguous(memory_format=self.torch.channels_last)
        elif chance < 0.4 and len(shape) > 1:
            t = t[:, ::2]
        return t

    def fitting(self, argument):
        draw = self.kinds.get(argument.type.split("(")[0].split("[")[0].rstrip("?"))
        if draw is None:
            return argument.default if argument.has_default else self.anything()
        return [draw() for _ in range(self.one_of(1, 2, 2, 3))] if argument.is_list else draw()


def changed(x, change):
    if isinstance(x, torch.Tensor):
        return change(x)
    if isinstance(x, (list, tuple)):
        return type(x)([changed(i, change) for i in x])
    return {k: changed(v, change) for k, v in x.items()} if isinstance(x, dict) else x


def on_meta(t):
    return torch.empty_strided(tuple(t.shape), t.stride(), dtype=t.dtype, device="meta")


def tensors(x):
    if isinstance(x, torch.Tensor):
        return [x]
    return [t for i in x for t in tensors(i)] if isinstance(x, (list, tuple)) else []


def geometry(x):
    """Of dimensions of size 1, and of what has no elements, strides say nothing."""
    found = []
    for t in tensors(x):
        strides = [s for n, s in zip(t.shape, t.stride(), strict=True) if n > 1] if t.numel() else None
        found.append((tuple(t.shape), t.dtype, strides))
    return found


def compare(op, arguments):
    """None where the call says nothing, else what differs, or ''."""
    given = arguments.call(op)
    positional, named = changed(given, on_meta)
    if not tensors([*given[0], *given[1].values()]) or "device" in given[1]:
        return None
    try:
        expected = geometry(op(*given[0], **given[1]))
    except Exception:
        return None
    if not expected:
        return None
    try:
        result = op(*positional, **named)
    except Exception as error:
        if any(text in str(error) for text in REFUSES[:-1]) or (REFUSES[-1] in str(error) and _mixed(given)):
            return None
        return f"{type(error).__name__}: {str(error)[:200]}"
    if not all(t.is_meta for t in tensors(result)):
        return "is not on 'meta'"
    found = geometry(result)
    return "" if found == expected else f"{found} for {expected}"


def _mixed(given):
    flat = [*given[0], *given[1].values()]
    return any(type(x).__module__ == "numpy" for x in flat)


@pytest.mark.parametrize("part", range(PARTS))
def test_meta_is_the_geometry_of_the_result(part):
    names = sorted(
        name
        for name, op in operators().items()
        if op.name not in PASSED_BY and op.name.rstrip("_") not in PASSED_BY and "_foreach" not in name
    )[part::PARTS]
    arguments = Regular(torch, part)
    wrong, compared = {}, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            arguments.draw = random.Random(name)  # whatever other operators there are
            torch.manual_seed(0)
            good = 0
            for _ in range(TRIES):
                difference = compare(operators()[name], arguments)
                if difference:
                    wrong[name] = difference
                    break
                good += difference == ""
                if good == ENOUGH:
                    break
            compared += good > 0
    assert not wrong, "\n".join(f"{name}: {text}" for name, text in wrong.items())
    assert compared > 0.55 * len(names)
