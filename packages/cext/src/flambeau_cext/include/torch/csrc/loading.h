/* What happens while an extension is being loaded: static objects register operators and classes then, and no exception
 * may leave them. */
#pragma once

#include <ATen/core/boxing/Objects.h>

#ifdef TORCH_EXTENSION_NAME
/* Sources define this function as a plain one; Python has to find it where everything else is hidden. */
extern "C" __attribute__((visibility("default"))) PyObject *C10_CONCATENATE(PyInit_, TORCH_EXTENSION_NAME)(void);
#endif

namespace torch {
namespace detail {

#ifdef TORCH_EXTENSION_NAME
#define FL_EXTENSION_NAME C10_STRINGIZE(TORCH_EXTENSION_NAME)
#else
#define FL_EXTENSION_NAME "a C++ extension"
#endif

/* Get at flambeau's table as soon as the library is being loaded, which may make tensors then: static ones. */
inline bool load_early() {
    if (fl_table || !Py_IsInitialized()) return fl_table != nullptr;
    PyGILState_STATE state = PyGILState_Ensure();
    if (fl_import(FL_EXTENSION_NAME)) PyErr_Clear(); /* creating the module tries again, and fails with this */
    PyGILState_Release(state);
    return fl_table != nullptr;
}
[[maybe_unused]] static const bool loaded_early = load_early(); /* before what the source has below */

/* What failed first while the library was being loaded: raised when the module is created, or by torch.ops.load_library. */
inline fl_exception &failure() {
    static fl_exception first = nullptr;
    return first;
}
/* Run what registers something, unless something failed before. */
template <class F> void while_loading(F &&f) {
    if (!fl_table) return;
    PyGILState_STATE state = PyGILState_Ensure();
    if (!failure()) {
        try {
            f();
        } catch (...) {
            static fl_library_block report{[] { fl_error_put(std::exchange(failure(), nullptr)); }, nullptr};
            fl::record_exception();
            failure() = fl_error_take();
            fl_enlist(&report);
        }
    }
    PyGILState_Release(state);
}

/* Whether something failed while the library was being loaded, which is then recorded. */
inline bool failed_to_load(const char *name) { return fl_table ? fl_run_libraries() != 0 : fl_import(name) != 0; }

}  // namespace detail
}  // namespace torch
