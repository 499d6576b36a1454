"""Numbers that a function takes out of tensors and only returns, and calls in inference mode."""

import warnings

import pytest

import flambeau_tensor as ft
from flambeau_autograd import inference_mode, no_grad
from flambeau_compile import compile, explain
from flambeau_compile.returning import returns_its_numbers
from flambeau_nn import Linear, ReLU, Sequential, functional
from flambeau_nn.optim import Adam


def _trained(wrap, last):
    ft.manual_seed(0)
    net = Sequential(Linear(3, 5), ReLU(), Linear(5, 2))
    optimizer = Adam(net.parameters(), lr=0.1)

    def update(x, y):
        optimizer.zero_grad()
        loss = functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    def item(x, y):
        return update(x, y).item()

    def number(x, y):
        return float(update(x, y))

    def dictionary(x, y):
        loss = update(x, y)
        value = loss.item()
        return {"loss": value, "more": [(x > 0).sum().item(), float(loss.detach() * 2)]}, x * 2

    def block(x, y):
        with no_grad():
            return functional.mse_loss(net(x), y).item()

    def history(x, y):
        loss = functional.mse_loss(net(x), y)
        return loss, loss.item()

    run = wrap(locals()[last])
    found = []
    for i in range(8):
        result = run(ft.linspace(-1, 1, 12).view(4, 3) * i, ft.ones(4, 2))
        found.append(result)
    return run, found


@pytest.mark.parametrize("last", ["item", "number", "dictionary", "block", "history"])
def test_numbers_that_are_only_returned(last):
    compiled, found = _trained(compile, last)
    _, expected = _trained(lambda f: f, last)
    for a, b in zip(found, expected, strict=True):
        assert _bare(a) == _plain(b)
    assert explain(compiled).startswith("compiled") and len(explain(compiled).split("\n")) == 1


def _bare(o):
    if isinstance(o, ft.Tensor):
        return o.flatten().tolist()
    if isinstance(o, (tuple, list)):
        return [_bare(each) for each in o]
    if isinstance(o, dict):
        return {key: _bare(value) for key, value in o.items()}
    return type(o), o


def _plain(o):
    if isinstance(o, ft.Tensor):
        return [pytest.approx(value, rel=1e-5, abs=1e-7) for value in o.flatten().tolist()]
    if isinstance(o, (tuple, list)):
        return [_plain(each) for each in o]
    if isinstance(o, dict):
        return {key: _plain(value) for key, value in o.items()}
    return type(o), pytest.approx(o, rel=1e-5)


def test_which_numbers_are_only_returned():
    def returned(x):
        value = x.item()
        return {"a": value, "b": [float(x), x.mean().item()]}, 3

    def compared(x):
        value = x.item()
        return value if value > 0 else 0.0

    def computed(x):
        return x.item() + 1

    def passed(x):
        return abs(x.item())

    def kept(x):
        x.kept = value = x.item()
        return value

    def looped(x):
        for _ in range(2):
            value = x.item()
        return value

    assert returns_its_numbers(returned, [])
    for function in (compared, computed, passed, kept, looped):
        assert not returns_its_numbers(function, []), function
    assert not returns_its_numbers(returned, [compared.__code__])


def test_what_python_looks_at_is_not_stale():
    def f(x):
        value = x.sum().item()
        return value, (1 if value > 0 else -1)

    compiled = compile(f)
    for value in (1.0, 2.0, -1.0, 2.0):
        assert compiled(ft.tensor([value])) == f(ft.tensor([value]))


def test_the_warning_says_what_to_write():
    def step(x):
        x.add_(1)
        return x.sum().item() * 2

    with pytest.warns(RuntimeWarning, match="return the tensor, and read the number outside"):
        compile(step)(ft.ones(2))


def test_inference_mode_compiles():
    net = Sequential(Linear(4, 8), ReLU(), Linear(8, 2))

    def f(x):
        y = net(x)
        return y, y[0], x.t(), net[0].weight, x

    def described(result):
        return [(t.is_inference(), t.requires_grad, t.is_leaf, t._is_view()) for t in result]

    compiled = compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            x = ft.randn(3, 4)
            with inference_mode():
                for given in (x, ft.randn(3, 4)):
                    found, expected = compiled(given), f(given)
                    assert described(found) == described(expected)
                    assert all(ft.allclose(a, b) for a, b in zip(found, expected, strict=True))
            with no_grad():
                assert described(compiled(given)) == described(f(given))


@pytest.mark.parametrize("decorated", [False, True])
def test_numbers_that_an_object_returns(decorated):
    net = Linear(2, 1)

    class Scorer:
        def __call__(self, x):
            return {"score": net(x).sum().item(), "rows": len(x)}

    compiled = compile(no_grad()(lambda x: net(x).sum().item()) if decorated else Scorer())
    for _ in range(12):
        x = ft.randn(3, 2)
        found = compiled(x)
        assert (found if decorated else found["score"]) == pytest.approx(net(x).sum().item(), abs=1e-6)
    assert explain(compiled).count("\n") == 0
