/* What programs include; in an extension, where functions are bound too, it is torch/extension.h. */
#pragma once

#include <torch/all.h>
#if defined(TORCH_API_INCLUDE_EXTENSION_H) && !defined(Py_LIMITED_API) /* pybind11 is not made of the limited API */
#include <torch/extension.h>
#endif
