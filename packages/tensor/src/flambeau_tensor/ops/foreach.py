"""Functions of lists of tensors, ``torch._foreach_NAME``: each calls an operator for every tensor of a list.

One rule creates them: a `form` gives the schema's other arguments, and the part of them that belongs to each tensor.
`_each` declares a function, and its in-place variant, for every form of a name.
"""

from typing import NamedTuple

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels.foreach import Each, Share

SAME, SAME_TENSOR, OWN_TENSOR, OWN_NUMBER, PACKED_NUMBER = Share

# --- forms ----------------------------------------------------------------------------------------------------------


class _Form(NamedTuple):
    overload: str
    beside: str  # the schema's arguments after the list
    shares: tuple[Share, ...]  # how the tensors share these arguments
    keyword: str | None = None  # the name by which the last argument is passed


ALONE = (_Form("", "", ()),)


def _binary(scalar="scalar", other="other", scalars="scalars"):
    return (
        _Form("Scalar", f"Scalar {scalar}", (SAME,)),
        _Form("List", f"Tensor[] {other}", (OWN_TENSOR,)),
        _Form("ScalarList", f"Scalar[] {scalars}", (OWN_NUMBER,)),
    )


BINARY = _binary()
POWER = _binary("exponent", "exponent", "exponent")
PRODUCT = (_Form("Tensor", "Tensor other", (SAME_TENSOR,)), *BINARY)  # before numbers, since it accepts them, too
_SCALAR, _, _SCALARS = BINARY
DIFFERENCE = (_SCALAR, _Form("List", "Tensor[] other, *, Scalar alpha=1", (OWN_TENSOR, SAME), "alpha"), _SCALARS)
NUMBER = (_Form("Tensor", "Tensor other, *, Scalar alpha=1", (SAME_TENSOR, SAME), "alpha"),)
_PAIR = "Tensor[] tensor1, Tensor[] tensor2, "
TERNARY = (
    _Form("Tensor", f"{_PAIR}Tensor scalars", (OWN_TENSOR, OWN_TENSOR, PACKED_NUMBER), "value"),
    _Form("Scalar", f"{_PAIR}Scalar value=1", (OWN_TENSOR, OWN_TENSOR, SAME), "value"),
    _Form("ScalarList", f"{_PAIR}Scalar[] scalars", (OWN_TENSOR, OWN_TENSOR, OWN_NUMBER), "value"),
)
WEIGHTED = (
    _Form("List", "Tensor[] tensors1, Tensor[] weights", (OWN_TENSOR, OWN_TENSOR)),
    _Form("Scalar", "Tensor[] tensors1, Scalar weight", (OWN_TENSOR, SAME)),
    _Form("ScalarList", "Tensor[] tensors1, Scalar[] weight", (OWN_TENSOR, OWN_NUMBER)),
)


# --- the rule -------------------------------------------------------------------------------------------------------


def _each(name, forms, apply=None, write=None):
    """Declare ``_foreach_NAME`` by `apply`, and ``_foreach_NAME_`` by `write`, if given, in all forms."""
    doc = f"``{name}`` of each tensor of a list, with what belongs to it."
    for form in forms:
        rest = f"{'.' if form.overload else ''}{form.overload}({{}} self{', ' if form.beside else ''}{form.beside})"
        if apply is not None:
            Operator(
                f"_foreach_{name}{rest.format('Tensor[]')} -> Tensor[]",
                Each(apply, form.shares, keyword=form.keyword),
                composite=True,
                variants=FUNCTION,
                doc=doc,
            )
        if write is not None:
            Operator(
                f"_foreach_{name}_{rest.format('Tensor(a!)[]')} -> Tensor(a!)[]",
                Each(write, form.shares, keyword=form.keyword, writes=True),
                composite=True,
                variants=FUNCTION,
                doc=f"{doc[:-1]}, in place.",
            )


def _operator(name):
    return find_operator(f"torch.{name}")


for _name in (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg "
    "reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split():
    _each(_name, ALONE, _operator(_name), getattr(Tensor, f"{_name}_"))
for _name, _forms in (
    ("mul", PRODUCT),
    ("div", PRODUCT),
    ("clamp_max", BINARY),
    ("clamp_min", BINARY),
    ("pow", POWER),
    ("lerp", WEIGHTED),
):
    _each(_name, _forms, _operator(_name), getattr(Tensor, f"{_name}_"))
_each("maximum", BINARY, _operator("clamp_min"), Tensor.clamp_min_)
_each("minimum", BINARY, _operator("clamp_max"), Tensor.clamp_max_)


def _with_number(add):
    """Add a tensor without dimensions, which counts as a number in promotion unless there is a factor."""

    def each(t, other, *, alpha=1):
        if alpha == 1:
            number = _operator("ones")((), dtype=other.dtype).item()
            other = other.to(_operator("result_type")(t, number))
        return add(t, other, alpha=alpha)

    return each


_each("add", NUMBER, _with_number(_operator("add")), _with_number(Tensor.add_))
_each("add", DIFFERENCE, _operator("add"), Tensor.add_)
_each("sub", DIFFERENCE, _operator("sub"), Tensor.sub_)
for _name in ("addcmul", "addcdiv"):
    _each(_name, TERNARY, _operator(_name), getattr(Tensor, f"{_name}_"))

# --- functions with special forms -----------------------------------------------------------------------------------

_ORDER = (_Form("Scalar", "Scalar ord=2, ScalarType? dtype=None", (SAME, SAME), "dtype"),)


def _greatest(x):
    if x.numel() == 0:
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )
    return x.max()


def _powsum(x, order, dtype):
    if dtype is not None and not x.is_complex():  # first: the smallest integer's magnitude exceeds its dtype
        x = x.to(dtype)
    sizes = x.abs()  # in the real dtype of the same precision, as is the sum
    return (sizes if dtype is None else sizes.to(dtype.to_real())).pow(order).sum()


_each("norm", _ORDER, _operator("linalg.vector_norm"))
_each("powsum", _ORDER, _powsum)
_each("max", ALONE, _greatest)
_each("mm", (_Form("", "Tensor[] mat2", (OWN_TENSOR,)),), _operator("mm"))
_each(
    "clone",
    (_Form("", "*, MemoryFormat? memory_format=None", (SAME,), "memory_format"),),
    _operator("clone"),
)
_each("zero", ALONE, write=Tensor.zero_)
_each("copy", (_Form("", "Tensor[] src, bool non_blocking=False", (OWN_TENSOR, SAME)),), write=Tensor.copy_)


def _raised(number, exponents):
    if not exponents:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return tuple([number**x for x in exponents])


Operator(
    "_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]",
    _raised,
    composite=True,
    variants=FUNCTION,
    doc="A number to the power of each tensor of a list.",
)
