"""Calls of what tells the order of dimensions in memory: particular to layouts, see tests/test_dimension_order.py."""

from samples import Dtypes, call, real

TABLE = {"Tensor.dim_order": call(real(2, 3), dtypes=Dtypes.ALL, layouts=False)}
