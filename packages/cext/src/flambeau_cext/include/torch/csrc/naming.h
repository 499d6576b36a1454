/* Everything that depends on the extension's name: all other headers may be precompiled for all extensions. */
#pragma once

#include <torch/csrc/loading.h>

#ifdef TORCH_EXTENSION_NAME
/* Sources define this function without attributes; it must be visible to Python in builds with hidden symbols. */
extern "C" __attribute__((visibility("default"))) PyObject *C10_CONCATENATE(PyInit_, TORCH_EXTENSION_NAME)(void);
#define FL_EXTENSION_NAME C10_STRINGIZE(TORCH_EXTENSION_NAME)
#else
#define FL_EXTENSION_NAME "a C++ extension"
#endif

namespace torch {
namespace detail {
/* before the source's static objects */
[[maybe_unused]] static const bool loaded_early = load_early(FL_EXTENSION_NAME);
}
}  // namespace torch
