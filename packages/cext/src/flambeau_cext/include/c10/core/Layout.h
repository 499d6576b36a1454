#pragma once

#include <cstdint>

namespace c10 {
enum class Layout : int8_t { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
}  // namespace c10
