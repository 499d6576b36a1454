"""Converting a gradient to the shape and dtype of its tensor: the one place that reverses broadcasting and casts."""

from flambeau_autograd.messages import argument_name


def unbroadcast(grad, shape, dtype, node, index, custom):
    """Sum ``grad`` over broadcast dimensions to ``shape``, in the dtype of the tensor that it belongs to.

    Raises:
        RuntimeError: the shape cannot have been broadcast to that of ``grad``; or a custom Function returned a complex
            gradient for a real tensor.
    """
    if grad.shape != shape:
        if not _expandable(shape, grad.shape):
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - got "
                f"{list(grad.shape)} but expected shape compatible with {list(shape)}"
                f"{argument_name(node, index)}"
            )
        grad = sum_to_size(grad, shape)
    if grad.dtype is not dtype:
        if grad.is_complex() and not dtype.is_complex:
            if custom:
                raise RuntimeError(
                    f"Function {node.name()} returned an invalid gradient at index {index} - got a "
                    f"complex one, {grad.dtype}, but expected type {dtype}"
                    f"{argument_name(node, index)}"
                )
            grad = grad.real
        if grad.dtype is not dtype:
            grad = grad.to(dtype)
    return grad


def _expandable(shape, to):
    return len(shape) <= len(to) and all(s in (1, t) for s, t in zip(reversed(shape), reversed(to), strict=False))


def sum_to_size(tensor, shape):
    """Sum over the dimensions along which ``shape`` was broadcast."""
    lead = tensor.ndim - len(shape)
    dims = [*range(lead), *(i + lead for i, s in enumerate(shape) if s == 1 and tensor.shape[i + lead] != 1)]
    if dims:
        tensor = tensor.sum(dims, keepdim=True)
    return tensor.reshape(shape) if lead else tensor
