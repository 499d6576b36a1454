#pragma once

#include <cstdint>
#include <ostream>

namespace c10 {
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d, NumOptions };
inline MemoryFormat get_contiguous_memory_format() { return MemoryFormat::Contiguous; }
inline std::ostream &operator<<(std::ostream &out, MemoryFormat format) {
    constexpr const char *names[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
    return out << names[int(format)];
}
}  // namespace c10
