"""Decompositions for handlers of ``__torch_dispatch__``: operators that PyTorch composes of others in C++ and that
have kernels in flambeau."""

from collections.abc import Callable
from math import prod
from typing import Any

from flambeau_cext.dispatch.pieces import STANDS_FOR
from flambeau_tensor import Tensor, contiguous_format
from flambeau_tensor import bool as bool_
from flambeau_tensor.extend import Operator, find_operator, run_kernel


class _Operators:
    """The operators of PyTorch's C++, by their names."""

    def __getattr__(self, name: str) -> Any:
        for place in ("torch.", "torch._ops.", "torch.Tensor.", "torch.nn.functional.", "torch._C._nn."):
            try:
                found = find_operator(place + name)
            except AttributeError:
                continue
            setattr(self, name, found)
            return found
        raise AttributeError(name)


op = _Operators()


# --- shapes ---------------------------------------------------------------------------------------------------------


def strides_of_view(old: Any, strides: Any, new: Any) -> bool:
    """Whether a tensor has a view with other sizes: merged or split dimensions must be contiguous."""
    if 0 in old:
        return True
    d = len(new) - 1
    base = strides[-1] if len(old) else 1
    count = here = 1
    for i in range(len(old) - 1, -1, -1):
        count *= old[i]
        if i == 0 or (old[i - 1] != 1 and strides[i - 1] != count * base):
            here = 1
            while d >= 0 and (here < count or new[d] == 1):
                here *= new[d]
                d -= 1
            if here != count:
                return False
            if i > 0:
                base, count = strides[i - 1], 1
    return d == -1


def _sizes(shape: Any, numel: int) -> list[int]:
    """Return sizes with -1, if present, replaced by the remaining size."""
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if -1 in sizes:
        known = prod(s for s in sizes if s != -1)
        sizes[sizes.index(-1)] = numel // known if known else 0
    if prod(sizes) != numel or sum(s < 0 for s in sizes):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return sizes


def reshape(self: Any, shape: Any) -> Any:
    sizes = tuple(_sizes(shape, self.numel()))
    if strides_of_view(tuple(self.shape), self.stride(), sizes):
        return self.view(shape)
    return unsafe_view(self.clone(memory_format=contiguous_format), sizes)


def unsafe_view(self: Any, sizes: Any) -> Any:
    return _aten("_unsafe_view")(self, list(sizes))


def flatten(self: Any, start_dim: int, end_dim: int) -> Any:
    n = max(self.dim(), 1)
    start, end = start_dim % n, end_dim % n
    if start == end and self.dim():
        return self
    sizes = tuple(self.shape)
    return reshape(self, (*sizes[:start], prod(sizes[start : end + 1]), *sizes[end + 1 :]))


def contiguous(self: Any, memory_format: Any = None) -> Any:
    wanted = memory_format or contiguous_format
    if self.is_contiguous(memory_format=wanted):
        return self
    return self.clone(memory_format=wanted)


def narrow(self: Any, dim: int, start: int, length: int) -> Any:
    start = start + self.shape[dim] if start < 0 else start
    return op.slice(self, dim, start, start + length, 1)


def transposed(self: Any) -> Any:
    return self.permute(tuple(range(self.dim() - 1, -1, -1)))


# --- products -------------------------------------------------------------------------------------------------------


def linear(input: Any, weight: Any, bias: Any) -> Any:
    if bias is None or bias.dim() != 1:
        product = matmul(input, weight.t())
        return product if bias is None else product + bias
    if input.dim() == 2:
        return op.addmm(bias, input, weight.t())
    if input.dim() and weight.dim() == 2 and input.is_contiguous():
        rows = input.view((prod(input.shape[:-1]), input.shape[-1]))
        flat = op.addmm(bias, rows, weight.t())
        return flat.view((*input.shape[:-1], flat.shape[1]))
    return matmul(input, weight.t()) + bias


def matmul(self: Any, other: Any, out: Any = None) -> Any:
    left, right = self.dim(), other.dim()
    if left == 1 and right == 1:
        result = op.dot(self, other)
    elif left == 2 and right == 1:
        result = op.mv(self, other)
    elif left == 1 and right == 2:
        result = op.mm(self.unsqueeze(0), other).squeeze(0)
    elif left == 2 and right == 2:
        result = op.mm(self, other)
    elif (
        left >= 3
        and 1 <= right <= 2
        and (
            other.requires_grad
            or strides_of_view(tuple(self.shape), self.stride(), (prod(self.shape[:-1]), self.shape[-1]))
        )
    ):
        rows = reshape(self, (prod(self.shape[:-1]), self.shape[-1]))
        product = op.mm(rows, other) if right == 2 else op.mv(rows, other)
        result = unsafe_view(product, (*self.shape[:-1], *other.shape[1:]))
    else:
        result = _batched(self, other)
    return result if out is None else out.copy_(result)


def _batched(self: Any, other: Any) -> Any:
    left, right = self.dim(), other.dim()
    if left == 0 or right == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {left}D and {right}D")
    n, m = (self.shape[-2] if left > 1 else 1), self.shape[-1]
    k, p = (other.shape[-2] if right > 1 else other.shape[-1]), (other.shape[-1] if right > 1 else 1)
    a = self if left > 1 else self.unsqueeze(0)
    b = other if right > 1 else other.unsqueeze(1)
    outer = _broadcast(a.shape[:-2], b.shape[:-2])
    count = prod(outer)
    x = reshape(a.expand((*outer, n, m)), (count, n, m))
    y = reshape(b.expand((*outer, k, p)), (count, k, p))
    sizes = list(outer) + ([n] if left > 1 else []) + ([p] if right > 1 else [])
    return unsafe_view(op.bmm(x, y), sizes)


def _broadcast(a: Any, b: Any) -> tuple[int, ...]:
    sizes = []
    for i in range(max(len(a), len(b))):
        x = a[len(a) - 1 - i] if i < len(a) else 1
        y = b[len(b) - 1 - i] if i < len(b) else 1
        if x != y and 1 not in (x, y):
            raise RuntimeError(
                f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton "
                f"dimension {max(len(a), len(b)) - 1 - i}"
            )
        sizes.append(y if x == 1 else x)
    return tuple(reversed(sizes))


# --- the rest -------------------------------------------------------------------------------------------------------


def square(self: Any, out: Any = None) -> Any:
    return op.pow(self, 2) if out is None else op.pow(self, 2, out=out)


def square_(self: Any, *rest: Any) -> Any:
    return self.pow_(2)


def l1_loss(self: Any, target: Any, reduction: str) -> Any:
    loss = (self - target).abs()
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def number(kind: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    def convert(self: Any) -> Any:
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        if name == "__index__" and (self.is_floating_point() or self.is_complex() or self.dtype is bool_):
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return kind(self.item())

    return convert


def is_nonzero(self: Any) -> bool:
    if self.numel() != 1:
        raise RuntimeError(
            "Boolean value of Tensor with more than one value is ambiguous"
            if self.numel()
            else "Boolean value of Tensor with no values is ambiguous"
        )
    return self.item() != 0


def div(self: Any, other: Any, rounding_mode: Any, out: Any) -> Any:
    if isinstance(self, Tensor) or rounding_mode is not None or out is not None:
        return NotImplemented
    return other.reciprocal() * self


def conj(self: Any) -> Any:
    return NotImplemented if self.is_complex() else self


def numpy(self: Any, force: bool) -> Any:
    if self.requires_grad and not force:
        return NotImplemented
    return run_kernel(find_operator("torch.Tensor.numpy"), self.detach(), force)


def cross_entropy(
    self: Any, target: Any, weight: Any, ignore_index: int, reduction: str, label_smoothing: float
) -> Any:
    if target.is_floating_point() or label_smoothing or self.dim() not in (1, 2):
        return NotImplemented
    return _nll(op.log_softmax(self, 1 if self.dim() == 2 else 0), target, weight, reduction, ignore_index)


def nll_loss(
    self: Any, target: Any, weight: Any, size_average: Any, ignore_index: int, reduce: Any, reduction: str
) -> Any:
    if size_average is not None or reduce is not None or self.dim() not in (1, 2):
        return NotImplemented
    return _nll(self, target, weight, reduction, ignore_index)


def _nll(self: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    number = ("none", "mean", "sum").index(reduction)
    return _aten("nll_loss_forward")(self, target, weight, number, ignore_index)[0]


def lifted(fresh: Any) -> Callable[..., Any]:
    """Wrap a function that creates a tensor from Python data: handlers see the creation."""

    def make(*values: Any) -> Any:
        made = run_kernel(fresh, *values)
        flag = made.requires_grad
        if flag:
            made = made.detach_()
        made = _aten("lift_fresh")(made)
        return made.requires_grad_() if flag else made

    return make


def _aten(name: str) -> Any:
    from flambeau_cext import ops

    return getattr(ops.aten, name)


TABLE: dict[str, Callable[..., Any] | Operator] = {
    **STANDS_FOR,
    "torch.reshape": reshape,
    "torch.flatten": flatten,
    "torch.Tensor.contiguous": contiguous,
    "torch.narrow": narrow,
    "torch.Tensor.T.__get__": transposed,
    **{f"torch.Tensor.{name}": lambda self, *dims: self.transpose_(*dims) for name in ("swapaxes_", "swapdims_")},
    "torch.nn.functional.linear": linear,
    "torch.matmul": matmul,
    "torch.square": square,
    "torch.square_": square_,
    "torch._C._nn.l1_loss": l1_loss,
    "torch.div": div,
    "torch.conj": conj,
    "torch.Tensor.numpy": numpy,
    "torch._C._nn.cross_entropy": cross_entropy,
    "torch.is_nonzero": is_nonzero,
    "torch.Tensor.data.__get__": lambda self: self.detach(),
    **{f"torch.Tensor.__{kind.__name__}__": number(kind, f"__{kind.__name__}__") for kind in (int, float, complex)},
    "torch.Tensor.__index__": number(int, "__index__"),
    "torch.nn.functional.nll_loss": nll_loss,
    **{name: lifted(find_operator(name)) for name in ("torch.tensor", "torch.from_numpy", "torch.frombuffer")},
}
