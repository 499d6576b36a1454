# cython: language_level=3
"""Conversion of tensors from and to NumPy arrays without copying, Python numbers, nested lists and buffers."""
from itertools import islice

cimport numpy as cnp
from cpython.buffer cimport PyBuffer_IsContiguous
from cpython.memoryview cimport PyMemoryView_FromObject, PyMemoryView_GET_BUFFER
from cpython.object cimport PyObject, PyTypeObject

from flambeau_overrides.abi cimport active_modes_ptr, is_default, overridden, type_overrides
from flambeau_tensor._core.elementwise.dtype cimport (
    CATEGORY, DType, ITEMSIZE, NPY_TYPE, default_dtype, dtype_from_npy, dtype_object, promoted,
    type_name,
)
from flambeau_tensor._core.elementwise.copying cimport copy_elements, copy_of, to_dtype
from flambeau_tensor._core.memory.layout cimport empty_like
from flambeau_tensor._core.memory.meta_device cimport (
    ASKS_DEVICE, ASKS_LAYOUT, ASKS_SIZES, ASKS_STRIDES, CLASS_OWNER, META, META_OWNER, OF_MEMORY, no_memory,
)
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport (
    Scalar, above_signed, is_number, load_scalar, read_scalar, scalar_dtype, store_scalar,
)
from flambeau_tensor._core.memory.storage cimport Storage, asked_storage, borrow_storage
from flambeau_tensor._core.memory.tensor cimport (
    Tensor, as_subclass, check_read, contiguous_strides, count_bytes, detached, empty, new_tensor, read_ints,
    set_geometry,
)
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.call.tracing cimport note_shown
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.recording cimport finished

from flambeau_tensor._core.schema.registry import find_handled
from flambeau_tensor._core.call.sockets import sockets

cdef int* _modes = active_modes_ptr()

cnp.import_array()


cdef str _SWAPPED = ("given numpy array has byte order different from the native byte order. Conversion between byte "
                     "orders is currently not supported.")


cdef Tensor wrap_array(cnp.ndarray a):
    """Create a tensor on the array's memory."""
    cdef int dtype = dtype_from_npy(cnp.PyArray_TYPE(a)), i, n = cnp.PyArray_NDIM(a)
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Py_ssize_t item = ITEMSIZE[dtype]
    cdef Tensor t = new_tensor()
    if not cnp.PyArray_ISNOTSWAPPED(a):
        raise ValueError(_SWAPPED)
    for i in range(n):
        if cnp.PyArray_STRIDE(a, i) < 0 and cnp.PyArray_DIM(a, i) > 1:
            raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                             "strides are not currently supported. (You can probably work around this by making a "
                             "copy of your array  with array.copy().) ")
        if cnp.PyArray_STRIDE(a, i) % item and cnp.PyArray_DIM(a, i) > 1:
            raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array "
                             "to reallocate the memory.")
        strides[i] = max(cnp.PyArray_STRIDE(a, i) // item, <Py_ssize_t>0)
    set_geometry(t, n, <Py_ssize_t*>cnp.PyArray_DIMS(a), strides)
    t.dtype = dtype
    t.storage = borrow_storage(<char*>cnp.PyArray_DATA(a), count_bytes(n, t.sizes, strides, 0, dtype), a,
                               not cnp.PyArray_ISWRITEABLE(a))
    t.data = t.storage.data
    return t


cpdef object from_numpy(object array):
    if not isinstance(array, cnp.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return wrap_array(<cnp.ndarray>array)


cpdef int warn_readonly(str what) except -1:
    import warnings

    warnings.warn(f"The given {what} is not writable, and neither is the tensor over its memory: operations that would "
                  "write to it raise an error. Copy the data first to change it.", UserWarning, stacklevel=2)
    return 0


cdef extern from "numpy/arrayobject.h":
    object PyArray_New(PyTypeObject*, int, cnp.npy_intp*, int, cnp.npy_intp*, void*, int, int, object)
    PyTypeObject PyArray_Type
    int NPY_ARRAY_WRITEABLE


cpdef object shared_array(Tensor t):
    """Create an ndarray on the tensor's memory, regardless of its history."""
    cdef cnp.npy_intp strides[MAX_NDIM]
    cdef int i
    note_shown()
    if t.flags & META:
        raise no_memory()
    if t.flags & LAZY:
        kind, cure = ("conjugate", "conj") if t.flags & CONJ else ("negative", "neg")
        raise RuntimeError(f"Can't call numpy() on Tensor that has {kind} bit set. Use tensor.resolve_{cure}().numpy() "
                           "instead.")
    if NPY_TYPE[t.dtype] < 0:
        raise TypeError(f"Got unsupported ScalarType {type_name(dtype_object(t.dtype))}")
    for i in range(t.ndim):
        strides[i] = t.strides[i] * ITEMSIZE[t.dtype]
    a = PyArray_New(&PyArray_Type, t.ndim, <cnp.npy_intp*>t.sizes, NPY_TYPE[t.dtype], strides, t.data, 0,
                    0 if t.storage.readonly else NPY_ARRAY_WRITEABLE, None)
    cnp.set_array_base(<cnp.ndarray>a, t.storage)  # keeps the memory, even if the tensor changes
    return a


cpdef object as_array(Tensor t):
    """Return an array for NumPy code to read: shares memory, except for lazy views and dtypes that NumPy lacks."""
    if t.flags & LAZY:
        t = copy_of(t)
    if NPY_TYPE[t.dtype] < 0:
        t = to_dtype(t, FLOAT32 if t.dtype == BFLOAT16 else COMPLEX64)
    return shared_array(t)


cpdef object from_array(object array):
    """Return a kernel's NumPy result as a tensor that takes over its memory."""
    cdef cnp.ndarray a = cnp.PyArray_FROM_O(array)
    if not cnp.PyArray_ISNOTSWAPPED(a) or not cnp.PyArray_ISWRITEABLE(a):
        a = a.astype(a.dtype.newbyteorder("="))
    for i in range(cnp.PyArray_NDIM(a)):
        if cnp.PyArray_STRIDE(a, i) < 0 or cnp.PyArray_STRIDE(a, i) % cnp.PyArray_ITEMSIZE(a):
            a = a.copy()
            break
    return wrap_array(a)


def from_array_operand(operand):
    """Return a NumPy operand as a tensor, or a NumPy scalar as a Python number; None for other elements."""
    if not isinstance(operand, cnp.ndarray):
        operand = operand.item()
        return operand if is_number(<PyObject*>operand) else None
    if operand.dtype.kind not in "biufc":
        return None
    for i in range(cnp.PyArray_NDIM(operand)):
        if cnp.PyArray_STRIDE(operand, i) < 0:
            return from_array(operand)
    return from_array(operand) if not cnp.PyArray_ISNOTSWAPPED(operand) else wrap_array(operand)


# --- tensors on an existing storage, for copies and pickles ---------------------------------------------------------

def over_storage(cls, Storage storage not None, DType dtype not None, Py_ssize_t offset, tuple size, tuple stride,
                 bint needs_grad, bint conj=False, bint neg=False):
    """Create a tensor of class `cls` on part of a storage, or a conjugate or negative view. All values are checked,
    because they may come from a pickle."""
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Tensor t = new_tensor()
    cdef Py_ssize_t reach
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"a subclass of Tensor is needed, not {cls!r}")
    cdef int i, n = read_ints(<PyObject*>size, sizes, MAX_NDIM, b"tensor", b"size")
    if n != read_ints(<PyObject*>stride, strides, MAX_NDIM, b"tensor", b"stride"):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(size)} sizes, {len(stride)} strides")
    for i in range(n):
        if sizes[i] < 0 or strides[i] < 0:
            raise RuntimeError(f"sizes and strides must not be negative, got {size} and {stride}")
    reach = count_bytes(n, sizes, strides, offset, dtype.id)
    if offset < 0 or reach > storage.nbytes:
        raise RuntimeError(f"sizes {size}, strides {stride} and offset {offset} need {reach} bytes, but the "
                           f"storage has {storage.nbytes}")
    set_geometry(t, n, sizes, strides)
    t.dtype = dtype.id
    t.storage = storage
    t.data = storage.data + offset * ITEMSIZE[dtype.id]
    if needs_grad:
        if CATEGORY[t.dtype] < CAT_FLOAT:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        t.flags |= REQUIRES_GRAD
    t.flags |= (CONJ if conj and CATEGORY[t.dtype] == CAT_COMPLEX else 0) | (NEG if neg else 0) | \
        (META if storage.owner is META_OWNER else 0)
    return t if cls is Tensor else as_subclass(t, <PyTypeObject*>(<type>cls))


def without_memory(cls, DType dtype not None, tuple size, stride, Py_ssize_t offset, bint needs_grad):
    """Create a tensor without memory for a class that handles its calls below autograd. It has a geometry."""
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Tensor t = new_tensor()
    cdef int n = read_ints(<PyObject*>size, sizes, MAX_NDIM, b"_make_wrapper_subclass", b"size")
    if stride is None:
        contiguous_strides(n, sizes, strides)
    elif n != read_ints(<PyObject*>stride, strides, MAX_NDIM, b"_make_wrapper_subclass", b"strides"):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(size)} sizes, {len(stride)} strides")
    set_geometry(t, n, sizes, strides)
    t.dtype = dtype.id
    t.storage = asked_storage(count_bytes(n, sizes, strides, offset, t.dtype))
    t.data = t.storage.data + offset * ITEMSIZE[t.dtype]
    if needs_grad:
        if CATEGORY[t.dtype] < CAT_FLOAT:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        t.flags |= REQUIRES_GRAD
    return as_subclass(t, <PyTypeObject*>(<type>cls))


def let_class_answer(Tensor t not None, sizes_or_strides, bint device, bint layout):
    """Let the class of a tensor compute attributes in its ``__torch_dispatch__``.

    Args:
        sizes_or_strides: "strides", "sizes" (which means both) or None.
        device: whether it computes the device.
        layout: whether it computes the layout, `torch.strided` or another one.
    """
    t.flags |= (ASKS_DEVICE if device else 0) | (ASKS_LAYOUT if layout else 0) | (
        0 if sizes_or_strides is None else ASKS_STRIDES if sizes_or_strides == "strides" else ASKS_STRIDES | ASKS_SIZES)


def is_answered_for(Tensor t not None):
    """Whether a tensor has no memory because its class handles all calls."""
    return t.storage.owner is CLASS_OWNER


def share_storage(Tensor t not None, Tensor source not None):
    """Let a tensor without memory use the storage of another, so that writes to either count for both."""
    t.storage, t.data = source.storage, source.data


def set_window(Tensor t not None, Tensor window not None):
    """Give a tensor the geometry and storage of another, as if it had been created with them."""
    set_geometry(t, window.ndim, window.sizes, window.strides)
    t.storage, t.data = window.storage, window.data
    t.flags = t.flags & ~<unsigned int>(OF_MEMORY | VIEW | ODD_VIEW) | window.flags & META
    t.base = None


def requires_grad(Tensor t not None):
    return (t.flags & REQUIRES_GRAD) != 0


def is_leaf(Tensor t not None):
    return not t.flags & REQUIRES_GRAD or t.grad_fn is None


def copy_grad(Tensor source not None, Tensor target not None, copy):
    """Give `target` a copy of the accumulated gradient of `source`, if it has one."""
    if source.grad is not None:
        target.grad = copy(source.grad)


# --- nested sequences -----------------------------------------------------------------------------------------------

cdef Py_ssize_t MOST_NUMBERS = 1 << 44


cdef int _shape_of(object data, Py_ssize_t* sizes) except -1:
    cdef int n = 0
    cdef Py_ssize_t count = 1
    while isinstance(data, (list, tuple)):
        if n == MAX_NDIM:
            raise ValueError("too many dimensions in nested sequence")
        sizes[n] = len(data)
        n += 1
        if not data:
            break
        if sizes[n - 1] > MOST_NUMBERS // count:  # the same list again and again; no loop over its items would end
            raise MemoryError("a nested sequence with too many numbers")
        count *= sizes[n - 1]
        data = data[0]
    return n


def check_regular(data):
    """Raise unless lists and tuples are nested to one depth and shape.

    NumPy checks it, too, but follows each path to an item, and there are endlessly many in a list that contains itself.
    """
    cdef Py_ssize_t sizes[MAX_NDIM]
    try:
        _category(data, 0, _shape_of(data, sizes), sizes)
    except TypeError as e:
        raise ValueError(str(e)) from None


cdef int _category(object data, int depth, int ndim, const Py_ssize_t* sizes) except -1:
    """Check that the nesting is regular; return the highest category of its numbers. CAT_COMPLEX + 1: other objects."""
    cdef int category = CAT_BOOL, c
    cdef Py_ssize_t n = 0
    cdef PyObject* p
    if depth == ndim:
        p = <PyObject*>data
        if p.ob_type == <PyTypeObject*>float:
            return CAT_FLOAT
        if p.ob_type == <PyTypeObject*>int:
            return CAT_INT
        if p.ob_type == <PyTypeObject*>bool:
            return CAT_BOOL
        if isinstance(data, complex):
            return CAT_COMPLEX
        if isinstance(data, (list, tuple)):
            raise TypeError(f"tensor(): expected a number at dim {depth}, got a {type(data).__name__} of length "
                            f"{len(data)}")
        return CAT_COMPLEX + 1
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"tensor(): expected a sequence at dim {depth}, got {type(data).__name__}")
    if len(data) != sizes[depth]:
        raise ValueError(f"expected sequence of length {sizes[depth]} at dim {depth} (got {len(data)})")
    for item in data:
        n += 1
        if n > sizes[depth]:
            break
        c = _category(item, depth + 1, ndim, sizes)
        if c > category:
            category = c
    if n != sizes[depth]:  # a subclass with another iterator
        raise ValueError(f"expected sequence of length {sizes[depth]} at dim {depth} (got {n})")
    return category


cdef char* _store(object data, int depth, int ndim, const Py_ssize_t* sizes, int dtype, char* at) except NULL:
    """Write the numbers to `at`, and return the address behind them. Sequences may have changed since their check."""
    cdef Scalar s
    cdef Py_ssize_t n = 0
    if depth == ndim:
        try:
            read_scalar(<PyObject*>data, &s)
        except OverflowError:
            if dtype == UINT64:
                raise
            if CATEGORY[dtype] < CAT_FLOAT:
                raise ValueError("Overflow when unpacking long long") from None
            data = float(data)
            read_scalar(<PyObject*>data, &s)
        if s.category == CAT_COMPLEX and dtype != BOOL and CATEGORY[dtype] != CAT_COMPLEX:
            raise TypeError("must be real number, not complex")
        if dtype == UINT64 and s.category != CAT_BOOL:
            if s.category != CAT_INT:
                raise TypeError("an integer is required")
            if s.re < 0:
                raise OverflowError("can't convert negative int to unsigned")
        elif above_signed(&s) and BOOL < dtype < FLOAT16:
            raise ValueError("Overflow when unpacking long long")
        store_scalar(&s, dtype, at)
        return at + ITEMSIZE[dtype]
    for item in data:
        n += 1
        if n > sizes[depth]:
            break
        at = _store(item, depth + 1, ndim, sizes, dtype, at)
    if n != sizes[depth]:
        raise RuntimeError(f"{type(data).__name__} changed size during iteration")
    return at


cdef bint _is_sequence(object data):
    return isinstance(data, (list, tuple)) or (
        hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, (str, bytes, dict)))


cdef object _unpacked(object data, int* dtype, int depth):
    """Return the numbers in tensors, arrays and other sequences as nested lists, and the dtype that they promote to."""
    cdef int found
    if depth > MAX_NDIM:
        raise ValueError(f"too many dimensions '{type(data).__name__}'")
    if isinstance(data, Tensor):
        found = (<Tensor>data).dtype
        if (<Tensor>data).numel != 1:
            if CATEGORY[found] <= CAT_INT:
                raise TypeError("only integer tensors of a single element can be converted to an index")
            raise ValueError("only one element tensors can be converted to Python scalars")
        check_read(<Tensor>data, "tensor")
        data = load_scalar(found, (<Tensor>data).data)
    elif cnp.PyArray_CheckScalar(data) or isinstance(data, cnp.ndarray):
        found = dtype_from_npy(cnp.PyArray_TYPE(<cnp.ndarray>cnp.PyArray_FROM_O(data)))
        data = data.tolist()
    elif is_number(<PyObject*>data) or isinstance(data, (int, float, complex)):
        found = scalar_dtype(CAT_COMPLEX if isinstance(data, complex) else CAT_FLOAT if isinstance(data, float)
                             else CAT_BOOL if isinstance(data, bool) else CAT_INT)
    elif isinstance(data, memoryview):
        return _unpacked(data.tolist(), dtype, depth)
    elif _is_sequence(data):
        items = [None] * len(data)  # raises if there is not enough memory
        n = 0
        for d in data if isinstance(data, (list, tuple)) else islice(data, len(items)):  # it may have no end
            if d is data:
                raise TypeError("new(): self-referential lists are incompatible")
            if n == len(items):
                raise RuntimeError(f"{type(data).__name__} changed size during iteration")
            items[n] = _unpacked(d, dtype, depth + 1)
            n += 1
        del items[n:]
        return items
    else:
        return data
    dtype[0] = found if dtype[0] < 0 else promoted(dtype[0], found)
    return data


cdef Tensor _of_storage(object data, object dtype):
    """Create a new tensor with a copy of a storage's bytes, as elements of `dtype`."""
    cdef object untyped = getattr(data, "_untyped_storage", data)
    cdef object kind = None if data is untyped else data.dtype
    if dtype is None:
        dtype = dtype_object(INT64) if kind is None else kind
    elif kind is not None and kind is not dtype:
        raise RuntimeError(f"Expected a Storage of type {type_name(dtype)} or an UntypedStorage, but got "
                           f"{type_name(kind)}")
    cdef Py_ssize_t n = untyped.nbytes() // ITEMSIZE[(<DType>dtype).id]
    return copy_of(over_storage(Tensor, untyped, dtype, 0, (n,), (1,), False))


cpdef Tensor from_data(object data, object dtype):
    """Create a tensor from numbers, nested sequences, arrays or tensors; infers the dtype unless it is given."""
    cdef Py_ssize_t sizes[MAX_NDIM]
    cdef int n, category, other = -1, want = -1 if dtype is None else (<DType?>dtype).id
    cdef Tensor t, out
    if isinstance(data, Tensor):
        t = <Tensor>data
        check_read(t, "tensor")
    elif isinstance(data, cnp.ndarray) or cnp.PyArray_CheckScalar(data):
        array = cnp.PyArray_FROM_O(data)
        if not cnp.PyArray_ISNOTSWAPPED(array):
            raise ValueError(_SWAPPED)
        t = <Tensor>from_array(array)
    else:
        t = None
    if t is not None:
        out = empty_like(t, t.dtype if want < 0 else want)
        copy_elements(out, t)
        return out
    n = _shape_of(data, sizes)
    try:
        category = _category(data, 0, n, sizes)
    except TypeError:
        category = CAT_COMPLEX + 1
    if category > CAT_COMPLEX:
        if isinstance(data, Storage) or hasattr(data, "_untyped_storage"):
            return _of_storage(data, dtype)
        if hasattr(data, "__array__") or hasattr(data, "__array_interface__"):
            return from_data(cnp.PyArray_FROM_O(data), dtype)
        plain = _unpacked(data, &other, 0)
        n = _shape_of(plain, sizes)
        category = _category(plain, 0, n, sizes)
        if category > CAT_COMPLEX:
            raise _invalid(data)
        data = plain
        if want < 0 and other >= 0:
            want = other
    if want < 0:
        empty_list = n > 0 and sizes[n - 1] == 0
        want = default_dtype() if empty_list else scalar_dtype(category)
    out = empty(want, n, sizes)
    if out.numel:
        _store(data, 0, n, sizes, want, out.data)
    return out


cdef object _invalid(object data):
    while isinstance(data, (list, tuple)) and data:
        for item in data:
            if not is_number(<PyObject*>item):
                data = item
                break
        else:
            break
    if data is None:
        return RuntimeError("Could not infer dtype of NoneType")
    if isinstance(data, (str, bytes)):
        return TypeError(f"new(): invalid data type '{type(data).__name__}'")
    return RuntimeError(f"Could not infer dtype of {type(data).__name__}")


cdef object _to_list(Tensor t, int dim, const char* at):
    cdef Py_ssize_t i, step
    if dim == t.ndim:
        return load_scalar(t.dtype, at)
    step = t.strides[dim] * ITEMSIZE[t.dtype] if t.sizes[dim] > 1 else 0  # any stride is possible for size 1
    cdef list items = [None] * t.sizes[dim]  # allocated at once, so a list that is too large raises before it is filled
    for i in range(t.sizes[dim]):
        items[i] = _to_list(t, dim + 1, at + i * step)
    return items


cpdef object tolist(Tensor t):
    """Return the elements as nested lists of Python numbers."""
    if t.flags & META:
        raise no_memory()
    if t.numel > MOST_NUMBERS:
        raise MemoryError(f"a list of {t.numel} numbers")
    if t.flags & LAZY or t.ndim:  # finalizers and other threads may resize the tensor while objects are created
        t = copy_of(t)
    return _to_list(t, 0, t.data)


cdef object _item(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    if t.numel != 1:
        raise RuntimeError(f"a Tensor with {t.numel} elements cannot be converted to Scalar")
    if t.flags & META:
        raise no_memory()
    if t.flags & LAZY:
        t = copy_of(t)
    return load_scalar(t.dtype, t.data)


cdef object _tolist(Operator op, PyObject** a):
    if (<Tensor>a[0]).flags & DISPATCH:  # its memory does not hold its elements
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(<object>a[0]).__name__}")
    return tolist(<Tensor>a[0])


def shared_array_checked(Tensor t not None):
    """Return `shared_array`; raises if a gradient would be lost silently."""
    if t.flags & REQUIRES_GRAD and thread_state().grad_enabled:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if t.flags & DISPATCH:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    check_read(t, "numpy")
    t.storage.lent = True  # its memory must not move
    return shared_array(t)


def lend_buffer(Tensor t not None):
    """`shared_array_checked` for the buffer protocol. If handlers apply, raises, and NumPy calls `__array__` next."""
    cdef PyObject* o = <PyObject*>t
    cdef bint handled = type_overrides(o.ob_type) and not is_default(o.ob_type)
    if (handled or _modes[0] != 0) and overridden(find_handled("torch.Tensor", "__array__"), [t] if handled else None):
        raise BufferError("handlers of __torch_function__ do not see the buffer protocol; use Tensor.__array__()")
    return shared_array_checked(t)


cdef object _numpy(Operator op, PyObject** a):
    if a[1] != Py_True:
        return shared_array_checked(<Tensor>a[0])
    (<Tensor>a[0]).storage.lent = True
    return shared_array(copy_of(<Tensor>a[0]) if (<Tensor>a[0]).flags & LAZY else <Tensor>a[0])


item = make_kernel(_item)
tolist_ = make_kernel(_tolist)
numpy = make_kernel(_numpy)


cdef object _tensor(Operator op, PyObject** a):  # (data, *, dtype, device, requires_grad, pin_memory)
    if a[2] != <PyObject*>None:
        from flambeau_tensor.options import check_device

        check_device(<object>a[2])
    if isinstance(<object>a[0], Tensor):
        import warnings

        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                      UserWarning, stacklevel=2)
        if (<Tensor>a[0]).flags & META:
            return finished(find("torch._ops.to_meta")(detached(<Tensor>a[0]), <object>a[1]), a[3])
    return finished(from_data(<object>a[0], <object>a[1]), a[3])


cdef object _from_numpy(Operator op, PyObject** a):
    cdef Tensor t = from_numpy(<object>a[0])
    if t.storage.readonly:
        warn_readonly("NumPy array")
    return t


cdef object _frombuffer(Operator op, PyObject** a):  # (buffer, *, dtype, count, offset, requires_grad)
    cdef Py_buffer* view
    cdef Py_ssize_t n, count = <object>a[2], offset = <object>a[3], one = 1
    cdef int dtype = (<DType>a[1]).id
    cdef Py_ssize_t item = ITEMSIZE[dtype]
    cdef Tensor t
    try:
        memory = PyMemoryView_FromObject(<object>a[0])
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    view = PyMemoryView_GET_BUFFER(memory)
    n = view.len
    if n == 0 or count == 0:
        raise ValueError(f"both buffer length ({n}) and count ({count}) must not be 0")
    if not 0 <= offset < n:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({n} bytes) "
                         "minus 1")
    if count < 0 and (n - offset) % item:
        raise ValueError(f"buffer length ({n - offset} bytes) after offset ({offset} bytes) must be a multiple of "
                         f"element size ({item})")
    if count > (n - offset) // item:
        raise ValueError(f"requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) must not be "
                         f"greater than actual buffer length ({n} bytes)")
    if not PyBuffer_IsContiguous(view, b"C"):
        raise ValueError("ndarray is not C-contiguous")
    count = (n - offset) // item if count < 0 else count
    t = new_tensor()
    set_geometry(t, 1, &count, &one)
    t.dtype = dtype
    t.storage = borrow_storage(<char*>view.buf + offset, count * item, memory, view.readonly)
    t.data = t.storage.data
    if view.readonly:
        warn_readonly("buffer")
    return finished(t, a[4])


tensor = make_kernel(_tensor)
from_numpy_, frombuffer = make_kernel(_from_numpy), make_kernel(_frombuffer)
sockets.as_array = as_array
sockets.as_buffer = lend_buffer
sockets.from_operand = from_array_operand
