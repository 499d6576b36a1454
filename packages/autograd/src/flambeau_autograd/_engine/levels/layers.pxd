"""What a tensor is to the transforms that are under way: a chain of layers, one a level, the innermost first."""
from cpython.object cimport PyObject

from flambeau_autograd._engine.levels.level cimport Level

cdef class Layer:
    cdef readonly Level level
    cdef readonly Layer outer  # what else the tensor is, at a level further out
    cdef bint essential  # nothing is left of the tensor without it, as of one example without the others
    cdef bint many  # the tensor stands for many examples
    cdef bint moving  # it has a tangent
    cdef object held(self)  # the tensor that stands behind it
    cdef Layer holding(self, object held)  # one like it, with another tensor behind it, and no other layers
    cdef int refuse_read(self, str what) except -1  # of the elements: raises why
    cdef tuple shown(self, PyObject* tensor)  # how a tensor with it prints: (text or None, what is added to the text)

cdef class BatchLayer(Layer):  # ends a chain: levels further out are in the layers of `value`
    cdef object value  # all examples as one tensor
    cdef int dim  # the dimension of `value` that runs over them

cdef class DualLayer(Layer):
    cdef object tangent
    cdef object origin  # the tangent of the tensor's base that `tangent` is a view of; itself: is no such view

cdef Layer layer_of(PyObject* tensor)  # the innermost one that is alive, or None
cdef Layer layer_at(PyObject* tensor, Level level)  # that of one level, alive or not, or None
cdef Layer all_layers(PyObject* tensor)  # the innermost one, alive or not, or None
# Of an argument's tensors, if inside of `found`; `batch_depth` rises to the depth of their innermost batch.
cdef Layer innermost_layer(object argument, Layer found, int* batch_depth)
cdef BatchLayer new_batch(Level level, object value, int dim)
cdef DualLayer new_dual(Level level, object tangent, object origin, Layer outer)
cdef bint holds_examples_of(object tangent, object other) except -1  # whether `other` can be written to `tangent`
cdef int write_to_base(PyObject* view) except -1  # after a write: its base's tangents have its own
cdef int set_layer(PyObject* tensor, Layer layer) except -1
cdef Layer without_tangents(Layer layer)  # the first one that is more than a tangent, or None
cdef int detach_layers(PyObject* tensor) except -1  # in place: no tangents, and all examples without history
cdef str wrapped_text(str kind, int depth, str more, object value)
cdef str why_not_one_example(str name)
cdef bint has_tangents(PyObject* tensor, Level but) except -1  # at levels other than that one
cdef object detached(PyObject* tensor)  # `detach`, by whoever handles calls of the tensor
cdef object bare(PyObject* tensor)  # without history, with its layers
cdef object value_of(PyObject* tensor)  # a copy of what it holds now, without history
cdef object laid_out(object tangent, PyObject* like, bint copy=*)
