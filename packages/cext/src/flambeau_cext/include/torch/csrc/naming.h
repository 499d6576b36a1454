/* What has the extension's name in it: all other headers may be compiled ahead for every extension. */
#pragma once

#include <torch/csrc/loading.h>

#ifdef TORCH_EXTENSION_NAME
/* Sources define this function as a plain one; Python has to find it where everything else is hidden. */
extern "C" __attribute__((visibility("default"))) PyObject *C10_CONCATENATE(PyInit_, TORCH_EXTENSION_NAME)(void);
#define FL_EXTENSION_NAME C10_STRINGIZE(TORCH_EXTENSION_NAME)
#else
#define FL_EXTENSION_NAME "a C++ extension"
#endif

namespace torch {
namespace detail {
[[maybe_unused]] static const bool loaded_early = load_early(FL_EXTENSION_NAME); /* before what the source has below */
}
}  // namespace torch
