/* The C functions of PyTorch's stable interface that extensions call: they return 0, or 1 with the error in
 * torch_exception_get_what. */
#pragma once

#include <c10/core/GradMode.h>
#include <torch/csrc/stable/dispatch.h>
#include <torch/csrc/stable/functions.h>

using AOTITorchError = int32_t;

namespace torch {
namespace stable {
namespace detail {

inline std::string &last_error() {
    static thread_local std::string text;
    return text;
}
template <class F> AOTITorchError tried(F &&f) {
    try {
        f();
        return TORCH_SUCCESS;
    } catch (const std::exception &e) {
        last_error() = e.what();
    } catch (...) {
        last_error() = "a C++ exception that is no std::exception";
    }
    return TORCH_FAILURE;
}

/* The tensor of a handle, and a new handle for a tensor. */
inline Tensor shared(AtenTensorHandle handle) { return Tensor(handle->tensor); }
inline AtenTensorHandle owned(const Tensor &tensor) { return new AtenTensorOpaque{tensor.tensor()}; }
inline void copy(AtenTensorHandle target, AtenTensorHandle source) {
    Tensor written = shared(target);
    copy_(written, shared(source));
}

}  // namespace detail
}  // namespace stable
}  // namespace torch

inline const char *torch_exception_get_what() { return torch::stable::detail::last_error().c_str(); }
inline const char *torch_exception_get_what_without_backtrace() { return torch_exception_get_what(); }
inline uint64_t aoti_torch_abi_version() { return TORCH_ABI_VERSION; }
inline bool aoti_torch_grad_mode_is_enabled() { return at::GradMode::is_enabled(); }
inline void aoti_torch_grad_mode_set_enabled(bool on) { at::GradMode::set_enabled(on); }
inline size_t aoti_torch_dtype_element_size(int32_t dtype) { return c10::elementSize(c10::ScalarType(dtype)); }

inline AOTITorchError aoti_torch_get_data_ptr(AtenTensorHandle tensor, void **result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.data_ptr(); }); }
inline AOTITorchError aoti_torch_get_dim(AtenTensorHandle tensor, int64_t *result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.dim(); }); }
inline AOTITorchError aoti_torch_get_numel(AtenTensorHandle tensor, int64_t *result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.numel(); }); }
inline AOTITorchError aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t **result) { return
    torch::stable::detail::tried([&] { *result = const_cast<int64_t *>(tensor->tensor.sizes().data()); }); }
inline AOTITorchError aoti_torch_get_strides(AtenTensorHandle tensor, int64_t **result) { return
    torch::stable::detail::tried([&] { *result = const_cast<int64_t *>(tensor->tensor.strides().data()); }); }
inline AOTITorchError aoti_torch_get_dtype(AtenTensorHandle tensor, int32_t *result) { return
    torch::stable::detail::tried([&] { *result = int32_t(tensor->tensor.scalar_type()); }); }
inline AOTITorchError aoti_torch_get_device_type(AtenTensorHandle tensor, int32_t *result) { return
    torch::stable::detail::tried([&] { *result = int32_t(tensor->tensor.device().type()); }); }
inline AOTITorchError aoti_torch_get_device_index(AtenTensorHandle tensor, int32_t *result) { return
    torch::stable::detail::tried([&] { *result = int32_t(tensor->tensor.get_device()); }); }
inline AOTITorchError aoti_torch_get_layout(AtenTensorHandle tensor, int32_t *result) { return
    torch::stable::detail::tried([&] { *result = int32_t(tensor->tensor.layout()); }); }
inline AOTITorchError aoti_torch_get_storage_offset(AtenTensorHandle tensor, int64_t *result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.storage_offset(); }); }
inline AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle tensor, int64_t *result) { return
    torch::stable::detail::tried([&] { *result = fl_storage_nbytes(tensor->tensor.handle()); }); }
inline AOTITorchError aoti_torch_is_contiguous(AtenTensorHandle tensor, bool *result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.is_contiguous(); }); }
inline AOTITorchError aoti_torch_is_defined(AtenTensorHandle tensor, bool *result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.defined(); }); }
inline AOTITorchError aoti_torch_get_size(AtenTensorHandle tensor, int64_t d, int64_t *result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.size(d); }); }
inline AOTITorchError aoti_torch_get_stride(AtenTensorHandle tensor, int64_t d, int64_t *result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.stride(d); }); }
inline AOTITorchError torch_get_mutable_data_ptr(AtenTensorHandle tensor, void **result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.mutable_data_ptr(); }); }
inline AOTITorchError torch_get_const_data_ptr(AtenTensorHandle tensor, const void **result) { return
    torch::stable::detail::tried([&] { *result = tensor->tensor.const_data_ptr(); }); }
inline AOTITorchError torch_set_requires_grad(AtenTensorHandle tensor, bool on) { return
    torch::stable::detail::tried([&] { torch::stable::detail::set_requires_grad(tensor->tensor, on); }); }
inline AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) { return
    torch::stable::detail::tried([&] { delete tensor; }); }
inline AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle tensor, AtenTensorHandle *result) { return
    torch::stable::detail::tried([&] { *result = new AtenTensorOpaque{tensor->tensor}; }); }
inline AOTITorchError aoti_torch_new_uninitialized_tensor(AtenTensorHandle *result) { return
    torch::stable::detail::tried([&] { *result = new AtenTensorOpaque(); }); }
inline AOTITorchError aoti_torch_clone(AtenTensorHandle tensor, AtenTensorHandle *result) { return
    torch::stable::detail::tried([&] { *result = torch::stable::detail::owned(torch::stable::clone(torch::stable::detail::shared(tensor))); }); }
inline AOTITorchError aoti_torch_zero_(AtenTensorHandle tensor) { return torch::stable::detail::tried([&] {
    torch::stable::fill_(torch::stable::detail::shared(tensor), 0.0); }); }
inline AOTITorchError aoti_torch_aten_fill__Scalar(AtenTensorHandle tensor, double value) { return
    torch::stable::detail::tried([&] { torch::stable::fill_(torch::stable::detail::shared(tensor), value); }); }
inline AOTITorchError aoti_torch_copy_(AtenTensorHandle tensor, AtenTensorHandle source, int32_t) { return
    torch::stable::detail::tried([&] { torch::stable::detail::copy(tensor, source); }); }
inline AOTITorchError aoti_torch_tensor_copy_(AtenTensorHandle source, AtenTensorHandle target) { return
    torch::stable::detail::tried([&] { torch::stable::detail::copy(target, source); }); }
inline AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype,
                                               int32_t, int32_t, AtenTensorHandle *result) {
    return torch::stable::detail::tried([&] {
        using namespace at::detail; /* NOLINT */
        static Function function{"empty_strided", "size stride dtype"};
        const fl_value values[] = {of_ints({sizes, size_t(ndim)}), of_ints({strides, size_t(ndim)}),
                                   of_dtype(at::ScalarType(dtype))};
        *result = new AtenTensorOpaque{call_tensor(function, values)};
    });
}
inline AOTITorchError aoti_torch_create_tensor_from_blob(void *data, int64_t ndim, const int64_t *sizes,
                                                         const int64_t *strides, int64_t offset, int32_t dtype, int32_t,
                                                         int32_t, AtenTensorHandle *result) {
    return torch::stable::detail::tried([&] {
        *result = torch::stable::detail::owned(torch::stable::from_blob(
            data, {sizes, size_t(ndim)}, {strides, size_t(ndim)}, at::kCPU, at::ScalarType(dtype), nullptr, offset));
    });
}
inline AOTITorchError torch_parse_device_string(const char *text, uint32_t *type, int32_t *index) { return
    torch::stable::detail::tried([&] { const c10::Device device{std::string(text)}; *type = uint32_t(device.type()),
    *index = device.index(); }); }
inline AOTITorchError torch_get_num_threads(uint32_t *result) { return torch::stable::detail::tried([&] { *result =
    uint32_t(at::get_num_threads()); }); }
inline AOTITorchError torch_parallel_for(int64_t begin, int64_t end, int64_t grain, void (*f)(int64_t, int64_t, void
    *), void *context) { return torch::stable::detail::tried([&] { at::parallel_for(begin, end, grain, [&](int64_t
    from, int64_t to) { f(from, to, context); }); }); }
inline AOTITorchError torch_call_dispatcher(const char *name, const char *overload, StableIValue *stack, uint64_t) {
    return torch::stable::detail::tried([&] { torch::stable::detail::call_dispatcher(name, overload, stack); }); }
inline AOTITorchError aoti_torch_call_dispatcher(const char *name, const char *overload, StableIValue *stack) { return
    torch::stable::detail::tried([&] { torch::stable::detail::call_dispatcher(name, overload, stack); }); }

inline int32_t aoti_torch_dtype_float16() { return int32_t(c10::kHalf); }
inline int32_t aoti_torch_dtype_float32() { return int32_t(c10::kFloat); }
inline int32_t aoti_torch_dtype_float64() { return int32_t(c10::kDouble); }
inline int32_t aoti_torch_dtype_bfloat16() { return int32_t(c10::kBFloat16); }
inline int32_t aoti_torch_dtype_uint8() { return int32_t(c10::kByte); }
inline int32_t aoti_torch_dtype_uint16() { return int32_t(c10::kUInt16); }
inline int32_t aoti_torch_dtype_uint32() { return int32_t(c10::kUInt32); }
inline int32_t aoti_torch_dtype_uint64() { return int32_t(c10::kUInt64); }
inline int32_t aoti_torch_dtype_int8() { return int32_t(c10::kChar); }
inline int32_t aoti_torch_dtype_int16() { return int32_t(c10::kShort); }
inline int32_t aoti_torch_dtype_int32() { return int32_t(c10::kInt); }
inline int32_t aoti_torch_dtype_int64() { return int32_t(c10::kLong); }
inline int32_t aoti_torch_dtype_bool() { return int32_t(c10::kBool); }
inline int32_t aoti_torch_dtype_complex64() { return int32_t(c10::kComplexFloat); }
inline int32_t aoti_torch_dtype_complex128() { return int32_t(c10::kComplexDouble); }
inline int32_t aoti_torch_dtype_complex32() { return int32_t(c10::kComplexHalf); }
inline int32_t aoti_torch_device_type_cpu() { return int32_t(c10::kCPU); }
inline int32_t aoti_torch_device_type_cuda() { return int32_t(c10::kCUDA); }
inline int32_t aoti_torch_device_type_meta() { return int32_t(c10::kMeta); }
inline int32_t aoti_torch_device_type_xpu() { return int32_t(c10::kXPU); }
inline int32_t aoti_torch_device_type_mps() { return int32_t(c10::kMPS); }
inline int32_t aoti_torch_device_type_privateuse1() { return int32_t(c10::kPrivateUse1); }
inline int32_t aoti_torch_layout_strided() { return int32_t(c10::kStrided); }
inline int32_t aoti_torch_layout_sparse_coo() { return int32_t(c10::kSparse); }
inline int32_t aoti_torch_layout_sparse_csr() { return int32_t(c10::kSparseCsr); }
inline int32_t aoti_torch_layout_sparse_csc() { return int32_t(c10::kSparseCsc); }
inline int32_t aoti_torch_layout_sparse_bsr() { return int32_t(c10::kSparseBsr); }
inline int32_t aoti_torch_layout_sparse_bsc() { return int32_t(c10::kSparseBsc); }
inline int32_t aoti_torch_layout_jagged() { return int32_t(c10::kJagged); }
inline int32_t aoti_torch_memory_format_contiguous_format() { return int32_t(c10::MemoryFormat::Contiguous); }
inline int32_t aoti_torch_memory_format_channels_last() { return int32_t(c10::MemoryFormat::ChannelsLast); }
inline int32_t aoti_torch_memory_format_channels_last_3d() { return int32_t(c10::MemoryFormat::ChannelsLast3d); }
inline int32_t aoti_torch_memory_format_preserve_format() { return int32_t(c10::MemoryFormat::Preserve); }
