/* Devices: there is the CPU; others have names, so that sources may ask. */
#pragma once

#include <c10/util/Exception.h>

namespace c10 {

using DeviceIndex = int8_t;

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, HIP = 6, XLA = 9, MPS = 13, Meta = 14, XPU = 12, PrivateUse1 = 20 };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP, kXLA = DeviceType::XLA,
                     kMPS = DeviceType::MPS, kMeta = DeviceType::Meta, kXPU = DeviceType::XPU;

inline const char *DeviceTypeName(DeviceType type, bool = false) {
    switch (type) {
    case DeviceType::CPU: return "cpu";
    case DeviceType::CUDA: return "cuda";
    case DeviceType::HIP: return "hip";
    case DeviceType::XLA: return "xla";
    case DeviceType::MPS: return "mps";
    case DeviceType::Meta: return "meta";
    case DeviceType::XPU: return "xpu";
    default: return "privateuseone";
    }
}
inline std::ostream &operator<<(std::ostream &out, DeviceType type) { return out << DeviceTypeName(type); }

class Device final {
  public:
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    Device(const std::string &name) : type_(DeviceType::CPU), index_(-1) {
        size_t colon = name.find(':');
        for (DeviceType type : {kCPU, kCUDA, kHIP, kXLA, kMPS, kMeta, kXPU}) {
            if (name.substr(0, colon) != DeviceTypeName(type)) continue;
            type_ = type;
            if (colon != std::string::npos) index_ = DeviceIndex(std::stoi(name.substr(colon + 1)));
            return;
        }
        TORCH_CHECK(false, "Invalid device string: '", name, "'");
    }
    Device(const char *name) : Device(std::string(name)) {}

    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool has_index() const { return index_ >= 0; }
    bool is_cpu() const { return type_ == kCPU; }
    bool is_cuda() const { return type_ == kCUDA; }
    bool is_meta() const { return type_ == kMeta; }
    bool is_mps() const { return type_ == kMPS; }
    bool is_xpu() const { return type_ == kXPU; }
    std::string str() const {
        return has_index() ? c10::str(DeviceTypeName(type_), ":", int(index_)) : DeviceTypeName(type_);
    }
    bool operator==(const Device &other) const { return type_ == other.type_ && index_ == other.index_; }
    bool operator!=(const Device &other) const { return !(*this == other); }

  private:
    DeviceType type_;
    DeviceIndex index_;
};
inline std::ostream &operator<<(std::ostream &out, const Device &device) { return out << device.str(); }

}  // namespace c10
