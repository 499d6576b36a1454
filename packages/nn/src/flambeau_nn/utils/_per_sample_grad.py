"""Gradients of each sample of a batch with one backward, as ``opacus`` uses them."""

import functools
from collections.abc import Callable
from typing import Any

from flambeau_autograd import Function
from flambeau_autograd.func import vmap
from flambeau_nn.func import functional_call
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["call_for_per_sample_grads"]


class _OneEach(Function):
    """A parameter once for each sample; backward leaves their gradients in ``grad_sample``."""

    @staticmethod
    def forward(ctx: Any, parameter: Tensor, kept: Any, samples: int, scale: int) -> Tensor:
        ctx.kept, ctx.scale = kept, scale
        return parameter.expand(samples, *parameter.shape).clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        grads, before = grad * ctx.scale, getattr(ctx.kept, "grad_sample", None)
        ctx.kept.grad_sample = grads if before is None else before + grads
        return None, None, None, None


def _samples_of(tensors: list[Tensor], dim: int) -> int:
    """The one size of the batch."""
    sizes = list(dict.fromkeys(tensor.shape[dim] for tensor in tensors))
    if not sizes:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs, so the batch size is not known. Please specify it "
            "explicitly"
        )
    if len(sizes) > 1:
        raise RuntimeError(
            f"When computing batch size, found at least one input with batch size {sizes[0]} and one with batch size "
            f"{sizes[1]}. Please specify it explicitly using the batch size kwarg in call_for_per_sample_grads"
        )
    return sizes[0]


def _mapped(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """A structure with its tensors changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, dict):
        return type(value)((key, _mapped(item, change)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        items = [_mapped(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def call_for_per_sample_grads(
    module: Module,
    *,
    batch_size: "int | None" = None,
    loss_reduction: str = "sum",
    batch_first: bool = True,
) -> Callable[..., Any]:
    """Return the forward of a module with gradients for each sample.

    A backward stores the gradient of each sample in each parameter's ``grad_sample``; ``grad`` is unchanged. The module
    runs under :func:`vmap` on batches of one sample, so it may contain any module that supports these.

    Args:
        module: the module.
        batch_size: the size of the batch; by default that of the tensor arguments. If given, tensors of another size
            are passed to all samples.
        loss_reduction: "mean" multiplies the gradients by the batch size, because the mean divides them by it.
        batch_first: whether samples are along dimension 0 or 1.

    Raises:
        RuntimeError: an argument is out of range, the batch size is unknown, or a parameter already has per-sample
            gradients.

    >>> layer = torch.nn.Linear(2, 3)
    >>> call_for_per_sample_grads(layer)(torch.ones(5, 2)).sum().backward()
    >>> layer.weight.grad_sample.shape, layer.weight.grad
    (torch.Size([5, 3, 2]), None)
    """
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if batch_size is not None and not isinstance(batch_size, int):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for name, parameter in module.named_parameters():
        if getattr(parameter, "grad_sample", None) is not None:
            raise RuntimeError(f"{name} has gradients of samples already, which would be added to; clear grad_sample")
    dim = 0 if batch_first else 1

    @functools.wraps(module.forward)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        tensors: list[Tensor] = []
        _mapped([args, kwargs], tensors.append)
        samples = _samples_of(tensors, dim) if batch_size is None else batch_size
        each = [tensor for tensor in tensors if tensor.dim() > dim and tensor.shape[dim] == samples]
        scale = samples if loss_reduction == "mean" else 1
        wanted = {name: p for name, p in module.named_parameters() if p.requires_grad}
        copies = [_OneEach.apply(p, p, samples, scale) for p in wanted.values()]

        def one(copies: list[Tensor], inputs: list[Tensor]) -> Any:
            given = {id(tensor): value.unsqueeze(dim) for tensor, value in zip(each, inputs, strict=True)}
            own, named = _mapped([args, kwargs], lambda tensor: given.get(id(tensor), tensor))
            result = functional_call(module, dict(zip(wanted, copies, strict=True)), own, named)
            return _mapped(result, lambda tensor: tensor.squeeze(dim))

        run = vmap(one, in_dims=(0, dim), out_dims=dim, randomness="different")
        return run(copies, each)

    return wrapper
