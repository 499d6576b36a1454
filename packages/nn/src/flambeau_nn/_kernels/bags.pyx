# cython: language_level=3
"""Sums, means and maxima of rows of a table, and the gradients of the table and of the weights per row.

float16 and bfloat16 are computed in float32, after converting only the rows that are needed.
"""
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memset

from flambeau_nn._kernels.bags_types cimport MAX, Bags, bags_t
from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, D_FLOAT64, D_INT64, Array, array_of, convert, converted, dense, fresh, itemsize,
    num_threads, parallel_for, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef extern from "Python.h":
    PyObject* Py_None
    PyObject* Py_True

_loops = hot("bags", "flambeau_nn._kernels").LOOPS


cdef inline bags_t _loop(str name, int dtype):
    return <bags_t><size_t>_loops[name]["float32" if dtype == D_FLOAT32 else "float64"]


cdef int _run(Bags* b, bags_t loop, Py_ssize_t n, Py_ssize_t work) except -1:
    """Run a loop over n entries; `work` is the total number of additions."""
    if work < GIL_FREE:
        loop(b, 0, n)
    else:
        with nogil:
            parallel_for(n, max(<Py_ssize_t>1, GIL_FREE * n // max(work, <Py_ssize_t>1)), loop, b)
    return 0


# --- arguments ------------------------------------------------------------------------------------------------------

cdef class _Held:
    """Keeps the memory that bags point to alive."""
    cdef object table, indices, offsets, weights
    cdef int dtype, original


cdef object _picked(Bags* b, Array* table, int dtype):
    """Return the rows of all indices, in order, in another dtype."""
    cdef Array rows
    cdef Py_ssize_t[2] sizes
    cdef Py_ssize_t i, item = itemsize(table.dtype), wide = itemsize(dtype)
    sizes[0], sizes[1] = b.count, b.columns
    held = fresh(dtype, 2, sizes, &rows)
    for i in range(b.count):
        convert(table.dtype, table.data + b.indices[i] * table.strides[0] * item, table.strides[1] * item, dtype,
                rows.data + i * b.columns * wide, wide, b.columns)
    b.table, b.picked = rows.data, True
    return held


cdef _Held _read(Bags* b, PyObject** a):
    """(weight, indices, offsets, mode, scale_grad_by_freq, per_sample_weights, include_last_offset, padding_idx)"""
    cdef _Held held = _Held.__new__(_Held)
    cdef Array table, indices, offsets, weights
    cdef Py_ssize_t i
    array_of(a[0], &table)
    held.original = table.dtype
    held.dtype = computed(table.dtype)
    if table.ndim != 2 or (held.dtype != D_FLOAT32 and held.dtype != D_FLOAT64):
        raise NotImplementedError(f"embedding_bags: a table of size {shape_text(table.ndim, table.sizes)} and dtype "
                                  f"{type_string(table.dtype)}")
    held.indices = dense(a[1], D_INT64, &indices)
    b.mode, b.by_frequency = <object>a[3], a[4] == Py_True
    b.rows, b.columns, b.count = table.sizes[0], table.sizes[1], indices.numel
    b.indices, b.padding = <const int64_t*>indices.data, <object>a[7]
    b.offsets, b.ends, b.length, b.picked = NULL, 0, 0, False
    if a[2] == Py_None:
        b.bags, b.length = indices.sizes[0], indices.sizes[1]
    else:
        held.offsets = dense(a[2], D_INT64, &offsets)
        b.offsets, b.ends = <const int64_t*>offsets.data, offsets.numel
        b.bags = max(b.ends - (a[6] == Py_True), <Py_ssize_t>0)
        if b.ends and b.offsets[0] != 0:
            raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                               f"position 0. However, got {b.offsets[0]}")
        for i in range(b.ends):
            if b.offsets[i] > b.count:
                raise RuntimeError(f"offsets[-1] can not be greater than input's length {b.count} but got offsets[-1] "
                                   f"of {b.offsets[i]}")
    for i in range(b.count):
        if not 0 <= b.indices[i] < b.rows:
            raise RuntimeError("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be "
                               f"{b.indices[i]}")
    if held.dtype == table.dtype:
        held.table = dense(a[0], held.dtype, &table)
        b.table = table.data
    else:
        held.table = _picked(b, &table, held.dtype)
    b.weights = NULL
    if a[5] != Py_None:
        held.weights = dense(a[5], held.dtype, &weights)
        b.weights = weights.data
    return held


# --- kernels --------------------------------------------------------------------------------------------------------

cdef object _embedding_bags(PyObject* op, PyObject** a):
    cdef Bags b
    cdef Array out, size, most
    cdef Py_ssize_t[2] sizes
    cdef _Held held = _read(&b, a)
    sizes[0], sizes[1] = b.bags, b.columns
    result = fresh(held.dtype, 2, sizes, &out)
    b.out = out.data
    if b.mode == MAX:
        maxima = fresh(D_INT64, 2, sizes, &most)
        b.maximum = <int64_t*>most.data
        memset(most.data, 0, most.numel * sizeof(int64_t))
    else:
        sizes[0] = 0
        maxima = fresh(D_INT64, 1, sizes, &most)
    sizes[0] = b.bags
    bag_sizes = fresh(D_INT64, 1, sizes, &size)
    b.size = <int64_t*>size.data
    _run(&b, _loop("gather", held.dtype), b.bags, b.count * b.columns)
    return converted(result, held.original), bag_sizes, maxima


cdef object _embedding_bags_backward(PyObject* op, PyObject** a):
    """(grad_output, maxima, weight, …, padding_idx, output_mask)"""
    cdef Bags b
    cdef Array g, out, most, table, weights
    cdef Py_ssize_t i
    cdef _Held held = _read(&b, a + 2)
    cdef bint of_table, of_weights
    of_table, of_weights = <object>a[10]
    _grad = dense(a[0], held.dtype, &g)
    _maxima = dense(a[1], D_INT64, &most)
    if g.ndim != 2 or g.sizes[0] != b.bags or g.sizes[1] != b.columns or (
            b.mode == MAX and most.numel != g.numel):
        raise RuntimeError(f"embedding_bags_backward: grad_output of size {shape_text(g.ndim, g.sizes)} does not "
                           f"belong to {b.bags} bags of {b.columns} columns")
    b.grad, b.maximum, b.frequency, by_table, by_weights = g.data, <int64_t*>most.data, NULL, None, None
    if of_table:
        array_of(a[2], &table)
        by_table = fresh(held.dtype, 2, table.sizes, &out)
        b.table_grad, b.parts = out.data, num_threads() if b.count * b.columns >= GIL_FREE else 1
        if b.by_frequency:
            counts = bytearray(b.rows * <Py_ssize_t>sizeof(Py_ssize_t))
            b.frequency = <Py_ssize_t*><void*>PyByteArray_AS_STRING(counts)
            for i in range(b.count):
                b.frequency[b.indices[i]] += 1
        _run(&b, _loop("spread", held.dtype), b.parts, b.count * b.columns)
        by_table = converted(by_table, held.original)
    if of_weights:
        array_of(a[7], &weights)
        by_weights = fresh(held.dtype, weights.ndim, weights.sizes, &out)
        b.weights_grad = out.data
        memset(out.data, 0, out.numel * itemsize(held.dtype))
        _run(&b, _loop("weigh", held.dtype), b.bags, b.count * b.columns)
        by_weights = converted(by_weights, held.original)
    return by_table, by_weights


embedding_bags = new_kernel(_embedding_bags)
embedding_bags_backward = new_kernel(_embedding_bags_backward)
