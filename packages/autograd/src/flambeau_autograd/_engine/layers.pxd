"""What a tensor is to the transforms that are under way."""
from cpython.object cimport PyObject

cdef enum:  # Level.kind
    BATCH  # vmap
    DUAL  # forward mode
    TAPE  # reverse mode

cdef class Level:
    cdef readonly int kind
    cdef readonly int depth  # how many transforms it lies inside of, and itself; 0: forward_ad's own
    cdef readonly bint alive
    cdef readonly bint internal  # serves a call of the engine's own, rather than a user's function
    cdef public int paused  # while that is not 0, layers at this level are passed over
    cdef readonly Py_ssize_t size  # of a batch
    cdef readonly str randomness
    cdef readonly int running  # how many calls are being dealt with at this level: what those call lies below it

cdef class Layer:
    cdef Level level
    cdef object value  # BATCH: all examples as one tensor
    cdef int dim  # BATCH: the dimension of `value` that runs over them
    cdef object tangent  # DUAL
    cdef object origin  # DUAL: the tangent of the tensor's base that `tangent` is a view of; itself: is no such view
    cdef Layer below  # DUAL: what else the tensor is

cdef Layer layer_of(PyObject* tensor)  # the topmost one that is alive, or None
cdef Layer layer_at(PyObject* tensor, Level level)  # that of one level, alive or not, or None
cdef Layer all_layers(PyObject* tensor)  # the topmost one, alive or not, or None
cdef bint holds_examples_of(object tangent, object other) except -1  # whether `other` can be written to `tangent`
cdef int settle(PyObject* view) except -1  # after a write: its base's tangents have its own
cdef int set_layer(PyObject* tensor, Layer layer) except -1
cdef unsigned long long history_levels(PyObject* tensor) except? 0xFFFFFFFFFFFFFFFF
cdef int history_depth(PyObject* tensor) except -2  # of the innermost transform whose tape it is on; -1: none
cdef bint has_tangents(PyObject* tensor, Level but) except -1  # at levels other than that one
cdef int detach_layers(PyObject* tensor) except -1  # in place: no tangents, and all examples without history
cdef object bare(PyObject* tensor)  # without history, with its layers
cdef object value_of(PyObject* tensor)  # a copy of what it holds now, without history
cdef object with_history(object tensor, PyObject* of, int floor=*)
cdef bint is_input(PyObject* node) noexcept  # whether a tensor with that history is what a transform differentiates by
cdef bint inside() noexcept  # of a function that is being transformed, in this thread
cdef int refuse_inside(str what) except -1  # a method that switches recording
cdef int refuse_backward() except -1
cdef object laid_out(object tangent, PyObject* like, bint copy=*)
cdef object wrap_batch(object value, int dim, Level level)
