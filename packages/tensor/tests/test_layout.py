"""The order of elements in results: strides and memory formats are those recorded from PyTorch 2.13."""

import copy
import pickle

import pytest

import flambeau_tensor as ft

X = ft.arange(240.0).div(240)
INPUTS = {  # all of shape (2, 3, 4, 5)
    "permuted": X[:120].view(4, 2, 5, 3).permute(1, 3, 0, 2),
    "sliced": X.view(5, 4, 6, 2).permute(3, 2, 1, 0)[:, ::2],
    "expanded": X[:40].view(5, 4, 2, 1).permute(2, 3, 1, 0).expand(2, 3, 4, 5),
    "channels last": X[:120].view(2, 4, 5, 3).permute(0, 3, 1, 2),
}
STRIDES = {  # of the result, for each input
    "exp": (lambda x: ft.exp(x), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "add a number": (lambda x: x + 1, [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "add a vector": (lambda x: x + ft.ones(5), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "add one of another order": (
        lambda x: x + ft.ones(5, 4, 3, 2).permute(3, 2, 1, 0),
        [(15, 1, 30, 3), (1, 2, 6, 24), (1, 2, 6, 24), (60, 1, 15, 3)],
    ),
    "add to a contiguous one": (
        lambda x: ft.ones(2, 3, 4, 5) + x,
        [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)],
    ),
    "outer": (lambda x: x[0, :, :1] + x[0, :1], [(1, 3, 12), (4, 1, 12), (20, 1, 4), (1, 3, 12)]),
    "compare": (lambda x: x > 0.5, [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "where": (lambda x: ft.where(x > 0.5, x, 0.0), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "convert and divide": (lambda x: x.long() / 3, [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "clamp": (lambda x: x.clamp(0, 1), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "addcmul": (lambda x: ft.addcmul(ft.ones(5), x, x), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "lerp": (lambda x: x.lerp(ft.zeros(4, 1), 0.5), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "out": (lambda x: ft.add(x, 1, out=ft.empty(0)), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "complex": (lambda x: ft.complex(x, x), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "clone": (lambda x: x.clone(), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "contiguous": (lambda x: x.contiguous(), [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)]),
    "asarray": (lambda x: ft.asarray(x, copy=True), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "tensor of an array": (
        lambda x: ft.tensor(x.numpy(), dtype=ft.int32),
        [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)],
    ),
    "double": (lambda x: x.double(), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "empty_like": (lambda x: ft.empty_like(x), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "rand_like": (lambda x: ft.rand_like(x), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "full_like of a dtype": (
        lambda x: ft.full_like(x, 2, dtype=ft.int64),
        [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)],
    ),
    "sum": (lambda x: x.sum(1), [(20, 5, 1), (20, 5, 1), (20, 5, 1), (20, 5, 1)]),
    "mean, kept": (lambda x: x.mean((1, 3), keepdim=True), [(4, 4, 1, 1), (4, 4, 1, 1), (4, 4, 1, 1), (4, 4, 1, 1)]),
    "max": (lambda x: x.max(2).values, [(15, 5, 1), (15, 5, 1), (15, 5, 1), (15, 5, 1)]),
    "var": (lambda x: x.var(0), [(20, 5, 1), (20, 5, 1), (20, 5, 1), (20, 5, 1)]),
    "softmax": (lambda x: x.softmax(1), [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)]),
    "cumsum": (lambda x: x.cumsum(2), [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)]),
    "sort": (lambda x: x.sort(1).indices, [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "argsort": (lambda x: x.argsort(), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "topk": (lambda x: x.topk(2).values, [(24, 8, 2, 1), (24, 8, 2, 1), (24, 8, 2, 1), (24, 8, 2, 1)]),
    "flip": (lambda x: x.flip(0, 2), [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)]),
    "roll": (lambda x: x.roll(1, 1), [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 1, 15, 3)]),
    "rot90": (lambda x: x.rot90(1, (1, 2)), [(15, 30, 1, 3), (1, 6, 2, 24), (1, 2, 8, 24), (60, 15, 1, 3)]),
    "tril": (lambda x: x.tril(), [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)]),
    "repeat": (lambda x: x.repeat(1, 2, 1, 1), [(120, 20, 5, 1), (120, 20, 5, 1), (120, 20, 5, 1), (120, 20, 5, 1)]),
    "masked_fill": (
        lambda x: x.masked_fill(x > 0.5, 0),
        [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)],
    ),
    "index_fill": (
        lambda x: x.index_fill(1, ft.tensor([0]), 0),
        [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)],
    ),
    "index_add": (
        lambda x: x.index_add(1, ft.tensor([0]), x[:, :1]),
        [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)],
    ),
    "scatter": (
        lambda x: x.scatter(1, ft.zeros(2, 3, 4, 5, dtype=ft.int64), x),
        [(60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1), (60, 20, 5, 1)],
    ),
    "put": (
        lambda x: x.put(ft.tensor([0]), ft.tensor([1.0])),
        [(15, 1, 30, 3), (1, 2, 6, 24), (1, 8, 2, 24), (60, 1, 15, 3)],
    ),
    "index": (lambda x: x[:, ft.tensor([0, 2, 1, 1])], [(5, 10, 40, 1), (1, 8, 2, 32), (1, 8, 2, 32), (80, 20, 5, 1)]),
    "index in front": (
        lambda x: x[ft.tensor([[0, 1], [1, 0]]).t()],
        [(60, 120, 1, 15, 3), (60, 120, 1, 3, 12), (60, 120, 20, 1, 4), (60, 120, 1, 15, 3)],
    ),
    "index at two places": (
        lambda x: x[:, ft.tensor([0, 1]), :, ft.tensor([0, 1])],
        [(8, 1, 2), (8, 1, 2), (8, 1, 2), (8, 4, 1)],
    ),
    "mask": (lambda x: x[ft.tensor([True, False])], [(60, 1, 15, 3), (60, 1, 3, 12), (60, 20, 1, 4), (60, 1, 15, 3)]),
    "index_select": (
        lambda x: x.index_select(1, ft.tensor([0, 1])),
        [(40, 20, 5, 1), (40, 20, 5, 1), (40, 20, 5, 1), (40, 20, 5, 1)],
    ),
    "gather": (
        lambda x: x.gather(1, ft.zeros(2, 1, 4, 5, dtype=ft.int64)),
        [(20, 20, 5, 1), (20, 20, 5, 1), (20, 20, 5, 1), (20, 20, 5, 1)],
    ),
    "nonzero": (lambda x: x.nonzero()[:9], [(1, 119), (1, 119), (1, 117), (1, 119)]),
    "cat": (lambda x: ft.cat((x, x), 1), [(120, 20, 5, 1), (120, 20, 5, 1), (120, 20, 5, 1), (120, 1, 30, 6)]),
    "cat of two orders": (
        lambda x: ft.cat((x, x.contiguous()), 1),
        [(120, 20, 5, 1), (120, 20, 5, 1), (120, 20, 5, 1), (120, 20, 5, 1)],
    ),
    "stack": (
        lambda x: ft.stack((x, x)),
        [(120, 60, 20, 5, 1), (120, 60, 20, 5, 1), (120, 60, 20, 5, 1), (120, 60, 1, 15, 3)],
    ),
    "stack inside": (
        lambda x: ft.stack((x, x), 2),
        [(120, 40, 20, 5, 1), (120, 40, 20, 5, 1), (120, 40, 20, 5, 1), (120, 1, 60, 15, 3)],
    ),
    "stack behind": (
        lambda x: ft.stack((x, x), -1),
        [(120, 40, 10, 2, 1), (120, 40, 10, 2, 1), (120, 40, 10, 2, 1), (120, 40, 10, 2, 1)],
    ),
    "reshape": (lambda x: x.reshape(6, 20), [(20, 1), (20, 1), (20, 1), (20, 1)]),
    "flatten": (lambda x: x.flatten(1), [(60, 1), (60, 1), (60, 1), (60, 1)]),
    "ravel": (lambda x: x.ravel(), [(1,), (1,), (1,), (1,)]),
    "matmul": (lambda x: x @ x.mT, [(48, 16, 4, 1), (48, 16, 4, 1), (48, 16, 4, 1), (48, 16, 4, 1)]),
}


@pytest.mark.parametrize("name", STRIDES)
def test_strides_of_results(name):
    function, expected = STRIDES[name]
    assert {key: function(x).stride() for key, x in INPUTS.items()} == dict(zip(INPUTS, expected, strict=True))


# --- memory formats -------------------------------------------------------------------------------------------------

IMAGES, VOLUMES = ft.zeros(2, 3, 4, 5), ft.zeros(2, 3, 4, 5, 6)
LAST, LAST_3D = (60, 1, 15, 3), (360, 1, 90, 18, 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, format: x.to(memory_format=format),
        lambda x, format: x.to(ft.float64, memory_format=format),
        lambda x, format: x.to("cpu", ft.int64, memory_format=format),
        lambda x, format: x.to(ft.ones(1, dtype=ft.float64), memory_format=format),
        lambda x, format: x.to("cpu", copy=True, memory_format=format),
        lambda x, format: x.contiguous(memory_format=format),
        lambda x, format: x.clone(memory_format=format),
        lambda x, format: x.double(memory_format=format),
        lambda x, format: x.cpu(memory_format=format),
        lambda x, format: ft.empty(x.shape, memory_format=format),
        lambda x, format: ft.zeros_like(x, memory_format=format),
        lambda x, format: ft.rand_like(x, memory_format=format),
        lambda x, format: ft.full_like(x, 2, dtype=ft.int32, memory_format=format),
        lambda x, format: x.clone().resize_(x.shape, memory_format=format),
    ],
)
def test_asking_for_channels_last(make):
    images, volumes = make(IMAGES, ft.channels_last), make(VOLUMES, ft.channels_last_3d)
    assert images.stride() == LAST and images.is_contiguous(memory_format=ft.channels_last)
    assert volumes.stride() == LAST_3D and volumes.is_contiguous(memory_format=ft.channels_last_3d)
    assert not images.is_contiguous() and make(images, ft.contiguous_format).stride() == (60, 20, 5, 1)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        make(VOLUMES, ft.channels_last)
    with pytest.raises(RuntimeError, match="required rank 5 tensor to use channels_last_3d format"):
        make(IMAGES, ft.channels_last_3d)
    with pytest.raises(TypeError, match="argument 'memory_format' must be torch.memory_format, not int"):
        make(IMAGES, 3)


def test_values_in_channels_last():
    x = ft.rand(2, 3, 4, 5)
    assert ft.equal(x.to(memory_format=ft.channels_last), x)
    assert ft.equal((x.to(memory_format=ft.channels_last) * 2).contiguous(), x * 2)


def test_what_lies_in_the_format_is_returned_itself():
    last = IMAGES.to(memory_format=ft.channels_last)
    assert last.to(memory_format=ft.channels_last) is last is last.contiguous(memory_format=ft.channels_last)
    assert IMAGES.to(memory_format=ft.preserve_format) is IMAGES is IMAGES.contiguous()
    assert last.to(memory_format=ft.contiguous_format) is not last
    assert last.clone().stride() == last.double().stride() == LAST  # preserved
    assert pickle.loads(pickle.dumps(last)).stride() == copy.deepcopy(last).stride() == LAST
    assert pickle.loads(pickle.dumps(ft.channels_last)) is ft.channels_last


def test_formats_that_make_no_sense():
    for make in (
        lambda: ft.empty(2, 3, memory_format=ft.preserve_format),
        lambda: IMAGES.permute(3, 2, 1, 0).contiguous(memory_format=ft.preserve_format),
        lambda: ft.zeros(2).resize_(2, memory_format=ft.preserve_format),
        lambda: ft.empty(2, 3, 4, 5, out=ft.zeros(0), memory_format=ft.channels_last),
    ):
        with pytest.raises(RuntimeError, match="format"):
            make()


@pytest.mark.parametrize(
    "shape, strides, expected",
    [
        ((2, 3, 4, 5), LAST, "channels_last"),
        ((2, 3, 4, 5), (60, 20, 5, 1), "contiguous_format"),
        ((2, 3, 4, 5), (120, 1, 30, 6), "channels_last"),  # gaps do not matter
        ((2, 1, 4, 5), (20, 1, 5, 1), "channels_last"),
        ((2, 1, 1, 1), (1, 1, 1, 1), "contiguous_format"),  # ambiguous
        ((2, 3, 4, 5), (60, 0, 15, 3), "contiguous_format"),
        ((0, 3, 4, 5), LAST, "contiguous_format"),
        ((2, 3, 4, 5, 6), LAST_3D, "channels_last_3d"),
        ((3, 4, 5), (1, 15, 3), "contiguous_format"),
    ],
)
def test_the_format_that_strides_speak_for(shape, strides, expected):
    from flambeau_tensor.ops.attributes import suggest_memory_format

    assert suggest_memory_format(ft.empty_strided(shape, strides)).name == expected


def test_sizes_without_elements_and_of_one():
    assert ft.empty(2, 0, 4, 5, memory_format=ft.channels_last).stride() == (0, 1, 0, 0)
    assert not ft.empty(2, 0, 4, 5).is_contiguous(memory_format=ft.channels_last)
    assert ft.empty(2, 1, 4, 5).is_contiguous(memory_format=ft.channels_last)
    assert ft.empty_like(ft.empty_strided((3, 1, 4), (4, 9, 1))).stride() == (4, 9, 1)


def test_an_out_of_another_size_takes_the_layout_of_the_result():
    x = ft.ones(2, 3).t()
    out = ft.empty(0)
    for call in (ft.exp, lambda x, out: ft.logit(x, 0.2, out=out), ft.nan_to_num, ft.sgn):
        out = ft.empty(0)
        assert call(x, out=out).stride() == (1, 3)
    same = ft.empty(3, 2)
    assert ft.logit(x, 0.2, out=same).stride() == (2, 1)
