"""Parameters as one vector, for algorithms that see a model as a function of a vector."""

from collections.abc import Iterable

import flambeau_tensor as ft
from flambeau_tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all elements of ``parameters`` in one vector; differentiable.

    Raises:
        ValueError: there are no parameters.

    >>> import flambeau_tensor as ft
    >>> parameters_to_vector([ft.ones(1, 2), ft.zeros(1)])
    tensor([1., 1., 0.])
    """
    return ft.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let ``parameters`` be consecutive pieces of ``vec``, whose memory they share from then on.

    Raises:
        TypeError: ``vec`` is not a tensor.
        RuntimeError: it has too few elements.

    >>> layer = torch.nn.Linear(2, 1)
    >>> vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), layer.parameters())
    >>> layer.weight, layer.bias
    (Parameter containing:
    tensor([[1., 2.]], requires_grad=True), Parameter containing:
    tensor([3.], requires_grad=True))
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    begin = 0
    for p in parameters:
        end = begin + p.numel()
        p.data = vec[begin:end].view_as(p).data
        begin = end
