"""Derivatives of histograms: zero with respect to elements and edges, and not implemented for weights."""

from flambeau_autograd.derivatives.table import derivative, without
from flambeau_tensor.ops import statistics as ops

derivative(ops.cell_counts, weight=without("histogram"))
