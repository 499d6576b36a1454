/* Tensors and Python objects, for sources that use Python's C API directly. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <flambeau/tensor.h> /* again, after Python.h: enables the parts that need Python */

#include <torch/csrc/Exceptions.h>
#include <torch/types.h>

inline bool THPVariable_Check(PyObject *object) { return fl_from_python(object) != nullptr; }
inline at::Tensor THPVariable_Unpack(PyObject *object) { return at::Tensor::borrow(fl_from_python(object)); }
inline PyObject *THPVariable_Wrap(const at::Tensor &t) {
    return t.defined() ? fl_to_python(t.handle()) : (Py_INCREF(Py_None), Py_None);
}
