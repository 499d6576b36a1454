"""The context of a custom Function, which is its node."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level
from flambeau_autograd._engine.graph.node cimport INLINE_SAVED, Node

cdef enum:
    INLINE_ARGS = 8  # with this, Python's allocator for small objects (up to 512 bytes) still serves a context

cdef enum:  # Context.layout: what an argument is
    PLAIN = 0
    TENSOR = 1
    CONTAINER = 2  # a container with tensors in it

cdef enum:  # Context.origins
    CONSTANT = -1  # does not depend on the inputs
    INTERMEDIATE = 0x7fffffff  # computed in forward, neither input nor output

cdef class Context(Node):
    cdef public tuple to_save, saved_for_forward, dirty_tensors, non_differentiable
    cdef public bint materialize_grads, _materialize_non_diff_grads
    cdef set without_gradient  # numbers of outputs that have none; None: all have one
    cdef public object needs_input_grad
    cdef readonly object _forward_cls
    cdef dict __dict__
    cdef int nargs, nrequired  # how many gradients backward returns, at most and at least
    cdef char* layout
    cdef char[INLINE_ARGS] inline_layout
    cdef int* origins  # of saved tensors: the edge of the input it is, -2 - number of the output, or one of the below
    cdef int[INLINE_SAVED] inline_origins
    cdef list templates  # of the arguments, with numbers of edges; None: no container among them holds tensors
    cdef tuple keywords  # the names of the arguments that came by keyword, the last ones
    cdef list output_templates  # the same of what forward returned, with numbers of outputs
    cdef bint finished
    cdef public bint in_jvp
    cdef object on_outputs  # of apply_in
    cdef public Level dual_level  # of forward mode, where the call has tangents
    cdef bint accessed  # saved_tensors were read, and are kept no longer

cdef Context new_context(PyObject* cls)

cdef object watch  # looks for mutations while that mode is on, else None; see mutation.py
