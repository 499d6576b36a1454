/* Options of torch::nn: Conv2dOptions(1, 20, 5).stride(2), F::PadFuncOptions({1, 1}).mode(torch::kReflect). Modules and
 * functions with the same options share them. */
#pragma once

#include <torch/enum.h>
#include <torch/types.h>

#include <array>

/* An option: options.name(value) sets it, options.name() reads it. */
#define TORCH_ARG(T, name)                                        \
  public:                                                         \
    auto name(const T &value) -> decltype(*this) {                \
        this->name##_ = value;                                    \
        return *this;                                             \
    }                                                             \
    auto name(T &&value) -> decltype(*this) {                     \
        this->name##_ = std::move(value);                         \
        return *this;                                             \
    }                                                             \
    const T &name() const noexcept { return this->name##_; }      \
    T &name() noexcept { return this->name##_; }                  \
                                                                  \
  private:                                                        \
    T name##_ /* NOLINT */

namespace torch {

/* A number for each dimension, or one for all of them. */
template <size_t D, class T = int64_t> class ExpandingArray {
  public:
    ExpandingArray(T all) { values_.fill(all); }
    ExpandingArray(std::initializer_list<T> list) : ExpandingArray(std::vector<T>(list)) {}
    ExpandingArray(const std::array<T, D> &values) : values_(values) {}
    ExpandingArray(const std::vector<T> &list) {
        TORCH_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
        std::copy(list.begin(), list.end(), values_.begin());
    }
    ExpandingArray(at::ArrayRef<T> list) : ExpandingArray(list.vec()) {}
    std::array<T, D> &operator*() { return values_; }
    const std::array<T, D> &operator*() const { return values_; }
    std::array<T, D> *operator->() { return &values_; }
    const std::array<T, D> *operator->() const { return &values_; }
    operator at::ArrayRef<T>() const { return at::ArrayRef<T>(values_.data(), D); }
    size_t size() const { return D; }

  private:
    std::array<T, D> values_;
};

namespace nn {

namespace detail {
using enumtype::Word;
using Sizes = std::vector<int64_t>;
/* The padding of a convolution: numbers, torch::kSame or torch::kValid. */
template <size_t D> struct Padding {
    ExpandingArray<D> numbers = 0;
    std::optional<std::string> word;
    Padding(ExpandingArray<D> n) : numbers(n) {}
    Padding(int64_t n) : numbers(n) {}
    Padding(std::initializer_list<int64_t> list) : numbers(list) {}
    Padding(const std::vector<int64_t> &list) : numbers(list) {}
    Padding(enumtype::kSame) : word("same") {}
    Padding(enumtype::kValid) : word("valid") {}
};
}  // namespace detail

struct LinearOptions {
    LinearOptions(int64_t in, int64_t out) : in_features_(in), out_features_(out) {}
    TORCH_ARG(int64_t, in_features);
    TORCH_ARG(int64_t, out_features);
    TORCH_ARG(bool, bias) = true;
};
struct BilinearOptions {
    BilinearOptions(int64_t in1, int64_t in2, int64_t out) : in1_features_(in1), in2_features_(in2), out_features_(out) {}
    TORCH_ARG(int64_t, in1_features);
    TORCH_ARG(int64_t, in2_features);
    TORCH_ARG(int64_t, out_features);
    TORCH_ARG(bool, bias) = true;
};
struct FlattenOptions {
    TORCH_ARG(int64_t, start_dim) = 1;
    TORCH_ARG(int64_t, end_dim) = -1;
};

template <size_t D> struct ConvOptions {
    ConvOptions(int64_t in, int64_t out, ExpandingArray<D> kernel)
        : in_channels_(in), out_channels_(out), kernel_size_(kernel) {}
    TORCH_ARG(int64_t, in_channels);
    TORCH_ARG(int64_t, out_channels);
    TORCH_ARG(ExpandingArray<D>, kernel_size);
    TORCH_ARG(ExpandingArray<D>, stride) = 1;
    TORCH_ARG(detail::Padding<D>, padding) = 0;
    TORCH_ARG(ExpandingArray<D>, dilation) = 1;
    TORCH_ARG(int64_t, groups) = 1;
    TORCH_ARG(bool, bias) = true;
    TORCH_ARG(detail::Word, padding_mode) = kZeros;
};
template <size_t D> struct ConvTransposeOptions {
    ConvTransposeOptions(int64_t in, int64_t out, ExpandingArray<D> kernel)
        : in_channels_(in), out_channels_(out), kernel_size_(kernel) {}
    TORCH_ARG(int64_t, in_channels);
    TORCH_ARG(int64_t, out_channels);
    TORCH_ARG(ExpandingArray<D>, kernel_size);
    TORCH_ARG(ExpandingArray<D>, stride) = 1;
    TORCH_ARG(ExpandingArray<D>, padding) = 0;
    TORCH_ARG(ExpandingArray<D>, output_padding) = 0;
    TORCH_ARG(int64_t, groups) = 1;
    TORCH_ARG(bool, bias) = true;
    TORCH_ARG(ExpandingArray<D>, dilation) = 1;
};
template <size_t D> struct MaxPoolOptions {
    MaxPoolOptions(ExpandingArray<D> kernel) : kernel_size_(kernel), stride_(kernel) {}
    TORCH_ARG(ExpandingArray<D>, kernel_size);
    TORCH_ARG(ExpandingArray<D>, stride);
    TORCH_ARG(ExpandingArray<D>, padding) = 0;
    TORCH_ARG(ExpandingArray<D>, dilation) = 1;
    TORCH_ARG(bool, ceil_mode) = false;
};
template <size_t D> struct AvgPoolOptions {
    AvgPoolOptions(ExpandingArray<D> kernel) : kernel_size_(kernel), stride_(kernel) {}
    TORCH_ARG(ExpandingArray<D>, kernel_size);
    TORCH_ARG(ExpandingArray<D>, stride);
    TORCH_ARG(ExpandingArray<D>, padding) = 0;
    TORCH_ARG(bool, ceil_mode) = false;
    TORCH_ARG(bool, count_include_pad) = true;
};
template <size_t D> struct AdaptivePoolOptions {
    AdaptivePoolOptions(ExpandingArray<D> size) : output_size_(size) {}
    TORCH_ARG(ExpandingArray<D>, output_size);
};

struct BatchNormOptions {
    BatchNormOptions(int64_t features) : num_features_(features) {}
    TORCH_ARG(int64_t, num_features);
    TORCH_ARG(double, eps) = 1e-5;
    TORCH_ARG(std::optional<double>, momentum) = 0.1;
    TORCH_ARG(bool, affine) = true;
    TORCH_ARG(bool, track_running_stats) = true;
};
struct InstanceNormOptions {
    InstanceNormOptions(int64_t features) : num_features_(features) {}
    TORCH_ARG(int64_t, num_features);
    TORCH_ARG(double, eps) = 1e-5;
    TORCH_ARG(double, momentum) = 0.1;
    TORCH_ARG(bool, affine) = false;
    TORCH_ARG(bool, track_running_stats) = false;
};
struct LayerNormOptions {
    LayerNormOptions(std::vector<int64_t> shape) : normalized_shape_(std::move(shape)) {}
    TORCH_ARG(std::vector<int64_t>, normalized_shape);
    TORCH_ARG(double, eps) = 1e-5;
    TORCH_ARG(bool, elementwise_affine) = true;
};
struct GroupNormOptions {
    GroupNormOptions(int64_t groups, int64_t channels) : num_groups_(groups), num_channels_(channels) {}
    TORCH_ARG(int64_t, num_groups);
    TORCH_ARG(int64_t, num_channels);
    TORCH_ARG(double, eps) = 1e-5;
    TORCH_ARG(bool, affine) = true;
};
struct DropoutOptions {
    DropoutOptions(double p = 0.5) : p_(p) {}
    TORCH_ARG(double, p);
    TORCH_ARG(bool, inplace) = false;
};
struct EmbeddingOptions {
    EmbeddingOptions(int64_t count, int64_t size) : num_embeddings_(count), embedding_dim_(size) {}
    TORCH_ARG(int64_t, num_embeddings);
    TORCH_ARG(int64_t, embedding_dim);
    TORCH_ARG(std::optional<int64_t>, padding_idx) = std::nullopt;
};

#define FL_INPLACE(Name)                                          \
    struct Name {                                                 \
        Name(bool in_place = false) : inplace_(in_place) {}       \
        TORCH_ARG(bool, inplace);                                 \
    }
FL_INPLACE(ReLUOptions);
FL_INPLACE(ReLU6Options);
FL_INPLACE(SELUOptions);
#undef FL_INPLACE
struct LeakyReLUOptions {
    TORCH_ARG(double, negative_slope) = 1e-2;
    TORCH_ARG(bool, inplace) = false;
};
struct ELUOptions {
    TORCH_ARG(double, alpha) = 1.0;
    TORCH_ARG(bool, inplace) = false;
};
struct CELUOptions {
    TORCH_ARG(double, alpha) = 1.0;
    TORCH_ARG(bool, inplace) = false;
};
struct GELUOptions {
    TORCH_ARG(std::string, approximate) = "none";
};
struct HardtanhOptions {
    TORCH_ARG(double, min_val) = -1.0;
    TORCH_ARG(double, max_val) = 1.0;
    TORCH_ARG(bool, inplace) = false;
};
struct SoftplusOptions {
    TORCH_ARG(double, beta) = 1.0;
    TORCH_ARG(double, threshold) = 20.0;
};
struct SoftmaxOptions {
    SoftmaxOptions(int64_t dim) : dim_(dim) {}
    TORCH_ARG(int64_t, dim);
};
using LogSoftmaxOptions = SoftmaxOptions;
struct GLUOptions {
    GLUOptions(int64_t dim = -1) : dim_(dim) {}
    TORCH_ARG(int64_t, dim);
};
struct PReLUOptions {
    TORCH_ARG(int64_t, num_parameters) = 1;
    TORCH_ARG(double, init) = 0.25;
};

struct MSELossOptions {
    MSELossOptions(detail::Word reduction = kMean) : reduction_(reduction) {}
    TORCH_ARG(detail::Word, reduction);
};
using L1LossOptions = MSELossOptions;
struct KLDivLossOptions {
    KLDivLossOptions(detail::Word reduction = kMean) : reduction_(reduction) {}
    TORCH_ARG(detail::Word, reduction);
    TORCH_ARG(bool, log_target) = false;
};
struct SmoothL1LossOptions {
    SmoothL1LossOptions(detail::Word reduction = kMean) : reduction_(reduction) {}
    TORCH_ARG(detail::Word, reduction);
    TORCH_ARG(double, beta) = 1.0;
};
struct HuberLossOptions {
    HuberLossOptions(detail::Word reduction = kMean) : reduction_(reduction) {}
    TORCH_ARG(detail::Word, reduction);
    TORCH_ARG(double, delta) = 1.0;
};
struct BCELossOptions {
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(detail::Word, reduction) = kMean;
};
struct BCEWithLogitsLossOptions {
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(detail::Word, reduction) = kMean;
    TORCH_ARG(Tensor, pos_weight) = {};
};
struct NLLLossOptions {
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(int64_t, ignore_index) = -100;
    TORCH_ARG(detail::Word, reduction) = kMean;
};
struct CrossEntropyLossOptions {
    TORCH_ARG(Tensor, weight) = {};
    TORCH_ARG(int64_t, ignore_index) = -100;
    TORCH_ARG(detail::Word, reduction) = kMean;
    TORCH_ARG(double, label_smoothing) = 0.0;
};
struct CosineSimilarityOptions {
    TORCH_ARG(int64_t, dim) = 1;
    TORCH_ARG(double, eps) = 1e-8;
};
struct UpsampleOptions {
    TORCH_ARG(std::optional<std::vector<int64_t>>, size) = std::nullopt;
    TORCH_ARG(std::optional<std::vector<double>>, scale_factor) = std::nullopt;
    TORCH_ARG(detail::Word, mode) = kNearest;
    TORCH_ARG(std::optional<bool>, align_corners) = std::nullopt;
};
struct PixelShuffleOptions {
    PixelShuffleOptions(int64_t factor) : upscale_factor_(factor) {}
    TORCH_ARG(int64_t, upscale_factor);
};
struct UnfoldOptions {
    UnfoldOptions(ExpandingArray<2> kernel) : kernel_size_(kernel) {}
    TORCH_ARG(ExpandingArray<2>, kernel_size);
    TORCH_ARG(ExpandingArray<2>, dilation) = 1;
    TORCH_ARG(ExpandingArray<2>, padding) = 0;
    TORCH_ARG(ExpandingArray<2>, stride) = 1;
};
struct FoldOptions {
    FoldOptions(ExpandingArray<2> size, ExpandingArray<2> kernel) : output_size_(size), kernel_size_(kernel) {}
    TORCH_ARG(ExpandingArray<2>, output_size);
    TORCH_ARG(ExpandingArray<2>, kernel_size);
    TORCH_ARG(ExpandingArray<2>, dilation) = 1;
    TORCH_ARG(ExpandingArray<2>, padding) = 0;
    TORCH_ARG(ExpandingArray<2>, stride) = 1;
};

#define FL_DIMENSIONS(Name)                                       \
    using Name##1dOptions [[maybe_unused]] = Name##Options<1>;    \
    using Name##2dOptions [[maybe_unused]] = Name##Options<2>;    \
    using Name##3dOptions [[maybe_unused]] = Name##Options<3>
FL_DIMENSIONS(Conv);
FL_DIMENSIONS(ConvTranspose);
FL_DIMENSIONS(MaxPool);
FL_DIMENSIONS(AvgPool);
using AdaptiveAvgPool1dOptions = AdaptivePoolOptions<1>;
using AdaptiveAvgPool2dOptions = AdaptivePoolOptions<2>;
using AdaptiveAvgPool3dOptions = AdaptivePoolOptions<3>;
using AdaptiveMaxPool1dOptions = AdaptivePoolOptions<1>;
using AdaptiveMaxPool2dOptions = AdaptivePoolOptions<2>;
using AdaptiveMaxPool3dOptions = AdaptivePoolOptions<3>;
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;
#undef FL_DIMENSIONS

}  // namespace nn
}  // namespace torch
