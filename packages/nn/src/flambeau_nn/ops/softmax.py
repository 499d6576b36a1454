"""Softmax and related functions, which convert a dimension to probabilities."""

import flambeau_tensor as ft
from flambeau_nn.ops import NAMESPACE
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION

_REST = "int? dim=None, int _stacklevel=3, ScalarType? dtype=None"


def implied_dim(name, ndim, stacklevel):
    """The dimension that is taken when none is named, with PyTorch's warning."""
    import warnings

    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel + 1,
    )
    return 0 if ndim in (0, 1, 3) else 1


def _declare(name, apply, doc):
    def function(input, dim, _stacklevel, dtype):
        if dim is None:
            dim = implied_dim(name, input.ndim, _stacklevel)
        return apply(input, dim, dtype)

    return Operator(
        f"{name}(Tensor self, {_REST}) -> Tensor",
        function,
        namespace=NAMESPACE,
        variants=FUNCTION,
        composite=True,
        doc=doc,
    )


softmax = _declare("softmax", ft.softmax, "exp(x), divided by its sum along `dim`.")
log_softmax = _declare("log_softmax", ft.log_softmax, "The logarithm of softmax, without overflow.")
softmin = _declare("softmin", lambda x, dim, dtype: ft.softmax(-x, dim, dtype), "softmax(-x).")


def _gumbel_softmax(logits, tau, hard, eps, dim):
    noise = -ft.empty_like(logits).exponential_().log()
    soft = ft.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = soft.argmax(dim, keepdim=True)
    one_hot = ft.zeros_like(logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft


gumbel_softmax = Operator(
    "gumbel_softmax(Tensor logits, Tensor tau=1, bool hard=False, float eps=1e-10, int dim=-1) -> Tensor",
    _gumbel_softmax,
    namespace=NAMESPACE,
    variants=FUNCTION,
    numbers={"tau"},  # as in PyTorch, the temperature may be learned
    composite=True,
    doc="Samples from the Gumbel-softmax distribution (Jang et al., 2016); `hard` gives one-hot "
    "ones with the gradient of the soft ones.",
)
