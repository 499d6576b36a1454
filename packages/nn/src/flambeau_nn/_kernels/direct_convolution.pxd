"""Convolution in rows of positions, in single precision; see direct_convolution.pyx."""

from flambeau_nn._kernels.convolution_types cimport AXES, Geometry

cdef struct Grid:  # planes of channels as they are gathered: (channels, phases, samples, *length)
    Py_ssize_t channels, channel_step, sample_step  # of the source
    Py_ssize_t[AXES] size, bound  # of the source; what is behind the bound counts as outside
    Py_ssize_t[AXES] step, before  # element i of phase r is i * step + r - before of the source, or 0 outside
    Py_ssize_t[AXES] phases, length
    Py_ssize_t apart  # numbers from one phase of a channel to the next

cdef struct Phase:  # of the result: the positions that see the same taps
    Py_ssize_t taps, first  # of all channels; where their weights begin
    const Py_ssize_t* at  # where they stand in the gathered source
    Py_ssize_t[AXES] start  # of the first position in the result

cdef struct Windows:
    Grid source
    Grid slopes  # the gradient of the values, where that of the weights is asked for
    Py_ssize_t features, weights  # of a group: of the result; all weights
    Py_ssize_t[AXES] size, step  # of the result's planes; from one position to the next there
    Py_ssize_t[AXES] count  # positions
    Py_ssize_t result_step  # from one sample to the next
    Py_ssize_t phases
    Phase* phase
    const float* image
    const float* packed  # for each group, each phase and each tile of features: (taps, features of the tile)
    const float* bias  # or NULL
    float* result
    const float* given  # the gradient of the values
    Py_ssize_t batch, groups, samples  # in all; samples at a time
    int axis  # along which a sample is split into blocks
    Py_ssize_t block, blocks, chunk  # positions along it; numbers of a row of positions at a time
    Py_ssize_t tasks, parts, room, more  # shares of the samples in gradients of weights; sizes of what is gathered
    bint failed

ctypedef void (*windows_t)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# Computes what `kind` says of the three where that is faster, and says whether it has.
cdef bint in_windows(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                     char* weight, char* bias) except -1
