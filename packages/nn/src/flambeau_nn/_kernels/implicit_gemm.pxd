"""Convolution by products without storing the left factor, in single precision; see implicit_gemm.pyx."""

from flambeau_nn._kernels.convolution_types cimport IMAGE, Geometry, Planes

cdef struct Implicit:  # with two axes
    Geometry g
    int kind
    Planes source, result  # for the gradient of the weights, without the unknown one
    Py_ssize_t batch, groups
    float* weight
    Py_ssize_t of_result, of_source  # strides of the weights between channels of the result and of the source
    bint channels_last
    float* bias  # or NULL
    float* packed  # (groups, panels, taps, source channels, panel): weights, or parts of their gradient
    # panels of the result's channels; shares of samples; chunks of source channels
    Py_ssize_t panels, parts, chunks, chunk
    Py_ssize_t rows, blocks  # rows of the result per task; tasks per sample
    Py_ssize_t margin, wide, tall, pixel  # of the gathered source: zeros before a row; columns, rows, stride
    bint failed

ctypedef void (*implicit_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Along an axis, positions of the result form `classes` classes; the positions of a class are `apart` elements apart in
# the source.
cdef inline Py_ssize_t classes_of(const Geometry* g, int axis, bint back) noexcept nogil:
    return g.stride[axis] if back else 1

cdef inline Py_ssize_t apart_of(const Geometry* g, int axis, bint back) noexcept nogil:
    return 1 if back else g.stride[axis]

cdef inline bint meets(const Geometry* g, int axis, bint back, Py_ssize_t tap, Py_ssize_t of,
                       Py_ssize_t* at) noexcept nogil:
    """Whether the class `of` uses a tap; sets `at` to the source index of its first position, which may be outside."""
    at[0] = tap * g.dilation[axis] - g.padding[axis]
    if not back:
        return True
    at[0] = of - at[0]
    if at[0] % g.stride[axis]:
        return False
    at[0] //= g.stride[axis]
    return True

cdef inline Py_ssize_t behind(Py_ssize_t x, Py_ssize_t step) noexcept nogil:
    """Return how many of 0, step, 2 step, ... are below x."""
    return (x + step - 1) // step if x > 0 else 0

cdef inline Py_ssize_t list_taps(const Implicit* w, Py_ssize_t y, Py_ssize_t of, Py_ssize_t low, bint merged,
                                 Py_ssize_t step, Py_ssize_t* at, Py_ssize_t* weight) noexcept nogil:
    """List the taps for row y of the result and the class `of` of its positions.

    They are given as offsets in the source gathered from row `low` on, and in weights with stride `step`. `merged`:
    only the first tap of each row of taps.
    """
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

# Whether this way is faster for a single-precision convolution whose channels are not last.
cdef bint suits(const Geometry* g, int kind) noexcept
# Computes image, values or weights, as `kind` says, if this way is faster; returns whether it did. `channels_last`: the
# memory format of image, values and gradients of weights.
cdef bint in_products(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                      char* weight, char* bias, bint channels_last=*) except -1
