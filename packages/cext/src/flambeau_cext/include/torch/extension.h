/* Everything that an extension with pybind11 needs: torch/all.h, and tensors as arguments of bound functions. */
#pragma once

/* Python's header comes before the standard library's. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <torch/all.h>
#ifndef FLAMBEAU_FUNCTIONS_HPP /* load_inline binds functions without pybind11 if possible */
#include <torch/python.h>
#endif
