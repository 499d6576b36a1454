"""Calls of distances between rows."""

from samples import Dtypes, call, real

ROWS, OTHERS = real(3, 2), real(4, 2)

TABLE = {
    f"cdist, p = {p}": call(ROWS, OTHERS, p, dtypes=Dtypes.DOUBLE | Dtypes.SINGLE)
    for p in (1.0, 1.5, 2.0, 3.0, float("inf"))
} | {
    "cdist, by products": call(real(2, 3), real(2, 2, 3), 2.0, "use_mm_for_euclid_dist", dtypes=Dtypes.FLOATS),
    "_ops.cdist": call(ROWS, OTHERS, 3.0, dtypes=Dtypes.FLOATS | Dtypes.UNASKED),
    "_ops.euclidean_dist": call(ROWS, OTHERS, dtypes=Dtypes.REALS),
    "pdist": call(ROWS, 3.0, dtypes=Dtypes.DOUBLE | Dtypes.SINGLE),
}
