"""Datasets and random_split. Random numbers were written down from PyTorch 2.13."""

import pytest

import flambeau_tensor as ft
from flambeau_data import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)


class Count(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))

    def __len__(self):
        return self.n


def test_rows_of_tensors():
    data = TensorDataset(ft.arange(6).view(3, 2), ft.tensor([7, 8, 9]))
    assert len(data) == 3
    assert [t.tolist() for t in data[1]] == [[2, 3], 8] and isinstance(data[1], tuple)
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(ft.zeros(2), ft.zeros(3))


def test_stacks():
    assert StackDataset("abc", range(3))[1] == ("b", 1)
    named = StackDataset(text="abc", number=range(3))
    assert named[2] == {"text": "c", "number": 2} and len(named) == 3
    assert named.__getitems__([0, 2]) == [{"text": "a", "number": 0}, {"text": "c", "number": 2}]
    assert StackDataset("abc", Subset(range(9), [5, 6, 7])).__getitems__([2, 0]) == [("c", 7), ("a", 5)]
    for make, text in [
        (lambda: StackDataset("ab", "abc"), "Size mismatch between datasets"),
        (lambda: StackDataset(), "At least one dataset should be passed"),
        (lambda: StackDataset("ab", a="ab"), "but both types are given"),
    ]:
        with pytest.raises(ValueError, match=text):
            make()


def test_a_stack_refuses_parts_that_give_too_few():
    class Short(Dataset):
        def __len__(self):
            return 3

        def __getitems__(self, indices):
            return indices[1:]

    with pytest.raises(ValueError, match="Nested dataset's output size mismatch. Expected 2, got 1"):
        StackDataset(Short()).__getitems__([0, 1])


def test_one_after_another():
    both = ConcatDataset(["abc", range(2)])
    assert [both[i] for i in range(5)] == ["a", "b", "c", 0, 1] and both[-1] == 1 and both[-5] == "a"
    assert both.cumulative_sizes == [3, 5] and len(both) == 5
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        both[-6]
    with pytest.raises(AssertionError, match="should not be an empty iterable"):
        ConcatDataset([])
    with pytest.raises(AssertionError, match="does not support IterableDataset"):
        ConcatDataset([Count(2)])
    one = TensorDataset(ft.arange(2))
    assert isinstance(one + one, ConcatDataset) and len(one + one) == 4
    with pytest.warns(FutureWarning, match="renamed to `cumulative_sizes`"):
        assert both.cummulative_sizes == [3, 5]


def test_streams_one_after_another():
    both = Count(2) + Count(3)
    assert isinstance(both, ChainDataset) and list(both) == [0, 1, 0, 1, 2] and len(both) == 5
    with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
        list(ChainDataset([[1]]))


def test_subsets():
    part = Subset("abcdef", [4, 2, 0])
    assert part[1] == "c" and len(part) == 3 and part.__getitems__([0, 2]) == ["e", "a"]
    rows = Subset(TensorDataset(ft.arange(6)), ft.tensor([4, 2]))
    assert rows[0][0].item() == 4

    class Half(Subset):
        def __getitem__(self, i):
            return super().__getitem__(i)

    with pytest.raises(NotImplementedError, match="Half overrides __getitem__ but not __getitems__"):
        Half("ab", [0])


def test_random_splits_are_pytorchs():
    parts = random_split(range(11), [5, 6], ft.Generator().manual_seed(5))
    assert [p.indices for p in parts] == SPLIT
    assert [len(p) for p in random_split(range(11), [0.5, 0.3, 0.2])] == [6, 3, 2]
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        random_split(range(1), [0.5, 0.5])
    with pytest.raises(ValueError, match="Sum of input lengths does not equal the length of the input dataset"):
        random_split(range(4), [1, 2])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        random_split(range(4), [1.5, -0.5])


def test_what_a_dataset_has_to_define():
    with pytest.raises(NotImplementedError, match="Subclasses of Dataset should implement __getitem__"):
        Dataset()[0]
    assert Dataset[int] is not Dataset


SPLIT = [[9, 5, 0, 8, 10], [2, 3, 6, 7, 1, 4]]
