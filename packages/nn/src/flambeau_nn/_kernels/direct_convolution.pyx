# cython: language_level=3
"""Convolution in rows of positions, in single precision: for few channels, one channel (depthwise), and three axes.

The source is gathered with a border of zeros, some samples or a block of positions at a time. If the stride is not 1,
it is split into phases, so that the elements that one tap reads for successive positions are contiguous. The columns at
the end of a row, whose windows wrap around, are computed, too, and dropped. The kernels sum over the taps of all
channels for a tile of positions and features (window_sums.h). The gradient of the image is the same operation on the
values, for each phase of the image with the taps that reach it.
"""
from flambeau_nn._kernels.compute_dtype cimport memory
from flambeau_nn._kernels.convolution_types cimport AXES, IMAGE, WEIGHTS, Geometry
from flambeau_nn._kernels.direct_convolution cimport Grid, Phase, Windows, windows_t
from flambeau_tensor.abi cimport TENSOR_ABI
from flambeau_tensor.compute cimport COMPUTE_ABI, D_FLOAT32, num_threads, parallel_for
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

ctypedef int (*tile_t)(Py_ssize_t left) noexcept nogil

cdef enum:
    CACHE = 3 << 15  # elements gathered at a time
    CHUNK = 768  # elements of a row of positions that are summed at a time
    TASK = 1 << 18  # minimum number of multiplications in a task
    APART = 4  # largest product of strides for which phases pay
    FEW = 256  # number of positions below which packing many weights does not pay
    MANY = 1 << 16  # weights of a group from which their gradient uses matrix products
    # elements of a row of positions up to which several samples of a group, which are not adjacent, are joined
    FLAT = 1024
    MARGIN = 16  # elements between the rows of gradients

_table = hot("direct_convolution", "flambeau_nn._kernels").LOOPS
cdef windows_t _results = <windows_t><size_t>_table["results"] if _table else NULL
cdef windows_t _slopes = <windows_t><size_t>_table["slopes"] if _table else NULL
cdef tile_t _tile = <tile_t><size_t>_table["tile"] if _table else NULL


cdef void _lay_out(Windows* w, const Geometry* g, int kind) noexcept:
    """Compute the sizes of the gathered source, and the positions."""
    cdef Grid* s = &w.source
    cdef Py_ssize_t reach, most
    cdef int d
    w.phases = 1
    for d in range(AXES):
        reach = g.dilation[d] * (g.kernel[d] - 1)
        most = reach // g.stride[d]
        if kind == IMAGE:
            s.size[d], w.size[d], s.step[d], s.phases[d], w.step[d] = g.count[d], g.size[d], 1, 1, g.stride[d]
            s.before[d] = most - g.padding[d] // g.stride[d]
            w.count[d] = (g.size[d] - 1 + g.padding[d]) // g.stride[d] - g.padding[d] // g.stride[d] + 1
            w.phases *= g.stride[d]
        else:
            s.size[d], w.size[d], s.step[d], w.step[d] = g.size[d], g.count[d], g.stride[d], 1
            s.phases[d] = min(g.stride[d], reach + 1)
            s.before[d], w.count[d] = g.padding[d], g.count[d]
        s.bound[d], s.length[d] = s.size[d], w.count[d] + most


cdef int _split(Windows* w, int kind, Py_ssize_t work) noexcept:
    """Choose the samples and positions of a task."""
    cdef Grid* s = &w.source
    cdef Py_ssize_t phases = s.phases[0] * s.phases[1] * s.phases[2], whole, layer, flat, tasks, wanted
    cdef Py_ssize_t channels = s.channels * phases + (w.slopes.channels if kind == WEIGHTS else 0)
    w.axis = 0 if w.count[0] > 1 else 1 if w.count[1] > 1 else 2
    whole = channels * s.length[0] * s.length[1] * s.length[2]
    layer = whole // s.length[w.axis]
    wanted = 1 if work < GIL_FREE else max(<Py_ssize_t>1, min(2 * num_threads(), work // TASK))
    w.block, w.blocks = w.count[w.axis], 1
    flat = max(s.length[0] * s.length[1] * s.length[2], <Py_ssize_t>1)
    w.samples = min(w.batch, max(<Py_ssize_t>1, CACHE // max(whole, <Py_ssize_t>1)))
    if w.groups > 1:
        w.samples = min(w.samples, (FLAT + flat - 1) // flat)
    tasks = w.groups * ((w.batch + w.samples - 1) // w.samples)
    if tasks < wanted:
        w.samples = max(<Py_ssize_t>1, w.batch * w.groups // wanted)
        tasks = w.groups * ((w.batch + w.samples - 1) // w.samples)
    if w.samples == 1 and (whole > CACHE or tasks < wanted):
        w.block = max(<Py_ssize_t>1, min(CACHE // max(layer, <Py_ssize_t>1) - (s.length[w.axis] - w.count[w.axis]),
                                         w.count[w.axis] * tasks // wanted))
        w.block = min(w.count[w.axis], max(w.block, 2 * (s.length[w.axis] - w.count[w.axis])))
        w.blocks = (w.count[w.axis] + w.block - 1) // w.block
        s.length[w.axis] -= w.count[w.axis] - w.block
    s.apart = w.samples * s.length[0] * s.length[1] * s.length[2]
    w.room = s.channels * phases * s.apart
    w.tasks = w.groups * ((w.batch + w.samples - 1) // w.samples) * w.blocks
    w.chunk = min(<Py_ssize_t>CHUNK, s.apart)
    return wanted


cdef void _list_taps(Windows* w, const Geometry* g, int kind, Py_ssize_t* at, float* packed,
                     const float* weight) noexcept nogil:
    """List the taps of each phase, and pack the weights in the order in which they are read."""
    cdef Grid* s = &w.source
    cdef Phase* phase = w.phase
    cdef Py_ssize_t p, rest, c, tap, n, k, o, r, f, j, group, total = 0, place, steps, off, here
    cdef Py_ssize_t apart = s.phases[0] * s.phases[1] * s.phases[2] * s.apart  # stride between channels
    cdef Py_ssize_t step_in = g.rows if kind == IMAGE else g.taps, step_out = g.taps if kind == IMAGE else g.rows
    cdef Py_ssize_t[AXES] of, taps, most
    cdef int d, tile
    cdef bint meets
    cdef Py_ssize_t* which = at + s.channels * g.taps  # the weight index of each tap, parallel to its offset
    for d in range(AXES):
        most[d] = g.dilation[d] * (g.kernel[d] - 1) // g.stride[d]
    for p in range(w.phases):
        rest = p
        for d in range(AXES - 1, -1, -1):
            of[d] = rest % w.step[d]
            rest //= w.step[d]
            phase.start[d] = 0 if kind != IMAGE else g.padding[d] // g.stride[d] * g.stride[d] + of[d] - g.padding[d]
        phase.at, phase.first, n = at, total * w.features, 0
        taps[0] = taps[1] = taps[2] = 0
        for tap in range(g.taps):
            place, o, meets = 0, 0, True
            for d in range(AXES):
                j = taps[d] * g.dilation[d]
                steps, off = j, 0
                if g.stride[d] != 1:  # divisions are slow
                    steps, off = j // g.stride[d], j % g.stride[d]
                if kind == IMAGE:
                    meets = meets and off == of[d]
                    here = most[d] - steps
                else:
                    o = o * s.phases[d] + off
                    here = steps
                place = place * s.length[d] + here
            for d in range(AXES - 1, -1, -1):
                taps[d] += 1
                if taps[d] < g.kernel[d]:
                    break
                taps[d] = 0
            if meets:
                at[n], which[n] = o * s.apart + place, tap
                n += 1
        for c in range(1, s.channels):  # the same taps in the other channels
            for j in range(n):
                at[c * n + j], which[c * n + j] = at[j] + c * apart, which[j] + c * step_in
        k = n * s.channels
        phase.taps = k
        for group in range(w.groups if packed != NULL else 0):
            f = 0
            while f < w.features:
                tile = _tile(w.features - f)
                place = group * w.weights + phase.first + f * k
                for j in range(k):
                    for r in range(tile):
                        packed[place] = weight[group * w.weights + (f + r) * step_out + which[j]]
                        place += 1
                f += tile
        at += k
        which += k
        total += k
        phase += 1


cdef bint _suits(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t work) noexcept:
    """Whether this is faster than columns and matrix products."""
    cdef Py_ssize_t apart = g.stride[0] * g.stride[1] * g.stride[2], weights = g.features * g.rows
    if work == 0 or apart > APART or (g.taps == 1 and g.channels > 1):
        return False
    if kind == WEIGHTS:
        return weights <= MANY
    if kind == IMAGE and apart > 1 and 1 < g.channels < 4 < g.features:
        return False
    return weights <= MANY or batch * g.positions >= FEW


cdef bint in_windows(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, char* image, char* values,
                     char* weight, char* bias) except -1:
    cdef Windows w
    cdef Py_ssize_t p, i, wanted, work = batch * groups * g.features * g.rows * g.positions
    cdef Py_ssize_t listed, packed  # bytes of the phases with their taps, number of weights in the order of use
    cdef void* place
    cdef Py_ssize_t* at
    cdef float* sums
    if _results == NULL or not _suits(g, kind, batch, work):
        return False
    w.batch, w.groups, w.failed = batch, groups, False
    if kind == IMAGE:
        w.source.channels, w.features, w.source.channel_step = g.features, g.channels, g.positions
        w.image, w.result, w.result_step = <float*>values, <float*>image, groups * g.channels * g.plane
    else:
        w.source.channels, w.features, w.source.channel_step = g.channels, g.features, g.plane
        w.image, w.result, w.result_step = <float*>image, <float*>values, groups * g.features * g.positions
    w.source.sample_step, w.slopes.channel_step = groups * w.source.channels * w.source.channel_step, g.positions
    w.slopes.channels, w.slopes.sample_step = g.features, groups * g.features * g.positions
    w.weights = g.features * g.rows
    _lay_out(&w, g, kind)
    wanted = _split(&w, kind, work)
    w.given, w.bias = <float*>values, <float*>bias
    w.parts = 1
    if kind == WEIGHTS:
        w.parts = max(<Py_ssize_t>1, min(w.tasks // groups, (wanted + groups - 1) // groups))
    listed = w.phases * <Py_ssize_t>sizeof(Phase) + 2 * w.source.channels * g.taps * <Py_ssize_t>sizeof(Py_ssize_t)
    packed = w.parts * groups * w.weights
    _held = memory(D_FLOAT32, listed // 4 + packed, &place)
    w.phase = <Phase*>place
    at = <Py_ssize_t*>(w.phase + w.phases)
    sums = <float*>(<char*>place + listed)
    if kind == WEIGHTS:
        w.slopes.apart = w.source.apart + MARGIN
        w.more = g.features * w.slopes.apart
        _list_taps(&w, g, kind, at, NULL, NULL)
        for p in range(AXES):
            w.slopes.size[p] = w.slopes.bound[p] = g.count[p]
            w.slopes.step[p], w.slopes.before[p], w.slopes.phases[p] = 1, 0, 1
            w.slopes.length[p] = w.source.length[p]
        w.tasks = groups * w.parts
        w.result = sums
        for i in range(packed):
            sums[i] = 0
    else:
        w.packed = sums
        _list_taps(&w, g, kind, at, sums, <float*>weight)
    if work < GIL_FREE:
        (_slopes if kind == WEIGHTS else _results)(&w, 0, w.tasks)
    else:
        with nogil:
            parallel_for(w.tasks, max(<Py_ssize_t>1, min(w.tasks // wanted, TASK * w.tasks // work)),
                         _slopes if kind == WEIGHTS else _results, &w)
    if w.failed:
        raise MemoryError()
    if kind == WEIGHTS:
        for i in range(groups * w.weights):
            for p in range(1, w.parts):
                sums[i] += sums[p * groups * w.weights + i]
            (<float*>weight)[i] = sums[i]
    return True
