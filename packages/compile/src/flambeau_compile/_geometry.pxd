"""The geometry of a tensor: class, flags, dtype, sizes and strides, and the address of its memory."""
from cpython.object cimport PyObject, PyTypeObject
from libc.stdlib cimport calloc, realloc

from flambeau_tensor.abi cimport (
    T_DISPATCH, T_HAS_HOOKS, T_INFERENCE, T_LAYERED, T_LAZY, T_REQUIRES_GRAD, TensorInfo, exclusive, offset_of,
    tensor_info,
)
from flambeau_tensor.compute cimport Array, array_of, itemsize

cdef enum:
    # Flags that must be the same.
    WATCHED = T_REQUIRES_GRAD | T_LAYERED | T_INFERENCE | T_LAZY | T_DISPATCH | T_HAS_HOOKS | 8192

cdef extern from *:
    """
    /* The dict of an object, NULL where it has none yet. Most classes of tensors keep a pointer to it in the object. */
    static inline PyObject *fl_dict_of(PyObject *o) {
        Py_ssize_t place = Py_TYPE(o)->tp_dictoffset;
        PyObject **dict = place > 0 ? (PyObject **)((char *)o + place) : _PyObject_GetDictPtr(o);
        return dict ? *dict : NULL;
    }
    """
    PyObject* fl_dict_of(PyObject*) noexcept

cdef extern from "Python.h":
    Py_ssize_t PyDict_GET_SIZE(PyObject*) noexcept
    Py_ssize_t Py_REFCNT(PyObject*) noexcept

cdef struct Geometry:
    PyTypeObject* cls
    unsigned int flags
    unsigned int around  # bits: history, hooks, attributes
    int dtype
    int ndim
    Py_ssize_t offset
    Py_ssize_t start  # the offset in bytes
    bint dense  # contiguous
    Py_ssize_t* sizes  # followed by the strides


cdef inline int set_geometry(Geometry* g, int dtype, tuple sizes, tuple strides, Py_ssize_t offset) except -1:
    cdef int d
    g.dtype, g.ndim, g.offset, g.start = dtype, <int>len(sizes), offset, offset * itemsize(dtype)
    g.sizes = <Py_ssize_t*>calloc(2 * g.ndim + 1, sizeof(Py_ssize_t))
    if g.sizes == NULL:
        raise MemoryError
    cdef Py_ssize_t expected = 1
    g.dense = True
    for d in range(g.ndim - 1, -1, -1):
        g.sizes[d], g.sizes[g.ndim + d] = sizes[d], strides[d]
        g.dense = g.dense and strides[d] == expected
        expected *= sizes[d]
    return 0


cdef inline unsigned int around_of(PyObject* tensor, const TensorInfo* f) noexcept:
    """Whether a tensor that requires grad has a history (1), whether it has hooks (2), or attributes (4)."""
    cdef PyObject* names = fl_dict_of(tensor)
    cdef unsigned int found = 0
    if f.flags & T_REQUIRES_GRAD and f.grad_fn != NULL:
        found |= 1
    if f.autograd_meta != NULL:
        found |= 2
    if names != NULL and PyDict_GET_SIZE(names) != 0:
        found |= 4
    return found


cdef inline bint _has_shape(const Geometry* g, const TensorInfo* f) noexcept:
    cdef int d
    if f.dtype != g.dtype or f.ndim != g.ndim:
        return False
    for d in range(g.ndim):
        if f.sizes[d] != g.sizes[d] or f.strides[d] != g.sizes[g.ndim + d]:
            return False
    return True


cdef inline bint has_shape(const Geometry* g, PyObject* tensor) noexcept:
    cdef TensorInfo f
    tensor_info(tensor, &f)
    return _has_shape(g, &f)


cdef inline bint looks_like(const Geometry* g, PyObject* tensor) noexcept:
    cdef TensorInfo f
    if tensor.ob_type != g.cls:
        return False
    tensor_info(tensor, &f)
    return f.flags & WATCHED == g.flags and around_of(tensor, &f) == g.around and _has_shape(g, &f)


cdef inline bint shows_like(const Geometry* g, PyObject* tensor) noexcept:
    """Whether a tensor matches the geometry, ignoring requires_grad and hooks."""
    cdef TensorInfo f
    if tensor.ob_type != g.cls:
        return False
    tensor_info(tensor, &f)
    return not (f.flags ^ g.flags) & WATCHED & ~(T_REQUIRES_GRAD | T_HAS_HOOKS) and _has_shape(g, &f)


cdef inline char* memory_of(PyObject* tensor) noexcept:
    """Return the address of a tensor's storage."""
    cdef Array a
    array_of(tensor, &a)
    return a.data - offset_of(tensor) * itemsize(a.dtype)


cdef inline char* start_of(PyObject* tensor) noexcept:
    """Where the first element of a tensor is."""
    cdef Array a
    array_of(tensor, &a)
    return a.data


cdef inline char* origin_of(const Geometry* g, PyObject* tensor) noexcept:
    """Return the address that the storage would have if the tensor had the noted offset: programs use offsets in it."""
    cdef Array a
    array_of(tensor, &a)
    return a.data - g.start


cdef inline int note_geometry(Geometry* g, object tensor) except -1:
    cdef TensorInfo f
    tensor_info(<PyObject*>tensor, &f)
    sizes = tuple([f.sizes[d] for d in range(f.ndim)])
    strides = tuple([f.strides[d] for d in range(f.ndim)])
    set_geometry(g, f.dtype, sizes, strides, offset_of(<PyObject*>tensor))
    g.cls, g.flags = (<PyObject*>tensor).ob_type, f.flags & WATCHED
    g.around = around_of(<PyObject*>tensor, &f)
    return 0


cdef inline int append_geometry(Geometry** geometries, int n, object tensor) except -1:
    """Note the geometry of a tensor after `n` others, in an array that grows."""
    cdef Geometry* larger = <Geometry*>realloc(geometries[0], (n + 1) * sizeof(Geometry))
    if larger == NULL:
        raise MemoryError
    geometries[0] = larger
    return note_geometry(&larger[n], tensor)


cdef inline PyObject* gradient_of(PyObject* tensor) noexcept:
    cdef TensorInfo f
    tensor_info(tensor, &f)
    return f.grad


cdef inline bint may_write_again(PyObject* owner, const Geometry* g) noexcept:
    """Whether no other reference to a tensor's gradient exists, so that the next gradient may overwrite it."""
    cdef PyObject* gradient = gradient_of(owner)
    cdef TensorInfo f
    if gradient == NULL or Py_REFCNT(gradient) != 1 or not exclusive(gradient):
        return False
    tensor_info(gradient, &f)
    return not f.flags & WATCHED and f.base == NULL and has_shape(g, gradient)
