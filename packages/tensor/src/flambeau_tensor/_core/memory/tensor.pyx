# cython: language_level=3, c_api_binop_methods=True
"""The Tensor: a window (sizes, strides, first element) on a Storage.

The class contains only what Python's syntax needs. Methods, properties and functions are operators, which
``registry.pyx`` adds to it. The object stores sizes and strides of up to five dimensions, freed objects are reused, and
creating a tensor runs no Python code.
"""
cimport cython
from cpython.buffer cimport PyObject_GetBuffer
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject, newfunc
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM

from flambeau_overrides.abi cimport OVERRIDES_ABI, active_modes_ptr, pop_all_disabled, push_all_disabled

from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE
from flambeau_tensor._core.memory.meta_device cimport ASKS, META
from flambeau_tensor._core.memory.overflow cimport MAX_SIZE, fl_multiply, fl_sum
from flambeau_tensor._core.elementwise.scalar cimport Scalar, read_scalar, store_scalar
from flambeau_tensor._core.call.sockets cimport call_syntax, release, sockets
from flambeau_tensor._core.memory.shells cimport Shells, keep, take
from flambeau_tensor._core.memory.storage cimport new_storage, resize_storage
from flambeau_tensor._core.call.syntax_slots cimport *
from flambeau_tensor._core.memory.type_slots cimport FullType, destructor, forget_owner, traverseproc, visitproc
from flambeau_tensor._core.memory.types cimport *

from flambeau_overrides.abi import require
from flambeau_tensor._core.memory.size import Size

require(OVERRIDES_ABI, "flambeau-tensor")

cdef extern from "Python.h":
    object PyTuple_NewSized "PyType_GenericAlloc"(PyTypeObject* t, Py_ssize_t n)
    ctypedef struct PyGetSetDef:
        const char* name
        object (*get)(object, void*)
        int (*set)(object, object, void*) except -1
    object PyObject_GenericGetDict(object, void*)
    int PyObject_GenericSetDict(object, object, void*) except -1
    object PyDescr_NewGetSet(PyTypeObject*, PyGetSetDef*)
    void PyType_Modified(PyTypeObject*)
    void PyObject_GC_Track(void*)
    void PyObject_GC_UnTrack(void*)
    void PyObject_ClearWeakRefs(PyObject*)
    Py_ssize_t Py_REFCNT(PyObject*)
    void Py_SET_TYPE(PyObject*, PyTypeObject*)


cdef int* _modes = active_modes_ptr()
SizeType = Size


@cython.auto_pickle(False)
cdef class Tensor:
    """A multi-dimensional array of one element type.

    Shape, dtype and strides are set at creation; views share elements and the version counter. Create tensors with
    ``torch.tensor``, ``torch.zeros`` and similar functions; ``torch.Tensor(2, 3)`` is uninitialized.

    Raises:
        TypeError: the arguments are neither sizes nor data.
        RuntimeError: it has several elements, but one is needed.
        AttributeError: there is no such method or attribute.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> x.shape, x.dtype, x[0, 1].item(), x.T.tolist()
    (torch.Size([2, 2]), torch.float32, 2.0, [[1.0, 3.0], [2.0, 4.0]])
    """

    # Python's syntax. Operators declare which slots they implement (``syntax=...``).
    def __add__(a, b):
        return call_syntax(S_ADD, a, b)

    def __sub__(a, b):
        return call_syntax(S_SUB, a, b)

    def __mul__(a, b):
        return call_syntax(S_MUL, a, b)

    def __truediv__(a, b):
        return call_syntax(S_TRUEDIV, a, b)

    def __floordiv__(a, b):
        return call_syntax(S_FLOORDIV, a, b)

    def __mod__(a, b):
        return call_syntax(S_MOD, a, b)

    def __pow__(a, b, modulo):
        if modulo is not None:
            return NotImplemented
        return call_syntax(S_POW, a, b)

    def __matmul__(a, b):
        return call_syntax(S_MATMUL, a, b)

    def __and__(a, b):
        return call_syntax(S_AND, a, b)

    def __or__(a, b):
        return call_syntax(S_OR, a, b)

    def __xor__(a, b):
        return call_syntax(S_XOR, a, b)

    def __lshift__(a, b):
        return call_syntax(S_LSHIFT, a, b)

    def __rshift__(a, b):
        return call_syntax(S_RSHIFT, a, b)

    def __iadd__(self, b):
        return call_syntax(S_IADD, self, b)

    def __isub__(self, b):
        return call_syntax(S_ISUB, self, b)

    def __imul__(self, b):
        return call_syntax(S_IMUL, self, b)

    def __itruediv__(self, b):
        return call_syntax(S_ITRUEDIV, self, b)

    def __ifloordiv__(self, b):
        return call_syntax(S_IFLOORDIV, self, b)

    def __imod__(self, b):
        return call_syntax(S_IMOD, self, b)

    def __ipow__(self, b, modulo):
        return call_syntax(S_IPOW, self, b)

    def __iand__(self, b):
        return call_syntax(S_IAND, self, b)

    def __ior__(self, b):
        return call_syntax(S_IOR, self, b)

    def __ixor__(self, b):
        return call_syntax(S_IXOR, self, b)

    def __ilshift__(self, b):
        return call_syntax(S_ILSHIFT, self, b)

    def __irshift__(self, b):
        return call_syntax(S_IRSHIFT, self, b)

    def __richcmp__(self, b, int how):
        return call_syntax(S_LT + how, self, b)

    def __hash__(self):
        return <Py_hash_t>(<size_t><PyObject*>self >> 4)

    def __neg__(self):
        return call_syntax(S_NEG, self, None)

    def __pos__(self):
        return call_syntax(S_POS, self, None)

    def __abs__(self):
        return call_syntax(S_ABS, self, None)

    def __invert__(self):
        return call_syntax(S_INVERT, self, None)

    def __bool__(self):
        answer = call_syntax(S_BOOL, self, None)
        if type(answer) is not bool:
            raise TypeError(f"__bool__ should return bool, returned {type(answer).__name__}")
        return answer is True

    def __int__(self):
        return call_syntax(S_INT, self, None)

    def __float__(self):
        return call_syntax(S_FLOAT, self, None)

    def __complex__(self):
        return call_syntax(S_COMPLEX, self, None)

    def __index__(self):
        return call_syntax(S_INDEX, self, None)

    def __len__(self):
        return call_syntax(S_LEN, self, None)

    def __iter__(self):
        if (self.dim() if type(self) is not Tensor or _modes[0] != 0 else (<Tensor>self).ndim) == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(call_syntax(S_ITER, self, None))

    def __contains__(self, b):
        return bool(call_syntax(S_CONTAINS, self, b))

    def __getitem__(self, index):
        return call_syntax(S_GETITEM, self, index)

    def __setitem__(self, index, value):
        call_syntax(S_SETITEM, self, (index, value))

    def __delitem__(self, index):
        raise TypeError("Tensor does not support deleting items")

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        forget_owner(buffer)
        PyObject_GetBuffer(sockets.as_buffer(self), buffer, flags)

    def __repr__(self):
        if type(self) is not Tensor or _modes[0] != 0:
            return call_syntax(S_REPR, self, None)
        push_all_disabled()
        try:
            return describe(self)
        finally:
            pop_all_disabled()

    def _repr_html_(self):
        """Return the HTML for notebooks. None for subclasses, which notebooks then show as text."""
        if not is_plain(<PyObject*>self):
            return None
        from flambeau_tensor.html import describe

        push_all_disabled()
        try:
            return describe(self)
        finally:
            pop_all_disabled()


TensorType = PlainType = <PyTypeObject*>Tensor


# --- the type ---------------------------------------------------------------------------------------------------------
# Cython's versions of these would add much to the cost of every tensor: they create a dictionary at once, save the
# current exception during deallocation, and fill all fields with zeros when memory is reused.

cdef destructor _dealloc_fields = (<FullType*>TensorType).tp_dealloc
cdef traverseproc _traverse_fields = (<FullType*>TensorType).tp_traverse
cdef PyGetSetDef _dict_attribute
_dict_attribute.name = "__dict__"
_dict_attribute.get = PyObject_GenericGetDict
_dict_attribute.set = PyObject_GenericSetDict


cdef Shells _shells  # tensors whose fields are None


cdef void _dealloc(PyObject* o) noexcept:
    PyObject_GC_UnTrack(o)
    _drop_attributes(o)
    if (<Tensor>o).accumulator != NULL:
        release((<Tensor>o).accumulator)
    if (<Tensor>o).sizes != NULL and (<Tensor>o).sizes != (<Tensor>o).inline_dims:
        PyMem_Free((<Tensor>o).sizes)
    if o.ob_type.tp_basicsize != TensorType.tp_basicsize:
        _dealloc_fields(o)
        return
    Py_SET_TYPE(o, TensorType)  # memory of a subclass is reused, too
    PyObject_ClearWeakRefs(o)
    (<Tensor>o).storage, (<Tensor>o).base = None, None
    (<Tensor>o).grad_fn = (<Tensor>o).grad = (<Tensor>o).meta = None
    if not keep(&_shells, o):
        _dealloc_fields(o)


cdef Tensor new_tensor():
    """Create a tensor without memory; all fields have the values of a new object."""
    cdef PyObject* o = take(&_shells)
    cdef Tensor t
    if o == NULL:
        return Tensor.__new__(Tensor)
    t = <Tensor>o
    Py_DECREF(t)  # the variable owns the new reference
    t.data, t.sizes, t.strides, t.accumulator, t.attributes = NULL, NULL, NULL, NULL, NULL
    t.numel = t.view_version = t.ndim = t.dtype = t.output_nr = t.flags = 0
    PyObject_GC_Track(o)
    return t


cdef int _traverse(PyObject* o, visitproc visit, void* arg) noexcept:
    cdef int stop = _traverse_fields(o, visit, arg)
    if stop == 0 and (<Tensor>o).attributes != NULL:
        stop = visit((<Tensor>o).attributes, arg)
    return stop


cdef int _clear(PyObject* o) noexcept:
    # Keep the storage: it is not part of cycles, and objects that die in the same collection may still read the tensor.
    _drop_attributes(o)
    (<Tensor>o).base = (<Tensor>o).grad_fn = (<Tensor>o).grad = (<Tensor>o).meta = None
    return 0


cdef inline void _drop_attributes(PyObject* o) noexcept:
    cdef PyObject* attributes = (<Tensor>o).attributes
    if attributes != NULL:
        (<Tensor>o).attributes = NULL
        Py_DECREF(<object>attributes)


def _complete_type():
    cdef FullType* t = <FullType*>TensorType
    cdef Tensor shell = Tensor.__new__(Tensor)
    cdef dict members = <dict>t.tp_dict
    t.tp_dealloc, t.tp_traverse, t.tp_clear = _dealloc, _traverse, _clear
    t.tp_dictoffset = <char*>&shell.attributes - <char*><PyObject*>shell
    members["__dict__"] = PyDescr_NewGetSet(TensorType, &_dict_attribute)
    PyType_Modified(TensorType)


_complete_type()


# --- geometry -------------------------------------------------------------------------------------------------------

cdef int set_geometry(Tensor t, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides) except -1:
    """Set sizes and strides, numel and the contiguity flag."""
    cdef int i
    cdef size_t n = 1
    cdef bint dense = True, odd = False
    cdef Py_ssize_t* block
    if ndim <= INLINE_NDIM:
        block = t.inline_dims
    else:
        if ndim > MAX_NDIM:
            raise RuntimeError(f"a tensor has at most {MAX_NDIM} dimensions, got {ndim}")
        block = <Py_ssize_t*>PyMem_Malloc(2 * ndim * sizeof(Py_ssize_t))
        if block == NULL:
            raise MemoryError()
    for i in range(ndim - 1, -1, -1):
        block[i] = sizes[i]
        block[ndim + i] = strides[i]
        if sizes[i] != 1:
            if strides[i] != <Py_ssize_t>n:
                dense = False
            odd |= fl_multiply(n, <size_t>sizes[i], &n) | (sizes[i] <= 0)
    if odd or n > MAX_SIZE:
        try:
            n = <size_t>count_elements(ndim, sizes)
        except RuntimeError:
            if block != t.inline_dims:
                PyMem_Free(block)
            raise
    if t.sizes != NULL and t.sizes != t.inline_dims:
        PyMem_Free(t.sizes)
    t.sizes = block
    t.strides = block + ndim
    t.ndim = ndim
    t.numel = n
    if dense or n == 0:
        t.flags |= CONTIGUOUS
    else:
        t.flags &= ~CONTIGUOUS
    return 0


cdef Py_ssize_t count_elements(int ndim, const Py_ssize_t* sizes) except -1:
    """Return the product of the sizes; raises if one is negative or the product overflows."""
    cdef int i
    cdef size_t n = 1
    cdef bint lost = False
    for i in range(ndim):
        lost |= sizes[i] < 0
        lost |= fl_multiply(n, <size_t>sizes[i], &n)
    if lost or n > MAX_SIZE:
        raise RuntimeError("numel: integer multiplication overflow")
    return <Py_ssize_t>n


cdef Py_ssize_t count_bytes(int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides, Py_ssize_t offset,
                            int dtype) except -1:
    """Return the number of bytes from the storage's start to the end of a geometry; NULL strides: contiguous."""
    cdef int i
    cdef size_t n = 1, step
    cdef bint lost = offset < 0, none = False
    for i in range(ndim):
        none |= sizes[i] == 0
        lost |= sizes[i] < 0
        if strides == NULL:
            lost |= fl_multiply(n, <size_t>sizes[i], &n)
        else:
            lost |= strides[i] < 0 and sizes[i] > 1
            lost |= fl_multiply(<size_t>sizes[i] - 1, <size_t>strides[i], &step) and sizes[i] > 0
            lost |= fl_sum(n, step, &n)
    if none and strides != NULL:
        n, lost = 0, offset < 0  # there are no elements, but an address is computed
    lost |= fl_sum(n, <size_t>offset, &n)
    lost |= fl_multiply(n, <size_t>ITEMSIZE[dtype], &n)
    if lost or n > MAX_SIZE:
        steps = "" if strides == NULL else f" and strides={shape_str(ndim, strides)}"
        raise RuntimeError(f"Storage size calculation overflowed with sizes={shape_str(ndim, sizes)}{steps}")
    return 0 if none else <Py_ssize_t>n


cdef void contiguous_strides(int ndim, const Py_ssize_t* sizes, Py_ssize_t* strides) noexcept nogil:
    cdef int i
    cdef Py_ssize_t n = 1
    for i in range(ndim - 1, -1, -1):
        strides[i] = n
        if sizes[i] > 1:
            n = <Py_ssize_t>(<size_t>n * <size_t>sizes[i])  # wraps around if another size is 0, which is defined


cdef bint is_dense(Tensor t) noexcept:
    cdef int i, j, n = 0, k
    cdef int[MAX_NDIM] order
    cdef Py_ssize_t expected = 1
    if t.flags & CONTIGUOUS:
        return True
    for i in range(t.ndim):
        if t.sizes[i] == 1:
            continue
        j = n
        while j > 0 and t.strides[order[j - 1]] > t.strides[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        n += 1
    for k in range(n):
        if t.strides[order[k]] != expected:
            return False
        expected *= t.sizes[order[k]]
    return True


cdef Py_ssize_t offset_of(Tensor t) noexcept:
    return (t.data - t.storage.data) // ITEMSIZE[t.dtype]


cdef int wrap_dim(Py_ssize_t dim, int ndim) except -1:
    cdef int n = ndim if ndim > 0 else 1
    if dim < -n or dim >= n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return <int>(dim + n if dim < 0 else dim)


cdef inline object _filled(object out, int n, const Py_ssize_t* values):
    cdef int i
    cdef object v
    for i in range(n):
        v = values[i]
        Py_INCREF(v)
        PyTuple_SET_ITEM(out, i, v)
    return out


cdef object size_tuple(int ndim, const Py_ssize_t* sizes):
    return _filled(PyTuple_NewSized(<PyTypeObject*>SizeType, ndim), ndim, sizes)


cdef object plain_tuple(int n, const Py_ssize_t* values):
    return _filled(PyTuple_New(n), n, values)


cdef str shape_str(int ndim, const Py_ssize_t* sizes):
    return "[" + ", ".join([str(sizes[i]) for i in range(ndim)]) + "]"


cdef int read_ints(PyObject* obj, Py_ssize_t* out, int most, const char* func, const char* name) except -1:
    """Read an int or a tuple of ints, as binding provides them; return their number."""
    cdef object o = <object>obj
    cdef Py_ssize_t i, n
    if type(o) is int:
        out[0] = o
        return 1
    if not isinstance(o, tuple):  # if the schema accepts other types, too
        raise TypeError(f"{func.decode()}(): argument '{name.decode()}' must be tuple of ints, not {type(o).__name__}")
    n = PyTuple_GET_SIZE(o)
    if n > most:
        raise RuntimeError(f"{func.decode()}(): argument '{name.decode()}' takes at most {most} values, got {n}")
    for i in range(n):
        out[i] = <object>PyTuple_GET_ITEM(o, i)
    return <int>n


# --- making tensors -------------------------------------------------------------------------------------------------

cdef int _check_steps(int ndim, const Py_ssize_t* sizes) except -1:
    """Raise for sizes whose contiguous strides overflow, which is possible without elements."""
    cdef int i
    cdef size_t step = 1
    for i in range(ndim - 1, 0, -1):
        if sizes[i] > 1 and (fl_multiply(step, <size_t>sizes[i], &step) or step > MAX_SIZE):
            raise RuntimeError("Stride calculation overflowed")
    return 0


cdef Py_ssize_t _fresh_bytes(int ndim, const Py_ssize_t* sizes, int dtype) except -1:
    cdef int i
    cdef Py_ssize_t nbytes
    for i in range(ndim):
        if sizes[i] < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {sizes[i]}: {shape_str(ndim, sizes)}")
    nbytes = count_bytes(ndim, sizes, NULL, 0, dtype)
    if nbytes == 0:
        _check_steps(ndim, sizes)
    return nbytes


cdef Tensor empty(int dtype, int ndim, const Py_ssize_t* sizes):
    cdef Tensor t = new_tensor()
    cdef Py_ssize_t n = 1, nbytes
    cdef int i
    if ndim <= INLINE_NDIM:
        t.sizes = t.inline_dims
        t.strides = &t.inline_dims[ndim]
        for i in range(ndim - 1, -1, -1):
            t.sizes[i] = sizes[i]
            t.strides[i] = n
            if sizes[i] != 1:
                n = <Py_ssize_t>(<size_t>n * <size_t>sizes[i])  # unsigned, so wrapping is defined; checked next
                if sizes[i] <= 0 or sizes[i] > (<Py_ssize_t>1 << 20) or n > (<Py_ssize_t>1 << 40):
                    n = 0 if _fresh_bytes(ndim, sizes, dtype) == 0 else n
        if n == 0:
            contiguous_strides(ndim, sizes, t.strides)
        t.ndim = ndim
        t.numel = n
        t.flags = CONTIGUOUS
        nbytes = n * ITEMSIZE[dtype]
    else:
        nbytes = _fresh_bytes(ndim, sizes, dtype)
        _set_contiguous(t, ndim, sizes)
    t.dtype = dtype
    t.storage = new_storage(nbytes)
    t.data = t.storage.data
    return t


cdef int _set_contiguous(Tensor t, int ndim, const Py_ssize_t* sizes) except -1:
    cdef Py_ssize_t[MAX_NDIM] strides
    if ndim > MAX_NDIM:
        raise RuntimeError(f"a tensor has at most {MAX_NDIM} dimensions, got {ndim}")
    contiguous_strides(ndim, sizes, strides)
    return set_geometry(t, ndim, sizes, strides)


cdef Tensor empty_strided(int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides):
    cdef Tensor t = new_tensor()
    set_geometry(t, ndim, sizes, strides)
    t.dtype = dtype
    t.storage = new_storage(count_bytes(ndim, sizes, strides, 0, dtype))
    t.data = t.storage.data
    return t


cdef Tensor view_of(Tensor t, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides, char* data):
    """Create a view with another geometry. Unless `t` is an inference tensor, the view refers to its base, so that
    autograd can follow writes."""
    cdef Tensor v = new_tensor()
    set_geometry(v, ndim, sizes, strides)
    v.dtype = t.dtype
    v.storage = t.storage
    v.data = data
    v.flags |= t.flags & (INFERENCE | ODD_VIEW | LAZY | META)
    if not t.flags & INFERENCE:
        v.base = t if t.base is None else t.base
        v.view_version = t.storage.version
        v.flags |= VIEW
    return v


cdef Tensor alias_of(Tensor t):
    return view_of(t, t.ndim, t.sizes, t.strides, t.data)


cdef Tensor detached(Tensor t):
    cdef Tensor v = new_tensor()
    set_geometry(v, t.ndim, t.sizes, t.strides)
    v.dtype = t.dtype
    v.storage = t.storage
    v.data = t.data
    v.flags |= t.flags & (INFERENCE | LAZY | META)
    return v


def is_layered(Tensor t not None):
    """Whether a tensor has a layer: it is a batched tensor or has a tangent."""
    return (t.flags & LAYERED) != 0


def hides_values(Tensor t not None):
    """Whether checks of values skip a tensor, because it has a layer or is on device 'meta'."""
    return (t.flags & (LAYERED | META)) != 0


cpdef int check_read(Tensor t, str what) except -1:
    """Raise if reading a tensor's memory would expose one example of a batch or lose a tangent."""
    if t.flags & LAYERED and sockets.check_read is not None:
        sockets.check_read(t, what)
    return 0


cdef Tensor scalar_tensor(object number, int dtype):
    cdef Scalar s
    cdef Tensor t = empty(dtype, 0, NULL)
    read_scalar(<PyObject*>number, &s)
    store_scalar(&s, dtype, t.data)
    return t


cdef set _dispatching_classes = set()


def declare_dispatching(cls):
    """Declare a class with a `__torch_dispatch__`: calls with its instances are dispatched to it."""
    _dispatching_classes.add(cls)


cdef inline unsigned int flags_of_class(PyTypeObject* cls) except? 0xFFFFFFFF:
    return DISPATCH if _dispatching_classes and <object>cls in _dispatching_classes else 0


cdef Tensor as_subclass(Tensor t, PyTypeObject* cls):
    """Return the tensor as an instance of ``cls`` with the same elements, history and base, but without hooks."""
    cdef Tensor v
    if cls == TensorType:
        v = new_tensor()
    else:
        v = <Tensor>allocate(<type>cls, <PyObject*>(), NULL)
    set_geometry(v, t.ndim, t.sizes, t.strides)
    v.dtype = t.dtype
    v.storage = t.storage
    v.data = t.data
    v.base = t.base
    v.flags = t.flags & ~<unsigned int>(DISPATCH | ASKS) | flags_of_class(cls)
    v.view_version = t.view_version
    v.grad_fn = t.grad_fn
    v.output_nr = t.output_nr
    v.meta = t.meta
    return v


cdef Tensor result_of(Tensor t, PyTypeObject* cls):
    """``as_subclass`` for a result: if nothing else refers to the tensor, it becomes an instance of ``cls`` itself."""
    if Py_REFCNT(<PyObject*>t) > 1 or cls.tp_basicsize != TensorType.tp_basicsize:
        return as_subclass(t, cls)
    Py_INCREF(<object>cls)
    Py_SET_TYPE(<PyObject*>t, cls)
    t.flags |= flags_of_class(cls)
    return t


cdef int resize(Tensor t, int ndim, const Py_ssize_t* sizes) except -1:
    """Make ``t`` contiguous with these sizes; enlarges its storage if necessary."""
    cdef Py_ssize_t offset = t.data - t.storage.data, nbytes
    cdef bint shared = Py_REFCNT(<PyObject*>t.storage) > 1
    if count_elements(ndim, sizes) == 0:
        _check_steps(ndim, sizes)
    nbytes = count_bytes(ndim, sizes, NULL, offset_of(t), t.dtype)
    if nbytes > t.storage.nbytes and not shared:
        resize_storage(t.storage, nbytes)
    elif nbytes > t.storage.nbytes:
        from flambeau_tensor._core.memory.moved_memory import resize_memory

        resize_memory(t.storage, nbytes)
    t.data = t.storage.data + offset
    return _set_contiguous(t, ndim, sizes)


# --- torch.Tensor(...) ----------------------------------------------------------------------------------------------
# The type's own tp_new creates an empty object and is kept for subclasses; calling the class uses `construct`.

cdef newfunc allocate = TensorType.tp_new


cdef object _construct(type cls, PyObject* args, PyObject* kwargs):
    cdef Tensor t = sockets.construct(*<tuple>args, **(<dict>kwargs if kwargs != NULL else {}))
    return t if <PyTypeObject*>cls == TensorType else as_subclass(t, <PyTypeObject*>cls)


TensorType.tp_new = <newfunc><void*>_construct
(<FullType*>TensorType).tp_vectorcall = NULL  # calling the class uses tp_new
(<FullType*>TensorType).tp_name = "flambeau_tensor.Tensor"


def describe(tensor, spec=None, contents=None):
    """Return the text of a tensor, with `contents` for its elements. The first call imports the printing module."""
    from flambeau_tensor._core.elementwise.dtype import get_default_dtype
    from flambeau_tensor.printing import tensor_format, tensor_repr

    text, suffixes = (None, ()) if sockets.describe_layers is None else sockets.describe_layers(tensor)
    if text is not None and contents is None:
        return text
    if spec is not None:
        return tensor_format(tensor, spec, as_array=sockets.as_array,
                             text_alone=type(tensor) is not Tensor or (<Tensor>tensor).flags & META)
    return tensor_repr(tensor, as_array=sockets.as_array, default_dtype=get_default_dtype,
                       device="meta" if (<Tensor>tensor).flags & META else None,
                       name="tensor" if is_plain(<PyObject*>tensor) else type(tensor).__name__, suffixes=suffixes,
                       tensor_contents=contents)


def declare_plain_subclass(cls):
    """Declare the subclass (Parameter) that takes the fast path of every call. It overrides nothing, and results are
    plain tensors."""
    global PlainType
    if not issubclass(cls, Tensor):
        raise TypeError(f"declare_plain_subclass(): a subclass of Tensor is needed, not {cls!r}")
    PlainType = <PyTypeObject*>cls
