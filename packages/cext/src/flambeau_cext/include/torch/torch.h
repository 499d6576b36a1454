/* The header for programs; in an extension that binds functions, it includes torch/extension.h. */
#pragma once

#include <torch/all.h>
#if defined(TORCH_API_INCLUDE_EXTENSION_H) && !defined(Py_LIMITED_API) /* pybind11 does not support the limited API */
#include <torch/extension.h>
#endif
