"""What public extensions use beyond the guides: custom classes, values of mixed types, further forms of operators.

The sources in programs/world compile against PyTorch as well, with the same results.
"""

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_cext import classes, ops

FOLDER = Path(__file__).parent / "programs" / "world"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a program of the folder once."""
    made = {}

    def build(name, **options):
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            given = {"extra_cflags": ["-O1"], "build_directory": folder, **options}
            made[name] = cext.load(name, FOLDER / f"{name}.cpp", **given)
        return made[name]

    return build


@pytest.fixture
def stacks(built):
    built("custom_classes", is_python_module=False)
    return classes.wild_classes.Stack


def test_objects_of_custom_classes(stacks):
    s = stacks([1, 2])
    s.push(3)
    assert (len(s), s.pop(), s.items, s.top(2), s.top(n=2, last=False)) == (3, 3, [1, 2], [1, 2], [1])
    other = s.clone()
    other.merge(s)
    assert (other.items, s.items) == ([1, 2, 1, 2], [1, 2])
    assert stacks.of_range(3).items == [0, 1, 2]
    s.limit = 2
    assert s.limit == 2
    with pytest.raises(RuntimeError, match="a Stack holds at most 2 items"):
        s.push(3)
    with pytest.raises(IndexError, match="pop from an empty Stack"):
        stacks([]).pop()
    with pytest.raises(TypeError, match="missing a required argument: 'n'"):
        s.top()
    with pytest.raises(RuntimeError, match="Expected IValue to be a Int, but it is a String"):
        s.push("one")
    with pytest.raises(AttributeError):
        s.items = [3]
    assert s._type() == "__torch__.torch.classes.wild_classes.Stack"
    assert stacks.top.__doc__ == "The last n items."


def test_custom_classes_in_operators(stacks):
    assert ops.wild_classes.total(stacks([1, 2, 3])) == 6
    assert ops.wild_classes.reversed(stacks([1, 2, 3])).items == [3, 2, 1]
    assert "__torch__.torch.classes.wild_classes.Stack _0" in str(ops.wild_classes.total.default._schema)
    scaled = classes.wild_classes.Scaled(torch.tensor([1.0, 2.0]))
    assert scaled.name == "plain"
    assert scaled.apply(torch.ones(2), 2).tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="custom class type"):
        ops.wild_classes.total(scaled)
    with pytest.raises(RuntimeError, match=r"wild_classes\.Queue not registered"):
        classes.wild_classes.Queue()


def test_custom_classes_are_pickled(stacks):
    assert pickle.loads(pickle.dumps(stacks([4, 5]))).items == [4, 5]
    assert copy.deepcopy(stacks([4])).items == [4]
    with pytest.raises(RuntimeError, match="Scaled which does not have a __getstate__ method defined"):
        pickle.dumps(classes.wild_classes.Scaled(torch.ones(1)))


def test_values_of_mixed_types(built):
    built("mixed_values", is_python_module=False)
    world = ops.wild_values
    x = torch.tensor([1.0, 2.0])
    got = world.doubled({"a": x, "b": -x}, ["b"])
    assert {key: t.tolist() for key, t in got.items()} == {"b": [-2, -4], "a": [1, 2]}
    assert list(got) == ["b", "a"]
    assert str(world.doubled.default._schema) == (
        "wild_values::doubled(Dict(str, Tensor) _0, str[] _1) -> Dict(str, Tensor)"
    )
    groups, sums = world.grouped([("x", 1), ("y", 2), ("x", 3)], [[1.0, 2.0], [0.5]])
    assert groups == {"x": [1, 3], "y": [2]}
    assert sums == [[3.0], [0.5]]
    told = [world.described(v) for v in (x, [1, 2], "word", None, 2.5, {"a": 1}, (1, 2))]
    assert told == ["tensor of 2", "ints 2", "text word", "none", "Double", "GenericDict", "Tuple"]
    assert world.halved(x).tolist() == [0.5, 1]
    assert world.thirds(torch.tensor([3.0]), n=3).tolist() == [1]
    with pytest.raises(RuntimeError, match="Expected IValue to be a GenericDict, but it is a Int"):
        world.doubled(3, [])
    with pytest.raises(IndexError, match="not in the map"):
        world.doubled({}, ["a"])


def test_saved_values_of_every_kind(built):
    pytest.importorskip("flambeau_autograd")
    built("mixed_values", is_python_module=False)
    x = torch.ones(2, 3, requires_grad=True)
    ops.wild_values.saves(x, [4]).sum().backward()
    assert x.grad.tolist() == [[10.0] * 3] * 2


def test_further_forms_of_operators(built, capfd):
    pytest.importorskip("flambeau_nn")
    m = built("further_forms")
    x = torch.randn(3, 4)
    n = x.numpy()
    values, indices, most, where, in_order, order, positive = (np.asarray(t) for t in m.written(x))
    np.testing.assert_array_equal(values, -np.sort(-n, 1)[:, :2])
    np.testing.assert_array_equal(indices, np.argsort(-n, 1)[:, :2])
    np.testing.assert_array_equal(most, n.max(1))
    np.testing.assert_array_equal(where, n.argmax(1))
    np.testing.assert_array_equal(in_order, -np.sort(-n, 0))
    np.testing.assert_array_equal(order, np.argsort(-n, 0))
    np.testing.assert_array_equal(positive, n > 0)
    rows = np.zeros((5, 4), dtype=np.float32)
    rows[:3] = n
    table = np.zeros((3, 4), dtype=np.float32)
    np.add.at(table, [1, 1, 0], n)
    wanted = [n[:2], np.sqrt((n * n).sum(1)), abs(np.fft.rfft(n)), np.linalg.norm(n), 1 / (1 + np.exp(-n)), rows,
              n * np.where(n > 0, 1, 1.5 * np.exp(n)), n * (1 - np.tanh(n) ** 2), table,
              [[[n[0, :3].sum(), n[0, 1:].sum()]]]]  # fmt: skip
    for got, want in zip(m.named(x), wanted, strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-6)
    assert m.devices() == "CUDA privateuseone 21"
    m.logs(4)
    errors = capfd.readouterr().err
    assert "n is 4" in errors
    assert "more than three" in errors
    assert m.summed([[1.0, 2.0], [0.5]], {"a": 3}) == 6.5


def test_the_stable_interface(built):
    built("stable_interface", is_python_module=False)
    stable = ops.wild_stable
    x = torch.arange(6.0)
    assert stable.scaled(x, 2.0, torch.ones(6), [2, 3]).tolist() == [[1, 3, 5], [7, 9, 11]]
    assert stable.scaled(x.reshape(3, 2).t(), 1.0, None, [6]).tolist() == [0, 2, 4, 1, 3, 5]
    values, order = stable.sorted(torch.tensor([2.0, 3.0, 1.0]))
    assert (values.tolist(), order.tolist()) == ([3, 2, 1], [1, 0, 2])
    assert [t.dtype for t in stable.converted([x, x], "all", torch.float64)] == [torch.float64] * 2
    assert stable.converted([x], "none", torch.float64) == []
    y = torch.zeros(2)
    version = y._version
    assert stable.filled(y, 3) is None
    assert y.tolist() == [3, 3]
    assert y._version > version
    assert stable.handles(torch.ones(4, 2)) == 204
    assert stable.twice(y).tolist() == [6, 6]
    with pytest.raises(RuntimeError, match=r"^scaled, .*stable_interface.cpp:\d+, scaled: x must be float, got 7"):
        stable.scaled(x.double(), 1.0, None, [6])
    with pytest.raises(RuntimeError, match="invalid for input of size 6"):
        stable.scaled(x, 1.0, None, [4])


def test_warnings_wait_for_the_end_of_a_function(built):
    m = built("further_forms")
    x = torch.ones(2, dtype=torch.float64)
    calls = (
        ("", None, ""),
        ("library", TypeError, "Error with torch.DoubleTensor"),
        ("pybind", KeyError, "Error with CPUDoubleType"),  # pybind11's own errors are left as they are
        ("python", SystemError, "bad argument to internal function"),
    )
    for error, kind, message in calls:
        with pytest.warns(UserWarning, match="Error with torch.DoubleTensor"):
            if kind is None:
                assert m.warned(x, error).tolist() == m.warned_unlocked(x).tolist() == x.cos().tolist()
            else:
                with pytest.raises(kind, match=message):
                    m.warned(x, error)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (lambda: m.warned(x, ""), lambda: m.warned_unlocked(x)):
            with pytest.raises(UserWarning, match="Error with torch.DoubleTensor"):
                call()
        with pytest.raises(TypeError, match="Error with torch.DoubleTensor"):
            m.warned(x, "library")


@pytest.fixture
def elements(built):
    built("iterating", is_python_module=False)
    return ops.elements


def test_loops_over_elements(elements):
    a, b = torch.arange(6.0, dtype=torch.double).reshape(2, 3), torch.arange(3, dtype=torch.int64)
    expected = np.hypot(np.arange(6.0).reshape(2, 3), np.arange(3))
    np.testing.assert_allclose(elements.hypotenuse(a, b).numpy(), expected)
    np.testing.assert_allclose(elements.hypotenuse(a.t(), b[:2]).numpy(), np.hypot(a.numpy().T, [0, 1]))
    whole = elements.hypotenuse(b, b)
    assert whole.dtype == torch.float32 and whole.shape == (3,)
    out = torch.zeros(3, 2).t()
    elements.hypotenuse(a, b, out)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)
    line = torch.arange(5.0)  # an input that lies across the output is read before it is written
    elements.hypotenuse(line[:4], torch.zeros(4), line[1:])
    assert line.tolist() == [0, 0, 1, 2, 3]
    one, two = elements.both(torch.ones(2, 2))
    assert one.tolist() == two.tolist() == [[2, 2], [2, 2]]


def test_operators_with_one_and_two_operands(elements):
    x = torch.arange(6, dtype=torch.int64).reshape(2, 3)
    assert elements.negated(x.t()).tolist() == (-x.t()).tolist() and elements.negated(x).dtype is torch.int64
    turned = elements.negated(x.t())
    assert turned.stride() == (1, 3)
    out = torch.zeros(2, 3, dtype=torch.int64)
    assert elements.negated(x, out) is out and out.tolist() == (-x).tolist()
    assert elements.negated(out, out).tolist() == x.tolist()  # in place
    with pytest.raises(RuntimeError, match="Found dtype Float but expected Long"):
        elements.negated(x, torch.zeros(2, 3))
    mixed = elements.larger(x, torch.tensor([0.5, 3.5, 1.5]))
    assert mixed.dtype is torch.float32 and mixed.tolist() == [[0.5, 3.5, 2], [3, 4, 5]]
    assert elements.larger(torch.ones(3, 1).expand(3, 2).t(), torch.ones(3, 2).t()).stride() == (1, 2)
    wide = torch.zeros(2, 3, dtype=torch.double)
    assert elements.larger(x, torch.tensor(2.5), wide).tolist() == [[2.5, 2.5, 2.5], [3, 4, 5]]
    assert elements.larger(torch.zeros(0, 3), torch.ones(3)).shape == (0, 3)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        elements.larger(x, torch.tensor([0.5, 3.5, 1.5]), torch.zeros(2, 3, dtype=torch.int64))
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        elements.larger(x, x[0, :2])


def test_reductions(elements):
    x = torch.arange(24.0, dtype=torch.double).reshape(2, 3, 4)
    out = torch.ones(2, 1, 4, dtype=torch.double)
    assert elements.add_sums(out, x) is out
    np.testing.assert_array_equal(out.numpy(), 1 + x.numpy().sum(1, keepdims=True))
    across = torch.zeros(4, 3, 1, dtype=torch.double).transpose(0, 1)  # lies across, and the input too
    elements.add_sums(across, x.permute(1, 2, 0))
    np.testing.assert_array_equal(across.numpy(), x.numpy().transpose(1, 2, 0).sum(2, keepdims=True))
    none = torch.ones(1, 1, 1, dtype=torch.double)
    assert elements.add_sums(none, x[:, :0]).item() == 1
    values, places = elements.largest(torch.tensor([[1.0, 5.0, 2.0], [7.0, 7.0, 0.0]]))
    assert values.tolist() == [[5], [7]] and places.tolist() == [[1], [0]]
    assert elements.counted(4).tolist() == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match=r"needs 1 in the reduced dimensions and has shape \[3, 1, 4\]"):
        elements.add_sums(torch.ones(3, 1, 4, dtype=torch.double), x)


def test_mistakes_in_loops(elements):
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        elements.hypotenuse(x, x[:2])
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        elements.hypotenuse(x, x, torch.zeros(3, dtype=torch.int64))
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[3\]"):
        elements.hypotenuse(x, x, torch.zeros(2))
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        elements.both(x.double())


@pytest.fixture
def keys(built):
    built("keys_and_hooks", is_python_module=False)
    return ops.wild_keys


def test_hooks_and_nodes(keys):
    pytest.importorskip("flambeau_autograd")
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    grad = 10 * (2 * x).cos()
    seen = keys.hooked(x)
    assert [torch.allclose(a, b) for a, b in zip(seen, [grad, 2 * grad], strict=True)] == [True, True]
    assert keys.nodes(x) == "MulBackward0 0 1"


def test_kernels_for_meta_and_selection(keys):
    assert keys.filled([2], 3.0).tolist() == keys.filled([2], 3.0, device="cpu").tolist() == [3, 3]
    made = keys.filled([2, 1], 3.0, device="meta")
    assert (made.device.type, made.shape) == ("meta", (2, 1))
    for op in (keys.twice, keys.exp):  # its own kernel for Meta, and one for all devices
        assert op(torch.ones(3, device="meta")).device.type == "meta"
    assert keys.twice(torch.ones(2)).tolist() == [2, 2]


def test_tags_and_lists_of_results(keys):
    assert [tag.name for tag in keys.twice.default.tags] == ["needs_fixed_stride_order", "pt2_compliant_tag"]
    assert keys.sizes(torch.ones(2, 3)) == [2, 3]
    assert keys.sizes_and_mean(torch.ones(2, 3)) == ([2, 3], 1.0)
    assert keys.options(torch.ones(1)) == (
        "TensorOptions(dtype=float, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false "
        "(default), memory_format=(nullopt)) 1"
    )


def test_errors_by_their_types(keys):
    assert keys.caught() == "abcdevalue cannot be converted to type int8_t without overflow"
    x = torch.arange(4.0)
    keys.fails("nothing", x)
    with pytest.raises(torch.linalg.LinAlgError, match="^not invertible$"):
        keys.fails("linalg", x)
    with pytest.raises(RuntimeError, match=r"Check failed: 1 \+ 1 == 3 \(2 vs. 3\). because"):
        keys.fails("equal", x)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        keys.fails("internal", x)
    for kind in ("overlap", "partial"):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
            keys.fails(kind, x)
