"""Convolution in rows of positions, in single precision; see direct_convolution.pyx."""

from flambeau_nn._kernels.convolution_types cimport AXES, Geometry

cdef struct Grid:  # gathered planes of channels: (channels, phases, samples, *length)
    Py_ssize_t channels, channel_step, sample_step  # of the source
    Py_ssize_t[AXES] size, bound  # of the source; elements behind the bound count as outside
    Py_ssize_t[AXES] step, before  # element i of phase r is element i * step + r - before of the source, or 0 outside
    Py_ssize_t[AXES] phases, length
    Py_ssize_t apart  # stride between the phases of a channel

cdef struct Phase:  # of the result: the positions that use the same taps
    Py_ssize_t taps, first  # taps of all channels; offset of their weights
    const Py_ssize_t* at  # their offsets in the gathered source
    Py_ssize_t[AXES] start  # the first position in the result

cdef struct Windows:
    Grid source
    Grid slopes  # the gradient of the values, for gradients of the weights
    Py_ssize_t features, weights  # of a group: features of the result; number of all weights
    Py_ssize_t[AXES] size, step  # of the result's planes; stride between positions there
    Py_ssize_t[AXES] count  # positions
    Py_ssize_t result_step  # stride between samples
    Py_ssize_t phases
    Phase* phase
    const float* image
    const float* packed  # for each group, phase and tile of features: (taps, features of the tile)
    const float* bias  # or NULL
    float* result
    const float* given  # the gradient of the values
    Py_ssize_t batch, groups, samples  # total; samples at a time
    int axis  # along which a sample is split into blocks
    Py_ssize_t block, blocks, chunk  # positions along it; blocks; elements of a row of positions at a time
    # tasks; shares of the samples in gradients of weights; sizes of the gathered memory
    Py_ssize_t tasks, parts, room, more
    bint failed

ctypedef void (*windows_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Computes image, values or weights, as `kind` says, if this way is faster; returns whether it did.
cdef bint in_windows(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                     char* weight, char* bias) except -1
