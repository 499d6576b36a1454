"""Steps of the optimizers as functions of lists: parameters, gradients and states (``torch.optim.adam.adam``).

They are for programs that manage states themselves. Each runs the formula of its class (see ``_operations.py``), and
updates parameters, states and step counts in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from types import SimpleNamespace
from typing import Any

from flambeau_autograd import is_grad_enabled, no_grad, set_grad_enabled
from flambeau_nn.optim import _operations
from flambeau_nn.optim.adadelta import Adadelta
from flambeau_nn.optim.adagrad import Adagrad
from flambeau_nn.optim.adam import Adam, AdamW
from flambeau_nn.optim.asgd import ASGD
from flambeau_nn.optim.moments import Adamax, NAdam, RAdam
from flambeau_nn.optim.rmsprop import RMSprop
from flambeau_nn.optim.rprop import Rprop
from flambeau_nn.optim.sgd import SGD
from flambeau_nn.optim.sparse_adam import SparseAdam
from flambeau_tensor import Tensor

_PAIRS = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}


def _signature(text: str) -> Signature:
    """Parse a signature with names and ``name=default``; names after ``*`` are keywords."""
    found = []
    kind: Any = Parameter.POSITIONAL_OR_KEYWORD
    for word in text.split():
        if word == "*":
            kind = Parameter.KEYWORD_ONLY
            continue
        name, given, default = word.partition("=")
        value = {"None": None, "False": False, "True": True}[default] if given else Parameter.empty
        found.append(Parameter(name, kind, default=value))
    return Signature(found, return_annotation=None)


def _form(cls: Any, name: str, states: dict[str, str], arguments: str, **fixed: Any) -> Callable[..., None]:
    """The function of a class.

    Args:
        cls: the optimizer, for its formula.
        name: of the function.
        states: the argument with a list -> the name of that state in the class.
        arguments: of the function, as `_signature` reads them.
        fixed: options of a group that are not among them.
    """
    signature = _signature(arguments)

    def function(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        group = {"maximize": False, "weight_decay": 0.0, **fixed, **given}
        for pair, (first, second) in _PAIRS.items():
            if first in given:
                group[pair] = (given[first], given[second])
        params, grads = given["params"], given["d_p_list" if cls is SGD else "grads"]
        with set_grad_enabled(is_grad_enabled() and group.get("differentiable", False)):
            _run(cls, params, grads, {key: given[argument] for argument, key in states.items()}, group)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"One step of {cls.__name__}, which changes parameters, states and counts of steps in place."
    return function


def _run(
    cls: Any, params: Sequence[Tensor], grads: Sequence[Tensor], states: dict[str, Any], group: dict[str, Any]
) -> None:
    found_inf, scale = group.get("found_inf"), group.get("grad_scale")
    if found_inf is not None and found_inf.item():
        return
    for i, (p, grad) in enumerate(zip(params, grads, strict=True)):
        # A list is empty if the options do not need it; None means that the first step creates the state.
        before = {key: values[i] for key, values in states.items() if values and values[i] is not None}
        state = dict(before)
        optimizer = SimpleNamespace(
            state={p: state},
            _formula=cls._formula,
            _sparse_formula=cls._sparse_formula,
            _rule=cls._rule,
            _refuse_sparse=lambda: cls._refuse_sparse(None),
        )
        _operations._update(optimizer, p, grad if scale is None else grad / scale, group)  # type: ignore[arg-type]
        for key, value in state.items():
            if key not in before:
                states[key][i] = value
            elif before[key] is not value:
                before[key].copy_(value)


_MOMENTS = {"exp_avgs": "exp_avg", "exp_avg_sqs": "exp_avg_sq", "state_steps": "step"}
_FUSED = "fused=None grad_scale=None found_inf=None"
_ADAM = (
    f"params grads exp_avgs exp_avg_sqs max_exp_avg_sqs state_steps foreach=None capturable=False differentiable=False "
    f"{_FUSED} has_complex=False"
)
_RATES = "* amsgrad beta1 beta2 lr weight_decay eps maximize"
_adam_states = {**_MOMENTS, "max_exp_avg_sqs": "max_exp_avg_sq"}
_forms: dict[str, Callable[..., None]] = {
    "adam": _form(Adam, "adam", _adam_states, f"{_ADAM} decoupled_weight_decay=False {_RATES}"),
    "adamw": _form(AdamW, "adamw", _adam_states, f"{_ADAM} {_RATES}", decoupled_weight_decay=True),
    "sgd": _form(
        SGD,
        "sgd",
        {"momentum_buffer_list": "momentum_buffer"},
        f"params d_p_list momentum_buffer_list has_sparse_grad=False foreach=None {_FUSED} * weight_decay momentum lr "
        "dampening nesterov maximize",
    ),
    "adagrad": _form(
        Adagrad,
        "adagrad",
        {"state_sums": "sum", "state_steps": "step"},
        f"params grads state_sums state_steps {_FUSED} has_sparse_grad=False foreach=None differentiable=False "
        "has_complex=False * lr weight_decay lr_decay eps maximize",
    ),
    "adadelta": _form(
        Adadelta,
        "adadelta",
        {"square_avgs": "square_avg", "acc_deltas": "acc_delta", "state_steps": "step"},
        "params grads square_avgs acc_deltas state_steps capturable=False foreach=None differentiable=False "
        "has_complex=False * lr rho eps weight_decay maximize",
    ),
    "adamax": _form(
        Adamax,
        "adamax",
        {"exp_avgs": "exp_avg", "exp_infs": "exp_inf", "state_steps": "step"},
        "params grads exp_avgs exp_infs state_steps foreach=None maximize=False differentiable=False capturable=False "
        "has_complex=False * eps beta1 beta2 lr weight_decay",
    ),
    "asgd": _form(
        ASGD,
        "asgd",
        {"axs": "ax", "mus": "mu", "etas": "eta", "state_steps": "step"},
        "params grads axs mus etas state_steps foreach=None maximize=False differentiable=False capturable=False "
        "has_complex=False * lambd lr t0 alpha weight_decay",
    ),
    "nadam": _form(
        NAdam,
        "nadam",
        {**_MOMENTS, "mu_products": "mu_product"},
        "params grads exp_avgs exp_avg_sqs mu_products state_steps decoupled_weight_decay=False foreach=None "
        "capturable=False differentiable=False has_complex=False maximize=False * beta1 beta2 lr weight_decay "
        "momentum_decay eps",
    ),
    "radam": _form(
        RAdam,
        "radam",
        _MOMENTS,
        "params grads exp_avgs exp_avg_sqs state_steps decoupled_weight_decay=False foreach=None differentiable=False "
        "capturable=False has_complex=False maximize=False * beta1 beta2 lr weight_decay eps",
    ),
    "rmsprop": _form(
        RMSprop,
        "rmsprop",
        {
            "square_avgs": "square_avg",
            "grad_avgs": "grad_avg",
            "momentum_buffer_list": "momentum_buffer",
            "state_steps": "step",
        },
        "params grads square_avgs grad_avgs momentum_buffer_list state_steps foreach=None maximize=False "
        "differentiable=False capturable=False has_complex=False * lr alpha eps weight_decay momentum centered",
    ),
    "rprop": _form(
        Rprop,
        "rprop",
        {"prevs": "prev", "step_sizes": "step_size", "state_steps": "step"},
        "params grads prevs step_sizes state_steps foreach=None capturable=False maximize=False differentiable=False "
        "has_complex=False * step_size_min step_size_max etaminus etaplus",
    ),
}


def sparse_adam(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    maximize: bool,
) -> None:
    """One step of SparseAdam: changes `params` and the states in place; `state_steps` are the numbers of this step."""
    group = {"betas": (beta1, beta2), "eps": eps, "lr": lr}
    with no_grad():
        for p, grad, mean, square, step in zip(params, grads, exp_avgs, exp_avg_sqs, state_steps, strict=True):
            state = {"exp_avg": mean, "exp_avg_sq": square, "step": step}
            SparseAdam._sparse_formula(p, -grad if maximize else grad, state, group)


globals().update(_forms)
__all__ = [*_forms, "sparse_adam"]  # noqa: PLE0604
