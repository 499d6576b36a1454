"""Pipes give what PyTorch 2.13's give, in its order for a seed."""

import io
import pickle

import pytest

import flambeau_tensor as torch
from flambeau_data import (
    DataChunk,
    DataLoader,
    IterDataPipe,
    MapDataPipe,
    functional_datapipe,
    guaranteed_datapipes_determinism,
    non_deterministic,
)
from flambeau_data.datapipes import _shared
from flambeau_data.datapipes import iter as streams
from flambeau_data.datapipes import map as maps
from flambeau_data.datapipes._hook_iterator import _SnapshotState
from flambeau_data.datapipes.iter.sharding import SHARDING_PRIORITIES
from flambeau_data.datapipes.utils.common import StreamWrapper
from flambeau_data.datapipes.utils.snapshot import _simple_graph_snapshot_restoration as restore
from flambeau_data.graph import traverse_dps
from flambeau_data.graph_settings import apply_random_seed, apply_sharding, get_all_graph_pipes


def source(n=6):
    return streams.IterableWrapper(range(n))


def negated(x):
    return -x


def tenfold(*numbers):
    return sum(numbers) * 10


def parity(x):
    return x % 2


def third(x):
    return x % 3


def is_even(x):
    return x % 2 == 0


def is_positive(x):
    return x > 0


def none_for_two(x):
    return None if x % 3 == 2 else x % 3


def three(a, b, c):
    return a


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"input_col": 1}, [(0, 10, 2), (3, 40, 5)]),
        ({"input_col": [0, 2]}, [(20, 1), (80, 4)]),
        ({"input_col": [2, 0]}, [(1, 20), (4, 80)]),
        ({"input_col": 0, "output_col": 1}, [(0, 0, 2), (3, 30, 5)]),
        ({"input_col": [0, 1], "output_col": -1}, [(0, 1, 2, 10), (3, 4, 5, 70)]),
        ({"input_col": 1, "output_col": [2]}, [(0, 1, 10), (3, 4, 40)]),
    ],
)
def test_columns(options, expected):
    pipe = streams.IterableWrapper([(0, 1, 2), (3, 4, 5)])
    assert list(pipe.map(tenfold, **options)) == expected


def test_columns_of_dicts_and_lists():
    assert list(streams.IterableWrapper([{"a": 1, "b": 2}]).map(negated, input_col="a", output_col="c")) == [
        {"a": 1, "b": 2, "c": -1}
    ]
    assert list(streams.IterableWrapper([{"a": 1, "b": 2}]).map(max, input_col=["b", "a"])) == [{"b": 2}]
    assert list(streams.IterableWrapper([[1, 2]]).map(negated, input_col=0)) == [[-1, 2]]
    with pytest.raises(ValueError, match="must be None"):
        source().map(negated, output_col=1)
    with pytest.raises(ValueError, match="single-element"):
        source().map(negated, input_col=1, output_col=[1, 2])


def test_filter():
    assert list(source().filter(is_even)) == [0, 2, 4]
    assert list(streams.IterableWrapper([(0, 1), (1, 0)]).filter(is_positive, input_col=1)) == [(0, 1)]
    with pytest.raises(ValueError, match="Boolean output"):
        list(source().filter(parity))


def test_batches():
    assert list(source().batch(4)) == [[0, 1, 2, 3], [4, 5]] and len(source().batch(4)) == 2
    assert list(source().batch(4, drop_last=True)) == [[0, 1, 2, 3]] and len(source().batch(4, drop_last=True)) == 1
    chunk = next(iter(source().batch(2)))
    assert type(chunk) is DataChunk and list(chunk.raw_iterator()) == [0, 1] and chunk.as_str(" ") == " [0, 1]"
    assert list(source().batch(2, wrapper_class=sum)) == [1, 5, 9]
    assert list(source().batch(2).batch(2).unbatch()) == [[0, 1], [2, 3], [4, 5]]
    assert list(source().batch(2).batch(2).unbatch(unbatch_level=2)) == list(range(6))
    assert list(source().batch(2).batch(2).unbatch(unbatch_level=-1)) == list(range(6))
    assert [b.tolist() for b in source(4).batch(2).collate()] == [[0, 1], [2, 3]]
    with pytest.raises(AssertionError, match="larger than 0"):
        source().batch(0)
    with pytest.raises(IndexError, match="exceeds the depth"):
        list(source().unbatch())
    with pytest.raises(ValueError, match="-1 or >= 0"):
        list(source().unbatch(-3))
    with pytest.raises(NotImplementedError, match="columns"):
        source().collate({"a": sum})


def test_groups():
    assert list(source(10).groupby(third)) == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]
    expected = [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]
    assert list(source(10).groupby(third, group_size=2)) == expected
    early = {"group_size": 3, "buffer_size": 4, "guaranteed_group_size": 2}
    assert list(source(10).groupby(third, **early)) == expected
    assert list(source(10).groupby(int, **early, drop_remaining=True)) == [[7], [8], [9]]
    assert next(iter(source(10).groupby(third, keep_key=True, buffer_size=3))) == (0, [0])
    with pytest.raises(RuntimeError, match="Failed to group"):
        list(source(10).groupby(int, **early))
    with pytest.raises(AssertionError, match="group_size must be set"):
        source().groupby(int, guaranteed_group_size=2)
    with pytest.raises(AssertionError, match="> 0"):
        source().groupby(int, group_size=0)


def test_several():
    assert list(source().concat(source(2))) == [0, 1, 2, 3, 4, 5, 0, 1] and len(source().concat(source(2))) == 8
    assert list(source().zip(source(2))) == [(0, 0), (1, 1)] and len(source().zip(source(3))) == 3
    muxed = source().mux(source(2), source(4))
    assert list(muxed) == [0, 0, 0, 1, 1, 1] and len(muxed) == 6
    with pytest.raises(TypeError, match="IterDataPipe"):
        source().zip([1])
    with pytest.raises(ValueError, match="at least one"):
        streams.Concater()


def test_forks():
    a, b = source().fork(2)
    assert len(a) == 6 and [list(a), list(b), list(a), list(b)] == [list(range(6))] * 4
    first, second = iter(a), iter(b)
    assert [next(first), next(second), next(first)] == [0, 0, 1]
    with pytest.warns(UserWarning, match="not exhausted"):
        iter(a)
    with pytest.raises(RuntimeError, match="invalidated"):
        next(second)
    a, b = streams.IterableWrapper([[0]]).fork(2, copy="deep")
    assert next(iter(a)) is not next(iter(b))
    ahead, _ = source().fork(2, buffer_size=3)
    with pytest.raises(BufferError, match="size 3 is insufficient"):
        list(ahead)
    with pytest.raises(ValueError, match="larger than 0"):
        source().fork(0)
    pipe = source()
    assert pipe.fork(1) is pipe


def test_demux():
    assert [list(x) for x in source().demux(2, parity)] == [[0, 2, 4], [1, 3, 5]]
    kept = source().demux(2, none_for_two, drop_none=True)
    assert [list(x) for x in kept] == [[0, 3], [1, 4]]
    with pytest.raises(ValueError, match="between 0 and 1. 2 is returned"):
        list(source().demux(2, int)[0])
    with pytest.raises(BufferError, match="Demultiplexer"):
        list(source(10).demux(2, bool, buffer_size=3)[0].mux(source(10)).batch(10))


def test_orders():
    """PyTorch's, for these seeds."""
    assert list(source(10).shuffle().set_seed(5)) == [9, 4, 6, 8, 7, 5, 0, 2, 1, 3]
    assert list(source(10).batch(2).shuffle(unbatch_level=1).set_seed(1)) == [2, 1, 6, 0, 7, 8, 9, 5, 4, 3]
    assert list(source(10).shuffle().set_shuffle(False)) == list(range(10))
    assert list(maps.SequenceWrapper(range(7)).shuffle(indices=[1, 3, 5]).set_seed(2)) == [3, 5, 1]
    torch.manual_seed(3)
    assert list(source(10).shuffle()) == [3, 4, 8, 2, 7, 9, 6, 0, 1, 5]
    assert list(source(10).shuffle(buffer_size=3)) == [1, 0, 2, 4, 3, 7, 5, 6, 8, 9]
    with pytest.raises(AssertionError, match="larger than 0"):
        source().shuffle(buffer_size=0)
    assert list(streams.Sampler(source(3))) == [0, 1, 2]


def test_shares():
    pipe = source(10).sharding_filter()
    assert list(pipe) == list(range(10))
    pipe.apply_sharding(3, 1)
    assert list(pipe) == [1, 4, 7] and len(pipe) == 3
    with pytest.raises(ValueError, match="smaller than"):
        pipe.apply_sharding(2, 2)
    with pytest.raises(RuntimeError, match="cannot mix"):
        pipe.apply_sharding(2, 1, SHARDING_PRIORITIES.DISTRIBUTED)
    pipe = source(20).sharding_filter()
    pipe.apply_sharding(2, 1, SHARDING_PRIORITIES.DISTRIBUTED)
    pipe.apply_sharding(3, 2, SHARDING_PRIORITIES.MULTIPROCESSING)
    assert list(pipe) == [5, 11, 17] and len(pipe) == 3
    with pytest.raises(RuntimeError, match="Sharding twice"):
        apply_sharding(pipe.sharding_filter(), 2, 0)


def test_one_pass_at_a_time():
    pipe = source()
    first = iter(pipe)
    next(first)
    assert next(iter(pipe)) == 0
    with pytest.raises(RuntimeError, match="another iterator has been created"):
        next(first)


def test_files(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "a.txt", "c.bin", "sub/d.txt"):
        (tmp_path / name).write_text(name)
    root = str(tmp_path)
    assert list(streams.FileLister(root, "*.txt")) == [f"{root}/a.txt", f"{root}/b.txt"]
    listed = streams.IterableWrapper([root]).list_files(["*.bin", "d*"], recursive=True)
    assert list(listed) == [f"{root}/c.bin", f"{root}/sub/d.txt"]
    texts = streams.FileLister(root, "*.txt").open_files("rt").read_from_stream()
    assert list(texts) == [(f"{root}/a.txt", "a.txt"), (f"{root}/b.txt", "b.txt")]
    parts = streams.FileLister(root, "a*").open_files("b").read_from_stream(chunk=3)
    assert [data for _, data in parts] == [b"a.t", b"xt"]
    assert len(streams.FileLister(root, length=7)) == 7
    with pytest.raises(TypeError, match="valid length"):
        len(streams.FileLister(root))
    with pytest.raises(ValueError, match="Invalid mode w"):
        streams.FileOpener(source(), mode="w")


def test_items_by_key():
    pipe = maps.SequenceWrapper(range(7))
    letters = maps.SequenceWrapper("ab")
    assert list(pipe.map(negated)) == [0, -1, -2, -3, -4, -5, -6] and len(pipe) == 7
    assert list(pipe.batch(3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(pipe.batch(3, drop_last=True)) == [[0, 1, 2], [3, 4, 5]]
    assert pipe.concat(letters)[8] == "b" and len(pipe.concat(letters)) == 9
    assert list(pipe.zip(letters)) == [(0, "a"), (1, "b")]
    with pytest.raises(IndexError, match="11 is out of range"):
        pipe.concat(letters)[11]
    with pytest.raises(TypeError, match="MapDataPipe"):
        pipe.zip(source())


@functional_datapipe("tripled")
class Tripler(IterDataPipe):
    def __init__(self, pipe):
        self.pipe = pipe
        self.begun = 0

    def __iter__(self):
        for x in self.pipe:
            yield 3 * x

    def reset(self):
        self.begun += 1


def test_pipes_of_programs():
    pipe = source().tripled()
    assert list(pipe.batch(2)) == [[0, 3], [6, 9], [12, 15]] and pipe.begun == 1
    assert "tripled" in dir(source()) and repr(pipe) == "Tripler"
    with pytest.raises(Exception, match="already taken"):
        functional_datapipe("tripled")(Tripler)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        source().nothing()
    random = non_deterministic(Tripler)
    assert list(random(source(2))) == [0, 3]
    with guaranteed_datapipes_determinism(), pytest.raises(TypeError, match="non-deterministic"):
        random(source())
    sometimes = non_deterministic(lambda pipe: len(pipe) > 2)(Tripler)
    with guaranteed_datapipes_determinism():
        assert list(sometimes(source(2))) == [0, 3]
        with pytest.raises(TypeError, match="non-deterministic"):
            sometimes(source())


def test_counting_and_continuing():
    """The count of items, and passes that continue where pickled pipes stopped."""

    class Itself(IterDataPipe):
        def __init__(self):
            self.reset()

        def __iter__(self):
            return self

        def __next__(self):
            return next(self.items)

        def reset(self):
            self.items = iter(range(4))

    pipe = Itself()
    first = iter(pipe)
    assert (next(first), next(pipe), pipe._number_of_samples_yielded) == (0, 1, 2)
    assert list(pipe) == [0, 1, 2, 3] and pipe._number_of_samples_yielded == 4
    with pytest.raises(RuntimeError, match="has been invalidated"):
        next(first)

    pipe = source(10).map(negated).shuffle(buffer_size=4)
    apply_random_seed(pipe, torch.Generator().manual_seed(1))
    reading = iter(pipe)
    assert [next(reading) for _ in range(3)] and pipe._number_of_samples_yielded == 3
    copy = pickle.loads(pickle.dumps(pipe))
    assert copy._number_of_samples_yielded == 3
    restore(copy, 3, torch.Generator().manual_seed(1))
    with pytest.raises(RuntimeError, match="Snapshot restoration cannot be applied"):
        restore(copy, 3)
    assert list(copy) == list(reading)
    with pytest.raises(RuntimeError, match="by 4 iterations exceeds"):
        restore(source(3), 4)

    order = maps.SequenceWrapper(range(6)).shuffle()
    reading = iter(order)
    next(reading)
    copy = pickle.loads(pickle.dumps(order))
    copy._snapshot_state = _SnapshotState.Restored
    assert list(copy) == list(reading)


def test_rejected_functions_and_lengths():
    with pytest.raises(ValueError, match="three cannot take 1 columns"):
        source().map(three)
    with pytest.raises(ValueError, match="cannot take 2 columns"):
        source().filter(is_even, input_col=[0, 1])
    with pytest.raises(TypeError, match="A callable function is expected"):
        source().map(3)
    with pytest.raises(AssertionError, match="implemented `__len__`"):
        streams.Sampler(source().filter(is_even))
    for endless in (source().filter(is_even).batch(2), source().zip(source().filter(is_even))):
        with pytest.raises(TypeError, match="IterDataPipe instance doesn't have valid length"):
            len(endless)


def test_functions_that_cannot_be_pickled(monkeypatch):
    monkeypatch.setattr(_shared, "find_spec", lambda name: None)
    with pytest.warns(UserWarning, match="Local function is not supported by pickle"):
        source().map(lambda x: x)
    monkeypatch.setattr(_shared, "find_spec", lambda name: name)  # dill is installed
    source().map(lambda x: x)
    assert pickle.loads(pickle.dumps(maps.Mapper(maps.SequenceWrapper("ab"))))[1] == "b"


def test_unread_branches():
    a, b = source(3).fork(2)
    assert list(a) == list(b)
    assert next(iter(a)) == 0
    with pytest.warns(UserWarning, match="Some child DataPipes are not exhausted"):
        iter(a)


def test_streams():
    file = io.StringIO("text")
    stream = StreamWrapper(file)
    assert {"read", "close", "getvalue"} <= set(dir(stream))
    assert pickle.loads(pickle.dumps(StreamWrapper(io.BytesIO(b"ab")))).read() == b"ab"


def test_moved_names():
    with pytest.warns(FutureWarning, match="from the `torch.utils.data.datapipes.iter.sharding`"):
        from flambeau_data.datapipes.iter.grouping import SHARDING_PRIORITIES as moved
    assert moved is SHARDING_PRIORITIES


def test_graph():
    pipe = source().map(negated).zip(source().batch(2))
    names = [str(p) for p in get_all_graph_pipes(traverse_dps(pipe))]
    ends = ["IterableWrapperIterDataPipe"]
    assert names == ["ZipperIterDataPipe", "MapperIterDataPipe", *ends, "BatcherIterDataPipe", *ends]


def test_the_loader_shuffles_and_shares_out():
    """PyTorch's batches, for this seed."""
    torch.manual_seed(0)
    pipe = source(10).shuffle().sharding_filter()
    assert [b.tolist() for b in DataLoader(pipe, 4, shuffle=True)] == [[9, 0, 5, 7], [4, 1, 3, 8], [6, 2]]
    assert [b.tolist() for b in DataLoader(pipe, 4, shuffle=False)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    with pytest.warns(UserWarning, match="Adding one at the end"):
        loader = DataLoader(source(10), 10, shuffle=True)
    assert sorted(next(iter(loader)).tolist()) == list(range(10)) != next(iter(loader)).tolist()
    assert len(DataLoader(source(10).batch(3), batch_size=None)) == 4
    assert isinstance(maps.SequenceWrapper("ab"), MapDataPipe)


def test_workers_share_out():
    """PyTorch's batches, for this seed, in each of two passes."""
    torch.manual_seed(0)
    pipe = source(10).shuffle().sharding_filter()
    assert [b.tolist() for b in DataLoader(pipe, 2, num_workers=2)] == [[9, 5], [0, 7], [4, 3], [1, 8], [6], [2]]
    loader = DataLoader(pipe, 2, num_workers=2, persistent_workers=True)
    passes = [[b.tolist() for b in loader] for _ in range(2)]
    first = [[0, 8], [3, 2], [9, 5], [6, 1], [7], [4]]
    assert passes == [first, [[4, 0], [2, 6], [7, 3], [8, 9], [5], [1]]]
    assert [sorted(sum(batches, [])) for batches in passes] == [list(range(10))] * 2


def test_pipes_that_are_wrapped_to_be_pickled():
    import pickle

    from flambeau_data.datapipes.datapipe import _IterDataPipeSerializationWrapper, _MapDataPipeSerializationWrapper
    from flambeau_data.datapipes.iter import IterableWrapper
    from flambeau_data.datapipes.map import SequenceWrapper

    stream = pickle.loads(pickle.dumps(_IterDataPipeSerializationWrapper(IterableWrapper([1, 2]))))
    items = pickle.loads(pickle.dumps(_MapDataPipeSerializationWrapper(SequenceWrapper([3, 4]))))
    assert list(stream) == [1, 2] and len(stream) == 2
    assert items[1] == 4 and len(items) == 2
