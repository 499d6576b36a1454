"""Calls of integrals and slopes."""

import numpy as np

import flambeau_tensor as torch
from samples import Dtypes, call, real

X = real(3, 4)
TIMES = torch.tensor([0.0, 1.0, 3.0, 3.5]).double()

TABLE = {
    "trapezoid": call(X, real(4), like=np.trapezoid if hasattr(np, "trapezoid") else np.trapz, dtypes=Dtypes.NUMBERS),
    "trapezoid, even": call(X, dx=0.5, dim=0, dtypes=Dtypes.NUMBERS),
    "trapz": call(X, real(4), dtypes=Dtypes.NUMBERS),
    "trapz, even": call(X, dx=0.5, dim=0, dtypes=Dtypes.NUMBERS),
    "cumulative_trapezoid": call(X, real(3, 4), dtypes=Dtypes.NUMBERS),
    "cumulative_trapezoid, even": call(X, dx=0.5, dtypes=Dtypes.NUMBERS),
    "gradient": call(X, like=lambda x: tuple(np.gradient(x)), dtypes=Dtypes.INEXACT | Dtypes.INT64 | Dtypes.INTS),
    "gradient, one spacing": call(X, spacing=2.0, dim=0, dtypes=Dtypes.INEXACT | Dtypes.INT64 | Dtypes.INTS),
    "gradient, one spacing for all": call(
        X, spacing=2.0, dim=(0, 1), edge_order=2, dtypes=Dtypes.INEXACT | Dtypes.INT64 | Dtypes.INTS
    ),
    "gradient, spacings": call(X, spacing=(2.0, 0.5), dtypes=Dtypes.INEXACT | Dtypes.INT64 | Dtypes.INTS),
    "gradient, spacings of dimensions": call(
        X, spacing=(2.0, 0.5), dim=(1, 0), dtypes=Dtypes.INEXACT | Dtypes.INT64 | Dtypes.INTS
    ),
    "gradient, places": call(X, spacing=(TIMES[:3], TIMES), dtypes=Dtypes.INEXACT | Dtypes.INT64 | Dtypes.INTS),
    "gradient, places in a dimension": call(
        X, spacing=(TIMES,), dim=1, edge_order=2, dtypes=Dtypes.INEXACT | Dtypes.INT64 | Dtypes.INTS | Dtypes.BOOL
    ),
    "gradient.array": call(X, dim=(1,), dtypes=Dtypes.FLOATS | Dtypes.UNASKED),
    "gradient.tensorarray": call(X, spacing=(TIMES,), dim=(1,), dtypes=Dtypes.DOUBLE | Dtypes.UNASKED),
}
