"""Sizes, strides and offsets that exceed memory are rejected by every operator that receives them."""

import itertools
import math

import numpy as np
import pytest

import flambeau_tensor as ft

HUGE = 2**62
ONE = ft.ones(1)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ft.empty_strided((3, 8), (2**60, 1)), "calculation overflowed with sizes=[3, 8] and strides="),
        (lambda: ONE.new_empty_strided((3, 8), (2**60, 1)).fill_(1), "Storage size calculation overflowed"),
        (lambda: ft.empty_strided((HUGE, HUGE), (0, 0)), "numel: integer multiplication overflow"),
        (lambda: ONE.as_strided((3,), (2**60,)), "Storage size calculation overflowed"),
        (lambda: ONE.as_strided((1,), (1,), 2**61), "Storage size calculation overflowed"),
        (lambda: ONE.as_strided((1,), (1,), 2**63 - 1), "Storage size calculation overflowed"),
        (lambda: ONE.as_strided((HUGE, 4), (0, 0)), "numel: integer multiplication overflow"),
        (lambda: ONE.as_strided((-1,), (1,)), "Storage size calculation overflowed"),
        (lambda: ft.ones(2).repeat_interleave(HUGE), "numel: integer multiplication overflow"),
        (lambda: ft.repeat_interleave(ft.tensor([HUGE, HUGE])), "overflow"),
        (lambda: ONE.expand(HUGE, 4), "numel: integer multiplication overflow"),
        (lambda: ONE.expand(-2), "numel: integer multiplication overflow"),
        (lambda: ft.ones(1, 3).expand(-2, 3), "numel: integer multiplication overflow"),
        (lambda: ft.broadcast_to(ONE, (-2,)), "numel: integer multiplication overflow"),
        (lambda: ft.ones(4).unfold(0, -1, 1), "size is -1 but must be >= 0"),
        (lambda: ft.zeros(3).resize_(HUGE), "Storage size calculation overflowed"),
        (lambda: ft.zeros(3).resize_(HUGE, 4), "numel: integer multiplication overflow"),
        (lambda: ft.zeros(3).resize_(-1), "numel: integer multiplication overflow"),
        (lambda: ft.empty(2**32, 2**32, 0), "Storage size calculation overflowed"),
        (lambda: ft.empty(0, HUGE, 8), "Stride calculation overflowed"),
        (lambda: ft.zeros(0, 4).resize_([0, 4, 2**61]), "Stride calculation overflowed"),
        (lambda: ft.zeros(0).resize_(0, 4, 2**61, 1, memory_format=ft.channels_last), "Stride calculation overflowed"),
        (lambda: ft.cat([ONE.expand(2**61 + 1)] * 8), "Storage size calculation overflowed"),
        (lambda: ft.cat([ft.empty(0, HUGE)] * 4, 1), "Storage size calculation overflowed"),
        (lambda: ft.hstack([ONE.expand(2**61 + 1)] * 8), "Storage size calculation overflowed"),
        (lambda: ft.constant_pad_nd(ft.ones(3), (2**63 - 1, 2**63 - 1)), "Storage size calculation overflowed"),
        (lambda: ft.constant_pad_nd(ft.ones(3), (-(2**63), 2**63 - 1)), ""),
        (lambda: ft.constant_pad_nd(ft.ones(3), (-(2**63), -(2**63))), "Storage size calculation overflowed"),
        (lambda: ft.ones(0).view(2**32, 2**32), "numel: integer multiplication overflow"),
        (lambda: ft.ones(4).view(HUGE, 4, -1), "is invalid for input of size 4"),
        (lambda: ft.combinations(ft.ones(65), 100), "numel: integer multiplication overflow"),
        (lambda: ft.cartesian_prod(*[ft.ones(2**16)] * 4), "numel: integer multiplication overflow"),
        (lambda: ft.tensor_split(ft.ones(3), 2**40), "allocate"),
        (lambda: ft.bincount(ft.tensor([2**63 - 1])), "maximum value of input overflowed"),
        (lambda: ft.bincount(ft.tensor([HUGE])), "Storage size calculation overflowed"),
        (lambda: ft.bincount(ft.tensor([1]), minlength=HUGE), "Storage size calculation overflowed"),
        (lambda: ft.triu_indices(HUGE, HUGE), "Storage size calculation overflowed"),
        (lambda: ft.arange(0, 2**62), "Storage size calculation overflowed"),
        (lambda: ft.arange(0, 1e30, 1), "invalid size, possible overflow"),
        (lambda: ft.from_numpy(np.lib.stride_tricks.as_strided(np.zeros(1), (9, 2), (2**60, 8))), "overflow"),
    ],
)
def test_refused(call, text):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert text in str(caught.value)


def test_long_views_of_little_memory_are_allowed():
    assert ONE.expand(HUGE).numel() == HUGE and ONE.expand(HUGE).sum is not None
    assert ft.ones(1, 0).expand(HUGE, 0).shape == (HUGE, 0)
    assert ft.ones(0, 1, 1).expand(0, HUGE, HUGE).numel() == 0
    assert ONE.expand(2**31, 2**31).reshape(-1).shape == (HUGE,)
    assert ft.ones(3)[:: 2**63 - 1].tolist() == [1] and ft.ones(3)[1 : 1 : 2**63 - 1].shape == (0,)
    assert ft.ones(2, 0).as_strided((0, HUGE), (1, 1)).shape == (0, HUGE)


VALUES = (-(2**63), -HUGE, -2, -1, 0, 1, 3, 2**31, 2**32, 2**61, HUGE, 2**63 - 1)
SHAPES = [shape for n in (1, 2, 3) for shape in itertools.combinations_with_replacement(VALUES, n)]


@pytest.mark.parametrize("offset", [2**61, 2**62, 2**63 - 1])
def test_offsets_of_nothing_have_an_address(offset):
    x = ft.arange(6.0)
    assert x.as_strided((0,), (1,), 2**60).storage_offset() == 2**60
    with pytest.raises(RuntimeError, match="^Storage size calculation overflowed"):
        x.as_strided((0,), (1,), offset)
    with pytest.raises(RuntimeError, match="^Storage size calculation overflowed"):
        ft.empty(0).set_(x.untyped_storage(), offset, (0,), (1,))


def test_any_geometry_is_right_or_refused():
    """For all combinations of some sizes, strides and offsets, a resulting tensor stays within its memory."""
    x = ft.arange(6.0)
    makers = [
        lambda s: x.new_empty_strided(s, (1,) * len(s)),
        lambda s: x.new_empty_strided((2,) * len(s), s),
        lambda s: x.as_strided(s, (1,) * len(s)),
        lambda s: x.as_strided((2,) * len(s), s),
        lambda s: x.as_strided(s, (0,) * len(s)),
        lambda s: x.as_strided((1,), (1,), s[0]),
        lambda s: x.as_strided((0,), (1,), s[0]),
        lambda s: x[:1].expand(s),
        lambda s: x[:0].expand(*s, 0),
        lambda s: x.view(s),
        lambda s: x[:0].reshape(s),
        lambda s: ft.broadcast_to(x[:1], s),
        lambda s: x.unfold(0, s[0], s[-1]),
        lambda s: x.narrow(0, s[0], s[-1]),
        lambda s: x[s[0] :: max(s[-1], 1)],
        lambda s: x.view(2, 3).diagonal(s[0]),
        lambda s: x.clone().resize_(s) if 0 <= max(s) < 2**31 else x,
    ]
    for make, shape in itertools.product(makers, SHAPES):
        if math.prod(abs(v) for v in shape if v) in range(2**20, 2**48):
            continue  # would allocate much memory
        try:
            t = make(shape)
        except (RuntimeError, IndexError):
            continue
        assert t.numel() == math.prod(t.shape) < 2**63 and min(t.shape, default=0) >= 0
        if t.numel():
            last = sum((n - 1) * step for n, step in zip(t.shape, t.stride(), strict=True))
            assert 0 <= t.storage_offset() + last < len(t.untyped_storage()) // t.element_size()


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "call",
    [
        lambda n: ft.ones(2).repeat(n, 2),
        lambda n: ft.ones(2).tile((n, 2)),
        lambda n: ft.ones(2).repeat_interleave(n),
        lambda n: ft.arange(n, n + 3 if n < 2**62 else n),
        lambda n: ft.eye(n, 0 if n > 3 else 2),
        lambda n: ft.tril_indices(3, 3, n),
        lambda n: ft.triu_indices(3, 3, n),
        lambda n: ft.tril(ft.ones(3, 3), n),
        lambda n: ft.triu(ft.ones(3, 3), n),
        lambda n: ft.ones(3).roll(n),
        lambda n: ft.ones(3).topk(n),
        lambda n: ft.ones(3).kthvalue(n),
        lambda n: ft.split(ft.ones(3), n),
        lambda n: ft.chunk(ft.ones(3), n),
        lambda n: ft.split(ft.ones(3), [n, n, 3]),
        lambda n: ft.tensor_split(ft.ones(3), [n, n]),
        lambda n: ft.ones(3).unflatten(0, (n, n)),
        lambda n: ft.combinations(ft.ones(3), n if n < 2**31 else HUGE),
        lambda n: ft.ones(3).select(0, n),
        lambda n: ft.ones(2).unsqueeze(n),
        lambda n: ft.ones(3).diff(n),
        lambda n: ft.randperm(n if n < 2**31 else HUGE),
        lambda n: ft.multinomial(ft.ones(3), n),
    ],
)
def test_any_number_is_right_or_refused(call, value):
    if value in (2**31, 2**32):
        return  # for some, a result of gigabytes
    try:
        results = call(value)
    except (RuntimeError, IndexError, ValueError, OverflowError):
        return
    for t in results if isinstance(results, tuple) else (results,):
        assert t.numel() < 2**20


def test_triangles_with_diagonals_far_out():
    a = ft.ones(2, 3)
    for far in (3, 2**31, 2**63 - 1):
        assert a.tril(far).sum() == 6 == a.triu(-far).sum() and a.tril(-far).sum() == 0 == a.triu(far).sum()
        assert ft.tril_indices(2, 3, far).shape == (2, 6) == ft.triu_indices(2, 3, -far).shape
        assert ft.tril_indices(2, 3, -far).shape == (2, 0) == ft.triu_indices(2, 3, far).shape
    for k in range(-4, 5):
        assert ft.tril_indices(3, 4, k).tolist() == np.stack(np.tril_indices(3, k, 4)).tolist()
        assert ft.triu_indices(3, 4, k).tolist() == np.stack(np.triu_indices(3, k, 4)).tolist()
