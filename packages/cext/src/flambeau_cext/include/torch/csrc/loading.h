/* What happens while an extension is being loaded: static objects register operators and classes then, and no exception
 * may leave them. */
#pragma once

#include <ATen/core/boxing/Objects.h>

namespace torch {
namespace detail {

/* Get at flambeau's table as soon as the library is being loaded, which may make tensors then: static ones. */
inline bool load_early(const char *name) {
    if (fl_table || !Py_IsInitialized()) return fl_table != nullptr;
    PyGILState_STATE state = PyGILState_Ensure();
    if (fl_import(name)) PyErr_Clear(); /* creating the module tries again, and fails with this */
    PyGILState_Release(state);
    return fl_table != nullptr;
}

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

#ifndef FL_COMPILED_AHEAD /* headers that are compiled ahead serve extensions of any name */
#include <torch/csrc/naming.h>
#endif
