# cython: language_level=3
"""Find and replace tensors inside tuples, lists and dicts.

A *template* has the structure of a container, with numbers in place of its tensors and None in place of other values; a
value without tensors has the template None.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport is_tensor

from flambeau_autograd._engine.refs cimport *

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char*) except 1
    void Py_LeaveRecursiveCall() noexcept


cdef object template_of(object value, list flat):
    """Return the template of ``value`` and append its tensors to ``flat``; the numbers are their positions there."""
    if is_tensor(<PyObject*>value):
        flat.append(value)
        return len(flat) - 1
    if not may_hold_tensors(<PyObject*>value):
        return None
    Py_EnterRecursiveCall(" while looking for tensors in containers")
    try:
        if isinstance(value, dict):
            pairs = {k: template_of(v, flat) for k, v in value.items()}
            return pairs if any([t is not None for t in pairs.values()]) else None
        items = [template_of(v, flat) for v in value]
        if not any([t is not None for t in items]):
            return None
        return items if isinstance(value, list) else tuple(items)
    finally:
        Py_LeaveRecursiveCall()


cdef list numbers_in(object template):
    """Return the numbers of a template, in order."""
    if template is None:
        return []
    if isinstance(template, int):
        return [template]
    values = template.values() if isinstance(template, dict) else template
    return [k for t in values for k in numbers_in(t)]


cdef object fill(object template, object value, list items):
    """Return ``value`` with its tensors replaced by ``items``: itself if nothing changes, else one of its type."""
    if template is None:
        return value
    if isinstance(template, int):
        return items[template]
    if isinstance(template, dict):
        parts = {k: fill(t, value[k], items) for k, t in template.items()}
        if all([part is value[k] for k, part in parts.items()]):
            return value
        return _replaced(value, parts)
    parts = [fill(t, v, items) for t, v in zip(template, value)]
    if all([part is v for part, v in zip(parts, value)]):
        return value
    if isinstance(template, list):
        return _replaced(value, parts)
    if type(value) is tuple:
        return tuple(parts)
    return value._make(parts) if hasattr(value, "_make") else type(value)(parts)


cdef object _replaced(object value, object parts):
    """Return a copy of a list or dict with other items and the same type and attributes."""
    from copy import copy

    value = copy(value)
    if isinstance(value, dict):
        value.update(parts)
    else:
        value[:] = parts
    return value


cdef object gather(object template, list items):
    """Return a plain tuple, list or dict structured like ``template``: ``items`` at its numbers, None elsewhere."""
    if template is None:
        return None
    if isinstance(template, int):
        return items[template]
    if isinstance(template, dict):
        return {k: gather(t, items) for k, t in template.items()}
    parts = [gather(t, items) for t in template]
    return parts if isinstance(template, list) else tuple(parts)


cdef str path_to(object template, int number):
    """Return the path of ``number`` in ``template`` in Python's syntax, "['weights'][0]", or None if it is missing."""
    if template is None or isinstance(template, int):
        return "" if template is not None and template == number else None
    for key, t in template.items() if isinstance(template, dict) else enumerate(template):
        path = path_to(t, number)
        if path is not None:
            return f"[{key!r}]{path}"
    return None
