"""Calls of covariances and histograms."""

import numpy as np

import flambeau_tensor as torch
from samples import call, real

EDGES = torch.tensor([-2.0, -0.5, 0.0, 1.0]).double()

TABLE = {
    "cov": call(real(2, 4), like=np.cov, dtypes="dfhgcliu"),
    "cov, weighed": call(real(2, 3), aweights=torch.tensor([0.5, 1.0, 2.0]).double(), dtypes="dfhgcliu"),
    "corrcoef": call(real(3, 4), like=np.corrcoef, dtypes="dfhgcliu"),
    "histogram": call(real(3, 4), 5, range=(-1.5, 1.0), dtypes="dfhg", cut=True),
    "histogram, weighed": call(real(3), 5, range=(-1.5, 1.0), weight=torch.ones(3).double(), dtypes="d?", cut=True),
    "histogram, edges": call(real(3, 4), EDGES, dtypes="d?", cut=True),
    "histogramdd": call(real(5, 2), [2, 3], dtypes="dfhg", cut=True),
    "histogramdd, one count": call(real(5, 2), 2, dtypes="dfhg", cut=True),
    "histogramdd, edges": call(real(5, 2), (EDGES, EDGES), dtypes="d?", cut=True),
    "_ops.histogram_edges": call(real(5, 2), (2, 3), (-2.0, 2.0, -1.0, 1.0), dtypes="d?", cut=True),
    "_ops.histogram_counts": call(real(5, 1), (EDGES,), None, False, False, dtypes="d?", cut=True),
}
