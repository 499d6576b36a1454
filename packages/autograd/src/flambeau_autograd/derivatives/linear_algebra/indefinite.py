"""Derivatives of symmetric indefinite factorizations are not implemented; backward raises an error."""

from flambeau_autograd.derivatives.table import derivative, without
from flambeau_tensor.ops.linear_algebra import indefinite as ops

derivative(ops.ldl_factor_ex, self=without("linalg_ldl_factor_ex"))
derivative(ops.ldl_solve, **{"LD, B": without("linalg_ldl_solve")})
