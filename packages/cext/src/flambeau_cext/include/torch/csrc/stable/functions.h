/* The functions of torch::stable, each by one call of the C interface. */
#pragma once

#include <ATen/Parallel.h>
#include <torch/csrc/stable/stableivalue_conversions.h>

#include <functional>

namespace torch {
namespace stable {

namespace detail {
inline at::TensorOptions options(std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device) {
    at::TensorOptions options = at::TensorOptions().dtype(dtype).layout(layout);
    return device ? options.device(c10::Device(*device)) : options;
}
inline Tensor call_stable(at::detail::Function &f, const fl_value *args) { return Tensor(at::detail::call_tensor(f, args)); }
inline fl_value of_stable(const Tensor &tensor) { return at::detail::of_tensor(tensor.tensor()); }
inline fl_value of_dims(const std::optional<IntHeaderOnlyArrayRef> &dims) {
    return dims ? at::detail::of_ints(*dims) : fl_none();
}
}  // namespace detail

/* FL_CALL for results and arguments of this namespace. */
#define FL_STABLE_CALL(name, arguments, ...)                                                                           \
    using detail::call_stable, detail::of_stable, detail::of_dims;                                                     \
    FL_CALL(stable, name, arguments, __VA_ARGS__)

inline Tensor empty_like(const Tensor &self) {
    FL_STABLE_CALL("empty_like", "self", of_stable(self))
}
inline Tensor narrow(const Tensor &self, int64_t dim, int64_t start, int64_t length) {
    FL_STABLE_CALL("narrow", "self dim start length", of_stable(self), of_int(dim), of_int(start), of_int(length))
}
inline Tensor pad(const Tensor &self, IntHeaderOnlyArrayRef pad, const std::string &mode = "constant", double value = 0.0) {
    FL_STABLE_CALL("nn.functional.pad", "self pad mode value", of_stable(self), of_ints(pad), of_string(mode), of_double(value))
}
inline Tensor amax(const Tensor &self, IntHeaderOnlyArrayRef dims, bool keepdim = false) {
    FL_STABLE_CALL("amax", "self dim keepdim", of_stable(self), of_ints(dims), of_bool(keepdim))
}
inline Tensor amax(const Tensor &self, int64_t dim, bool keepdim = false) {
    return amax(self, IntHeaderOnlyArrayRef(dim), keepdim);
}
inline Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1) {
    FL_STABLE_CALL("transpose", "self dim0 dim1", of_stable(self), of_int(dim0), of_int(dim1))
}
inline Tensor clone(const Tensor &self) {
    FL_STABLE_CALL("clone", "self", of_stable(self))
}
inline Tensor flatten(const Tensor &self, int64_t start_dim = 0, int64_t end_dim = -1) {
    FL_STABLE_CALL("flatten", "self start_dim end_dim", of_stable(self), of_int(start_dim), of_int(end_dim))
}
inline Tensor unsqueeze(const Tensor &self, int64_t dim) {
    FL_STABLE_CALL("unsqueeze", "self dim", of_stable(self), of_int(dim))
}
inline Tensor squeeze(const Tensor &self, int64_t dim) {
    FL_STABLE_CALL("squeeze", "self dim", of_stable(self), of_int(dim))
}
inline Tensor select(const Tensor &self, int64_t dim, int64_t index) {
    FL_STABLE_CALL("select", "self dim index", of_stable(self), of_int(dim), of_int(index))
}
inline Tensor matmul(const Tensor &self, const Tensor &other) {
    FL_STABLE_CALL("matmul", "self other", of_stable(self), of_stable(other))
}
inline Tensor reshape(const Tensor &self, IntHeaderOnlyArrayRef shape) {
    FL_STABLE_CALL("reshape", "self shape", of_stable(self), of_ints(shape))
}
inline Tensor view(const Tensor &self, IntHeaderOnlyArrayRef size) {
    FL_STABLE_CALL("Tensor.view", "self size", of_stable(self), of_ints(size))
}
inline Tensor permute(const Tensor &self, IntHeaderOnlyArrayRef dims) {
    FL_STABLE_CALL("permute", "self dims", of_stable(self), of_ints(dims))
}
inline Tensor contiguous(const Tensor &self, MemoryFormat format = MemoryFormat::Contiguous) {
    if (self.tensor().is_contiguous(format)) return self;
    if (format == MemoryFormat::ChannelsLast) return permute(contiguous(permute(self, {0, 2, 3, 1})), {0, 3, 1, 2});
    if (format == MemoryFormat::ChannelsLast3d)
        return permute(contiguous(permute(self, {0, 2, 3, 4, 1})), {0, 4, 1, 2, 3});
    FL_STABLE_CALL("Tensor.contiguous", "self", of_stable(self))
}
inline Tensor subtract(const Tensor &self, const Tensor &other, double alpha = 1.0) {
    FL_STABLE_CALL("sub", "self other alpha", of_stable(self), of_stable(other), alpha == double(int64_t(alpha)) ? of_int(int64_t(alpha)) : of_double(alpha))
}
inline Tensor sum(const Tensor &self, std::optional<IntHeaderOnlyArrayRef> dim = std::nullopt, bool keepdim = false,
                  std::optional<ScalarType> dtype = std::nullopt) {
    FL_STABLE_CALL("sum", "self dim keepdim dtype", of_stable(self), of_dims(dim), of_bool(keepdim), of_dtype_or_none(dtype))
}
inline Tensor empty(IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype = std::nullopt,
                    std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                    std::optional<bool> = std::nullopt, std::optional<MemoryFormat> memory_format = std::nullopt) {
    const at::TensorOptions options = detail::options(dtype, layout, device);
    const auto make = [&] {
            FL_STABLE_CALL("empty", "size dtype device", of_ints(size), dtype_of(options), device_of(options))
    };
    return contiguous(make(), memory_format.value_or(MemoryFormat::Contiguous));
}
inline Tensor full(IntHeaderOnlyArrayRef size, double fill_value, std::optional<ScalarType> dtype = std::nullopt,
                   std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                   std::optional<bool> = std::nullopt) {
    const at::TensorOptions options = detail::options(dtype, layout, device);
    FL_STABLE_CALL("full", "size fill_value dtype device", of_ints(size), of_double(fill_value), dtype_of(options),
            device_of(options))
}
inline Tensor new_empty(const Tensor &self, IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype = std::nullopt,
                        std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                        std::optional<bool> = std::nullopt) {
    return empty(size, dtype.value_or(self.scalar_type()), layout, device);
}
inline Tensor new_zeros(const Tensor &self, IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype = std::nullopt,
                        std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                        std::optional<bool> = std::nullopt) {
    const at::TensorOptions options = detail::options(dtype.value_or(self.scalar_type()), layout, device);
    FL_STABLE_CALL("zeros", "size dtype device", of_ints(size), dtype_of(options), device_of(options))
}
inline Tensor fill_(const Tensor &self, double value) {
    using namespace at::detail; /* NOLINT */
    static Function function{"fill_", "self value"};
    const fl_value values[] = {of_tensor(self.tensor()), of_double(value)};
    call_void(function, values);
    return self;
}
inline Tensor zero_(Tensor &self) { return fill_(self, 0.0); }
inline Tensor copy_(Tensor &self, const Tensor &source, std::optional<bool> = std::nullopt) {
    using namespace at::detail; /* NOLINT */
    static Function function{"Tensor.copy_", "self src"};
    const fl_value values[] = {of_tensor(self.tensor()), of_tensor(source.tensor())};
    call_void(function, values);
    return self;
}
inline Tensor &sum_out(Tensor &out, const Tensor &self, std::optional<IntHeaderOnlyArrayRef> dim = std::nullopt,
                       bool keepdim = false, std::optional<ScalarType> dtype = std::nullopt) {
    using namespace at::detail; /* NOLINT */
    static Function function{"sum", "out self dim keepdim dtype"};
    const fl_value values[] = {of_tensor(out.tensor()), of_tensor(self.tensor()), detail::of_dims(dim), of_bool(keepdim),
                               of_dtype_or_none(dtype)};
    call_void(function, values);
    return out;
}
inline Tensor to(const Tensor &self, std::optional<ScalarType> dtype = std::nullopt,
                 std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                 std::optional<bool> = std::nullopt, bool non_blocking = false, bool copy = false,
                 std::optional<MemoryFormat> = std::nullopt) {
    const at::TensorOptions options = detail::options(dtype.value_or(self.scalar_type()), layout, device.value_or(self.device()));
    const c10::Device place = options.device();
    if (!copy && options.dtype() == self.scalar_type() && place.type() == self.device().type()) return self;
    FL_STABLE_CALL("Tensor.to", "self device dtype non_blocking copy", of_stable(self),
            fl_of_string(place.is_meta() ? "meta" : "cpu"), dtype_of(options), of_bool(non_blocking), of_bool(copy))
}
inline Tensor to(const Tensor &self, Device device, bool non_blocking = false, bool copy = false) {
    return to(self, std::nullopt, std::nullopt, device, std::nullopt, non_blocking, copy);
}

namespace detail {
/* A tensor over the caller's memory, which release(context) frees unless it is null. */
inline Tensor over_memory(char *start, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, ScalarType dtype,
                          void (*release)(void *), void *context) {
    TORCH_CHECK(strides.empty() || strides.size() == sizes.size(), "from_blob: as many strides as sizes are needed");
    Gil gil;
    fl_tensor handle = fl_from_blob(start, sizes.data(), strides.empty() ? nullptr : strides.data(), int32_t(sizes.size()),
                                    fl_dtype(dtype), release, context);
    if (!handle) throw c10::Error::recorded();
    return Tensor(at::Tensor::own(handle));
}
}  // namespace detail

/* Create a tensor over the caller's memory, which deleter(data) frees. */
template <class F = std::function<void(void *)>>
Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device, ScalarType dtype,
                 F deleter = nullptr, int64_t storage_offset = 0, Layout layout = Layout::Strided) {
    char *start = static_cast<char *>(data) + storage_offset * int64_t(c10::elementSize(dtype));
    at::detail::dtype_of(detail::options(dtype, layout, device));
    if constexpr (std::is_same_v<F, std::nullptr_t>) {
        return detail::over_memory(start, sizes, strides, dtype, nullptr, nullptr);
    } else {
        using Owner = std::pair<F, void *>;
        auto owner = std::make_unique<Owner>(std::move(deleter), data);
        const auto release = [](void *context) {
            std::unique_ptr<Owner> owner(static_cast<Owner *>(context));
            owner->first(owner->second);
        };
        Tensor tensor = detail::over_memory(start, sizes, strides, dtype, release, owner.get());
        owner.release();
        return tensor;
    }
}
inline Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device,
                        ScalarType dtype) {
    return from_blob(data, sizes, strides, device, dtype, nullptr);
}
inline Tensor from_blob(void *data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device,
                        ScalarType dtype, int64_t storage_offset, Layout layout = Layout::Strided) {
    return from_blob(data, sizes, strides, device, dtype, nullptr, storage_offset, layout);
}

template <class F> void parallel_for(int64_t begin, int64_t end, int64_t grain_size, const F &f) {
    at::parallel_for(begin, end, grain_size, f);
}
inline uint32_t get_num_threads() { return uint32_t(at::get_num_threads()); }
#undef FL_STABLE_CALL

}  // namespace stable
}  // namespace torch
