"""Class attributes as ``getattr`` finds them, read directly from the type's method cache."""
from cpython.object cimport PyObject

cdef extern from *:
    """
    static inline PyObject *fl_class_attribute(PyObject *cls, PyObject *name) {
        PyObject *found;
        descrgetfunc bind;
        if (Py_IS_TYPE(cls, &PyType_Type) && (found = _PyType_Lookup((PyTypeObject *)cls, name))) {
            bind = Py_TYPE(found)->tp_descr_get;
            if (bind) return bind(found, NULL, cls);
            Py_INCREF(found);
            return found;
        }
        return PyObject_GetAttr(cls, name);  /* handles metaclasses, and raises the error */
    }
    """
    object class_attribute "fl_class_attribute"(PyObject* cls, PyObject* name)
