"""Calls of covariances and histograms."""

import numpy as np

import flambeau_tensor as torch
from samples import Dtypes, call, real

EDGES = torch.tensor([-2.0, -0.5, 0.0, 1.0]).double()

TABLE = {
    "cov": call(real(2, 4), like=np.cov, dtypes=Dtypes.NUMBERS),
    "cov, weighed": call(real(2, 3), aweights=torch.tensor([0.5, 1.0, 2.0]).double(), dtypes=Dtypes.NUMBERS),
    "corrcoef": call(real(3, 4), like=np.corrcoef, dtypes=Dtypes.NUMBERS),
    "histogram": call(real(3, 4), 5, range=(-1.5, 1.0), dtypes=Dtypes.FLOATS, cut=True),
    "histogram, weighed": call(
        real(3), 5, range=(-1.5, 1.0), weight=torch.ones(3).double(), dtypes=Dtypes.DOUBLE | Dtypes.UNASKED, cut=True
    ),
    "histogram, edges": call(real(3, 4), EDGES, dtypes=Dtypes.DOUBLE | Dtypes.UNASKED, cut=True),
    "histogramdd": call(real(5, 2), [2, 3], dtypes=Dtypes.FLOATS, cut=True),
    "histogramdd, one count": call(real(5, 2), 2, dtypes=Dtypes.FLOATS, cut=True),
    "histogramdd, edges": call(real(5, 2), (EDGES, EDGES), dtypes=Dtypes.DOUBLE | Dtypes.UNASKED, cut=True),
    "_ops.histogram_edges": call(
        real(5, 2), (2, 3), (-2.0, 2.0, -1.0, 1.0), dtypes=Dtypes.DOUBLE | Dtypes.UNASKED, cut=True
    ),
    "_ops.histogram_counts": call(
        real(5, 1), (EDGES,), None, False, False, dtypes=Dtypes.DOUBLE | Dtypes.UNASKED, cut=True
    ),
}
