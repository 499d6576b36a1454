#pragma once

#include <torch/headeronly/headeronly.h>

namespace torch {
namespace stable {

using DeviceIndex = int32_t;
using DeviceType = c10::DeviceType;

class Device : public c10::Device {
  public:
    Device(c10::DeviceType type, DeviceIndex index = -1) : c10::Device(type, c10::DeviceIndex(index)) {}
    Device(c10::Device device) : c10::Device(device) {}
    Device(const std::string &name) : c10::Device(name) {}
    DeviceIndex index() const { return c10::Device::index(); }
};

/* There is only one device. */
namespace accelerator {
using DeviceIndex = int32_t;
class DeviceGuard {
  public:
    explicit DeviceGuard(DeviceIndex) {}
    DeviceGuard(const DeviceGuard &) = delete;
    ~DeviceGuard() {}
    void set_index(DeviceIndex) {}
};
inline DeviceIndex getCurrentDeviceIndex() { return -1; }
}  // namespace accelerator

}  // namespace stable
}  // namespace torch
