"""Copying variants of views: `NAME_copy` for each view, derived from its schema."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor.options import contiguous_format

_clone = find_operator("torch.clone")
_VIEWS = (
    "torch._ops.alias",
    "torch.as_strided",
    "torch.diagonal",
    "torch.Tensor.expand",
    "torch.narrow",
    "torch.permute",
    "torch.select",
    "torch._ops.slice",
    "torch.split.Tensor",
    "torch.split_with_sizes",
    "torch.squeeze",
    "torch.t",
    "torch.transpose",
    "torch.unbind",
    "torch.Tensor.unfold",
    "torch.unsqueeze",
    "torch.view_as_complex",
    "torch.view_as_real",
    "torch.Tensor.view",
)


def _copying(view, positional, names):
    """Return a function that copies the view's result, or views; the last argument is `out`."""
    conjugates = view.name != "view_as_real"  # view_as_real does not support conjugate views

    def copy(*args):
        if not conjugates:
            args = (args[0].resolve_conj(), *args[1:])
        if names:
            result = view(*args[:positional], **dict(zip(names, args[positional:], strict=False)))
        else:
            result = view(*args[:positional])
        if type(result) is not tuple:
            return _clone(result, memory_format=contiguous_format)
        return tuple([_clone(t, memory_format=contiguous_format) for t in result])

    return copy


def _declare_copy(view):
    head, _, rest = view.schema.text.replace("Tensor(a)", "Tensor").partition("(")
    name, dot, overload = head.partition(".")
    names = [a.name for a in view.schema.arguments if a.kwarg_only]
    rest, _, result = rest.rpartition(") -> ")
    out = "Tensor(a!)? out=None" if result == "Tensor" else "Tensor(a!)[]? out=None"
    rest = f"{rest}{'' if names else ', *'}, {out}) -> {result}"
    Operator(
        f"{name}_copy{dot}{overload}({rest}",
        _copying(view, len(view.schema.arguments) - len(names), names),
        composite=True,
        variants=FUNCTION | METHOD if name == "narrow" else FUNCTION,
        doc=f"A copy of what `{name}` is a view of.",
    )


for _name in _VIEWS:
    for _view in find_operator(_name).overloads:
        _declare_copy(_view)
