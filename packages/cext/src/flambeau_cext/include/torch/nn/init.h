/* torch::nn::init: initialization of parameters. */
#pragma once

#include <torch/nn/options.h>

namespace torch {
namespace nn {
namespace init {

/* The numbers of inputs and outputs of a weight. */
inline std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor &weight) {
    TORCH_CHECK(weight.dim() >= 2, "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    int64_t field = weight.numel() ? weight[0][0].numel() : 1;
    return {weight.size(1) * field, weight.size(0) * field};
}
inline double calculate_gain(enumtype::Word nonlinearity, double slope = 0.01) {
    if (nonlinearity == kTanh) return 5.0 / 3.0;
    if (nonlinearity == kReLU) return std::sqrt(2.0);
    return nonlinearity == kLeakyReLU ? std::sqrt(2.0 / (1 + slope * slope)) : 1.0;
}
inline Tensor constant_(Tensor t, const Scalar &value) {
    NoGradGuard no_grad;
    return t.fill_(value);
}
inline Tensor ones_(Tensor t) { return constant_(std::move(t), 1); }
inline Tensor zeros_(Tensor t) { return constant_(std::move(t), 0); }
inline Tensor normal_(Tensor t, double mean = 0, double std = 1) {
    NoGradGuard no_grad;
    return t.normal_(mean, std);
}
inline Tensor uniform_(Tensor t, double low = 0, double high = 1) {
    NoGradGuard no_grad;
    return t.uniform_(low, high);
}
inline Tensor eye_(Tensor t) {
    NoGradGuard no_grad;
    TORCH_CHECK(t.dim() == 2, "Only tensors with 2 dimensions are supported");
    return t.copy_(torch::eye(t.size(0), t.size(1), t.options()));
}
namespace detail {
inline double kaiming_std(const Tensor &t, double a, enumtype::Word mode, enumtype::Word nonlinearity) {
    auto [in, out] = _calculate_fan_in_and_fan_out(t);
    return calculate_gain(nonlinearity, a) / std::sqrt(double(mode == kFanIn ? in : out));
}
inline double xavier_std(const Tensor &t, double gain) {
    auto [in, out] = _calculate_fan_in_and_fan_out(t);
    return gain * std::sqrt(2.0 / double(in + out));
}
}  // namespace detail
inline Tensor kaiming_uniform_(Tensor t, double a = 0, enumtype::Word mode = kFanIn,
                               enumtype::Word nonlinearity = kLeakyReLU) {
    double bound = std::sqrt(3.0) * detail::kaiming_std(t, a, mode, nonlinearity);
    return uniform_(std::move(t), -bound, bound);
}
inline Tensor kaiming_normal_(Tensor t, double a = 0, enumtype::Word mode = kFanIn,
                              enumtype::Word nonlinearity = kLeakyReLU) {
    double std = detail::kaiming_std(t, a, mode, nonlinearity);
    return normal_(std::move(t), 0, std);
}
inline Tensor xavier_uniform_(Tensor t, double gain = 1) {
    double bound = std::sqrt(3.0) * detail::xavier_std(t, gain);
    return uniform_(std::move(t), -bound, bound);
}
inline Tensor xavier_normal_(Tensor t, double gain = 1) {
    double std = detail::xavier_std(t, gain);
    return normal_(std::move(t), 0, std);
}

}  // namespace init
}  // namespace nn
}  // namespace torch
