"""Random numbers: those of PyTorch's CPU generator for the same seed, and their distributions.

Literals called "PyTorch's" were printed by PyTorch 2.13 for the CPU, from the calls beside them.
"""

import copy
import os
import pickle
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from flambeau_tensor.random import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
RTOL = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6, "float64": 1e-12, "complex64": 1e-6, "complex128": 1e-12}


def empty(shape, dtype="float32"):
    return ft.empty(shape, dtype=getattr(ft, dtype))


def array(t):
    """Return a tensor's elements as NumPy floats or integers, for any dtype."""
    return np.array(t.tolist())


def words(value, n):
    """Return the first n 32-bit words of a Mersenne Twister, by NumPy."""
    return np.random.RandomState(value).randint(0, 2**32, n, np.uint64)


def words64(value, n):
    pairs = words(value, 2 * n)
    return (pairs[0::2] << np.uint64(32)) | pairs[1::2]


def unit32(value, n):
    return ((words(value, n) & np.uint64(0xFFFFFF)) / 2.0**24).astype(np.float32)


def unit64(value, n):
    return (words64(value, n) & np.uint64(2**53 - 1)) / 2.0**53


# --- PyTorch's numbers ----------------------------------------------------------------------------------------------

# After manual_seed(7): method, arguments, dtype, size of the vector; the numbers that PyTorch wrote (for longer
# vectors, the first and last two; for complex ones, the first and the last); and the next result of rand(1), which
# shows how many words were consumed.
PYTORCH = [
    ("uniform_", (), "float32", 3, [0.53492254, 0.19880319, 0.6592117], 0.65689027),
    ("uniform_", (-0.3, 1.87), "float32", 3, [0.86078197, 0.13140292, 1.1304895], 0.65689027),
    ("normal_", (), "float32", 3, [-0.14679509, 0.78614128, 0.94682163], 0.36531615),
    ("normal_", (0.3, 1.7), "float32", 3, [0.050448336, 1.6364402, 1.9095967], 0.36531615),
    ("exponential_", (2.3,), "float32", 3, [0.14245388, 0.1390363, 0.86138064], 0.20708603),
    ("geometric_", (0.1,), "float32", 3, [13.0, 13.0, 2.0], 0.20708603),
    ("cauchy_", (0.3, 1.7), "float32", 3, [-1.1119448, -1.1640452, 3.9752169], 0.20708603),
    ("log_normal_", (0.3, 0.7), "float32", 3, [1.2180405, 2.3403463, 2.6189544], 0.36531615),
    ("bernoulli_", (0.5,), "float32", 3, [1.0, 1.0, 0.0], 0.20708603),
    ("random_", (), "float32", 3, [8974492.0, 3335306.0, 11059538.0], 0.65689027),
    ("normal_", (0.3, 1.7), "float32", 16, [-1.0942287, 0.69167471, 2.1532807], 0.72038043),
    ("normal_", (0.3, 1.7), "float32", 21, [-1.0942287, -0.30642831, 2.1624868], 0.22144645),
    ("uniform_", (), "float64", 3, [0.2793804299064, 0.27369371365177, 0.86209296141763], 0.20708603),
    ("uniform_", (-0.3, 1.87), "float64", 3, [0.3062555328969, 0.29391535862433, 1.5707417262762], 0.20708603),
    ("normal_", (), "float64", 3, [-0.146795097485, 0.78614129872354, 0.94682160900396], 0.36531615),
    ("normal_", (0.3, 1.7), "float64", 3, [0.050448334275508, 1.63644020783, 1.9095967353067], 0.36531615),
    ("exponential_", (2.3,), "float64", 3, [0.14245387955786, 0.13903629178356, 0.8613806322952], 0.20708603),
    ("geometric_", (0.1,), "float64", 3, [13.0, 13.0, 2.0], 0.20708603),
    ("cauchy_", (0.3, 1.7), "float64", 3, [-1.1119448174362, -1.1640451948082, 3.9752167874615], 0.20708603),
    ("log_normal_", (0.3, 0.7), "float64", 3, [1.2180405143657, 2.3403462982062, 2.6189543270737], 0.36531615),
    ("bernoulli_", (0.5,), "float64", 3, [1.0, 1.0, 0.0], 0.20708603),
    ("random_", (), "float64", 3, [2516435200042024.0, 2465213813629881.0, 7765043079597394.0], 0.20708603),
    ("normal_", (0.3, 1.7), "float64", 16, [0.41265481742965, 1.2866183868553, -1.4836648406717], 0.62665057),
    ("normal_", (0.3, 1.7), "float64", 21, [0.41265481742965, 1.4214089549586, 1.1653714504519], 0.38263839),
    ("uniform_", (), "float16", 3, [0.53515625, 0.19885254, 0.65917969], 0.65689027),
    ("uniform_", (-0.3, 1.87), "float16", 3, [0.86083984, 0.13134766, 1.1308594], 0.65689027),
    ("normal_", (), "float16", 3, [-0.14685059, 0.78613281, 0.94677734], 0.36531615),
    ("normal_", (0.3, 1.7), "float16", 3, [0.050445557, 1.6367188, 1.9091797], 0.36531615),
    ("exponential_", (2.3,), "float16", 3, [0.14245605, 0.13903809, 0.86132812], 0.20708603),
    ("geometric_", (0.1,), "float16", 3, [13.0, 13.0, 2.0], 0.20708603),
    ("cauchy_", (0.3, 1.7), "float16", 3, [-1.1123047, -1.1640625, 3.9746094], 0.20708603),
    ("log_normal_", (0.3, 0.7), "float16", 3, [1.2177734, 2.3398438, 2.6191406], 0.36531615),
    ("bernoulli_", (0.5,), "float16", 3, [1.0, 1.0, 0.0], 0.20708603),
    ("random_", (), "float16", 3, [2016.0, 1873.0, 31.0], 0.65689027),
    ("normal_", (0.3, 1.7), "float16", 16, [-1.09375, 0.69189453, 2.1523438], 0.72038043),
    ("normal_", (0.3, 1.7), "float16", 21, [-1.09375, -1.9492188, -2.0117188], 0.62665057),
    ("uniform_", (), "bfloat16", 3, [0.53515625, 0.19921875, 0.66015625], 0.65689027),
    ("uniform_", (-0.3, 1.87), "bfloat16", 3, [0.859375, 0.13183594, 1.1328125], 0.65689027),
    ("normal_", (), "bfloat16", 3, [-0.14648438, 0.78515625, 0.9453125], 0.36531615),
    ("normal_", (0.3, 1.7), "bfloat16", 3, [0.050537109, 1.6328125, 1.90625], 0.36531615),
    ("exponential_", (2.3,), "bfloat16", 3, [0.14257812, 0.13867188, 0.86328125], 0.20708603),
    ("geometric_", (0.1,), "bfloat16", 3, [13.0, 13.0, 2.0], 0.20708603),
    ("cauchy_", (0.3, 1.7), "bfloat16", 3, [-1.109375, -1.1640625, 3.96875], 0.20708603),
    ("log_normal_", (0.3, 0.7), "bfloat16", 3, [1.21875, 2.34375, 2.625], 0.36531615),
    ("bernoulli_", (0.5,), "bfloat16", 3, [1.0, 1.0, 0.0], 0.20708603),
    ("random_", (), "bfloat16", 3, [52.0, 217.0, 57.0], 0.65689027),
    ("normal_", (0.3, 1.7), "bfloat16", 16, [-1.09375, 0.69140625, 2.15625], 0.72038043),
    ("normal_", (0.3, 1.7), "bfloat16", 21, [-1.09375, -1.953125, -2.015625], 0.62665057),
    ("uniform_", (), "complex64", 3, [(0.53492254 + 0.19880319j), (0.23276156 + 0.4250614j)], 0.20708603),
    ("normal_", (1.0, 2.0), "complex64", 3, [(0.79240036 + 2.1117716j), (3.3911383 - 0.26547772j)], 0.28683901),
    ("normal_", (), "complex64", 10, [(-0.57992268 + 0.27975348j), (-1.4541385 - 0.25224093j)], 0.38874197),
    (
        "uniform_",
        (),
        "complex128",
        3,
        [(0.2793804299064 + 0.2736937136518j), (0.922529367453 + 0.8395453757624j)],
        0.28683901,
    ),
    (
        "normal_",
        (1.0, 2.0),
        "complex128",
        3,
        [(0.7924003822468 + 2.111771686596j), (3.391138327025 - 0.2654777227155j)],
        0.28683901,
    ),
    (
        "normal_",
        (),
        "complex128",
        10,
        [(0.04685822666932 + 0.03322804737148j), (1.435612967315 + 0.4664446332556j)],
        0.77376157,
    ),
    ("random_", (), "bool", 3, [True, False, True], 0.65689027),
    ("bernoulli_", (0.5,), "bool", 3, [True, True, False], 0.20708603),
    ("random_", (), "uint8", 3, [175, 196, 25], 0.65689027),
    ("bernoulli_", (0.5,), "uint8", 3, [1, 1, 0], 0.20708603),
    ("geometric_", (0.1,), "uint8", 3, [13, 13, 2], 0.20708603),
    ("random_", (), "int8", 3, [47, 68, 25], 0.65689027),
    ("bernoulli_", (0.5,), "int8", 3, [1, 1, 0], 0.20708603),
    ("geometric_", (0.1,), "int8", 3, [13, 13, 2], 0.20708603),
    ("random_", (), "int16", 3, [28847, 25796, 16921], 0.65689027),
    ("bernoulli_", (0.5,), "int16", 3, [1, 1, 0], 0.20708603),
    ("geometric_", (0.1,), "int16", 3, [13, 13, 2], 0.20708603),
    ("random_", (), "int32", 3, [327741615, 976413892, 1202242073], 0.65689027),
    ("bernoulli_", (0.5,), "int32", 3, [1, 1, 0], 0.20708603),
    ("geometric_", (0.1,), "int32", 3, [13, 13, 2], 0.20708603),
    ("random_", (), "int64", 3, [1407639518939636932, 5163590386780219894, 8087222774582268115], 0.20708603),
    ("bernoulli_", (0.5,), "int64", 3, [1, 1, 0], 0.20708603),
    ("geometric_", (0.1,), "int64", 3, [13, 13, 2], 0.20708603),
    ("random_", (10,), "int64", 3, [5, 2, 1], 0.65689027),
    ("random_", (-5, 10), "int64", 3, [-5, 2, -4], 0.65689027),
    ("random_", (0, 268435455), "int64", 3, [59306160, 171107527, 128500261], 0.65689027),
    ("random_", (0, 268435456), "int64", 3, [171107524, 27798006, 174903507], 0.20708603),
    ("random_", (-3, 1099511627776), "int64", 3, [752591849969, 108704903085, 291942178318], 0.20708603),
    (
        "random_",
        (-9223372036854775808, 9223372036854775807),
        "int64",
        3,
        [-7815732517915138876, 5163590386780219894, -1136149262272507693],
        0.20708603,
    ),
    (
        "random_",
        (-9223372036854775808, None),
        "int64",
        3,
        [1407639518939636932, -4059781650074555914, 8087222774582268115],
        0.20708603,
    ),
    ("random_", (5, None), "int64", 3, [1407639518939636937, 5163590386780219904, 8087222774582268120], 0.20708603),
    ("random_", (5, None), "uint8", 3, [127, 52, 206], 0.65689027),
    ("random_", (1, None), "float32", 3, [8974512.0, 3335365.0, 11059738.0], 0.65689027),
]


@pytest.mark.parametrize(("method", "args", "dtype", "n", "expected", "following"), PYTORCH)
def test_fills_are_pytorchs(method, args, dtype, n, expected, following):
    manual_seed(7)
    t = empty((n,), dtype)
    assert getattr(t, method)(*args) is t
    got = t.tolist()
    if "complex" in dtype:
        got = [got[0], got[-1]]
    elif n > 6:
        got = got[:1] + got[-2:]
    if dtype in RTOL:
        np.testing.assert_allclose(got, expected, RTOL[dtype], RTOL[dtype])
    else:
        assert got == expected
    assert ft.rand(1).item() == pytest.approx(following, rel=1e-7)


def test_functions_are_pytorchs():
    def after_seed(function):
        manual_seed(7)
        return function().tolist()

    weights = ft.tensor([[1.0, 0, 2, 3], [0, 5, 1, 0.5]])
    chances = [0.1, 0.9, 0.5, 0.2, 0.7]
    assert after_seed(lambda: ft.randint(3, 20, (5,))) == [12, 8, 11, 12, 17]
    assert after_seed(lambda: ft.randperm(8)) == [7, 0, 3, 4, 1, 5, 2, 6]
    for dtype in (ft.float16, ft.float32, ft.float64):
        w = weights.to(dtype)
        assert after_seed(lambda w=w: ft.multinomial(w, 6, True)) == [[2, 2, 3, 3, 3, 3], [1, 1, 1, 1, 1, 1]]
    assert after_seed(lambda: ft.multinomial(weights, 3)) == [[0, 3, 2], [2, 1, 3]]
    assert after_seed(lambda: ft.multinomial(weights, 1)) == [[0], [2]]
    assert after_seed(lambda: ft.bernoulli(ft.tensor(chances))) == [0, 1, 0, 0, 1]
    assert after_seed(lambda: ft.bernoulli(ft.tensor(chances, dtype=ft.float64))) == [0, 1, 0, 0, 0]
    # the mask of dropout(ones(8), 0.5)
    assert after_seed(lambda: empty((8,)).bernoulli_(0.5)) == [1, 1, 0, 0, 0, 0, 1, 0]


def test_normal_with_tensors():
    mean, std = ft.tensor([1.0, 2.0, 3.0]), ft.tensor([0.5, 1.0, 2.0])
    manual_seed(7)
    # PyTorch's: normal(mean, std)
    np.testing.assert_allclose(
        ft.normal(mean, std).tolist(), [0.9266024827957153, 2.7861413955688477, 4.893643379211426], 1e-6
    )
    manual_seed(7)
    z = ft.randn(3, dtype=ft.float64).numpy()
    for call, expected in (
        (lambda: ft.normal(mean, 2.0), mean.numpy() + 2 * z),
        (lambda: ft.normal(mean), mean.numpy() + z),
        (lambda: ft.normal(4.0, std), 4 + std.numpy() * z),
        (lambda: ft.normal(4.0, 3.0, (3,)), 4 + 3 * z),
        (lambda: ft.normal(mean=4, std=3, size=(3,), dtype=ft.float64), 4 + 3 * z),
    ):
        manual_seed(7)
        np.testing.assert_allclose(call().numpy(), expected, 1e-5)
    assert ft.normal(ft.zeros(3, 1, dtype=ft.float64), ft.ones(2)).shape == (3, 2)
    assert ft.normal(ft.zeros(3, dtype=ft.float64), std).dtype is ft.float64
    for call, error, message in (
        (lambda: ft.normal(mean, -1.0), RuntimeError, "normal expects std >= 0.0, but found std -1"),
        (lambda: ft.normal(0.0, -std), RuntimeError, "normal expects all elements of std >= 0.0"),
        (lambda: ft.normal(mean, std.to(ft.complex64)), RuntimeError, "standard deviation to be non-complex"),
        (lambda: ft.normal(mean, ft.ones(2)), RuntimeError, "do not broadcast"),
        (lambda: ft.normal(0.0, 1.0), TypeError, "received an invalid combination of arguments - got"),
        (lambda: ft.normal(mean, std, (3,)), TypeError, "received an invalid combination of arguments - got"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_seeds_are_pytorchs():
    assert Generator().initial_seed() == 67280421310721
    np.testing.assert_array_equal(
        ft.rand(3, generator=Generator()).numpy(),
        np.float32([0.267295241355896, 0.8725283145904541, 0.3352888226509094]),
    )
    for value, expected in (
        (-5, [0.9308151006698608, 0.6607242226600647]),
        (2**40 + 5, [0.8302518725395203, 0.12611091136932373]),
    ):
        np.testing.assert_array_equal(
            ft.rand(2, generator=Generator().manual_seed(value)).numpy(), np.float32(expected)
        )


def test_short_normal_calls_share_pairs():
    manual_seed(7)
    got = ft.randn(3).tolist(), ft.randn(1, dtype=ft.float64).item(), ft.randn(2).tolist()
    np.testing.assert_allclose(got[0], [-0.1467950940132141, 0.7861412763595581, 0.9468216300010681], 1e-6)
    assert got[1] == pytest.approx(-1.1143440212610307, rel=1e-13)
    np.testing.assert_allclose(got[2], [1.6907901763916016, -0.8948279023170471], 1e-6)


def test_seeding_forgets_the_pair():
    manual_seed(3)
    first = ft.randn(1).item()
    manual_seed(3)
    assert ft.randn(1).item() == first


# --- numbers computed from the words --------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3000))
def test_uniform_numbers_are_the_twisters(value, n):
    manual_seed(value)
    np.testing.assert_array_equal(ft.rand(n).numpy(), unit32(value, n))
    manual_seed(value)
    np.testing.assert_array_equal(ft.rand(n, dtype=ft.float64).numpy(), unit64(value, n))


def test_draws_in_pieces_are_one_stream():
    manual_seed(1)
    pieces = [ft.rand(n).numpy() for n in (1, 623, 1, 0, 624, 5, 2000, 20_001)]
    np.testing.assert_array_equal(np.concatenate(pieces), unit32(1, 1 + 623 + 1 + 624 + 5 + 2000 + 20_001))


@settings(max_examples=50, deadline=None)
@given(st.integers(-(2**62), 2**62), st.one_of(st.integers(1, 2**31), st.integers(1, 2**62 - 1)))
def test_integers_are_remainders(low, span):
    manual_seed(11)
    got = ft.randint(low, low + span, (100,)).numpy()
    raw = words64(11, 100) if span >= 2**28 else words(11, 100)
    np.testing.assert_array_equal(got, (raw % np.uint64(span)).astype(np.int64) + low)


def test_remainders_near_multiples():
    # The remainder is computed in floating point: small and large divisors for many words.
    for span in (1, 2, 3, 7, 641, 65_537, 6_700_417, 2**28 - 57, 2**28 - 1):
        manual_seed(5)
        got = ft.randint(span, (30_000,)).numpy()
        np.testing.assert_array_equal(got, (words(5, 30_000) % np.uint64(span)).astype(np.int64))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [16, 32, 33, 47, 1000, 1029, 30_005])
def test_long_normal_fills_are_box_mullers(dtype, n):
    unit = unit32 if dtype == "float32" else unit64
    manual_seed(2)
    got = empty((n,), dtype).normal_(1.5, 2.0).numpy()
    u = unit(2, n + 16 if n % 16 else n).astype(np.float64)

    def blocks(u):
        u = u.reshape(-1, 16)
        radius, angle = np.sqrt(-2 * np.log(1 - u[:, :8])), 2 * np.pi * u[:, 8:]
        return (1.5 + 2 * np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], 1)).ravel()

    expected = np.empty(n)
    whole = n - n % 16
    expected[:whole] = blocks(u[:whole])
    if n % 16:
        expected[-16:] = blocks(u[-16:])
    np.testing.assert_allclose(got, expected, atol=1e-5 if dtype == "float32" else 1e-13)


def test_short_normal_fills_are_polar_pairs():
    manual_seed(2)
    got = ft.randn(14, dtype=ft.float64).numpy()
    u = unit64(2, 14).reshape(7, 2)
    radius, angle = np.sqrt(-2 * np.log1p(-u[:, 1])), 2 * np.pi * u[:, 0]
    np.testing.assert_allclose(got, np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).ravel(), 1e-13)


def test_permutations_are_fisher_yates():
    for n in (0, 1, 2, 10, 1000):
        manual_seed(4)
        got = ft.randperm(n).tolist()
        expected = list(range(n))
        for i, word in enumerate(words(4, max(n - 1, 0)).tolist()):
            j = i + word % (n - i)
            expected[i], expected[j] = expected[j], expected[i]
        assert got == expected


# --- the order in which elements receive numbers --------------------------------------------------------------------


def test_elements_are_filled_as_they_lie_in_memory():
    manual_seed(7)
    flat = ft.rand(24).numpy().reshape(2, 3, 4)
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)):
        manual_seed(7)
        t = empty((2, 3, 4)).permute(*order).uniform_()
        np.testing.assert_array_equal(t.numpy(), flat.transpose(order))


def test_gaps_get_no_numbers():
    manual_seed(7)
    expected = ft.rand(12).numpy()
    base = ft.zeros(40)
    manual_seed(7)
    base.as_strided((3, 4), (1, 8)).uniform_()
    np.testing.assert_array_equal(base.numpy()[:32].reshape(4, 8)[:, :3].ravel(), expected)
    assert not base.numpy()[:32].reshape(4, 8)[:, 3:].any()
    assert not base.numpy()[32:].any()


def test_long_fills_out_of_order_use_pairs():
    # PyTorch's: manual_seed(7); empty(4, 5).t().normal_()[0]
    manual_seed(7)
    got = empty((4, 5)).t().normal_().numpy()[0]
    np.testing.assert_allclose(
        got, [-0.1467950940132141, -0.8948279023170471, 0.317678302526474, 1.3470226526260376], 1e-6
    )


def test_like_functions_keep_the_order_of_dimensions():
    x = ft.zeros(3, 5).t()
    assert ft.rand_like(x).stride() == ft.randn_like(x).stride() == ft.randint_like(x, 4).stride() == (1, 5)
    assert ft.rand_like(x, memory_format=ft.contiguous_format).stride() == (3, 1)
    assert ft.bernoulli(x).stride() == (3, 1)


def test_bernoulli_probabilities_broadcast():
    p = ft.tensor([0.0, 1.0, 0.0])
    for t in (empty((4, 3)), empty((3, 4), "int64").t(), empty((4, 3), "bool")):
        assert array(t.bernoulli_(p)).tolist() == [[0, 1, 0]] * 4


# --- generators and their state -------------------------------------------------------------------------------------


def test_state_is_laid_out_as_pytorchs():
    # seed, words left and a flag, index of the next word, 624 words of 64 bits, three doubles of which the second is
    # the pair's second number, a flag, and 12 zero bytes.
    g = Generator().manual_seed(2**40 + 9)
    for n, index in ((0, 0), (3, 3), (621, 624), (1, 1)):
        ft.rand(n, generator=g)
        state = bytes(g.get_state().numpy())
        assert len(state) == 5056
        assert struct.unpack("<QiiQ", state[:24]) == (2**40 + 9, 625 - index if index else 1, 1, index)
        assert state[5016:] == bytes(40)
    key = np.frombuffer(state[24:5016], np.uint64)
    reference = np.random.RandomState(9)
    reference.randint(0, 2**32, 625, np.uint64)
    np.testing.assert_array_equal(key, reference.get_state()[1])
    g.manual_seed(0)
    z = ft.randn(2, generator=g, dtype=ft.float64).numpy()[1]
    g.manual_seed(0)
    ft.randn(1, generator=g)
    assert struct.unpack("<dddi", bytes(g.get_state().numpy())[5016:5044]) == (0.0, z, 0.0, 1)


@pytest.mark.parametrize("used", [0, 1, 623, 624, 625])
def test_state_restores_the_stream(used):
    g = Generator().manual_seed(5)
    ft.rand(used, generator=g)
    ft.randn(1, generator=g)
    state = g.get_state()
    expected = ft.randn(5, generator=g).tolist() + ft.rand(700, generator=g).tolist()
    other = Generator()
    assert other.set_state(state) is other
    assert other.initial_seed() == 5
    assert ft.randn(5, generator=other).tolist() + ft.rand(700, generator=other).tolist() == expected


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, Generator.clone_state, lambda g: pickle.loads(pickle.dumps(g))]
)
def test_copies_go_their_own_way(duplicate):
    g = Generator().manual_seed(5)
    ft.randn(3, generator=g)
    other = duplicate(g)
    expected = ft.randn(3, generator=g).tolist()
    ft.rand(1, generator=g)
    assert ft.randn(3, generator=other).tolist() == expected


def test_default_generator():
    assert manual_seed(-1) is default_generator
    assert initial_seed() == default_generator.initial_seed() == 2**64 - 1
    state = get_rng_state()
    first = ft.rand(3).tolist()
    set_rng_state(state)
    assert ft.rand(3, generator=default_generator).tolist() == first
    value = seed()
    assert value == initial_seed()
    assert seed() != value
    assert default_generator.device == ft.device("cpu")


def test_fork_rng():
    manual_seed(1)
    expected = ft.randn(4).tolist()
    manual_seed(1)
    head = ft.randn(1).tolist()
    with fork_rng():
        manual_seed(99)
        ft.randn(7)
    with pytest.raises(ZeroDivisionError), fork_rng(devices=[], enabled=True):
        ft.rand(1)
        raise ZeroDivisionError
    assert head + ft.randn(3).tolist() == expected
    with fork_rng(enabled=False):
        manual_seed(99)
    assert initial_seed() == 99


def test_generators_do_not_touch_each_other():
    manual_seed(1)
    expected = ft.rand(2).tolist()
    manual_seed(1)
    g = Generator().manual_seed(1)
    assert ft.rand(1, generator=g).tolist() + ft.rand(1).tolist() == [expected[0], expected[0]]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (2**64, ValueError, "Overflow when unpacking long long"),
        (-(2**63) - 1, ValueError, "Overflow when unpacking long long"),
        (1.5, RuntimeError, "manual_seed expected a long, but got float"),
    ],
)
def test_bad_seeds(value, error, message):
    g = Generator().manual_seed(1)
    with pytest.raises(error, match=message):
        g.manual_seed(value)
    assert g.initial_seed() == 1


def test_bad_states():
    g = Generator().manual_seed(1)
    expected = ft.rand(3, generator=Generator().manual_seed(1)).tolist()
    for state, error, message in (
        ([1, 2], TypeError, "expected a torch.ByteTensor, but got list"),
        (ft.zeros(5056), TypeError, "RNG state must be a torch.ByteTensor"),
        (ft.zeros(10, dtype=ft.uint8), RuntimeError, "State of size 5056 but found the input RNG state size to be 10"),
        (ft.zeros(5056, dtype=ft.uint8), RuntimeError, "Invalid mt19937 state"),
        (ft.zeros(2, 5056, dtype=ft.uint8).t(), RuntimeError, "RNG state must be contiguous"),
    ):
        with pytest.raises(error, match=message):
            g.set_state(state)
    assert ft.rand(3, generator=g).tolist() == expected
    with pytest.raises(RuntimeError, match="Device type CUDA is not supported for torch.Generator"):
        Generator("cuda")
    with pytest.raises(TypeError, match=r"rand\(\): argument 'generator' must be torch.Generator, not int"):
        ft.rand(2, generator=5)


def test_threads_share_a_generator():
    g = Generator()
    parts = []

    def work(n, calls):
        for _ in range(calls):
            parts.append(ft.rand(n, generator=g).numpy())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=a) for a in ((50_000, 20), (10, 500), (30_000, 20), (700, 100))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(interval)
    got = np.sort(np.concatenate(parts))
    np.testing.assert_array_equal(got, np.sort(ft.rand(len(got), generator=Generator()).numpy()))


# --- distributions --------------------------------------------------------------------------------------------------

N = 200_000


@pytest.mark.parametrize(
    ("method", "args", "mean", "variance"),
    [
        ("uniform_", (-1.0, 3.0), 1.0, 16 / 12),
        ("normal_", (2.0, 0.5), 2.0, 0.25),
        ("exponential_", (4.0,), 0.25, 1 / 16),
        ("geometric_", (0.25,), 4.0, 0.75 / 0.0625),
        ("log_normal_", (0.1, 0.5), np.exp(0.225), (np.exp(0.25) - 1) * np.exp(0.45)),
        ("bernoulli_", (0.3,), 0.3, 0.21),
        ("random_", (-3, 8), 2.0, 10.0),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments(method, args, mean, variance, dtype):
    manual_seed(0)
    x = getattr(empty((N,), dtype), method)(*args).numpy().astype(np.float64)
    assert abs(x.mean() - mean) < 5 * np.sqrt(variance / N)
    assert x.var() == pytest.approx(variance, rel=0.05)


def test_cauchy_quartiles():
    manual_seed(0)
    x = empty((N,), "float64").cauchy_(1.0, 2.0).numpy()
    np.testing.assert_allclose(np.quantile(x, [0.25, 0.5, 0.75]), [-1.0, 1.0, 3.0], atol=0.05)


def test_normal_shape():
    manual_seed(0)
    x = ft.randn(N).numpy()
    for bound, inside in ((1.0, 0.682689), (2.0, 0.954500), (3.0, 0.997300)):
        assert np.mean(np.abs(x) < bound) == pytest.approx(inside, abs=0.005)
    assert abs(np.mean(x[:-1] * x[1:])) < 0.01


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_never_reaches_the_end(dtype):
    manual_seed(0)
    for low, high in ((0.0, 1.0), (1.0, 1.01), (-2.0, 0.0), (-3.0, -2.5), (0.1, 0.7), (0.0, 60_000.0)):
        t = empty((N,), dtype).uniform_(low, high)
        ends = ft.tensor([low, high], dtype=t.dtype).tolist()
        x = array(t)
        assert ends[0] <= x.min()
        assert x.max() < ends[1]
    assert empty((3,), dtype).uniform_(0.5, 0.5).tolist() == [0.5] * 3


def test_certain_outcomes():
    for dtype in ("bool", *INTEGERS, *FLOATS):
        assert array(empty((50,), dtype).bernoulli_(0)).tolist() == [0] * 50
        assert array(empty((50,), dtype).bernoulli_(1)).tolist() == [1] * 50
        if dtype != "bool":
            assert array(empty((50,), dtype).random_(1)).tolist() == [0] * 50
    assert empty((3,)).normal_(4, 0).tolist() == [4, 4, 4]
    assert empty((3,)).exponential_(float("inf")).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_whole_ranges(dtype):
    info = np.iinfo(dtype)
    x = empty((N,), dtype).random_(int(info.min), None).numpy().astype(np.float64)
    span = float(info.max) - float(info.min)
    assert x.min() < info.min + 0.01 * span
    assert x.max() > info.max - 0.01 * span
    assert empty((N,), dtype).random_().numpy().min() >= 0


def test_permutations():
    for dtype in ("int64", "int32", "float32"):
        p = ft.randperm(30_000, dtype=getattr(ft, dtype))
        assert p.dtype is getattr(ft, dtype)
        np.testing.assert_array_equal(np.sort(p.numpy()), np.arange(30_000))
    assert sorted(ft.randperm(256, dtype=ft.uint8).tolist()) == list(range(256))
    assert sorted(ft.randperm(257, dtype=ft.bfloat16).tolist()) == list(range(257))


@pytest.mark.parametrize("dtype", FLOATS)
def test_multinomial(dtype):
    manual_seed(0)
    weights = ft.tensor([0.0, 1.0, 3.0, 0.0, 4.0], dtype=getattr(ft, dtype))
    drawn = ft.multinomial(weights, 40_000, replacement=True).numpy()
    np.testing.assert_allclose(np.bincount(drawn, minlength=5) / 40_000, [0, 0.125, 0.375, 0, 0.5], atol=0.01)
    picks = ft.multinomial(weights.expand(20_000, 5), 3).numpy()
    assert (np.sort(picks, 1) == [1, 2, 4]).all()
    np.testing.assert_allclose(np.bincount(picks[:, 0], minlength=5) / 20_000, [0, 0.125, 0.375, 0, 0.5], atol=0.02)
    assert ft.multinomial(weights, 2).dtype is ft.int64
    assert ft.multinomial(ft.ones(0, 3), 2).shape == (0, 2)


def test_multinomial_picks_few_as_it_sorts_many():
    weights = ft.linspace(0, 1, 200).repeat(20, 1)
    drawn = []
    for count in (1, 2, 32, 33, 150):
        manual_seed(1)
        drawn.append(ft.multinomial(weights, count))
    assert all(ft.equal(few, drawn[-1][:, : few.shape[1]]) for few in drawn)


def test_multinomial_reads_views():
    manual_seed(0)
    weights = ft.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]).t()
    assert ft.multinomial(weights, 3, True).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert ft.multinomial(weights, 1).tolist() == [[0], [1]]


# --- calls ----------------------------------------------------------------------------------------------------------


def test_spellings():
    def after_seed(function):
        manual_seed(1)
        return function().tolist()

    base = after_seed(lambda: ft.randint(0, 10, (4,)))
    for call in (
        lambda: ft.randint(10, (4,)),
        lambda: ft.randint(10, size=[4]),
        lambda: ft.randint(high=10, size=(4,)),
        lambda: ft.randint(0, 10, size=(4,)),
        lambda: ft.randint(low=0, high=10, size=(4,)),
        lambda: ft.randint_like(ft.zeros(4), 10),
        lambda: ft.randint_like(ft.zeros(4), 0, 10),
        lambda: ft.randint_like(ft.zeros(4), high=10),
        lambda: empty((4,), "int64").random_(10),
        lambda: empty((4,), "int64").random_(0, 10),
        lambda: empty((4,), "int64").random_(to=10),
    ):
        assert after_seed(call) == base
    assert after_seed(lambda: ft.rand(2, 3)) == after_seed(lambda: ft.rand((2, 3)))
    assert after_seed(lambda: ft.rand(3)) == after_seed(lambda: empty((3,)).uniform_(to=1))
    assert ft.rand(()).shape == ft.randint(3, ()).shape == ()


def test_options():
    assert ft.rand(2).dtype is ft.float32
    assert ft.randint(3, (2,)).dtype is ft.randperm(3).dtype is ft.int64
    for dtype in (ft.float16, ft.bfloat16, ft.float64, ft.complex64, ft.complex128):
        assert ft.rand(2, dtype=dtype).dtype is ft.randn(20, dtype=dtype).dtype is dtype
    assert ft.rand_like(ft.zeros(2, dtype=ft.int64), dtype=ft.float64).dtype is ft.float64
    out = ft.empty(0, dtype=ft.float64)
    manual_seed(7)
    assert ft.rand(3, out=out) is out
    np.testing.assert_array_equal(out.numpy(), unit64(7, 3))
    with pytest.raises(RuntimeError, match=r"dtype Float does not match dtype of out parameter \(Double\)"):
        ft.rand(3, out=out, dtype=ft.float32)
    with pytest.raises(RuntimeError, match="multinomial expects Long tensor out, got: Int"):
        ft.multinomial(ft.ones(3), 2, out=ft.empty(2, dtype=ft.int32))
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        ft.randint(3, (2,), requires_grad=True)


def test_versions_and_consumption():
    t = ft.zeros(3)
    version = t._version
    t.uniform_()
    assert t._version == version + 1
    manual_seed(3)
    empty((0, 4)).normal_()
    ft.rand(0)
    ft.randperm(1)
    assert ft.rand(1).numpy() == unit32(3, 1)


@pytest.mark.parametrize(
    ("dtype", "call", "error", "message"),
    [
        (
            "float32",
            lambda t: t.uniform_(1, 0),
            RuntimeError,
            r"uniform_ expects to return a \[from, to\) range, but found from=1 > to=0",
        ),
        ("float32", lambda t: t.uniform_(0, float("inf")), RuntimeError, "to is out of bounds for float"),
        ("float32", lambda t: t.uniform_(float("nan"), 1), RuntimeError, "from is out of bounds for float"),
        ("float16", lambda t: t.uniform_(0, 1e5), RuntimeError, "to is out of bounds for c10::Half"),
        (
            "float32",
            lambda t: t.uniform_(-3e38, 3e38),
            RuntimeError,
            r"uniform_ expects to-from <= std::numeric_limits<Float>::max\(\), but found to=3e\+38 and from=-3e\+38",
        ),
        ("int64", lambda t: t.uniform_(), NotImplementedError, "\"check_uniform_bounds\" not implemented for 'Long'"),
        ("float32", lambda t: t.normal_(0, -1), RuntimeError, r"normal expects std >= 0.0, but found std -1"),
        ("int64", lambda t: t.normal_(), NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Long'"),
        ("float32", lambda t: t.exponential_(0), RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=0"),
        ("int64", lambda t: t.exponential_(), RuntimeError, "Exponential distribution is a continuous probability"),
        (
            "float32",
            lambda t: t.geometric_(1.5),
            RuntimeError,
            r"geometric_ expects p to be in \(0, 1\), but got p=1.5",
        ),
        ("bool", lambda t: t.geometric_(0.5), NotImplementedError, "\"geometric_cpu\" not implemented for 'Bool'"),
        ("float32", lambda t: t.cauchy_(0, 0), RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma=0"),
        ("int64", lambda t: t.cauchy_(), RuntimeError, "Cauchy distribution is a continuous probability .* long int"),
        ("float32", lambda t: t.log_normal_(0, 0), RuntimeError, "log_normal_ expects std > 0.0, but found std=0"),
        (
            "float32",
            lambda t: t.bernoulli_(-0.1),
            RuntimeError,
            r"bernoulli_ expects p to be in \[0, 1\], but got p=-0.1",
        ),
        (
            "float32",
            lambda t: t.bernoulli_(ft.tensor([0.5, 2.0, 0.5])),
            RuntimeError,
            r"bernoulli_ expects all elements of p to be in \[0, 1\], but got p=2",
        ),
        (
            "float32",
            lambda t: t.bernoulli_(ft.tensor([0, 1, 0])),
            NotImplementedError,
            "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'",
        ),
        ("float32", lambda t: t.bernoulli_(ft.ones(2)), RuntimeError, "must match"),
        ("float32", lambda t: t.bernoulli_("a"), TypeError, "received an invalid combination of arguments - got .str."),
        ("complex64", lambda t: t.bernoulli_(), NotImplementedError, "bernoulli_scalar_cpu_.* 'ComplexFloat'"),
        (
            "int64",
            lambda t: t.random_(5, 5),
            RuntimeError,
            "random_ expects 'from' to be less than 'to', but got from=5 >= to=5",
        ),
        ("uint8", lambda t: t.random_(0, 257), RuntimeError, "to - 1 is out of bounds for unsigned char"),
        ("uint8", lambda t: t.random_(-1, 5), RuntimeError, "from is out of bounds for unsigned char"),
        ("bool", lambda t: t.random_(0, 3), RuntimeError, "to - 1 is out of bounds for bool"),
        ("float32", lambda t: t.random_(2**25, None), RuntimeError, "got from=33554432 > to_inc=16777216"),
        ("int64", lambda t: t.random_(0, 2**63), ValueError, "Overflow when unpacking long long"),
        ("int64", lambda t: t.random_(0.5, 3), TypeError, r"random_\(\) received an invalid .* got \(float, int\)"),
        ("float32", lambda t: t.random_(0, 2**24 + 2), UserWarning, r"to - 1 is out of bounds \[-\(2\^24\), 2\^24\]"),
        ("complex64", lambda t: t.random_(), NotImplementedError, "\"random_kernel_cpu\" .* 'ComplexFloat'"),
    ],
)
def test_refusals_leave_everything_as_it_was(dtype, call, error, message):
    t = ft.ones(3, dtype=getattr(ft, dtype))
    version, state = t._version, get_rng_state().tolist()
    with pytest.raises(error, match=message):
        call(t)
    assert t.tolist() == [1] * 3
    assert t._version == version
    assert get_rng_state().tolist() == state


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ft.rand(-1), RuntimeError, "negative dimension -1"),
        (lambda: ft.rand(3, dtype=ft.int64), NotImplementedError, "check_uniform_bounds"),
        (lambda: ft.rand(3, device="cuda"), AssertionError, "not compiled with CUDA"),
        (lambda: ft.randint(0, (3,)), RuntimeError, "from=0 >= to=0"),
        (
            lambda: ft.randint(2.5, (2,)),
            TypeError,
            r"randint\(\): argument 'high' \(position 1\) must be int, not float",
        ),
        (lambda: ft.randint(3), TypeError, r"randint\(\) received an invalid combination of arguments - got \(int\)"),
        (lambda: ft.randperm(-1), RuntimeError, "negative dimension -1"),
        (lambda: ft.randperm(3000, dtype=ft.float16), RuntimeError, "n cannot be greater than 2049 for Half type."),
        (lambda: ft.randperm(5, dtype=ft.bool), NotImplementedError, "\"randperm\" not implemented for 'Bool'"),
        (lambda: ft.bernoulli(ft.tensor([0, 1])), NotImplementedError, "not implemented for 'Long'"),
        (
            lambda: ft.multinomial(ft.ones(3), 4),
            RuntimeError,
            r"cannot sample n_sample > prob_dist.size\(-1\) samples without replacement",
        ),
        (lambda: ft.multinomial(ft.ones(3), 0), RuntimeError, "cannot sample n_sample <= 0 samples"),
        (lambda: ft.multinomial(ft.ones(2, 2, 2), 1), RuntimeError, "prob_dist must be 1 or 2 dim"),
        (
            lambda: ft.multinomial(ft.tensor([1, 2]), 1),
            RuntimeError,
            "multinomial only supports floating-point dtypes for input, got: Long",
        ),
        (
            lambda: ft.multinomial(ft.tensor([1.0, float("nan")]), 1),
            RuntimeError,
            "probability tensor contains either `inf`, `nan` or element < 0",
        ),
        (
            lambda: ft.multinomial(ft.tensor([1.0, -1.0]), 3, True),
            RuntimeError,
            r"invalid multinomial distribution \(encountering probability entry < 0\)",
        ),
        (
            lambda: ft.multinomial(ft.tensor([1.0, float("inf")]), 3, True),
            RuntimeError,
            r"\(encountering probability entry = infinity or NaN\)",
        ),
        (
            lambda: ft.multinomial(ft.tensor([[1.0, 0.0], [0.0, 0.0]]), 3, True),
            RuntimeError,
            r"invalid multinomial distribution \(sum of probabilities <= 0\)",
        ),
    ],
)
def test_refusals_draw_nothing(call, error, message):
    state = get_rng_state().tolist()
    with pytest.raises(error, match=message):
        call()
    assert get_rng_state().tolist() == state


@pytest.mark.parametrize("call", [lambda t: t.uniform_(), lambda t: t.normal_(), lambda t: t.bernoulli_(ft.ones(2))])
def test_overlapping_elements_are_refused(call):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        call(ft.zeros(30, 1).expand(30, 2))


# --- processes ------------------------------------------------------------------------------------------------------


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    ).stdout


def test_import_leaves_numpys_random_module_alone():
    assert python("import sys, flambeau_tensor; print('numpy.random' in sys.modules)") == "False\n"


def test_processor_levels_agree():
    from flambeau_tensor._core.elementwise.cpu_levels import LEVEL, built_levels

    code = (
        "import flambeau_tensor as ft, flambeau_tensor.random as r; r.manual_seed(7); "
        "print(ft.randn(37).tolist() + ft.rand(9).tolist() + ft.randint(99, (9,)).tolist()"
        " + ft.empty(20).cauchy_().tolist())"
    )
    levels = built_levels()
    results = [eval(python(code, FLAMBEAU_CPU_LEVEL=level)) for level in levels[levels.index(LEVEL) :]]
    manual_seed(7)
    here = ft.randn(37).tolist() + ft.rand(9).tolist() + ft.randint(99, (9,)).tolist() + empty((20,)).cauchy_().tolist()
    for numbers in results:
        np.testing.assert_allclose(numbers, here, 1e-6, 1e-6)


def test_poisson():
    """PyTorch 2.13 draws these from the same seed."""
    rates = ft.tensor([0.0, 0.3, 2.0, 9.9, 10.0, 35.0, 1000.0], dtype=ft.float64)
    ft.manual_seed(3)
    assert ft.poisson(rates).tolist() == [0, 0, 2, 11, 5, 48, 1015]
    assert ft.poisson(rates, generator=ft.Generator().manual_seed(3)).tolist() == [0, 0, 2, 11, 5, 48, 1015]
    for dtype in ft.float16, ft.bfloat16, ft.float32:
        assert ft.poisson(rates[:4].to(dtype)).dtype is dtype
    many = ft.poisson(ft.tensor([3.0, 20.0]).double().expand(20_000, 2))
    np.testing.assert_allclose(many.mean(0), [3, 20], rtol=0.02)
    np.testing.assert_allclose(many.var(0), [3, 20], rtol=0.05)
    with pytest.raises(RuntimeError, match="invalid Poisson rate, expected rate to be non-negative"):
        ft.poisson(-rates)
    with pytest.raises(NotImplementedError, match="\"poisson_cpu\" not implemented for 'Long'"):
        ft.poisson(rates.long())


@pytest.mark.parametrize(
    "make",
    [
        lambda: ft.rand(3),
        lambda: ft.randn(3),
        lambda: ft.randint(3, (3,)),
        lambda: ft.randperm(3),
        lambda: ft.rand_like(ft.ones(3)),
        lambda: ft.bernoulli(ft.ones(3)),
    ],
)
def test_new_tensors_count_no_writes(make):
    assert make()._version == 0
