"""Hooks of modules: order, arguments, what they may change. Texts were made with PyTorch 2.13."""

import sys
import warnings

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import func
from flambeau_nn.modules import module as of_all


@pytest.fixture
def layer():
    """A linear map that doubles the sum of two numbers, without bias."""
    m = nn.Linear(2, 2, bias=False)
    m.weight.data.fill_(1.0)
    return m


@pytest.fixture
def log():
    return []


def ones(**options):
    return ft.ones(1, 2, **options)


def test_forward_hooks_see_and_change(layer, log):
    layer.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
    layer.register_forward_pre_hook(lambda m, args: log.append(("pre", args[0].tolist())))
    layer.register_forward_hook(lambda m, args, out: out + 1)
    layer.register_forward_hook(lambda m, args, out: log.append(("post", args[0].tolist(), out.tolist())))
    assert layer(ones()).tolist() == [[5, 5]]
    assert log == [("pre", [[2, 2]]), ("post", [[2, 2]], [[5, 5]])]


def test_keyword_arguments_and_order(log):
    class Scales(nn.Module):
        def forward(self, x, factor=1):
            return x * factor

    m = Scales()
    m.register_forward_hook(lambda m, args, out: log.append("plain"))
    m.register_forward_hook(lambda m, args, kwargs, out: log.append(kwargs), with_kwargs=True, prepend=True)
    m.register_forward_pre_hook(lambda m, args, kwargs: (args, {"factor": kwargs["factor"] + 1}), with_kwargs=True)
    m.register_forward_pre_hook(lambda m, args: 5, prepend=True)  # one value stands for a tuple of one
    assert m(1, factor=2) == 15 and log == [{"factor": 3}, "plain"]


def test_removal(layer, log):
    with layer.register_forward_hook(lambda m, args, out: log.append(1)):
        layer(ones())
    layer(ones())
    handle = layer.register_forward_pre_hook(lambda m, args: log.append(2))
    handle.remove()
    handle.remove()
    layer(ones())
    assert log == [1]


def test_hooks_put_in_by_hand(layer, log):
    layer._forward_pre_hooks[99] = lambda m, args: log.append("by hand")
    layer(ones())
    other = nn.ReLU()
    other._forward_hooks = {1: lambda m, args, out: log.append("replaced")}
    other(ones())
    third = nn.ReLU()
    third._backward_pre_hooks = {}
    third._forward_pre_hooks = {1: lambda m, args: log.append("third")}
    nn.Sequential(third)(ones())
    assert log == ["by hand", "replaced", "third"]


def test_wrong_result_of_pre_hook(layer):
    layer.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(
        RuntimeError,
        match=r"forward pre-hook must return None or a tuple of \(new_args, new_kwargs\), "
        "but got 3.",
    ):
        layer(ones())


def test_always_call(layer, log):
    layer.register_forward_hook(lambda m, args, out: log.append("not"))
    layer.register_forward_hook(lambda m, args, out: log.append(("always", out)), always_call=True)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        layer(ft.ones(1, 3))
    assert log == [("always", None)]

    def fails(m, args, out):
        raise ValueError("second")

    layer.register_forward_hook(fails, always_call=True, prepend=True)
    with (
        pytest.warns(UserWarning, match="silenced as another error was raised in forward: second"),
        pytest.raises(RuntimeError, match="shapes"),
    ):
        layer(ft.ones(1, 3))


def test_global_hooks(log):
    pre = of_all.register_module_forward_pre_hook(lambda m, args: log.append(("pre", type(m).__name__)))
    post = of_all.register_module_forward_hook(lambda m, args, out: log.append(type(m).__name__))
    nn.Sequential(nn.ReLU(), nn.Tanh())(ones())
    pre.remove()
    nn.ReLU()(ones())
    post.remove()
    nn.ReLU()(ones())
    assert log == [("pre", "Sequential"), ("pre", "ReLU"), "ReLU", ("pre", "Tanh"), "Tanh", "Sequential", "ReLU"]


def test_registration_hooks(log):
    handles = [
        of_all.register_module_module_registration_hook(lambda m, name, new: log.append(name)),
        of_all.register_module_parameter_registration_hook(lambda m, name, new: log.append(name)),
        of_all.register_module_buffer_registration_hook(lambda m, name, new: ft.zeros(3)),
    ]
    m = nn.Sequential(nn.Linear(1, 1))
    m.register_buffer("b", ft.ones(1))
    for handle in handles:
        handle.remove()
    assert log == ["weight", "bias", "0"] and m.b.tolist() == [0, 0, 0]


# --- gradients ------------------------------------------------------------------------------------------------------


def test_full_backward_hooks(layer, log):
    layer.register_full_backward_hook(lambda m, gi, go: log.append(("in", gi[0].tolist(), go[0].tolist())))
    layer.register_full_backward_pre_hook(lambda m, go: log.append(("out", go[0].tolist())))
    x = ones(requires_grad=True)
    (layer(x) * 3).sum().backward()
    assert log == [("out", [[3, 3]]), ("in", [[6, 6]], [[3, 3]])] and x.grad.tolist() == [[6, 6]]


def test_backward_hooks_change_gradients(layer):
    layer.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
    layer.register_full_backward_pre_hook(lambda m, go: (go[0] * 3,))
    x = ones(requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.tolist() == [[60, 60]] and layer.weight.grad.tolist() == [[3, 3], [3, 3]]


def test_backward_hooks_with_other_arguments(log):
    class Two(nn.Module):
        def forward(self, x, text, y):
            return x * 2, text, y * 3

    m = Two()
    m.register_full_backward_hook(lambda m, gi, go: log.append((gi, go)))
    x, y = ft.ones(1, requires_grad=True), ft.ones(1)
    a, text, b = m(x, "text", y)
    assert text == "text"
    (a + b).sum().backward()
    (gx, gtext, gy), (ga, go_text, gb) = log[0]
    assert gx.tolist() == [2] and gtext is None and ga.tolist() == [1] and go_text is None


def test_backward_hooks_without_input_gradient(layer, log):
    layer.register_full_backward_hook(lambda m, gi, go: log.append((gi, go[0].tolist())))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        layer(ones()).sum().backward()
    assert log == [((None,), [[1, 1]])]


def test_wrong_number_of_gradients(layer):
    layer.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
    with pytest.raises(
        RuntimeError, match="Backward hook returned an invalid number of grad_input, got 2, but expected 1"
    ):
        layer(ones(requires_grad=True)).sum().backward()


def test_old_backward_hooks(log):
    m = nn.ReLU()
    m.register_backward_hook(lambda m, gi, go: log.append((gi[0].tolist(), go[0].tolist())))
    m(ft.tensor([-1.0, 1.0], requires_grad=True) * 1).sum().backward()
    assert log == [([0, 1], [1, 1])]
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks"):
        m.register_full_backward_hook(print)


def test_backward_hooks_under_double_backward(layer, log):
    from flambeau_autograd import grad

    layer.register_full_backward_hook(lambda m, gi, go: log.append("called"))
    x = ones(requires_grad=True)
    (g,) = grad(layer(x).pow(3).sum(), x, create_graph=True)
    g.sum().backward()
    assert log[0] == "called" and x.grad.tolist() == [[48, 48]]


def test_outputs_without_gradient_are_none_for_hooks():
    class Two(nn.Module):
        def forward(self, x, y):
            return x * 2, x * 3

    module, seen = Two(), []
    module.register_full_backward_hook(lambda module, inputs, outputs: seen.append((inputs, outputs)))
    module.register_full_backward_pre_hook(lambda module, outputs: seen.append(outputs))
    x = ft.ones(2, requires_grad=True)
    module(x, x * 2)[0].sum().backward()
    outputs, (inputs, again) = seen
    assert outputs[0].tolist() == again[0].tolist() == [1, 1] and outputs[1] is again[1] is None
    assert inputs[0].tolist() == [2, 2] and inputs[1].tolist() == [0, 0]  # as in PyTorch, zeros on this side


def test_hooks_of_examples():
    """Each hook sees the gradients of one example."""
    layer, shapes = nn.Linear(2, 3), []
    layer.register_full_backward_hook(
        lambda module, inputs, outputs: shapes.append((inputs[0].shape, outputs[0].shape))
    )
    x = ft.randn(4, 2)
    gradients = func.vmap(func.grad(lambda x: layer(x).sum()))(x)
    assert ft.allclose(gradients, layer.weight.detach().sum(0).expand(4, 2)) and shapes == [((2,), (3,))]
    jacobians = func.vmap(func.jacrev(layer))(x)
    assert ft.allclose(jacobians, layer.weight.detach().expand(4, 3, 2))
    layer.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 2,))
    doubled = func.vmap(func.grad(lambda x: layer(x).sum()))(x)
    assert ft.allclose(doubled, 2 * gradients)


def test_modules_whose_hooks_are_gone_are_called_as_before():
    """Where no hook is left, a call asks for none: Python's frames in between are those of ``forward`` alone."""
    frames = []

    class Layer(nn.Module):
        def forward(self, x):
            frame, names = sys._getframe(), []
            while frame is not None:
                names.append(frame.f_code.co_name)
                frame = frame.f_back
            frames.append(names[: names.index("test_modules_whose_hooks_are_gone_are_called_as_before")])
            return x

    layer = Layer()
    layer(1)
    for register in ("forward_hook", "forward_pre_hook", "full_backward_hook", "full_backward_pre_hook"):
        handle = getattr(layer, f"register_{register}")(lambda *a: None)
        layer(ft.ones(1))
        handle.remove()
        layer(1)
    assert frames[0] == ["forward"]
    assert frames[2::2] == [["forward"]] * 4
    assert all(len(names) > 1 for names in frames[1::2])


def test_older_backward_hooks_warn_of_what_they_miss():
    def run(function, *args):
        class Model(nn.Module):
            def forward(self, *args):
                return function(*args)

        model = Model()
        model.register_backward_hook(lambda *_: None)
        model(*args)

    x = ft.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(ft.relu, x * 1)
    for function, args, said in (
        (lambda x: (x * 2).exp(), (x * 1,), "the forward contains multiple autograd Nodes is deprecated: grad_input"),
        (lambda x: (x * 2, x * 3), (x * 1,), "outputs are generated by different autograd Nodes"),
        (lambda x: {"a": x * 2}, (x * 1,), "does not return a single Tensor or a tuple of Tensors"),
        (lambda x, n: x * n, (x * 1, 2), "does not take as input a single Tensor or a tuple of Tensors"),
    ):
        with pytest.warns(FutureWarning, match=said):
            run(function, *args)


def test_backward_hooks_return_tensors():
    for register, said in (("register_full_backward_hook", "str"), ("register_full_backward_pre_hook", "int")):
        layer = nn.Linear(2, 1)
        getattr(layer, register)(lambda *_, said=said: ("x",) if said == "str" else (3,))
        with pytest.raises(TypeError, match=f"expected Variable, but hook returned '{said}'"):
            layer(ft.ones(1, 2, requires_grad=True)).sum().backward()
