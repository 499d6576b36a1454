"""Batches of items."""

from collections import OrderedDict, UserList, defaultdict, namedtuple

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_data import default_collate, default_convert
from flambeau_data._utils.collate import collate, collate_tensor_fn, default_collate_fn_map

Point = namedtuple("Point", ["x", "y"])


def plain(value):
    """Tensors as (dtype, numbers), whatever they are in."""
    if isinstance(value, ft.Tensor):
        return str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(plain, value))
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize(
    ("batch", "want"),
    [
        ([1, 2], ("torch.int64", [1, 2])),
        ([True, False], ("torch.bool", [True, False])),
        ([1.5, 2], ("torch.float64", [1.5, 2.0])),
        ([ft.tensor([1.0]), ft.tensor([2.0])], ("torch.float32", [[1.0], [2.0]])),
        ([np.float32(1), np.float32(2)], ("torch.float32", [1.0, 2.0])),
        ([np.ones(2, "i2"), np.zeros(2, "i2")], ("torch.int16", [[1, 1], [0, 0]])),
        ([np.array(1.0), np.array(2.0)], ("torch.float64", [1.0, 2.0])),
        ([np.ones(1, "f"), np.ones(1, "d")], ("torch.float64", [[1.0], [1.0]])),
        (["a", "b"], ["a", "b"]),
        ([b"a", b"b"], [b"a", b"b"]),
        ([(1, "a"), (2, "b")], [("torch.int64", [1, 2]), ["a", "b"]]),
        ([[1, 2], [3, 4]], [("torch.int64", [1, 3]), ("torch.int64", [2, 4])]),
        (
            [{"a": 1, "b": {"c": 2}}, {"a": 3, "b": {"c": 4}}],
            {"a": ("torch.int64", [1, 3]), "b": {"c": ("torch.int64", [2, 4])}},
        ),
        ([Point(1, 2), Point(3, 4)], Point(("torch.int64", [1, 3]), ("torch.int64", [2, 4]))),
    ],
)
def test_what_becomes_of_types(batch, want):
    got = default_collate(batch)
    assert plain(got) == want
    assert plain(default_collate(tuple(batch))) == want


def test_containers_keep_their_types():
    assert type(default_collate([OrderedDict(b=1, a=2)] * 2)) is OrderedDict
    got = default_collate([defaultdict(list, a=1)] * 2)
    assert got.default_factory is list and got["a"].tolist() == [1, 1]
    assert type(default_collate([UserList([1, 2])] * 2)) is UserList
    assert isinstance(default_collate([Point(1, 2)] * 2), Point)
    assert type(default_collate([range(2), range(2)])) is list  # cannot be made of a list


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        ([object()], TypeError, r"must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'object'>"),
        ([None, None], TypeError, "found <class 'NoneType'>"),
        ([np.array(["a"])], TypeError, "found <U1"),
        ([[1, 2], [1]], RuntimeError, "each element in list of batch should be of equal size"),
        ([ft.zeros(2), ft.zeros(3)], RuntimeError, r"stack expects each tensor to be equal size"),
        ([np.zeros(2), np.zeros(3)], RuntimeError, r"stack expects each tensor to be equal size"),
    ],
)
def test_errors(batch, error, text):
    with pytest.raises(error, match=text):
        default_collate(batch)


def test_functions_for_types():
    class Text(str):
        pass

    def joined(batch, *, collate_fn_map=None):
        return "".join(batch)

    functions = {str: joined, int: lambda batch, collate_fn_map: sum(batch)}
    assert collate([("a", 1), ("b", 2)], collate_fn_map=functions) == ["ab", 3]
    assert collate([Text("a")], collate_fn_map={(int, str): joined}) == "a"
    default_collate_fn_map[Text] = joined
    try:
        assert default_collate([Text("a"), Text("b")]) == "ab"
    finally:
        del default_collate_fn_map[Text]
    tensors = {**default_collate_fn_map, ft.Tensor: lambda batch, collate_fn_map: collate_tensor_fn(batch) + 1}
    assert collate([np.zeros(1), np.zeros(1)], collate_fn_map=tensors).tolist() == [[1], [1]]


def test_convert():
    got = default_convert({"a": np.array([1, 2]), "b": [np.float32(1), "text"], "c": (1, np.zeros(1)), "d": None})
    assert plain(got) == {
        "a": ("torch.int64", [1, 2]),
        "b": [("torch.float32", 1.0), "text"],
        "c": [1, ("torch.float64", [0.0])],
        "d": None,
    }
    assert plain(default_convert(Point(np.array(0), 1))) == Point(("torch.int64", 0), 1)
    words = np.array(["a", "b"])
    assert default_convert(words) is words
