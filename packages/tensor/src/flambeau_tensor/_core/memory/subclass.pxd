"""Support for subclasses of Tensor that cost little more than plain tensors."""
from cpython.object cimport PyObject

from flambeau_tensor._core.memory.tensor cimport Tensor, TensorType

cdef void dealloc_of_subclass(PyObject* o) noexcept  # the destructor of subclasses that add no fields

cdef inline bint is_light_subclass(PyObject* o) noexcept:
    """Return True if `o` is a tensor of a subclass that adds no fields; such subclasses share one destructor."""
    return <void*>o.ob_type.tp_dealloc == <void*>dealloc_of_subclass

cdef inline bint is_tensor(PyObject* o) noexcept:
    """``isinstance(o, Tensor)``, but searches the bases only if necessary."""
    return o.ob_type == TensorType or is_light_subclass(o) or isinstance(<object>o, Tensor)
