/* torch::nn::utils: gradients limited in norm or value, and parameters as one vector. */
#pragma once

#include <torch/types.h>

#include <cmath>

namespace torch {
namespace nn {
namespace utils {

/* Scale gradients so that their common norm is at most max_norm; return the norm that they had. */
inline double clip_grad_norm_(const std::vector<Tensor> &parameters, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
    NoGradGuard no_grad;
    std::vector<Tensor> grads, norms;
    for (const Tensor &p : parameters)
        if (p.grad().defined()) grads.push_back(p.grad());
    if (grads.empty()) return 0.0;
    for (const Tensor &grad : grads)
        norms.push_back(std::isinf(norm_type) ? grad.detach().abs().max() : grad.detach().norm(norm_type));
    const Tensor all = at::stack(norms), total = std::isinf(norm_type) ? all.max() : all.norm(norm_type);
    const double norm = total.item<double>();
    TORCH_CHECK(!error_if_nonfinite || std::isfinite(norm), "The total norm of order ", norm_type, " for gradients from "
                "`parameters` is non-finite, so it cannot be clipped. To disable this error and scale the gradients with "
                "the non-finite norm anyway, set `error_if_nonfinite=false`");
    const Tensor scale = at::clamp(max_norm / (total + 1e-6), nullopt, 1.0);
    for (Tensor &grad : grads) grad.mul_(scale);
    return norm;
}
inline double clip_grad_norm_(Tensor parameter, double max_norm, double norm_type = 2.0, bool error_if_nonfinite = false) {
    return clip_grad_norm_(std::vector<Tensor>{std::move(parameter)}, max_norm, norm_type, error_if_nonfinite);
}

/* Limit every element of the gradients to the range from -clip_value to clip_value. */
inline void clip_grad_value_(const std::vector<Tensor> &parameters, double clip_value) {
    NoGradGuard no_grad;
    for (const Tensor &p : parameters)
        if (Tensor grad = p.grad(); grad.defined()) grad.clamp_(-clip_value, clip_value);
}
inline void clip_grad_value_(Tensor parameter, double clip_value) {
    clip_grad_value_(std::vector<Tensor>{std::move(parameter)}, clip_value);
}

inline Tensor parameters_to_vector(const std::vector<Tensor> &parameters) {
    std::vector<Tensor> flat;
    for (const Tensor &p : parameters) flat.push_back(p.view({-1}));
    return at::cat(flat);
}
/* Make parts of a vector the values of the parameters. */
inline void vector_to_parameters(const Tensor &vector, const std::vector<Tensor> &parameters) {
    int64_t start = 0;
    for (const Tensor &p : parameters) {
        p.set_data(vector.detach().slice(0, start, start + p.numel()).view(p.sizes()));
        start += p.numel();
    }
}

}  // namespace utils
}  // namespace nn
}  // namespace torch
