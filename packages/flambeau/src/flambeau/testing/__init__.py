"""``torch.testing``: comparing results, and making inputs.

>>> import flambeau as torch
>>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]) + 1e-7)
"""

import warnings as _warnings
from typing import Any as _Any

from flambeau.testing._comparison import assert_close
from flambeau.testing._creation import make_tensor
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["assert_allclose", "assert_close", "make_tensor"]


def assert_allclose(
    actual: _Any,
    expected: _Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The older form of `assert_close`, which converts its arguments and does not compare dtypes and devices.

    Raises:
        AssertionError: values differ by more than is allowed, or shapes do.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     assert_allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
    """
    import flambeau_tensor as torch

    _warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12; use `torch.testing.assert_close()`",
        FutureWarning,
        stacklevel=2,
    )
    actual, expected = (x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in (actual, expected))
    if rtol is None and atol is None:
        from flambeau.testing._comparison import default_tolerances

        rtol, atol = default_tolerances(actual, expected)
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=True,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )


__getattr__, __dir__ = _attach(__name__, "torch.testing")
