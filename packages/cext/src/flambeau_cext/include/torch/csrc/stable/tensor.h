/* torch::stable::Tensor: the tensor of PyTorch's stable interface, with few methods; functions are in ops.h. */
#pragma once

#include <ATen/core/Call.h>
#include <torch/csrc/stable/device.h>

#include <memory>

/* The type to which handles of the C functions point. */
struct AtenTensorOpaque {
    at::Tensor tensor;
};
using AtenTensorHandle = AtenTensorOpaque *;

namespace torch {
namespace stable {

using headeronly::IntHeaderOnlyArrayRef;
using headeronly::Layout;
using headeronly::MemoryFormat;
using headeronly::ScalarType;

namespace detail {
inline void set_requires_grad(const at::Tensor &tensor, bool on) {
    FL_CALL(void, "Tensor.requires_grad_", "self requires_grad", of_tensor(tensor), of_bool(on))
}
}  // namespace detail

class Tensor {
  public:
    Tensor() : held_(std::make_shared<AtenTensorOpaque>()) {}
    explicit Tensor(AtenTensorHandle owned) : held_(owned) {}
    explicit Tensor(at::Tensor tensor) : held_(std::make_shared<AtenTensorOpaque>(AtenTensorOpaque{std::move(tensor)})) {}
    AtenTensorHandle get() const { return held_.get(); } /* borrowed */
    at::Tensor &tensor() const { return held_->tensor; }

    void *data_ptr() const { return tensor().data_ptr(); }
    void *mutable_data_ptr() const { return tensor().mutable_data_ptr(); }
    const void *const_data_ptr() const { return tensor().const_data_ptr(); }
    template <class T> T *mutable_data_ptr() const { return tensor().mutable_data_ptr<T>(); }
    template <class T> const std::remove_const_t<T> *const_data_ptr() const { return tensor().const_data_ptr<T>(); }
    const Tensor &set_requires_grad(bool on) const {
        detail::set_requires_grad(tensor(), on);
        return *this;
    }

    bool defined() const { return tensor().defined(); }
    int64_t dim() const { return tensor().dim(); }
    int64_t numel() const { return tensor().numel(); }
    IntHeaderOnlyArrayRef sizes() const { return tensor().sizes(); }
    IntHeaderOnlyArrayRef strides() const { return tensor().strides(); }
    int64_t size(int64_t d) const { return tensor().size(d); }
    int64_t stride(int64_t d) const { return tensor().stride(d); }
    int64_t storage_offset() const { return tensor().storage_offset(); }
    bool is_contiguous() const { return tensor().is_contiguous(); }
    size_t element_size() const { return tensor().itemsize(); }
    ScalarType scalar_type() const { return tensor().scalar_type(); }
    Layout layout() const { return tensor().layout(); }
    Device device() const { return tensor().device(); }
    int8_t get_device() const { return int8_t(tensor().get_device()); }
    DeviceIndex get_device_index() const { return DeviceIndex(tensor().get_device()); }
    bool is_cuda() const { return false; }
    bool is_cpu() const { return tensor().is_cpu(); }

  private:
    std::shared_ptr<AtenTensorOpaque> held_;
};

}  // namespace stable
}  // namespace torch
