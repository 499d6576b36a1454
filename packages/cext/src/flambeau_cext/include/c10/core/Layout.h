#pragma once

#include <cstdint>
#include <ostream>

namespace c10 {
enum class Layout : int8_t { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
inline std::ostream &operator<<(std::ostream &out, Layout layout) {
    return out << (layout == kStrided ? "Strided" : "Sparse");
}
}  // namespace c10
