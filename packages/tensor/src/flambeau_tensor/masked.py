"""``torch.masked``: reductions, cumulative operations and normalizations of the elements that a mask selects.

Each function calls the function of ``torch`` after replacing masked-out elements with a number that does not change the
result. A `mask` is a bool tensor that broadcasts with `input`; without it, every element counts. Without any elements,
`sum` gives 0, `prod` 1, `amax` and `amin` give infinities, and means NaN. `sum`, `prod`, `mean`, `amax` and `amin` of
sparse tensors are sparse, with the elements that the mask selects.

>>> import flambeau_tensor as ft
>>> sum(ft.tensor([1.0, 2.0, 4.0]), mask=ft.tensor([True, False, True]))
tensor(5.)
"""

from functools import wraps as _wraps

import flambeau_tensor as _ft
from flambeau_tensor.extend import find_operator as _find
from flambeau_tensor.extend import wrapped_dim as _wrapped_dim
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import not_built as _not_built_error

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]
_NARROW = ("bool", "uint8", "int8", "int16", "int32")


# --- masks and replacements of masked-out elements ------------------------------------------------------------------


def _mask_of(input, mask):
    if mask is None:
        return _ft.ones_like(input, dtype=_ft.bool, memory_format=_ft.contiguous_format)
    if mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask.layout is not _ft.strided:
        mask = mask.to_dense()
    return mask.expand(tuple(input.shape)).bool()


def _filled(input, mask, neutral):
    """Return `input` with masked-out elements replaced by `neutral`."""
    return input if mask is None else _ft.where(_mask_of(input, mask), input, _ft.tensor(neutral, dtype=input.dtype))


def _extreme(name, dtype, largest):
    """Return the largest or the smallest number of a dtype."""
    if dtype.is_floating_point:
        return float("inf") if largest else float("-inf")
    if dtype.is_complex or dtype is _ft.bool:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    info = _ft.iinfo(dtype)
    return info.max if largest else info.min


def _dims(dim, ndim):
    """Return dimensions as a tuple; all of them for None and ()."""
    dim = (dim,) if isinstance(dim, int) else dim
    if not dim:
        return tuple(range(ndim))
    dims = []
    for d in dim:
        d = _wrapped_dim(d, ndim)
        if d in dims:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        dims.append(d)
    return tuple(dims)


def _wide(input, dtype):
    """Return the dtype of totals."""
    return dtype or (_ft.int64 if input.dtype.name in _NARROW else input.dtype)


# --- reductions -----------------------------------------------------------------------------------------------------


def _in_its_layout(reduce):
    """Make a reduction of a sparse tensor return one with the same layout: of the elements that the mask selects."""

    @_wraps(reduce)
    def function(input, *args, **options):
        layout = input.layout
        if layout is _ft.strided:
            return reduce(input, *args, **options)
        input = input.to_dense()
        result = reduce(input, *args, **options)
        if options.get("mask") is None:
            return result.to_sparse(layout=layout)
        return result.sparse_mask(_output_mask(reduce, input, *args, **options).to_sparse(layout=layout))

    return function


@_in_its_layout
def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the sum over one, several or all dimensions. Integers are summed in int64.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> sum(x, 1, mask=mask)
    tensor([3.])
    """
    return _ft.sum(_filled(input, mask, 0), _dims(dim, input.ndim), bool(keepdim), dtype=_wide(input, dtype))


@_in_its_layout
def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the product over one, several or all dimensions. Integers are multiplied in int64.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> prod(x, 1, mask=mask)
    tensor([2.])
    """
    result = _filled(input, mask, 1).to(_wide(input, dtype))
    for d in sorted(_dims(dim, input.ndim), reverse=True):
        result = _ft.prod(result, d, bool(keepdim))
    return result


def _reduced(name, largest):
    def reduce(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        neutral = _extreme(name, input.dtype, not largest)
        result = _find(f"torch.{name}")(_filled(input, mask, neutral), _dims(dim, input.ndim), bool(keepdim))
        return result.to(dtype or input.dtype)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"""
    The {"largest" if largest else "smallest"} element over one dimension, some, or all.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> {name}(x, 1, mask=mask)
    tensor([{2 if largest else 1}.])
    """
    return _in_its_layout(reduce)


def _arg_reduction(name, largest):
    def place(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        neutral = _extreme(name, input.dtype, not largest)
        return _find(f"torch.{name}")(_filled(input, mask, neutral), dim, bool(keepdim)).to(dtype or input.dtype)

    place.__name__ = place.__qualname__ = name
    place.__doc__ = f"""
    Where the {"largest" if largest else "smallest"} element stands, along `dim` or in the flattened tensor; of the
    dtype of `input`, unless `dtype` is given.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> {name}(x, 1, mask=mask)
    tensor([{2 if largest else 0}.])
    """
    return place


amax, amin = _reduced("amax", True), _reduced("amin", False)
argmax, argmin = _arg_reduction("argmax", True), _arg_reduction("argmin", False)


@_in_its_layout
def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the mean over one, several or all dimensions. ValueError for integers without `dtype`.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> mean(x, 1, mask=mask)
    tensor([1.5000])
    """
    dtype = dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex "
            f"dtype. Got: {input.dtype}"
        )
    count = _ft.sum(_mask_of(input, mask), _dims(dim, input.ndim), bool(keepdim))
    return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask) / count


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """Return the median along a dimension, the lower of two; NaN counts as masked out. ValueError if no element of an
    integer row is left.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> median(x, 1, mask=mask)
    tensor([1.])
    """
    floats = input if input.is_floating_point() else input.float()
    result = _find("torch.nanmedian.dim")(_filled(floats, mask, float("nan")), dim, keepdim)[0]
    if floats is not input and bool(_ft.isnan(result).any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype or input.dtype)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the vector norm over one, several or all dimensions.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> norm(x, 2.0, 1, mask=mask)
    tensor([2.2361])
    """
    ord = 2.0 if ord is None else ord
    neutral = float("inf") if ord == float("-inf") else 0
    return _find("torch.linalg.vector_norm")(
        _filled(input, mask, neutral), ord, _dims(dim, input.ndim), bool(keepdim), dtype=dtype
    )


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Return the variance over one, several or all dimensions: squared deviations divided by their number minus
    `correction` (by default 1; `unbiased` is another way to specify it).

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> var(x, 1, mask=mask)
    tensor([0.5000])
    """
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of unbiased and correction may be given")
    correction = correction if correction is not None else 1 if unbiased is None else int(unbiased)
    dtype = dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        dtype = _ft.float32
    dims = _dims(dim, input.ndim)
    count = _ft.sum(_mask_of(input, mask), dims, True)
    deviations = input - sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / count
    total = sum(deviations * deviations.conj(), dim, keepdim=keepdim, dtype=dtype, mask=mask)
    if not keepdim:
        count = count.reshape(tuple(total.shape))
    if correction:
        count = (count - correction).clamp_min(0)
    return (total / count).to(dtype)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Return the standard deviation: the square root of `var`.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> std(x, 1, mask=mask)
    tensor([0.7071])
    """
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Return the logarithm of the sum of exponentials over one, several or all dimensions.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> logsumexp(x, 1, mask=mask)
    tensor([2.3133])
    """
    neutral = float("-inf") if input.is_complex() else _extreme("logsumexp", input.dtype, False)
    filled = _filled(input, mask, neutral)
    return _ft.logsumexp(filled, _dims(dim, input.ndim), keepdim).to(dtype or input.dtype)


# --- along a dimension ----------------------------------------------------------------------------------------------


def cumsum(input, dim, *, dtype=None, mask=None):
    """Return the cumulative sum along one dimension, in `dtype` or that of `input`.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> cumsum(x, 1, mask=mask)
    tensor([[1., 1., 3.]])
    """
    return _ft.cumsum(_filled(input, mask, 0), _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Return the cumulative product along one dimension, in `dtype` or that of `input`.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> cumprod(x, 1, mask=mask)
    tensor([[1., 1., 2.]])
    """
    return _ft.cumprod(_filled(input, mask, 1), _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def softmax(input, dim, *, dtype=None, mask=None):
    """Return exponentials along one dimension, divided by their sum; 0 for masked-out elements.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> softmax(x, 1, mask=mask)
    tensor([[0.2689, 0.0000, 0.7311]])
    """
    filled = _filled(input, mask, _extreme("softmax", input.dtype, False))
    return _ft.softmax(filled, dim, dtype=dtype or input.dtype)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """Return the logarithm of `softmax`; -inf for masked-out elements.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> log_softmax(x, 1, mask=mask)
    tensor([[-1.3133,    -inf, -0.3133]])
    """
    filled = _filled(input, mask, _extreme("log_softmax", input.dtype, False))
    return _ft.log_softmax(filled, dim, dtype=dtype or input.dtype)


def softmin(input, dim, *, dtype=None, mask=None):
    """Return the `softmax` of the negative; 0 for masked-out elements.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> softmin(x, 1, mask=mask)
    tensor([[0.7311, 0.0000, 0.2689]])
    """
    filled = _filled(input, mask, _extreme("softmin", input.dtype, True))
    return _ft.softmax(-filled, dim, dtype=dtype or input.dtype)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """Divide elements by their norm along one dimension, or by `eps` if that is larger; 0 for masked-out elements.

    Raises:
        IndexError: the dimension is out of range.
        RuntimeError: the mask does not broadcast with the input.

    >>> x, mask = torch.tensor([[1.0, 5.0, 2.0]]), torch.tensor([[True, False, True]])
    >>> normalize(x, 2.0, 1, mask=mask)
    tensor([[0.4472, 0.0000, 0.8944]])
    """
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled(input, mask, 0) / length.clamp_min(eps)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """Return log(exp(input) + exp(other)); each operand has its own mask.

    Raises:
        RuntimeError: shapes cannot be broadcast; a mask cannot be broadcast to its tensor.

    >>> x = torch.tensor([0.0, 1.0])
    >>> logaddexp(x, x, input_mask=torch.tensor([True, False]))
    tensor([0.6931, 1.0000])
    """
    sides = [_filled(t, mask, float("-inf")) for t, mask in ((input, input_mask), (other, other_mask))]
    return _ft.logaddexp(*sides).to(dtype or input.dtype)


# --- what test suites compare with ----------------------------------------------------------------------------------

_canonical_dim = _dims
_REDUCED = ("sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "norm", "var", "std", "logsumexp")
_ALONG = ("cumsum", "cumprod", "softmax", "log_softmax", "softmin", "normalize")
_NEUTRAL = {"sum": 0, "cumsum": 0, "prod": 1, "cumprod": 1}
_LEAST = {"amax": False, "argmax": False, "logaddexp": False, "logsumexp": False, "amin": True, "argmin": True}


def _input_mask(input, *args, **options):
    """Return `mask` in the shape of the input.

    Raises:
        ValueError: there is no mask.
    """
    if options.get("mask") is None:
        raise ValueError("_input_mask requires explicit mask")
    return _mask_of(input, options["mask"])


def _output_mask(op, input, *args, **options):
    """Return which elements of the result of a function of this module depend on an element that is not masked out.

    Raises:
        ValueError: it is another function, or there is no mask.
    """
    name = getattr(op, "__name__", "")
    if name not in (*_REDUCED, *_ALONG):
        raise ValueError(f"_output_mask expected masked operation (got callable {op.__module__}.{name})")
    mask = _input_mask(input, *args, **options)
    if name in _ALONG:
        return mask
    args = args[1:] if name == "norm" else args
    dim = args[0] if args else options.get("dim")
    keepdim = args[1] if len(args) > 1 and name not in ("var", "std") else options.get("keepdim", False)
    return _find("torch.any")(mask, _dims(dim, input.ndim), bool(keepdim))


def _reduction_identity(op_name, input, *args):
    """Return the element that does not change a result, without dimensions; None for means, which have none.

    Raises:
        NotImplementedError: the function or the dtype has no such element.
    """
    name, dtype = op_name.rsplit(".", 1)[-1], input.dtype
    if name in _NEUTRAL:
        return _ft.tensor(_NEUTRAL[name], dtype=dtype)
    if name == "norm":
        return _ft.tensor(float("inf") if args and args[0] == float("-inf") else 0, dtype=dtype)
    if name == "median":
        return _ft.tensor(float("nan"))
    if name in ("mean", "var", "std"):
        return None
    if name == "logsumexp" and dtype.is_complex:
        return _ft.tensor(float("-inf"), dtype=dtype)
    if name not in _LEAST:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return _ft.tensor(_extreme(name, dtype, _LEAST[name]), dtype=dtype)


def _where(mask, input, fill_value):
    return _ft.where(mask, input, fill_value)


def _not_built(name):
    if name in ("MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"):
        raise _not_built_error(f"torch.masked.{name}")


__getattr__, __dir__ = _attach(__name__, "torch.masked", find=_not_built)
