"""The layers of a tensor: a chain of its states at the active levels, innermost first."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level

cdef class Layer:
    cdef readonly Level level
    cdef readonly Layer outer  # the state of the tensor at outer levels
    cdef bint essential  # the tensor has no meaning without the layer, like one example without the batch
    cdef bint many  # the tensor is batched
    cdef bint moving  # the layer holds a tangent
    cdef object held(self)  # the tensor that the layer holds
    cdef Layer holding(self, object held)  # a layer of the same kind that holds another tensor, without outer layers
    cdef int refuse_read(self, str what) except -1  # raises an error if elements must not be read
    # how a tensor with this layer prints: (text or None, additions to the text)
    cdef tuple shown(self, PyObject* tensor)

cdef class BatchLayer(Layer):  # ends a chain: `value` has the layers of outer levels
    cdef object value  # the tensor with its batch dimension
    cdef int dim  # the batch dimension of `value`

cdef class DualLayer(Layer):
    cdef object tangent
    cdef object origin  # the tangent of the base if `tangent` is a view of it; `tangent` itself if it has no base

cdef Layer layer_of(PyObject* tensor)  # the innermost active layer, or None
cdef Layer layer_at(PyObject* tensor, Level level)  # the layer of one level, active or not, or None
cdef Layer all_layers(PyObject* tensor)  # the innermost layer, active or not, or None
# Returns the innermost layer of an argument's tensors if it is inside `found`; raises `batch_depth` to the depth of
# their innermost batch.
cdef Layer innermost_layer(object argument, Layer found, int* batch_depth)
cdef BatchLayer new_batch(Level level, object value, int dim)
cdef DualLayer new_dual(Level level, object tangent, object origin, Layer outer)
# whether `other` has no batch dimension that `tangent` lacks, so that it can be written to it
cdef bint holds_examples_of(object tangent, object other) except -1
cdef int write_to_base(PyObject* view) except -1  # after a write: update the tangents of its base
cdef int set_layer(PyObject* tensor, Layer layer) except -1
cdef Layer without_tangents(Layer layer)  # the first layer without a tangent, or None
cdef int detach_layers(PyObject* tensor) except -1  # in place: drop tangents, detach batched values
cdef str wrapped_text(str kind, int depth, str more, object value)
cdef str why_not_one_example(str name)
cdef bint has_tangents(PyObject* tensor, Level but) except -1  # whether it has a tangent at a level other than `but`
cdef object detached(PyObject* tensor)  # through `detach` of the tensor's class if that handles calls
cdef object bare(PyObject* tensor)  # detached, with its layers
cdef object value_of(PyObject* tensor)  # a detached copy of its current value
cdef object laid_out(object tangent, PyObject* like, bint copy=*)
