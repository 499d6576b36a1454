# cython: language_level=3
"""Device and dtype of a tensor, conversions, and the element of a tensor as a Python number."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.copying cimport copy_of
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, DType, dtype_object
from flambeau_tensor._core.memory.layout cimport suggested_format
from flambeau_tensor._core.memory.meta_device cimport META, no_memory
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport load_scalar
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor import options
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, refuse_named
from flambeau_tensor._core.memory.layout import FORMATS

cdef object _cpu = options.CPU, _meta = options.META, _strided = options.strided, _preserve = options.preserve_format
cdef object _check_device = options.check_device
cdef dict _by_name = {}  # the name of a converting method -> its dtype


cdef object _device(Operator op, PyObject** a):
    return _meta if (<Tensor>a[0]).flags & META else _cpu


cdef object _is_cpu(Operator op, PyObject** a):
    return not (<Tensor>a[0]).flags & META


cdef object _layout(Operator op, PyObject** a):
    return _strided


# --- conversions, as compositions of copies -------------------------------------------------------------------------

cdef object _converted(Tensor t, PyObject* dtype, PyObject* memory_format, bint copy):
    if dtype != <PyObject*>None and (<DType>dtype).id != t.dtype:
        return find("torch._ops.to_copy")(t, <object>dtype, <object>memory_format)
    if copy or not (memory_format == <PyObject*>None or memory_format == <PyObject*>_preserve or
                    <object>memory_format is FORMATS[suggested_format(t.ndim, t.sizes, t.strides)]):
        return find("torch.clone")(t, memory_format=<object>memory_format)
    return t


cdef object _to_dtype(Operator op, PyObject** a):
    """Slots: self, dtype, non_blocking, copy, memory_format."""
    return _converted(<Tensor>a[0], a[1], a[4], a[3] == Py_True)


cdef object _to_other(Operator op, PyObject** a):
    """Slots: self, tensor, non_blocking, copy, memory_format."""
    dtype = dtype_object((<Tensor>a[1]).dtype)
    return _converted(<Tensor>a[0], <PyObject*>dtype, a[4], a[3] == Py_True)


cdef object _to_device(Operator op, PyObject** a):
    """Slots: self, device, dtype, non_blocking, copy, memory_format."""
    cdef Tensor t = <Tensor>a[0]
    cdef bint is_meta = (t.flags & META) != 0, to_meta = is_meta
    device = <object>a[1]
    if device is _cpu or (type(device) is str and device == "cpu"):
        to_meta = False
    elif device is not None:
        refuse_named(device, "to")
        to_meta = _check_device(device) is _meta
    if to_meta != is_meta:
        if is_meta:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return find("torch._ops.to_meta")(t, <object>a[2], <object>a[5])
    return _converted(t, a[2], a[5], a[4] == Py_True)


cdef object _cpu_of(Operator op, PyObject** a):
    """Slots: self, memory_format."""
    if (<Tensor>a[0]).flags & META:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    return _converted(<Tensor>a[0], <PyObject*>None, a[1], False)


cdef object _to_named(Operator op, PyObject** a):
    """Slots: self, memory_format. The name of the method determines the dtype."""
    dtype = _by_name[op.name]
    return _converted(<Tensor>a[0], <PyObject*>dtype, a[1], False)


def converter(str method not None, str dtype not None):
    """Return the kernel of a method that converts to a dtype, such as ``float``."""
    _by_name[method] = _dtype_by_name(dtype)
    return _named


cdef object _resolved(Operator op, PyObject** a):
    """Slots: self. Copies views that `resolve_conj` or `resolve_neg` has to resolve."""
    cdef unsigned int flag = CONJ if op.name == "resolve_conj" else NEG
    return find("torch.clone")(<object>a[0]) if (<Tensor>a[0]).flags & flag else <object>a[0]


# --- numbers --------------------------------------------------------------------------------------------------------

cdef object _element(Tensor t):
    if t.numel != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if t.flags & META:
        raise no_memory()
    if t.flags & LAZY:
        t = copy_of(t)
    return load_scalar(t.dtype, t.data)


cdef object _real_element(Tensor t, str c_name):
    value = _element(t)
    if type(value) is complex:
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {c_name} without overflow")
        return value.real
    return value


cdef object _int(Operator op, PyObject** a):
    return int(_real_element(<Tensor>a[0], "int64_t"))


cdef object _float(Operator op, PyObject** a):
    return float(_real_element(<Tensor>a[0], "double"))


cdef object _complex(Operator op, PyObject** a):
    return complex(_element(<Tensor>a[0]))


cdef object _index(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    if CATEGORY[t.dtype] > CAT_INT or t.numel != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(_element(t))


cdef object _len(Operator op, PyObject** a):
    if (<Tensor>a[0]).ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return (<Tensor>a[0]).sizes[0]


device, is_cpu, layout = make_kernel(_device), make_kernel(_is_cpu), make_kernel(_layout)
to_dtype, to_other, to_device = make_kernel(_to_dtype), make_kernel(_to_other), make_kernel(_to_device)
cpu, _named, resolved = make_kernel(_cpu_of), make_kernel(_to_named), make_kernel(_resolved)
as_int, as_float, as_complex = make_kernel(_int), make_kernel(_float), make_kernel(_complex)
as_index, length = make_kernel(_index), make_kernel(_len)
