/* Conversion of numbers and dtypes to and from Python objects, for all bindings. */
#pragma once

#include <torch/csrc/autograd/python_variable.h>

namespace torch {
namespace detail {

/* Whether the object is a number, which is stored in `out`; false may leave a Python error. */
inline bool read_scalar(PyObject *o, c10::Scalar &out) {
    if (PyBool_Check(o)) out = o == Py_True;
    else if (PyFloat_Check(o)) out = PyFloat_AsDouble(o);
    else if (PyComplex_Check(o)) out = c10::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    else if (fl_from_python(o)) out = at::Tensor::borrow(fl_from_python(o)).item();
    else if (PyIndex_Check(o) || (PyNumber_Check(o) && !PySequence_Check(o))) {
        bool whole = PyIndex_Check(o);
        PyObject *number = whole ? PyNumber_Index(o) : PyNumber_Float(o);
        if (!number) return false;
        if (whole) out = int64_t(PyLong_AsLongLong(number));
        else out = PyFloat_AsDouble(number);
        Py_DECREF(number);
    } else return false;
    return !PyErr_Occurred();
}
inline PyObject *make_scalar(const c10::Scalar &s) {
    if (s.isComplex()) {
        auto z = s.toComplexDouble();
        return PyComplex_FromDoubles(z.real(), z.imag());
    }
    if (s.isBoolean()) return PyBool_FromLong(s.toBool());
    return s.isFloatingPoint() ? PyFloat_FromDouble(s.toDouble()) : PyLong_FromLongLong(s.toLong());
}

/* Access to Python's dtypes by their number in the C interface. */
inline PyObject *call_on_dtypes(const char *function, const char *format, ...) {
    PyObject *module = PyImport_ImportModule("flambeau_tensor.c_api");
    PyObject *f = module ? PyObject_GetAttrString(module, function) : nullptr;
    va_list list;
    va_start(list, format);
    PyObject *argument = f ? Py_VaBuildValue(format, list) : nullptr;
    va_end(list);
    PyObject *result = argument ? PyObject_CallOneArg(f, argument) : nullptr;
    Py_XDECREF(argument);
    Py_XDECREF(f);
    Py_XDECREF(module);
    return result;
}
inline bool read_dtype(PyObject *o, c10::ScalarType &out) {
    PyObject *number = call_on_dtypes("abi_number", "O", o);
    if (!number) return false;
    bool known = number != Py_None;
    if (known) out = c10::ScalarType(PyLong_AsLong(number));
    Py_DECREF(number);
    return known;
}
inline PyObject *make_dtype(c10::ScalarType type) { return call_on_dtypes("abi_dtype", "i", int(type)); }

}  // namespace detail
}  // namespace torch
