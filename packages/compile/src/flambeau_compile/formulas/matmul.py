"""Products of float32 and float64; kernels compute those of integers."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.graph import Window

_FLOATS = ("float32", "float64")


def _floats(*windows: Any) -> bool:
    return all(w is None or w.dtype == windows[0].dtype for w in windows) and windows[0].dtype in _FLOATS


@formula("torch.mm", "torch.bmm")
def mm(b: Any, args: Any, out: Window) -> Any:
    if not _floats(args[0], args[1], out):
        return NotImplemented
    b.product(args[0], args[1], out)


@formula("torch.mv")
def mv(b: Any, args: Any, out: Window) -> Any:
    if not _floats(args[0], args[1], out):
        return NotImplemented
    b.product(args[0], args[1].unsqueeze(1), out.unsqueeze(1))


@formula("torch.dot")
def dot(b: Any, args: Any, out: Window) -> Any:
    if not _floats(args[0], args[1], out):
        return NotImplemented
    b.product(args[0].unsqueeze(0), args[1].unsqueeze(1), out.unsqueeze(0).unsqueeze(0))


@formula("torch.nn.functional.linear")
def linear(b: Any, args: Any, out: Window) -> Any:
    """Copy the bias into the result and add the product to it."""
    x, weight, bias = args[:3]
    if not _floats(x, weight, bias, out) or len(weight.sizes) != 2:
        return NotImplemented
    flat, target = x, out
    if len(x.sizes) == 1:
        flat, target = x.unsqueeze(0), out.unsqueeze(0)
    elif len(x.sizes) > 2:
        if not (x.contiguous and out.contiguous):
            return NotImplemented
        rows = x.numel // max(x.sizes[-1], 1)
        flat = x._replace(sizes=(rows, x.sizes[-1]), strides=(x.sizes[-1], 1))
        target = out._replace(sizes=(rows, out.sizes[-1]), strides=(out.sizes[-1], 1))
    if bias is not None:
        b.copy(bias, out)
    b.product(flat, weight.t(), target, add=bias is not None)


@formula("torch.addmm", "torch.baddbmm")
def addmm(b: Any, args: Any, out: Window) -> Any:
    bias, mat1, mat2, beta, alpha = args[:5]
    if not _floats(bias, mat1, mat2, out) or beta != 1 or alpha != 1:
        return NotImplemented
    if out.buffer in (mat1.buffer, mat2.buffer):
        return NotImplemented
    b.copy(bias, out)
    b.product(mat1, mat2, out, add=True)


@formula("torch.addmv")
def addmv(b: Any, args: Any, out: Window) -> Any:
    bias, mat, vec, beta, alpha = args[:5]
    if not _floats(bias, mat, vec, out) or beta != 1 or alpha != 1 or out.buffer in (mat.buffer, vec.buffer):
        return NotImplemented
    b.copy(bias, out)
    b.product(mat, vec.unsqueeze(1), out.unsqueeze(1), add=True)
