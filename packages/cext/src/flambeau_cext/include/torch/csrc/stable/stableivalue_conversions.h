/* StableIValue: an argument or a result that passes through torch_call_dispatcher or a boxed kernel. */
#pragma once

#include <torch/csrc/stable/tensor.h>

/* A value, and whether its number is a handle. */
class StableIValue {
  public:
    enum Kind { PLAIN, DTYPE, LAYOUT, MEMORY_FORMAT };
    StableIValue() = default;
    StableIValue(c10::IValue value, Kind kind = PLAIN) : value_(std::move(value)), kind_(kind) {}
    const c10::IValue &value() const { return value_; }
    Kind kind() const { return kind_; }

  private:
    c10::IValue value_;
    Kind kind_ = PLAIN;
};

namespace torch {
namespace stable {
namespace detail {

template <class T> struct Stable {
    static StableIValue from(const T &value) {
        if constexpr (std::is_same_v<T, c10::ScalarType>) return {int64_t(value), StableIValue::DTYPE};
        else if constexpr (std::is_same_v<T, c10::Layout>) return {int64_t(value), StableIValue::LAYOUT};
        else if constexpr (std::is_same_v<T, c10::MemoryFormat>) return {int64_t(value), StableIValue::MEMORY_FORMAT};
        else if constexpr (std::is_same_v<T, Device>) return c10::IValue(c10::Device(value));
        else if constexpr (std::is_enum_v<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>)) return c10::IValue(int64_t(value));
        else if constexpr (std::is_same_v<T, AtenTensorHandle>) return c10::IValue(value->tensor);
        else return c10::IValue(value);
    }
    static T to(const StableIValue &v) {
        if constexpr (std::is_enum_v<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>)) return T(v.value().toInt());
        else if constexpr (std::is_same_v<T, Device>) return Device(v.value().toDevice());
        else if constexpr (std::is_same_v<T, AtenTensorHandle>) return new AtenTensorOpaque{v.value().toTensor()};
        else return v.value().to<T>();
    }
};
template <class T> struct Stable<std::optional<T>> {
    static StableIValue from(const std::optional<T> &value) { return value ? Stable<T>::from(*value) : StableIValue(); }
    static std::optional<T> to(const StableIValue &v) {
        if (v.value().isNone()) return std::nullopt;
        return Stable<T>::to(v);
    }
};
template <> struct Stable<std::nullopt_t> {
    static StableIValue from(std::nullopt_t) { return {}; }
};
template <size_t n> struct Stable<char[n]> {
    static StableIValue from(const char *text) { return c10::IValue(text); }
};

template <class T> StableIValue from(const T &value) { return Stable<T>::from(value); }
template <class T> T to(const StableIValue &value) { return Stable<T>::to(value); }

}  // namespace detail
}  // namespace stable
}  // namespace torch
