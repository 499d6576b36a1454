"""Find and replace tensors inside tuples, lists and dicts."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_autograd._engine.refs cimport is_list_kind, is_tuple_kind

cdef inline bint may_hold_tensors(PyObject* o) noexcept:
    return is_tuple_kind(o) or is_list_kind(o) or o.ob_type == <PyTypeObject*>dict or isinstance(<object>o, dict)

cdef object template_of(object value, list flat)
cdef list numbers_in(object template)
cdef object fill(object template, object value, list items)
cdef object gather(object template, list items)
cdef str path_to(object template, int number)
