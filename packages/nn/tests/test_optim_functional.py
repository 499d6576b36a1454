"""Steps as functions of lists, beside the classes that have the same formulas."""

import math

import pytest

import flambeau_autograd  # noqa: F401  (plugs in backward)
import flambeau_tensor as ft
from flambeau_nn import optim
from flambeau_nn.optim import _functional

STATES = {
    "adam": "exp_avg exp_avg_sq max_exp_avg_sq step",
    "adamw": "exp_avg exp_avg_sq max_exp_avg_sq step",
    "sgd": "momentum_buffer",
    "adagrad": "sum step",
    "adadelta": "square_avg acc_delta step",
    "adamax": "exp_avg exp_inf step",
    "asgd": "ax mu eta step",
    "nadam": "exp_avg exp_avg_sq mu_product step",
    "radam": "exp_avg exp_avg_sq step",
    "rmsprop": "square_avg grad_avg momentum_buffer step",
    "rprop": "prev step_size step",
}
CLASSES = {name.lower(): getattr(optim, name) for name in "Adadelta Adagrad Adam Adamax AdamW ASGD".split()} | {
    name.lower(): getattr(optim, name) for name in "NAdam RAdam RMSprop Rprop SGD".split()
}
OPTIONS = {
    "adam": {"amsgrad": True, "weight_decay": 0.1, "maximize": True},
    "sgd": {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    "rmsprop": {"centered": True, "momentum": 0.5},
    "nadam": {"weight_decay": 0.1, "decoupled_weight_decay": True},
}
SPLIT = {"betas": ("beta1", "beta2"), "etas": ("etaminus", "etaplus"), "step_sizes": ("step_size_min", "step_size_max")}


@pytest.mark.parametrize("dtype", [ft.float64, ft.complex128])
@pytest.mark.parametrize("name", STATES)
def test_a_step_is_that_of_the_class(name, dtype):
    function = getattr(_functional, name)
    params = [ft.tensor([1.0, -2.0], dtype=dtype).requires_grad_(), ft.tensor(0.5, dtype=dtype).requires_grad_()]
    mine = [p.detach().clone() for p in params]
    optimizer = CLASSES[name](params, lr=0.1, **OPTIONS.get(name, {}))
    lists = None
    for step in range(3):
        grads = [p.detach().sin() * (step + 1) for p in params]
        for p, grad in zip(params, grads, strict=True):
            p.grad = grad
        if lists is not None:
            options = {}
            for key, value in optimizer.param_groups[0].items():
                options |= dict(zip(SPLIT[key], value, strict=True)) if key in SPLIT else {key: value}
            taken = function.__signature__.parameters
            options = {key: value for key, value in options.items() if key in taken and key != "params"}
            function(mine, grads, *lists, **options)
        optimizer.step()
        if lists is None:  # the first step makes the states
            mine = [p.detach().clone() for p in params]
            keys = STATES[name].split()
            states = [optimizer.state[p] for p in params]
            lists = [[state[key].clone() for state in states] if key in states[0] else [] for key in keys]
    for a, b in zip(mine, params, strict=True):
        assert ft.allclose(a, b, rtol=1e-12, atol=0)
    for key, values in zip(keys, lists, strict=True):
        for value, p in zip(values, params, strict=bool(values)):
            assert ft.allclose(value, optimizer.state[p][key], rtol=1e-12, atol=0), key


def test_the_first_step_of_momentum_is_kept():
    p, buffers = [ft.ones(2)], [None]
    _functional.sgd(
        p,
        [ft.full((2,), 0.5)],
        buffers,
        weight_decay=0.0,
        momentum=0.9,
        lr=0.1,
        dampening=0.0,
        nesterov=False,
        maximize=False,
    )
    assert math.isclose(p[0][0].item(), 0.95, rel_tol=1e-6) and buffers[0].tolist() == [0.5, 0.5]


def test_functions_stand_beside_their_classes():
    from flambeau_nn.optim.adam import adam
    from flambeau_nn.optim.moments import nadam

    assert adam is _functional.adam and nadam is _functional.nadam
    with pytest.raises(TypeError, match="missing a required argument: 'amsgrad'"):
        adam([], [], [], [], [], [])
