"""Derivatives of histograms: by numbers and edges zero wherever there is one, by weights nobody's."""

from flambeau_autograd.derivatives.table import derivative, without
from flambeau_tensor.ops import statistics as ops

derivative(ops.cell_counts, weight=without("histogram"))
