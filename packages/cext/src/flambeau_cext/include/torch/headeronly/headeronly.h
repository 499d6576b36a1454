/* torch::headeronly: the types that need no library, under their names in PyTorch's stable interface. */
#pragma once

#include <ATen/Dispatch.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/core/TensorAccessor.h>
#include <ATen/core/enum_tag.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/macros/Macros.h>
#include <c10/util/Optional.h>
#include <c10/util/irange.h>
#include <torch/headeronly/version.h>

#include <stdexcept>

namespace torch {
namespace headeronly {

using namespace c10; /* NOLINT */
template <class T> using HeaderOnlyArrayRef = c10::ArrayRef<T>;
using IntHeaderOnlyArrayRef = c10::IntArrayRef;
template <class T, size_t n, template <class> class PtrTraits = at::DefaultPtrTraits, class index_t = int64_t>
using HeaderOnlyTensorAccessor = at::TensorAccessor<T, n>;
template <class T, size_t n, template <class> class PtrTraits = at::DefaultPtrTraits, class index_t = int64_t>
using HeaderOnlyGenericPackedTensorAccessor = at::PackedTensorAccessor<T, n, PtrTraits, index_t>;

namespace detail {
[[noreturn]] inline void throw_exception(const char *call, const char *file, int64_t line) {
    throw std::runtime_error(c10::str(call, " API call failed at ", file, ", line ", line));
}
/* A message begins with the source location. */
[[noreturn]] inline void failed_check(const char *condition, const char *function, const char *file, int line,
                                      const std::string &message) {
    std::string text = message.empty() ? c10::str("Expected ", condition, " to be true, but got false.") : message;
    throw std::runtime_error(c10::str(function, ", ", file, ":", line, ", ", text));
}
}  // namespace detail
}  // namespace headeronly
}  // namespace torch

#define STD_TORCH_CHECK(condition, ...)                                                        \
    if (C10_UNLIKELY(!(condition))) {                                                          \
        ::torch::headeronly::detail::failed_check(#condition, __func__, __FILE__, __LINE__,    \
                                                  ::c10::str(__VA_ARGS__));                    \
    }
#define TORCH_SUCCESS 0
#define TORCH_FAILURE 1
#define TORCH_ERROR_CODE_CHECK(call)                                                           \
    if ((call) != TORCH_SUCCESS) {                                                             \
        ::torch::headeronly::detail::throw_exception(#call, __FILE__, __LINE__);               \
    }
#define STABLE_TORCH_ERROR_CODE_CHECK(call) TORCH_ERROR_CODE_CHECK(call)
#define THO_DISPATCH_SWITCH(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, __VA_ARGS__)
#define THO_DISPATCH_CASE(type, ...) AT_DISPATCH_CASE(type, __VA_ARGS__)
#define THO_DISPATCH_V2(TYPE, NAME, BODY, ...) AT_DISPATCH_V2(TYPE, NAME, BODY, __VA_ARGS__)
