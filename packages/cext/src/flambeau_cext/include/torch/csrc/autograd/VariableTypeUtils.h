/* Checks for hand-written autograd kernels. */
#pragma once

#include <torch/csrc/autograd/custom_function.h>

namespace torch {
namespace autograd {

/* Increment the version of a tensor, after a kernel wrote through a pointer. */
inline void increment_version(const at::Tensor &t) {
    if (fl_written(t.handle())) throw c10::Error::recorded();
}
/* Throw an error unless a tensor may be written to in place. */
inline void check_inplace(const at::Tensor &t, bool requires_grad) {
    TORCH_CHECK(!(requires_grad && at::GradMode::is_enabled() && t.is_leaf() && t.requires_grad()),
                "a leaf Variable that requires grad is being used in an in-place operation.");
}
inline void check_inplace(at::TensorList tensors, bool requires_grad) {
    for (const at::Tensor &t : tensors) check_inplace(t, requires_grad);
}
[[noreturn]] inline void throw_error_out_requires_grad(const char *name) {
    TORCH_CHECK(false, name, "(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad.");
}
template <class... A> bool compute_requires_grad(const A &...tensors) {
    return at::GradMode::is_enabled() && ((tensors.defined() && tensors.requires_grad()) || ...);
}

}  // namespace autograd
}  // namespace torch
