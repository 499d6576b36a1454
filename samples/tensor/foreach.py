"""Calls of operators on lists of tensors: each as its namesake is called, on two tensors."""

import flambeau_tensor as torch
from samples import Dtypes, call, real

P, Q = real(2, 3, low=0.6, high=1.9), real(3, low=0.6, high=1.9)
SMALL = real(2, 3, low=-0.8, high=0.8)
UNARY = (
    "abs atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt "
    "sigmoid sign sin sinh sqrt tan tanh trunc"
)
BINARY = "mul div add sub clamp_max clamp_min maximum minimum pow"


TABLE = {
    f"_foreach_{name}{end}": call([P, Q], dtypes=Dtypes.FLOATS | Dtypes.UNASKED)
    for name in UNARY.split()
    for end in ("", "_")
}
TABLE |= {
    f"_foreach_{name}{end}": call([SMALL, SMALL], dtypes=Dtypes.FLOATS | Dtypes.UNASKED)
    for name in ("acos", "asin")
    for end in ("", "_")
}
for _name in BINARY.split():
    for _end in ("", "_"):
        TABLE[f"_foreach_{_name}{_end}, a number"] = call([P, Q], 1.5, dtypes=Dtypes.FLOATS | Dtypes.UNASKED)
        TABLE[f"_foreach_{_name}{_end}, lists"] = call([P, Q], [Q, Q], dtypes=Dtypes.FLOATS | Dtypes.UNASKED)
        TABLE[f"_foreach_{_name}{_end}, numbers"] = call([P, Q], [1.5, 2.0], dtypes=Dtypes.FLOATS | Dtypes.UNASKED)
        if _name in ("mul", "div", "add"):
            TABLE[f"_foreach_{_name}{_end}, a tensor"] = call(
                [P, Q], real(low=0.5), dtypes=Dtypes.FLOATS | Dtypes.UNASKED
            )
for _end in ("", "_"):
    TABLE[f"_foreach_lerp{_end}, a number"] = call([P, Q], [Q, Q], 0.3, dtypes=Dtypes.INEXACT)
    TABLE[f"_foreach_lerp{_end}, numbers"] = call([P, Q], [Q, Q], [0.3, 0.6], dtypes=Dtypes.INEXACT)
    TABLE[f"_foreach_lerp{_end}, lists"] = call([P, Q], [Q, Q], [Q, Q], dtypes=Dtypes.INEXACT)
    for _name in ("addcmul", "addcdiv"):
        TABLE[f"_foreach_{_name}{_end}, numbers in a tensor"] = call(
            [P, Q], [Q, Q], [Q, Q], torch.tensor([0.5, 2.0]), dtypes=Dtypes.FLOATS | Dtypes.UNASKED, loop=False
        )
        TABLE[f"_foreach_{_name}{_end}, a number"] = call(
            [P, Q], [Q, Q], [Q, Q], 0.5, dtypes=Dtypes.FLOATS | Dtypes.UNASKED
        )
        TABLE[f"_foreach_{_name}{_end}, numbers"] = call(
            [P, Q], [Q, Q], [Q, Q], [0.5, 2.0], dtypes=Dtypes.FLOATS | Dtypes.UNASKED
        )
TABLE |= {
    "_foreach_pow, of a number": call(2.0, [P, Q], dtypes=Dtypes.ALL),
    "_foreach_norm": call([P, Q], 2, dtypes=Dtypes.INEXACT),
    "_foreach_powsum": call([P, Q], 2, dtypes=Dtypes.NUMBERS),
    "_foreach_max": call([P, Q], dtypes=Dtypes.REALS),
    "_foreach_mm": call([real(2, 3), real(2, 2)], [real(3, 2), real(2, 2)], dtypes=Dtypes.NUMBERS),
    "_foreach_clone": call([P, Q], dtypes=Dtypes.ALL),
    "_foreach_zero_": call([P, Q], dtypes=Dtypes.ALL),
    "_foreach_copy_": call([P, Q], [P, Q], dtypes=Dtypes.ALL),
}
