"""Convolution by products whose left factor is never made, in single precision; see implicit_gemm.pyx."""

from flambeau_nn._kernels.convolution_types cimport IMAGE, Geometry, Planes

cdef struct Implicit:  # of two axes
    Geometry g
    int kind
    Planes source, result  # in the gradient of the weights, what is known of it
    Py_ssize_t batch, groups
    float* weight
    Py_ssize_t of_result, of_source  # steps in the weights from a channel of these
    bint channels_last
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

cdef inline Py_ssize_t behind(Py_ssize_t x, Py_ssize_t step) noexcept nogil:
    """How many of 0, step, 2 step, ... are below x."""
    return (x + step - 1) // step if x > 0 else 0

cdef inline Py_ssize_t list_taps(const Implicit* w, Py_ssize_t y, Py_ssize_t of, Py_ssize_t low, bint merged,
                                 Py_ssize_t step, Py_ssize_t* at, Py_ssize_t* weight) noexcept nogil:
    """The taps that meet row y of the result, and the class `of` of its positions: where in what is gathered from row
    `low` on, and in weights that are `step` apart. `merged`: the first of each row of taps."""
    cdef const Geometry* g = &w.g
    cdef bint back = w.kind == IMAGE
    cdef Py_ssize_t a, b, row, column, n = 0, classes = classes_of(g, 1, back)
    for a in range(g.kernel[1]):
        if not meets(g, 1, back, a, y % classes, &row):
            continue
        row += y // classes * apart_of(g, 1, back)
        if not 0 <= row < w.source.height:
            continue
        for b in range(1 if merged else g.kernel[2]):
            if meets(g, 2, back, b, of, &column):
                at[n] = ((row - low) * w.wide + column + w.margin) * w.pixel
                weight[n] = (a * g.kernel[2] + b) * step
                n += 1
    return n

# Whether it is for this convolution, of single precision, where channels do not lie beside each other.
cdef bint suits(const Geometry* g, int kind) noexcept
# Computes what `kind` says of the three where that is faster, and says whether it has. `channels_last`: the channels of
# image and values lie beside each other, and those of a gradient of weights.
cdef bint in_products(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                      char* weight, char* bias, bint channels_last=*) except -1
