/* Tensors in the namespace torch. */
#pragma once

#include <ATen/ATen.h>
#include <c10/util/Logging.h>
#include <torch/csrc/standard.h>

namespace torch {

using namespace at; /* NOLINT */

using c10::nullopt;
using c10::optional;
using Dtype = at::ScalarType;

constexpr auto kUInt8 = at::kByte, kU8 = at::kByte;
constexpr auto kInt8 = at::kChar, kI8 = at::kChar;
constexpr auto kInt16 = at::kShort, kI16 = at::kShort;
constexpr auto kInt32 = at::kInt, kI32 = at::kInt;
constexpr auto kInt64 = at::kLong, kI64 = at::kLong;
constexpr auto kFloat16 = at::kHalf, kF16 = at::kHalf;
constexpr auto kFloat32 = at::kFloat, kF32 = at::kFloat;
constexpr auto kFloat64 = at::kDouble, kF64 = at::kDouble;
constexpr auto kComplex64 = at::kComplexFloat, kC64 = at::kComplexFloat;
constexpr auto kComplex128 = at::kComplexDouble, kC128 = at::kComplexDouble;

using NoGradGuard = at::NoGradGuard;
using AutoGradMode = at::AutoGradMode;
using GradMode = at::GradMode;
using InferenceMode = at::InferenceMode;

namespace cuda {
inline bool is_available() { return false; }
inline int64_t device_count() { return 0; }
}  // namespace cuda

}  // namespace torch
