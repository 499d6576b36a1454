/* Guards that make a tensor's device current. There is only one device, so they have no effect. */
#pragma once

#include <ATen/core/Tensor.h>

namespace c10 {

class DeviceGuard {
  public:
    explicit DeviceGuard(Device) {}
    DeviceGuard(const DeviceGuard &) = delete;
    ~DeviceGuard() {} /* prevents warnings about unused guards */
    void set_index(DeviceIndex) {}
    void reset_device(Device) {}
    Device current_device() const { return kCPU; }
    Device original_device() const { return kCPU; }
};
class OptionalDeviceGuard {
  public:
    explicit OptionalDeviceGuard(optional<Device> = nullopt) {}
    OptionalDeviceGuard(const OptionalDeviceGuard &) = delete;
    ~OptionalDeviceGuard() {}
    void reset_device(Device) {}
};

}  // namespace c10

namespace at {
using c10::DeviceGuard;
using c10::OptionalDeviceGuard;
inline optional<Device> device_of(const Tensor &t) { return t.defined() ? optional<Device>(t.device()) : nullopt; }
inline optional<Device> device_of(const optional<Tensor> &t) { return t ? device_of(*t) : nullopt; }
inline optional<Device> device_of(TensorList list) { return list.empty() ? nullopt : device_of(list[0]); }
}  // namespace at
