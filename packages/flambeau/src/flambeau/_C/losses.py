"""Losses of ``torch._C._nn``: those of ``torch.nn.functional``, with the reduction as a number, as in C++."""

from collections.abc import Callable
from inspect import Parameter, Signature
from operator import index
from typing import Any

# Losses in `torch._C._nn` whose reduction is a number: their names in `torch.nn.functional`, and their arguments.
_WITH_NUMBER: dict[str, tuple[str, dict[str, Any]]] = {
    "binary_cross_entropy": ("binary_cross_entropy", {"weight": None, "reduction": 0}),
    "cross_entropy_loss": (
        "cross_entropy",
        {"weight": None, "reduction": 0, "ignore_index": -100, "label_smoothing": 0.0},
    ),
    "huber_loss": ("huber_loss", {"reduction": 0, "delta": 1.0}),
    "l1_loss": ("l1_loss", {"reduction": 0}),
    "mse_loss": ("mse_loss", {"reduction": 0}),
    "multi_margin_loss": ("multi_margin_loss", {"p": 1, "margin": 1.0, "weight": None, "reduction": 0}),
    "multilabel_margin_loss": ("multilabel_margin_loss", {"reduction": 0}),
    **dict.fromkeys(
        ("nll_loss", "nll_loss2d", "nll_loss_nd"),
        ("nll_loss", {"weight": None, "reduction": 0, "ignore_index": -100}),
    ),
    "smooth_l1_loss": ("smooth_l1_loss", {"reduction": 0, "beta": 1.0}),
    "soft_margin_loss": ("soft_margin_loss", {"reduction": 0}),
}
# Losses that promote dtypes by operands, where those of `torch.nn.functional` broadcast both to one shape first.
_PROMOTING = {"l1_loss", "mse_loss", "smooth_l1_loss"}


def loss_with_number(name: str) -> Callable[..., Any] | None:
    """Return a loss of ``torch._C._nn``, which by default does not reduce, or None if there is no such loss."""
    if name not in _WITH_NUMBER:
        return None
    import flambeau
    from flambeau_nn.ops.loss import REDUCTIONS

    called, defaults = _WITH_NUMBER[name]
    loss = getattr(flambeau.nn.functional, called)
    kind = Parameter.POSITIONAL_OR_KEYWORD
    signature = Signature(
        [Parameter(given, kind) for given in ("input", "target")]
        + [Parameter(given, kind, default=default) for given, default in defaults.items()]
    )

    def with_number(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        reduction = given.arguments["reduction"]
        if isinstance(reduction, bool) or not hasattr(reduction, "__index__"):
            raise TypeError(f"{name}(): argument 'reduction' must be int, not {type(reduction).__name__}")
        if not 0 <= index(reduction) < len(REDUCTIONS):
            raise RuntimeError(f"{name}(): reduction must be 0, 1 or 2, got {reduction}")
        if name in _PROMOTING:
            pair = given.arguments["input"], given.arguments["target"]
            dtype = flambeau.result_type(*pair)
            given.arguments |= {"input": pair[0].to(dtype), "target": pair[1].to(dtype)}
        return loss(**{**given.arguments, "reduction": REDUCTIONS[index(reduction)]})

    with_number.__name__ = with_number.__qualname__ = name
    with_number.__signature__ = signature  # type: ignore[attr-defined]
    return with_number
