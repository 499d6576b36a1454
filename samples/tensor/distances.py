"""Calls of distances between rows."""

from samples import call, real

ROWS, OTHERS = real(3, 2), real(4, 2)

TABLE = {f"cdist, p = {p}": call(ROWS, OTHERS, p, dtypes="df") for p in (1.0, 1.5, 2.0, 3.0, float("inf"))} | {
    "cdist, by products": call(real(2, 3), real(2, 2, 3), 2.0, "use_mm_for_euclid_dist", dtypes="dfhg"),
    "_ops.cdist": call(ROWS, OTHERS, 3.0, dtypes="dfhg?"),
    "_ops.euclidean_dist": call(ROWS, OTHERS, dtypes="dfhgliub"),
    "pdist": call(ROWS, 3.0, dtypes="df"),
}
