"""Instances of subclasses as arguments and results, and copies of compiled functions."""

import collections
import copy
import dataclasses
import mimetypes
import pickle
import threading

import pytest

import flambeau_autograd as fa
import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_compile import compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


class Meters(ft.Tensor):
    pass


class Twice(ft.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        result = super().__torch_function__(function, types, args, kwargs or {})
        return result * 2 if function.__name__ == "add" else result


Pair = collections.namedtuple("Pair", "first second")


@pytest.mark.parametrize("kind", [Meters, Twice])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_results_are_of_the_class_that_eager_results_have(kind, requires_grad):
    def f(x):
        y = ft.add(x, 1)
        return y, y[1:], x.sum(), y.as_subclass(ft.Tensor)

    compiled = compile(f)
    for value in (1.0, 2.0, 3.0):
        x = ft.full((2,), value).as_subclass(kind).requires_grad_(requires_grad)
        for found, expected in zip(compiled(x), f(x), strict=True):
            assert type(found) is type(expected) and found.requires_grad == requires_grad
            assert found.tolist() == expected.tolist()


def test_parameters_as_results():
    f = compile(lambda x: nn.Parameter(x * 2))
    with pytest.warns(RuntimeWarning, match="runs eagerly"):
        for value in (1.0, 2.0, 3.0):
            p = f(ft.tensor([value]))
            assert type(p) is nn.Parameter and p.requires_grad and p.is_leaf and p.item() == 2 * value


def test_results_with_attributes_of_their_own():
    def f(x):
        y = x + 1
        y.name_of_mine = "y"
        return y

    compiled = compile(f)
    with pytest.warns(RuntimeWarning, match="attributes of its own"):
        results = [compiled(ft.zeros(1)) for _ in range(3)]
    assert [y.name_of_mine for y in results] == ["y"] * 3


def test_fields_of_named_tuples():
    f = compile(lambda pair: Pair(pair.second * 2, pair.first + 1), fullgraph=True)
    for value in (1.0, 2.0, 3.0):
        found = f(Pair(ft.tensor(value), ft.tensor(-value)))
        assert type(found) is Pair and (found.first.item(), found.second.item()) == (-2 * value, value + 1)


@compile
def doubled(x):
    return x * 2


def plus_one(x):
    return x + 1


def test_copies_and_pickles_of_functions():
    assert copy.copy(doubled) is copy.deepcopy(doubled) is pickle.loads(pickle.dumps(doubled)) is doubled
    again = pickle.loads(pickle.dumps(compile(plus_one, fullgraph=True)))
    assert [again(ft.ones(1)).item() for _ in range(2)] == [2.0, 2.0] and explain(again) == "compiled: 1 steps"


def test_copies_of_what_has_a_compiled_method():
    class Policy(nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = 2.0
            self.act = compile(self._act)

        def _act(self, x):
            return x * self.gain

    policy = Policy()
    assert [policy.act(ft.ones(1)).item() for _ in range(2)] == [2.0, 2.0]
    twin = copy.deepcopy(policy)
    twin.gain = 5.0
    assert [(policy.act(ft.ones(1)).item(), twin.act(ft.ones(1)).item()) for _ in range(2)] == [(2.0, 5.0)] * 2


def test_threads_that_call_it_first_do_not_all_compile():
    f = compile(lambda x: (x.sin() * 2).sum())
    start = threading.Barrier(4)
    found = []

    def work(value):
        start.wait()
        for _ in range(3):
            found.append(f(ft.full((2,), value)).item() == (ft.full((2,), value).sin() * 2).sum().item())

    threads = [threading.Thread(target=work, args=(float(i),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found) and len(found) == 12
    assert explain(f).count("compiled") == 1


def test_existing_tensors_that_are_stored():
    class Controller:
        def __init__(self):
            self.last, self.before, self.table = ft.zeros(2), ft.ones(2), [ft.full((2,), 3.0)]
            self.chosen = ft.zeros(2)

        def __call__(self, error):
            slope = error - self.last + self.before * self.chosen
            self.before, self.last, self.chosen = self.last, error, self.table[0]
            return slope

    controller, eager = Controller(), Controller()
    compiled = compile(controller)
    for value in (1.0, 4.0, 2.0, 8.0, 5.0):
        x = ft.tensor([value, -value], requires_grad=value == 8.0)
        assert compiled(x).tolist() == eager(x).tolist()
        assert controller.last is x and controller.before.tolist() == eager.before.tolist()
        assert controller.chosen is controller.table[0]
    x.fill_(7.0)
    assert compiled(x).tolist() == eager(x).tolist()  # one tensor is the argument and the state
    assert "eagerly" not in explain(compiled)


def test_a_tensor_in_place_of_none():
    class Cache:
        def __init__(self):
            self.keys = None

        def append(self, x):
            self.keys = x if self.keys is None else ft.cat([self.keys, x])
            return self.keys.sum()

    cache, twin = Cache(), Cache()
    append = compile(cache.append)
    for _ in range(3):
        cache.keys = twin.keys = None
        for i in range(3):
            x = ft.full((1,), float(i)) * 2
            assert append(x) == twin.append(x)
            assert ft.equal(cache.keys, twin.keys)
    assert "eagerly" not in explain(append)
    assert append(x) == twin.append(x)


def test_counters_in_dicts_of_several_tensors():
    state = {}
    keys = [ft.ones(2), ft.zeros(2)]

    def average(key):
        if key not in state:
            state[key] = {"sum": ft.zeros(2), "count": 0}
        own = state[key]
        own["sum"].add_(key + 1)
        own["count"] += 1
        return own["sum"] / own["count"]

    compiled = compile(average)
    for _ in range(8):
        for key in keys:
            assert ft.equal(compiled(key), key + 1)
    assert [own["count"] for own in state.values()] == [8, 8]
    assert "eagerly" not in explain(compiled)


def test_functions_made_inside_that_close_over_outer_variables():
    net, scale = nn.Linear(2, 1), ft.tensor(2.0)

    def total(x):
        return sum(map(lambda row: net(row) * scale, x.unbind())) + ft.stack([net(row) for row in x]).sum()

    compiled = compile(total)
    for _ in range(4):
        compiled(ft.randn(3, 2))
    assert explain(compiled).count("\n") == 0
    net, scale = nn.Linear(2, 1), ft.tensor(3.0)
    x = ft.randn(3, 2)
    assert ft.allclose(compiled(x), 3 * net(x).sum() + net(x).sum())


def test_modules_with_a_getattr_of_their_own():
    class Wrapper(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner, self.gain = inner, 2.0

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(super().__getattr__("inner"), name)

        def forward(self, x):
            return self.inner(x) * self.gain + self.bias

    wrapper = Wrapper(nn.Linear(2, 2))
    compiled = compile(wrapper)
    for _ in range(3):
        x = ft.randn(3, 2)
        assert ft.allclose(compiled(x), wrapper.inner(x) * 2 + wrapper.inner.bias)
    assert explain(compiled).count("\n") == 0 and "eagerly" not in explain(compiled)
    wrapper.inner.bias = nn.Parameter(ft.ones(2))
    assert ft.allclose(compiled(x), wrapper.inner(x) * 2 + 1)


def test_a_dict_of_a_module_of_the_standard_library():
    def total(x):
        mimetypes.types_map[".total"] = mimetypes.types_map.get(".total", 0) + 1
        return x * mimetypes.types_map[".total"]

    compiled = compile(total)
    try:
        assert [compiled(ft.ones(())).item() for _ in range(8)] == list(range(1, 9))
    finally:
        del mimetypes.types_map[".total"]


@dataclasses.dataclass
class Result:
    loss: ft.Tensor
    parts: dict
    rate: float = 0.5
    nothing: object = None


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    value: ft.Tensor
    inner: Result


def test_results_that_are_objects():
    weight = ft.ones(2, requires_grad=True)

    def f(x, k):
        y = (x * weight * k).sum()
        return Slotted(x + 1, Result(y, {"twice": y * 2, "rows": [x]}, k))

    compiled = compile(f)
    for i in range(5):
        x = ft.randn(2)
        found, expected = compiled(x, 0.5 * i), f(x, 0.5 * i)
        assert type(found) is Slotted and type(found.inner) is Result and found.inner.nothing is None
        assert ft.equal(found.value, expected.value) and found.inner.rate == expected.inner.rate == 0.5 * i
        assert found.inner.parts["rows"][0] is x
        weight.grad = None
        (found.inner.loss + found.inner.parts["twice"]).backward()
        assert ft.allclose(weight.grad, 3 * 0.5 * i * x)
        (gradient,) = fa.grad(compiled(x, 2.0).inner.loss ** 2, weight, create_graph=True)
        assert ft.allclose(fa.grad(gradient.sum(), weight)[0], 8 * x * x.sum())
    assert "eagerly" not in explain(compiled)
    other = compiled(x, 1.0)
    assert other is not compiled(x, 1.0)


def test_results_that_are_distributions_or_existing_objects():
    kept = Result(ft.ones(2), {})

    class Policy:
        def __init__(self, mean):
            self.mean, self.scale = mean, mean.exp()

        def log_prob(self, x):
            return -(((x - self.mean) / self.scale) ** 2) / 2

    compiled = compile(lambda x: Policy(x * 2))
    for _ in range(3):
        x = ft.randn(2)
        assert ft.allclose(compiled(x).log_prob(ft.zeros(2)), Policy(x * 2).log_prob(ft.zeros(2)))
    assert explain(compiled).count("\n") == 0
    same = compile(lambda x: (x + 1, kept))
    with pytest.warns(RuntimeWarning, match="returns an object of type Result"):
        assert same(x)[1] is kept
    assert same(x)[1] is kept


def test_containers_that_are_returned_twice_or_existed_before():
    kept = [ft.ones(2)]

    def twice(x):
        found = [x + 1]
        return found, found

    def same(x):
        result = Result(x, {})
        return result, result

    for function, check in (
        (twice, lambda r: r[0] is r[1]),
        (same, lambda r: r[0] is r[1]),
        (lambda x: (x + 1, kept), lambda r: r[1] is kept),
    ):
        compiled = compile(function)
        with pytest.warns(RuntimeWarning, match="twice, or one that existed before"):
            assert check(compiled(ft.ones(2)))
        assert check(compiled(ft.ones(2)))


def test_a_list_with_an_object_that_is_returned_twice():
    def f(x):
        found = [Result(x, {})]
        return found, found

    compiled = compile(f)
    with pytest.warns(RuntimeWarning, match="twice"):
        first, second = compiled(ft.ones(2))
    assert first is second
