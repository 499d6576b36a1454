"""Find the node that receives a tensor's gradient."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.graph.node cimport Node, any_tapes
from flambeau_tensor.abi cimport TensorInfo, T_REQUIRES_GRAD, T_VIEW, flags_of

cdef class AutogradMeta:
    """Rarely used autograd fields of a tensor: gradient hooks, and its layer in transforms and forward mode."""
    cdef object layer  # a Layer, see layers.pyx
    cdef object hooks, post_hooks  # ordered dicts
    cdef bint detached  # by detach_(); tensors saved earlier cannot use its history any more
    cdef object grad_dtype
    cdef dict extra

# Returns the node (a new reference) that receives the gradient of `tensor`, and sets the output number; NULL if no
# gradient is needed.
cdef PyObject* gradient_edge(PyObject* tensor, int* output_nr) except? NULL
cdef bint base_requires_grad(PyObject* tensor) noexcept

cdef bint is_on_tape(PyObject* tensor) noexcept  # False if all transforms whose tapes it is on have ended

cdef inline bint requires_grad(PyObject* tensor) noexcept:
    cdef unsigned int flags = flags_of(tensor)
    return (flags & T_REQUIRES_GRAD or (flags & T_VIEW and base_requires_grad(tensor))) and \
        (not any_tapes or is_on_tape(tensor))

# Set `.grad` of a tensor; NULL stands for None. A Tracer receives ("grad_set", tensor, gradient), and "grad_read" on
# reads.
cdef int put_grad(PyObject* tensor, PyObject* gradient) except -1
cdef int tell_of_grad(str what, PyObject* tensor, PyObject* gradient) except -1

cdef AutogradMeta autograd_meta(PyObject* tensor)
cdef bint same_strides(TensorInfo* f, PyObject* other) noexcept  # whether strides agree in every dimension
cdef int refresh_view(PyObject* tensor, TensorInfo* f) except -1
cdef str odd_view(TensorInfo* f, str what)
cdef tuple geometry(PyObject* tensor)
# Hooks stay with the node for which they were registered; retain_grad moves with the tensor, whose history becomes
# `node`.
cdef int move_hooks(PyObject* tensor, Node node) except -1
