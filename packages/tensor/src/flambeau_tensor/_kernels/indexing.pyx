# cython: language_level=3
"""Indexing: evaluates the expression between the brackets by views, and by gathering and scattering for index tensors.

An index expression is read once, from left to right. Integers, slices, None, True and the ellipsis create a view; index
tensors and masks (and lists and arrays, after conversion) are stored with their dimensions of that view. If autograd or
a transform takes part, operators perform the same steps.
"""
from cpython.bool cimport PyBool_Check
from cpython.list cimport PyList_Check, PyList_GET_ITEM
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.slice cimport PySlice_Check
from cpython.tuple cimport PyTuple_Check, PyTuple_GET_ITEM, PyTuple_GET_SIZE

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements, copy_of, fill_elements, to_dtype
from flambeau_tensor._core.memory.meta_device cimport META, no_memory
from flambeau_tensor._core.elementwise.operands cimport (
    check_apart, check_not_readonly, check_overlap, check_writable, lie_apart, warn_expanded
)
from flambeau_tensor._core.call.operator cimport OP_INPLACE, Operator, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport is_number, load_scalar
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, grad_flags, same_shape, shape_str, view_of
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.index_loops cimport ADD, supports
from flambeau_tensor._kernels.advanced_indexing cimport AdvancedIndex, gathered, prepare_index, scattered
from flambeau_tensor._kernels.recording cimport recorded

import numpy as np

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._kernels.interop import check_regular, from_array, from_numpy

cdef extern from "Python.h":
    int PySlice_Unpack(object, Py_ssize_t*, Py_ssize_t*, Py_ssize_t*) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t, Py_ssize_t*, Py_ssize_t*, Py_ssize_t)
    Py_ssize_t PyNumber_AsSsize_t(object, object) except? -1
    int PyIndex_Check(object)
    object PyNumber_Index(object)


# --- views ----------------------------------------------------------------------------------------------------------

cdef Tensor selected(Tensor t, int dim, Py_ssize_t i):
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d
    if recorded(grad_flags(t)):
        return find("torch.select")(t, dim, i)
    for d in range(t.ndim - 1):
        sizes[d] = t.sizes[d + (d >= dim)]
        strides[d] = t.strides[d + (d >= dim)]
    return view_of(t, t.ndim - 1, sizes, strides, t.data + i * t.strides[dim] * ITEMSIZE[t.dtype])


cdef Tensor sliced(Tensor t, int dim, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t step):
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d
    if recorded(grad_flags(t)):
        return find("torch._ops.slice")(t, dim, start, stop, step)
    for d in range(t.ndim):
        sizes[d] = t.sizes[d]
        strides[d] = t.strides[d]
    sizes[dim] = (stop - start - 1) // step + 1 if stop > start else 0
    strides[dim] = t.strides[dim] * step
    return view_of(t, t.ndim, sizes, strides, t.data + start * t.strides[dim] * ITEMSIZE[t.dtype])


# --- reading an index expression ------------------------------------------------------------------------------------

cdef struct Reading:
    int ndim  # of the view so far
    int source  # the next dimension of the indexed tensor
    int nindices  # index tensors found
    int specified  # dimensions that are indexed without the ellipsis
    char* data
    Py_ssize_t[MAX_NDIM] sizes, strides
    PyObject* indices[MAX_NDIM]  # by dimension of the view; NULL: no index tensor


cdef object _invalid(object o):
    return IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                      f"indices (got {type(o).__name__})")


cdef Tensor _index_tensor(object o):
    """Return an index as a tensor; converts arrays and all objects that NumPy converts to arrays."""
    cdef Tensor t
    if isinstance(o, Tensor):
        t = <Tensor>o
    else:
        if PyList_Check(o):
            t = _list_of_ints(<list>o)
            if t is not None:
                return t
        if isinstance(o, (str, bytes, dict, set, float, complex)):
            raise _invalid(o)
        try:
            check_regular(o)
            a = np.asarray(o)
        except ValueError as e:
            raise IndexError(f"a nested sequence must be regular to be an index: {e}") from None
        if a.dtype.kind not in "biu":
            if a.size or a.dtype.kind != "f" or isinstance(o, np.ndarray):
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors") \
                    if a.dtype.kind in "fc" else _invalid(o)
            a = a.astype(np.int64)  # an empty list
        elif a.dtype.kind != "b" and a.dtype != np.uint8:
            a = a.astype(np.int64)
        t = from_array(a)
    if t.dtype == UINT8:
        import warnings

        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                      UserWarning, stacklevel=2)
        return t.to(dtype_object(BOOL))  # an operator, so a tracer records it
    if t.ndim == 0 and t.dtype != INT64 and t.dtype != INT32 and CATEGORY[t.dtype] == CAT_INT:
        return t.to(dtype_object(INT64))  # a number
    if t.dtype != INT64 and t.dtype != BOOL and t.dtype != INT32:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return t


cdef Tensor _list_of_ints(list o):
    """Convert a list of ints, the most common case, without NumPy; None for other lists."""
    cdef Py_ssize_t n = len(o), i
    cdef Tensor t
    for i in range(n):
        if not PyLong_CheckExact(<object>PyList_GET_ITEM(o, i)):
            return None
    t = empty(INT64, 1, &n)
    for i in range(n):
        (<long long*>t.data)[i] = PyNumber_AsSsize_t(<object>PyList_GET_ITEM(o, i), IndexError)
    return t


cdef bint _means_tuple(object index) except -1:
    """Whether a sequence counts as a tuple by the old rule: it contains a sequence, slice, tensor, None or ellipsis."""
    if not isinstance(index, (list, range)) or len(index) >= 32:
        return False
    for o in index:
        if o is None or o is Ellipsis or isinstance(o, (slice, Tensor, list, tuple)):
            import warnings

            warnings.warn("Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] "
                          "instead of x[seq]", UserWarning, stacklevel=2)
            return True
    return False


cdef list _kept(list keep, object o):
    if keep is None:
        return [o]
    keep.append(o)
    return keep


cdef list _read(Tensor t, PyObject* index, Reading* r, bint seen):
    """Fill `r`. Returns the objects to keep alive, or None; if `seen`, the first of them is the view."""
    cdef list keep = [t] if seen else None
    cdef PyObject* o
    cdef PyObject* converted[MAX_NDIM]
    cdef Py_ssize_t n = 1, i
    cdef bint tuple_like = PyTuple_Check(<object>index)
    if not tuple_like and PyList_Check(<object>index) and _means_tuple(<object>index):
        as_tuple = tuple(<object>index)
        keep = _kept(keep, as_tuple)
        index = <PyObject*>as_tuple
        tuple_like = True
    if tuple_like:
        n = PyTuple_GET_SIZE(<object>index)
    if n > MAX_NDIM:
        raise IndexError(f"too many indices for tensor of dimension {t.ndim}")
    r.ndim = r.source = r.nindices = r.specified = 0
    r.data = t.data
    for i in range(n):
        o = PyTuple_GET_ITEM(<object>index, i) if tuple_like else index
        if PyLong_CheckExact(<object>o) or PySlice_Check(<object>o):
            r.specified += 1
        elif o != <PyObject*>None and o != <PyObject*>Ellipsis and not PyBool_Check(<object>o):
            made = _converted(t, <object>o, r)
            keep = _kept(keep, made)
            o = <PyObject*>made
        converted[i] = o
    if r.specified > t.ndim:
        raise _too_many(t, n, converted[0])
    for i in range(n):
        o = converted[i]
        if PyLong_CheckExact(<object>o):
            _apply_int(t, <object>o, r, keep if seen else None)
        elif PySlice_Check(<object>o):
            _apply_slice(t, <object>o, r, keep if seen else None)
        elif o == <PyObject*>Ellipsis:
            for _ in range(t.ndim - r.specified):
                _keep(t, r)
            r.specified = t.ndim  # a second ellipsis covers no dimensions
        elif o == <PyObject*>None or PyBool_Check(<object>o):
            keep = _apply_new(t, <object>o, r, keep, seen)
        else:
            keep = _apply_tensor(t, <Tensor>o, r, keep, seen)
    while r.source < t.ndim:
        _keep(t, r)
    return keep


cdef object _converted(Tensor t, object o, Reading* r):
    """Return an int or index tensor for an object that is not an int, slice, ellipsis, None or bool."""
    cdef Tensor x
    if not isinstance(o, Tensor) and PyIndex_Check(o) and not isinstance(o, np.ndarray):
        r.specified += 1
        return PyNumber_Index(o)  # an exact int
    x = _index_tensor(o)
    if x.flags & META and not t.flags & META:
        raise RuntimeError("Tensor on device meta is not on the expected device cpu!")
    if x.ndim == 0 and x.dtype != BOOL and not x.flags & LAYERED:
        if x.flags & META:
            raise no_memory()
        r.specified += 1
        if (x.flags | thread_state().dispatching) & DISPATCH:  # a handler has to see that the number is read
            return find("torch.Tensor.item")(x)
        return load_scalar(x.dtype, x.data)
    r.specified += x.ndim if x.dtype == BOOL else 1
    return x


cdef object _too_many(Tensor t, Py_ssize_t n, PyObject* first):
    if n == 1 and t.ndim == 0:
        if PyLong_CheckExact(<object>first):
            return IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
                              "in C++ to convert a 0-dim tensor to a number")
        if PySlice_Check(<object>first):
            return IndexError("slice() cannot be applied to a 0-dim tensor.")
    return IndexError(f"too many indices for tensor of dimension {t.ndim}")


# The effect of each kind of index on the view. `views` is None or a list whose first element is the view.

cdef int _apply_int(Tensor t, object o, Reading* r, list views) except -1:
    cdef Py_ssize_t i = PyNumber_AsSsize_t(o, IndexError), size = t.sizes[r.source]
    if i < -size or i >= size:
        raise IndexError(f"index {i} is out of bounds for dimension {r.source} with size {size}")
    if i < 0:
        i += size
    r.data += i * t.strides[r.source] * ITEMSIZE[t.dtype]
    r.source += 1
    if views is not None:
        views[0] = find("torch.select")(views[0], r.ndim, i)
    return 0


cdef int _apply_slice(Tensor t, object o, Reading* r, list views) except -1:
    cdef Py_ssize_t start, stop, step, size = t.sizes[r.source], stride = t.strides[r.source]
    PySlice_Unpack(o, &start, &stop, &step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    r.sizes[r.ndim] = PySlice_AdjustIndices(size, &start, &stop, step)
    r.strides[r.ndim] = stride * step
    r.data += start * stride * ITEMSIZE[t.dtype]
    if views is not None and (step != 1 or r.sizes[r.ndim] != size):
        views[0] = find("torch._ops.slice")(views[0], r.ndim, start, stop if stop > start else start, step)
    _next(r, NULL)
    r.source += 1
    return 0


cdef list _apply_new(Tensor t, object truth, Reading* r, list keep, bint seen):
    """Apply None or a bool: a new dimension of size 1. True selects its only element, False none."""
    cdef Tensor x = None
    if seen:
        keep[0] = find("torch.unsqueeze")(keep[0], r.ndim)
    if truth is not None:
        x = _truth(truth is True)
        keep = _kept(keep, x)
    _new(t, r, x)
    return keep


cdef int _check_mask(Tensor x, Tensor t, int at) except -1:
    """Check that a mask has the sizes of the dimensions that it covers, beginning with `at`."""
    cdef int d
    for d in range(x.ndim):
        if x.sizes[d] != t.sizes[at + d]:
            raise IndexError(
                f"The shape of the mask {shape_str(x.ndim, x.sizes)} at index {d} does not match the shape of the "
                f"indexed tensor {shape_str(t.ndim, t.sizes)} at index {at + d}")
    return 0


cdef list _apply_tensor(Tensor t, Tensor x, Reading* r, list keep, bint seen):
    cdef int width = x.ndim if x.dtype == BOOL else 1
    if width == 0:
        if x.flags & LAYERED:
            raise RuntimeError("vmap: a truth value that differs between examples cannot be an index: it says whether "
                               "there is a result. Use torch.where.")
        if x.flags & META:
            raise no_memory()
        if (x.flags | thread_state().dispatching) & DISPATCH:  # a handler has to see that the truth value is read
            return _apply_new(t, find("torch.Tensor.item")(x), r, keep, seen)
        return _apply_new(t, (<char*>x.data)[0] != 0, r, keep, seen)
    if x.dtype == BOOL:
        _check_mask(x, t, r.source)
    for _ in range(width):
        _keep(t, r)
    r.indices[r.ndim - width] = <PyObject*>x
    r.nindices += 1
    return keep


cdef inline int _next(Reading* r, PyObject* index) except -1:
    r.indices[r.ndim] = index
    r.ndim += 1
    if r.ndim >= MAX_NDIM:
        raise IndexError(f"the result of indexing would have more than {MAX_NDIM} dimensions")
    return 0


cdef inline int _keep(Tensor t, Reading* r) except -1:
    r.sizes[r.ndim] = t.sizes[r.source]
    r.strides[r.ndim] = t.strides[r.source]
    r.source += 1
    return _next(r, NULL)


cdef int _new(Tensor t, Reading* r, Tensor index) except -1:
    r.sizes[r.ndim] = 1
    r.strides[r.ndim] = t.sizes[r.source] * t.strides[r.source] if r.source < t.ndim else 1  # the stride of `unsqueeze`
    if index is not None:
        r.nindices += 1
        return _next(r, <PyObject*>index)
    return _next(r, NULL)


cdef Tensor _truth(bint value):
    """Return a bool as an index of a dimension of size 1: True selects its element, False none."""
    cdef Py_ssize_t n = value
    cdef Tensor t = empty(INT64, 1, &n)
    if value:
        (<long long*>t.data)[0] = 0
    return t


cdef tuple _index_tuple(Reading* r):
    cdef int d, last = 0
    for d in range(r.ndim):
        if r.indices[d] != NULL:
            last = d + 1
    return tuple([None if r.indices[d] == NULL else <object>r.indices[d] for d in range(last)])


# --- by index tensors -----------------------------------------------------------------------------------------------


cdef int _read_indices(Tensor t, tuple given, PyObject** indices, list keep) except -1:
    """Read the indices of index() and index_put(): tensors or None for the leading dimensions."""
    cdef int d = 0, width
    cdef Tensor x
    for i in given:
        x = None
        width = 1
        if i is not None:
            x = _index_tensor(i)
            if x.dtype == BOOL:
                if x.ndim == 0:
                    raise IndexError("a mask without dimensions cannot index; use unsqueeze()")
                width = x.ndim
            keep.append(x)
        if d + width > t.ndim:
            raise IndexError(f"too many indices for tensor of dimension {t.ndim} (got {len(given)})")
        if x is not None and x.dtype == BOOL:
            _check_mask(x, t, d)
        for _ in range(width):
            indices[d] = NULL
            d += 1
        if x is not None:
            indices[d - width] = <PyObject*>x
    width = d
    while d < t.ndim:
        indices[d] = NULL
        d += 1
    return width


cdef object _index(Operator op, PyObject** a):  # (self, indices)
    cdef Tensor t = <Tensor>a[0]
    cdef PyObject* indices[MAX_NDIM]
    cdef list keep = []
    cdef AdvancedIndex p
    _read_indices(t, <tuple>a[1], indices, keep)
    if not keep:
        return copy_of(t)
    _offsets = prepare_index(&p, t.dtype, t.ndim, t.sizes, t.strides, t.data, indices)
    return gathered(&p, t.dtype)


cdef inline bint _can_hold(int dtype, int other) noexcept:
    return CATEGORY[other] < CAT_COMPLEX or CATEGORY[dtype] == CAT_COMPLEX


cdef bint _is_one_mask(tuple indices):
    return len(indices) == 1 and isinstance(indices[0], Tensor) and (<Tensor>indices[0]).dtype == BOOL


cdef object _index_put(Operator op, PyObject** a):  # (self, indices, values, accumulate)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor values = <Tensor>a[2]
    cdef Tensor wide
    cdef PyObject* indices[MAX_NDIM]
    cdef list keep = []
    cdef AdvancedIndex p
    cdef bint accumulate = <object>a[3]
    if op.flags & OP_INPLACE == 0:
        t = copy_of(t)
    _read_indices(t, <tuple>a[1], indices, keep)
    if not keep:
        raise RuntimeError(f"{op.name}(): at least one of the indices must be a tensor")
    if values.numel == 1 and not accumulate and _is_one_mask(<tuple>a[1]) and _can_hold(t.dtype, values.dtype):
        values = to_dtype(values, t.dtype)  # PyTorch fills in this case
    wide = to_dtype(t, FLOAT32) if accumulate and not supports(ADD, t.dtype) else t  # for float16 and bfloat16
    _offsets = prepare_index(&p, wide.dtype, wide.ndim, wide.sizes, wide.strides, wide.data, indices, values, t.dtype)
    if op.flags & OP_INPLACE:
        _check_apart(op.name, t, values, t.ndim, indices)
    scattered(&p, wide, values if wide is t else to_dtype(values, FLOAT32), accumulate)
    if wide is not t:
        copy_elements(t, wide)
    if op.flags & OP_INPLACE:
        t.storage.version += 1
    return t


cdef int _check_apart(str name, Tensor t, Tensor values, int n, PyObject** indices) except -1:
    """Check that neither values nor indices share memory with `t`. Elements may be written several times."""
    cdef int d
    check_not_readonly(name, t)
    warn_expanded("index_put_", t, "[indices] = tensor")
    check_apart(t, values)
    for d in range(n):
        if indices[d] != NULL and isinstance(<object>indices[d], Tensor) and (<Tensor>indices[d]).dtype != BOOL:
            check_apart(t, <Tensor>indices[d])
    return 0


# --- x[...] and x[...] = v ------------------------------------------------------------------------------------------

cdef object _getitem(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor view
    cdef Reading r
    cdef AdvancedIndex p
    cdef bint seen = recorded(grad_flags(t))
    keep = _read(t, a[1], &r, seen)
    if seen:
        view = keep[0]
        if r.nindices:
            return find("torch._ops.index")(view, _index_tuple(&r))
        return find("torch._ops.alias")(view) if view is t else view
    if r.nindices:
        _offsets = prepare_index(&p, t.dtype, r.ndim, r.sizes, r.strides, r.data, r.indices)
        return gathered(&p, t.dtype)
    return view_of(t, r.ndim, r.sizes, r.strides, r.data)


cdef object _wrong_value(Tensor t, object value):
    return TypeError(f"can't assign a {type(value).__name__} to a torch.{type_name(dtype_object(t.dtype))}Tensor")


cpdef Tensor value_tensor(Tensor t, object value):
    """Return an assigned value as a tensor; Python numbers get the dtype of `t`."""
    cdef Tensor number
    if isinstance(value, Tensor):
        return <Tensor>value
    if is_number(<PyObject*>value) or isinstance(value, (int, float, complex, np.generic)):
        if isinstance(value, complex) and CATEGORY[t.dtype] != CAT_COMPLEX:
            raise RuntimeError(f"value cannot be converted to type {dtype_object(t.dtype).name} without overflow")
        # Finite numbers beyond a half type become infinite.
        number = empty(FLOAT32 if t.dtype == FLOAT16 or t.dtype == BFLOAT16 else t.dtype, 0, NULL)
        fill_elements(number, value)
        return to_dtype(number, t.dtype)
    if isinstance(value, np.ndarray):
        return from_numpy(value) if value.flags.c_contiguous else from_array(value)
    raise _wrong_value(t, value)


cdef object _setitem(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor view, values
    cdef Reading r
    cdef AdvancedIndex p
    cdef bint seen
    values = value_tensor(t, <object>a[2])
    seen = recorded(grad_flags(t) | grad_flags(values))
    keep = _read(t, a[1], &r, seen)
    view = keep[0] if seen else None
    if r.nindices == 0:
        if not seen:
            view = view_of(t, r.ndim, r.sizes, r.strides, r.data)
        values = _fitted(values, view)
        if seen:
            find("torch.Tensor.copy_")(find("torch._ops.alias")(view) if view is t else view, values)
        else:
            check_writable(op.name, view)
            if same_shape(view, values):
                check_overlap(view, values)
            elif not lie_apart(view, values):
                values = copy_of(values)
            copy_elements(view, values)
            t.storage.version += 1
        return None
    if values.dtype != t.dtype and values.ndim == 0:
        values = find("torch._ops.to_copy")(values, dtype_object(t.dtype))
    if seen:
        find("torch.index_put_")(view, _index_tuple(&r), values)
        return None
    _offsets = prepare_index(&p, t.dtype, r.ndim, r.sizes, r.strides, r.data, r.indices, values, t.dtype)
    _check_apart(op.name, t, values, r.ndim, r.indices)
    scattered(&p, t, values, False)
    t.storage.version += 1
    return None


cdef Tensor _fitted(Tensor values, Tensor view):
    """Drop leading dimensions of size 1 that the destination does not have; the remaining shape must broadcast."""
    cdef int extra = values.ndim - view.ndim, d
    for d in range(extra):
        if values.sizes[d] != 1:
            raise RuntimeError(f"expand: the number of sizes provided ({view.ndim}) must be greater or equal to the "
                               f"number of dimensions in the tensor ({values.ndim})")
    if extra > 0:
        if recorded(grad_flags(values)):
            values = find("torch.reshape")(values, tuple([values.sizes[d] for d in range(extra, values.ndim)]))
        else:
            values = view_of(values, view.ndim, values.sizes + extra, values.strides + extra, values.data)
        extra = 0
    for d in range(values.ndim):
        if values.sizes[d] != 1 and values.sizes[d] != view.sizes[d - extra]:
            raise RuntimeError(
                f"The expanded size of the tensor ({view.sizes[d - extra]}) must match the existing size "
                f"({values.sizes[d]}) at non-singleton dimension {d - extra}.  Target sizes: "
                f"{shape_str(view.ndim, view.sizes)}.  Tensor sizes: {shape_str(values.ndim, values.sizes)}")
    return values


getitem = make_kernel(_getitem)
setitem = make_kernel(_setitem)
index = make_kernel(_index)
index_put = make_kernel(_index_put, True)
