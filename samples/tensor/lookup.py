"""Calls of what looks elements up."""

from samples import Dtypes, call, real, whole

N = whole(2, 3, high=5)

TABLE = {
    "isin": call(N, whole(2, high=5)),
    "isin, a number": call(N, 3),
    "isin, of a number": call(3, N),
    "nonzero_static": call(whole(2, 3, high=2), size=5),
    "unravel_index": call(whole(4, high=12), (3, 4)),
    "hash_tensor": call(real(2, 3), loop=False, dtypes=Dtypes.REALS),
}
