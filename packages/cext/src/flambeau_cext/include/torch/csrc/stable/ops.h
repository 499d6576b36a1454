/* The functions of torch::stable; torch_call_dispatcher calls others. */
#pragma once

#include <torch/csrc/stable/c/shim.h>

namespace torch {
namespace stable {

namespace detail {
inline at::TensorOptions options(std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device) {
    at::TensorOptions options = at::TensorOptions().dtype(dtype).layout(layout);
    return device ? options.device(c10::Device(*device)) : options;
}
}  // namespace detail

inline Tensor empty_like(const Tensor &self) { return Tensor(at::empty_like(self.tensor())); }
inline Tensor narrow(const Tensor &self, int64_t dim, int64_t start, int64_t length) { return
    Tensor(self.tensor().narrow(dim, start, length)); }
inline Tensor pad(const Tensor &self, IntHeaderOnlyArrayRef pad, const std::string &mode = "constant", double value =
    0.0) { return Tensor(at::pad(self.tensor(), pad, mode, value)); }
inline Tensor amax(const Tensor &self, int64_t dim, bool keepdim = false) { return Tensor(self.tensor().amax({dim},
    keepdim)); }
inline Tensor amax(const Tensor &self, IntHeaderOnlyArrayRef dims, bool keepdim = false) { return
    Tensor(self.tensor().amax(dims, keepdim)); }
inline Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1) { return Tensor(self.tensor().transpose(dim0,
    dim1)); }
inline Tensor clone(const Tensor &self) { return Tensor(self.tensor().clone()); }
inline Tensor flatten(const Tensor &self, int64_t start_dim = 0, int64_t end_dim = -1) { return
    Tensor(self.tensor().flatten(start_dim, end_dim)); }
inline Tensor unsqueeze(const Tensor &self, int64_t dim) { return Tensor(self.tensor().unsqueeze(dim)); }
inline Tensor squeeze(const Tensor &self, int64_t dim) { return Tensor(self.tensor().squeeze(dim)); }
inline Tensor select(const Tensor &self, int64_t dim, int64_t index) { return Tensor(self.tensor().select(dim,
    index)); }
inline Tensor matmul(const Tensor &self, const Tensor &other) { return Tensor(self.tensor().matmul(other.tensor())); }
inline Tensor reshape(const Tensor &self, IntHeaderOnlyArrayRef shape) { return Tensor(self.tensor().reshape(shape)); }
inline Tensor view(const Tensor &self, IntHeaderOnlyArrayRef size) { return Tensor(self.tensor().view(size)); }
inline Tensor contiguous(const Tensor &self, MemoryFormat format = MemoryFormat::Contiguous) { return
    Tensor(self.tensor().contiguous(format)); }
inline Tensor subtract(const Tensor &self, const Tensor &other, double alpha = 1.0) { return
    Tensor(self.tensor().sub(other.tensor(), alpha)); }
inline Tensor sum(const Tensor &self, std::optional<IntHeaderOnlyArrayRef> dim = std::nullopt, bool keepdim = false,
    std::optional<ScalarType> dtype = std::nullopt) { return Tensor(at::sum(self.tensor(), dim ?
    at::OptionalIntArrayRef(*dim) : at::OptionalIntArrayRef(), keepdim, dtype)); }
inline Tensor empty(IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype = std::nullopt, std::optional<Layout>
    layout = std::nullopt, std::optional<Device> device = std::nullopt, std::optional<bool> = std::nullopt,
    std::optional<MemoryFormat> memory_format = std::nullopt) { return Tensor(at::empty(size, detail::options(dtype,
    layout, device)).contiguous(memory_format.value_or(MemoryFormat::Contiguous))); }
inline Tensor full(IntHeaderOnlyArrayRef size, double fill_value, std::optional<ScalarType> dtype = std::nullopt,
    std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt, std::optional<bool>
    pin_memory = std::nullopt) { return Tensor(at::full(size, fill_value, detail::options(dtype, layout, device))); }
inline Tensor new_empty(const Tensor &self, IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype =
    std::nullopt, std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
    std::optional<bool> = std::nullopt) { return Tensor(at::empty(size,
    detail::options(dtype.value_or(self.scalar_type()), layout, device))); }
inline Tensor new_zeros(const Tensor &self, IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype =
    std::nullopt, std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
    std::optional<bool> = std::nullopt) { return Tensor(at::zeros(size,
    detail::options(dtype.value_or(self.scalar_type()), layout, device))); }
inline Tensor fill_(const Tensor &self, double value) {
    self.tensor().fill_(value);
    return self;
}
inline Tensor zero_(Tensor &self) {
    self.tensor().zero_();
    return self;
}
inline Tensor copy_(Tensor &self, const Tensor &source, std::optional<bool> = std::nullopt) {
    self.tensor().copy_(source.tensor());
    return self;
}
inline Tensor &sum_out(Tensor &out, const Tensor &self, std::optional<IntHeaderOnlyArrayRef> dim = std::nullopt,
                       bool keepdim = false, std::optional<ScalarType> dtype = std::nullopt) {
    at::sum_out(out.tensor(), self.tensor(), dim ? at::OptionalIntArrayRef(*dim) : at::OptionalIntArrayRef(), keepdim, dtype);
    return out;
}
inline Tensor to(const Tensor &self, std::optional<ScalarType> dtype = std::nullopt,
                 std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                 std::optional<bool> = std::nullopt, bool non_blocking = false, bool copy = false,
                 std::optional<MemoryFormat> = std::nullopt) {
    return Tensor(self.tensor().to(detail::options(dtype, layout, device), non_blocking, copy));
}
inline Tensor to(const Tensor &self, Device device, bool non_blocking = false, bool copy = false) {
    return Tensor(self.tensor().to(at::TensorOptions(c10::Device(device)), non_blocking, copy));
}
/* Create a tensor over the caller's memory, which deleter(data) frees. */
template <class F = std::function<void(void *)>>
Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device, ScalarType dtype,
                 F deleter = nullptr, int64_t storage_offset = 0, Layout layout = Layout::Strided) {
    char *start = static_cast<char *>(data) + storage_offset * int64_t(c10::elementSize(dtype));
    std::function<void(void *)> release;
    if constexpr (!std::is_same_v<F, std::nullptr_t>)
        release = [data, deleter](void *) { deleter(data); };
    return Tensor(at::from_blob(start, sizes, strides, release, detail::options(dtype, layout, device)));
}
inline Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device,
                        ScalarType dtype) {
    return Tensor(at::from_blob(data, sizes, strides, detail::options(dtype, std::nullopt, device)));
}
inline Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device,
                        ScalarType dtype, int64_t storage_offset, Layout layout = Layout::Strided) {
    char *start = static_cast<char *>(data) + storage_offset * int64_t(c10::elementSize(dtype));
    return Tensor(at::from_blob(start, sizes, strides, detail::options(dtype, layout, device)));
}

template <class F> void parallel_for(int64_t begin, int64_t end, int64_t grain_size, const F &f) {
    at::parallel_for(begin, end, grain_size, f);
}
inline uint32_t get_num_threads() { return uint32_t(at::get_num_threads()); }

}  // namespace stable
}  // namespace torch
