"""Forward mode: the tangents of a call's results from those of its arguments."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.rule cimport Rule

# `values`: all arguments, those of a call in place as they were before; `tangents`: for each a tensor, a tuple where
# the argument is a list, or NULL. `op` is what `rule` is the rule of.
cdef object tangents_of(PyObject* op, Rule rule, PyObject** values, PyObject** tangents, int n, object result)
cdef bint reads_results(Rule rule) noexcept  # whether that looks at more of `result` than sizes and dtypes
