/* Code that runs while an extension is being loaded: static objects register operators and classes, and must not throw
 * exceptions. */
#pragma once

#include <ATen/core/boxing/Object.h>

namespace torch {
namespace detail {

/* Get flambeau's function table as soon as the library is loaded, because static objects may create tensors. */
inline bool load_early(const char *name) {
    if (fl_table || !Py_IsInitialized()) return fl_table != nullptr;
    PyGILState_STATE state = PyGILState_Ensure();
    if (fl_import(name)) PyErr_Clear(); /* creating the module tries again, and raises the error */
    PyGILState_Release(state);
    return fl_table != nullptr;
}

/* The first error while the library was loaded: creating the module or torch.ops.load_library raises it. */
inline fl_exception &failure() {
    static fl_exception first = nullptr;
    return first;
}
/* Run a registration, unless an earlier one has failed. */
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

/* Whether loading the library has failed; the error is then recorded. */
inline bool failed_to_load(const char *name) { return fl_table ? fl_run_libraries() != 0 : fl_import(name) != 0; }

}  // namespace detail
}  // namespace torch

#ifndef FL_COMPILED_AHEAD /* precompiled headers serve extensions of any name */
#include <torch/csrc/naming.h>
#endif
