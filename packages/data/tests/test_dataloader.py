"""The DataLoader in one process. Random numbers were written down from PyTorch 2.13."""

import copy
import pickle
import warnings

import pytest

import flambeau_tensor as ft
from flambeau_data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    default_collate,
    get_worker_info,
)
from flambeau_data.dataloader import _BaseDataLoaderIter


class Squares(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        if i == 5:
            raise LookupError("five")
        return i, i * i


class Stream(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))

    def __len__(self):
        return 3


def lists(loader):
    return [[t.tolist() for t in b] if isinstance(b, list) else b.tolist() for b in loader]


def test_shuffles_are_pytorchs():
    """The order of two passes, and what the default generator gives after them."""
    ft.manual_seed(1)
    loader = DataLoader(TensorDataset(ft.arange(7)), batch_size=3, shuffle=True)
    assert [lists(loader), lists(loader), int(ft.randint(1000, ()))] == [
        [[[0, 5, 1]], [[4, 2, 3]], [[6]]],
        [[[0, 2, 4]], [[5, 1, 6]], [[3]]],
        759,
    ]


ROWS = TensorDataset(ft.arange(12.0).view(6, 2), ft.arange(6))


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        Subset(ROWS, [4, 2, 0, 1]),
        Subset(Subset(ROWS, [5, 4, 3]), (2, 0)),
        StackDataset(ROWS, Subset(ROWS, range(6))),
        StackDataset(a=ROWS, b=ROWS),
        TensorDataset(ft.arange(4).to(ft.bfloat16)),
    ],
)
def test_batches_of_rows_are_what_collating_items_gives(data):
    """One index operation takes them; a function of one's own has them collated item by item."""
    for options in ({"batch_size": 2}, {"batch_sampler": [[1, 0], [-1], []][:2]}):
        quick = list(DataLoader(data, **options))
        slow = list(DataLoader(data, collate_fn=lambda batch: default_collate(batch), **options))
        assert repr(quick) == repr(slow) and len(quick) == len(slow) > 0


def test_batches_of_rows_are_one_index_operation(monkeypatch):
    monkeypatch.setattr(TensorDataset, "__getitem__", None)
    assert lists(DataLoader(TensorDataset(ft.arange(3)), batch_size=2)) == [[[0, 1]], [[2]]]


def test_batches_are_copies():
    x = ft.arange(4)
    next(iter(DataLoader(TensorDataset(x), batch_size=2)))[0].zero_()
    assert x.tolist() == [0, 1, 2, 3]


def test_a_subclass_decides_itself():
    class Doubled(TensorDataset):
        def __getitem__(self, i):
            return 2 * self.tensors[0][i]

    assert lists(DataLoader(Doubled(ft.arange(3)), batch_size=3)) == [[0, 2, 4]]


def test_options():
    data = TensorDataset(ft.arange(5))
    assert lists(DataLoader(data, batch_size=2, drop_last=True)) == [[[0, 1]], [[2, 3]]]
    assert lists(DataLoader(data, sampler=[3, 1], batch_size=2)) == [[[3, 1]]]
    assert lists(DataLoader(data, batch_sampler=BatchSampler([3, 1, 0], 2, False))) == [[[3, 1]], [[0]]]
    assert [b[0].item() for b in DataLoader(data, batch_size=None, sampler=[2, 0])] == [2, 0]
    assert list(DataLoader(["a", "b"], batch_size=None)) == ["a", "b"]
    assert list(DataLoader(range(4), batch_size=4, collate_fn=sum)) == [6]
    loader = DataLoader(data, batch_size=2)
    assert len(loader) == 3 and len(iter(loader)) == 3 and isinstance(iter(loader), _BaseDataLoaderIter)
    assert lists(copy.deepcopy(loader)) == lists(pickle.loads(pickle.dumps(loader))) == lists(loader)
    assert get_worker_info() is None


def test_getitems_is_called_once_a_batch():
    class Many(Squares):
        def __getitems__(self, indices):
            return [("many", i) for i in indices]

    assert list(DataLoader(Many(), batch_size=6, collate_fn=list))[0][5] == ("many", 5)


def test_streams():
    with pytest.warns(UserWarning, match=r"Length of IterableDataset .* was reported to be 3.*but 4 samples"):
        loader = DataLoader(Stream(4), batch_size=None)
        assert len(loader) == 3 and list(loader) == [0, 1, 2, 3]
    assert lists(DataLoader(Stream(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert lists(DataLoader(Stream(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert [len(DataLoader(Stream(5), batch_size=2, drop_last=drop)) for drop in (False, True)] == [2, 1]


def test_an_error_says_which_item_it_was():
    with pytest.raises(LookupError, match="^five") as e:
        list(DataLoader(Squares(), batch_size=7))
    assert e.value.__notes__ == ["This was item 5 of Squares, in the batch of [0, 1, 2, 3, 4, 5, 6]."]
    with pytest.raises(LookupError) as e:
        list(DataLoader(Squares(), batch_size=None))
    assert e.value.__notes__ == ["This was item 5 of Squares."]
    with pytest.raises(IndexError) as e:
        list(DataLoader(ROWS, batch_sampler=[[0, 9] + [0] * 20]))
    assert e.value.__notes__ == [
        "This was item 9 of TensorDataset, in the batch of [0, 9, 0, 0, 0, 0, 0, 0, 0, 0, … 22 in all]."
    ]
    with pytest.raises(LookupError) as e:
        list(DataLoader(Subset(Squares(), [4, 5]), batch_size=2))
    assert e.value.__notes__ == ["This was item [0, 1] of Subset."]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"num_workers": -1}, ValueError, "num_workers option should be non-negative"),
        ({"timeout": -1}, ValueError, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor option could only be specified in multiprocessing"),
        ({"num_workers": 1, "prefetch_factor": -2}, ValueError, "prefetch_factor option should be non-negative"),
        ({"persistent_workers": True}, ValueError, "persistent_workers option needs num_workers > 0"),
        ({"sampler": [0], "shuffle": True}, ValueError, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, ValueError, "batch_sampler option is mutually exclusive"),
        ({"batch_size": None, "drop_last": True}, ValueError, "batch_size=None option disables auto-batching"),
        ({"multiprocessing_context": "fork"}, ValueError, "can only be used with multi-process loading"),
        ({"multiprocessing_context": "x", "num_workers": 1}, ValueError, "should specify a valid start method in"),
        ({"multiprocessing_context": 3, "num_workers": 1}, TypeError, "should be a valid context object or a string"),
    ],
)
def test_errors(options, error, text):
    with pytest.raises(error, match=text):
        DataLoader(Squares(), **options)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]}])
def test_streams_have_no_order(options):
    with pytest.raises(ValueError, match=f"IterableDataset: expected unspecified {next(iter(options))} option, but"):
        DataLoader(Stream(2), **options)
    DataLoader(Stream(2), shuffle=False)


def test_what_is_fixed():
    loader = DataLoader(Squares())
    for name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"):
        with pytest.raises(ValueError, match=f"{name} attribute should not be set after DataLoader is initialized"):
            setattr(loader, name, None)
    loader.collate_fn = list
    with pytest.raises(NotImplementedError, match="cannot be pickled"):
        pickle.dumps(iter(loader))


def test_warnings():
    with pytest.warns(UserWarning, match="This DataLoader will create 1000 worker processes in total"):
        DataLoader(Squares(), num_workers=1000)
    loader = DataLoader(TensorDataset(ft.arange(2)), pin_memory=True)
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no accelerator is found"):
        assert lists(loader) == [[[0]], [[1]]]


@pytest.mark.measures
def test_batches_leak_nothing():
    import gc
    import tracemalloc

    from flambeau_tensor.extend import memory_stats

    loader = DataLoader(TensorDataset(ft.randn(200, 5), ft.arange(200)), batch_size=2, shuffle=True)

    def run(n):
        for _ in range(n):
            for _batch in loader:
                pass
        gc.collect()
        return memory_stats()["allocated"]

    run(3)
    tracemalloc.start()
    allocated, before = run(1), tracemalloc.get_traced_memory()[0]
    later = run(50)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert later == allocated and grown < 2000


def test_no_warning_without_a_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(DataLoader(ROWS, batch_size=2))
