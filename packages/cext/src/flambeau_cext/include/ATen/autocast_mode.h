/* Casts that kernels for autocast make. */
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace at {
namespace autocast {

inline bool is_eligible(const Tensor &t, DeviceType device = kCUDA) {
    return t.defined() && t.device().type() == device && t.is_floating_point() && t.scalar_type() != kDouble;
}
/* Convert tensors of a floating-point type other than double that are on the device. */
inline Tensor cached_cast(ScalarType type, const Tensor &t, DeviceType device = kCUDA) {
    return is_eligible(t, device) ? t.to(type) : t;
}
inline optional<Tensor> cached_cast(ScalarType type, const optional<Tensor> &t, DeviceType device = kCUDA) {
    return t ? optional<Tensor>(cached_cast(type, *t, device)) : nullopt;
}
inline std::vector<Tensor> cached_cast(ScalarType type, TensorList list, DeviceType device = kCUDA) {
    std::vector<Tensor> converted;
    for (const Tensor &t : list) converted.push_back(cached_cast(type, t, device));
    return converted;
}
/* Other arguments stay as they are. */
template <class T> T cached_cast(ScalarType, T argument, DeviceType = kCUDA) { return argument; }

}  // namespace autocast
}  // namespace at
