"""Calls of integrals and slopes."""

import numpy as np

import flambeau_tensor as torch
from samples import call, real

X = real(3, 4)
TIMES = torch.tensor([0.0, 1.0, 3.0, 3.5]).double()

TABLE = {
    "trapezoid": call(X, real(4), like=np.trapezoid if hasattr(np, "trapezoid") else np.trapz, dtypes="dfhgcliu"),
    "trapezoid, even": call(X, dx=0.5, dim=0, dtypes="dfhgcliu"),
    "trapz": call(X, real(4), dtypes="dfhgcliu"),
    "trapz, even": call(X, dx=0.5, dim=0, dtypes="dfhgcliu"),
    "cumulative_trapezoid": call(X, real(3, 4), dtypes="dfhgcliu"),
    "cumulative_trapezoid, even": call(X, dx=0.5, dtypes="dfhgcliu"),
    "gradient": call(X, like=lambda x: tuple(np.gradient(x)), dtypes="dfhgcli"),
    "gradient, one spacing": call(X, spacing=2.0, dim=0, dtypes="dfhgcli"),
    "gradient, one spacing for all": call(X, spacing=2.0, dim=(0, 1), edge_order=2, dtypes="dfhgcli"),
    "gradient, spacings": call(X, spacing=(2.0, 0.5), dtypes="dfhgcli"),
    "gradient, spacings of dimensions": call(X, spacing=(2.0, 0.5), dim=(1, 0), dtypes="dfhgcli"),
    "gradient, places": call(X, spacing=(TIMES[:3], TIMES), dtypes="dfhgcli"),
    "gradient, places in a dimension": call(X, spacing=(TIMES,), dim=1, edge_order=2, dtypes="dfhgclib"),
    "gradient.array": call(X, dim=(1,), dtypes="dfhg?"),
    "gradient.tensorarray": call(X, spacing=(TIMES,), dim=(1,), dtypes="d?"),
}
