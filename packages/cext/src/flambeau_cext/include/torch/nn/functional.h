/* torch::nn::functional: the functions of the Python module of that name, with options as arguments. */
#pragma once

#include <torch/nn/options.h>

namespace torch {
namespace nn {
namespace functional {

namespace detail {
using namespace ::torch::nn::detail; /* NOLINT */
inline fl_value of_word(const Word &word) { return fl_of_string(word.text()); }
}  // namespace detail

/* Call the Python function of this name with these arguments. */
#define FL_FUNCTIONAL(name, arguments, ...) \
    using namespace ::torch::nn::functional::detail; \
    FL_CALL(tensor, "nn.functional." name, arguments, __VA_ARGS__)

/* --- Activations --------------------------------------------------------------------------------------------------- */

using ReLUFuncOptions = ReLUOptions;
using ReLU6FuncOptions = ReLU6Options;
using SELUFuncOptions = SELUOptions;
using LeakyReLUFuncOptions = LeakyReLUOptions;
using ELUFuncOptions = ELUOptions;
using CELUFuncOptions = CELUOptions;
using GELUFuncOptions = GELUOptions;
using HardtanhFuncOptions = HardtanhOptions;
using SoftplusFuncOptions = SoftplusOptions;
using GLUFuncOptions = GLUOptions;
struct SoftmaxFuncOptions {
    SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}
    TORCH_ARG(int64_t, dim);
    TORCH_ARG(std::optional<Dtype>, dtype) = std::nullopt;
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;

inline Tensor relu(Tensor x, const ReLUFuncOptions &o = {}) {
    FL_FUNCTIONAL("relu", "self inplace", of_tensor(x), of_bool(o.inplace()))
}
inline Tensor relu6(Tensor x, const ReLU6FuncOptions &o = {}) {
    FL_FUNCTIONAL("relu6", "self inplace", of_tensor(x), of_bool(o.inplace()))
}
inline Tensor selu(Tensor x, const SELUFuncOptions &o = {}) {
    FL_FUNCTIONAL("selu", "self inplace", of_tensor(x), of_bool(o.inplace()))
}
inline Tensor leaky_relu(Tensor x, const LeakyReLUFuncOptions &o = {}) {
    FL_FUNCTIONAL("leaky_relu", "self negative_slope inplace", of_tensor(x), of_double(o.negative_slope()),
                  of_bool(o.inplace()))
}
inline Tensor elu(Tensor x, const ELUFuncOptions &o = {}) {
    FL_FUNCTIONAL("elu", "self alpha inplace", of_tensor(x), of_double(o.alpha()), of_bool(o.inplace()))
}
inline Tensor celu(Tensor x, const CELUFuncOptions &o = {}) {
    FL_FUNCTIONAL("celu", "self alpha inplace", of_tensor(x), of_double(o.alpha()), of_bool(o.inplace()))
}
inline Tensor hardtanh(Tensor x, const HardtanhFuncOptions &o = {}) {
    FL_FUNCTIONAL("hardtanh", "self min_val max_val inplace", of_tensor(x), of_double(o.min_val()),
                  of_double(o.max_val()), of_bool(o.inplace()))
}
inline Tensor gelu(const Tensor &x, const GELUFuncOptions &o = {}) { return at::gelu(x, o.approximate()); }
inline Tensor silu(const Tensor &x) { return at::silu(x); }
inline Tensor mish(const Tensor &x) { return at::mish(x); }
inline Tensor hardsigmoid(const Tensor &x) { return at::hardsigmoid(x); }
inline Tensor hardswish(const Tensor &x) { return at::hardswish(x); }
inline Tensor logsigmoid(const Tensor &x) { return at::log_sigmoid(x); }
inline Tensor tanhshrink(const Tensor &x) { return x - x.tanh(); }
inline Tensor softsign(const Tensor &x) { return x / (x.abs() + 1); }
inline Tensor softplus(const Tensor &x, const SoftplusFuncOptions &o = {}) {
    return at::softplus(x, o.beta(), o.threshold());
}
inline Tensor glu(const Tensor &x, const GLUFuncOptions &o = {}) { return at::glu(x, o.dim()); }
inline Tensor prelu(const Tensor &x, const Tensor &weight) { return at::prelu(x, weight); }
inline Tensor softmax(const Tensor &x, const SoftmaxFuncOptions &o) { return at::softmax(x, o.dim(), o.dtype()); }
inline Tensor softmin(const Tensor &x, const SoftmaxFuncOptions &o) { return at::softmax(-x, o.dim(), o.dtype()); }
inline Tensor log_softmax(const Tensor &x, const LogSoftmaxFuncOptions &o) {
    return at::log_softmax(x, o.dim(), o.dtype());
}

/* --- Linear maps, convolutions, pooling ---------------------------------------------------------------------------- */

inline Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = {}) {
    return at::linear(x, weight, bias);
}
inline Tensor bilinear(const Tensor &x, const Tensor &y, const Tensor &weight, const Tensor &bias = {}) {
    return at::bilinear(x, y, weight, bias);
}

template <size_t D> struct ConvFuncOptions {
    TORCH_ARG(Tensor, bias) = {};
    TORCH_ARG(ExpandingArray<D>, stride) = 1;
    TORCH_ARG(detail::Padding<D>, padding) = 0;
    TORCH_ARG(ExpandingArray<D>, dilation) = 1;
    TORCH_ARG(int64_t, groups) = 1;
};
template <size_t D> struct ConvTransposeFuncOptions {
    TORCH_ARG(Tensor, bias) = {};
    TORCH_ARG(ExpandingArray<D>, stride) = 1;
    TORCH_ARG(ExpandingArray<D>, padding) = 0;
    TORCH_ARG(ExpandingArray<D>, output_padding) = 0;
    TORCH_ARG(int64_t, groups) = 1;
    TORCH_ARG(ExpandingArray<D>, dilation) = 1;
};

#define FL_CONVOLUTIONS(D)                                                                                             \
    using Conv##D##dFuncOptions = ConvFuncOptions<D>;                                                                  \
    using ConvTranspose##D##dFuncOptions = ConvTransposeFuncOptions<D>;                                                \
    using MaxPool##D##dFuncOptions = MaxPoolOptions<D>;                                                                \
    using AvgPool##D##dFuncOptions = AvgPoolOptions<D>;                                                                \
    using AdaptiveAvgPool##D##dFuncOptions = AdaptivePoolOptions<D>;                                                   \
    using AdaptiveMaxPool##D##dFuncOptions = AdaptivePoolOptions<D>;                                                   \
    inline Tensor conv##D##d(const Tensor &x, const Tensor &weight, const ConvFuncOptions<D> &o = {}) {                \
        if (o.padding().word)                                                                                          \
            return at::conv##D##d(x, weight, o.bias(), o.stride(), *o.padding().word, o.dilation(), o.groups());       \
        return at::conv##D##d(x, weight, o.bias(), o.stride(), o.padding().numbers, o.dilation(), o.groups());         \
    }                                                                                                                  \
    inline Tensor conv_transpose##D##d(const Tensor &x, const Tensor &weight,                                          \
                                       const ConvTransposeFuncOptions<D> &o = {}) {                                    \
        return at::conv_transpose##D##d(x, weight, o.bias(), o.stride(), o.padding(), o.output_padding(), o.groups(),  \
                                        o.dilation());                                                                 \
    }                                                                                                                  \
    inline Tensor max_pool##D##d(const Tensor &x, const MaxPoolOptions<D> &o) {                                        \
        return at::max_pool##D##d(x, o.kernel_size(), o.stride(), o.padding(), o.dilation(), o.ceil_mode());           \
    }                                                                                                                  \
    inline Tensor avg_pool##D##d(const Tensor &x, const AvgPoolOptions<D> &o) {                                        \
        return at::avg_pool##D##d(x, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(), o.count_include_pad());  \
    }                                                                                                                  \
    inline Tensor adaptive_avg_pool##D##d(const Tensor &x, const AdaptivePoolOptions<D> &o) {                          \
        return at::adaptive_avg_pool##D##d(x, o.output_size());                                                        \
    }                                                                                                                  \
    inline Tensor adaptive_max_pool##D##d(const Tensor &x, const AdaptivePoolOptions<D> &o) {                          \
        FL_FUNCTIONAL("adaptive_max_pool" #D "d", "self output_size", of_tensor(x), of_ints(o.output_size()))          \
    }
FL_CONVOLUTIONS(1)
FL_CONVOLUTIONS(2)
FL_CONVOLUTIONS(3)
#undef FL_CONVOLUTIONS

/* --- Normalization, dropout, embedding ----------------------------------------------------------------------------- */

struct BatchNormFuncOptions {
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(Tensor, bias) = {};
    TORCH_ARG(bool, training) = false;
    TORCH_ARG(std::optional<double>, momentum) = 0.1;
    TORCH_ARG(double, eps) = 1e-5;
};
struct InstanceNormFuncOptions {
    TORCH_ARG(Tensor, running_mean) = {};
    TORCH_ARG(Tensor, running_var) = {};
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(Tensor, bias) = {};
    TORCH_ARG(bool, use_input_stats) = true;
    TORCH_ARG(double, momentum) = 0.1;
    TORCH_ARG(double, eps) = 1e-5;
};
struct LayerNormFuncOptions {
    LayerNormFuncOptions(std::vector<int64_t> shape) : normalized_shape_(std::move(shape)) {}
    TORCH_ARG(std::vector<int64_t>, normalized_shape);
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(Tensor, bias) = {};
    TORCH_ARG(double, eps) = 1e-5;
};
struct GroupNormFuncOptions {
    GroupNormFuncOptions(int64_t groups) : num_groups_(groups) {}
    TORCH_ARG(int64_t, num_groups);
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(Tensor, bias) = {};
    TORCH_ARG(double, eps) = 1e-5;
};
struct NormalizeFuncOptions {
    TORCH_ARG(double, p) = 2.0;
    TORCH_ARG(double, eps) = 1e-12;
    TORCH_ARG(int64_t, dim) = 1;
};
struct DropoutFuncOptions {
    TORCH_ARG(double, p) = 0.5;
    TORCH_ARG(bool, training) = true;
    TORCH_ARG(bool, inplace) = false;
};
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;
using AlphaDropoutFuncOptions = DropoutFuncOptions;
struct EmbeddingFuncOptions {
    TORCH_ARG(std::optional<int64_t>, padding_idx) = std::nullopt;
    TORCH_ARG(bool, scale_grad_by_freq) = false;
};

inline Tensor batch_norm(const Tensor &x, const Tensor &mean, const Tensor &var, const BatchNormFuncOptions &o = {}) {
    TORCH_CHECK(o.momentum().has_value(), "batch_norm() expects a momentum");
    return at::batch_norm(x, o.weight(), o.bias(), mean, var, o.training(), *o.momentum(), o.eps(), false);
}
inline Tensor instance_norm(const Tensor &x, const InstanceNormFuncOptions &o = {}) {
    return at::instance_norm(x, o.weight(), o.bias(), o.running_mean(), o.running_var(), o.use_input_stats(),
                             o.momentum(), o.eps(), false);
}
inline Tensor layer_norm(const Tensor &x, const LayerNormFuncOptions &o) {
    return at::layer_norm(x, o.normalized_shape(), o.weight(), o.bias(), o.eps());
}
inline Tensor group_norm(const Tensor &x, const GroupNormFuncOptions &o) {
    return at::group_norm(x, o.num_groups(), o.weight(), o.bias(), o.eps());
}
inline Tensor normalize(const Tensor &x, const NormalizeFuncOptions &o = {}) {
    FL_FUNCTIONAL("normalize", "self p dim eps", of_tensor(x), of_double(o.p()), of_int(o.dim()), of_double(o.eps()))
}
#define FL_DROPOUT(name)                                                                                               \
    inline Tensor name(Tensor x, const DropoutFuncOptions &o = {}) {                                                   \
        FL_FUNCTIONAL(#name, "self p training inplace", of_tensor(x), of_double(o.p()), of_bool(o.training()),         \
                      of_bool(o.inplace()))                                                                            \
    }
FL_DROPOUT(dropout)
FL_DROPOUT(dropout2d)
FL_DROPOUT(dropout3d)
FL_DROPOUT(alpha_dropout)
#undef FL_DROPOUT
inline Tensor embedding(const Tensor &indices, const Tensor &weight, const EmbeddingFuncOptions &o = {}) {
    return at::embedding(weight, indices, o.padding_idx(), o.scale_grad_by_freq());
}
inline Tensor one_hot(const Tensor &x, int64_t classes = -1) { return at::one_hot(x, classes); }

/* --- Losses -------------------------------------------------------------------------------------------------------- */

using MSELossFuncOptions = MSELossOptions;
using L1LossFuncOptions = L1LossOptions;
using KLDivFuncOptions = KLDivLossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using CosineSimilarityFuncOptions = CosineSimilarityOptions;

inline Tensor mse_loss(const Tensor &x, const Tensor &target, const MSELossFuncOptions &o = {}) {
    FL_FUNCTIONAL("mse_loss", "self target reduction", of_tensor(x), of_tensor(target), of_word(o.reduction()))
}
inline Tensor l1_loss(const Tensor &x, const Tensor &target, const L1LossFuncOptions &o = {}) {
    FL_FUNCTIONAL("l1_loss", "self target reduction", of_tensor(x), of_tensor(target), of_word(o.reduction()))
}
inline Tensor kl_div(const Tensor &x, const Tensor &target, const KLDivFuncOptions &o = {}) {
    FL_FUNCTIONAL("kl_div", "self target reduction log_target", of_tensor(x), of_tensor(target), of_word(o.reduction()),
                  of_bool(o.log_target()))
}
inline Tensor smooth_l1_loss(const Tensor &x, const Tensor &target, const SmoothL1LossFuncOptions &o = {}) {
    FL_FUNCTIONAL("smooth_l1_loss", "self target reduction beta", of_tensor(x), of_tensor(target),
                  of_word(o.reduction()), of_double(o.beta()))
}
inline Tensor huber_loss(const Tensor &x, const Tensor &target, const HuberLossFuncOptions &o = {}) {
    FL_FUNCTIONAL("huber_loss", "self target reduction delta", of_tensor(x), of_tensor(target), of_word(o.reduction()),
                  of_double(o.delta()))
}
inline Tensor binary_cross_entropy(const Tensor &x, const Tensor &target, const BinaryCrossEntropyFuncOptions &o = {}) {
    FL_FUNCTIONAL("binary_cross_entropy", "self target weight reduction", of_tensor(x), of_tensor(target),
                  of_tensor_or_none(o.weight()), of_word(o.reduction()))
}
inline Tensor binary_cross_entropy_with_logits(const Tensor &x, const Tensor &target,
                                               const BinaryCrossEntropyWithLogitsFuncOptions &o = {}) {
    FL_FUNCTIONAL("binary_cross_entropy_with_logits", "self target weight reduction pos_weight", of_tensor(x),
                  of_tensor(target), of_tensor_or_none(o.weight()), of_word(o.reduction()),
                  of_tensor_or_none(o.pos_weight()))
}
inline Tensor nll_loss(const Tensor &x, const Tensor &target, const NLLLossFuncOptions &o = {}) {
    FL_FUNCTIONAL("nll_loss", "self target weight ignore_index reduction", of_tensor(x), of_tensor(target),
                  of_tensor_or_none(o.weight()), of_int(o.ignore_index()), of_word(o.reduction()))
}
inline Tensor cross_entropy(const Tensor &x, const Tensor &target, const CrossEntropyFuncOptions &o = {}) {
    FL_FUNCTIONAL("cross_entropy", "self target weight ignore_index reduction label_smoothing", of_tensor(x),
                  of_tensor(target), of_tensor_or_none(o.weight()), of_int(o.ignore_index()), of_word(o.reduction()),
                  of_double(o.label_smoothing()))
}
inline Tensor cosine_similarity(const Tensor &x, const Tensor &y, const CosineSimilarityFuncOptions &o = {}) {
    return at::cosine_similarity(x, y, o.dim(), o.eps());
}

/* --- Images -------------------------------------------------------------------------------------------------------- */

struct PadFuncOptions {
    PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}
    TORCH_ARG(std::vector<int64_t>, pad);
    TORCH_ARG(detail::Word, mode) = kConstant;
    TORCH_ARG(double, value) = 0;
};
struct InterpolateFuncOptions {
    TORCH_ARG(std::optional<std::vector<int64_t>>, size) = std::nullopt;
    TORCH_ARG(std::optional<std::vector<double>>, scale_factor) = std::nullopt;
    TORCH_ARG(detail::Word, mode) = kNearest;
    TORCH_ARG(std::optional<bool>, align_corners) = std::nullopt;
    TORCH_ARG(std::optional<bool>, recompute_scale_factor) = std::nullopt;
    TORCH_ARG(bool, antialias) = false;
};
struct GridSampleFuncOptions {
    TORCH_ARG(detail::Word, mode) = kBilinear;
    TORCH_ARG(detail::Word, padding_mode) = kZeros;
    TORCH_ARG(std::optional<bool>, align_corners) = std::nullopt;
};
using PixelShuffleFuncOptions = PixelShuffleOptions;
using UnfoldFuncOptions = UnfoldOptions;
using FoldFuncOptions = FoldOptions;

inline Tensor pad(const Tensor &x, const PadFuncOptions &o) {
    const bool constant = o.mode() == kConstant;
    return at::pad(x, o.pad(), o.mode().text(), constant ? optional<double>(o.value()) : nullopt);
}
inline Tensor interpolate(const Tensor &x, const InterpolateFuncOptions &o = {}) {
    FL_FUNCTIONAL("interpolate", "input size scale_factor mode align_corners recompute_scale_factor antialias",
                  of_tensor(x), o.size() ? of_ints(*o.size()) : fl_none(),
                  o.scale_factor() ? of_doubles(*o.scale_factor()) : fl_none(), of_word(o.mode()),
                  of_bool_or_none(o.align_corners()), of_bool_or_none(o.recompute_scale_factor()),
                  of_bool(o.antialias()))
}
inline Tensor grid_sample(const Tensor &x, const Tensor &grid, const GridSampleFuncOptions &o = {}) {
    FL_FUNCTIONAL("grid_sample", "input grid mode padding_mode align_corners", of_tensor(x), of_tensor(grid),
                  of_word(o.mode()), of_word(o.padding_mode()), of_bool_or_none(o.align_corners()))
}
inline Tensor affine_grid(const Tensor &theta, IntArrayRef size, bool align_corners = false) {
    return at::affine_grid_generator(theta, size, align_corners);
}
inline Tensor pixel_shuffle(const Tensor &x, const PixelShuffleFuncOptions &o) {
    return at::pixel_shuffle(x, o.upscale_factor());
}
inline Tensor unfold(const Tensor &x, const UnfoldFuncOptions &o) {
    return at::im2col(x, o.kernel_size(), o.dilation(), o.padding(), o.stride());
}
inline Tensor fold(const Tensor &x, const FoldFuncOptions &o) {
    return at::col2im(x, o.output_size(), o.kernel_size(), o.dilation(), o.padding(), o.stride());
}

}  // namespace functional
}  // namespace nn
}  // namespace torch
