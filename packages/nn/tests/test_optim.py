"""Optimizers against a NumPy implementation of their formulas, and the Optimizer's bookkeeping."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest

import flambeau_autograd  # noqa: F401  (plugs in backward)
import flambeau_tensor as ft
from flambeau_nn import optim
from flambeau_nn.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


def parameter(values, dtype=None):
    return ft.tensor(values, dtype=dtype).requires_grad_()


# --- the formulas, in float64 ---------------------------------------------------------------------------------------


def reference_sgd(p, grads, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False):
    buf = None
    for g in grads:
        d = (-g if maximize else g) + weight_decay * p
        if momentum:
            buf = d if buf is None else momentum * buf + (1 - dampening) * d
            d = d + momentum * buf if nesterov else buf
        p = p - lr * d
    return p


def reference_adam(
    p,
    grads,
    lr=1e-3,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0,
    amsgrad=False,
    maximize=False,
    decoupled_weight_decay=False,
):
    m, v, top = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(grads, 1):
        d = -g if maximize else g
        if decoupled_weight_decay:
            p = p * (1 - lr * weight_decay)
        else:
            d = d + weight_decay * p
        m = betas[0] * m + (1 - betas[0]) * d
        v = betas[1] * v + (1 - betas[1]) * d**2
        top = np.maximum(top, v)
        second = (top if amsgrad else v) / (1 - betas[1] ** t)
        p = p - lr * (m / (1 - betas[0] ** t)) / (np.sqrt(second) + eps)
    return p


def reference_adamw(p, grads, weight_decay=1e-2, **options):
    return reference_adam(p, grads, weight_decay=weight_decay, decoupled_weight_decay=True, **options)


def reference_rmsprop(
    p, grads, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, maximize=False
):
    v, mean, buf = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p)
    for g in grads:
        d = (-g if maximize else g) + weight_decay * p
        v = alpha * v + (1 - alpha) * d**2
        mean = alpha * mean + (1 - alpha) * d
        q = d / (np.sqrt(v - mean**2 if centered else v) + eps)
        buf = momentum * buf + q
        p = p - lr * (buf if momentum else q)
    return p


def reference_adagrad(
    p, grads, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, maximize=False
):
    total = np.full_like(p, initial_accumulator_value)
    for t, g in enumerate(grads):
        d = (-g if maximize else g) + weight_decay * p
        total = total + d**2
        p = p - lr / (1 + t * lr_decay) * d / (np.sqrt(total) + eps)
    return p


REFERENCES = {
    "SGD": reference_sgd,
    "Adam": reference_adam,
    "AdamW": reference_adamw,
    "RMSprop": reference_rmsprop,
    "Adagrad": reference_adagrad,
}
CONFIGURATIONS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("Adam", {}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1, "amsgrad": True, "betas": (0.8, 0.9)}),
    ("Adam", {"lr": 0.05, "amsgrad": True, "betas": (0.8, 0.9)}),
    ("Adam", {"lr": 0.05, "betas": (0.0, 0.5), "maximize": True, "eps": 1e-3}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.2, "amsgrad": True}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.1}),
    ("RMSprop", {"centered": True, "maximize": True}),
    ("RMSprop", {"lr": 0.05, "momentum": 0.8, "centered": True, "alpha": 0.9}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.2, "lr_decay": 0.1, "weight_decay": 0.05, "initial_accumulator_value": 0.3, "maximize": True}),
]
configurations = pytest.mark.parametrize(("name", "options"), CONFIGURATIONS)
TOLERANCE = {"float64": 1e-12, "float32": 2e-5, "float16": 3e-2, "bfloat16": 2e-1}


def problem(shape, steps=12, seed=0):
    rng = np.random.default_rng(seed)
    # Away from zero: a centred variance that vanishes would magnify the rounding.
    return rng.standard_normal(shape), [rng.standard_normal(shape) * (1 + i % 3) + 0.3 for i in range(steps)]


def run(name, options, p, grads, dtype):
    o = getattr(optim, name)([p], **options)
    for g in grads:
        p.grad = ft.tensor(g).to(dtype)
        o.step()
    return o


@configurations
@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize("shape", [(), (3,), (5, 67), (0, 2)])
def test_steps_follow_the_formula(name, options, dtype, shape):
    start, grads = problem(shape)
    dtype = getattr(ft, dtype)
    p = ft.tensor(start).to(dtype).requires_grad_()
    o = run(name, options, p, grads, dtype)
    want = REFERENCES[name](start, grads, **options)
    np.testing.assert_allclose(
        p.detach().to(ft.float64).numpy(),
        want,
        rtol=TOLERANCE[str(dtype).split(".")[-1]],
        atol=TOLERANCE[str(dtype).split(".")[-1]],
    )
    assert p.dtype == dtype
    for key, value in o.state[p].items() if o.state else ():
        assert value.dtype == (ft.float32 if key == "step" else dtype)


@configurations
def test_long_arrays_go_over_the_threads(name, options):
    start, grads = problem((123, 457), steps=3)
    p = parameter(start)
    run(name, options, p, grads, ft.float64)
    np.testing.assert_allclose(p.detach().numpy(), REFERENCES[name](start, grads, **options), rtol=1e-12, atol=1e-12)


@configurations
def test_complex_numbers_are_pairs_of_real_ones(name, options):
    (re, re_grads), (im, im_grads) = problem((6, 7)), problem((6, 7), seed=1)
    p = parameter(re + 1j * im)
    run(name, options, p, [a + 1j * b for a, b in zip(re_grads, im_grads, strict=True)], ft.complex128)
    reference = REFERENCES[name]
    want = reference(re, re_grads, **options) + 1j * reference(im, im_grads, **options)
    np.testing.assert_allclose(p.detach().numpy(), want, rtol=1e-12, atol=1e-12)


@configurations
def test_transposed_parameters_and_gradients(name, options):
    start, grads = problem((4, 6))
    whole = ft.tensor(np.ascontiguousarray(start.T))
    p = whole.t().requires_grad_()
    o = getattr(optim, name)([p], **options)
    for g in grads:
        p.grad = ft.tensor(np.ascontiguousarray(g.T)).t()
        o.step()
    np.testing.assert_allclose(whole.numpy().T, REFERENCES[name](start, grads, **options), rtol=1e-12, atol=1e-12)


# Made by PyTorch 2.13 (CPU, float32): p = [1, -2, 3], the gradient of step i is [0.5, -1, 2] * (i + 1), five steps.
FROM_PYTORCH = [
    ("SGD", {"lr": 0.01, "momentum": 0.9, "nesterov": True}, [0.782335997, -1.564671993, 2.129343987]),
    ("Adam", {}, [0.995149136, -1.995149016, 2.995149374]),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}, [0.511282265, -1.511452675, 2.512278557]),
    ("AdamW", {"lr": 0.1}, [0.510903239, -1.505913138, 2.500923157]),
    ("RMSprop", {"centered": True, "momentum": 0.5}, [0.312542617, -1.312542558, 2.312542439]),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.5}, [0.748597085, -1.748597145, 2.748597383]),
]


@pytest.mark.parametrize(("name", "options", "want"), FROM_PYTORCH)
def test_values_of_pytorch(name, options, want):
    p = parameter([1.0, -2.0, 3.0])
    run(name, options, p, [np.array([0.5, -1.0, 2.0], dtype="float32") * (i + 1) for i in range(5)], ft.float32)
    np.testing.assert_allclose(p.detach().numpy(), np.array(want, dtype="float32"), rtol=5e-7)


# --- steps ----------------------------------------------------------------------------------------------------------


def test_a_step_raises_the_version_and_spoils_a_saved_parameter():
    p = parameter([1.0, 2.0])
    loss = (p * p).sum()
    loss.backward(retain_graph=True)
    o = optim.Adam([p])
    before = p._version
    o.step()
    assert p._version == before + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_parameters_without_gradient_are_left_out():
    p, q = parameter([1.0]), parameter([1.0])
    o = optim.Adam([p, q], lr=0.1)
    p.grad = ft.tensor([1.0])
    o.step()
    assert q.item() == 1.0 and q._version == 0 and q not in o.state and p.item() != 1.0


def test_training_reaches_the_minimum():
    target = ft.tensor([3.0, -1.0])
    for name, options in [
        ("SGD", {"lr": 0.1, "momentum": 0.5}),
        ("Adam", {"lr": 0.1}),
        ("AdamW", {"lr": 0.1}),
        ("RMSprop", {"lr": 0.02}),
        ("Adagrad", {"lr": 1.0}),
    ]:
        p = parameter([0.0, 0.0])
        o = getattr(optim, name)([p], **options)
        for _ in range(400):
            o.zero_grad()
            ((p - target) ** 2).sum().backward()
            o.step()
        np.testing.assert_allclose(p.detach().numpy(), target.numpy(), atol=0.05)


def test_closure_runs_with_gradients_and_its_loss_comes_back():
    p = parameter([2.0])
    o = optim.SGD([p], lr=0.25)

    def closure():
        o.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with flambeau_autograd.no_grad():
        assert o.step(closure).item() == 4.0
    assert p.item() == 1.0
    assert o.step() is None


def test_groups_have_options_of_their_own():
    p, q = parameter([1.0]), parameter([1.0])
    o = optim.SGD([{"params": [p]}, {"params": q, "lr": 0.5}], lr=0.1)
    p.grad, q.grad = ft.tensor([1.0]), ft.tensor([1.0])
    o.step()
    np.testing.assert_allclose([p.item(), q.item()], [0.9, 0.5], rtol=1e-6)
    o.param_groups[0]["lr"] = ft.tensor(1.0)
    o.step()
    np.testing.assert_allclose([p.item(), q.item()], [-0.1, 0.0], atol=1e-6)


def test_nan_gradients_stay_visible():
    p = parameter([1.0, 1.0])
    o = optim.Adam([p], amsgrad=True)
    for g in ([math.nan, 1.0], [1.0, 1.0]):
        p.grad = ft.tensor(g)
        o.step()
    assert math.isnan(p[0].item()) and math.isnan(o.state[p]["max_exp_avg_sq"][0].item()) and p[1].item() < 1


def test_wrong_states_are_refused_and_nothing_changes():
    p = parameter([1.0, 2.0])
    p.grad = ft.ones(2)
    o = optim.Adam([p])
    o.step()
    values = p.detach().clone()
    for key, value, error in [
        ("exp_avg", ft.zeros(3), RuntimeError),
        ("exp_avg_sq", None, TypeError),
        ("step", 3, RuntimeError),
        ("step", ft.tensor(3), RuntimeError),
    ]:
        state = copy.copy(o.state[p])
        o.state[p][key] = value
        with pytest.raises(error, match=key if key != "step" else "state_steps"):
            o.step()
        o.state[p] = state
        assert p.detach().tolist() == values.tolist() and o.state[p]["step"].item() == 1


def test_integer_parameters_are_refused():
    p = ft.zeros(2, dtype=ft.int64)
    o = optim.SGD([p], lr=0.1)
    p.grad = ft.zeros(2, dtype=ft.int64)
    with pytest.raises(RuntimeError, match="floating point"):
        o.step()


def test_zero_grad():
    p, q = parameter([1.0]), parameter([1.0])
    o = optim.SGD([p, q], lr=0.1)
    p.grad = grad = ft.tensor([2.0])
    o.zero_grad(set_to_none=False)
    assert p.grad is grad and grad.item() == 0 and q.grad is None
    o.zero_grad()
    assert p.grad is None


# --- bookkeeping ----------------------------------------------------------------------------------------------------


def test_what_it_prints():
    assert repr(optim.SGD([parameter([1.0])], lr=0.1, momentum=0.9)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 0.1\n    maximize: False\n    momentum: 0.9\n    nesterov: False\n    weight_decay: 0\n)"
    )


P = parameter([1.0])
LEAF_ERROR = "can't optimize a non-leaf Tensor"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: optim.SGD([], 0.1), ValueError, "optimizer got an empty parameter list"),
        (
            lambda: optim.SGD(P, 0.1),
            TypeError,
            "params argument given to the optimizer should be an iterable of Tensors",
        ),
        (lambda: optim.SGD([3], 0.1), TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
        (lambda: optim.SGD([P * 2], 0.1), ValueError, LEAF_ERROR),
        (lambda: optim.SGD([{"params": {P}}], 0.1), TypeError, "organized in ordered collections"),
        (lambda: optim.SGD([{"params": [P]}, {"params": [P]}], 0.1), ValueError, "more than one parameter group"),
        (lambda: optim.SGD([("p", P), parameter([1.0])], 0.1), ValueError, "Some param names are missing"),
        (
            lambda: optim.SGD([P], 0.1).add_param_group([P]),
            TypeError,
            "param_group must be a dict, but got <class 'list'>",
        ),
        (lambda: optim.SGD([P], -1), ValueError, "^Invalid learning rate: -1$"),
        (lambda: optim.SGD([P], math.nan), ValueError, "^Invalid learning rate: nan$"),
        (lambda: optim.SGD([P], ft.ones(2)), ValueError, "Tensor lr must be 1-element"),
        (lambda: optim.SGD([P], momentum=-1), ValueError, "^Invalid momentum value: -1$"),
        (lambda: optim.SGD([P], weight_decay=-1), ValueError, "^Invalid weight_decay value: -1$"),
        (lambda: optim.SGD([P], nesterov=True), ValueError, "Nesterov momentum requires a momentum and zero dampening"),
        (lambda: optim.Adam([P], betas=(1.0, 0.9)), ValueError, "^Invalid beta parameter at index 0: 1.0$"),
        (lambda: optim.Adam([P], betas=(0.9, -0.1)), ValueError, "^Invalid beta parameter at index 1: -0.1$"),
        (lambda: optim.Adam([P], betas=(0, 0.9)), ValueError, "betas must be either both floats or both Tensors"),
        (lambda: optim.AdamW([P], eps=-1), ValueError, "^Invalid epsilon value: -1$"),
        (lambda: optim.RMSprop([P], alpha=-1), ValueError, "^Invalid alpha value: -1$"),
        (lambda: optim.Adagrad([P], lr_decay=-1), ValueError, "^Invalid lr_decay value: -1$"),
        (lambda: optim.Adam([P], fused=True, foreach=True), RuntimeError, "`fused` and `foreach` cannot be `True`"),
        (
            lambda: optim.AdamW([P], betas=(ft.tensor(0.9), ft.tensor(0.99)), foreach=True),
            ValueError,
            r"betas\[0\] as a Tensor is not supported for capturable=False and foreach=True",
        ),
        (lambda: optim.Optimizer([P], {}).step(), NotImplementedError, "^$"),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_duplicates_in_a_group_warn():
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optim.SGD([P, P], 0.1)


def test_names():
    p, q = parameter([1.0]), parameter([2.0])
    o = optim.SGD([("p", p), ("q", q)], lr=0.1)
    assert o.param_groups[0]["params"] == [p, q] and o.param_groups[0]["param_names"] == ["p", "q"]
    with pytest.raises(ValueError, match="cannot add param group without names"):
        o.add_param_group({"params": [parameter([0.0])]})


def stepped(name="Adam", dtype=None, **options):
    p, q = parameter([1.0, 2.0], dtype), parameter([3.0], dtype)
    o = getattr(optim, name)([{"params": [p]}, {"params": [q], "lr": 0.5}], **options)
    p.grad, q.grad = ft.tensor([1.0, -1.0], dtype=dtype), ft.tensor([1.0], dtype=dtype)
    o.step()
    return o, p, q


def test_state_dict_numbers_the_parameters():
    o, p, q = stepped()
    d = o.state_dict()
    assert list(d["state"]) == [0, 1] and [g["params"] for g in d["param_groups"]] == [[0], [1]]
    assert d["state"][0]["exp_avg"] is o.state[p]["exp_avg"]
    assert list(d["state"][0]) == ["step", "exp_avg", "exp_avg_sq"]
    assert d["param_groups"][1]["lr"] == 0.5 and o.param_groups[0]["params"] == [p]


@pytest.mark.parametrize("name", list(REFERENCES))
def test_going_on_from_a_loaded_state(name):
    options = {"momentum": 0.9} if name == "SGD" else {}
    one, p, _ = stepped(name, **options)
    other, r, _ = stepped(name, **options)
    saved = pickle.loads(pickle.dumps(one.state_dict()))
    fresh = getattr(optim, name)([{"params": [r]}, {"params": [parameter([0.0])]}], lr=7.0)
    fresh.load_state_dict(saved)
    assert [g["lr"] for g in fresh.param_groups] == [g["lr"] for g in one.param_groups]
    for o, x in ((one, p), (fresh, r)):
        x.grad = ft.tensor([0.5, 0.25])
        o.step()
    assert p.tolist() == r.tolist()


def test_loading_converts_to_the_parameters_dtype():
    o, _, _ = stepped()
    other, r, _ = stepped(dtype=ft.float64)
    other.load_state_dict(o.state_dict())
    assert other.state[r]["exp_avg"].dtype == ft.float64 and other.state[r]["step"].dtype == ft.float32


def test_loading_checks_the_groups():
    o, _, _ = stepped()
    with pytest.raises(ValueError, match="different number of parameter groups"):
        o.load_state_dict({"state": {}, "param_groups": []})
    groups = [{"params": [0, 1]}, {"params": [2]}]
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        o.load_state_dict({"state": {}, "param_groups": groups})


def test_steps_of_old_states_become_tensors():
    o, p, _ = stepped()
    d = o.state_dict()
    d["state"] = {i: {**s, "step": int(s["step"].item())} for i, s in d["state"].items()}
    o.load_state_dict(d)
    assert o.state[p]["step"].dtype == ft.float32
    o.step()
    assert o.state[p]["step"].item() == 2


@pytest.mark.parametrize("copied", [lambda o: pickle.loads(pickle.dumps(o)), copy.deepcopy])
def test_copies_go_on_alone(copied):
    o, p, _ = stepped()
    other = copied(o)
    q = other.param_groups[0]["params"][0]
    assert q is not p and q.tolist() == p.tolist()
    assert q in other.state and p not in other.state
    for x, y in ((o, p), (other, q)):
        y.grad = ft.tensor([1.0, 2.0])
        x.step()
    assert q.tolist() == p.tolist() and other.state[q]["step"].item() == 2


def test_hooks_around_steps_and_states():
    o, p, _ = stepped()
    seen = []
    handles = [
        register_optimizer_step_pre_hook(lambda opt, args, kwargs: seen.append("global pre")),
        o.register_step_pre_hook(lambda opt, args, kwargs: seen.append(("pre", opt is o, args == (o,), kwargs))),
        o.register_step_post_hook(lambda opt, args, kwargs: seen.append("post")),
        register_optimizer_step_post_hook(lambda opt, args, kwargs: seen.append("global post")),
    ]
    o.step()
    assert seen == ["global pre", ("pre", True, True, {}), "post", "global post"]
    for handle in handles:
        handle.remove()
    o.step()
    assert len(seen) == 4
    o.register_step_pre_hook(lambda opt, args, kwargs: (args, {"closure": lambda: 5}))
    assert o.step() == 5
    o.register_step_pre_hook(lambda opt, args, kwargs: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple"):
        o.step()

    seen.clear()
    o.register_state_dict_pre_hook(lambda opt: seen.append("second"))
    o.register_state_dict_pre_hook(lambda opt: seen.append("first"), prepend=True)
    o.register_state_dict_post_hook(lambda opt, d: {**d, "more": 1})
    d = o.state_dict()
    assert seen == ["first", "second"] and d["more"] == 1
    o.register_load_state_dict_pre_hook(lambda opt, d: {**d, "state": {}})
    o.register_load_state_dict_post_hook(lambda opt: seen.append("loaded"))
    o.load_state_dict(d)
    assert seen[-1] == "loaded" and not o.state


def test_an_optimizer_of_ones_own_has_hooks():
    class Signs(optim.Optimizer):
        def __init__(self, params, lr=0.5):
            super().__init__(params, {"lr": lr})

        def step(self, closure=None):
            with flambeau_autograd.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        p.sub_(p.grad.sign(), alpha=group["lr"])

    p = parameter([1.0, 1.0])
    o = Signs([p])
    p.grad = ft.tensor([3.0, -2.0])
    steps = []
    o.register_step_post_hook(lambda *a: steps.append(1))
    o.step()
    assert p.tolist() == [0.5, 1.5] and steps == [1]


def test_memory_does_not_grow():
    import tracemalloc

    o, p, q = stepped()
    for _ in range(10):
        o.step()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(2000):
        o.step()
        o.zero_grad()
        p.grad, q.grad = ft.ones(2), ft.ones(1)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 5000


def test_options_that_change_nothing_are_accepted():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for options in ({"fused": True}, {"foreach": True}, {"capturable": True}):
            p = parameter([1.0])
            p.grad = ft.tensor([1.0])
            optim.Adam([p], lr=0.1, **options).step()
            np.testing.assert_allclose(p.item(), 0.9, rtol=1e-6)


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad"])
def test_gradients_that_differ_between_examples_are_refused(name):
    from flambeau_autograd.func import jvp, vmap

    p = ft.ones(3, requires_grad=True)
    o = getattr(optim, name)([p], lr=0.1)

    def step(gradient):
        p.grad = gradient
        o.step()
        return gradient

    with pytest.raises(RuntimeError, match=rf"vmap: {name}.step\(\) reads numbers out of a tensor that stands for one"):
        vmap(step)(ft.ones(2, 3))
    with pytest.raises(RuntimeError, match=rf"Can't call {name}.step\(\) on a tensor that has a tangent"):
        jvp(step, (ft.ones(3),), (ft.ones(3),))
    assert p.tolist() == [1, 1, 1]


def test_groups_are_written_apart():
    both = optim.SGD([{"params": [parameter([1.0])]}, {"params": [parameter([1.0])], "lr": 0.5}])
    assert "weight_decay: 0\n\nParameter Group 1\n" in repr(both)


def test_an_optimizer_around_another_one_leaves_the_base_class_alone():
    class Around(optim.Optimizer):
        def __init__(self, inner):
            self.inner = inner

        def step(self, closure=None):
            return self.inner.step(closure)

    w = parameter([1.0])
    w.grad = ft.ones(1)
    inner = optim.SGD([w], lr=0.5)
    seen = []
    inner.register_step_post_hook(lambda *_: seen.append(w.item()))
    assert Around(inner).step() is None and seen == [0.5]


def test_a_step_inside_of_another_has_hooks_once():
    class First(optim.Optimizer):
        def step(self, closure=None):
            return "stepped"

    class Second(First):
        def step(self, closure=None):
            return super().step(closure)

    o = Second([parameter([1.0])], {})
    seen = []
    o.register_step_pre_hook(lambda *_: seen.append("pre"))
    assert o.step() == "stepped" and seen == ["pre"]  # twice in PyTorch, too, once a First was made


def test_hooks_of_an_optimizer_around_another():
    """As packages write it: without the base's own __init__."""

    class Around(optim.Optimizer):
        def __init__(self, inner):
            self.inner, self.seen = inner, []
            self._optimizer_step_pre_hooks = {0: lambda opt, args, kwargs: self.seen.append("pre")}
            self._optimizer_step_post_hooks = {0: lambda opt, args, kwargs: self.seen.append("post")}
            self._patch_step_function()

        def step(self, closure=None):
            self.seen.append("step")
            return self.inner.step(closure)

    weight = ft.ones(1, requires_grad=True)
    weight.grad = ft.ones(1)
    around = Around(optim.SGD([weight], lr=0.5))
    around.step()
    assert around.seen == ["pre", "step", "post"] and weight.item() == 0.5


def test_states_of_lbfgs_have_the_options_that_it_knows():
    p = ft.zeros(2, requires_grad=True)
    optimizer = optim.LBFGS([p])
    before = optimizer.state_dict()
    optimizer.load_state_dict(before)
    assert optimizer.state_dict() == before


def test_lbfgs_where_the_gradient_vanishes():
    p = ft.zeros(2, requires_grad=True)
    optimizer = optim.LBFGS([p], tolerance_grad=-1.0)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert p.tolist() == [0, 0]
