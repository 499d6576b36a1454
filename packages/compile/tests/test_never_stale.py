"""Programs that other compilers get wrong in silence, by the number of the issue: results are those of eager calls."""

import copy
import threading

import pytest

import flambeau_autograd as fa
import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import func
from flambeau_compile import compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def test_115774_buffers():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", ft.zeros(()))

        def forward(self, x):
            self.seen.add_(1)
            return x + self.seen

    module = Counting()
    compiled = compile(module)
    assert [compiled(ft.zeros(1)).item() for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
    module.seen = ft.full((), 10.0)
    assert compiled(ft.zeros(1)).item() == 11.0 and module.seen.item() == 11.0


def test_124717_attributes_of_modules():
    class Scaled(nn.Module):
        scale = 2.0

        def forward(self, x):
            return x * self.scale

    module = Scaled()
    compiled = compile(module)
    assert [compiled(ft.ones(1)).item() for _ in range(2)] == [2.0, 2.0]
    module.scale = 3.0
    assert compiled(ft.ones(1)).item() == 3.0
    assert "scale" in explain(compiled)


def test_176851_attributes_of_classes():
    class Setting:
        rate = 2.0

    compiled = compile(lambda x: x * Setting.rate)
    assert [compiled(ft.ones(1)).item() for _ in range(2)] == [2.0, 2.0]
    Setting.rate = 5.0
    assert compiled(ft.ones(1)).item() == 5.0


def test_169253_lists_of_classes():
    class Setting:
        rates = [1.0, 2.0]

    compiled = compile(lambda x: x * sum(Setting.rates))
    assert [compiled(ft.ones(1)).item() for _ in range(2)] == [3.0, 3.0]
    Setting.rates.append(4.0)
    assert compiled(ft.ones(1)).item() == 7.0
    Setting.rates[0] = 10.0
    assert compiled(ft.ones(1)).item() == 16.0


def test_196173_states_of_objects():
    class Filter:
        def __init__(self):
            self.last = ft.zeros(())
            self.calls = 0

        def __call__(self, x):
            self.last = 0.5 * self.last + x
            self.calls += 1
            return self.last

    found, plain = Filter(), Filter()
    compiled = compile(found)
    for i in range(5):
        assert compiled(ft.tensor(float(i))).equal(plain(ft.tensor(float(i))))
    assert found.calls == 5 and found.last.equal(plain.last)


def test_118735_dropout_draws_what_it_draws_eagerly():
    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8), nn.Dropout(0.25))
    compiled = compile(net)
    x = ft.ones(4, 8)
    for seed in range(4):
        ft.manual_seed(seed)
        found = compiled(x)
        ft.manual_seed(seed)
        assert ft.allclose(found, net(x), rtol=1e-6)
        assert found.eq(0).equal(net_zeros(net, x, seed))


def net_zeros(net, x, seed):
    ft.manual_seed(seed)
    return net(x).eq(0)


def test_192635_the_order_of_draws():
    def f(x):
        a, b = ft.rand(3), ft.rand(3)
        return b * x + a  # what is drawn first is used last

    compiled = compile(f)
    for seed in range(3):
        ft.manual_seed(seed)
        found = compiled(ft.ones(3))
        ft.manual_seed(seed)
        assert found.equal(f(ft.ones(3)))


def test_91469_a_gradient_penalty():
    ft.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def penalty(model, x):
        (g,) = fa.grad(model(x).sum(), x, create_graph=True)
        return ((g.norm(dim=1) - 1) ** 2).mean()

    compiled = compile(net)
    for _ in range(3):
        x = ft.randn(4, 3, requires_grad=True)
        found, expected = (fa.grad(penalty(m, x), list(net.parameters())[:-1]) for m in (compiled, net))
        for a, b in zip(found, expected, strict=True):
            assert ft.allclose(a, b, rtol=1e-4, atol=1e-6)


def test_181581_a_graph_is_not_dropped():
    compiled = compile(lambda x: (x**2).sum())
    for _ in range(3):
        x = ft.ones(2, requires_grad=True)
        (g,) = fa.grad(compiled(x), x, create_graph=True)
        assert g.requires_grad and fa.grad(g.sum(), x)[0].tolist() == [2.0, 2.0]


def test_154036_transforms_inside_and_around():
    def f(x):
        return (x.sin() * x).sum()

    x = ft.randn(5, dtype=ft.float64)
    inside, around = compile(func.jacrev(func.grad(f))), func.jacrev(func.grad(compile(f)))
    for _ in range(2):
        expected = func.jacrev(func.grad(f))(x)
        assert ft.allclose(inside(x), expected) and ft.allclose(around(x), expected)
    batched = func.vmap(compile(f))
    assert ft.allclose(batched(x.reshape(5, 1)), func.vmap(f)(x.reshape(5, 1)))


def test_118397_custom_functions():
    class Clipped(fa.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return (x > 0).to(x.dtype)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g / (1 + x.abs()) ** 2

    def f(x):
        return (Clipped.apply(x * 2) * x).sum()

    compiled = compile(f)
    for _ in range(3):
        x = ft.randn(4, requires_grad=True)
        assert ft.allclose(fa.grad(compiled(x), x)[0], fa.grad(f(x), x)[0], rtol=1e-6)
    assert explain(compiled).startswith("compiled")


def test_grad_mode_and_requires_grad():
    w = ft.ones(2, requires_grad=True)
    compiled = compile(lambda x: x * w)
    for _ in range(2):
        assert compiled(ft.ones(2)).requires_grad
        with fa.no_grad():
            assert not compiled(ft.ones(2)).requires_grad
    w.requires_grad_(False)
    assert not compiled(ft.ones(2)).requires_grad


def test_data_of_parameters():
    net = nn.Linear(2, 1, bias=False)
    compiled = compile(net)
    with fa.no_grad():
        for value in (1.0, 2.0, 3.0):
            net.weight.data = ft.full((1, 2), value)
            assert [compiled(ft.ones(1, 2)).item() for _ in range(2)] == [2 * value] * 2


def test_data_assigned_inside():
    w, other = ft.zeros(2), ft.ones(2)

    def f(x):
        w.data = other
        return x + w

    compiled = compile(f)
    with pytest.warns(RuntimeWarning, match="memory (of )?a tensor"):
        for value in (1.0, 2.0, 3.0):
            other = ft.full((2,), value)
            assert compiled(ft.zeros(2)).tolist() == [value] * 2
            assert w.data_ptr() == other.data_ptr()


def test_aliasing_arguments():
    def f(x, y):
        x.add_(1)
        return y * 2

    compiled = compile(f)
    for _ in range(3):
        assert compiled(ft.zeros(3), ft.zeros(3)).tolist() == [0.0] * 3
        z = ft.zeros(3)
        assert compiled(z, z).tolist() == [2.0] * 3
        z = ft.zeros(4)
        assert compiled(z[:3], z[1:]).tolist() == [2.0, 2.0, 0.0]


def test_hooks_come_and_go():
    net = nn.Linear(2, 2)
    compiled = compile(net)
    x = ft.ones(1, 2)
    with fa.no_grad():
        before = compiled(x).clone()
        compiled(x)
        handle = net.register_forward_hook(lambda module, args, result: result * 2)
        assert compiled(x).equal(before * 2)
        handle.remove()
        assert compiled(x).equal(before)


def test_prints_are_not_lost(capsys):
    def f(x):
        print("called")
        return x + 1

    with pytest.warns(RuntimeWarning, match="runs eagerly: .*print"):
        compiled = compile(f)
        compiled(ft.ones(1))
    compiled(ft.ones(1))
    assert capsys.readouterr().out == "called\n" * 2


def test_threads():
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    compiled = compile(net)
    inputs = [ft.full((2, 4), float(i)) for i in range(4)]
    with fa.no_grad():
        expected = [net(x) for x in inputs]
    wrong = []

    def work(x, y):
        with fa.no_grad():
            wrong.extend(i for i in range(200) if not ft.allclose(compiled(x), y, rtol=1e-6))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(inputs, expected, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("make", [lambda x: (x.exp() * x.sin()).sum(), lambda x: (x @ x.t()).tanh().mean()])
def test_gradcheck(make):
    compiled = compile(make)
    for _ in range(2):
        x = ft.randn(3, 4, dtype=ft.float64, requires_grad=True)
        assert fa.gradcheck(compiled, (x,)) and fa.gradgradcheck(compiled, (x,))


def test_copies_are_modules():
    net = compile(nn.Linear(2, 2))
    twin = copy.deepcopy(net)
    assert twin(ft.ones(1, 2)).equal(net(ft.ones(1, 2)))
    assert list(twin.state_dict()) == ["weight", "bias"] and isinstance(twin, nn.Linear)


def test_parts_of_one_memory():
    def f(x, y):
        x.mul_(2)
        return (x + y).sum()

    compiled = compile(f)
    for starts in ((0, 4), (2, 4), (0, 0), (1, 3), (4, 0), (0, 1)):
        z, twin = ft.arange(8.0), ft.arange(8.0)
        found = compiled(*(z[i : i + 4] for i in starts))
        expected = f(*(twin[i : i + 4] for i in starts))
        assert found.equal(expected) and z.equal(twin)


def test_parts_of_larger_tensors():
    compiled = compile(lambda x: x * 2 + x[0])
    for i in range(4):
        x = ft.arange(6.0)[i : i + 3]
        assert compiled(x).equal(x * 2 + x[0])


def test_views_of_arguments_are_returned():
    compiled = compile(lambda x: (x.t(), x[1]))
    for i in range(3):
        x = ft.arange(12.0).reshape(6, 2)[i : i + 2]
        turned, row = compiled(x)
        assert turned.equal(x.t()) and row.equal(x[1])
        row.zero_()
        assert x[1].tolist() == [0.0, 0.0]


def test_gradients_that_are_returned():
    w = ft.ones(3, requires_grad=True)

    def f(x):
        (w * x).sum().backward()
        return w.grad

    compiled = compile(f)
    first = compiled(ft.ones(3))
    for i in range(2, 5):
        found = compiled(ft.ones(3))
        assert found is first is w.grad and found.tolist() == [float(i)] * 3
    assert explain(compiled).count("runs eagerly") == 0


def test_leaves_do_not_share_a_gradient():
    a, b = ft.ones(3, requires_grad=True), ft.ones(3, requires_grad=True)
    given = ft.ones(3)

    def both(x):
        ((a + b).tanh() * x).sum().backward()

    def one(x):
        a.backward(given * x)

    for f in (both, one):
        compiled = compile(f)
        a.grad = b.grad = None
        for _ in range(3):
            compiled(ft.ones(3))
            assert b.grad is None or a.grad.data_ptr() != b.grad.data_ptr()
            a.grad.zero_()
            assert a.grad.tolist() == [0.0] * 3 and (b.grad is None or 0.0 not in b.grad.tolist())


def test_hooks_between_forward_and_backward():
    w = ft.ones(3, requires_grad=True)
    compiled = compile(lambda x: (w * x).tanh())
    for _ in range(3):
        y = compiled(ft.ones(3))
        handle = w.register_hook(lambda g: g * 2)
        (found,) = fa.grad(y.sum(), w)
        handle.remove()
        assert ft.allclose(found, 2 * (1 - ft.ones(3).tanh() ** 2))


def test_hooks_that_were_there_run_once():
    w = ft.ones(3, requires_grad=True)
    w.register_hook(lambda g: g * 2)
    compiled = compile(lambda x: (w * x).sum())
    for _ in range(3):
        assert fa.grad(compiled(ft.ones(3)), w)[0].tolist() == [2.0] * 3


def test_results_whose_gradients_are_not_asked_for():
    v, w = ft.ones(2, requires_grad=True), ft.ones(2, requires_grad=True)
    compiled = compile(lambda x: (x * v, x * w))
    for _ in range(3):
        compiled(ft.ones(2))[1].sum().backward()
        assert v.grad is None and w.grad.tolist() == [1.0, 1.0]
        w.grad = None
    (first,) = fa.grad(compiled(ft.ones(2))[0].sum(), v, create_graph=True)
    assert first.tolist() == [1.0, 1.0]


def test_an_argument_that_is_not_used():
    compiled = compile(lambda x, y: x * 2)
    for _ in range(3):
        x, y = ft.ones(2, requires_grad=True), ft.ones(2, requires_grad=True)
        compiled(x, y).sum().backward()
        assert y.grad is None and x.grad.tolist() == [2.0, 2.0]


def test_requires_grad_set_inside():
    w = ft.ones(2, requires_grad=True)

    def f(x):
        w.requires_grad_(False)
        y = w * x
        w.requires_grad_(True)
        return y

    compiled = compile(f)
    for _ in range(3):
        assert not compiled(ft.ones(2)).requires_grad and w.requires_grad
    assert explain(compiled).startswith("compiled")
    w.requires_grad_(False)
    with pytest.warns(RuntimeWarning, match="it changes whether a tensor requires grad"):
        compiled(ft.ones(2))
    assert w.requires_grad


def test_a_graph_is_over_after_backward():
    compiled = compile(lambda x: 2.0 * x)
    for _ in range(3):
        x = ft.ones(2, requires_grad=True)
        y, plain = compiled(x).sum(), (x * x).sum()
        for t in (y, plain):
            t.backward(retain_graph=True)
            t.backward()
        for t in (y, plain):
            with pytest.raises(RuntimeError, match="backward through the graph a second time"):
                t.backward()


def test_a_step_that_returns_its_loss():
    net, twin = nn.Linear(2, 1), nn.Linear(2, 1)
    twin.load_state_dict(net.state_dict())

    def step_of(model):
        optimizer = nn.optim.Adam(model.parameters(), lr=0.1)

        def step(x, y):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        return step

    plain, compiled = step_of(twin), compile(step_of(net))
    for i in range(4):
        x, y = ft.full((3, 2), float(i)), ft.ones(3, 1)
        found, expected = compiled(x, y), plain(x, y)
        assert ft.allclose(found, expected, rtol=1e-5) and found.requires_grad
        assert type(found.grad_fn) is type(expected.grad_fn)
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            found.backward()
    assert ft.allclose(net.weight, twin.weight, rtol=1e-4) and explain(compiled).count("compiled") == 1
    assert "eagerly" not in explain(compiled)


def test_gradients_with_a_history():
    w = ft.ones(2, requires_grad=True)

    def f(x):
        (w**3 * x).sum().backward(create_graph=True)

    with pytest.warns(RuntimeWarning, match="runs eagerly: it sets gradients that have a history"):
        compiled = compile(f)
        for _ in range(3):
            compiled(ft.ones(2))
            assert w.grad.grad_fn is not None
            w.grad = None


def test_inference_mode():
    net = nn.Linear(2, 2)
    compiled = compile(net)
    with fa.inference_mode():
        for x in (ft.ones(1, 2), ft.zeros(1, 2)) * 2:
            found = compiled(x)
            assert found.is_inference() and ft.allclose(found, net(x), rtol=1e-5)
    assert explain(compiled).startswith("compiled")
    assert not compiled(ft.ones(1, 2).clone()).is_inference()


def test_what_a_backward_reads_and_does():
    rates, seen = [2.0], []

    class Scaled(fa.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * rates[0]

    def noted(x):
        y = x * 2
        y.register_hook(lambda g: seen.append(g.sum().item()))
        return (y * y).sum()

    def gradient(f):
        x = ft.ones(2, requires_grad=True)
        return fa.grad(f(x), x)[0].tolist()

    compiled = compile(lambda x: Scaled.apply(x).sum())
    assert gradient(compiled) == gradient(compiled) == [2.0, 2.0]
    y = compiled(x := ft.ones(2, requires_grad=True))
    rates[0] = 3.0
    assert fa.grad(y, x)[0].tolist() == gradient(compiled) == gradient(compiled) == [3.0, 3.0]
    compiled = compile(noted)
    with pytest.warns(RuntimeWarning, match="runs eagerly: it registers hooks on its own tensors"):
        for i in range(1, 5):
            assert gradient(compiled) == [8.0, 8.0] and seen == [8.0] * i


def test_a_second_derivative_of_what_was_overwritten():
    compiled = compile(lambda x: x.exp())
    for i in range(3):
        leaf = ft.zeros(2, requires_grad=True)
        x = leaf * 1
        y = compiled(x)
        x.detach().add_(1)
        if i == 0:
            assert fa.grad(y.sum(), leaf, create_graph=True)[0].tolist() == [1.0, 1.0]
            continue
        with pytest.raises(RuntimeError, match="a tensor that it read was written to afterwards"):
            fa.grad(y.sum(), leaf, create_graph=True)


def test_a_dtype_that_changes_between_forward_and_backward():
    net = nn.Linear(2, 2, bias=False)
    compiled = compile(lambda x: (net(x), net(x * 2)))
    for _ in range(3):
        net.float().zero_grad()
        found = compiled(ft.ones(1, 2))
        net.double()
        found[0].sum().backward()
        assert net.weight.grad.tolist() == [[1.0, 1.0]] * 2


def test_leaves_that_are_made_inside():
    def f(x):
        return ft.zeros(2, requires_grad=True), x.detach().requires_grad_()

    compiled = compile(f)
    for _ in range(3):
        x = ft.ones(2, requires_grad=True)
        for found, expected in zip(compiled(x), f(x), strict=True):
            assert (found.requires_grad, found.is_leaf) == (expected.requires_grad, expected.is_leaf)
        found = compiled(x)[0]
        (found * 3).sum().backward()
        assert found.grad.tolist() == [3.0, 3.0]
    assert "eagerly" not in explain(compiled)


def test_tensors_from_outside_are_handed_back():
    kept = [ft.zeros(2), ft.ones(2, requires_grad=True)]

    def f(x):
        return kept[0], kept[1], x * 2

    compiled = compile(f)
    for i in range(6):
        if i == 3:
            kept[0] = ft.ones(2)
        if i > 3:
            kept[0].add_(1)
        x = ft.ones(2, requires_grad=i % 2 == 0)
        first, second, third = compiled(x)
        assert first is kept[0] and second is kept[1] and third.requires_grad == x.requires_grad
    assert "eagerly" not in explain(compiled)


def test_a_backward_that_branches_on_its_gradient():
    class Bent(fa.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return gradient * 2 if gradient.sum() > 0 else gradient * x

    compiled = compile(lambda x: Bent.apply(x).tanh())
    for i in range(6):
        x = ft.tensor([0.5, -0.25 * i], requires_grad=True)
        grads = []
        for f in (compiled, lambda x: Bent.apply(x).tanh()):
            (f(x) * (1 if i % 3 else -1)).sum().backward()
            grads.append(x.grad)
            x.grad = None
        assert ft.allclose(*grads, rtol=1e-6), i


def test_an_object_that_a_custom_function_keeps_for_its_backward():
    class Scale:
        def __init__(self, by):
            self.by = by

    class Scaled(fa.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.scale = scale
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.scale.by, None

    scale, settings = Scale(2.0), [Scale(1.0)]
    for compiled in (compile(lambda x: Scaled.apply(x, scale)), compile(lambda x: Scaled.apply(x, settings[0]))):
        for i in range(6):
            x = ft.ones(2, requires_grad=True)
            y = compiled(x)
            scale.by, settings[0].by = 3.0 + i, 3.0 + i
            y.sum().backward()
            assert x.grad.tolist() == [3.0 + i] * 2


def test_arguments_with_attributes_may_die():
    class Named(ft.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            out = super().__torch_function__(function, types, args, kwargs or {})
            if isinstance(out, Named):
                out.unit = "m"
            return out

    compiled = compile(lambda x: x * 2 + 1)
    with pytest.warns(RuntimeWarning, match="it reads unit of x"):
        for i in range(20):
            x = ft.full((3,), float(i)).as_subclass(Named)
            x.unit = "s"
            out = compiled(x)
            assert out.unit == "m" and repr(out) == f"Named([{2.0 * i + 1}, {2.0 * i + 1}, {2.0 * i + 1}])".replace(
                ".0", "."
            )
