# cython: language_level=3
"""Convolution of many channels as a product of positions and weights, in single precision, without storing the columns.

Some rows of the source are gathered as rows of channels with a border of zeros, and tiles of positions and features
read the inputs of a tap for successive positions at a fixed distance. This works for both memory formats, since the
rows are gathered from either. The gradient of the image is the same operation on the values, for each class of
positions with the taps that reach it; the gradient of the weights sums over the positions of a block.
"""
from flambeau_nn._kernels.compute_dtype cimport memory
from flambeau_nn._kernels.convolution_types cimport IMAGE, WEIGHTS, Geometry, lay
from flambeau_nn._kernels.implicit_gemm cimport Implicit, apart_of, classes_of, implicit_t, meets
from flambeau_tensor.abi cimport TENSOR_ABI
from flambeau_tensor.compute cimport COMPUTE_ABI, D_FLOAT32, num_threads, parallel_for
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    CACHE = 1 << 16  # elements gathered at a time
    CHUNK = 64  # source channels whose weight gradients are summed at a time
    CONFLICT = 256  # pixels whose distance is a multiple of this many elements compete for cache lines
    LINE = 16  # elements in a cache line and in a vector of channels
    NARROW = 28  # row length up to which vectors of channels are faster
    STRIDED = 112  # the same for strides other than 1
    FEWEST = 16  # minimum number of result channels for which this beats rows of positions

_table = hot("implicit_gemm", "flambeau_nn._kernels").LOOPS
cdef implicit_t _pack = <implicit_t><size_t>_table["pack"] if _table else NULL
cdef implicit_t _sums = <implicit_t><size_t>_table["sums"] if _table else NULL
cdef implicit_t _slopes = <implicit_t><size_t>_table["slopes"] if _table else NULL
cdef implicit_t _unpack = <implicit_t><size_t>_table["unpack"] if _table else NULL
cdef Py_ssize_t _panel = _table["panel"] if _table else 1
_table = hot("depthwise", "flambeau_nn._kernels").LOOPS
cdef implicit_t _vector_sums = <implicit_t><size_t>_table["sums"] if _table else NULL
cdef implicit_t _vector_slopes = <implicit_t><size_t>_table["slopes"] if _table else NULL


cdef bint _one_layer(const Geometry* g) noexcept:
    return g.kernel[0] == g.size[0] == g.count[0] == g.stride[0] == 1


cdef bint suits(const Geometry* g, int kind) noexcept:
    return _pack != NULL and _one_layer(g) and (g.channels if kind == IMAGE else g.features) >= FEWEST


cdef void _measure(Implicit* w) noexcept:
    """Compute the number of gathered columns."""
    cdef const Geometry* g = &w.g
    cdef bint back = w.kind == IMAGE
    cdef Py_ssize_t k, of, at, classes = classes_of(g, 2, back), last
    w.margin, w.wide = 0, 1
    for of in range(min(classes, w.result.width)):
        last = (w.result.width - of - 1) // classes * apart_of(g, 2, back)
        for k in range(g.kernel[2]):
            if meets(g, 2, back, k, of, &at):
                w.margin, w.wide = max(w.margin, -at), max(w.wide, at + last + 1)
    w.wide += w.margin


cdef Py_ssize_t _height(const Implicit* w, Py_ssize_t rows) noexcept:
    """Return how many rows of the source `rows` rows of the result may read."""
    cdef Py_ssize_t reach = w.g.dilation[1] * (w.g.kernel[1] - 1)
    if w.kind == IMAGE:
        return min((rows + reach) // w.g.stride[1] + 2, w.source.height)
    return min((rows - 1) * w.g.stride[1] + reach + 1, w.source.height)


cdef bint _in_vectors(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                      char* weight, char* bias) except -1:
    cdef Implicit w
    cdef Py_ssize_t vectors = (groups + LINE - 1) // LINE, work = batch * groups * g.rows * g.positions
    if _vector_sums == NULL or groups < LINE // 2 or not _one_layer(g) or \
            max(g.size[2], g.count[2]) > (NARROW if g.stride[2] == 1 else STRIDED):
        return False
    w.g, w.kind, w.batch, w.groups, w.weight, w.bias = g[0], kind, batch, groups, <float*>weight, <float*>bias
    w.channels_last, w.failed, w.pixel = False, False, LINE
    if kind == IMAGE:
        lay(&w.source, values, groups, 1, g.count, False)
        lay(&w.result, image, groups, 1, g.size, False)
    else:
        lay(&w.source, image, groups, 1, g.size, False)
        lay(&w.result, values, groups, 1, g.count, False)
    _measure(&w)
    with nogil:
        if kind == WEIGHTS:
            parallel_for(vectors, max(<Py_ssize_t>1, GIL_FREE * vectors // work), _vector_slopes, &w)
        else:
            parallel_for(vectors * batch, max(<Py_ssize_t>1, GIL_FREE * vectors * batch // work), _vector_sums, &w)
    if w.failed:
        raise MemoryError()
    return True


cdef bint in_products(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                      char* weight, char* bias, bint channels_last=False) except -1:
    """Also computes depthwise convolutions, whose product is elementwise."""
    cdef Implicit w
    cdef Py_ssize_t work = batch * groups * g.features * g.rows * g.positions, tasks, wanted, each
    if work == 0:
        return False
    if g.channels == g.features == 1:
        return _in_vectors(g, kind, batch, groups, image, values, weight, bias)
    if not (channels_last or suits(g, kind)):
        return False
    w.g, w.kind, w.batch, w.groups, w.weight, w.bias = g[0], kind, batch, groups, <float*>weight, <float*>bias
    w.channels_last, w.failed = channels_last, False
    if kind == IMAGE:
        lay(&w.source, values, g.features, groups, g.count, channels_last)
        lay(&w.result, image, g.channels, groups, g.size, channels_last)
        w.of_source, w.of_result = g.rows, g.taps
    else:
        lay(&w.source, image, g.channels, groups, g.size, channels_last)
        lay(&w.result, values, g.features, groups, g.count, channels_last)
        w.of_result, w.of_source = g.rows, g.taps
    w.panels = (w.result.channels + _panel - 1) // _panel
    w.chunks, w.chunk = 1, w.source.channels
    if kind == WEIGHTS:
        w.chunks = (w.source.channels + CHUNK - 1) // CHUNK
        w.chunk = (w.source.channels + w.chunks - 1) // w.chunks
    w.pixel = w.chunk + LINE if w.chunk % CONFLICT == 0 else w.chunk
    _measure(&w)
    wanted = 1 if work < GIL_FREE else 2 * num_threads()
    w.rows = w.result.height
    while w.rows > 1:
        each = _height(&w, w.rows) * w.wide * w.pixel
        if kind == WEIGHTS:
            each += w.rows * w.result.width * w.panels * _panel
        tasks = batch * groups * ((w.result.height + w.rows - 1) // w.rows)
        if each <= CACHE and (tasks >= wanted or kind == WEIGHTS):
            break
        w.rows = (w.rows + 1) // 2
    w.blocks = (w.result.height + w.rows - 1) // w.rows
    w.tall = _height(&w, w.rows)
    w.parts = 1
    if kind == WEIGHTS:
        w.parts = min(batch * w.blocks, max(<Py_ssize_t>1, wanted // (groups * w.chunks)))
    _held = memory(D_FLOAT32, w.parts * groups * w.panels * g.taps * w.source.channels * _panel, <void**>&w.packed)
    with nogil:
        if kind == WEIGHTS:
            parallel_for(w.parts * groups * w.chunks, 1, _slopes, &w)
            parallel_for(groups * w.panels, 1, _unpack, &w)
        else:
            parallel_for(groups * w.panels, 1, _pack, &w)
            parallel_for(batch * groups * w.blocks, 1, _sums, &w)
    if w.failed:
        raise MemoryError()
    return True
