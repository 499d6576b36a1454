"""softmax and log_softmax: eager's loops, called on rows or on columns."""

from typing import Any

from flambeau_compile.formulas import formula
from flambeau_compile.formulas.loops import along_dimension
from flambeau_compile.graph import Window
from flambeau_tensor.extend import hot

_ALONG = "((void (*)(void *, const void *, void *, fl_size))#0#)(0, {x}, {out}, {n});"
_ACROSS = "((void (*)(void *, const void *, void *, fl_size, fl_size, fl_size))#0#)(0, {x}, {out}, {inner}, {n}, {m});"


def _softmax(b: Any, name: str, args: Any, out: Window) -> Any:
    x, dim = args[0], args[1]
    if out.dtype not in ("float32", "float64") or out.numel == 0:
        return NotImplemented
    along, across = hot("softmax").LOOPS[name][out.dtype]
    x = b.dense(x, out.dtype)
    text, inner = along_dimension(x, dim, _ALONG, _ACROSS)
    b.loops(text, [along if inner == 1 else across], [x], out)
    return None


@formula("torch.softmax")
def softmax(b: Any, args: Any, out: Window) -> Any:
    return _softmax(b, "softmax", args, out)


@formula("torch.log_softmax")
def log_softmax(b: Any, args: Any, out: Window) -> Any:
    return _softmax(b, "log_softmax", args, out)
