"""Forward mode: compute the tangents of a call's results from those of its arguments."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.rule cimport Rule

# `values`: all arguments, before the write of an in-place call; `tangents`: for each argument a tensor, a tuple for a
# list, or NULL. `rule` belongs to `op`.
cdef object tangents_of(PyObject* op, Rule rule, PyObject** values, PyObject** tangents, int n, object result)
cdef bint reads_results(Rule rule) noexcept  # whether the rule reads more of `result` than sizes and dtypes
