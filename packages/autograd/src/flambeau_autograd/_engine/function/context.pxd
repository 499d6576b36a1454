"""The context of a custom Function, which is its node."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level
from flambeau_autograd._engine.graph.node cimport INLINE_SAVED, Node

cdef enum:
    INLINE_ARGS = 8  # largest number for which a context fits into Python's allocator for small objects (512 bytes)

cdef enum:  # Context.layout: the kind of an argument
    PLAIN = 0
    TENSOR = 1
    CONTAINER = 2  # a container with tensors in it

cdef enum:  # Context.origins
    CONSTANT = -1  # does not depend on the inputs
    INTERMEDIATE = 0x7fffffff  # computed in forward, neither input nor output

cdef class Context(Node):
    cdef public tuple to_save, saved_for_forward, dirty_tensors, non_differentiable
    cdef public bint materialize_grads, _materialize_non_diff_grads
    cdef set without_gradient  # the numbers of outputs without gradient; None: all outputs have one
    cdef public object needs_input_grad
    cdef readonly object _forward_cls
    cdef dict __dict__
    cdef int nargs, nrequired  # how many gradients backward must return, at most and at least
    cdef char* layout
    cdef char[INLINE_ARGS] inline_layout
    # of saved tensors: the edge if it is an input, -2 - number if it is an output, or one of the above
    cdef int* origins
    cdef int[INLINE_SAVED] inline_origins
    cdef list templates  # of the arguments, with edge numbers; None: no container among them holds tensors
    cdef tuple keywords  # the names of the keyword arguments, which are the last ones
    cdef list output_templates  # of the results of forward, with output numbers
    cdef bint finished
    cdef public bint in_jvp
    cdef object on_outputs  # of apply_in
    cdef public Level dual_level  # the forward-mode level, if the call has tangents
    cdef bint accessed  # saved_tensors was read, and the tensors are no longer saved

cdef Context new_context(PyObject* cls)

cdef object watch  # detects mutations while that mode is on, otherwise None; see mutation.py
