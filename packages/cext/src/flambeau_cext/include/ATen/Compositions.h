/* Functions composed of others, which are not operators of the library. */
#pragma once

#include <ATen/Tensor.h>

namespace at {

/* Forms that take symbolic sizes. */
inline Tensor empty_symint(SymIntArrayRef size, const TensorOptions &options = {}) {
    return empty(c10::asIntArrayRefUnchecked(size), options);
}
inline Tensor zeros_symint(SymIntArrayRef size, const TensorOptions &options = {}) {
    return zeros(c10::asIntArrayRefUnchecked(size), options);
}
inline Tensor ones_symint(SymIntArrayRef size, const TensorOptions &options = {}) {
    return ones(c10::asIntArrayRefUnchecked(size), options);
}

inline Tensor frobenius_norm(const Tensor &self, IntArrayRef dim, bool keepdim = false) {
    return linalg_vector_norm(self, 2, dim.empty() ? OptionalIntArrayRef() : OptionalIntArrayRef(dim), keepdim);
}
inline Tensor nuclear_norm(const Tensor &self, bool keepdim = false) {
    Tensor norm = linalg_svdvals(self).sum(-1);
    return keepdim ? norm.unsqueeze(-1).unsqueeze(-1) : norm;
}
inline Tensor native_norm(const Tensor &self, const Scalar &p = 2) { return linalg_vector_norm(self, p); }
inline Tensor atleast_1d(const Tensor &self) { return self.dim() ? self : self.reshape({1}); }
inline Tensor atleast_2d(const Tensor &self) { return self.dim() < 2 ? atleast_1d(self).unsqueeze(0) : self; }
inline Tensor atleast_3d(const Tensor &self) { return self.dim() < 3 ? atleast_2d(self).unsqueeze(-1) : self; }
inline ScalarType promote_types(ScalarType a, ScalarType b) { return c10::promoteTypes(a, b); }

/* --- Gradients of functions that select elements
 * ---------------------------------------------------------------------- */

inline Tensor index_select_backward(const Tensor &grad, IntArrayRef sizes, int64_t dim, const Tensor &index) {
    return zeros(sizes, grad.options()).index_add(dim, index, grad);
}
inline Tensor gather_backward(const Tensor &grad, const Tensor &self, int64_t dim, const Tensor &index, bool) {
    return zeros(self.sizes(), grad.options()).scatter_add(dim, index, grad);
}
inline Tensor value_selecting_reduction_backward(const Tensor &grad, int64_t dim, const Tensor &indices, IntArrayRef sizes,
                                                 bool keepdim) {
    const bool flat = !keepdim && !sizes.empty();
    return zeros(sizes, grad.options())
        .scatter(dim, flat ? indices.unsqueeze(dim) : indices, flat ? grad.unsqueeze(dim) : grad);
}
inline Tensor embedding_dense_backward(const Tensor &grad, const Tensor &indices, int64_t num_weights, int64_t padding_idx,
                                       bool scale_grad_by_freq) {
    Tensor flat = indices.reshape({-1}), rows = grad.reshape({-1, grad.size(-1)});
    if (scale_grad_by_freq) rows = rows / bincount(flat, {}, num_weights).index_select(0, flat).unsqueeze(1).to(rows.scalar_type());
    Tensor result = zeros({num_weights, grad.size(-1)}, grad.options()).index_add(0, flat, rows);
    if (padding_idx >= 0) result.select(0, padding_idx).zero_();
    return result;
}
}  // namespace at
