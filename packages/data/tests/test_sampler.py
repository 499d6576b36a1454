"""Samplers. Random numbers were written down from PyTorch 2.13."""

import pytest

import flambeau_tensor as ft
from flambeau_data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

MAKE = [
    lambda g: RandomSampler(range(7), generator=g),
    lambda g: RandomSampler(range(5), num_samples=12, generator=g),
    lambda g: RandomSampler(range(70), True, 40, g),
    lambda g: RandomSampler(range(70), True, 64, g),
    lambda g: SubsetRandomSampler([5, 7, 9, 11], g),
    lambda g: WeightedRandomSampler([0.1, 0.4, 0.5], 5, True, g),
    lambda g: WeightedRandomSampler([0.1, 0.4, 0.5], 3, False, g),
]
WANT = [
    [[1, 0, 4, 2, 6, 5, 3], 211],
    [[1, 3, 0, 4, 2, 1, 3, 0, 4, 2, 3, 1], 211],
    [
        [
            1,
            54,
            37,
            45,
            6,
            50,
            22,
            3,
            68,
            4,
            49,
            20,
            11,
            2,
            38,
            58,
            53,
            40,
            27,
            19,
            59,
            57,
            42,
            39,
            64,
            7,
            1,
            59,
            13,
            26,
            24,
            54,
            5,
            24,
            30,
            5,
            47,
            54,
            25,
            49,
        ],
        286,
    ],
    [
        [
            1,
            54,
            37,
            45,
            6,
            50,
            22,
            3,
            68,
            4,
            49,
            20,
            11,
            2,
            38,
            58,
            53,
            40,
            27,
            19,
            59,
            57,
            42,
            39,
            64,
            7,
            1,
            59,
            13,
            26,
            24,
            54,
            5,
            24,
            30,
            5,
            47,
            54,
            25,
            49,
            16,
            43,
            44,
            27,
            30,
            32,
            69,
            12,
            36,
            0,
            62,
            32,
            16,
            39,
            59,
            41,
            37,
            62,
            36,
            54,
            51,
            47,
            19,
            50,
        ],
        425,
    ],
    [[11, 7, 5, 9], 885],
    [[2, 1, 1, 1, 1], 879],
    [[1, 2, 0], 792],
]


@pytest.mark.parametrize(("make", "want"), list(zip(MAKE, WANT, strict=True)))
def test_draws_are_pytorchs(make, want):
    """The indices, and what the generator gives after them."""
    g = ft.Generator().manual_seed(5)
    sampler = make(g)
    assert [list(sampler), int(ft.randint(1000, (), generator=g))] == want
    assert len(sampler) == len(want[0])


def test_without_a_generator_the_default_one_seeds_a_new_one():
    ft.manual_seed(0)
    assert [list(RandomSampler(range(6))), int(ft.randint(1000, ()))] == [[0, 1, 2, 3, 5, 4], 933]


def test_batches():
    assert list(BatchSampler(SequentialSampler("abcde"), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(BatchSampler(SequentialSampler("abcde"), 2, True)) == [[0, 1], [2, 3]]
    for n in range(1, 8):
        for drop in (False, True):
            sampler = BatchSampler(range(n), 3, drop)
            assert len(sampler) == len(list(sampler))


def test_parts_of_processes():
    parts = [DistributedSampler(range(7), 3, rank, seed=3) for rank in range(3)]
    assert [list(p) for p in parts] == [[5, 6, 1], [3, 0, 5], [4, 2, 3]]
    parts = [DistributedSampler(range(7), 3, rank, seed=3, drop_last=True) for rank in range(3)]
    assert [list(p) for p in parts] == [[5, 6], [3, 0], [4, 2]] and len(parts[0]) == 2
    parts_of_two = [list(DistributedSampler(range(2), 5, rank, shuffle=False)) for rank in range(5)]
    assert parts_of_two == [[0], [1], [0], [1], [0]]
    before = list(parts[0])
    parts[0].set_epoch(1)
    assert list(parts[0]) != before
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedSampler(range(7))
    with pytest.raises(ValueError, match=r"Invalid rank 3, rank should be in the interval \[0, 2\]"):
        DistributedSampler(range(7), 3, 3)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: RandomSampler(range(3), 1), TypeError, "replacement should be a boolean value, but got replacement=1"),
        (
            lambda: RandomSampler([]),
            ValueError,
            "num_samples should be a positive integer value, but got num_samples=0",
        ),
        (lambda: WeightedRandomSampler([1.0], True), ValueError, "positive integer value, but got num_samples=True"),
        (lambda: WeightedRandomSampler([1.0], 1, 0), ValueError, "replacement should be a boolean value"),
        (lambda: WeightedRandomSampler([[1.0]], 1), ValueError, r"weights should be a 1d sequence .* shape \(1, 1\)"),
        (lambda: BatchSampler([1], 0, False), ValueError, "batch_size should be a positive integer value"),
        (lambda: BatchSampler([1], 1, 0), ValueError, "drop_last should be a boolean value, but got drop_last=0"),
        (lambda: iter(Sampler()), NotImplementedError, "^$"),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()
