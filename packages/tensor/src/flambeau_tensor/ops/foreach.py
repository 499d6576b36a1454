"""Functions of lists of tensors, ``torch._foreach_NAME``: each calls an operator for every tensor of its list.

One rule makes them: a `form` says what stands beside the list in the schema, and what of it belongs to each tensor.
`_each` declares a function, and its variant in place, for every form that a name has.
"""

from collections import deque
from collections.abc import Callable
from itertools import repeat, starmap
from typing import NamedTuple

from flambeau_tensor._core.operator import Operator
from flambeau_tensor._core.registry import find_operator
from flambeau_tensor._core.tensor import Tensor

_TENSORS = "Tensor lists must have the same number of tensors, got {} and {}"
_NUMBERS = "Tensor list must have same number of elements as scalar list."
_PACKED = "Expected length of scalars to match input of length {} but got {} instead."


# --- forms ----------------------------------------------------------------------------------------------------------


class _Form(NamedTuple):
    overload: str
    beside: str  # the schema's arguments after the list
    deal: Callable  # from the list and these arguments to one tuple of arguments for each tensor


def _check(tensors, *others, text=_TENSORS):
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for other in others:
        if len(other) != len(tensors):
            raise RuntimeError(text.format(len(tensors), len(other)))


def _together(tensors, *others):
    _check(tensors, *others)
    return zip(tensors, *others, strict=True)


def _same_for_all(tensors, *values):
    _check(tensors)
    return zip(tensors, *map(repeat, values))  # noqa: B905 (as long as the tensors)


def _with_numbers(tensors, *rest):
    *lists, numbers = rest
    _check(tensors, numbers, text=_NUMBERS)
    return _together(tensors, *lists, numbers)


def _with_single(tensors, other, *rest):
    if other.dim() != 0:
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {other.dim()} dimensions and {other.numel()} elements."
        )
    return _same_for_all(tensors, other, *rest)


def _with_packed(tensors, *rest):
    """The last argument is a tensor of a number for each."""
    *lists, scalars = rest
    if scalars.dim() != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {scalars.dim()} instead.")
    _check(tensors, scalars, text=_PACKED)
    return _together(tensors, *lists, scalars.tolist())


def _lists_and_value(tensors, *rest):
    """Lists, and a value that is the same for all."""
    *lists, value = rest
    _check(tensors, *lists)
    return zip(tensors, *lists, repeat(value))  # noqa: B905 (as long as the tensors)


ALONE = (_Form("", "", _together),)


def _binary(scalar="scalar", other="other", scalars="scalars"):
    return (
        _Form("Scalar", f"Scalar {scalar}", _same_for_all),
        _Form("List", f"Tensor[] {other}", _together),
        _Form("ScalarList", f"Scalar[] {scalars}", _with_numbers),
    )


BINARY = _binary()
POWER = _binary("exponent", "exponent", "exponent")
PRODUCT = (_Form("Tensor", "Tensor other", _with_single), *BINARY)  # before a number, which it would also do for
_SCALAR, _, _SCALARS = BINARY
DIFFERENCE = (_SCALAR, _Form("List", "Tensor[] other, *, Scalar alpha=1", _lists_and_value), _SCALARS)
SUM = (_Form("Tensor", "Tensor other, *, Scalar alpha=1", _with_single), *DIFFERENCE)
_PAIR = "Tensor[] tensor1, Tensor[] tensor2, "
TERNARY = (
    _Form("Tensor", f"{_PAIR}Tensor scalars", _with_packed),
    _Form("Scalar", f"{_PAIR}Scalar value=1", _lists_and_value),
    _Form("ScalarList", f"{_PAIR}Scalar[] scalars", _with_numbers),
)
WEIGHTED = (
    _Form("List", "Tensor[] tensors1, Tensor[] weights", _together),
    _Form("Scalar", "Tensor[] tensors1, Scalar weight", _lists_and_value),
    _Form("ScalarList", "Tensor[] tensors1, Scalar[] weight", _with_numbers),
)


# --- the rule -------------------------------------------------------------------------------------------------------


def _each(name, forms, apply=None, write=None):
    """Declare ``_foreach_NAME`` by `apply`, and ``_foreach_NAME_`` by `write`, where they are given, in all forms."""
    doc = f"``{name}`` of each tensor of a list, with what belongs to it."
    for form in forms:
        rest = f"{'.' if form.overload else ''}{form.overload}({{}} self{', ' if form.beside else ''}{form.beside})"
        if apply is not None:
            Operator(
                f"_foreach_{name}{rest.format('Tensor[]')} -> Tensor[]",
                _applied(form.deal, apply),
                composite=True,
                variants="function",
                doc=doc,
            )
        if write is not None:
            Operator(
                f"_foreach_{name}_{rest.format('Tensor(a!)[]')} -> Tensor(a!)[]",
                _written(form.deal, write),
                composite=True,
                variants="function",
                doc=f"{doc[:-1]}, in place.",
            )


def _applied(deal, apply):
    return lambda *arguments: tuple(starmap(apply, deal(*arguments)))


def _written(deal, write):
    def run(tensors, *rest):
        deque(starmap(write, deal(tensors, *rest)), 0)
        return tensors

    return run


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


def _with_keyword(function, keyword):
    """`function` with one more position, for its last argument by keyword, which is 1 unless given."""

    def run(*arguments):
        last = arguments[-1]
        if type(last) is int and last == 1:
            return function(*arguments[:-1])
        return function(*arguments[:-1], **{keyword: last})

    return run


for _name, _forms in ("add", SUM), ("sub", DIFFERENCE):
    for _form in _forms:
        _pair = _operator(_name), getattr(Tensor, f"{_name}_")
        if "alpha" in _form.beside:
            _pair = [_with_keyword(function, "alpha") for function in _pair]
        _each(_name, (_form,), *_pair)
for _name in ("addcmul", "addcdiv"):
    _each(
        _name,
        TERNARY,
        *[_with_keyword(function, "value") for function in (_operator(_name), getattr(Tensor, f"{_name}_"))],
    )

# --- what has forms of its own --------------------------------------------------------------------------------------

_ORDER = (_Form("Scalar", "Scalar ord=2, ScalarType? dtype=None", _same_for_all),)


def _norm(x, order, dtype):
    return find_operator("torch.linalg.vector_norm")(x, order, dtype=dtype)


def _greatest(x):
    if x.numel() == 0:
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )
    return x.max()


def _powsum(x, order, dtype):
    if dtype is not None and not x.is_complex():  # first: the least integer has no size of its own dtype
        x = x.to(dtype)
    sizes = x.abs()  # in the real dtype of the same precision, as the sum is
    return (sizes if dtype is None else sizes.to(dtype.to_real())).pow(order).sum()


_each("norm", _ORDER, _norm)
_each("powsum", _ORDER, _powsum)
_each("max", ALONE, _greatest)
_each("mm", (_Form("", "Tensor[] mat2", _together),), _operator("mm"))
_each(
    "clone",
    (_Form("", "*, MemoryFormat? memory_format=None", _same_for_all),),
    lambda x, memory_format: x.clone(memory_format=memory_format),
)
_each("zero", ALONE, write=Tensor.zero_)
_each("copy", (_Form("", "Tensor[] src, bool non_blocking=False", _lists_and_value),), write=Tensor.copy_)
Operator(
    "_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]",
    lambda number, exponents: tuple([number**x for (x,) in _together(exponents)]),
    composite=True,
    variants="function",
    doc="A number to the power of each tensor of a list.",
)
