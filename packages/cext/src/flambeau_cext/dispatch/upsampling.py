"""``torch.ops.aten.upsample_*``: the operators that PyTorch's ``interpolate`` calls for each mode and rank."""

from collections.abc import Callable
from typing import Any

from flambeau_tensor.extend import FUNCTION, Operator, find_operator

_MODES = (  # name, mode, dimensions, whether it has corners to align
    *((f"upsample_nearest{n}d", "nearest", n, False) for n in (1, 2, 3)),
    *((f"_upsample_nearest_exact{n}d", "nearest-exact", n, False) for n in (1, 2, 3)),
    ("upsample_linear1d", "linear", 1, True),
    ("upsample_bilinear2d", "bilinear", 2, True),
    ("upsample_bicubic2d", "bicubic", 2, True),
    ("upsample_trilinear3d", "trilinear", 3, True),
    ("_upsample_bilinear2d_aa", "bilinear", 2, True),
    ("_upsample_bicubic2d_aa", "bicubic", 2, True),
)
_SCALES = {1: ("scales",), 2: ("scales_h", "scales_w"), 3: ("scales_d", "scales_h", "scales_w")}


def _resampled(input: Any, size: Any, mode: str, align_corners: bool, scales: Any, antialias: bool) -> Any:
    factors = tuple(0.0 if s is None else float(s) for s in scales)
    return find_operator("torch._C._nn.resample")(input, tuple(size), mode, align_corners, factors, antialias)


def _by_size(mode: str, corners: bool, antialias: bool) -> Callable[..., Any]:
    def upsample(self: Any, output_size: Any, *rest: Any) -> Any:
        return _resampled(self, output_size, mode, corners and rest[0], rest[1:] if corners else rest, antialias)

    return upsample


def _by_size_or_factors(mode: str, corners: bool, antialias: bool, n: int) -> Callable[..., Any]:
    def upsample(input: Any, output_size: Any, *rest: Any) -> Any:
        factors = rest[-1]
        if (output_size is None) == (factors is None):
            raise RuntimeError("Must specify exactly one of output_size and scale_factors")
        if factors is None:
            return _resampled(input, output_size, mode, corners and rest[0], (None,) * n, antialias)
        size = [int(length * factor) for length, factor in zip(input.shape[2:], factors, strict=True)]
        return _resampled(input, size, mode, corners and rest[0], factors, antialias)

    return upsample


for _name, _mode, _n, _corners in _MODES:
    _aa, _align = _name.endswith("_aa"), ", bool align_corners" if _corners else ""
    _factors = ", ".join(f"float? {scale}=None" for scale in _SCALES[_n])
    for _schema, _function in (
        (f"{_name}(Tensor self, int[{_n}] output_size{_align}, {_factors})", _by_size(_mode, _corners, _aa)),
        (
            f"{_name}.vec(Tensor input, int[]? output_size{_align}, float[]? scale_factors)",
            _by_size_or_factors(_mode, _corners, _aa, _n),
        ),
    ):
        Operator(
            f"{_schema} -> Tensor",
            _function,
            namespace="torch.ops.aten",
            variants=FUNCTION,
            composite=True,
            doc=f"An image at another size, by `interpolate` with mode '{_mode}'.",
        )
