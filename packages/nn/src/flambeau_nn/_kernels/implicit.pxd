"""Convolution by products whose left factor is never made, in single precision; see implicit.pyx."""

from flambeau_nn._kernels.convolved cimport Geometry, Planes

cdef struct Implicit:  # of two axes
    Geometry g
    int kind
    Planes source, result  # in the gradient of the weights, what is known of it
    Py_ssize_t batch, groups
    float* weight
    Py_ssize_t of_result, of_source  # steps in the weights from a channel of these
    bint beside
    float* bias  # or NULL
    float* packed  # (groups, panels, taps, source channels, panel): weights, or parts of their gradient
    Py_ssize_t panels, parts, chunks, chunk  # of the result's channels; shares of samples; some source channels
    Py_ssize_t rows, blocks  # rows of the result that a task has; in a sample
    Py_ssize_t margin, wide, tall, pixel  # of the source as it is gathered: zeros before a row; columns, rows, step
    bint failed

ctypedef void (*implicit_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# How positions of a result meet a source, along an axis: those of one class, `classes` apart, at `apart` in the source.
cdef inline Py_ssize_t classes_of(const Geometry* g, int axis, bint back) noexcept nogil:
    return g.stride[axis] if back else 1

cdef inline Py_ssize_t apart_of(const Geometry* g, int axis, bint back) noexcept nogil:
    return 1 if back else g.stride[axis]

cdef inline bint meets(const Geometry* g, int axis, bint back, Py_ssize_t tap, Py_ssize_t of,
                       Py_ssize_t* at) noexcept nogil:
    """Whether the class `of` meets a tap; where the first position of the class does is `at`, maybe outside."""
    at[0] = tap * g.dilation[axis] - g.padding[axis]
    if not back:
        return True
    at[0] = of - at[0]
    if at[0] % g.stride[axis]:
        return False
    at[0] //= g.stride[axis]
    return True

# Whether it is for this convolution, of single precision, where channels do not lie beside each other.
cdef bint suits(const Geometry* g, int kind) noexcept
# Computes what `kind` says of the three where that is faster, and says whether it has. `beside`: the channels of image
# and values lie beside each other, and those of a gradient of weights.
cdef bint in_products(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                      char* weight, char* bias, bint beside=*) except -1
