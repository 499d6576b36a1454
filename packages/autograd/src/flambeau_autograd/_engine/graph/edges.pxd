"""Where a tensor's gradient goes."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node, any_tapes
from flambeau_tensor.abi cimport TensorInfo, T_REQUIRES_GRAD, T_VIEW, flags_of

cdef class AutogradMeta:
    """What few tensors have: hooks on the gradient, and what transforms and forward mode know of it."""
    cdef object layer  # a Layer, see layers.pyx
    cdef object hooks, post_hooks  # ordered dicts
    cdef bint detached  # in place, so that what saved it before cannot follow its history
    cdef object grad_dtype
    cdef dict extra

# The node (a new reference) that takes the gradient of `tensor`, and as which of its outputs; NULL if none is wanted.
cdef PyObject* gradient_edge(PyObject* tensor, int* output_nr) except? NULL
cdef bint base_requires_grad(PyObject* tensor) noexcept

cdef bint is_on_tape(PyObject* tensor) noexcept  # not only on those of transforms that are over

cdef inline bint requires_grad(PyObject* tensor) noexcept:
    cdef unsigned int flags = flags_of(tensor)
    return (flags & T_REQUIRES_GRAD or (flags & T_VIEW and base_requires_grad(tensor))) and \
        (not any_tapes or is_on_tape(tensor))

# `.grad` of a tensor, NULL for None; a Tracer hears of ("grad_set", tensor, gradient), and of "grad_read" where it is
# read.
cdef int put_grad(PyObject* tensor, PyObject* gradient) except -1
cdef int tell_of_grad(str what, PyObject* tensor, PyObject* gradient) except -1

cdef AutogradMeta autograd_meta(PyObject* tensor)
cdef bint same_strides(TensorInfo* f, PyObject* other) noexcept  # whether dimension for dimension the strides agree
cdef int refresh_view(PyObject* tensor, TensorInfo* f) except -1
cdef str odd_view(TensorInfo* f, str what)
cdef tuple geometry(PyObject* tensor)
# Hooks stay with the node they were set for; the wish to retain the gradient goes with the tensor, whose history
# `node` becomes.
cdef int move_hooks(PyObject* tensor, Node node) except -1
