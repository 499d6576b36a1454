/* The options of new tensors: dtype, device, layout, requires_grad; unset options have defaults that depend on the
 * function. */
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Optional.h>

namespace c10 {

class TensorOptions {
  public:
    TensorOptions() = default;
    TensorOptions(ScalarType type) : dtype_(type) {}
    TensorOptions(TypeMeta type) : dtype_(type.toScalarType()) {}
    TensorOptions(Device device) : device_(device) {}
    TensorOptions(DeviceType device) : device_(device) {}
    TensorOptions(Layout layout) : layout_(layout) {}
    TensorOptions(MemoryFormat format) : memory_format_(format) {}

    TensorOptions dtype(optional<ScalarType> type) const { return with(&TensorOptions::dtype_, type); }
    TensorOptions dtype(ScalarType type) const { return with(&TensorOptions::dtype_, type); }
    TensorOptions dtype(TypeMeta type) const { return with(&TensorOptions::dtype_, type.toScalarType()); }
    template <class T> TensorOptions dtype() const { return dtype(CppTypeToScalarType<T>::value); }
    TensorOptions device(optional<Device> device) const { return with(&TensorOptions::device_, device); }
    TensorOptions device(DeviceType type, DeviceIndex index = -1) const { return device(Device(type, index)); }
    TensorOptions device(const char *name) const { return device(Device(name)); }
    TensorOptions layout(optional<Layout> layout) const { return with(&TensorOptions::layout_, layout); }
    TensorOptions memory_format(optional<MemoryFormat> f) const { return with(&TensorOptions::memory_format_, f); }
    TensorOptions requires_grad(optional<bool> on) const { return with(&TensorOptions::requires_grad_, on); }
    TensorOptions pinned_memory(optional<bool>) const { return *this; }

    TypeMeta dtype() const { return dtype_ ? TypeMeta(*dtype_) : get_default_dtype(); }
    Device device() const { return device_.value_or(Device(kCPU)); }
    Layout layout() const { return layout_.value_or(kStrided); }
    bool requires_grad() const { return requires_grad_.value_or(false); }
    bool pinned_memory() const { return false; }
    bool is_sparse() const { return layout() == kSparse; }

    bool has_dtype() const { return dtype_.has_value(); }
    bool has_device() const { return device_.has_value(); }
    bool has_layout() const { return layout_.has_value(); }
    bool has_requires_grad() const { return requires_grad_.has_value(); }
    const optional<ScalarType> &dtype_opt() const { return dtype_; }
    const optional<Device> &device_opt() const { return device_; }
    const optional<Layout> &layout_opt() const { return layout_; }
    const optional<MemoryFormat> &memory_format_opt() const { return memory_format_; }
    const optional<bool> &requires_grad_opt() const { return requires_grad_; }

    /* Whether tensors with these options have the same dtype, layout and type of device. */
    bool type_equal(const TensorOptions &other) const {
        return dtype() == other.dtype() && layout() == other.layout() && device().type() == other.device().type();
    }
    /* Return these options, overridden by the ones that the other sets. */
    TensorOptions merge_in(const TensorOptions &other) const {
        TensorOptions result = *this;
        if (other.dtype_) result.dtype_ = other.dtype_;
        if (other.device_) result.device_ = other.device_;
        if (other.layout_) result.layout_ = other.layout_;
        if (other.memory_format_) result.memory_format_ = other.memory_format_;
        if (other.requires_grad_) result.requires_grad_ = other.requires_grad_;
        return result;
    }

  private:
    template <class Member, class Value> TensorOptions with(Member member, Value value) const {
        TensorOptions result = *this;
        result.*member = value;
        return result;
    }
    optional<ScalarType> dtype_;
    optional<Device> device_;
    optional<Layout> layout_;
    optional<MemoryFormat> memory_format_;
    optional<bool> requires_grad_;
};

inline std::ostream &operator<<(std::ostream &out, const TensorOptions &options) {
    const auto given = [](bool is_given) { return is_given ? "" : " (default)"; };
    const auto word = [](bool value) { return value ? "true" : "false"; };
    out << "TensorOptions(dtype=" << options.dtype() << given(options.has_dtype()) << ", device=" << options.device()
        << given(options.has_device()) << ", layout=" << options.layout() << given(options.has_layout())
        << ", requires_grad=" << word(options.requires_grad()) << given(options.has_requires_grad())
        << ", pinned_memory=false (default), memory_format=";
    if (options.memory_format_opt()) return out << *options.memory_format_opt() << ")";
    return out << "(nullopt))";
}
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions dtype(TypeMeta type) { return TensorOptions(type); }
template <class T> TensorOptions dtype() { return CppTypeToScalarType<T>::value; }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }
inline TensorOptions memory_format(MemoryFormat format) { return TensorOptions(format); }

}  // namespace c10
