/* Tensors and their operators in C++: at::Tensor, at::add and all the others, checks, dispatch on dtypes, loops. */
#pragma once

#include <ATen/BackwardFunctions.h>
#include <ATen/Compositions.h>
#include <ATen/DeviceGuard.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/Tensor.h>
#include <ATen/TensorUtils.h>
#include <c10/core/GradMode.h>
#include <c10/core/Storage.h>
#include <c10/util/Logging.h>
#include <c10/util/irange.h>

namespace at {

/* The type in which sums and similar reductions are computed. */
template <class T, bool on_gpu = false> struct AccumulateType { using type = double; };
template <> struct AccumulateType<bool> { using type = bool; };
#define FL_INTEGER(T) \
    template <> struct AccumulateType<T> { using type = int64_t; };
FL_INTEGER(uint8_t) FL_INTEGER(int8_t) FL_INTEGER(int16_t) FL_INTEGER(int32_t) FL_INTEGER(int64_t)
#undef FL_INTEGER
template <> struct AccumulateType<c10::Half> { using type = float; };
template <> struct AccumulateType<c10::BFloat16> { using type = float; };
template <class T> struct AccumulateType<c10::complex<T>> { using type = c10::complex<double>; };
template <class T, bool on_gpu = false> using acc_type = typename AccumulateType<T, on_gpu>::type;
template <class T> using opmath_type =
    std::conditional_t<std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>, float, T>;
inline ScalarType toOpMathType(ScalarType type) {
    return type == kHalf || type == kBFloat16 ? kFloat : type == kComplexHalf ? kComplexFloat : type;
}

}  // namespace at
