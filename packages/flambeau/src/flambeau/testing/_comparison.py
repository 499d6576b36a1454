"""`assert_close`: compares tensors, numbers, and containers of them, with tolerances that depend on their dtypes."""

import cmath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import flambeau_tensor as torch

# By dtype: relative and absolute tolerance. Others are compared exactly.
PRECISIONS = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}
NUMBERS = {bool: torch.int64, int: torch.int64, float: torch.float64, complex: torch.complex128}


def default_tolerances(*inputs, dtype_precisions=None):
    """The larger of the tolerances of tensors, dtypes or numbers: relative, absolute."""
    precisions = {**PRECISIONS, **(dtype_precisions or {})}
    dtypes = [
        x if isinstance(x, torch.dtype) else x.dtype if isinstance(x, torch.Tensor) else NUMBERS[type(x)]
        for x in inputs
    ]
    each = [precisions.get(dtype, (0.0, 0.0)) for dtype in dtypes]
    return max(r for r, _ in each), max(a for _, a in each)


class Failure(Exception):
    """Two values differ. ``args``: the type to raise, the message, and the path to them."""


@dataclass(frozen=True)
class Options:
    """The options of an `assert_close` call."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, *inputs):
        """Relative and absolute tolerance for some values."""
        return default_tolerances(*inputs) if self.rtol is None else (self.rtol, self.atol)


def assert_close(
    actual,
    expected,
    *,
    allow_subclasses=True,
    rtol=None,
    atol=None,
    equal_nan=False,
    check_device=True,
    check_dtype=True,
    check_layout=True,
    check_stride=False,
    msg=None,
) -> None:
    """Raise an error unless two values are close: ``|actual - expected| <= atol + rtol * |expected|``.

    Sequences and mappings are compared item by item. Tensors of integers and booleans must be equal unless
    tolerances are given.

    Args:
        actual, expected: tensors, NumPy's arrays or scalars, numbers, None, or sequences and mappings of them.
        allow_subclasses: values of related types may be compared; otherwise only of one type.
        rtol, atol: the tolerances, both or none; by default they follow from the dtypes.
        equal_nan: whether nan is near nan.
        check_device, check_dtype, check_layout, check_stride: whether these must agree for tensors. Otherwise dtypes
            are promoted.
        msg: the message, or a function from the default message to the message.

    Raises:
        AssertionError: the values differ.
        TypeError: the values cannot be compared.
        ValueError: only one tolerance is given.

    >>> assert_close(1.0, 1.1)
    Traceback (most recent call last):
    AssertionError: Scalars are not close!
    <BLANKLINE>
    Expected 1.1 but got 1.0.
    Absolute difference: 0.10000000000000009 (up to 1e-07 allowed)
    Relative difference: 0.09090909090909098 (up to 1e-07 allowed)
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    options = Options(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    pairs: list = []
    try:
        _collect(actual, expected, (), options, pairs)
        for compare, one, other, path in pairs:
            compare(one, other, path, options)
    except Failure as e:
        kind, message, path = e.args
        if path:
            message += "\n\nThe failure occurred for item " + "".join(f"[{key!r}]" for key in path)
        if msg is not None:
            message = msg(message) if callable(msg) else msg
        raise kind(message) from None


# --- the comparison of two values -----------------------------------------------------------------------------------


def _is_sequence(x):
    return isinstance(x, Sequence) and not isinstance(x, str)


def _collect(actual, expected, path, options, pairs):
    """Find the pairs in sequences and mappings."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise Failure(
                AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path
            )
        for i in range(len(actual)):
            _collect(actual[i], expected[i], (*path, i), options, pairs)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        missing, extra = set(expected) - set(actual), set(actual) - set(expected)
        if missing or extra:
            raise Failure(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {_ordered(missing)}\n"
                f"Additional keys in the actual mapping: {_ordered(extra)}",
                path,
            )
        for key in _ordered(actual):
            _collect(actual[key], expected[key], (*path, key), options, pairs)
    else:
        pairs.append(_pair(actual, expected, path, options))


def _ordered(keys):
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def _pair(actual, expected, path, options):
    """Select the comparison of two values: return it, the converted values, and their path."""
    if actual is None or expected is None:
        return _compare_none, actual, expected, path
    both = (actual, expected)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    same = type(actual) is type(expected)
    if all(isinstance(x, (bool, np.bool_)) for x in both):
        return _compare_booleans, *map(bool, both), path
    if all(isinstance(x, (int, float, complex, np.number)) for x in both):
        return _compare_numbers, *map(_number, both), path
    if (related if options.allow_subclasses else same) and all(isinstance(x, (torch.Tensor, np.ndarray)) for x in both):
        return _compare_tensors, *map(torch.as_tensor, both), path
    raise Failure(
        TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", path
    )


def _number(x):
    return x.item() if isinstance(x, np.number) else x


# --- comparisons ----------------------------------------------------------------------------------------------------


def _compare_none(actual, expected, path, options):
    if not actual is expected is None:
        raise Failure(AssertionError, f"None mismatch: {actual} is not {expected}", path)


def _compare_booleans(actual, expected, path, options):
    if actual is not expected:
        raise Failure(AssertionError, f"Booleans mismatch: {actual} is not {expected}", path)


def _compare_numbers(actual, expected, path, options):
    if options.check_dtype and type(actual) is not type(expected):
        raise Failure(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    rtol, atol = options.tolerances(actual, expected)
    if actual == expected or (options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    difference = abs(actual - expected)
    if cmath.isfinite(actual) and cmath.isfinite(expected) and difference <= atol + rtol * abs(expected):
        return
    raise Failure(
        AssertionError, scalars(actual, expected, difference, _ratio(difference, abs(expected)), rtol, atol), path
    )


def _ratio(difference, size):
    return difference / size if size else float("inf")


def scalars(actual, expected, absolute, relative, rtol, atol):
    """The message for two numbers that differ."""
    equality = rtol == atol == 0
    return "\n".join(
        [
            f"Scalars are not {'equal' if equality else 'close'}!",
            "",
            f"Expected {expected} but got {actual}.",
            f"Absolute difference: {absolute}" + ("" if equality else f" (up to {atol} allowed)"),
            f"Relative difference: {relative}" + ("" if equality else f" (up to {rtol} allowed)"),
        ]
    )


def _compare_tensors(actual, expected, path, options):
    def differ(name, one, other):
        raise Failure(AssertionError, f"The values for attribute '{name}' do not match: {one} != {other}.", path)

    if actual.shape != expected.shape:
        differ("shape", actual.shape, expected.shape)
    if options.check_layout and actual.layout is not expected.layout:
        differ("layout", actual.layout, expected.layout)
    if options.check_stride and actual.stride() != expected.stride():
        differ("stride()", actual.stride(), expected.stride())
    if options.check_device and actual.device != expected.device:
        differ("device", actual.device, expected.device)
    if options.check_dtype and actual.dtype is not expected.dtype:
        differ("dtype", actual.dtype, expected.dtype)
    if "meta" in (actual.device.type, expected.device.type):
        return
    rtol, atol = options.tolerances(actual, expected)
    actual, expected = actual.detach(), expected.detach()
    if actual.dtype is not expected.dtype:
        dtype = torch.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(dtype), expected.to(dtype)
    close = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if not close.all():
        raise Failure(AssertionError, _tensors(actual, expected, close, rtol, atol), path)


def _tensors(actual, expected, close, rtol, atol):
    """The message for two tensors that differ."""
    shown = () if actual.dim() else (actual.item(), expected.item())
    if not (actual.is_floating_point() or actual.is_complex()):  # differences of integers may need all 64 bits
        actual, expected = actual.to(torch.int64), expected.to(torch.int64)
    if not actual.dim():
        actual, expected = actual.item(), expected.item()
        difference = abs(actual - expected)
        return scalars(*shown, difference, _ratio(difference, abs(expected)), rtol, atol)
    absolute = (actual - expected).abs()
    relative = absolute / expected.abs()
    equality, bad, total = rtol == atol == 0, int((~close).sum()), actual.numel()
    lines = [
        f"Tensor-likes are not {'equal' if equality else 'close'}!",
        "",
        f"Mismatched elements: {bad} / {total} ({bad / total:.1%})",
    ]
    for name, values, allowed in (("absolute", absolute, atol), ("relative", relative, rtol)):
        at = values.masked_fill(close, 0).flatten().argmax()
        index = tuple(int(i) for i in np.unravel_index(int(at), tuple(values.shape)))
        lines.append(
            f"Greatest {name} difference: {values.flatten()[at].item()} at index {index}"
            + ("" if equality else f" (up to {allowed} allowed)")
        )
    return "\n".join(lines)
