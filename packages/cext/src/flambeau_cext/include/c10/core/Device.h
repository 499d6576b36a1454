/* Devices: only the CPU exists; the others have names, so that sources can compare with them. */
#pragma once

#include <c10/util/Exception.h>

namespace c10 {

using DeviceIndex = int8_t;

/* name in DeviceType, its text, number */
#define FL_FORALL_DEVICES(_)                                                                                          \
    _(CPU, cpu, 0) _(CUDA, cuda, 1) _(MKLDNN, mkldnn, 2) _(OPENGL, opengl, 3) _(OPENCL, opencl, 4) _(IDEEP, ideep, 5)  \
    _(HIP, hip, 6) _(FPGA, fpga, 7) _(MAIA, maia, 8) _(XLA, xla, 9) _(Vulkan, vulkan, 10) _(Metal, metal, 11)          \
    _(XPU, xpu, 12) _(MPS, mps, 13) _(Meta, meta, 14) _(HPU, hpu, 15) _(VE, ve, 16) _(Lazy, lazy, 17) _(IPU, ipu, 18)  \
    _(MTIA, mtia, 19) _(PrivateUse1, privateuseone, 20)

enum class DeviceType : int8_t {
#define FL_MEMBER(name, text, number) name = number,
    FL_FORALL_DEVICES(FL_MEMBER)
#undef FL_MEMBER
    COMPILE_TIME_MAX_DEVICE_TYPES = 21, /* the number of device types, for tables by device */
};
#define FL_CONSTANT(name, text, number) constexpr DeviceType k##name = DeviceType::name;
FL_FORALL_DEVICES(FL_CONSTANT)
#undef FL_CONSTANT
constexpr int COMPILE_TIME_MAX_DEVICE_TYPES = int(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);

/* The text of a device type, or its name in capitals. */
inline std::string DeviceTypeName(DeviceType type, bool lower_case = true) {
    std::string name;
    switch (type) {
#define FL_CASE(member, text, number) \
    case DeviceType::member: name = #text; break;
        FL_FORALL_DEVICES(FL_CASE)
#undef FL_CASE
    default: TORCH_CHECK(false, "Unknown device: ", int(type));
    }
    for (char &c : name)
        if (!lower_case && c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
    return name;
}
inline bool isValidDeviceType(DeviceType type) {
    return int(type) >= 0 && type < DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES;
}
inline std::ostream &operator<<(std::ostream &out, DeviceType type) { return out << DeviceTypeName(type); }

class Device {
  public:
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    Device(const std::string &name) : type_(DeviceType::CPU), index_(-1) {
        size_t colon = name.find(':');
        for (int number = 0; number < COMPILE_TIME_MAX_DEVICE_TYPES; number++) {
            const DeviceType type = DeviceType(number);
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
    void set_index(DeviceIndex index) { index_ = index; }
    bool has_index() const { return index_ >= 0; }
    bool is_cpu() const { return type_ == kCPU; }
    bool is_cuda() const { return type_ == kCUDA; }
    bool is_meta() const { return type_ == kMeta; }
    bool is_mps() const { return type_ == kMPS; }
    bool is_xpu() const { return type_ == kXPU; }
    bool is_xla() const { return type_ == kXLA; }
    bool is_hip() const { return type_ == kHIP; }
    bool is_mtia() const { return type_ == kMTIA; }
    bool is_hpu() const { return type_ == kHPU; }
    bool is_privateuseone() const { return type_ == kPrivateUse1; }
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

namespace std {
template <> struct hash<c10::DeviceType> {
    size_t operator()(c10::DeviceType type) const { return size_t(type); }
};
template <> struct hash<c10::Device> {
    size_t operator()(const c10::Device &device) const { return size_t(device.type()) << 8 | uint8_t(device.index()); }
};
}  // namespace std
