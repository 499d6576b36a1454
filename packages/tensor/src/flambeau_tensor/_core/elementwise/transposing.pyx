# cython: language_level=3
"""Copying between layouts with different innermost dimensions, such as a transposed matrix to a contiguous one.

Copying element by element would touch another cache line at every read or every write. Instead, squares with as many
elements per row as a cache line holds are read by lines, transposed in a buffer, and written by lines. Squares are
grouped in tiles whose pages fit into the processor's TLB.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from flambeau_tensor._core.elementwise.loops cimport Space, prepare
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

cdef extern from "transpose.h" nogil:
    void turn16 "fl_turn16"(const char* src, Py_ssize_t step, uint32_t* out, Py_ssize_t out_step)

cdef enum:
    LINE = 64  # bytes of a cache line
    TILE = 512  # bytes of a row of a tile

ctypedef double complex pair_t  # 16 bytes

ctypedef fused unit:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    pair_t

ctypedef void (*piece_t)(const char* src, Py_ssize_t ss, char* dst, Py_ssize_t ds, Py_ssize_t ni,
                         Py_ssize_t nj) noexcept nogil

cdef struct Job:
    Space* space
    piece_t piece
    int across  # the outer dimension that is innermost in the source
    Py_ssize_t side, tile  # the number of elements in a row of a square, and of a tile
    Py_ssize_t tiles  # the number of rows of tiles, along `across`


cdef void _piece(const char* src, Py_ssize_t ss, char* dst, Py_ssize_t ds, Py_ssize_t ni, Py_ssize_t nj,
                 unit* like) noexcept nogil:
    """Copy element (i, j) from src + i ss + j item to dst + j ds + i item; ni and nj are at most a square's side."""
    cdef uint64_t[512] buffer  # LINE * LINE bytes
    cdef unit* turned = <unit*>buffer
    cdef unit* out
    cdef const unit* row
    cdef Py_ssize_t side = LINE // sizeof(unit), i, j
    if ni == side and nj == side:
        if unit is uint32_t:
            turn16(src, ss, turned, 16)
        else:
            for i in range(side):
                row = <const unit*>(src + i * ss)
                for j in range(side):
                    turned[j * side + i] = row[j]
        for j in range(side):
            memcpy(dst + j * ds, turned + j * side, LINE)
        return
    for j in range(nj):
        out = <unit*>(dst + j * ds)
        for i in range(ni):
            out[i] = (<const unit*>(src + i * ss))[j]


cdef void _tile(Job* job, const char* src, Py_ssize_t ss, char* dst, Py_ssize_t ds, Py_ssize_t ni,
                Py_ssize_t nj) noexcept nogil:
    cdef Py_ssize_t i, j = 0, item = LINE // job.side
    while j < nj:
        i = 0
        while i < ni:
            job.piece(src + i * ss + j * item, ss, dst + j * ds + i * item, ds, min(job.side, ni - i),
                      min(job.side, nj - j))
            i += job.side
        j += job.side


cdef void _task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Copy rows of tiles, counted over all planes."""
    cdef Job* job = <Job*>context
    cdef Space* s = job.space
    cdef Py_ssize_t ss = s.inner_strides[0], ds = s.strides[1][job.across], item = LINE // job.side
    cdef Py_ssize_t unit_, plane, i, j
    cdef const char* src
    cdef char* dst
    cdef int d
    for unit_ in range(begin, end):
        j = unit_ % job.tiles * job.tile
        plane = unit_ // job.tiles
        src, dst = s.ptrs[0] + j * item, s.ptrs[1] + j * ds
        for d in range(s.ndim - 1, -1, -1):
            if d != job.across:
                src += plane % s.sizes[d] * s.strides[0][d]
                dst += plane % s.sizes[d] * s.strides[1][d]
                plane //= s.sizes[d]
        i = 0
        while i < s.inner:
            _tile(job, src + i * ss, ss, dst + i * item, ds, min(job.tile, s.inner - i),
                  min(job.tile, s.sizes[job.across] - j))
            i += job.tile


cdef piece_t _piece_of(Py_ssize_t item) noexcept:
    return <piece_t>_piece[uint8_t] if item == 1 else <piece_t>_piece[uint16_t] if item == 2 else \
        <piece_t>_piece[uint32_t] if item == 4 else <piece_t>_piece[uint64_t] if item == 8 else <piece_t>_piece[pair_t]


cdef bint copy_transposed(Py_ssize_t item, char** ptrs, int ndim, const Py_ssize_t* sizes, Py_ssize_t** strides) \
        except -1:
    cdef Space s
    cdef Job job
    cdef Py_ssize_t total = prepare(&s, 2, ndim, sizes, strides), units
    cdef int d
    if s.ndim == 0 or total == 0 or s.inner_strides[1] != item or s.inner_strides[0] == item or not s.inner_strides[0]:
        return False
    job.across = -1
    for d in range(s.ndim):
        if s.strides[0][d] == item and s.strides[1][d]:
            job.across = d
    if job.across < 0:
        return False
    s.ptrs[0], s.ptrs[1] = ptrs[0], ptrs[1]
    job.space, job.piece = &s, _piece_of(item)
    job.side, job.tile = LINE // item, TILE // item
    job.tiles = (s.sizes[job.across] + job.tile - 1) // job.tile
    units = total // (s.inner * s.sizes[job.across]) * job.tiles
    if total < GIL_FREE:
        _task(&job, 0, units)
    else:
        with nogil:
            parallel_for(units, max(<Py_ssize_t>1, GRAIN * units // total), _task, &job)
    return True
