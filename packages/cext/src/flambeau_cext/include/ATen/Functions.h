/* Written by flambeau_cext.operator_headers from the operators' schemas: do not edit. */
#pragma once

#include <ATen/core/Call.h>

namespace at {

inline Tensor _prelu_kernel(const Tensor &self, const Tensor &weight) { FL_CALL(tensor, "_C._nn.prelu", "self weight", of_tensor(self), of_tensor(weight)) }
inline std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor &self, bool sorted = true, bool return_inverse = false, bool return_counts = false) { FL_CALL(three, "_ops.unique", "self sorted return_inverse return_counts", of_tensor(self), of_bool(sorted), of_bool(return_inverse), of_bool(return_counts)) }
inline Tensor abs(const Tensor &self) { FL_CALL(tensor, "abs", "self", of_tensor(self)) }
inline Tensor &abs_(Tensor &self) { FL_CALL(same(self), "abs_", "self", of_tensor(self)) }
inline Tensor &abs_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "abs", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor absolute(const Tensor &self) { FL_CALL(tensor, "abs", "self", of_tensor(self)) }
inline Tensor &absolute_(Tensor &self) { FL_CALL(same(self), "abs_", "self", of_tensor(self)) }
inline Tensor &absolute_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "abs", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor acos(const Tensor &self) { FL_CALL(tensor, "acos", "self", of_tensor(self)) }
inline Tensor &acos_(Tensor &self) { FL_CALL(same(self), "acos_", "self", of_tensor(self)) }
inline Tensor &acos_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "acos", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor acosh(const Tensor &self) { FL_CALL(tensor, "acosh", "self", of_tensor(self)) }
inline Tensor &acosh_(Tensor &self) { FL_CALL(same(self), "acosh_", "self", of_tensor(self)) }
inline Tensor &acosh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "acosh", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor adaptive_avg_pool1d(const Tensor &self, IntArrayRef output_size) { FL_CALL(tensor, "nn.functional.adaptive_avg_pool1d", "self output_size", of_tensor(self), of_ints(output_size)) }
inline Tensor adaptive_avg_pool2d(const Tensor &self, IntArrayRef output_size) { FL_CALL(tensor, "nn.functional.adaptive_avg_pool2d", "self output_size", of_tensor(self), of_ints(output_size)) }
inline Tensor adaptive_avg_pool3d(const Tensor &self, IntArrayRef output_size) { FL_CALL(tensor, "nn.functional.adaptive_avg_pool3d", "self output_size", of_tensor(self), of_ints(output_size)) }
inline std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor &self, IntArrayRef output_size) { FL_CALL(two, "adaptive_max_pool1d", "self output_size", of_tensor(self), of_ints(output_size)) }
inline Tensor add(const Tensor &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(tensor, "add", "self other alpha", of_tensor(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor add(const Scalar &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(tensor, "add", "self other alpha", of_scalar(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor add(const Tensor &self, const Scalar &other, const Scalar &alpha = 1) { FL_CALL(tensor, "add", "self other alpha", of_tensor(self), of_scalar(other), of_scalar(alpha)) }
inline Tensor &add_out(Tensor &out, const Tensor &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(same(out), "add", "out self other alpha", of_tensor(out), of_tensor(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor &add_out(Tensor &out, const Scalar &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(same(out), "add", "out self other alpha", of_tensor(out), of_scalar(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor &add_out(Tensor &out, const Tensor &self, const Scalar &other, const Scalar &alpha = 1) { FL_CALL(same(out), "add", "out self other alpha", of_tensor(out), of_tensor(self), of_scalar(other), of_scalar(alpha)) }
inline Tensor addbmm(const Tensor &self, const Tensor &batch1, const Tensor &batch2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(tensor, "addbmm", "self batch1 batch2 beta alpha", of_tensor(self), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &addbmm_out(Tensor &out, const Tensor &self, const Tensor &batch1, const Tensor &batch2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(same(out), "addbmm", "out self batch1 batch2 beta alpha", of_tensor(out), of_tensor(self), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor addcdiv(const Tensor &self, const Tensor &tensor1, const Tensor &tensor2, const Scalar &value = 1) { FL_CALL(tensor, "addcdiv", "self tensor1 tensor2 value", of_tensor(self), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor &addcdiv_out(Tensor &out, const Tensor &self, const Tensor &tensor1, const Tensor &tensor2, const Scalar &value = 1) { FL_CALL(same(out), "addcdiv", "out self tensor1 tensor2 value", of_tensor(out), of_tensor(self), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor addcmul(const Tensor &self, const Tensor &tensor1, const Tensor &tensor2, const Scalar &value = 1) { FL_CALL(tensor, "addcmul", "self tensor1 tensor2 value", of_tensor(self), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor &addcmul_out(Tensor &out, const Tensor &self, const Tensor &tensor1, const Tensor &tensor2, const Scalar &value = 1) { FL_CALL(same(out), "addcmul", "out self tensor1 tensor2 value", of_tensor(out), of_tensor(self), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor addmm(const Tensor &self, const Tensor &mat1, const Tensor &mat2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(tensor, "addmm", "self mat1 mat2 beta alpha", of_tensor(self), of_tensor(mat1), of_tensor(mat2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &addmm_out(Tensor &out, const Tensor &self, const Tensor &mat1, const Tensor &mat2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(same(out), "addmm", "out self mat1 mat2 beta alpha", of_tensor(out), of_tensor(self), of_tensor(mat1), of_tensor(mat2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor addmv(const Tensor &self, const Tensor &mat, const Tensor &vec, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(tensor, "addmv", "self mat vec beta alpha", of_tensor(self), of_tensor(mat), of_tensor(vec), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &addmv_(Tensor &self, const Tensor &mat, const Tensor &vec, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(same(self), "addmv_", "self mat vec beta alpha", of_tensor(self), of_tensor(mat), of_tensor(vec), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &addmv_out(Tensor &out, const Tensor &self, const Tensor &mat, const Tensor &vec, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(same(out), "addmv", "out self mat vec beta alpha", of_tensor(out), of_tensor(self), of_tensor(mat), of_tensor(vec), of_scalar(beta), of_scalar(alpha)) }
inline Tensor addr(const Tensor &self, const Tensor &vec1, const Tensor &vec2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(tensor, "addr", "self vec1 vec2 beta alpha", of_tensor(self), of_tensor(vec1), of_tensor(vec2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &addr_out(Tensor &out, const Tensor &self, const Tensor &vec1, const Tensor &vec2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(same(out), "addr", "out self vec1 vec2 beta alpha", of_tensor(out), of_tensor(self), of_tensor(vec1), of_tensor(vec2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor adjoint(const Tensor &self) { FL_CALL(tensor, "adjoint", "self", of_tensor(self)) }
inline Tensor affine_grid_generator(const Tensor &theta, IntArrayRef size, bool align_corners) { FL_CALL(tensor, "affine_grid_generator", "theta size align_corners", of_tensor(theta), of_ints(size), of_bool(align_corners)) }
inline Tensor alias_copy(const Tensor &self) { FL_CALL(tensor, "alias_copy", "self", of_tensor(self)) }
inline Tensor &alias_copy_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "alias_copy", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor all(const Tensor &self) { FL_CALL(tensor, "all", "self", of_tensor(self)) }
inline Tensor all(const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(tensor, "all", "self dim keepdim", of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor all(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false) { FL_CALL(tensor, "all", "self dim keepdim", of_tensor(self), of_ints_or_none(dim), of_bool(keepdim)) }
inline Tensor &all_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "all", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor &all_out(Tensor &out, const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(same(out), "all", "out self dim keepdim", of_tensor(out), of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor &all_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false) { FL_CALL(same(out), "all", "out self dim keepdim", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(keepdim)) }
inline bool allclose(const Tensor &self, const Tensor &other, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) { FL_CALL(bool, "allclose", "self other rtol atol equal_nan", of_tensor(self), of_tensor(other), of_double(rtol), of_double(atol), of_bool(equal_nan)) }
inline Tensor alpha_dropout(const Tensor &input, double p, bool train) { FL_CALL(tensor, "alpha_dropout", "input p train", of_tensor(input), of_double(p), of_bool(train)) }
inline Tensor &alpha_dropout_(Tensor &self, double p, bool train) { FL_CALL(same(self), "alpha_dropout_", "self p train", of_tensor(self), of_double(p), of_bool(train)) }
inline Tensor amax(const Tensor &self, IntArrayRef dim = {}, bool keepdim = false) { FL_CALL(tensor, "amax", "self dim keepdim", of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline Tensor &amax_out(Tensor &out, const Tensor &self, IntArrayRef dim = {}, bool keepdim = false) { FL_CALL(same(out), "amax", "out self dim keepdim", of_tensor(out), of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline Tensor amin(const Tensor &self, IntArrayRef dim = {}, bool keepdim = false) { FL_CALL(tensor, "amin", "self dim keepdim", of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline Tensor &amin_out(Tensor &out, const Tensor &self, IntArrayRef dim = {}, bool keepdim = false) { FL_CALL(same(out), "amin", "out self dim keepdim", of_tensor(out), of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline std::tuple<Tensor, Tensor> aminmax(const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false) { FL_CALL(two, "aminmax", "self dim keepdim", of_tensor(self), of_int_or_none(dim), of_bool(keepdim)) }
inline std::tuple<Tensor &, Tensor &> aminmax_out(Tensor &min, Tensor &max, const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false) { const Tensor flambeau_out[] = {min, max}; FL_CALL(these(min, max), "aminmax", "out self dim keepdim", of_tensors(flambeau_out), of_tensor(self), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor angle(const Tensor &self) { FL_CALL(tensor, "angle", "self", of_tensor(self)) }
inline Tensor &angle_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "angle", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor any(const Tensor &self) { FL_CALL(tensor, "any", "self", of_tensor(self)) }
inline Tensor any(const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(tensor, "any", "self dim keepdim", of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor any(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false) { FL_CALL(tensor, "any", "self dim keepdim", of_tensor(self), of_ints_or_none(dim), of_bool(keepdim)) }
inline Tensor &any_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "any", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor &any_out(Tensor &out, const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(same(out), "any", "out self dim keepdim", of_tensor(out), of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor &any_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false) { FL_CALL(same(out), "any", "out self dim keepdim", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(keepdim)) }
inline Tensor arange(const Scalar &end, const TensorOptions &options = {}) { FL_CALL(tensor, "arange", "end dtype device requires_grad", of_scalar(end), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor arange(const Scalar &start, const Scalar &end, const TensorOptions &options = {}) { FL_CALL(tensor, "arange", "start end dtype device requires_grad", of_scalar(start), of_scalar(end), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step, const TensorOptions &options = {}) { FL_CALL(tensor, "arange", "start end step dtype device requires_grad", of_scalar(start), of_scalar(end), of_scalar(step), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &arange_out(Tensor &out, const Scalar &end) { FL_CALL(same(out), "arange", "out end", of_tensor(out), of_scalar(end)) }
inline Tensor &arange_out(Tensor &out, const Scalar &start, const Scalar &end) { FL_CALL(same(out), "arange", "out start end", of_tensor(out), of_scalar(start), of_scalar(end)) }
inline Tensor &arange_out(Tensor &out, const Scalar &start, const Scalar &end, const Scalar &step) { FL_CALL(same(out), "arange", "out start end step", of_tensor(out), of_scalar(start), of_scalar(end), of_scalar(step)) }
inline Tensor arccos(const Tensor &self) { FL_CALL(tensor, "acos", "self", of_tensor(self)) }
inline Tensor &arccos_(Tensor &self) { FL_CALL(same(self), "acos_", "self", of_tensor(self)) }
inline Tensor &arccos_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "acos", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor arccosh(const Tensor &self) { FL_CALL(tensor, "acosh", "self", of_tensor(self)) }
inline Tensor &arccosh_(Tensor &self) { FL_CALL(same(self), "acosh_", "self", of_tensor(self)) }
inline Tensor &arccosh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "acosh", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor arcsin(const Tensor &self) { FL_CALL(tensor, "asin", "self", of_tensor(self)) }
inline Tensor &arcsin_(Tensor &self) { FL_CALL(same(self), "asin_", "self", of_tensor(self)) }
inline Tensor &arcsin_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "asin", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor arcsinh(const Tensor &self) { FL_CALL(tensor, "asinh", "self", of_tensor(self)) }
inline Tensor &arcsinh_(Tensor &self) { FL_CALL(same(self), "asinh_", "self", of_tensor(self)) }
inline Tensor &arcsinh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "asinh", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor arctan(const Tensor &self) { FL_CALL(tensor, "atan", "self", of_tensor(self)) }
inline Tensor arctan2(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "atan2", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &arctan2_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "atan2", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &arctan_(Tensor &self) { FL_CALL(same(self), "atan_", "self", of_tensor(self)) }
inline Tensor &arctan_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "atan", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor arctanh(const Tensor &self) { FL_CALL(tensor, "atanh", "self", of_tensor(self)) }
inline Tensor &arctanh_(Tensor &self) { FL_CALL(same(self), "atanh_", "self", of_tensor(self)) }
inline Tensor &arctanh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "atanh", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor argmax(const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false) { FL_CALL(tensor, "argmax", "self dim keepdim", of_tensor(self), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor &argmax_out(Tensor &out, const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false) { FL_CALL(same(out), "argmax", "out self dim keepdim", of_tensor(out), of_tensor(self), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor argmin(const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false) { FL_CALL(tensor, "argmin", "self dim keepdim", of_tensor(self), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor &argmin_out(Tensor &out, const Tensor &self, optional<int64_t> dim = nullopt, bool keepdim = false) { FL_CALL(same(out), "argmin", "out self dim keepdim", of_tensor(out), of_tensor(self), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor argsort(const Tensor &self, int64_t dim = -1, bool descending = false) { FL_CALL(tensor, "argsort.default", "self dim descending", of_tensor(self), of_int(dim), of_bool(descending)) }
inline Tensor argsort(const Tensor &self, bool stable, int64_t dim = -1, bool descending = false) { FL_CALL(tensor, "argsort.stable", "self stable dim descending", of_tensor(self), of_bool(stable), of_int(dim), of_bool(descending)) }
inline Tensor argwhere(const Tensor &self) { FL_CALL(tensor, "argwhere", "self", of_tensor(self)) }
inline Tensor as_strided(const Tensor &self, IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset = nullopt) { FL_CALL(tensor, "as_strided", "self size stride storage_offset", of_tensor(self), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor &as_strided_(Tensor &self, IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset = nullopt) { FL_CALL(same(self), "as_strided_", "self size stride storage_offset", of_tensor(self), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor as_strided_copy(const Tensor &self, IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset = nullopt) { FL_CALL(tensor, "as_strided_copy", "self size stride storage_offset", of_tensor(self), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor &as_strided_copy_out(Tensor &out, const Tensor &self, IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset = nullopt) { FL_CALL(same(out), "as_strided_copy", "out self size stride storage_offset", of_tensor(out), of_tensor(self), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor as_strided_scatter(const Tensor &self, const Tensor &src, IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset = nullopt) { FL_CALL(tensor, "as_strided_scatter", "self src size stride storage_offset", of_tensor(self), of_tensor(src), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor asin(const Tensor &self) { FL_CALL(tensor, "asin", "self", of_tensor(self)) }
inline Tensor &asin_(Tensor &self) { FL_CALL(same(self), "asin_", "self", of_tensor(self)) }
inline Tensor &asin_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "asin", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor asinh(const Tensor &self) { FL_CALL(tensor, "asinh", "self", of_tensor(self)) }
inline Tensor &asinh_(Tensor &self) { FL_CALL(same(self), "asinh_", "self", of_tensor(self)) }
inline Tensor &asinh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "asinh", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor atan(const Tensor &self) { FL_CALL(tensor, "atan", "self", of_tensor(self)) }
inline Tensor atan2(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "atan2", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &atan2_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "atan2", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &atan_(Tensor &self) { FL_CALL(same(self), "atan_", "self", of_tensor(self)) }
inline Tensor &atan_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "atan", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor atanh(const Tensor &self) { FL_CALL(tensor, "atanh", "self", of_tensor(self)) }
inline Tensor &atanh_(Tensor &self) { FL_CALL(same(self), "atanh_", "self", of_tensor(self)) }
inline Tensor &atanh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "atanh", "out self", of_tensor(out), of_tensor(self)) }
inline std::tuple<Tensor, Tensor> attention(const Tensor &query, const Tensor &key, const Tensor &value, const optional<Tensor> &mask, bool is_causal, double scale) { FL_CALL(two, "_C._nn.attention", "query key value mask is_causal scale", of_tensor(query), of_tensor(key), of_tensor(value), of_tensor_or_none(mask), of_bool(is_causal), of_double(scale)) }
inline Tensor avg_pool1d(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true) { FL_CALL(tensor, "nn.functional.avg_pool1d", "self kernel_size stride padding ceil_mode count_include_pad", of_tensor(self), of_ints(kernel_size), of_ints(stride), of_ints(padding), of_bool(ceil_mode), of_bool(count_include_pad)) }
inline Tensor avg_pool2d(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true, optional<int64_t> divisor_override = nullopt) { FL_CALL(tensor, "nn.functional.avg_pool2d", "self kernel_size stride padding ceil_mode count_include_pad divisor_override", of_tensor(self), of_ints(kernel_size), of_ints(stride), of_ints(padding), of_bool(ceil_mode), of_bool(count_include_pad), of_int_or_none(divisor_override)) }
inline Tensor avg_pool3d(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true, optional<int64_t> divisor_override = nullopt) { FL_CALL(tensor, "nn.functional.avg_pool3d", "self kernel_size stride padding ceil_mode count_include_pad divisor_override", of_tensor(self), of_ints(kernel_size), of_ints(stride), of_ints(padding), of_bool(ceil_mode), of_bool(count_include_pad), of_int_or_none(divisor_override)) }
inline Tensor baddbmm(const Tensor &self, const Tensor &batch1, const Tensor &batch2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(tensor, "baddbmm", "self batch1 batch2 beta alpha", of_tensor(self), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &baddbmm_out(Tensor &out, const Tensor &self, const Tensor &batch1, const Tensor &batch2, const Scalar &beta = 1, const Scalar &alpha = 1) { FL_CALL(same(out), "baddbmm", "out self batch1 batch2 beta alpha", of_tensor(out), of_tensor(self), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor bartlett_window(int64_t window_length, const TensorOptions &options = {}) { FL_CALL(tensor, "bartlett_window", "window_length dtype device requires_grad", of_int(window_length), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor bartlett_window(int64_t window_length, bool periodic, const TensorOptions &options = {}) { FL_CALL(tensor, "bartlett_window", "window_length periodic dtype device requires_grad", of_int(window_length), of_bool(periodic), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor batch_norm(const Tensor &self, const optional<Tensor> &weight, const optional<Tensor> &bias, const optional<Tensor> &running_mean, const optional<Tensor> &running_var, bool training, double momentum, double eps, bool) { FL_CALL(tensor, "nn.functional.batch_norm", "self weight bias running_mean running_var training momentum eps", of_tensor(self), of_tensor_or_none(weight), of_tensor_or_none(bias), of_tensor_or_none(running_mean), of_tensor_or_none(running_var), of_bool(training), of_double(momentum), of_double(eps)) }
inline Tensor bernoulli(const Tensor &self) { FL_CALL(tensor, "bernoulli", "self", of_tensor(self)) }
inline Tensor bernoulli(const Tensor &self, double p) { FL_CALL(tensor, "bernoulli", "self p", of_tensor(self), of_double(p)) }
inline Tensor &bernoulli_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "bernoulli", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor bilinear(const Tensor &input1, const Tensor &input2, const Tensor &weight, const optional<Tensor> &bias = nullopt) { FL_CALL(tensor, "nn.functional.bilinear", "input1 input2 weight bias", of_tensor(input1), of_tensor(input2), of_tensor(weight), of_tensor_or_none(bias)) }
inline Tensor binary_cross_entropy(const Tensor &self, const Tensor &target, const optional<Tensor> &weight = nullopt, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.binary_cross_entropy", "self target weight reduction", of_tensor(self), of_tensor(target), of_tensor_or_none(weight), of_reduction(reduction)) }
inline Tensor binary_cross_entropy_with_logits(const Tensor &self, const Tensor &target, const optional<Tensor> &weight = nullopt, const optional<Tensor> &pos_weight = nullopt, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.binary_cross_entropy_with_logits", "self target weight pos_weight reduction", of_tensor(self), of_tensor(target), of_tensor_or_none(weight), of_tensor_or_none(pos_weight), of_reduction(reduction)) }
inline Tensor bincount(const Tensor &self, const optional<Tensor> &weights = nullopt, int64_t minlength = 0) { FL_CALL(tensor, "bincount", "self weights minlength", of_tensor(self), of_tensor_or_none(weights), of_int(minlength)) }
inline Tensor binomial(const Tensor &count, const Tensor &prob) { FL_CALL(tensor, "binomial", "count prob", of_tensor(count), of_tensor(prob)) }
inline Tensor bitwise_and(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "bitwise_and", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor bitwise_and(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "bitwise_and", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor bitwise_and(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "bitwise_and", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &bitwise_and_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "bitwise_and", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &bitwise_and_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "bitwise_and", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &bitwise_and_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "bitwise_and", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor bitwise_left_shift(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "bitwise_left_shift", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor bitwise_left_shift(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "bitwise_left_shift", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor bitwise_left_shift(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "bitwise_left_shift", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &bitwise_left_shift_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "bitwise_left_shift", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &bitwise_left_shift_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "bitwise_left_shift", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &bitwise_left_shift_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "bitwise_left_shift", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor bitwise_not(const Tensor &self) { FL_CALL(tensor, "bitwise_not", "self", of_tensor(self)) }
inline Tensor &bitwise_not_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "bitwise_not", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor bitwise_or(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "bitwise_or", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor bitwise_or(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "bitwise_or", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor bitwise_or(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "bitwise_or", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &bitwise_or_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "bitwise_or", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &bitwise_or_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "bitwise_or", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &bitwise_or_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "bitwise_or", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor bitwise_right_shift(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "bitwise_right_shift", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor bitwise_right_shift(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "bitwise_right_shift", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor bitwise_right_shift(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "bitwise_right_shift", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &bitwise_right_shift_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "bitwise_right_shift", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &bitwise_right_shift_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "bitwise_right_shift", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &bitwise_right_shift_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "bitwise_right_shift", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor bitwise_xor(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "bitwise_xor", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor bitwise_xor(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "bitwise_xor", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor bitwise_xor(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "bitwise_xor", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &bitwise_xor_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "bitwise_xor", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &bitwise_xor_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "bitwise_xor", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &bitwise_xor_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "bitwise_xor", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor blackman_window(int64_t window_length, const TensorOptions &options = {}) { FL_CALL(tensor, "blackman_window", "window_length dtype device requires_grad", of_int(window_length), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor blackman_window(int64_t window_length, bool periodic, const TensorOptions &options = {}) { FL_CALL(tensor, "blackman_window", "window_length periodic dtype device requires_grad", of_int(window_length), of_bool(periodic), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor block_diag(TensorList tensors) { FL_CALL(tensor, "_ops.block_diag", "tensors", of_tensors(tensors)) }
inline Tensor bmm(const Tensor &self, const Tensor &mat2) { FL_CALL(tensor, "bmm", "self mat2", of_tensor(self), of_tensor(mat2)) }
inline Tensor &bmm_out(Tensor &out, const Tensor &self, const Tensor &mat2) { FL_CALL(same(out), "bmm", "out self mat2", of_tensor(out), of_tensor(self), of_tensor(mat2)) }
inline std::vector<Tensor> broadcast_tensors(TensorList tensors) { FL_CALL(tensors, "_ops.broadcast_tensors", "tensors", of_tensors(tensors)) }
inline Tensor broadcast_to(const Tensor &self, IntArrayRef size) { FL_CALL(tensor, "broadcast_to", "self size", of_tensor(self), of_ints(size)) }
inline Tensor bucketize(const Tensor &self, const Tensor &boundaries, bool out_int32 = false, bool right = false) { FL_CALL(tensor, "bucketize.Tensor", "self boundaries out_int32 right", of_tensor(self), of_tensor(boundaries), of_bool(out_int32), of_bool(right)) }
inline Tensor bucketize(const Scalar &self, const Tensor &boundaries, bool out_int32 = false, bool right = false) { FL_CALL(tensor, "bucketize.Scalar", "self boundaries out_int32 right", of_scalar(self), of_tensor(boundaries), of_bool(out_int32), of_bool(right)) }
inline Tensor &bucketize_out(Tensor &out, const Tensor &self, const Tensor &boundaries, bool out_int32 = false, bool right = false) { FL_CALL(same(out), "bucketize.Tensor", "out self boundaries out_int32 right", of_tensor(out), of_tensor(self), of_tensor(boundaries), of_bool(out_int32), of_bool(right)) }
inline Tensor &bucketize_out(Tensor &out, const Scalar &self, const Tensor &boundaries, bool out_int32 = false, bool right = false) { FL_CALL(same(out), "bucketize.Scalar", "out self boundaries out_int32 right", of_tensor(out), of_scalar(self), of_tensor(boundaries), of_bool(out_int32), of_bool(right)) }
inline Tensor cartesian_prod(TensorList tensors) { FL_CALL(tensor, "_ops.cartesian_prod", "tensors", of_tensors(tensors)) }
inline Tensor cat(TensorList tensors, int64_t dim = 0) { FL_CALL(tensor, "cat", "tensors dim", of_tensors(tensors), of_int(dim)) }
inline Tensor &cat_out(Tensor &out, TensorList tensors, int64_t dim = 0) { FL_CALL(same(out), "cat", "out tensors dim", of_tensor(out), of_tensors(tensors), of_int(dim)) }
inline Tensor cdist(const Tensor &x1, const Tensor &x2, double p = 2.0, const optional<std::string> &compute_mode = "use_mm_for_euclid_dist_if_necessary") { FL_CALL(tensor, "cdist", "x1 x2 p compute_mode", of_tensor(x1), of_tensor(x2), of_double(p), of_string_or_none(compute_mode)) }
inline Tensor ceil(const Tensor &self) { FL_CALL(tensor, "ceil", "self", of_tensor(self)) }
inline Tensor &ceil_(Tensor &self) { FL_CALL(same(self), "ceil_", "self", of_tensor(self)) }
inline Tensor &ceil_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "ceil", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor celu(const Tensor &self, const Scalar &alpha = 1.0) { FL_CALL(tensor, "nn.functional.celu", "self alpha", of_tensor(self), of_scalar(alpha)) }
inline Tensor &celu_(Tensor &self, const Scalar &alpha = 1.0) { FL_CALL(same(self), "celu_", "self alpha", of_tensor(self), of_scalar(alpha)) }
inline Tensor chain_matmul(TensorList matrices) { FL_CALL(tensor, "_ops.chain_matmul", "matrices", of_tensors(matrices)) }
inline std::tuple<Tensor, Tensor, Tensor> channel_norm(const Tensor &self, const optional<Tensor> &weight, const optional<Tensor> &bias, int64_t groups, double eps) { FL_CALL(three, "_C._nn.channel_norm", "self weight bias groups eps", of_tensor(self), of_tensor_or_none(weight), of_tensor_or_none(bias), of_int(groups), of_double(eps)) }
inline Tensor channel_scale(const Tensor &self, const Tensor &mean, const Tensor &variance, const optional<Tensor> &weight, const optional<Tensor> &bias, double eps) { FL_CALL(tensor, "_C._nn.channel_scale", "self mean variance weight bias eps", of_tensor(self), of_tensor(mean), of_tensor(variance), of_tensor_or_none(weight), of_tensor_or_none(bias), of_double(eps)) }
inline Tensor channel_shuffle(const Tensor &self, int64_t groups) { FL_CALL(tensor, "channel_shuffle", "self groups", of_tensor(self), of_int(groups)) }
inline Tensor cholesky(const Tensor &self, bool upper = false) { FL_CALL(tensor, "cholesky", "self upper", of_tensor(self), of_bool(upper)) }
inline Tensor cholesky_inverse(const Tensor &self, bool upper = false) { FL_CALL(tensor, "cholesky_inverse", "self upper", of_tensor(self), of_bool(upper)) }
inline Tensor &cholesky_inverse_out(Tensor &out, const Tensor &self, bool upper = false) { FL_CALL(same(out), "cholesky_inverse", "out self upper", of_tensor(out), of_tensor(self), of_bool(upper)) }
inline Tensor &cholesky_out(Tensor &out, const Tensor &self, bool upper = false) { FL_CALL(same(out), "cholesky", "out self upper", of_tensor(out), of_tensor(self), of_bool(upper)) }
inline Tensor cholesky_solve(const Tensor &self, const Tensor &input2, bool upper = false) { FL_CALL(tensor, "cholesky_solve", "self input2 upper", of_tensor(self), of_tensor(input2), of_bool(upper)) }
inline Tensor &cholesky_solve_out(Tensor &out, const Tensor &self, const Tensor &input2, bool upper = false) { FL_CALL(same(out), "cholesky_solve", "out self input2 upper", of_tensor(out), of_tensor(self), of_tensor(input2), of_bool(upper)) }
inline std::vector<Tensor> chunk(const Tensor &self, int64_t chunks, int64_t dim = 0) { FL_CALL(tensors, "chunk", "self chunks dim", of_tensor(self), of_int(chunks), of_int(dim)) }
inline Tensor clamp(const Tensor &self, const optional<Tensor> &min = nullopt, const optional<Tensor> &max = nullopt) { FL_CALL(tensor, "clamp", "self min max", of_tensor(self), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor clamp(const Tensor &self, const optional<Scalar> &min, const optional<Scalar> &max = nullopt) { FL_CALL(tensor, "clamp", "self min max", of_tensor(self), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor &clamp_(Tensor &self, const optional<Tensor> &min = nullopt, const optional<Tensor> &max = nullopt) { FL_CALL(same(self), "clamp_", "self min max", of_tensor(self), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor &clamp_(Tensor &self, const optional<Scalar> &min, const optional<Scalar> &max = nullopt) { FL_CALL(same(self), "clamp_", "self min max", of_tensor(self), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor clamp_max(const Tensor &self, const Tensor &max) { FL_CALL(tensor, "clamp_max", "self max", of_tensor(self), of_tensor(max)) }
inline Tensor clamp_max(const Tensor &self, const Scalar &max) { FL_CALL(tensor, "clamp_max", "self max", of_tensor(self), of_scalar(max)) }
inline Tensor &clamp_max_(Tensor &self, const Tensor &max) { FL_CALL(same(self), "clamp_max_", "self max", of_tensor(self), of_tensor(max)) }
inline Tensor &clamp_max_(Tensor &self, const Scalar &max) { FL_CALL(same(self), "clamp_max_", "self max", of_tensor(self), of_scalar(max)) }
inline Tensor &clamp_max_out(Tensor &out, const Tensor &self, const Tensor &max) { FL_CALL(same(out), "clamp_max", "out self max", of_tensor(out), of_tensor(self), of_tensor(max)) }
inline Tensor &clamp_max_out(Tensor &out, const Tensor &self, const Scalar &max) { FL_CALL(same(out), "clamp_max", "out self max", of_tensor(out), of_tensor(self), of_scalar(max)) }
inline Tensor clamp_min(const Tensor &self, const Tensor &min) { FL_CALL(tensor, "clamp_min", "self min", of_tensor(self), of_tensor(min)) }
inline Tensor clamp_min(const Tensor &self, const Scalar &min) { FL_CALL(tensor, "clamp_min", "self min", of_tensor(self), of_scalar(min)) }
inline Tensor &clamp_min_(Tensor &self, const Tensor &min) { FL_CALL(same(self), "clamp_min_", "self min", of_tensor(self), of_tensor(min)) }
inline Tensor &clamp_min_(Tensor &self, const Scalar &min) { FL_CALL(same(self), "clamp_min_", "self min", of_tensor(self), of_scalar(min)) }
inline Tensor &clamp_min_out(Tensor &out, const Tensor &self, const Tensor &min) { FL_CALL(same(out), "clamp_min", "out self min", of_tensor(out), of_tensor(self), of_tensor(min)) }
inline Tensor &clamp_min_out(Tensor &out, const Tensor &self, const Scalar &min) { FL_CALL(same(out), "clamp_min", "out self min", of_tensor(out), of_tensor(self), of_scalar(min)) }
inline Tensor &clamp_out(Tensor &out, const Tensor &self, const optional<Tensor> &min = nullopt, const optional<Tensor> &max = nullopt) { FL_CALL(same(out), "clamp", "out self min max", of_tensor(out), of_tensor(self), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor &clamp_out(Tensor &out, const Tensor &self, const optional<Scalar> &min, const optional<Scalar> &max = nullopt) { FL_CALL(same(out), "clamp", "out self min max", of_tensor(out), of_tensor(self), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor clip(const Tensor &self, const optional<Tensor> &min = nullopt, const optional<Tensor> &max = nullopt) { FL_CALL(tensor, "clamp", "self min max", of_tensor(self), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor clip(const Tensor &self, const optional<Scalar> &min, const optional<Scalar> &max = nullopt) { FL_CALL(tensor, "clamp", "self min max", of_tensor(self), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor &clip_(Tensor &self, const optional<Tensor> &min = nullopt, const optional<Tensor> &max = nullopt) { FL_CALL(same(self), "clamp_", "self min max", of_tensor(self), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor &clip_(Tensor &self, const optional<Scalar> &min, const optional<Scalar> &max = nullopt) { FL_CALL(same(self), "clamp_", "self min max", of_tensor(self), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor &clip_out(Tensor &out, const Tensor &self, const optional<Tensor> &min = nullopt, const optional<Tensor> &max = nullopt) { FL_CALL(same(out), "clamp", "out self min max", of_tensor(out), of_tensor(self), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor &clip_out(Tensor &out, const Tensor &self, const optional<Scalar> &min, const optional<Scalar> &max = nullopt) { FL_CALL(same(out), "clamp", "out self min max", of_tensor(out), of_tensor(self), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor clone(const Tensor &self, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "clone", "self", of_tensor(self)) }
inline Tensor col2im(const Tensor &self, IntArrayRef output_size, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) { FL_CALL(tensor, "_C._nn.col2im", "self output_size kernel_size dilation padding stride", of_tensor(self), of_ints(output_size), of_ints(kernel_size), of_ints(dilation), of_ints(padding), of_ints(stride)) }
inline Tensor column_stack(TensorList tensors) { FL_CALL(tensor, "column_stack", "tensors", of_tensors(tensors)) }
inline Tensor &column_stack_out(Tensor &out, TensorList tensors) { FL_CALL(same(out), "column_stack", "out tensors", of_tensor(out), of_tensors(tensors)) }
inline Tensor combinations(const Tensor &self, int64_t r = 2, bool with_replacement = false) { FL_CALL(tensor, "combinations", "self r with_replacement", of_tensor(self), of_int(r), of_bool(with_replacement)) }
inline Tensor complex(const Tensor &real, const Tensor &imag) { FL_CALL(tensor, "complex", "real imag", of_tensor(real), of_tensor(imag)) }
inline Tensor &complex_out(Tensor &out, const Tensor &real, const Tensor &imag) { FL_CALL(same(out), "complex", "out real imag", of_tensor(out), of_tensor(real), of_tensor(imag)) }
inline Tensor concat(TensorList tensors, int64_t dim = 0) { FL_CALL(tensor, "cat", "tensors dim", of_tensors(tensors), of_int(dim)) }
inline Tensor &concat_out(Tensor &out, TensorList tensors, int64_t dim = 0) { FL_CALL(same(out), "cat", "out tensors dim", of_tensor(out), of_tensors(tensors), of_int(dim)) }
inline Tensor concatenate(TensorList tensors, int64_t dim = 0) { FL_CALL(tensor, "cat", "tensors dim", of_tensors(tensors), of_int(dim)) }
inline Tensor &concatenate_out(Tensor &out, TensorList tensors, int64_t dim = 0) { FL_CALL(same(out), "cat", "out tensors dim", of_tensor(out), of_tensors(tensors), of_int(dim)) }
inline Tensor conj(const Tensor &self) { FL_CALL(tensor, "conj", "self", of_tensor(self)) }
inline Tensor conj_physical(const Tensor &self) { FL_CALL(tensor, "conj_physical", "self", of_tensor(self)) }
inline Tensor &conj_physical_(Tensor &self) { FL_CALL(same(self), "conj_physical_", "self", of_tensor(self)) }
inline Tensor &conj_physical_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "conj_physical", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor constant_pad_nd(const Tensor &self, IntArrayRef pad, const Scalar &value = 0) { FL_CALL(tensor, "_C._nn.constant_pad_nd", "self pad value", of_tensor(self), of_ints(pad), of_scalar(value)) }
inline Tensor &constant_pad_nd_out(Tensor &out, const Tensor &self, IntArrayRef pad, const Scalar &value = 0) { FL_CALL(same(out), "constant_pad_nd", "out self pad value", of_tensor(out), of_tensor(self), of_ints(pad), of_scalar(value)) }
inline Tensor conv1d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias = nullopt, IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1, int64_t groups = 1) { FL_CALL(tensor, "conv1d", "input weight bias stride padding dilation groups", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_ints(padding), of_ints(dilation), of_int(groups)) }
inline Tensor conv1d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias, IntArrayRef stride, const std::string &padding, IntArrayRef dilation = 1, int64_t groups = 1) { FL_CALL(tensor, "conv1d.padding", "input weight bias stride padding dilation groups", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_string(padding), of_ints(dilation), of_int(groups)) }
inline Tensor conv2d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias = nullopt, IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1, int64_t groups = 1) { FL_CALL(tensor, "conv2d", "input weight bias stride padding dilation groups", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_ints(padding), of_ints(dilation), of_int(groups)) }
inline Tensor conv2d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias, IntArrayRef stride, const std::string &padding, IntArrayRef dilation = 1, int64_t groups = 1) { FL_CALL(tensor, "conv2d.padding", "input weight bias stride padding dilation groups", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_string(padding), of_ints(dilation), of_int(groups)) }
inline Tensor conv3d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias = nullopt, IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1, int64_t groups = 1) { FL_CALL(tensor, "conv3d", "input weight bias stride padding dilation groups", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_ints(padding), of_ints(dilation), of_int(groups)) }
inline Tensor conv3d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias, IntArrayRef stride, const std::string &padding, IntArrayRef dilation = 1, int64_t groups = 1) { FL_CALL(tensor, "conv3d.padding", "input weight bias stride padding dilation groups", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_string(padding), of_ints(dilation), of_int(groups)) }
inline Tensor conv_tbc(const Tensor &self, const Tensor &weight, const Tensor &bias, int64_t pad = 0) { FL_CALL(tensor, "conv_tbc", "self weight bias pad", of_tensor(self), of_tensor(weight), of_tensor(bias), of_int(pad)) }
inline Tensor conv_transpose1d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias = nullopt, IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef output_padding = 0, int64_t groups = 1, IntArrayRef dilation = 1) { FL_CALL(tensor, "conv_transpose1d", "input weight bias stride padding output_padding groups dilation", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_ints(padding), of_ints(output_padding), of_int(groups), of_ints(dilation)) }
inline Tensor conv_transpose2d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias = nullopt, IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef output_padding = 0, int64_t groups = 1, IntArrayRef dilation = 1) { FL_CALL(tensor, "conv_transpose2d", "input weight bias stride padding output_padding groups dilation", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_ints(padding), of_ints(output_padding), of_int(groups), of_ints(dilation)) }
inline Tensor conv_transpose3d(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias = nullopt, IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef output_padding = 0, int64_t groups = 1, IntArrayRef dilation = 1) { FL_CALL(tensor, "conv_transpose3d", "input weight bias stride padding output_padding groups dilation", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_ints(padding), of_ints(output_padding), of_int(groups), of_ints(dilation)) }
inline Tensor convolution(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups) { FL_CALL(tensor, "convolution", "input weight bias stride padding dilation transposed output_padding groups", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias), of_ints(stride), of_ints(padding), of_ints(dilation), of_bool(transposed), of_ints(output_padding), of_int(groups)) }
inline Tensor copysign(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "copysign", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor copysign(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "copysign", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &copysign_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "copysign", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &copysign_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "copysign", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor corrcoef(const Tensor &self) { FL_CALL(tensor, "corrcoef", "self", of_tensor(self)) }
inline Tensor cos(const Tensor &self) { FL_CALL(tensor, "cos", "self", of_tensor(self)) }
inline Tensor &cos_(Tensor &self) { FL_CALL(same(self), "cos_", "self", of_tensor(self)) }
inline Tensor &cos_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "cos", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor cosh(const Tensor &self) { FL_CALL(tensor, "cosh", "self", of_tensor(self)) }
inline Tensor &cosh_(Tensor &self) { FL_CALL(same(self), "cosh_", "self", of_tensor(self)) }
inline Tensor &cosh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "cosh", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor cosine_embedding_loss(const Tensor &input1, const Tensor &input2, const Tensor &target, double margin = 0.0, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.cosine_embedding_loss", "input1 input2 target margin reduction", of_tensor(input1), of_tensor(input2), of_tensor(target), of_double(margin), of_reduction(reduction)) }
inline Tensor cosine_similarity(const Tensor &x1, const Tensor &x2, int64_t dim = 1, double eps = 1e-08) { FL_CALL(tensor, "nn.functional.cosine_similarity", "x1 x2 dim eps", of_tensor(x1), of_tensor(x2), of_int(dim), of_double(eps)) }
inline Tensor count_nonzero(const Tensor &self, optional<int64_t> dim = nullopt) { FL_CALL(tensor, "count_nonzero", "self dim", of_tensor(self), of_int_or_none(dim)) }
inline Tensor count_nonzero(const Tensor &self, IntArrayRef dim) { FL_CALL(tensor, "count_nonzero", "self dim", of_tensor(self), of_ints(dim)) }
inline Tensor cov(const Tensor &self, int64_t correction = 1, const optional<Tensor> &fweights = nullopt, const optional<Tensor> &aweights = nullopt) { FL_CALL(tensor, "cov", "self correction fweights aweights", of_tensor(self), of_int(correction), of_tensor_or_none(fweights), of_tensor_or_none(aweights)) }
inline Tensor cross(const Tensor &self, const Tensor &other, optional<int64_t> dim = nullopt) { FL_CALL(tensor, "cross", "self other dim", of_tensor(self), of_tensor(other), of_int_or_none(dim)) }
inline Tensor cross_entropy(const Tensor &self, const Tensor &target, const optional<Tensor> &weight = nullopt, int64_t ignore_index = -100, int64_t reduction = Reduction::Mean, double label_smoothing = 0.0) { FL_CALL(tensor, "_C._nn.cross_entropy", "self target weight ignore_index reduction label_smoothing", of_tensor(self), of_tensor(target), of_tensor_or_none(weight), of_int(ignore_index), of_reduction(reduction), of_double(label_smoothing)) }
inline Tensor cross_entropy_loss(const Tensor &self, const Tensor &target, const optional<Tensor> &weight = nullopt, int64_t reduction = Reduction::Mean, int64_t ignore_index = -100, double label_smoothing = 0.0) { FL_CALL(tensor, "nn.functional.cross_entropy", "self target weight reduction ignore_index label_smoothing", of_tensor(self), of_tensor(target), of_tensor_or_none(weight), of_reduction(reduction), of_int(ignore_index), of_double(label_smoothing)) }
inline Tensor &cross_out(Tensor &out, const Tensor &self, const Tensor &other, optional<int64_t> dim = nullopt) { FL_CALL(same(out), "cross", "out self other dim", of_tensor(out), of_tensor(self), of_tensor(other), of_int_or_none(dim)) }
inline Tensor ctc_loss(const Tensor &log_probs, const Tensor &targets, IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank = 0, int64_t reduction = Reduction::Mean, bool zero_infinity = false) { FL_CALL(tensor, "nn.functional.ctc_loss", "log_probs targets input_lengths target_lengths blank reduction zero_infinity", of_tensor(log_probs), of_tensor(targets), of_ints(input_lengths), of_ints(target_lengths), of_int(blank), of_reduction(reduction), of_bool(zero_infinity)) }
inline Tensor ctc_loss(const Tensor &log_probs, const Tensor &targets, const Tensor &input_lengths, const Tensor &target_lengths, int64_t blank = 0, int64_t reduction = Reduction::Mean, bool zero_infinity = false) { FL_CALL(tensor, "nn.functional.ctc_loss.Tensor", "log_probs targets input_lengths target_lengths blank reduction zero_infinity", of_tensor(log_probs), of_tensor(targets), of_tensor(input_lengths), of_tensor(target_lengths), of_int(blank), of_reduction(reduction), of_bool(zero_infinity)) }
inline std::tuple<Tensor, Tensor> cummax(const Tensor &self, int64_t dim) { FL_CALL(two, "cummax", "self dim", of_tensor(self), of_int(dim)) }
inline std::tuple<Tensor &, Tensor &> cummax_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "cummax", "out self dim", of_tensors(flambeau_out), of_tensor(self), of_int(dim)) }
inline std::tuple<Tensor, Tensor> cummin(const Tensor &self, int64_t dim) { FL_CALL(two, "cummin", "self dim", of_tensor(self), of_int(dim)) }
inline std::tuple<Tensor &, Tensor &> cummin_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "cummin", "out self dim", of_tensors(flambeau_out), of_tensor(self), of_int(dim)) }
inline Tensor cumprod(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "cumprod", "self dim dtype", of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor &cumprod_out(Tensor &out, const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "cumprod", "out self dim dtype", of_tensor(out), of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor cumsum(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "cumsum", "self dim dtype", of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor &cumsum_out(Tensor &out, const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "cumsum", "out self dim dtype", of_tensor(out), of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor cumulative_trapezoid(const Tensor &y, const Tensor &x, int64_t dim = -1) { FL_CALL(tensor, "cumulative_trapezoid.x", "y x dim", of_tensor(y), of_tensor(x), of_int(dim)) }
inline Tensor cumulative_trapezoid(const Tensor &y, const Scalar &dx = 1, int64_t dim = -1) { FL_CALL(tensor, "cumulative_trapezoid.dx", "y dx dim", of_tensor(y), of_scalar(dx), of_int(dim)) }
inline Tensor deg2rad(const Tensor &self) { FL_CALL(tensor, "deg2rad", "self", of_tensor(self)) }
inline Tensor &deg2rad_(Tensor &self) { FL_CALL(same(self), "deg2rad_", "self", of_tensor(self)) }
inline Tensor &deg2rad_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "deg2rad", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor det(const Tensor &self) { FL_CALL(tensor, "det", "self", of_tensor(self)) }
inline Tensor detach(const Tensor &self) { FL_CALL(tensor, "detach", "self", of_tensor(self)) }
inline Tensor &detach_(Tensor &self) { FL_CALL(same(self), "detach_", "self", of_tensor(self)) }
inline Tensor diag(const Tensor &self, int64_t diagonal = 0) { FL_CALL(tensor, "diag", "self diagonal", of_tensor(self), of_int(diagonal)) }
inline Tensor diag_embed(const Tensor &self, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) { FL_CALL(tensor, "diag_embed", "self offset dim1 dim2", of_tensor(self), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor &diag_out(Tensor &out, const Tensor &self, int64_t diagonal = 0) { FL_CALL(same(out), "diag", "out self diagonal", of_tensor(out), of_tensor(self), of_int(diagonal)) }
inline Tensor diagflat(const Tensor &self, int64_t offset = 0) { FL_CALL(tensor, "diagflat", "self offset", of_tensor(self), of_int(offset)) }
inline Tensor diagonal(const Tensor &self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) { FL_CALL(tensor, "diagonal", "self offset dim1 dim2", of_tensor(self), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor diagonal_copy(const Tensor &self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) { FL_CALL(tensor, "diagonal_copy", "self offset dim1 dim2", of_tensor(self), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor &diagonal_copy_out(Tensor &out, const Tensor &self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) { FL_CALL(same(out), "diagonal_copy", "out self offset dim1 dim2", of_tensor(out), of_tensor(self), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor diagonal_scatter(const Tensor &self, const Tensor &src, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) { FL_CALL(tensor, "diagonal_scatter", "self src offset dim1 dim2", of_tensor(self), of_tensor(src), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor diff(const Tensor &self, int64_t n = 1, int64_t dim = -1, const optional<Tensor> &prepend = nullopt, const optional<Tensor> &append = nullopt) { FL_CALL(tensor, "diff", "self n dim prepend append", of_tensor(self), of_int(n), of_int(dim), of_tensor_or_none(prepend), of_tensor_or_none(append)) }
inline Tensor &diff_out(Tensor &out, const Tensor &self, int64_t n = 1, int64_t dim = -1, const optional<Tensor> &prepend = nullopt, const optional<Tensor> &append = nullopt) { FL_CALL(same(out), "diff", "out self n dim prepend append", of_tensor(out), of_tensor(self), of_int(n), of_int(dim), of_tensor_or_none(prepend), of_tensor_or_none(append)) }
inline Tensor digamma(const Tensor &self) { FL_CALL(tensor, "digamma", "self", of_tensor(self)) }
inline Tensor &digamma_(Tensor &self) { FL_CALL(same(self), "digamma_", "self", of_tensor(self)) }
inline Tensor &digamma_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "digamma", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor dist(const Tensor &self, const Tensor &other, const Scalar &p = 2) { FL_CALL(tensor, "dist", "self other p", of_tensor(self), of_tensor(other), of_scalar(p)) }
inline Tensor div(const Tensor &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor div(const Scalar &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_scalar(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor div(const Tensor &self, const Scalar &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(self), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor &div_out(Tensor &out, const Tensor &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_tensor(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &div_out(Tensor &out, const Scalar &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_scalar(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &div_out(Tensor &out, const Tensor &self, const Scalar &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_tensor(self), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor divide(const Tensor &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor divide(const Scalar &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_scalar(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor divide(const Tensor &self, const Scalar &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(self), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor &divide_out(Tensor &out, const Tensor &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_tensor(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &divide_out(Tensor &out, const Scalar &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_scalar(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &divide_out(Tensor &out, const Tensor &self, const Scalar &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_tensor(self), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor dot(const Tensor &self, const Tensor &tensor) { FL_CALL(tensor, "dot", "self tensor", of_tensor(self), of_tensor(tensor)) }
inline Tensor &dot_out(Tensor &out, const Tensor &self, const Tensor &tensor) { FL_CALL(same(out), "dot", "out self tensor", of_tensor(out), of_tensor(self), of_tensor(tensor)) }
inline Tensor dropout(const Tensor &self, double p, bool training) { FL_CALL(tensor, "nn.functional.dropout", "self p training", of_tensor(self), of_double(p), of_bool(training)) }
inline Tensor &dropout_(Tensor &self, double p, bool train) { FL_CALL(same(self), "dropout_", "self p train", of_tensor(self), of_double(p), of_bool(train)) }
inline std::vector<Tensor> dsplit(const Tensor &self, int64_t sections) { FL_CALL(tensors, "dsplit.int", "self sections", of_tensor(self), of_int(sections)) }
inline std::vector<Tensor> dsplit(const Tensor &self, IntArrayRef indices) { FL_CALL(tensors, "dsplit.array", "self indices", of_tensor(self), of_ints(indices)) }
inline Tensor dstack(TensorList tensors) { FL_CALL(tensor, "dstack", "tensors", of_tensors(tensors)) }
inline Tensor &dstack_out(Tensor &out, TensorList tensors) { FL_CALL(same(out), "dstack", "out tensors", of_tensor(out), of_tensors(tensors)) }
inline Tensor einsum(const std::string &equation, TensorList tensors, OptionalIntArrayRef = nullopt) { FL_CALL(tensor, "_ops.einsum", "equation tensors", of_string(equation), of_tensors(tensors)) }
inline Tensor elu(const Tensor &self, const Scalar &alpha = 1, const Scalar &scale = 1, const Scalar &input_scale = 1) { FL_CALL(tensor, "_C._nn.elu", "self alpha scale input_scale", of_tensor(self), of_scalar(alpha), of_scalar(scale), of_scalar(input_scale)) }
inline Tensor &elu_(Tensor &self, const Scalar &alpha = 1, const Scalar &scale = 1, const Scalar &input_scale = 1) { FL_CALL(same(self), "_C._nn.elu_", "self alpha scale input_scale", of_tensor(self), of_scalar(alpha), of_scalar(scale), of_scalar(input_scale)) }
inline Tensor embedding(const Tensor &weight, const Tensor &input, optional<int64_t> padding_idx = nullopt, bool scale_grad_by_freq = false, bool sparse = false) { FL_CALL(tensor, "nn.functional.embedding", "weight input padding_idx scale_grad_by_freq sparse", of_tensor(weight), of_tensor(input), of_int_or_none(padding_idx), of_bool(scale_grad_by_freq), of_bool(sparse)) }
inline std::tuple<Tensor, Tensor, Tensor> embedding_bags(const Tensor &weight, const Tensor &indices, const optional<Tensor> &offsets, int64_t mode, bool scale_grad_by_freq, const optional<Tensor> &per_sample_weights, bool include_last_offset, int64_t padding_idx) { FL_CALL(three, "_C._nn.embedding_bags", "weight indices offsets mode scale_grad_by_freq per_sample_weights include_last_offset padding_idx", of_tensor(weight), of_tensor(indices), of_tensor_or_none(offsets), of_int(mode), of_bool(scale_grad_by_freq), of_tensor_or_none(per_sample_weights), of_bool(include_last_offset), of_int(padding_idx)) }
inline Tensor &embedding_renorm_(Tensor &self, const Tensor &indices, double max_norm, double norm_type) { FL_CALL(same(self), "embedding_renorm_", "self indices max_norm norm_type", of_tensor(self), of_tensor(indices), of_double(max_norm), of_double(norm_type)) }
inline Tensor empty(IntArrayRef size, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "empty", "size dtype device requires_grad", of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor empty_like(const Tensor &self, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "empty_like", "self dtype device requires_grad", of_tensor(self), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &empty_out(Tensor &out, IntArrayRef size) { FL_CALL(same(out), "empty", "out size", of_tensor(out), of_ints(size)) }
inline Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout, const TensorOptions &options = {}) { FL_CALL(tensor, "empty_permuted", "size physical_layout dtype device requires_grad", of_ints(size), of_ints(physical_layout), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions &options = {}) { FL_CALL(tensor, "empty_strided", "size stride dtype device requires_grad", of_ints(size), of_ints(stride), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor eq(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "eq", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor eq(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "eq", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &eq_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "eq", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &eq_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "eq", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline bool equal(const Tensor &self, const Tensor &other) { FL_CALL(bool, "equal", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor erf(const Tensor &self) { FL_CALL(tensor, "erf", "self", of_tensor(self)) }
inline Tensor &erf_(Tensor &self) { FL_CALL(same(self), "erf_", "self", of_tensor(self)) }
inline Tensor &erf_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "erf", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor erfc(const Tensor &self) { FL_CALL(tensor, "erfc", "self", of_tensor(self)) }
inline Tensor &erfc_(Tensor &self) { FL_CALL(same(self), "erfc_", "self", of_tensor(self)) }
inline Tensor &erfc_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "erfc", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor erfinv(const Tensor &self) { FL_CALL(tensor, "erfinv", "self", of_tensor(self)) }
inline Tensor &erfinv_(Tensor &self) { FL_CALL(same(self), "erfinv_", "self", of_tensor(self)) }
inline Tensor &erfinv_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "erfinv", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor exp(const Tensor &self) { FL_CALL(tensor, "exp", "self", of_tensor(self)) }
inline Tensor exp2(const Tensor &self) { FL_CALL(tensor, "exp2", "self", of_tensor(self)) }
inline Tensor &exp2_(Tensor &self) { FL_CALL(same(self), "exp2_", "self", of_tensor(self)) }
inline Tensor &exp2_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "exp2", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor &exp_(Tensor &self) { FL_CALL(same(self), "exp_", "self", of_tensor(self)) }
inline Tensor &exp_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "exp", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor expand_copy(const Tensor &self, IntArrayRef size, bool implicit = false) { FL_CALL(tensor, "expand_copy", "self size implicit", of_tensor(self), of_ints(size), of_bool(implicit)) }
inline Tensor &expand_copy_out(Tensor &out, const Tensor &self, IntArrayRef size, bool implicit = false) { FL_CALL(same(out), "expand_copy", "out self size implicit", of_tensor(out), of_tensor(self), of_ints(size), of_bool(implicit)) }
inline Tensor expm1(const Tensor &self) { FL_CALL(tensor, "expm1", "self", of_tensor(self)) }
inline Tensor &expm1_(Tensor &self) { FL_CALL(same(self), "expm1_", "self", of_tensor(self)) }
inline Tensor &expm1_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "expm1", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor eye(int64_t n, const TensorOptions &options = {}) { FL_CALL(tensor, "eye", "n dtype device requires_grad", of_int(n), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor eye(int64_t n, int64_t m, const TensorOptions &options = {}) { FL_CALL(tensor, "eye", "n m dtype device requires_grad", of_int(n), of_int(m), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &eye_out(Tensor &out, int64_t n) { FL_CALL(same(out), "eye", "out n", of_tensor(out), of_int(n)) }
inline Tensor &eye_out(Tensor &out, int64_t n, int64_t m) { FL_CALL(same(out), "eye", "out n m", of_tensor(out), of_int(n), of_int(m)) }
inline Tensor feature_alpha_dropout(const Tensor &input, double p, bool train) { FL_CALL(tensor, "feature_alpha_dropout", "input p train", of_tensor(input), of_double(p), of_bool(train)) }
inline Tensor &feature_alpha_dropout_(Tensor &self, double p, bool train) { FL_CALL(same(self), "feature_alpha_dropout_", "self p train", of_tensor(self), of_double(p), of_bool(train)) }
inline Tensor feature_dropout(const Tensor &input, double p, bool train) { FL_CALL(tensor, "feature_dropout", "input p train", of_tensor(input), of_double(p), of_bool(train)) }
inline Tensor &feature_dropout_(Tensor &self, double p, bool train) { FL_CALL(same(self), "feature_dropout_", "self p train", of_tensor(self), of_double(p), of_bool(train)) }
inline Tensor fft_fft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.fft", "self n dim norm", of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_fft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.fft2", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_fft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.fft2", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_fft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.fft", "out self n dim norm", of_tensor(out), of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_fftfreq(int64_t n, double d = 1.0, const TensorOptions &options = {}) { FL_CALL(tensor, "fft.fftfreq", "n d dtype device requires_grad", of_int(n), of_double(d), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &fft_fftfreq_out(Tensor &out, int64_t n, double d = 1.0) { FL_CALL(same(out), "fft.fftfreq", "out n d", of_tensor(out), of_int(n), of_double(d)) }
inline Tensor fft_fftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.fftn", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor &fft_fftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.fftn", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor fft_fftshift(const Tensor &self, OptionalIntArrayRef dim = nullopt) { FL_CALL(tensor, "fft.fftshift", "self dim", of_tensor(self), of_ints_or_none(dim)) }
inline Tensor fft_hfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.hfft", "self n dim norm", of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_hfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.hfft2", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_hfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.hfft2", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_hfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.hfft", "out self n dim norm", of_tensor(out), of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_hfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.hfftn", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor &fft_hfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.hfftn", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor fft_ifft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.ifft", "self n dim norm", of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_ifft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.ifft2", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_ifft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.ifft2", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_ifft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.ifft", "out self n dim norm", of_tensor(out), of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_ifftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.ifftn", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor &fft_ifftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.ifftn", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor fft_ifftshift(const Tensor &self, OptionalIntArrayRef dim = nullopt) { FL_CALL(tensor, "fft.ifftshift", "self dim", of_tensor(self), of_ints_or_none(dim)) }
inline Tensor fft_ihfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.ihfft", "self n dim norm", of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_ihfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.ihfft2", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_ihfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.ihfft2", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_ihfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.ihfft", "out self n dim norm", of_tensor(out), of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_ihfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.ihfftn", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor &fft_ihfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.ihfftn", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor fft_irfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.irfft", "self n dim norm", of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_irfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.irfft2", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_irfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.irfft2", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_irfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.irfft", "out self n dim norm", of_tensor(out), of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_irfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.irfftn", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor &fft_irfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.irfftn", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor fft_rfft(const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.rfft", "self n dim norm", of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_rfft2(const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.rfft2", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_rfft2_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, IntArrayRef dim = {-2, -1}, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.rfft2", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints(dim), of_string_or_none(norm)) }
inline Tensor &fft_rfft_out(Tensor &out, const Tensor &self, optional<int64_t> n = nullopt, int64_t dim = -1, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.rfft", "out self n dim norm", of_tensor(out), of_tensor(self), of_int_or_none(n), of_int(dim), of_string_or_none(norm)) }
inline Tensor fft_rfftfreq(int64_t n, double d = 1.0, const TensorOptions &options = {}) { FL_CALL(tensor, "fft.rfftfreq", "n d dtype device requires_grad", of_int(n), of_double(d), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &fft_rfftfreq_out(Tensor &out, int64_t n, double d = 1.0) { FL_CALL(same(out), "fft.rfftfreq", "out n d", of_tensor(out), of_int(n), of_double(d)) }
inline Tensor fft_rfftn(const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(tensor, "fft.rfftn", "self s dim norm", of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor &fft_rfftn_out(Tensor &out, const Tensor &self, OptionalIntArrayRef s = nullopt, OptionalIntArrayRef dim = nullopt, const optional<std::string> &norm = nullopt) { FL_CALL(same(out), "fft.rfftn", "out self s dim norm", of_tensor(out), of_tensor(self), of_ints_or_none(s), of_ints_or_none(dim), of_string_or_none(norm)) }
inline Tensor fill(const Tensor &self, const Tensor &value) { FL_CALL(tensor, "fill", "self value", of_tensor(self), of_tensor(value)) }
inline Tensor fill(const Tensor &self, const Scalar &value) { FL_CALL(tensor, "fill", "self value", of_tensor(self), of_scalar(value)) }
inline Tensor &fill_(Tensor &self, const Tensor &value) { FL_CALL(same(self), "fill_", "self value", of_tensor(self), of_tensor(value)) }
inline Tensor &fill_(Tensor &self, const Scalar &value) { FL_CALL(same(self), "fill_", "self value", of_tensor(self), of_scalar(value)) }
inline Tensor fix(const Tensor &self) { FL_CALL(tensor, "trunc", "self", of_tensor(self)) }
inline Tensor &fix_(Tensor &self) { FL_CALL(same(self), "trunc_", "self", of_tensor(self)) }
inline Tensor &fix_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "trunc", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor flatten(const Tensor &self, int64_t start_dim = 0, int64_t end_dim = -1) { FL_CALL(tensor, "flatten", "self start_dim end_dim", of_tensor(self), of_int(start_dim), of_int(end_dim)) }
inline Tensor flip(const Tensor &self, IntArrayRef dims) { FL_CALL(tensor, "flip", "self dims", of_tensor(self), of_ints(dims)) }
inline Tensor fliplr(const Tensor &self) { FL_CALL(tensor, "fliplr", "self", of_tensor(self)) }
inline Tensor flipud(const Tensor &self) { FL_CALL(tensor, "flipud", "self", of_tensor(self)) }
inline Tensor float_power(const Tensor &self, const Tensor &exponent) { FL_CALL(tensor, "float_power", "self exponent", of_tensor(self), of_tensor(exponent)) }
inline Tensor float_power(const Scalar &self, const Tensor &exponent) { FL_CALL(tensor, "float_power", "self exponent", of_scalar(self), of_tensor(exponent)) }
inline Tensor float_power(const Tensor &self, const Scalar &exponent) { FL_CALL(tensor, "float_power", "self exponent", of_tensor(self), of_scalar(exponent)) }
inline Tensor &float_power_out(Tensor &out, const Tensor &self, const Tensor &exponent) { FL_CALL(same(out), "float_power", "out self exponent", of_tensor(out), of_tensor(self), of_tensor(exponent)) }
inline Tensor &float_power_out(Tensor &out, const Scalar &self, const Tensor &exponent) { FL_CALL(same(out), "float_power", "out self exponent", of_tensor(out), of_scalar(self), of_tensor(exponent)) }
inline Tensor &float_power_out(Tensor &out, const Tensor &self, const Scalar &exponent) { FL_CALL(same(out), "float_power", "out self exponent", of_tensor(out), of_tensor(self), of_scalar(exponent)) }
inline Tensor floor(const Tensor &self) { FL_CALL(tensor, "floor", "self", of_tensor(self)) }
inline Tensor &floor_(Tensor &self) { FL_CALL(same(self), "floor_", "self", of_tensor(self)) }
inline Tensor floor_divide(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "floor_divide", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor floor_divide(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "floor_divide", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor floor_divide(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "floor_divide", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &floor_divide_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "floor_divide", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &floor_divide_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "floor_divide", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &floor_divide_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "floor_divide", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor &floor_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "floor", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor fmax(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "fmax", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &fmax_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "fmax", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor fmin(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "fmin", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &fmin_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "fmin", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor fmod(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "fmod", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor fmod(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "fmod", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &fmod_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "fmod", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &fmod_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "fmod", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor frac(const Tensor &self) { FL_CALL(tensor, "frac", "self", of_tensor(self)) }
inline Tensor &frac_(Tensor &self) { FL_CALL(same(self), "frac_", "self", of_tensor(self)) }
inline Tensor &frac_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "frac", "out self", of_tensor(out), of_tensor(self)) }
inline std::tuple<Tensor, Tensor> frexp(const Tensor &self) { FL_CALL(two, "frexp", "self", of_tensor(self)) }
inline std::tuple<Tensor &, Tensor &> frexp_out(Tensor &mantissa, Tensor &exponent, const Tensor &self) { const Tensor flambeau_out[] = {mantissa, exponent}; FL_CALL(these(mantissa, exponent), "frexp", "out self", of_tensors(flambeau_out), of_tensor(self)) }
inline Tensor from_file(const std::string &filename, optional<bool> shared = nullopt, optional<int64_t> size = 0, const TensorOptions &options = {}) { FL_CALL(tensor, "from_file", "filename shared size dtype device requires_grad", of_string(filename), of_bool_or_none(shared), of_int_or_none(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor full(IntArrayRef size, const Scalar &fill_value, const TensorOptions &options = {}) { FL_CALL(tensor, "full", "size fill_value dtype device requires_grad", of_ints(size), of_scalar(fill_value), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor full_like(const Tensor &self, const Scalar &fill_value, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "full_like", "self fill_value dtype device requires_grad", of_tensor(self), of_scalar(fill_value), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &full_out(Tensor &out, IntArrayRef size, const Scalar &fill_value) { FL_CALL(same(out), "full", "out size fill_value", of_tensor(out), of_ints(size), of_scalar(fill_value)) }
inline Tensor gather(const Tensor &self, int64_t dim, const Tensor &index, bool sparse_grad = false) { FL_CALL(tensor, "gather", "self dim index sparse_grad", of_tensor(self), of_int(dim), of_tensor(index), of_bool(sparse_grad)) }
inline Tensor &gather_out(Tensor &out, const Tensor &self, int64_t dim, const Tensor &index, bool sparse_grad = false) { FL_CALL(same(out), "gather", "out self dim index sparse_grad", of_tensor(out), of_tensor(self), of_int(dim), of_tensor(index), of_bool(sparse_grad)) }
inline Tensor gcd(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "gcd", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &gcd_(Tensor &self, const Tensor &other) { FL_CALL(same(self), "gcd_", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &gcd_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "gcd", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor ge(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "ge", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor ge(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "ge", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &ge_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "ge", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &ge_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "ge", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor gelu(const Tensor &self, const std::string &approximate = "none") { FL_CALL(tensor, "nn.functional.gelu", "self approximate", of_tensor(self), of_string(approximate)) }
inline Tensor &gelu_out(Tensor &out, const Tensor &self, const std::string &approximate = "none") { FL_CALL(same(out), "nn.functional.gelu", "out self approximate", of_tensor(out), of_tensor(self), of_string(approximate)) }
inline std::tuple<Tensor, Tensor> geqrf(const Tensor &self) { FL_CALL(two, "geqrf", "self", of_tensor(self)) }
inline std::tuple<Tensor &, Tensor &> geqrf_out(Tensor &a, Tensor &tau, const Tensor &self) { const Tensor flambeau_out[] = {a, tau}; FL_CALL(these(a, tau), "geqrf", "out self", of_tensors(flambeau_out), of_tensor(self)) }
inline Tensor ger(const Tensor &self, const Tensor &vec2) { FL_CALL(tensor, "outer", "self vec2", of_tensor(self), of_tensor(vec2)) }
inline Tensor &ger_out(Tensor &out, const Tensor &self, const Tensor &vec2) { FL_CALL(same(out), "outer", "out self vec2", of_tensor(out), of_tensor(self), of_tensor(vec2)) }
inline Tensor glu(const Tensor &self, int64_t dim = -1) { FL_CALL(tensor, "nn.functional.glu", "self dim", of_tensor(self), of_int(dim)) }
inline std::vector<Tensor> gradient(const Tensor &self, const optional<Scalar> &spacing = nullopt, optional<int64_t> dim = nullopt, int64_t edge_order = 1) { FL_CALL(tensors, "gradient.scalarint", "self spacing dim edge_order", of_tensor(self), of_scalar_or_none(spacing), of_int_or_none(dim), of_int(edge_order)) }
inline std::vector<Tensor> gradient(const Tensor &self, const Scalar &spacing, IntArrayRef dim, int64_t edge_order = 1) { FL_CALL(tensors, "gradient.scalararray", "self spacing dim edge_order", of_tensor(self), of_scalar(spacing), of_ints(dim), of_int(edge_order)) }
inline std::vector<Tensor> gradient(const Tensor &self, IntArrayRef dim, int64_t edge_order = 1) { FL_CALL(tensors, "gradient.array", "self dim edge_order", of_tensor(self), of_ints(dim), of_int(edge_order)) }
inline std::vector<Tensor> gradient(const Tensor &self, TensorList spacing, optional<int64_t> dim = nullopt, int64_t edge_order = 1) { FL_CALL(tensors, "gradient.tensorarrayint", "self spacing dim edge_order", of_tensor(self), of_tensors(spacing), of_int_or_none(dim), of_int(edge_order)) }
inline std::vector<Tensor> gradient(const Tensor &self, TensorList spacing, IntArrayRef dim, int64_t edge_order = 1) { FL_CALL(tensors, "gradient.tensorarray", "self spacing dim edge_order", of_tensor(self), of_tensors(spacing), of_ints(dim), of_int(edge_order)) }
inline Tensor greater(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "gt", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor greater(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "gt", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor greater_equal(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "ge", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor greater_equal(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "ge", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &greater_equal_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "ge", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &greater_equal_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "ge", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor &greater_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "gt", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &greater_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "gt", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor grid_sampler(const Tensor &input, const Tensor &grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) { FL_CALL(tensor, "grid_sampler", "input grid interpolation_mode padding_mode align_corners", of_tensor(input), of_tensor(grid), of_int(interpolation_mode), of_int(padding_mode), of_bool(align_corners)) }
inline Tensor grid_sampler_2d(const Tensor &input, const Tensor &grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) { FL_CALL(tensor, "grid_sampler_2d", "input grid interpolation_mode padding_mode align_corners", of_tensor(input), of_tensor(grid), of_int(interpolation_mode), of_int(padding_mode), of_bool(align_corners)) }
inline Tensor grid_sampler_3d(const Tensor &input, const Tensor &grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) { FL_CALL(tensor, "grid_sampler_3d", "input grid interpolation_mode padding_mode align_corners", of_tensor(input), of_tensor(grid), of_int(interpolation_mode), of_int(padding_mode), of_bool(align_corners)) }
inline Tensor group_norm(const Tensor &self, int64_t num_groups, const optional<Tensor> &weight = nullopt, const optional<Tensor> &bias = nullopt, double eps = 1e-05, bool = true) { FL_CALL(tensor, "nn.functional.group_norm", "self num_groups weight bias eps", of_tensor(self), of_int(num_groups), of_tensor_or_none(weight), of_tensor_or_none(bias), of_double(eps)) }
inline std::tuple<Tensor, Tensor> gru(const Tensor &input, const Tensor &hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) { FL_CALL(two, "gru.input", "input hx params has_biases num_layers dropout train bidirectional batch_first", of_tensor(input), of_tensor(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional), of_bool(batch_first)) }
inline std::tuple<Tensor, Tensor> gru(const Tensor &data, const Tensor &batch_sizes, const Tensor &hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) { FL_CALL(two, "gru.data", "data batch_sizes hx params has_biases num_layers dropout train bidirectional", of_tensor(data), of_tensor(batch_sizes), of_tensor(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional)) }
inline Tensor gru_cell(const Tensor &input, const Tensor &hx, const Tensor &w_ih, const Tensor &w_hh, const optional<Tensor> &b_ih = nullopt, const optional<Tensor> &b_hh = nullopt) { FL_CALL(tensor, "gru_cell", "input hx w_ih w_hh b_ih b_hh", of_tensor(input), of_tensor(hx), of_tensor(w_ih), of_tensor(w_hh), of_tensor_or_none(b_ih), of_tensor_or_none(b_hh)) }
inline Tensor gt(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "gt", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor gt(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "gt", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &gt_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "gt", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &gt_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "gt", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor hamming_window(int64_t window_length, const TensorOptions &options = {}) { FL_CALL(tensor, "hamming_window", "window_length dtype device requires_grad", of_int(window_length), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor hamming_window(int64_t window_length, bool periodic, const TensorOptions &options = {}) { FL_CALL(tensor, "hamming_window", "window_length periodic dtype device requires_grad", of_int(window_length), of_bool(periodic), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor hamming_window(int64_t window_length, bool periodic, double alpha, const TensorOptions &options = {}) { FL_CALL(tensor, "hamming_window", "window_length periodic alpha dtype device requires_grad", of_int(window_length), of_bool(periodic), of_double(alpha), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta, const TensorOptions &options = {}) { FL_CALL(tensor, "hamming_window", "window_length periodic alpha beta dtype device requires_grad", of_int(window_length), of_bool(periodic), of_double(alpha), of_double(beta), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor hann_window(int64_t window_length, const TensorOptions &options = {}) { FL_CALL(tensor, "hann_window", "window_length dtype device requires_grad", of_int(window_length), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor hann_window(int64_t window_length, bool periodic, const TensorOptions &options = {}) { FL_CALL(tensor, "hann_window", "window_length periodic dtype device requires_grad", of_int(window_length), of_bool(periodic), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor hardshrink(const Tensor &self, const Scalar &lambd = 0.5) { FL_CALL(tensor, "nn.functional.hardshrink", "self lambd", of_tensor(self), of_scalar(lambd)) }
inline Tensor &hardshrink_out(Tensor &out, const Tensor &self, const Scalar &lambd = 0.5) { FL_CALL(same(out), "nn.functional.hardshrink", "out self lambd", of_tensor(out), of_tensor(self), of_scalar(lambd)) }
inline Tensor hardsigmoid(const Tensor &self) { FL_CALL(tensor, "_C._nn.hardsigmoid", "self", of_tensor(self)) }
inline Tensor &hardsigmoid_(Tensor &self) { FL_CALL(same(self), "_C._nn.hardsigmoid_", "self", of_tensor(self)) }
inline Tensor hardswish(const Tensor &self) { FL_CALL(tensor, "_C._nn.hardswish", "self", of_tensor(self)) }
inline Tensor &hardswish_(Tensor &self) { FL_CALL(same(self), "_C._nn.hardswish_", "self", of_tensor(self)) }
inline Tensor hardtanh(const Tensor &self, const Scalar &min_val = -1, const Scalar &max_val = 1) { FL_CALL(tensor, "_C._nn.hardtanh", "self min_val max_val", of_tensor(self), of_scalar(min_val), of_scalar(max_val)) }
inline Tensor &hardtanh_(Tensor &self, const Scalar &min_val = -1, const Scalar &max_val = 1) { FL_CALL(same(self), "_C._nn.hardtanh_", "self min_val max_val", of_tensor(self), of_scalar(min_val), of_scalar(max_val)) }
inline Tensor hash_tensor(const Tensor &self, IntArrayRef dim = {}, bool keepdim = false, int64_t mode = 0) { FL_CALL(tensor, "hash_tensor", "self dim keepdim mode", of_tensor(self), of_ints(dim), of_bool(keepdim), of_int(mode)) }
inline Tensor &hash_tensor_out(Tensor &out, const Tensor &self, IntArrayRef dim = {}, bool keepdim = false, int64_t mode = 0) { FL_CALL(same(out), "hash_tensor", "out self dim keepdim mode", of_tensor(out), of_tensor(self), of_ints(dim), of_bool(keepdim), of_int(mode)) }
inline Tensor heaviside(const Tensor &self, const Tensor &values) { FL_CALL(tensor, "heaviside", "self values", of_tensor(self), of_tensor(values)) }
inline Tensor &heaviside_out(Tensor &out, const Tensor &self, const Tensor &values) { FL_CALL(same(out), "heaviside", "out self values", of_tensor(out), of_tensor(self), of_tensor(values)) }
inline Tensor hinge_embedding_loss(const Tensor &self, const Tensor &target, double margin = 1.0, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.hinge_embedding_loss", "self target margin reduction", of_tensor(self), of_tensor(target), of_double(margin), of_reduction(reduction)) }
inline Tensor histc(const Tensor &self, int64_t bins = 100, const Scalar &min = 0, const Scalar &max = 0) { FL_CALL(tensor, "histc", "self bins min max", of_tensor(self), of_int(bins), of_scalar(min), of_scalar(max)) }
inline Tensor &histc_out(Tensor &out, const Tensor &self, int64_t bins = 100, const Scalar &min = 0, const Scalar &max = 0) { FL_CALL(same(out), "histc", "out self bins min max", of_tensor(out), of_tensor(self), of_int(bins), of_scalar(min), of_scalar(max)) }
inline std::tuple<Tensor, Tensor> histogram(const Tensor &self, const Tensor &bins, const optional<Tensor> &weight = nullopt, bool density = false) { FL_CALL(two, "histogram.bins_tensor", "self bins weight density", of_tensor(self), of_tensor(bins), of_tensor_or_none(weight), of_bool(density)) }
inline std::tuple<Tensor &, Tensor &> histogram_out(Tensor &hist, Tensor &bin_edges, const Tensor &self, const Tensor &bins, const optional<Tensor> &weight = nullopt, bool density = false) { const Tensor flambeau_out[] = {hist, bin_edges}; FL_CALL(these(hist, bin_edges), "histogram.bins_tensor", "out self bins weight density", of_tensors(flambeau_out), of_tensor(self), of_tensor(bins), of_tensor_or_none(weight), of_bool(density)) }
inline std::vector<Tensor> hsplit(const Tensor &self, int64_t sections) { FL_CALL(tensors, "hsplit.int", "self sections", of_tensor(self), of_int(sections)) }
inline std::vector<Tensor> hsplit(const Tensor &self, IntArrayRef indices) { FL_CALL(tensors, "hsplit.array", "self indices", of_tensor(self), of_ints(indices)) }
inline Tensor hstack(TensorList tensors) { FL_CALL(tensor, "hstack", "tensors", of_tensors(tensors)) }
inline Tensor &hstack_out(Tensor &out, TensorList tensors) { FL_CALL(same(out), "hstack", "out tensors", of_tensor(out), of_tensors(tensors)) }
inline Tensor huber_loss(const Tensor &self, const Tensor &target, int64_t reduction = Reduction::Mean, double delta = 1.0) { FL_CALL(tensor, "nn.functional.huber_loss", "self target reduction delta", of_tensor(self), of_tensor(target), of_reduction(reduction), of_double(delta)) }
inline Tensor hypot(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "hypot", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &hypot_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "hypot", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor i0(const Tensor &self) { FL_CALL(tensor, "i0", "self", of_tensor(self)) }
inline Tensor &i0_(Tensor &self) { FL_CALL(same(self), "i0_", "self", of_tensor(self)) }
inline Tensor &i0_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "i0", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor igamma(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "igamma", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &igamma_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "igamma", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor igammac(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "igammac", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &igammac_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "igammac", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor im2col(const Tensor &self, IntArrayRef kernel_size, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) { FL_CALL(tensor, "_C._nn.im2col", "self kernel_size dilation padding stride", of_tensor(self), of_ints(kernel_size), of_ints(dilation), of_ints(padding), of_ints(stride)) }
inline Tensor imag(const Tensor &self) { FL_CALL(tensor, "imag", "self", of_tensor(self)) }
inline Tensor index_add(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source, const Scalar &alpha = 1) { FL_CALL(tensor, "index_add", "self dim index source alpha", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(source), of_scalar(alpha)) }
inline Tensor index_copy(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source) { FL_CALL(tensor, "index_copy", "self dim index source", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(source)) }
inline Tensor index_fill(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &value) { FL_CALL(tensor, "index_fill", "self dim index value", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(value)) }
inline Tensor index_fill(const Tensor &self, int64_t dim, const Tensor &index, const Scalar &value) { FL_CALL(tensor, "index_fill", "self dim index value", of_tensor(self), of_int(dim), of_tensor(index), of_scalar(value)) }
inline Tensor index_reduce(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &source, const std::string &reduce, bool include_self = true) { FL_CALL(tensor, "index_reduce", "self dim index source reduce include_self", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(source), of_string(reduce), of_bool(include_self)) }
inline Tensor index_select(const Tensor &self, int64_t dim, const Tensor &index) { FL_CALL(tensor, "index_select", "self dim index", of_tensor(self), of_int(dim), of_tensor(index)) }
inline Tensor &index_select_out(Tensor &out, const Tensor &self, int64_t dim, const Tensor &index) { FL_CALL(same(out), "index_select", "out self dim index", of_tensor(out), of_tensor(self), of_int(dim), of_tensor(index)) }
inline Tensor inner(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "inner", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &inner_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "inner", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor instance_norm(const Tensor &self, const optional<Tensor> &weight, const optional<Tensor> &bias, const optional<Tensor> &running_mean, const optional<Tensor> &running_var, bool use_input_stats, double momentum, double eps, bool) { FL_CALL(tensor, "nn.functional.instance_norm", "self weight bias running_mean running_var use_input_stats momentum eps", of_tensor(self), of_tensor_or_none(weight), of_tensor_or_none(bias), of_tensor_or_none(running_mean), of_tensor_or_none(running_var), of_bool(use_input_stats), of_double(momentum), of_double(eps)) }
inline Tensor inverse(const Tensor &self) { FL_CALL(tensor, "inverse", "self", of_tensor(self)) }
inline Tensor &inverse_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "inverse", "out self", of_tensor(out), of_tensor(self)) }
inline bool is_distributed(const Tensor &self) { FL_CALL(bool, "is_distributed", "self", of_tensor(self)) }
inline bool is_inference(const Tensor &self) { FL_CALL(bool, "is_inference", "self", of_tensor(self)) }
inline bool is_nonzero(const Tensor &self) { FL_CALL(bool, "is_nonzero", "self", of_tensor(self)) }
inline bool is_same_size(const Tensor &self, const Tensor &other) { FL_CALL(bool, "is_same_size", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor isclose(const Tensor &self, const Tensor &other, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) { FL_CALL(tensor, "isclose", "self other rtol atol equal_nan", of_tensor(self), of_tensor(other), of_double(rtol), of_double(atol), of_bool(equal_nan)) }
inline Tensor isfinite(const Tensor &self) { FL_CALL(tensor, "isfinite", "self", of_tensor(self)) }
inline Tensor &isfinite_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "isfinite", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor isin(const Tensor &elements, const Tensor &test_elements, bool assume_unique = false, bool invert = false) { FL_CALL(tensor, "isin.Tensor_Tensor", "elements test_elements assume_unique invert", of_tensor(elements), of_tensor(test_elements), of_bool(assume_unique), of_bool(invert)) }
inline Tensor isin(const Tensor &elements, const Scalar &test_element, bool assume_unique = false, bool invert = false) { FL_CALL(tensor, "isin.Tensor_Scalar", "elements test_element assume_unique invert", of_tensor(elements), of_scalar(test_element), of_bool(assume_unique), of_bool(invert)) }
inline Tensor isin(const Scalar &element, const Tensor &test_elements, bool assume_unique = false, bool invert = false) { FL_CALL(tensor, "isin.Scalar_Tensor", "element test_elements assume_unique invert", of_scalar(element), of_tensor(test_elements), of_bool(assume_unique), of_bool(invert)) }
inline Tensor &isin_out(Tensor &out, const Tensor &elements, const Tensor &test_elements, bool assume_unique = false, bool invert = false) { FL_CALL(same(out), "isin.Tensor_Tensor", "out elements test_elements assume_unique invert", of_tensor(out), of_tensor(elements), of_tensor(test_elements), of_bool(assume_unique), of_bool(invert)) }
inline Tensor &isin_out(Tensor &out, const Tensor &elements, const Scalar &test_element, bool assume_unique = false, bool invert = false) { FL_CALL(same(out), "isin.Tensor_Scalar", "out elements test_element assume_unique invert", of_tensor(out), of_tensor(elements), of_scalar(test_element), of_bool(assume_unique), of_bool(invert)) }
inline Tensor &isin_out(Tensor &out, const Scalar &element, const Tensor &test_elements, bool assume_unique = false, bool invert = false) { FL_CALL(same(out), "isin.Scalar_Tensor", "out element test_elements assume_unique invert", of_tensor(out), of_scalar(element), of_tensor(test_elements), of_bool(assume_unique), of_bool(invert)) }
inline Tensor isinf(const Tensor &self) { FL_CALL(tensor, "isinf", "self", of_tensor(self)) }
inline Tensor &isinf_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "isinf", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor isnan(const Tensor &self) { FL_CALL(tensor, "isnan", "self", of_tensor(self)) }
inline Tensor &isnan_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "isnan", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor isneginf(const Tensor &self) { FL_CALL(tensor, "isneginf", "self", of_tensor(self)) }
inline Tensor &isneginf_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "isneginf", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor isposinf(const Tensor &self) { FL_CALL(tensor, "isposinf", "self", of_tensor(self)) }
inline Tensor &isposinf_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "isposinf", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor isreal(const Tensor &self) { FL_CALL(tensor, "isreal", "self", of_tensor(self)) }
inline Tensor istft(const Tensor &self, int64_t n_fft, optional<int64_t> hop_length = nullopt, optional<int64_t> win_length = nullopt, const optional<Tensor> &window = nullopt, bool center = true, bool normalized = false, optional<bool> onesided = nullopt, optional<int64_t> length = nullopt, bool return_complex = false) { FL_CALL(tensor, "istft", "self n_fft hop_length win_length window center normalized onesided length return_complex", of_tensor(self), of_int(n_fft), of_int_or_none(hop_length), of_int_or_none(win_length), of_tensor_or_none(window), of_bool(center), of_bool(normalized), of_bool_or_none(onesided), of_int_or_none(length), of_bool(return_complex)) }
inline Tensor kaiser_window(int64_t window_length, const TensorOptions &options = {}) { FL_CALL(tensor, "kaiser_window", "window_length dtype device requires_grad", of_int(window_length), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor kaiser_window(int64_t window_length, bool periodic, const TensorOptions &options = {}) { FL_CALL(tensor, "kaiser_window", "window_length periodic dtype device requires_grad", of_int(window_length), of_bool(periodic), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor kaiser_window(int64_t window_length, bool periodic, double beta, const TensorOptions &options = {}) { FL_CALL(tensor, "kaiser_window", "window_length periodic beta dtype device requires_grad", of_int(window_length), of_bool(periodic), of_double(beta), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor kl_div(const Tensor &self, const Tensor &target, int64_t reduction = Reduction::Mean, bool log_target = false) { FL_CALL(tensor, "nn.functional.kl_div", "self target reduction log_target", of_tensor(self), of_tensor(target), of_reduction(reduction), of_bool(log_target)) }
inline Tensor kron(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "kron", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &kron_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "kron", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline std::tuple<Tensor, Tensor> kthvalue(const Tensor &self, int64_t k, int64_t dim = -1, bool keepdim = false) { FL_CALL(two, "kthvalue", "self k dim keepdim", of_tensor(self), of_int(k), of_int(dim), of_bool(keepdim)) }
inline std::tuple<Tensor &, Tensor &> kthvalue_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t k, int64_t dim = -1, bool keepdim = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "kthvalue", "out self k dim keepdim", of_tensors(flambeau_out), of_tensor(self), of_int(k), of_int(dim), of_bool(keepdim)) }
inline Tensor l1_loss(const Tensor &self, const Tensor &target, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.l1_loss", "self target reduction", of_tensor(self), of_tensor(target), of_reduction(reduction)) }
inline Tensor layer_norm(const Tensor &self, IntArrayRef normalized_shape, const optional<Tensor> &weight = nullopt, const optional<Tensor> &bias = nullopt, double eps = 1e-05, bool = true) { FL_CALL(tensor, "nn.functional.layer_norm", "self normalized_shape weight bias eps", of_tensor(self), of_ints(normalized_shape), of_tensor_or_none(weight), of_tensor_or_none(bias), of_double(eps)) }
inline Tensor lcm(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "lcm", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &lcm_(Tensor &self, const Tensor &other) { FL_CALL(same(self), "lcm_", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &lcm_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "lcm", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor ldexp(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "ldexp", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor ldexp(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "ldexp", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &ldexp_(Tensor &self, const Tensor &other) { FL_CALL(same(self), "ldexp_", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &ldexp_(Tensor &self, const Scalar &other) { FL_CALL(same(self), "ldexp_", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &ldexp_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "ldexp", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &ldexp_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "ldexp", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor le(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "le", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor le(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "le", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &le_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "le", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &le_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "le", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor leaky_relu(const Tensor &self, const Scalar &negative_slope = 0.01) { FL_CALL(tensor, "_C._nn.leaky_relu", "self negative_slope", of_tensor(self), of_scalar(negative_slope)) }
inline Tensor &leaky_relu_(Tensor &self, const Scalar &negative_slope = 0.01) { FL_CALL(same(self), "_C._nn.leaky_relu_", "self negative_slope", of_tensor(self), of_scalar(negative_slope)) }
inline Tensor lerp(const Tensor &self, const Tensor &end, const Tensor &weight) { FL_CALL(tensor, "lerp", "self end weight", of_tensor(self), of_tensor(end), of_tensor(weight)) }
inline Tensor lerp(const Tensor &self, const Tensor &end, const Scalar &weight) { FL_CALL(tensor, "lerp", "self end weight", of_tensor(self), of_tensor(end), of_scalar(weight)) }
inline Tensor &lerp_out(Tensor &out, const Tensor &self, const Tensor &end, const Tensor &weight) { FL_CALL(same(out), "lerp", "out self end weight", of_tensor(out), of_tensor(self), of_tensor(end), of_tensor(weight)) }
inline Tensor &lerp_out(Tensor &out, const Tensor &self, const Tensor &end, const Scalar &weight) { FL_CALL(same(out), "lerp", "out self end weight", of_tensor(out), of_tensor(self), of_tensor(end), of_scalar(weight)) }
inline Tensor less(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "lt", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor less(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "lt", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor less_equal(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "le", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor less_equal(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "le", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &less_equal_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "le", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &less_equal_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "le", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor &less_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "lt", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &less_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "lt", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor lgamma(const Tensor &self) { FL_CALL(tensor, "lgamma", "self", of_tensor(self)) }
inline Tensor &lgamma_(Tensor &self) { FL_CALL(same(self), "lgamma_", "self", of_tensor(self)) }
inline Tensor &lgamma_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "lgamma", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor linalg_cholesky(const Tensor &self, bool upper = false) { FL_CALL(tensor, "linalg.cholesky", "self upper", of_tensor(self), of_bool(upper)) }
inline std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor &self, bool upper = false, bool check_errors = false) { FL_CALL(two, "linalg.cholesky_ex", "self upper check_errors", of_tensor(self), of_bool(upper), of_bool(check_errors)) }
inline std::tuple<Tensor &, Tensor &> linalg_cholesky_ex_out(Tensor &L, Tensor &info, const Tensor &self, bool upper = false, bool check_errors = false) { const Tensor flambeau_out[] = {L, info}; FL_CALL(these(L, info), "linalg.cholesky_ex", "out self upper check_errors", of_tensors(flambeau_out), of_tensor(self), of_bool(upper), of_bool(check_errors)) }
inline Tensor &linalg_cholesky_out(Tensor &out, const Tensor &self, bool upper = false) { FL_CALL(same(out), "linalg.cholesky", "out self upper", of_tensor(out), of_tensor(self), of_bool(upper)) }
inline Tensor linalg_cond(const Tensor &self, const optional<Scalar> &p = nullopt) { FL_CALL(tensor, "linalg.cond.default", "self p", of_tensor(self), of_scalar_or_none(p)) }
inline Tensor linalg_cond(const Tensor &self, const std::string &p) { FL_CALL(tensor, "linalg.cond.p_str", "self p", of_tensor(self), of_string(p)) }
inline Tensor &linalg_cond_out(Tensor &out, const Tensor &self, const optional<Scalar> &p = nullopt) { FL_CALL(same(out), "linalg.cond.default", "out self p", of_tensor(out), of_tensor(self), of_scalar_or_none(p)) }
inline Tensor &linalg_cond_out(Tensor &out, const Tensor &self, const std::string &p) { FL_CALL(same(out), "linalg.cond.p_str", "out self p", of_tensor(out), of_tensor(self), of_string(p)) }
inline Tensor linalg_cross(const Tensor &self, const Tensor &other, int64_t dim = -1) { FL_CALL(tensor, "linalg.cross", "self other dim", of_tensor(self), of_tensor(other), of_int(dim)) }
inline Tensor &linalg_cross_out(Tensor &out, const Tensor &self, const Tensor &other, int64_t dim = -1) { FL_CALL(same(out), "linalg.cross", "out self other dim", of_tensor(out), of_tensor(self), of_tensor(other), of_int(dim)) }
inline Tensor linalg_det(const Tensor &A) { FL_CALL(tensor, "linalg.det", "A", of_tensor(A)) }
inline Tensor &linalg_det_out(Tensor &out, const Tensor &A) { FL_CALL(same(out), "linalg.det", "out A", of_tensor(out), of_tensor(A)) }
inline Tensor linalg_diagonal(const Tensor &A, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) { FL_CALL(tensor, "linalg.diagonal", "A offset dim1 dim2", of_tensor(A), of_int(offset), of_int(dim1), of_int(dim2)) }
inline std::tuple<Tensor, Tensor> linalg_eig(const Tensor &self) { FL_CALL(two, "linalg.eig", "self", of_tensor(self)) }
inline std::tuple<Tensor &, Tensor &> linalg_eig_out(Tensor &eigenvalues, Tensor &eigenvectors, const Tensor &self) { const Tensor flambeau_out[] = {eigenvalues, eigenvectors}; FL_CALL(these(eigenvalues, eigenvectors), "linalg.eig", "out self", of_tensors(flambeau_out), of_tensor(self)) }
inline std::tuple<Tensor, Tensor> linalg_eigh(const Tensor &self, const std::string &UPLO = "L") { FL_CALL(two, "linalg.eigh", "self UPLO", of_tensor(self), of_string(UPLO)) }
inline std::tuple<Tensor &, Tensor &> linalg_eigh_out(Tensor &eigenvalues, Tensor &eigenvectors, const Tensor &self, const std::string &UPLO = "L") { const Tensor flambeau_out[] = {eigenvalues, eigenvectors}; FL_CALL(these(eigenvalues, eigenvectors), "linalg.eigh", "out self UPLO", of_tensors(flambeau_out), of_tensor(self), of_string(UPLO)) }
inline Tensor linalg_eigvals(const Tensor &self) { FL_CALL(tensor, "linalg.eigvals", "self", of_tensor(self)) }
inline Tensor &linalg_eigvals_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "linalg.eigvals", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor linalg_eigvalsh(const Tensor &self, const std::string &UPLO = "L") { FL_CALL(tensor, "linalg.eigvalsh", "self UPLO", of_tensor(self), of_string(UPLO)) }
inline Tensor &linalg_eigvalsh_out(Tensor &out, const Tensor &self, const std::string &UPLO = "L") { FL_CALL(same(out), "linalg.eigvalsh", "out self UPLO", of_tensor(out), of_tensor(self), of_string(UPLO)) }
inline Tensor linalg_householder_product(const Tensor &input, const Tensor &tau) { FL_CALL(tensor, "linalg.householder_product", "input tau", of_tensor(input), of_tensor(tau)) }
inline Tensor &linalg_householder_product_out(Tensor &out, const Tensor &input, const Tensor &tau) { FL_CALL(same(out), "linalg.householder_product", "out input tau", of_tensor(out), of_tensor(input), of_tensor(tau)) }
inline Tensor linalg_inv(const Tensor &A) { FL_CALL(tensor, "linalg.inv", "A", of_tensor(A)) }
inline std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor &A, bool check_errors = false) { FL_CALL(two, "linalg.inv_ex", "A check_errors", of_tensor(A), of_bool(check_errors)) }
inline std::tuple<Tensor &, Tensor &> linalg_inv_ex_out(Tensor &inverse, Tensor &info, const Tensor &A, bool check_errors = false) { const Tensor flambeau_out[] = {inverse, info}; FL_CALL(these(inverse, info), "linalg.inv_ex", "out A check_errors", of_tensors(flambeau_out), of_tensor(A), of_bool(check_errors)) }
inline Tensor &linalg_inv_out(Tensor &out, const Tensor &A) { FL_CALL(same(out), "linalg.inv", "out A", of_tensor(out), of_tensor(A)) }
inline std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor &self, bool hermitian = false) { FL_CALL(two, "linalg.ldl_factor", "self hermitian", of_tensor(self), of_bool(hermitian)) }
inline std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor &self, bool hermitian = false, bool check_errors = false) { FL_CALL(three, "linalg.ldl_factor_ex", "self hermitian check_errors", of_tensor(self), of_bool(hermitian), of_bool(check_errors)) }
inline std::tuple<Tensor &, Tensor &, Tensor &> linalg_ldl_factor_ex_out(Tensor &LD, Tensor &pivots, Tensor &info, const Tensor &self, bool hermitian = false, bool check_errors = false) { const Tensor flambeau_out[] = {LD, pivots, info}; FL_CALL(these(LD, pivots, info), "linalg.ldl_factor_ex", "out self hermitian check_errors", of_tensors(flambeau_out), of_tensor(self), of_bool(hermitian), of_bool(check_errors)) }
inline std::tuple<Tensor &, Tensor &> linalg_ldl_factor_out(Tensor &LD, Tensor &pivots, const Tensor &self, bool hermitian = false) { const Tensor flambeau_out[] = {LD, pivots}; FL_CALL(these(LD, pivots), "linalg.ldl_factor", "out self hermitian", of_tensors(flambeau_out), of_tensor(self), of_bool(hermitian)) }
inline Tensor linalg_ldl_solve(const Tensor &LD, const Tensor &pivots, const Tensor &B, bool hermitian = false) { FL_CALL(tensor, "linalg.ldl_solve", "LD pivots B hermitian", of_tensor(LD), of_tensor(pivots), of_tensor(B), of_bool(hermitian)) }
inline Tensor &linalg_ldl_solve_out(Tensor &out, const Tensor &LD, const Tensor &pivots, const Tensor &B, bool hermitian = false) { FL_CALL(same(out), "linalg.ldl_solve", "out LD pivots B hermitian", of_tensor(out), of_tensor(LD), of_tensor(pivots), of_tensor(B), of_bool(hermitian)) }
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor &A, bool pivot = true) { FL_CALL(three, "linalg.lu", "A pivot", of_tensor(A), of_bool(pivot)) }
inline std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor &A, bool pivot = true) { FL_CALL(two, "linalg.lu_factor", "A pivot", of_tensor(A), of_bool(pivot)) }
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor &A, bool pivot = true, bool check_errors = false) { FL_CALL(three, "linalg.lu_factor_ex", "A pivot check_errors", of_tensor(A), of_bool(pivot), of_bool(check_errors)) }
inline std::tuple<Tensor &, Tensor &, Tensor &> linalg_lu_factor_ex_out(Tensor &LU, Tensor &pivots, Tensor &info, const Tensor &A, bool pivot = true, bool check_errors = false) { const Tensor flambeau_out[] = {LU, pivots, info}; FL_CALL(these(LU, pivots, info), "linalg.lu_factor_ex", "out A pivot check_errors", of_tensors(flambeau_out), of_tensor(A), of_bool(pivot), of_bool(check_errors)) }
inline std::tuple<Tensor &, Tensor &> linalg_lu_factor_out(Tensor &LU, Tensor &pivots, const Tensor &A, bool pivot = true) { const Tensor flambeau_out[] = {LU, pivots}; FL_CALL(these(LU, pivots), "linalg.lu_factor", "out A pivot", of_tensors(flambeau_out), of_tensor(A), of_bool(pivot)) }
inline std::tuple<Tensor &, Tensor &, Tensor &> linalg_lu_out(Tensor &P, Tensor &L, Tensor &U, const Tensor &A, bool pivot = true) { const Tensor flambeau_out[] = {P, L, U}; FL_CALL(these(P, L, U), "linalg.lu", "out A pivot", of_tensors(flambeau_out), of_tensor(A), of_bool(pivot)) }
inline Tensor linalg_lu_solve(const Tensor &LU, const Tensor &pivots, const Tensor &B, bool left = true, bool adjoint = false) { FL_CALL(tensor, "linalg.lu_solve", "LU pivots B left adjoint", of_tensor(LU), of_tensor(pivots), of_tensor(B), of_bool(left), of_bool(adjoint)) }
inline Tensor &linalg_lu_solve_out(Tensor &out, const Tensor &LU, const Tensor &pivots, const Tensor &B, bool left = true, bool adjoint = false) { FL_CALL(same(out), "linalg.lu_solve", "out LU pivots B left adjoint", of_tensor(out), of_tensor(LU), of_tensor(pivots), of_tensor(B), of_bool(left), of_bool(adjoint)) }
inline Tensor linalg_matmul(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "linalg.matmul", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &linalg_matmul_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "linalg.matmul", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor linalg_matrix_exp(const Tensor &self) { FL_CALL(tensor, "linalg.matrix_exp", "self", of_tensor(self)) }
inline Tensor linalg_matrix_norm(const Tensor &self, const Scalar &ord, IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "linalg.matrix_norm.default", "self ord dim keepdim dtype", of_tensor(self), of_scalar(ord), of_ints(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor linalg_matrix_norm(const Tensor &self, const std::string &ord = "fro", IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "linalg.matrix_norm.str_ord", "self ord dim keepdim dtype", of_tensor(self), of_string(ord), of_ints(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &linalg_matrix_norm_out(Tensor &out, const Tensor &self, const Scalar &ord, IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "linalg.matrix_norm.default", "out self ord dim keepdim dtype", of_tensor(out), of_tensor(self), of_scalar(ord), of_ints(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &linalg_matrix_norm_out(Tensor &out, const Tensor &self, const std::string &ord = "fro", IntArrayRef dim = {-2, -1}, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "linalg.matrix_norm.str_ord", "out self ord dim keepdim dtype", of_tensor(out), of_tensor(self), of_string(ord), of_ints(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor linalg_matrix_power(const Tensor &self, int64_t n) { FL_CALL(tensor, "linalg.matrix_power", "self n", of_tensor(self), of_int(n)) }
inline Tensor &linalg_matrix_power_out(Tensor &out, const Tensor &self, int64_t n) { FL_CALL(same(out), "linalg.matrix_power", "out self n", of_tensor(out), of_tensor(self), of_int(n)) }
inline Tensor linalg_matrix_rank(const Tensor &input, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { FL_CALL(tensor, "linalg.matrix_rank.atol_rtol_tensor", "input atol rtol hermitian", of_tensor(input), of_tensor_or_none(atol), of_tensor_or_none(rtol), of_bool(hermitian)) }
inline Tensor linalg_matrix_rank(const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { FL_CALL(tensor, "linalg.matrix_rank.atol_rtol_float", "self atol rtol hermitian", of_tensor(self), of_double_or_none(atol), of_double_or_none(rtol), of_bool(hermitian)) }
inline Tensor linalg_matrix_rank(const Tensor &self, double tol, bool hermitian = false) { FL_CALL(tensor, "linalg.matrix_rank.default", "self tol hermitian", of_tensor(self), of_double(tol), of_bool(hermitian)) }
inline Tensor linalg_matrix_rank(const Tensor &input, const Tensor &tol, bool hermitian = false) { FL_CALL(tensor, "linalg.matrix_rank.tol_tensor", "input tol hermitian", of_tensor(input), of_tensor(tol), of_bool(hermitian)) }
inline Tensor &linalg_matrix_rank_out(Tensor &out, const Tensor &input, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { FL_CALL(same(out), "linalg.matrix_rank.atol_rtol_tensor", "out input atol rtol hermitian", of_tensor(out), of_tensor(input), of_tensor_or_none(atol), of_tensor_or_none(rtol), of_bool(hermitian)) }
inline Tensor &linalg_matrix_rank_out(Tensor &out, const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { FL_CALL(same(out), "linalg.matrix_rank.atol_rtol_float", "out self atol rtol hermitian", of_tensor(out), of_tensor(self), of_double_or_none(atol), of_double_or_none(rtol), of_bool(hermitian)) }
inline Tensor &linalg_matrix_rank_out(Tensor &out, const Tensor &self, double tol, bool hermitian = false) { FL_CALL(same(out), "linalg.matrix_rank.default", "out self tol hermitian", of_tensor(out), of_tensor(self), of_double(tol), of_bool(hermitian)) }
inline Tensor &linalg_matrix_rank_out(Tensor &out, const Tensor &input, const Tensor &tol, bool hermitian = false) { FL_CALL(same(out), "linalg.matrix_rank.tol_tensor", "out input tol hermitian", of_tensor(out), of_tensor(input), of_tensor(tol), of_bool(hermitian)) }
inline Tensor linalg_multi_dot(TensorList tensors) { FL_CALL(tensor, "linalg.multi_dot", "tensors", of_tensors(tensors)) }
inline Tensor &linalg_multi_dot_out(Tensor &out, TensorList tensors) { FL_CALL(same(out), "linalg.multi_dot", "out tensors", of_tensor(out), of_tensors(tensors)) }
inline Tensor linalg_norm(const Tensor &self, const optional<Scalar> &ord = nullopt, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "linalg.norm.default", "self ord dim keepdim dtype", of_tensor(self), of_scalar_or_none(ord), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor linalg_norm(const Tensor &self, const std::string &ord, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "linalg.norm.ord_str", "self ord dim keepdim dtype", of_tensor(self), of_string(ord), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &linalg_norm_out(Tensor &out, const Tensor &self, const optional<Scalar> &ord = nullopt, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "linalg.norm.default", "out self ord dim keepdim dtype", of_tensor(out), of_tensor(self), of_scalar_or_none(ord), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &linalg_norm_out(Tensor &out, const Tensor &self, const std::string &ord, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "linalg.norm.ord_str", "out self ord dim keepdim dtype", of_tensor(out), of_tensor(self), of_string(ord), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor linalg_pinv(const Tensor &self, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { FL_CALL(tensor, "linalg.pinv.atol_rtol_tensor", "self atol rtol hermitian", of_tensor(self), of_tensor_or_none(atol), of_tensor_or_none(rtol), of_bool(hermitian)) }
inline Tensor linalg_pinv(const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { FL_CALL(tensor, "linalg.pinv.atol_rtol_float", "self atol rtol hermitian", of_tensor(self), of_double_or_none(atol), of_double_or_none(rtol), of_bool(hermitian)) }
inline Tensor linalg_pinv(const Tensor &self, double rcond, bool hermitian = false) { FL_CALL(tensor, "linalg.pinv.default", "self rcond hermitian", of_tensor(self), of_double(rcond), of_bool(hermitian)) }
inline Tensor linalg_pinv(const Tensor &self, const Tensor &rcond, bool hermitian = false) { FL_CALL(tensor, "linalg.pinv.rcond_tensor", "self rcond hermitian", of_tensor(self), of_tensor(rcond), of_bool(hermitian)) }
inline Tensor &linalg_pinv_out(Tensor &out, const Tensor &self, const optional<Tensor> &atol = nullopt, const optional<Tensor> &rtol = nullopt, bool hermitian = false) { FL_CALL(same(out), "linalg.pinv.atol_rtol_tensor", "out self atol rtol hermitian", of_tensor(out), of_tensor(self), of_tensor_or_none(atol), of_tensor_or_none(rtol), of_bool(hermitian)) }
inline Tensor &linalg_pinv_out(Tensor &out, const Tensor &self, optional<double> atol, optional<double> rtol = nullopt, bool hermitian = false) { FL_CALL(same(out), "linalg.pinv.atol_rtol_float", "out self atol rtol hermitian", of_tensor(out), of_tensor(self), of_double_or_none(atol), of_double_or_none(rtol), of_bool(hermitian)) }
inline Tensor &linalg_pinv_out(Tensor &out, const Tensor &self, double rcond, bool hermitian = false) { FL_CALL(same(out), "linalg.pinv.default", "out self rcond hermitian", of_tensor(out), of_tensor(self), of_double(rcond), of_bool(hermitian)) }
inline Tensor &linalg_pinv_out(Tensor &out, const Tensor &self, const Tensor &rcond, bool hermitian = false) { FL_CALL(same(out), "linalg.pinv.rcond_tensor", "out self rcond hermitian", of_tensor(out), of_tensor(self), of_tensor(rcond), of_bool(hermitian)) }
inline std::tuple<Tensor, Tensor> linalg_qr(const Tensor &A, const std::string &mode = "reduced") { FL_CALL(two, "linalg.qr", "A mode", of_tensor(A), of_string(mode)) }
inline std::tuple<Tensor &, Tensor &> linalg_qr_out(Tensor &Q, Tensor &R, const Tensor &A, const std::string &mode = "reduced") { const Tensor flambeau_out[] = {Q, R}; FL_CALL(these(Q, R), "linalg.qr", "out A mode", of_tensors(flambeau_out), of_tensor(A), of_string(mode)) }
inline std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor &A) { FL_CALL(two, "linalg.slogdet", "A", of_tensor(A)) }
inline std::tuple<Tensor &, Tensor &> linalg_slogdet_out(Tensor &sign, Tensor &logabsdet, const Tensor &A) { const Tensor flambeau_out[] = {sign, logabsdet}; FL_CALL(these(sign, logabsdet), "linalg.slogdet", "out A", of_tensors(flambeau_out), of_tensor(A)) }
inline Tensor linalg_solve(const Tensor &A, const Tensor &B, bool left = true) { FL_CALL(tensor, "linalg.solve", "A B left", of_tensor(A), of_tensor(B), of_bool(left)) }
inline std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor &A, const Tensor &B, bool left = true, bool check_errors = false) { FL_CALL(two, "linalg.solve_ex", "A B left check_errors", of_tensor(A), of_tensor(B), of_bool(left), of_bool(check_errors)) }
inline std::tuple<Tensor &, Tensor &> linalg_solve_ex_out(Tensor &result, Tensor &info, const Tensor &A, const Tensor &B, bool left = true, bool check_errors = false) { const Tensor flambeau_out[] = {result, info}; FL_CALL(these(result, info), "linalg.solve_ex", "out A B left check_errors", of_tensors(flambeau_out), of_tensor(A), of_tensor(B), of_bool(left), of_bool(check_errors)) }
inline Tensor &linalg_solve_out(Tensor &out, const Tensor &A, const Tensor &B, bool left = true) { FL_CALL(same(out), "linalg.solve", "out A B left", of_tensor(out), of_tensor(A), of_tensor(B), of_bool(left)) }
inline Tensor linalg_solve_triangular(const Tensor &self, const Tensor &B, bool upper, bool left = true, bool unitriangular = false) { FL_CALL(tensor, "linalg.solve_triangular", "self B upper left unitriangular", of_tensor(self), of_tensor(B), of_bool(upper), of_bool(left), of_bool(unitriangular)) }
inline Tensor &linalg_solve_triangular_out(Tensor &out, const Tensor &self, const Tensor &B, bool upper, bool left = true, bool unitriangular = false) { FL_CALL(same(out), "linalg.solve_triangular", "out self B upper left unitriangular", of_tensor(out), of_tensor(self), of_tensor(B), of_bool(upper), of_bool(left), of_bool(unitriangular)) }
inline std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor &A, bool full_matrices = true, const optional<std::string> &driver = nullopt) { FL_CALL(three, "linalg.svd", "A full_matrices driver", of_tensor(A), of_bool(full_matrices), of_string_or_none(driver)) }
inline std::tuple<Tensor &, Tensor &, Tensor &> linalg_svd_out(Tensor &U, Tensor &S, Tensor &Vh, const Tensor &A, bool full_matrices = true, const optional<std::string> &driver = nullopt) { const Tensor flambeau_out[] = {U, S, Vh}; FL_CALL(these(U, S, Vh), "linalg.svd", "out A full_matrices driver", of_tensors(flambeau_out), of_tensor(A), of_bool(full_matrices), of_string_or_none(driver)) }
inline Tensor linalg_svdvals(const Tensor &A, const optional<std::string> &driver = nullopt) { FL_CALL(tensor, "linalg.svdvals", "A driver", of_tensor(A), of_string_or_none(driver)) }
inline Tensor &linalg_svdvals_out(Tensor &out, const Tensor &A, const optional<std::string> &driver = nullopt) { FL_CALL(same(out), "linalg.svdvals", "out A driver", of_tensor(out), of_tensor(A), of_string_or_none(driver)) }
inline Tensor linalg_tensorinv(const Tensor &self, int64_t ind = 2) { FL_CALL(tensor, "linalg.tensorinv", "self ind", of_tensor(self), of_int(ind)) }
inline Tensor &linalg_tensorinv_out(Tensor &out, const Tensor &self, int64_t ind = 2) { FL_CALL(same(out), "linalg.tensorinv", "out self ind", of_tensor(out), of_tensor(self), of_int(ind)) }
inline Tensor linalg_tensorsolve(const Tensor &self, const Tensor &other, OptionalIntArrayRef dims = nullopt) { FL_CALL(tensor, "linalg.tensorsolve", "self other dims", of_tensor(self), of_tensor(other), of_ints_or_none(dims)) }
inline Tensor &linalg_tensorsolve_out(Tensor &out, const Tensor &self, const Tensor &other, OptionalIntArrayRef dims = nullopt) { FL_CALL(same(out), "linalg.tensorsolve", "out self other dims", of_tensor(out), of_tensor(self), of_tensor(other), of_ints_or_none(dims)) }
inline Tensor linalg_vander(const Tensor &x, optional<int64_t> N = nullopt) { FL_CALL(tensor, "linalg.vander", "x N", of_tensor(x), of_int_or_none(N)) }
inline Tensor &linalg_vander_out(Tensor &out, const Tensor &x, optional<int64_t> N = nullopt) { FL_CALL(same(out), "linalg.vander", "out x N", of_tensor(out), of_tensor(x), of_int_or_none(N)) }
inline Tensor linalg_vecdot(const Tensor &x, const Tensor &y, int64_t dim = -1) { FL_CALL(tensor, "linalg.vecdot", "x y dim", of_tensor(x), of_tensor(y), of_int(dim)) }
inline Tensor &linalg_vecdot_out(Tensor &out, const Tensor &x, const Tensor &y, int64_t dim = -1) { FL_CALL(same(out), "linalg.vecdot", "out x y dim", of_tensor(out), of_tensor(x), of_tensor(y), of_int(dim)) }
inline Tensor linalg_vector_norm(const Tensor &self, const Scalar &ord = 2, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "linalg.vector_norm", "self ord dim keepdim dtype", of_tensor(self), of_scalar(ord), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &linalg_vector_norm_out(Tensor &out, const Tensor &self, const Scalar &ord = 2, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "linalg.vector_norm", "out self ord dim keepdim dtype", of_tensor(out), of_tensor(self), of_scalar(ord), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor linear(const Tensor &input, const Tensor &weight, const optional<Tensor> &bias = nullopt) { FL_CALL(tensor, "nn.functional.linear", "input weight bias", of_tensor(input), of_tensor(weight), of_tensor_or_none(bias)) }
inline Tensor linspace(const Tensor &start, const Tensor &end, int64_t steps, const TensorOptions &options = {}) { FL_CALL(tensor, "linspace", "start end steps dtype device requires_grad", of_tensor(start), of_tensor(end), of_int(steps), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor linspace(const Tensor &start, const Scalar &end, int64_t steps, const TensorOptions &options = {}) { FL_CALL(tensor, "linspace", "start end steps dtype device requires_grad", of_tensor(start), of_scalar(end), of_int(steps), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor linspace(const Scalar &start, const Tensor &end, int64_t steps, const TensorOptions &options = {}) { FL_CALL(tensor, "linspace", "start end steps dtype device requires_grad", of_scalar(start), of_tensor(end), of_int(steps), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, const TensorOptions &options = {}) { FL_CALL(tensor, "linspace", "start end steps dtype device requires_grad", of_scalar(start), of_scalar(end), of_int(steps), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &linspace_out(Tensor &out, const Tensor &start, const Tensor &end, int64_t steps) { FL_CALL(same(out), "linspace", "out start end steps", of_tensor(out), of_tensor(start), of_tensor(end), of_int(steps)) }
inline Tensor &linspace_out(Tensor &out, const Tensor &start, const Scalar &end, int64_t steps) { FL_CALL(same(out), "linspace", "out start end steps", of_tensor(out), of_tensor(start), of_scalar(end), of_int(steps)) }
inline Tensor &linspace_out(Tensor &out, const Scalar &start, const Tensor &end, int64_t steps) { FL_CALL(same(out), "linspace", "out start end steps", of_tensor(out), of_scalar(start), of_tensor(end), of_int(steps)) }
inline Tensor &linspace_out(Tensor &out, const Scalar &start, const Scalar &end, int64_t steps) { FL_CALL(same(out), "linspace", "out start end steps", of_tensor(out), of_scalar(start), of_scalar(end), of_int(steps)) }
inline Tensor log(const Tensor &self) { FL_CALL(tensor, "log", "self", of_tensor(self)) }
inline Tensor log10(const Tensor &self) { FL_CALL(tensor, "log10", "self", of_tensor(self)) }
inline Tensor &log10_(Tensor &self) { FL_CALL(same(self), "log10_", "self", of_tensor(self)) }
inline Tensor &log10_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "log10", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor log1p(const Tensor &self) { FL_CALL(tensor, "log1p", "self", of_tensor(self)) }
inline Tensor &log1p_(Tensor &self) { FL_CALL(same(self), "log1p_", "self", of_tensor(self)) }
inline Tensor &log1p_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "log1p", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor log2(const Tensor &self) { FL_CALL(tensor, "log2", "self", of_tensor(self)) }
inline Tensor &log2_(Tensor &self) { FL_CALL(same(self), "log2_", "self", of_tensor(self)) }
inline Tensor &log2_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "log2", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor &log_(Tensor &self) { FL_CALL(same(self), "log_", "self", of_tensor(self)) }
inline Tensor &log_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "log", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor log_sigmoid(const Tensor &self) { FL_CALL(tensor, "nn.functional.logsigmoid", "self", of_tensor(self)) }
inline Tensor &log_sigmoid_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "nn.functional.logsigmoid", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor log_softmax(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "log_softmax", "self dim dtype", of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor &log_softmax_out(Tensor &out, const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "log_softmax", "out self dim dtype", of_tensor(out), of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor logaddexp(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "logaddexp", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor logaddexp2(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "logaddexp2", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &logaddexp2_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "logaddexp2", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &logaddexp_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "logaddexp", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor logcumsumexp(const Tensor &self, int64_t dim) { FL_CALL(tensor, "logcumsumexp", "self dim", of_tensor(self), of_int(dim)) }
inline Tensor &logcumsumexp_out(Tensor &out, const Tensor &self, int64_t dim) { FL_CALL(same(out), "logcumsumexp", "out self dim", of_tensor(out), of_tensor(self), of_int(dim)) }
inline Tensor logdet(const Tensor &self) { FL_CALL(tensor, "logdet", "self", of_tensor(self)) }
inline Tensor logical_and(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "logical_and", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &logical_and_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "logical_and", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor logical_not(const Tensor &self) { FL_CALL(tensor, "logical_not", "self", of_tensor(self)) }
inline Tensor &logical_not_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "logical_not", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor logical_or(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "logical_or", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &logical_or_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "logical_or", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor logical_xor(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "logical_xor", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &logical_xor_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "logical_xor", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor logit(const Tensor &self, optional<double> eps = nullopt) { FL_CALL(tensor, "logit", "self eps", of_tensor(self), of_double_or_none(eps)) }
inline Tensor &logit_(Tensor &self, optional<double> eps = nullopt) { FL_CALL(same(self), "logit_", "self eps", of_tensor(self), of_double_or_none(eps)) }
inline Tensor &logit_out(Tensor &out, const Tensor &self, optional<double> eps = nullopt) { FL_CALL(same(out), "logit", "out self eps", of_tensor(out), of_tensor(self), of_double_or_none(eps)) }
inline Tensor logspace(const Tensor &start, const Tensor &end, int64_t steps, double base = 10.0, const TensorOptions &options = {}) { FL_CALL(tensor, "logspace", "start end steps base dtype device requires_grad", of_tensor(start), of_tensor(end), of_int(steps), of_double(base), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor logspace(const Tensor &start, const Scalar &end, int64_t steps, double base = 10.0, const TensorOptions &options = {}) { FL_CALL(tensor, "logspace", "start end steps base dtype device requires_grad", of_tensor(start), of_scalar(end), of_int(steps), of_double(base), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor logspace(const Scalar &start, const Tensor &end, int64_t steps, double base = 10.0, const TensorOptions &options = {}) { FL_CALL(tensor, "logspace", "start end steps base dtype device requires_grad", of_scalar(start), of_tensor(end), of_int(steps), of_double(base), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor logspace(const Scalar &start, const Scalar &end, int64_t steps, double base = 10.0, const TensorOptions &options = {}) { FL_CALL(tensor, "logspace", "start end steps base dtype device requires_grad", of_scalar(start), of_scalar(end), of_int(steps), of_double(base), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &logspace_out(Tensor &out, const Tensor &start, const Tensor &end, int64_t steps, double base = 10.0) { FL_CALL(same(out), "logspace", "out start end steps base", of_tensor(out), of_tensor(start), of_tensor(end), of_int(steps), of_double(base)) }
inline Tensor &logspace_out(Tensor &out, const Tensor &start, const Scalar &end, int64_t steps, double base = 10.0) { FL_CALL(same(out), "logspace", "out start end steps base", of_tensor(out), of_tensor(start), of_scalar(end), of_int(steps), of_double(base)) }
inline Tensor &logspace_out(Tensor &out, const Scalar &start, const Tensor &end, int64_t steps, double base = 10.0) { FL_CALL(same(out), "logspace", "out start end steps base", of_tensor(out), of_scalar(start), of_tensor(end), of_int(steps), of_double(base)) }
inline Tensor &logspace_out(Tensor &out, const Scalar &start, const Scalar &end, int64_t steps, double base = 10.0) { FL_CALL(same(out), "logspace", "out start end steps base", of_tensor(out), of_scalar(start), of_scalar(end), of_int(steps), of_double(base)) }
inline Tensor logsumexp(const Tensor &self, IntArrayRef dim, bool keepdim = false) { FL_CALL(tensor, "logsumexp", "self dim keepdim", of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline Tensor &logsumexp_out(Tensor &out, const Tensor &self, IntArrayRef dim, bool keepdim = false) { FL_CALL(same(out), "logsumexp", "out self dim keepdim", of_tensor(out), of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor &input, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) { FL_CALL(three, "lstm.input", "input hx params has_biases num_layers dropout train bidirectional batch_first", of_tensor(input), of_tensors(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional), of_bool(batch_first)) }
inline std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor &data, const Tensor &batch_sizes, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) { FL_CALL(three, "lstm.data", "data batch_sizes hx params has_biases num_layers dropout train bidirectional", of_tensor(data), of_tensor(batch_sizes), of_tensors(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional)) }
inline std::tuple<Tensor, Tensor> lstm_cell(const Tensor &input, TensorList hx, const Tensor &w_ih, const Tensor &w_hh, const optional<Tensor> &b_ih = nullopt, const optional<Tensor> &b_hh = nullopt) { FL_CALL(two, "lstm_cell", "input hx w_ih w_hh b_ih b_hh", of_tensor(input), of_tensors(hx), of_tensor(w_ih), of_tensor(w_hh), of_tensor_or_none(b_ih), of_tensor_or_none(b_hh)) }
inline Tensor lt(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "lt", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor lt(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "lt", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &lt_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "lt", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &lt_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "lt", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline std::vector<Tensor> lu(const Tensor &A, bool pivot, bool get_infos) { FL_CALL(tensors, "lu", "A pivot get_infos", of_tensor(A), of_bool(pivot), of_bool(get_infos)) }
inline Tensor lu_solve(const Tensor &self, const Tensor &LU_data, const Tensor &LU_pivots) { FL_CALL(tensor, "lu_solve", "self LU_data LU_pivots", of_tensor(self), of_tensor(LU_data), of_tensor(LU_pivots)) }
inline Tensor &lu_solve_out(Tensor &out, const Tensor &self, const Tensor &LU_data, const Tensor &LU_pivots) { FL_CALL(same(out), "lu_solve", "out self LU_data LU_pivots", of_tensor(out), of_tensor(self), of_tensor(LU_data), of_tensor(LU_pivots)) }
inline std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor &LU_data, const Tensor &LU_pivots, bool unpack_data = true, bool unpack_pivots = true) { FL_CALL(three, "lu_unpack", "LU_data LU_pivots unpack_data unpack_pivots", of_tensor(LU_data), of_tensor(LU_pivots), of_bool(unpack_data), of_bool(unpack_pivots)) }
inline std::tuple<Tensor &, Tensor &, Tensor &> lu_unpack_out(Tensor &P, Tensor &L, Tensor &U, const Tensor &LU_data, const Tensor &LU_pivots, bool unpack_data = true, bool unpack_pivots = true) { const Tensor flambeau_out[] = {P, L, U}; FL_CALL(these(P, L, U), "lu_unpack", "out LU_data LU_pivots unpack_data unpack_pivots", of_tensors(flambeau_out), of_tensor(LU_data), of_tensor(LU_pivots), of_bool(unpack_data), of_bool(unpack_pivots)) }
inline Tensor margin_ranking_loss(const Tensor &input1, const Tensor &input2, const Tensor &target, double margin = 0.0, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.margin_ranking_loss", "input1 input2 target margin reduction", of_tensor(input1), of_tensor(input2), of_tensor(target), of_double(margin), of_reduction(reduction)) }
inline Tensor masked_fill(const Tensor &self, const Tensor &mask, const Tensor &value) { FL_CALL(tensor, "masked_fill", "self mask value", of_tensor(self), of_tensor(mask), of_tensor(value)) }
inline Tensor masked_fill(const Tensor &self, const Tensor &mask, const Scalar &value) { FL_CALL(tensor, "masked_fill", "self mask value", of_tensor(self), of_tensor(mask), of_scalar(value)) }
inline Tensor masked_scatter(const Tensor &self, const Tensor &mask, const Tensor &source) { FL_CALL(tensor, "masked_scatter", "self mask source", of_tensor(self), of_tensor(mask), of_tensor(source)) }
inline Tensor masked_select(const Tensor &self, const Tensor &mask) { FL_CALL(tensor, "masked_select", "self mask", of_tensor(self), of_tensor(mask)) }
inline Tensor &masked_select_out(Tensor &out, const Tensor &self, const Tensor &mask) { FL_CALL(same(out), "masked_select", "out self mask", of_tensor(out), of_tensor(self), of_tensor(mask)) }
inline Tensor matmul(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "matmul", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &matmul_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "matmul", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor matrix_exp(const Tensor &self) { FL_CALL(tensor, "matrix_exp", "self", of_tensor(self)) }
inline Tensor matrix_power(const Tensor &self, int64_t n) { FL_CALL(tensor, "matrix_power", "self n", of_tensor(self), of_int(n)) }
inline Tensor &matrix_power_out(Tensor &out, const Tensor &self, int64_t n) { FL_CALL(same(out), "matrix_power", "out self n", of_tensor(out), of_tensor(self), of_int(n)) }
inline Tensor max(const Tensor &self) { FL_CALL(tensor, "max.default", "self", of_tensor(self)) }
inline Tensor max(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "max.other", "self other", of_tensor(self), of_tensor(other)) }
inline std::tuple<Tensor, Tensor> max(const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(two, "max.dim", "self dim keepdim", of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor &max_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "max.default", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor &max_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "max.other", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline std::tuple<Tensor &, Tensor &> max_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim, bool keepdim = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "max.dim", "out self dim keepdim", of_tensors(flambeau_out), of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor max_pool1d(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false) { FL_CALL(tensor, "nn.functional.max_pool1d", "self kernel_size stride padding dilation ceil_mode", of_tensor(self), of_ints(kernel_size), of_ints(stride), of_ints(padding), of_ints(dilation), of_bool(ceil_mode)) }
inline std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false) { FL_CALL(two, "max_pool1d_with_indices", "self kernel_size stride padding dilation ceil_mode", of_tensor(self), of_ints(kernel_size), of_ints(stride), of_ints(padding), of_ints(dilation), of_bool(ceil_mode)) }
inline Tensor max_pool2d(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false) { FL_CALL(tensor, "nn.functional.max_pool2d", "self kernel_size stride padding dilation ceil_mode", of_tensor(self), of_ints(kernel_size), of_ints(stride), of_ints(padding), of_ints(dilation), of_bool(ceil_mode)) }
inline Tensor max_pool3d(const Tensor &self, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false) { FL_CALL(tensor, "nn.functional.max_pool3d", "self kernel_size stride padding dilation ceil_mode", of_tensor(self), of_ints(kernel_size), of_ints(stride), of_ints(padding), of_ints(dilation), of_bool(ceil_mode)) }
inline Tensor maximum(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "maximum", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &maximum_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "maximum", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor mean(const Tensor &self, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "mean", "self dtype", of_tensor(self), of_dtype_or_none(dtype)) }
inline Tensor mean(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "mean", "self dim keepdim dtype", of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &mean_out(Tensor &out, const Tensor &self, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "mean", "out self dtype", of_tensor(out), of_tensor(self), of_dtype_or_none(dtype)) }
inline Tensor &mean_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "mean", "out self dim keepdim dtype", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor median(const Tensor &self) { FL_CALL(tensor, "median.default", "self", of_tensor(self)) }
inline std::tuple<Tensor, Tensor> median(const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(two, "median.dim", "self dim keepdim", of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor &median_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "median.default", "out self", of_tensor(out), of_tensor(self)) }
inline std::tuple<Tensor &, Tensor &> median_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim, bool keepdim = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "median.dim", "out self dim keepdim", of_tensors(flambeau_out), of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline std::vector<Tensor> meshgrid(TensorList tensors) { FL_CALL(tensors, "_ops.meshgrid", "tensors", of_tensors(tensors)) }
inline std::vector<Tensor> meshgrid(TensorList tensors, const std::string &indexing) { FL_CALL(tensors, "_ops.meshgrid", "tensors indexing", of_tensors(tensors), of_string(indexing)) }
inline Tensor min(const Tensor &self) { FL_CALL(tensor, "min.default", "self", of_tensor(self)) }
inline Tensor min(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "min.other", "self other", of_tensor(self), of_tensor(other)) }
inline std::tuple<Tensor, Tensor> min(const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(two, "min.dim", "self dim keepdim", of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor &min_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "min.default", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor &min_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "min.other", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline std::tuple<Tensor &, Tensor &> min_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim, bool keepdim = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "min.dim", "out self dim keepdim", of_tensors(flambeau_out), of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor minimum(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "minimum", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &minimum_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "minimum", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor mish(const Tensor &self) { FL_CALL(tensor, "_C._nn.mish", "self", of_tensor(self)) }
inline Tensor &mish_(Tensor &self) { FL_CALL(same(self), "_C._nn.mish_", "self", of_tensor(self)) }
inline Tensor mm(const Tensor &self, const Tensor &mat2) { FL_CALL(tensor, "mm", "self mat2", of_tensor(self), of_tensor(mat2)) }
inline Tensor &mm_out(Tensor &out, const Tensor &self, const Tensor &mat2) { FL_CALL(same(out), "mm", "out self mat2", of_tensor(out), of_tensor(self), of_tensor(mat2)) }
inline std::tuple<Tensor, Tensor> mode(const Tensor &self, int64_t dim = -1, bool keepdim = false) { FL_CALL(two, "mode", "self dim keepdim", of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline std::tuple<Tensor &, Tensor &> mode_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim = -1, bool keepdim = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "mode", "out self dim keepdim", of_tensors(flambeau_out), of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor moveaxis(const Tensor &self, int64_t source, int64_t destination) { FL_CALL(tensor, "movedim", "self source destination", of_tensor(self), of_int(source), of_int(destination)) }
inline Tensor moveaxis(const Tensor &self, IntArrayRef source, IntArrayRef destination) { FL_CALL(tensor, "movedim", "self source destination", of_tensor(self), of_ints(source), of_ints(destination)) }
inline Tensor movedim(const Tensor &self, int64_t source, int64_t destination) { FL_CALL(tensor, "movedim", "self source destination", of_tensor(self), of_int(source), of_int(destination)) }
inline Tensor movedim(const Tensor &self, IntArrayRef source, IntArrayRef destination) { FL_CALL(tensor, "movedim", "self source destination", of_tensor(self), of_ints(source), of_ints(destination)) }
inline Tensor mse_loss(const Tensor &self, const Tensor &target, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.mse_loss", "self target reduction", of_tensor(self), of_tensor(target), of_reduction(reduction)) }
inline Tensor msort(const Tensor &self) { FL_CALL(tensor, "msort", "self", of_tensor(self)) }
inline Tensor &msort_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "msort", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor mul(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "mul", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor mul(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "mul", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor mul(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "mul", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &mul_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "mul", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &mul_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "mul", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &mul_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "mul", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor multi_margin(const Tensor &self, const Tensor &target, const optional<Tensor> &weight = nullopt, int64_t p = 1, int64_t reduction = Reduction::Mean, double margin = 1.0) { FL_CALL(tensor, "_C._nn.multi_margin", "self target weight p reduction margin", of_tensor(self), of_tensor(target), of_tensor_or_none(weight), of_int(p), of_reduction(reduction), of_double(margin)) }
inline Tensor multi_margin_loss(const Tensor &self, const Tensor &target, const Scalar &p = 1, const Scalar &margin = 1, const optional<Tensor> &weight = nullopt, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.multi_margin_loss", "self target p margin weight reduction", of_tensor(self), of_tensor(target), of_scalar(p), of_scalar(margin), of_tensor_or_none(weight), of_reduction(reduction)) }
inline Tensor multilabel_margin(const Tensor &self, const Tensor &target, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "_C._nn.multilabel_margin", "self target reduction", of_tensor(self), of_tensor(target), of_reduction(reduction)) }
inline Tensor multilabel_margin_loss(const Tensor &self, const Tensor &target, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.multilabel_margin_loss", "self target reduction", of_tensor(self), of_tensor(target), of_reduction(reduction)) }
inline Tensor multinomial(const Tensor &self, int64_t num_samples, bool replacement = false) { FL_CALL(tensor, "multinomial", "self num_samples replacement", of_tensor(self), of_int(num_samples), of_bool(replacement)) }
inline Tensor &multinomial_out(Tensor &out, const Tensor &self, int64_t num_samples, bool replacement = false) { FL_CALL(same(out), "multinomial", "out self num_samples replacement", of_tensor(out), of_tensor(self), of_int(num_samples), of_bool(replacement)) }
inline Tensor multiply(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "mul", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor multiply(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "mul", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor multiply(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "mul", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &multiply_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "mul", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &multiply_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "mul", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &multiply_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "mul", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor mv(const Tensor &self, const Tensor &vec) { FL_CALL(tensor, "mv", "self vec", of_tensor(self), of_tensor(vec)) }
inline Tensor &mv_out(Tensor &out, const Tensor &self, const Tensor &vec) { FL_CALL(same(out), "mv", "out self vec", of_tensor(out), of_tensor(self), of_tensor(vec)) }
inline Tensor mvlgamma(const Tensor &self, int64_t p) { FL_CALL(tensor, "mvlgamma", "self p", of_tensor(self), of_int(p)) }
inline Tensor &mvlgamma_out(Tensor &out, const Tensor &self, int64_t p) { FL_CALL(same(out), "mvlgamma", "out self p", of_tensor(out), of_tensor(self), of_int(p)) }
inline Tensor nan_to_num(const Tensor &self, optional<double> nan = nullopt, optional<double> posinf = nullopt, optional<double> neginf = nullopt) { FL_CALL(tensor, "nan_to_num", "self nan posinf neginf", of_tensor(self), of_double_or_none(nan), of_double_or_none(posinf), of_double_or_none(neginf)) }
inline Tensor &nan_to_num_(Tensor &self, optional<double> nan = nullopt, optional<double> posinf = nullopt, optional<double> neginf = nullopt) { FL_CALL(same(self), "nan_to_num_", "self nan posinf neginf", of_tensor(self), of_double_or_none(nan), of_double_or_none(posinf), of_double_or_none(neginf)) }
inline Tensor &nan_to_num_out(Tensor &out, const Tensor &self, optional<double> nan = nullopt, optional<double> posinf = nullopt, optional<double> neginf = nullopt) { FL_CALL(same(out), "nan_to_num", "out self nan posinf neginf", of_tensor(out), of_tensor(self), of_double_or_none(nan), of_double_or_none(posinf), of_double_or_none(neginf)) }
inline Tensor nanmean(const Tensor &self, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "nanmean", "self dim keepdim dtype", of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &nanmean_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "nanmean", "out self dim keepdim dtype", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor nanmedian(const Tensor &self) { FL_CALL(tensor, "nanmedian.default", "self", of_tensor(self)) }
inline std::tuple<Tensor, Tensor> nanmedian(const Tensor &self, int64_t dim, bool keepdim = false) { FL_CALL(two, "nanmedian.dim", "self dim keepdim", of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor &nanmedian_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "nanmedian.default", "out self", of_tensor(out), of_tensor(self)) }
inline std::tuple<Tensor &, Tensor &> nanmedian_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim, bool keepdim = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "nanmedian.dim", "out self dim keepdim", of_tensors(flambeau_out), of_tensor(self), of_int(dim), of_bool(keepdim)) }
inline Tensor nanquantile(const Tensor &self, const Tensor &q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(tensor, "nanquantile.default", "self q dim keepdim interpolation", of_tensor(self), of_tensor(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor nanquantile(const Tensor &self, double q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(tensor, "nanquantile.scalar", "self q dim keepdim interpolation", of_tensor(self), of_double(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor &nanquantile_out(Tensor &out, const Tensor &self, const Tensor &q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(same(out), "nanquantile.default", "out self q dim keepdim interpolation", of_tensor(out), of_tensor(self), of_tensor(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor &nanquantile_out(Tensor &out, const Tensor &self, double q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(same(out), "nanquantile.scalar", "out self q dim keepdim interpolation", of_tensor(out), of_tensor(self), of_double(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor nansum(const Tensor &self, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "nansum", "self dim keepdim dtype", of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &nansum_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim = nullopt, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "nansum", "out self dim keepdim dtype", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor narrow(const Tensor &self, int64_t dim, int64_t start, int64_t length) { FL_CALL(tensor, "narrow", "self dim start length", of_tensor(self), of_int(dim), of_int(start), of_int(length)) }
inline Tensor narrow_copy(const Tensor &self, int64_t dim, int64_t start, int64_t length) { FL_CALL(tensor, "narrow_copy", "self dim start length", of_tensor(self), of_int(dim), of_int(start), of_int(length)) }
inline Tensor &narrow_copy_out(Tensor &out, const Tensor &self, int64_t dim, int64_t start, int64_t length) { FL_CALL(same(out), "narrow_copy", "out self dim start length", of_tensor(out), of_tensor(self), of_int(dim), of_int(start), of_int(length)) }
inline std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor &input, const optional<Tensor> &weight, const optional<Tensor> &bias, const optional<Tensor> &running_mean, const optional<Tensor> &running_var, bool training, double momentum, double eps) { FL_CALL(three, "native_batch_norm", "input weight bias running_mean running_var training momentum eps", of_tensor(input), of_tensor_or_none(weight), of_tensor_or_none(bias), of_tensor_or_none(running_mean), of_tensor_or_none(running_var), of_bool(training), of_double(momentum), of_double(eps)) }
inline Tensor native_channel_shuffle(const Tensor &self, int64_t groups) { FL_CALL(tensor, "native_channel_shuffle", "self groups", of_tensor(self), of_int(groups)) }
inline std::tuple<Tensor, Tensor> native_dropout(const Tensor &input, double p, optional<bool> train) { FL_CALL(two, "native_dropout", "input p train", of_tensor(input), of_double(p), of_bool_or_none(train)) }
inline std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor &input, const optional<Tensor> &weight, const optional<Tensor> &bias, int64_t N, int64_t C, int64_t HxW, int64_t group, double eps) { FL_CALL(three, "native_group_norm", "input weight bias N C HxW group eps", of_tensor(input), of_tensor_or_none(weight), of_tensor_or_none(bias), of_int(N), of_int(C), of_int(HxW), of_int(group), of_double(eps)) }
inline std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor &input, IntArrayRef normalized_shape, const optional<Tensor> &weight, const optional<Tensor> &bias, double eps) { FL_CALL(three, "native_layer_norm", "input normalized_shape weight bias eps", of_tensor(input), of_ints(normalized_shape), of_tensor_or_none(weight), of_tensor_or_none(bias), of_double(eps)) }
inline Tensor ne(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "ne", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor ne(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "ne", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &ne_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "ne", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &ne_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "ne", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor neg(const Tensor &self) { FL_CALL(tensor, "neg", "self", of_tensor(self)) }
inline Tensor &neg_(Tensor &self) { FL_CALL(same(self), "neg_", "self", of_tensor(self)) }
inline Tensor &neg_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "neg", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor negative(const Tensor &self) { FL_CALL(tensor, "neg", "self", of_tensor(self)) }
inline Tensor &negative_(Tensor &self) { FL_CALL(same(self), "neg_", "self", of_tensor(self)) }
inline Tensor &negative_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "neg", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor nextafter(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "nextafter", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &nextafter_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "nextafter", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor nll(const Tensor &self, const Tensor &target, const optional<Tensor> &weight = nullopt, int64_t ignore_index = -100, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "_C._nn.nll", "self target weight ignore_index reduction", of_tensor(self), of_tensor(target), of_tensor_or_none(weight), of_int(ignore_index), of_reduction(reduction)) }
inline Tensor nll_loss(const Tensor &self, const Tensor &target, const optional<Tensor> &weight = nullopt, int64_t reduction = Reduction::Mean, int64_t ignore_index = -100) { FL_CALL(tensor, "nn.functional.nll_loss", "self target weight reduction ignore_index", of_tensor(self), of_tensor(target), of_tensor_or_none(weight), of_reduction(reduction), of_int(ignore_index)) }
inline Tensor nonzero(const Tensor &self) { FL_CALL(tensor, "nonzero", "self", of_tensor(self)) }
inline Tensor &nonzero_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "nonzero", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor nonzero_static(const Tensor &self, int64_t size, int64_t fill_value = -1) { FL_CALL(tensor, "nonzero_static", "self size fill_value", of_tensor(self), of_int(size), of_int(fill_value)) }
inline Tensor &nonzero_static_out(Tensor &out, const Tensor &self, int64_t size, int64_t fill_value = -1) { FL_CALL(same(out), "nonzero_static", "out self size fill_value", of_tensor(out), of_tensor(self), of_int(size), of_int(fill_value)) }
inline Tensor norm(const Tensor &self, const Scalar &p = 2) { FL_CALL(tensor, "norm", "self p", of_tensor(self), of_scalar(p)) }
inline Tensor norm(const Tensor &self, const optional<Scalar> &p, IntArrayRef dim, bool keepdim = false) { FL_CALL(tensor, "norm", "self p dim keepdim", of_tensor(self), of_scalar_or_none(p), of_ints(dim), of_bool(keepdim)) }
inline Tensor norm(const Tensor &self, const optional<Scalar> &p, IntArrayRef dim, bool keepdim, ScalarType dtype) { FL_CALL(tensor, "norm", "self p dim keepdim dtype", of_tensor(self), of_scalar_or_none(p), of_ints(dim), of_bool(keepdim), of_dtype(dtype)) }
inline Tensor norm_except_dim(const Tensor &v, int64_t pow = 2, int64_t dim = 0) { FL_CALL(tensor, "norm_except_dim", "v pow dim", of_tensor(v), of_int(pow), of_int(dim)) }
inline Tensor normal(const Tensor &mean, double std = 1) { FL_CALL(tensor, "normal.Tensor_float", "mean std", of_tensor(mean), of_double(std)) }
inline Tensor normal(double mean, const Tensor &std) { FL_CALL(tensor, "normal.float_Tensor", "mean std", of_double(mean), of_tensor(std)) }
inline Tensor normal(const Tensor &mean, const Tensor &std) { FL_CALL(tensor, "normal.Tensor_Tensor", "mean std", of_tensor(mean), of_tensor(std)) }
inline Tensor normal(double mean, double std, IntArrayRef size, const TensorOptions &options = {}) { FL_CALL(tensor, "normal.float_float", "mean std size dtype device requires_grad", of_double(mean), of_double(std), of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &normal_out(Tensor &out, const Tensor &mean, double std = 1) { FL_CALL(same(out), "normal.Tensor_float", "out mean std", of_tensor(out), of_tensor(mean), of_double(std)) }
inline Tensor &normal_out(Tensor &out, double mean, const Tensor &std) { FL_CALL(same(out), "normal.float_Tensor", "out mean std", of_tensor(out), of_double(mean), of_tensor(std)) }
inline Tensor &normal_out(Tensor &out, const Tensor &mean, const Tensor &std) { FL_CALL(same(out), "normal.Tensor_Tensor", "out mean std", of_tensor(out), of_tensor(mean), of_tensor(std)) }
inline Tensor &normal_out(Tensor &out, double mean, double std, IntArrayRef size) { FL_CALL(same(out), "normal.float_float", "out mean std size", of_tensor(out), of_double(mean), of_double(std), of_ints(size)) }
inline Tensor not_equal(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "ne", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor not_equal(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "ne", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &not_equal_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "ne", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &not_equal_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "ne", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor one_hot(const Tensor &tensor, int64_t num_classes = -1) { FL_CALL(tensor, "nn.functional.one_hot", "tensor num_classes", of_tensor(tensor), of_int(num_classes)) }
inline Tensor ones(IntArrayRef size, const TensorOptions &options = {}) { FL_CALL(tensor, "ones", "size dtype device requires_grad", of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor ones_like(const Tensor &self, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "ones_like", "self dtype device requires_grad", of_tensor(self), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &ones_out(Tensor &out, IntArrayRef size) { FL_CALL(same(out), "ones", "out size", of_tensor(out), of_ints(size)) }
inline Tensor orgqr(const Tensor &self, const Tensor &input2) { FL_CALL(tensor, "orgqr", "self input2", of_tensor(self), of_tensor(input2)) }
inline Tensor &orgqr_out(Tensor &out, const Tensor &self, const Tensor &input2) { FL_CALL(same(out), "orgqr", "out self input2", of_tensor(out), of_tensor(self), of_tensor(input2)) }
inline Tensor ormqr(const Tensor &self, const Tensor &input2, const Tensor &input3, bool left = true, bool transpose = false) { FL_CALL(tensor, "ormqr", "self input2 input3 left transpose", of_tensor(self), of_tensor(input2), of_tensor(input3), of_bool(left), of_bool(transpose)) }
inline Tensor &ormqr_out(Tensor &out, const Tensor &self, const Tensor &input2, const Tensor &input3, bool left = true, bool transpose = false) { FL_CALL(same(out), "ormqr", "out self input2 input3 left transpose", of_tensor(out), of_tensor(self), of_tensor(input2), of_tensor(input3), of_bool(left), of_bool(transpose)) }
inline Tensor outer(const Tensor &self, const Tensor &vec2) { FL_CALL(tensor, "outer", "self vec2", of_tensor(self), of_tensor(vec2)) }
inline Tensor &outer_out(Tensor &out, const Tensor &self, const Tensor &vec2) { FL_CALL(same(out), "outer", "out self vec2", of_tensor(out), of_tensor(self), of_tensor(vec2)) }
inline Tensor pad(const Tensor &self, IntArrayRef pad, const std::string &mode = "constant", optional<double> value = nullopt) { FL_CALL(tensor, "nn.functional.pad", "self pad mode value", of_tensor(self), of_ints(pad), of_string(mode), of_double_or_none(value)) }
inline Tensor pad_by_copies(const Tensor &self, IntArrayRef pad, const std::string &mode) { FL_CALL(tensor, "_C._nn.pad_by_copies", "self pad mode", of_tensor(self), of_ints(pad), of_string(mode)) }
inline Tensor pairwise_distance(const Tensor &x1, const Tensor &x2, double p = 2.0, double eps = 1e-06, bool keepdim = false) { FL_CALL(tensor, "nn.functional.pairwise_distance", "x1 x2 p eps keepdim", of_tensor(x1), of_tensor(x2), of_double(p), of_double(eps), of_bool(keepdim)) }
inline std::vector<Tensor> pca_lowrank(const Tensor &A, optional<int64_t> q = nullopt, bool center = true, int64_t niter = 2) { FL_CALL(tensors, "pca_lowrank", "A q center niter", of_tensor(A), of_int_or_none(q), of_bool(center), of_int(niter)) }
inline Tensor pdist(const Tensor &self, double p = 2) { FL_CALL(tensor, "pdist", "self p", of_tensor(self), of_double(p)) }
inline Tensor permute(const Tensor &self, IntArrayRef dims) { FL_CALL(tensor, "permute", "self dims", of_tensor(self), of_ints(dims)) }
inline Tensor permute_copy(const Tensor &self, IntArrayRef dims) { FL_CALL(tensor, "permute_copy", "self dims", of_tensor(self), of_ints(dims)) }
inline Tensor &permute_copy_out(Tensor &out, const Tensor &self, IntArrayRef dims) { FL_CALL(same(out), "permute_copy", "out self dims", of_tensor(out), of_tensor(self), of_ints(dims)) }
inline Tensor pinverse(const Tensor &self, double rcond = 1e-15) { FL_CALL(tensor, "pinverse", "self rcond", of_tensor(self), of_double(rcond)) }
inline Tensor pixel_shuffle(const Tensor &self, int64_t upscale_factor) { FL_CALL(tensor, "pixel_shuffle", "self upscale_factor", of_tensor(self), of_int(upscale_factor)) }
inline Tensor pixel_unshuffle(const Tensor &self, int64_t downscale_factor) { FL_CALL(tensor, "pixel_unshuffle", "self downscale_factor", of_tensor(self), of_int(downscale_factor)) }
inline Tensor poisson(const Tensor &self) { FL_CALL(tensor, "poisson", "self", of_tensor(self)) }
inline Tensor poisson_nll_loss(const Tensor &input, const Tensor &target, bool log_input, bool full, double eps, int64_t reduction) { FL_CALL(tensor, "poisson_nll_loss", "input target log_input full eps reduction", of_tensor(input), of_tensor(target), of_bool(log_input), of_bool(full), of_double(eps), of_int(reduction)) }
inline Tensor polar(const Tensor &abs, const Tensor &angle) { FL_CALL(tensor, "polar", "abs angle", of_tensor(abs), of_tensor(angle)) }
inline Tensor &polar_out(Tensor &out, const Tensor &abs, const Tensor &angle) { FL_CALL(same(out), "polar", "out abs angle", of_tensor(out), of_tensor(abs), of_tensor(angle)) }
inline Tensor polygamma(int64_t n, const Tensor &self) { FL_CALL(tensor, "polygamma", "n self", of_int(n), of_tensor(self)) }
inline Tensor &polygamma_out(Tensor &out, int64_t n, const Tensor &self) { FL_CALL(same(out), "polygamma", "out n self", of_tensor(out), of_int(n), of_tensor(self)) }
inline Tensor positive(const Tensor &self) { FL_CALL(tensor, "positive", "self", of_tensor(self)) }
inline Tensor pow(const Tensor &self, const Tensor &exponent) { FL_CALL(tensor, "pow", "self exponent", of_tensor(self), of_tensor(exponent)) }
inline Tensor pow(const Scalar &self, const Tensor &exponent) { FL_CALL(tensor, "pow", "self exponent", of_scalar(self), of_tensor(exponent)) }
inline Tensor pow(const Tensor &self, const Scalar &exponent) { FL_CALL(tensor, "pow", "self exponent", of_tensor(self), of_scalar(exponent)) }
inline Tensor &pow_out(Tensor &out, const Tensor &self, const Tensor &exponent) { FL_CALL(same(out), "pow", "out self exponent", of_tensor(out), of_tensor(self), of_tensor(exponent)) }
inline Tensor &pow_out(Tensor &out, const Scalar &self, const Tensor &exponent) { FL_CALL(same(out), "pow", "out self exponent", of_tensor(out), of_scalar(self), of_tensor(exponent)) }
inline Tensor &pow_out(Tensor &out, const Tensor &self, const Scalar &exponent) { FL_CALL(same(out), "pow", "out self exponent", of_tensor(out), of_tensor(self), of_scalar(exponent)) }
inline Tensor prelu(const Tensor &self, const Tensor &weight) { FL_CALL(tensor, "nn.functional.prelu", "self weight", of_tensor(self), of_tensor(weight)) }
inline Tensor prod(const Tensor &self, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "prod", "self dtype", of_tensor(self), of_dtype_or_none(dtype)) }
inline Tensor prod(const Tensor &self, int64_t dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "prod", "self dim keepdim dtype", of_tensor(self), of_int(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &prod_out(Tensor &out, const Tensor &self, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "prod", "out self dtype", of_tensor(out), of_tensor(self), of_dtype_or_none(dtype)) }
inline Tensor &prod_out(Tensor &out, const Tensor &self, int64_t dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "prod", "out self dim keepdim dtype", of_tensor(out), of_tensor(self), of_int(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor put(const Tensor &self, const Tensor &index, const Tensor &source, bool accumulate = false) { FL_CALL(tensor, "put", "self index source accumulate", of_tensor(self), of_tensor(index), of_tensor(source), of_bool(accumulate)) }
inline std::tuple<Tensor, Tensor> qr(const Tensor &self, bool some = true) { FL_CALL(two, "qr", "self some", of_tensor(self), of_bool(some)) }
inline std::tuple<Tensor &, Tensor &> qr_out(Tensor &Q, Tensor &R, const Tensor &self, bool some = true) { const Tensor flambeau_out[] = {Q, R}; FL_CALL(these(Q, R), "qr", "out self some", of_tensors(flambeau_out), of_tensor(self), of_bool(some)) }
inline Tensor quantile(const Tensor &self, const Tensor &q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(tensor, "quantile.default", "self q dim keepdim interpolation", of_tensor(self), of_tensor(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor quantile(const Tensor &self, double q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(tensor, "quantile.scalar", "self q dim keepdim interpolation", of_tensor(self), of_double(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor &quantile_out(Tensor &out, const Tensor &self, const Tensor &q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(same(out), "quantile.default", "out self q dim keepdim interpolation", of_tensor(out), of_tensor(self), of_tensor(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor &quantile_out(Tensor &out, const Tensor &self, double q, optional<int64_t> dim = nullopt, bool keepdim = false, const std::string &interpolation = "linear") { FL_CALL(same(out), "quantile.scalar", "out self q dim keepdim interpolation", of_tensor(out), of_tensor(self), of_double(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor rad2deg(const Tensor &self) { FL_CALL(tensor, "rad2deg", "self", of_tensor(self)) }
inline Tensor &rad2deg_(Tensor &self) { FL_CALL(same(self), "rad2deg_", "self", of_tensor(self)) }
inline Tensor &rad2deg_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "rad2deg", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor rand(IntArrayRef size, const TensorOptions &options = {}) { FL_CALL(tensor, "rand", "size dtype device requires_grad", of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor rand_like(const Tensor &self, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "rand_like", "self dtype device requires_grad", of_tensor(self), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &rand_out(Tensor &out, IntArrayRef size) { FL_CALL(same(out), "rand", "out size", of_tensor(out), of_ints(size)) }
inline Tensor randint(int64_t low, int64_t high, IntArrayRef size, const TensorOptions &options = {}) { FL_CALL(tensor, "randint.low", "low high size dtype device requires_grad", of_int(low), of_int(high), of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor randint(int64_t high, IntArrayRef size, const TensorOptions &options = {}) { FL_CALL(tensor, "randint.default", "high size dtype device requires_grad", of_int(high), of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor randint_like(const Tensor &self, int64_t low, int64_t high, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "randint_like.low_dtype", "self low high dtype device requires_grad", of_tensor(self), of_int(low), of_int(high), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor randint_like(const Tensor &self, int64_t high, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "randint_like.default", "self high dtype device requires_grad", of_tensor(self), of_int(high), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &randint_out(Tensor &out, int64_t low, int64_t high, IntArrayRef size) { FL_CALL(same(out), "randint.low", "out low high size", of_tensor(out), of_int(low), of_int(high), of_ints(size)) }
inline Tensor &randint_out(Tensor &out, int64_t high, IntArrayRef size) { FL_CALL(same(out), "randint.default", "out high size", of_tensor(out), of_int(high), of_ints(size)) }
inline Tensor randn(IntArrayRef size, const TensorOptions &options = {}) { FL_CALL(tensor, "randn", "size dtype device requires_grad", of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor randn_like(const Tensor &self, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "randn_like", "self dtype device requires_grad", of_tensor(self), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &randn_out(Tensor &out, IntArrayRef size) { FL_CALL(same(out), "randn", "out size", of_tensor(out), of_ints(size)) }
inline Tensor randperm(int64_t n, const TensorOptions &options = {}) { FL_CALL(tensor, "randperm", "n dtype device requires_grad", of_int(n), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &randperm_out(Tensor &out, int64_t n) { FL_CALL(same(out), "randperm", "out n", of_tensor(out), of_int(n)) }
inline Tensor range(const Scalar &start = 0, const optional<Scalar> &end = nullopt, const Scalar &step = 1, const TensorOptions &options = {}) { FL_CALL(tensor, "range", "start end step dtype device requires_grad", of_scalar(start), of_scalar_or_none(end), of_scalar(step), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &range_out(Tensor &out, const Scalar &start = 0, const optional<Scalar> &end = nullopt, const Scalar &step = 1) { FL_CALL(same(out), "range", "out start end step", of_tensor(out), of_scalar(start), of_scalar_or_none(end), of_scalar(step)) }
inline Tensor ravel(const Tensor &self) { FL_CALL(tensor, "ravel", "self", of_tensor(self)) }
inline Tensor real(const Tensor &self) { FL_CALL(tensor, "real", "self", of_tensor(self)) }
inline Tensor reciprocal(const Tensor &self) { FL_CALL(tensor, "reciprocal", "self", of_tensor(self)) }
inline Tensor &reciprocal_(Tensor &self) { FL_CALL(same(self), "reciprocal_", "self", of_tensor(self)) }
inline Tensor &reciprocal_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "reciprocal", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor relu(const Tensor &self) { FL_CALL(tensor, "relu", "self", of_tensor(self)) }
inline Tensor relu6(const Tensor &self) { FL_CALL(tensor, "nn.functional.relu6", "self", of_tensor(self)) }
inline Tensor &relu_(Tensor &self) { FL_CALL(same(self), "relu_", "self", of_tensor(self)) }
inline Tensor &relu_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "relu", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor remainder(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "remainder", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor remainder(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "remainder", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor remainder(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "remainder", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &remainder_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "remainder", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &remainder_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "remainder", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &remainder_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "remainder", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor renorm(const Tensor &self, const Scalar &p, int64_t dim, const Scalar &maxnorm) { FL_CALL(tensor, "renorm", "self p dim maxnorm", of_tensor(self), of_scalar(p), of_int(dim), of_scalar(maxnorm)) }
inline Tensor &renorm_out(Tensor &out, const Tensor &self, const Scalar &p, int64_t dim, const Scalar &maxnorm) { FL_CALL(same(out), "renorm", "out self p dim maxnorm", of_tensor(out), of_tensor(self), of_scalar(p), of_int(dim), of_scalar(maxnorm)) }
inline Tensor repeat_interleave(const Tensor &self, int64_t repeats, optional<int64_t> dim = nullopt, optional<int64_t> output_size = nullopt) { FL_CALL(tensor, "repeat_interleave.self_int", "self repeats dim output_size", of_tensor(self), of_int(repeats), of_int_or_none(dim), of_int_or_none(output_size)) }
inline Tensor repeat_interleave(const Tensor &self, const Tensor &repeats, optional<int64_t> dim = nullopt, optional<int64_t> output_size = nullopt) { FL_CALL(tensor, "repeat_interleave.self_Tensor", "self repeats dim output_size", of_tensor(self), of_tensor(repeats), of_int_or_none(dim), of_int_or_none(output_size)) }
inline Tensor repeat_interleave(const Tensor &repeats, optional<int64_t> output_size = nullopt) { FL_CALL(tensor, "repeat_interleave.Tensor", "repeats output_size", of_tensor(repeats), of_int_or_none(output_size)) }
inline Tensor resample(const Tensor &self, IntArrayRef output_size, const std::string &mode, bool align_corners, ArrayRef<double> scales, bool antialias) { FL_CALL(tensor, "_C._nn.resample", "self output_size mode align_corners scales antialias", of_tensor(self), of_ints(output_size), of_string(mode), of_bool(align_corners), of_doubles(scales), of_bool(antialias)) }
inline Tensor reshape(const Tensor &self, IntArrayRef shape) { FL_CALL(tensor, "reshape", "self shape", of_tensor(self), of_ints(shape)) }
inline Tensor resolve_conj(const Tensor &self) { FL_CALL(tensor, "resolve_conj", "self", of_tensor(self)) }
inline Tensor resolve_neg(const Tensor &self) { FL_CALL(tensor, "resolve_neg", "self", of_tensor(self)) }
inline Tensor rms_norm(const Tensor &self, IntArrayRef normalized_shape, const optional<Tensor> &weight = nullopt, optional<double> eps = nullopt) { FL_CALL(tensor, "nn.functional.rms_norm", "self normalized_shape weight eps", of_tensor(self), of_ints(normalized_shape), of_tensor_or_none(weight), of_double_or_none(eps)) }
inline Tensor rms_rows(const Tensor &self, IntArrayRef normalized_shape, const optional<Tensor> &weight, double eps) { FL_CALL(tensor, "_C._nn.rms_rows", "self normalized_shape weight eps", of_tensor(self), of_ints(normalized_shape), of_tensor_or_none(weight), of_double(eps)) }
inline std::tuple<Tensor, Tensor, Tensor> rnn_layer(const Tensor &input, OptionalIntArrayRef batch_sizes, const Tensor &h0, const Tensor &w_ih, const Tensor &w_hh, const optional<Tensor> &b_ih, const optional<Tensor> &b_hh, const std::string &mode, bool reverse) { FL_CALL(three, "_C._nn.rnn_layer", "input batch_sizes h0 w_ih w_hh b_ih b_hh mode reverse", of_tensor(input), of_ints_or_none(batch_sizes), of_tensor(h0), of_tensor(w_ih), of_tensor(w_hh), of_tensor_or_none(b_ih), of_tensor_or_none(b_hh), of_string(mode), of_bool(reverse)) }
inline std::tuple<Tensor, Tensor> rnn_relu(const Tensor &input, const Tensor &hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) { FL_CALL(two, "rnn_relu.input", "input hx params has_biases num_layers dropout train bidirectional batch_first", of_tensor(input), of_tensor(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional), of_bool(batch_first)) }
inline std::tuple<Tensor, Tensor> rnn_relu(const Tensor &data, const Tensor &batch_sizes, const Tensor &hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) { FL_CALL(two, "rnn_relu.data", "data batch_sizes hx params has_biases num_layers dropout train bidirectional", of_tensor(data), of_tensor(batch_sizes), of_tensor(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional)) }
inline Tensor rnn_relu_cell(const Tensor &input, const Tensor &hx, const Tensor &w_ih, const Tensor &w_hh, const optional<Tensor> &b_ih = nullopt, const optional<Tensor> &b_hh = nullopt) { FL_CALL(tensor, "rnn_relu_cell", "input hx w_ih w_hh b_ih b_hh", of_tensor(input), of_tensor(hx), of_tensor(w_ih), of_tensor(w_hh), of_tensor_or_none(b_ih), of_tensor_or_none(b_hh)) }
inline std::tuple<Tensor, Tensor> rnn_tanh(const Tensor &input, const Tensor &hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) { FL_CALL(two, "rnn_tanh.input", "input hx params has_biases num_layers dropout train bidirectional batch_first", of_tensor(input), of_tensor(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional), of_bool(batch_first)) }
inline std::tuple<Tensor, Tensor> rnn_tanh(const Tensor &data, const Tensor &batch_sizes, const Tensor &hx, TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) { FL_CALL(two, "rnn_tanh.data", "data batch_sizes hx params has_biases num_layers dropout train bidirectional", of_tensor(data), of_tensor(batch_sizes), of_tensor(hx), of_tensors(params), of_bool(has_biases), of_int(num_layers), of_double(dropout), of_bool(train), of_bool(bidirectional)) }
inline Tensor rnn_tanh_cell(const Tensor &input, const Tensor &hx, const Tensor &w_ih, const Tensor &w_hh, const optional<Tensor> &b_ih = nullopt, const optional<Tensor> &b_hh = nullopt) { FL_CALL(tensor, "rnn_tanh_cell", "input hx w_ih w_hh b_ih b_hh", of_tensor(input), of_tensor(hx), of_tensor(w_ih), of_tensor(w_hh), of_tensor_or_none(b_ih), of_tensor_or_none(b_hh)) }
inline Tensor roll(const Tensor &self, IntArrayRef shifts, OptionalIntArrayRef dims = nullopt) { FL_CALL(tensor, "roll", "self shifts dims", of_tensor(self), of_ints(shifts), of_ints_or_none(dims)) }
inline Tensor rot90(const Tensor &self, int64_t k = 1, IntArrayRef dims = {0, 1}) { FL_CALL(tensor, "rot90", "self k dims", of_tensor(self), of_int(k), of_ints(dims)) }
inline Tensor round(const Tensor &self, int64_t decimals = 0) { FL_CALL(tensor, "round", "self decimals", of_tensor(self), of_int(decimals)) }
inline Tensor &round_(Tensor &self, int64_t decimals = 0) { FL_CALL(same(self), "round_", "self decimals", of_tensor(self), of_int(decimals)) }
inline Tensor &round_out(Tensor &out, const Tensor &self, int64_t decimals = 0) { FL_CALL(same(out), "round", "out self decimals", of_tensor(out), of_tensor(self), of_int(decimals)) }
inline std::tuple<Tensor, Tensor> row_moments(const Tensor &self, int64_t dims, double eps, bool keepdim) { FL_CALL(two, "_C._nn.row_moments", "self dims eps keepdim", of_tensor(self), of_int(dims), of_double(eps), of_bool(keepdim)) }
inline Tensor row_stack(TensorList tensors) { FL_CALL(tensor, "vstack", "tensors", of_tensors(tensors)) }
inline Tensor &row_stack_out(Tensor &out, TensorList tensors) { FL_CALL(same(out), "vstack", "out tensors", of_tensor(out), of_tensors(tensors)) }
inline Tensor rrelu(const Tensor &self, const Scalar &lower = 0.125, const Scalar &upper = 0.3333333333333333, bool training = false) { FL_CALL(tensor, "rrelu", "self lower upper training", of_tensor(self), of_scalar(lower), of_scalar(upper), of_bool(training)) }
inline Tensor &rrelu_(Tensor &self, const Scalar &lower = 0.125, const Scalar &upper = 0.3333333333333333, bool training = false) { FL_CALL(same(self), "rrelu_", "self lower upper training", of_tensor(self), of_scalar(lower), of_scalar(upper), of_bool(training)) }
inline Tensor rsqrt(const Tensor &self) { FL_CALL(tensor, "rsqrt", "self", of_tensor(self)) }
inline Tensor &rsqrt_(Tensor &self) { FL_CALL(same(self), "rsqrt_", "self", of_tensor(self)) }
inline Tensor &rsqrt_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "rsqrt", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor rsub(const Tensor &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(tensor, "rsub", "self other alpha", of_tensor(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor rsub(const Tensor &self, const Scalar &other, const Scalar &alpha = 1) { FL_CALL(tensor, "rsub", "self other alpha", of_tensor(self), of_scalar(other), of_scalar(alpha)) }
inline Tensor sample(const Tensor &input, const Tensor &grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) { FL_CALL(tensor, "_C._nn.sample", "input grid interpolation_mode padding_mode align_corners", of_tensor(input), of_tensor(grid), of_int(interpolation_mode), of_int(padding_mode), of_bool(align_corners)) }
inline Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key, const Tensor &value, const optional<Tensor> &attn_mask = nullopt, double dropout_p = 0.0, bool is_causal = false, optional<double> scale = nullopt, bool enable_gqa = false) { FL_CALL(tensor, "nn.functional.scaled_dot_product_attention", "query key value attn_mask dropout_p is_causal scale enable_gqa", of_tensor(query), of_tensor(key), of_tensor(value), of_tensor_or_none(attn_mask), of_double(dropout_p), of_bool(is_causal), of_double_or_none(scale), of_bool(enable_gqa)) }
inline Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &src) { FL_CALL(tensor, "scatter", "self dim index src", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(src)) }
inline Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index, const Scalar &value) { FL_CALL(tensor, "scatter", "self dim index value", of_tensor(self), of_int(dim), of_tensor(index), of_scalar(value)) }
inline Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce) { FL_CALL(tensor, "scatter", "self dim index src reduce", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(src), of_string(reduce)) }
inline Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index, const Scalar &value, const std::string &reduce) { FL_CALL(tensor, "scatter", "self dim index value reduce", of_tensor(self), of_int(dim), of_tensor(index), of_scalar(value), of_string(reduce)) }
inline Tensor scatter_add(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &src) { FL_CALL(tensor, "scatter_add", "self dim index src", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(src)) }
inline Tensor scatter_reduce(const Tensor &self, int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce, bool include_self = true) { FL_CALL(tensor, "scatter_reduce", "self dim index src reduce include_self", of_tensor(self), of_int(dim), of_tensor(index), of_tensor(src), of_string(reduce), of_bool(include_self)) }
inline Tensor searchsorted(const Tensor &sorted_sequence, const Tensor &self, bool out_int32 = false, bool right = false, const optional<std::string> &side = nullopt, const optional<Tensor> &sorter = nullopt) { FL_CALL(tensor, "searchsorted.Tensor", "sorted_sequence self out_int32 right side sorter", of_tensor(sorted_sequence), of_tensor(self), of_bool(out_int32), of_bool(right), of_string_or_none(side), of_tensor_or_none(sorter)) }
inline Tensor searchsorted(const Tensor &sorted_sequence, const Scalar &self, bool out_int32 = false, bool right = false, const optional<std::string> &side = nullopt, const optional<Tensor> &sorter = nullopt) { FL_CALL(tensor, "searchsorted.Scalar", "sorted_sequence self out_int32 right side sorter", of_tensor(sorted_sequence), of_scalar(self), of_bool(out_int32), of_bool(right), of_string_or_none(side), of_tensor_or_none(sorter)) }
inline Tensor &searchsorted_out(Tensor &out, const Tensor &sorted_sequence, const Tensor &self, bool out_int32 = false, bool right = false, const optional<std::string> &side = nullopt, const optional<Tensor> &sorter = nullopt) { FL_CALL(same(out), "searchsorted.Tensor", "out sorted_sequence self out_int32 right side sorter", of_tensor(out), of_tensor(sorted_sequence), of_tensor(self), of_bool(out_int32), of_bool(right), of_string_or_none(side), of_tensor_or_none(sorter)) }
inline Tensor &searchsorted_out(Tensor &out, const Tensor &sorted_sequence, const Scalar &self, bool out_int32 = false, bool right = false, const optional<std::string> &side = nullopt, const optional<Tensor> &sorter = nullopt) { FL_CALL(same(out), "searchsorted.Scalar", "out sorted_sequence self out_int32 right side sorter", of_tensor(out), of_tensor(sorted_sequence), of_scalar(self), of_bool(out_int32), of_bool(right), of_string_or_none(side), of_tensor_or_none(sorter)) }
inline Tensor segment_reduce(const Tensor &data, const std::string &reduce, const optional<Tensor> &lengths = nullopt, const optional<Tensor> &indices = nullopt, const optional<Tensor> &offsets = nullopt, int64_t axis = 0, bool unsafe = false, const optional<Scalar> &initial = nullopt) { FL_CALL(tensor, "segment_reduce", "data reduce lengths indices offsets axis unsafe initial", of_tensor(data), of_string(reduce), of_tensor_or_none(lengths), of_tensor_or_none(indices), of_tensor_or_none(offsets), of_int(axis), of_bool(unsafe), of_scalar_or_none(initial)) }
inline Tensor select(const Tensor &self, int64_t dim, int64_t index) { FL_CALL(tensor, "select", "self dim index", of_tensor(self), of_int(dim), of_int(index)) }
inline Tensor select_copy(const Tensor &self, int64_t dim, int64_t index) { FL_CALL(tensor, "select_copy", "self dim index", of_tensor(self), of_int(dim), of_int(index)) }
inline Tensor &select_copy_out(Tensor &out, const Tensor &self, int64_t dim, int64_t index) { FL_CALL(same(out), "select_copy", "out self dim index", of_tensor(out), of_tensor(self), of_int(dim), of_int(index)) }
inline Tensor select_scatter(const Tensor &self, const Tensor &src, int64_t dim, int64_t index) { FL_CALL(tensor, "select_scatter", "self src dim index", of_tensor(self), of_tensor(src), of_int(dim), of_int(index)) }
inline Tensor selu(const Tensor &self) { FL_CALL(tensor, "nn.functional.selu", "self", of_tensor(self)) }
inline Tensor &selu_(Tensor &self) { FL_CALL(same(self), "selu_", "self", of_tensor(self)) }
inline Tensor sgn(const Tensor &self) { FL_CALL(tensor, "sgn", "self", of_tensor(self)) }
inline Tensor &sgn_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "sgn", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor sigmoid(const Tensor &self) { FL_CALL(tensor, "sigmoid", "self", of_tensor(self)) }
inline Tensor &sigmoid_(Tensor &self) { FL_CALL(same(self), "sigmoid_", "self", of_tensor(self)) }
inline Tensor &sigmoid_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "sigmoid", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor sign(const Tensor &self) { FL_CALL(tensor, "sign", "self", of_tensor(self)) }
inline Tensor &sign_(Tensor &self) { FL_CALL(same(self), "sign_", "self", of_tensor(self)) }
inline Tensor &sign_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "sign", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor signbit(const Tensor &self) { FL_CALL(tensor, "signbit", "self", of_tensor(self)) }
inline Tensor &signbit_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "signbit", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor silu(const Tensor &self) { FL_CALL(tensor, "_C._nn.silu", "self", of_tensor(self)) }
inline Tensor &silu_(Tensor &self) { FL_CALL(same(self), "_C._nn.silu_", "self", of_tensor(self)) }
inline Tensor sin(const Tensor &self) { FL_CALL(tensor, "sin", "self", of_tensor(self)) }
inline Tensor &sin_(Tensor &self) { FL_CALL(same(self), "sin_", "self", of_tensor(self)) }
inline Tensor &sin_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "sin", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor sinc(const Tensor &self) { FL_CALL(tensor, "sinc", "self", of_tensor(self)) }
inline Tensor &sinc_(Tensor &self) { FL_CALL(same(self), "sinc_", "self", of_tensor(self)) }
inline Tensor &sinc_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "sinc", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor sinh(const Tensor &self) { FL_CALL(tensor, "sinh", "self", of_tensor(self)) }
inline Tensor &sinh_(Tensor &self) { FL_CALL(same(self), "sinh_", "self", of_tensor(self)) }
inline Tensor &sinh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "sinh", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor slice(const Tensor &self, int64_t dim = 0, optional<int64_t> start = nullopt, optional<int64_t> end = nullopt, int64_t step = 1) { FL_CALL(tensor, "_ops.slice", "self dim start end step", of_tensor(self), of_int(dim), of_int_or_none(start), of_int_or_none(end), of_int(step)) }
inline Tensor slice_copy(const Tensor &self, int64_t dim = 0, optional<int64_t> start = nullopt, optional<int64_t> end = nullopt, int64_t step = 1) { FL_CALL(tensor, "slice_copy", "self dim start end step", of_tensor(self), of_int(dim), of_int_or_none(start), of_int_or_none(end), of_int(step)) }
inline Tensor &slice_copy_out(Tensor &out, const Tensor &self, int64_t dim = 0, optional<int64_t> start = nullopt, optional<int64_t> end = nullopt, int64_t step = 1) { FL_CALL(same(out), "slice_copy", "out self dim start end step", of_tensor(out), of_tensor(self), of_int(dim), of_int_or_none(start), of_int_or_none(end), of_int(step)) }
inline Tensor slice_scatter(const Tensor &self, const Tensor &src, int64_t dim = 0, optional<int64_t> start = nullopt, optional<int64_t> end = nullopt, int64_t step = 1) { FL_CALL(tensor, "slice_scatter", "self src dim start end step", of_tensor(self), of_tensor(src), of_int(dim), of_int_or_none(start), of_int_or_none(end), of_int(step)) }
inline std::tuple<Tensor, Tensor> slogdet(const Tensor &self) { FL_CALL(two, "slogdet", "self", of_tensor(self)) }
inline std::tuple<Tensor &, Tensor &> slogdet_out(Tensor &sign, Tensor &logabsdet, const Tensor &self) { const Tensor flambeau_out[] = {sign, logabsdet}; FL_CALL(these(sign, logabsdet), "slogdet", "out self", of_tensors(flambeau_out), of_tensor(self)) }
inline Tensor smooth_l1_loss(const Tensor &self, const Tensor &target, int64_t reduction = Reduction::Mean, double beta = 1.0) { FL_CALL(tensor, "nn.functional.smooth_l1_loss", "self target reduction beta", of_tensor(self), of_tensor(target), of_reduction(reduction), of_double(beta)) }
inline Tensor softmax(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "softmax", "self dim dtype", of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor &softmax_out(Tensor &out, const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "softmax", "out self dim dtype", of_tensor(out), of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor softplus(const Tensor &self, const Scalar &beta = 1, const Scalar &threshold = 20) { FL_CALL(tensor, "nn.functional.softplus", "self beta threshold", of_tensor(self), of_scalar(beta), of_scalar(threshold)) }
inline Tensor &softplus_out(Tensor &out, const Tensor &self, const Scalar &beta = 1, const Scalar &threshold = 20) { FL_CALL(same(out), "nn.functional.softplus", "out self beta threshold", of_tensor(out), of_tensor(self), of_scalar(beta), of_scalar(threshold)) }
inline Tensor softshrink(const Tensor &self, const Scalar &lambd = 0.5) { FL_CALL(tensor, "nn.functional.softshrink", "self lambd", of_tensor(self), of_scalar(lambd)) }
inline Tensor &softshrink_(Tensor &self, const Scalar &lambd = 0.5) { FL_CALL(same(self), "_C._nn.softshrink_", "self lambd", of_tensor(self), of_scalar(lambd)) }
inline Tensor &softshrink_out(Tensor &out, const Tensor &self, const Scalar &lambd = 0.5) { FL_CALL(same(out), "nn.functional.softshrink", "out self lambd", of_tensor(out), of_tensor(self), of_scalar(lambd)) }
inline std::tuple<Tensor, Tensor> sort(const Tensor &self, int64_t dim = -1, bool descending = false) { FL_CALL(two, "sort.default", "self dim descending", of_tensor(self), of_int(dim), of_bool(descending)) }
inline std::tuple<Tensor, Tensor> sort(const Tensor &self, optional<bool> stable, int64_t dim = -1, bool descending = false) { FL_CALL(two, "sort.stable", "self stable dim descending", of_tensor(self), of_bool_or_none(stable), of_int(dim), of_bool(descending)) }
inline std::tuple<Tensor &, Tensor &> sort_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t dim = -1, bool descending = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "sort.default", "out self dim descending", of_tensors(flambeau_out), of_tensor(self), of_int(dim), of_bool(descending)) }
inline std::tuple<Tensor &, Tensor &> sort_out(Tensor &values, Tensor &indices, const Tensor &self, optional<bool> stable, int64_t dim = -1, bool descending = false) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "sort.stable", "out self stable dim descending", of_tensors(flambeau_out), of_tensor(self), of_bool_or_none(stable), of_int(dim), of_bool(descending)) }
inline Tensor special_airy_ai(const Tensor &x) { FL_CALL(tensor, "special.airy_ai", "x", of_tensor(x)) }
inline Tensor &special_airy_ai_out(Tensor &out, const Tensor &x) { FL_CALL(same(out), "special.airy_ai", "out x", of_tensor(out), of_tensor(x)) }
inline Tensor special_bessel_j0(const Tensor &self) { FL_CALL(tensor, "special.bessel_j0", "self", of_tensor(self)) }
inline Tensor &special_bessel_j0_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.bessel_j0", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_bessel_j1(const Tensor &self) { FL_CALL(tensor, "special.bessel_j1", "self", of_tensor(self)) }
inline Tensor &special_bessel_j1_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.bessel_j1", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_bessel_y0(const Tensor &self) { FL_CALL(tensor, "special.bessel_y0", "self", of_tensor(self)) }
inline Tensor &special_bessel_y0_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.bessel_y0", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_bessel_y1(const Tensor &self) { FL_CALL(tensor, "special.bessel_y1", "self", of_tensor(self)) }
inline Tensor &special_bessel_y1_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.bessel_y1", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_chebyshev_polynomial_t(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_t", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_t(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_t", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_t(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.chebyshev_polynomial_t", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_t", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_t_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_t", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.chebyshev_polynomial_t", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_chebyshev_polynomial_u(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_u", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_u(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_u", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_u(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.chebyshev_polynomial_u", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_u", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_u_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_u", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.chebyshev_polynomial_u", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_chebyshev_polynomial_v(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_v", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_v(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_v", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_v(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.chebyshev_polynomial_v", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_v", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_v_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_v", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.chebyshev_polynomial_v", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_chebyshev_polynomial_w(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_w", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_w(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.chebyshev_polynomial_w", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_chebyshev_polynomial_w(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.chebyshev_polynomial_w", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_w", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_w_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.chebyshev_polynomial_w", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.chebyshev_polynomial_w", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_digamma(const Tensor &self) { FL_CALL(tensor, "special.digamma", "self", of_tensor(self)) }
inline Tensor &special_digamma_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.digamma", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_entr(const Tensor &self) { FL_CALL(tensor, "special.entr", "self", of_tensor(self)) }
inline Tensor &special_entr_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.entr", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_erf(const Tensor &self) { FL_CALL(tensor, "special.erf", "self", of_tensor(self)) }
inline Tensor &special_erf_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.erf", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_erfc(const Tensor &self) { FL_CALL(tensor, "special.erfc", "self", of_tensor(self)) }
inline Tensor &special_erfc_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.erfc", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_erfcx(const Tensor &self) { FL_CALL(tensor, "special.erfcx", "self", of_tensor(self)) }
inline Tensor &special_erfcx_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.erfcx", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_erfinv(const Tensor &self) { FL_CALL(tensor, "special.erfinv", "self", of_tensor(self)) }
inline Tensor &special_erfinv_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.erfinv", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_exp2(const Tensor &self) { FL_CALL(tensor, "special.exp2", "self", of_tensor(self)) }
inline Tensor &special_exp2_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.exp2", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_expit(const Tensor &self) { FL_CALL(tensor, "special.expit", "self", of_tensor(self)) }
inline Tensor &special_expit_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.expit", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_expm1(const Tensor &self) { FL_CALL(tensor, "special.expm1", "self", of_tensor(self)) }
inline Tensor &special_expm1_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.expm1", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_gammainc(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "special.gammainc", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &special_gammainc_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "special.gammainc", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor special_gammaincc(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "special.gammaincc", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &special_gammaincc_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "special.gammaincc", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor special_gammaln(const Tensor &self) { FL_CALL(tensor, "special.gammaln", "self", of_tensor(self)) }
inline Tensor &special_gammaln_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.gammaln", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_hermite_polynomial_h(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.hermite_polynomial_h", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_hermite_polynomial_h(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.hermite_polynomial_h", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_hermite_polynomial_h(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.hermite_polynomial_h", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_hermite_polynomial_h_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.hermite_polynomial_h", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_hermite_polynomial_h_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.hermite_polynomial_h", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_hermite_polynomial_h_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.hermite_polynomial_h", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_hermite_polynomial_he(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.hermite_polynomial_he", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_hermite_polynomial_he(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.hermite_polynomial_he", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_hermite_polynomial_he(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.hermite_polynomial_he", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_hermite_polynomial_he_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.hermite_polynomial_he", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_hermite_polynomial_he_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.hermite_polynomial_he", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_hermite_polynomial_he_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.hermite_polynomial_he", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_i0(const Tensor &self) { FL_CALL(tensor, "special.i0", "self", of_tensor(self)) }
inline Tensor &special_i0_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.i0", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_i0e(const Tensor &self) { FL_CALL(tensor, "special.i0e", "self", of_tensor(self)) }
inline Tensor &special_i0e_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.i0e", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_i1(const Tensor &self) { FL_CALL(tensor, "special.i1", "self", of_tensor(self)) }
inline Tensor &special_i1_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.i1", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_i1e(const Tensor &self) { FL_CALL(tensor, "special.i1e", "self", of_tensor(self)) }
inline Tensor &special_i1e_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.i1e", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_laguerre_polynomial_l(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.laguerre_polynomial_l", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_laguerre_polynomial_l(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.laguerre_polynomial_l", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_laguerre_polynomial_l(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.laguerre_polynomial_l", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_laguerre_polynomial_l_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.laguerre_polynomial_l", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_laguerre_polynomial_l_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.laguerre_polynomial_l", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_laguerre_polynomial_l_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.laguerre_polynomial_l", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_legendre_polynomial_p(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.legendre_polynomial_p", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_legendre_polynomial_p(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.legendre_polynomial_p", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_legendre_polynomial_p(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.legendre_polynomial_p", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_legendre_polynomial_p_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.legendre_polynomial_p", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_legendre_polynomial_p_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.legendre_polynomial_p", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_legendre_polynomial_p_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.legendre_polynomial_p", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_log1p(const Tensor &self) { FL_CALL(tensor, "special.log1p", "self", of_tensor(self)) }
inline Tensor &special_log1p_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.log1p", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_log_ndtr(const Tensor &self) { FL_CALL(tensor, "special.log_ndtr", "self", of_tensor(self)) }
inline Tensor &special_log_ndtr_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.log_ndtr", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_log_softmax(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "special.log_softmax", "self dim dtype", of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor special_logit(const Tensor &self, optional<double> eps = nullopt) { FL_CALL(tensor, "special.logit", "self eps", of_tensor(self), of_double_or_none(eps)) }
inline Tensor &special_logit_out(Tensor &out, const Tensor &self, optional<double> eps = nullopt) { FL_CALL(same(out), "special.logit", "out self eps", of_tensor(out), of_tensor(self), of_double_or_none(eps)) }
inline Tensor special_logsumexp(const Tensor &self, IntArrayRef dim, bool keepdim = false) { FL_CALL(tensor, "special.logsumexp", "self dim keepdim", of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline Tensor &special_logsumexp_out(Tensor &out, const Tensor &self, IntArrayRef dim, bool keepdim = false) { FL_CALL(same(out), "special.logsumexp", "out self dim keepdim", of_tensor(out), of_tensor(self), of_ints(dim), of_bool(keepdim)) }
inline Tensor special_modified_bessel_i0(const Tensor &self) { FL_CALL(tensor, "special.modified_bessel_i0", "self", of_tensor(self)) }
inline Tensor &special_modified_bessel_i0_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.modified_bessel_i0", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_modified_bessel_i1(const Tensor &self) { FL_CALL(tensor, "special.modified_bessel_i1", "self", of_tensor(self)) }
inline Tensor &special_modified_bessel_i1_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.modified_bessel_i1", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_modified_bessel_k0(const Tensor &self) { FL_CALL(tensor, "special.modified_bessel_k0", "self", of_tensor(self)) }
inline Tensor &special_modified_bessel_k0_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.modified_bessel_k0", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_modified_bessel_k1(const Tensor &self) { FL_CALL(tensor, "special.modified_bessel_k1", "self", of_tensor(self)) }
inline Tensor &special_modified_bessel_k1_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.modified_bessel_k1", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_multigammaln(const Tensor &self, int64_t p) { FL_CALL(tensor, "special.multigammaln", "self p", of_tensor(self), of_int(p)) }
inline Tensor &special_multigammaln_out(Tensor &out, const Tensor &self, int64_t p) { FL_CALL(same(out), "special.multigammaln", "out self p", of_tensor(out), of_tensor(self), of_int(p)) }
inline Tensor special_ndtr(const Tensor &self) { FL_CALL(tensor, "special.ndtr", "self", of_tensor(self)) }
inline Tensor &special_ndtr_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.ndtr", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_ndtri(const Tensor &self) { FL_CALL(tensor, "special.ndtri", "self", of_tensor(self)) }
inline Tensor &special_ndtri_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.ndtri", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_polygamma(int64_t n, const Tensor &self) { FL_CALL(tensor, "special.polygamma", "n self", of_int(n), of_tensor(self)) }
inline Tensor &special_polygamma_out(Tensor &out, int64_t n, const Tensor &self) { FL_CALL(same(out), "special.polygamma", "out n self", of_tensor(out), of_int(n), of_tensor(self)) }
inline Tensor special_psi(const Tensor &self) { FL_CALL(tensor, "special.psi", "self", of_tensor(self)) }
inline Tensor &special_psi_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.psi", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_round(const Tensor &self, int64_t decimals = 0) { FL_CALL(tensor, "special.round", "self decimals", of_tensor(self), of_int(decimals)) }
inline Tensor &special_round_out(Tensor &out, const Tensor &self, int64_t decimals = 0) { FL_CALL(same(out), "special.round", "out self decimals", of_tensor(out), of_tensor(self), of_int(decimals)) }
inline Tensor special_scaled_modified_bessel_k0(const Tensor &x) { FL_CALL(tensor, "special.scaled_modified_bessel_k0", "x", of_tensor(x)) }
inline Tensor &special_scaled_modified_bessel_k0_out(Tensor &out, const Tensor &x) { FL_CALL(same(out), "special.scaled_modified_bessel_k0", "out x", of_tensor(out), of_tensor(x)) }
inline Tensor special_scaled_modified_bessel_k1(const Tensor &x) { FL_CALL(tensor, "special.scaled_modified_bessel_k1", "x", of_tensor(x)) }
inline Tensor &special_scaled_modified_bessel_k1_out(Tensor &out, const Tensor &x) { FL_CALL(same(out), "special.scaled_modified_bessel_k1", "out x", of_tensor(out), of_tensor(x)) }
inline Tensor special_shifted_chebyshev_polynomial_t(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_t", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_t(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_t", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_t(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_t", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_t", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_t_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_t", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_t_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_t", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_shifted_chebyshev_polynomial_u(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_u", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_u(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_u", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_u(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_u", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_u", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_u_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_u", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_u_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_u", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_shifted_chebyshev_polynomial_v(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_v", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_v(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_v", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_v(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_v", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_v", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_v_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_v", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_v_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_v", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_shifted_chebyshev_polynomial_w(const Tensor &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_w", "x n", of_tensor(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_w(const Scalar &x, const Tensor &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_w", "x n", of_scalar(x), of_tensor(n)) }
inline Tensor special_shifted_chebyshev_polynomial_w(const Tensor &x, const Scalar &n) { FL_CALL(tensor, "special.shifted_chebyshev_polynomial_w", "x n", of_tensor(x), of_scalar(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_w", "out x n", of_tensor(out), of_tensor(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_w_out(Tensor &out, const Scalar &x, const Tensor &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_w", "out x n", of_tensor(out), of_scalar(x), of_tensor(n)) }
inline Tensor &special_shifted_chebyshev_polynomial_w_out(Tensor &out, const Tensor &x, const Scalar &n) { FL_CALL(same(out), "special.shifted_chebyshev_polynomial_w", "out x n", of_tensor(out), of_tensor(x), of_scalar(n)) }
inline Tensor special_sinc(const Tensor &self) { FL_CALL(tensor, "special.sinc", "self", of_tensor(self)) }
inline Tensor &special_sinc_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "special.sinc", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor special_softmax(const Tensor &self, int64_t dim, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "special.softmax", "self dim dtype", of_tensor(self), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor special_spherical_bessel_j0(const Tensor &x) { FL_CALL(tensor, "special.spherical_bessel_j0", "x", of_tensor(x)) }
inline Tensor &special_spherical_bessel_j0_out(Tensor &out, const Tensor &x) { FL_CALL(same(out), "special.spherical_bessel_j0", "out x", of_tensor(out), of_tensor(x)) }
inline Tensor special_xlog1py(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "special.xlog1py", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor special_xlog1py(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "special.xlog1py", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor special_xlog1py(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "special.xlog1py", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &special_xlog1py_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "special.xlog1py", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &special_xlog1py_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "special.xlog1py", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &special_xlog1py_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "special.xlog1py", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor special_xlogy(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "special.xlogy", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor special_xlogy(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "special.xlogy", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor special_xlogy(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "special.xlogy", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &special_xlogy_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "special.xlogy", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &special_xlogy_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "special.xlogy", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &special_xlogy_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "special.xlogy", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor special_zeta(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "special.zeta", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor special_zeta(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "special.zeta", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor special_zeta(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "special.zeta", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &special_zeta_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "special.zeta", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &special_zeta_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "special.zeta", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &special_zeta_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "special.zeta", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline std::vector<Tensor> split(const Tensor &self, int64_t split_size, int64_t dim = 0) { FL_CALL(tensors, "split.Tensor", "self split_size dim", of_tensor(self), of_int(split_size), of_int(dim)) }
inline std::vector<Tensor> split(const Tensor &self, IntArrayRef split_size, int64_t dim = 0) { FL_CALL(tensors, "split.sizes", "self split_size dim", of_tensor(self), of_ints(split_size), of_int(dim)) }
inline std::vector<Tensor> split_copy(const Tensor &self, int64_t split_size, int64_t dim = 0) { FL_CALL(tensors, "split_copy", "self split_size dim", of_tensor(self), of_int(split_size), of_int(dim)) }
inline std::vector<Tensor> split_with_sizes(const Tensor &self, IntArrayRef split_sizes, int64_t dim = 0) { FL_CALL(tensors, "split_with_sizes", "self split_sizes dim", of_tensor(self), of_ints(split_sizes), of_int(dim)) }
inline std::vector<Tensor> split_with_sizes_copy(const Tensor &self, IntArrayRef split_sizes, int64_t dim = 0) { FL_CALL(tensors, "split_with_sizes_copy", "self split_sizes dim", of_tensor(self), of_ints(split_sizes), of_int(dim)) }
inline Tensor sqrt(const Tensor &self) { FL_CALL(tensor, "sqrt", "self", of_tensor(self)) }
inline Tensor &sqrt_(Tensor &self) { FL_CALL(same(self), "sqrt_", "self", of_tensor(self)) }
inline Tensor &sqrt_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "sqrt", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor square(const Tensor &self) { FL_CALL(tensor, "square", "self", of_tensor(self)) }
inline Tensor &square_(Tensor &self) { FL_CALL(same(self), "square_", "self", of_tensor(self)) }
inline Tensor &square_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "square", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor squeeze(const Tensor &self) { FL_CALL(tensor, "squeeze", "self", of_tensor(self)) }
inline Tensor squeeze(const Tensor &self, int64_t dim) { FL_CALL(tensor, "squeeze", "self dim", of_tensor(self), of_int(dim)) }
inline Tensor squeeze(const Tensor &self, IntArrayRef dim) { FL_CALL(tensor, "squeeze", "self dim", of_tensor(self), of_ints(dim)) }
inline Tensor squeeze_copy(const Tensor &self) { FL_CALL(tensor, "squeeze_copy.default", "self", of_tensor(self)) }
inline Tensor squeeze_copy(const Tensor &self, int64_t dim) { FL_CALL(tensor, "squeeze_copy.dim", "self dim", of_tensor(self), of_int(dim)) }
inline Tensor squeeze_copy(const Tensor &self, IntArrayRef dim) { FL_CALL(tensor, "squeeze_copy.dims", "self dim", of_tensor(self), of_ints(dim)) }
inline Tensor &squeeze_copy_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "squeeze_copy.default", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor &squeeze_copy_out(Tensor &out, const Tensor &self, int64_t dim) { FL_CALL(same(out), "squeeze_copy.dim", "out self dim", of_tensor(out), of_tensor(self), of_int(dim)) }
inline Tensor &squeeze_copy_out(Tensor &out, const Tensor &self, IntArrayRef dim) { FL_CALL(same(out), "squeeze_copy.dims", "out self dim", of_tensor(out), of_tensor(self), of_ints(dim)) }
inline Tensor stack(TensorList tensors, int64_t dim = 0) { FL_CALL(tensor, "stack", "tensors dim", of_tensors(tensors), of_int(dim)) }
inline Tensor &stack_out(Tensor &out, TensorList tensors, int64_t dim = 0) { FL_CALL(same(out), "stack", "out tensors dim", of_tensor(out), of_tensors(tensors), of_int(dim)) }
inline Tensor std(const Tensor &self, OptionalIntArrayRef dim = nullopt, const optional<Scalar> &correction = nullopt, bool keepdim = false) { FL_CALL(tensor, "std.correction", "self dim correction keepdim", of_tensor(self), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline Tensor std(const Tensor &self, bool unbiased) { FL_CALL(tensor, "std.default", "self unbiased", of_tensor(self), of_bool(unbiased)) }
inline Tensor std(const Tensor &self, OptionalIntArrayRef dim, bool unbiased, bool keepdim = false) { FL_CALL(tensor, "std.dim", "self dim unbiased keepdim", of_tensor(self), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline std::tuple<Tensor, Tensor> std_mean(const Tensor &self, OptionalIntArrayRef dim = nullopt, const optional<Scalar> &correction = nullopt, bool keepdim = false) { FL_CALL(two, "std_mean.correction", "self dim correction keepdim", of_tensor(self), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline std::tuple<Tensor, Tensor> std_mean(const Tensor &self, bool unbiased) { FL_CALL(two, "std_mean.default", "self unbiased", of_tensor(self), of_bool(unbiased)) }
inline std::tuple<Tensor, Tensor> std_mean(const Tensor &self, OptionalIntArrayRef dim, bool unbiased, bool keepdim = false) { FL_CALL(two, "std_mean.dim", "self dim unbiased keepdim", of_tensor(self), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline Tensor &std_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim = nullopt, const optional<Scalar> &correction = nullopt, bool keepdim = false) { FL_CALL(same(out), "std.correction", "out self dim correction keepdim", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline Tensor &std_out(Tensor &out, const Tensor &self, bool unbiased) { FL_CALL(same(out), "std.default", "out self unbiased", of_tensor(out), of_tensor(self), of_bool(unbiased)) }
inline Tensor &std_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim, bool unbiased, bool keepdim = false) { FL_CALL(same(out), "std.dim", "out self dim unbiased keepdim", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline Tensor stft(const Tensor &self, int64_t n_fft, optional<int64_t> hop_length = nullopt, optional<int64_t> win_length = nullopt, const optional<Tensor> &window = nullopt, bool center = true, const std::string &pad_mode = "reflect", bool normalized = false, optional<bool> onesided = nullopt, optional<bool> return_complex = nullopt, optional<bool> align_to_window = nullopt) { FL_CALL(tensor, "stft", "self n_fft hop_length win_length window center pad_mode normalized onesided return_complex align_to_window", of_tensor(self), of_int(n_fft), of_int_or_none(hop_length), of_int_or_none(win_length), of_tensor_or_none(window), of_bool(center), of_string(pad_mode), of_bool(normalized), of_bool_or_none(onesided), of_bool_or_none(return_complex), of_bool_or_none(align_to_window)) }
inline Tensor sub(const Tensor &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(tensor, "sub", "self other alpha", of_tensor(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor sub(const Scalar &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(tensor, "sub", "self other alpha", of_scalar(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor sub(const Tensor &self, const Scalar &other, const Scalar &alpha = 1) { FL_CALL(tensor, "sub", "self other alpha", of_tensor(self), of_scalar(other), of_scalar(alpha)) }
inline Tensor &sub_out(Tensor &out, const Tensor &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(same(out), "sub", "out self other alpha", of_tensor(out), of_tensor(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor &sub_out(Tensor &out, const Scalar &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(same(out), "sub", "out self other alpha", of_tensor(out), of_scalar(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor &sub_out(Tensor &out, const Tensor &self, const Scalar &other, const Scalar &alpha = 1) { FL_CALL(same(out), "sub", "out self other alpha", of_tensor(out), of_tensor(self), of_scalar(other), of_scalar(alpha)) }
inline Tensor subtract(const Tensor &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(tensor, "sub", "self other alpha", of_tensor(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor subtract(const Scalar &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(tensor, "sub", "self other alpha", of_scalar(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor subtract(const Tensor &self, const Scalar &other, const Scalar &alpha = 1) { FL_CALL(tensor, "sub", "self other alpha", of_tensor(self), of_scalar(other), of_scalar(alpha)) }
inline Tensor &subtract_out(Tensor &out, const Tensor &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(same(out), "sub", "out self other alpha", of_tensor(out), of_tensor(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor &subtract_out(Tensor &out, const Scalar &self, const Tensor &other, const Scalar &alpha = 1) { FL_CALL(same(out), "sub", "out self other alpha", of_tensor(out), of_scalar(self), of_tensor(other), of_scalar(alpha)) }
inline Tensor &subtract_out(Tensor &out, const Tensor &self, const Scalar &other, const Scalar &alpha = 1) { FL_CALL(same(out), "sub", "out self other alpha", of_tensor(out), of_tensor(self), of_scalar(other), of_scalar(alpha)) }
inline Tensor sum(const Tensor &self, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "sum", "self dtype", of_tensor(self), of_dtype_or_none(dtype)) }
inline Tensor sum(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(tensor, "sum", "self dim keepdim dtype", of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor &sum_out(Tensor &out, const Tensor &self, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "sum", "out self dtype", of_tensor(out), of_tensor(self), of_dtype_or_none(dtype)) }
inline Tensor &sum_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) { FL_CALL(same(out), "sum", "out self dim keepdim dtype", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline std::tuple<Tensor, Tensor, Tensor> svd(const Tensor &self, bool some = true, bool compute_uv = true) { FL_CALL(three, "svd", "self some compute_uv", of_tensor(self), of_bool(some), of_bool(compute_uv)) }
inline std::vector<Tensor> svd_lowrank(const Tensor &A, optional<int64_t> q = 6, optional<int64_t> niter = 2, const optional<Tensor> &M = nullopt) { FL_CALL(tensors, "svd_lowrank", "A q niter M", of_tensor(A), of_int_or_none(q), of_int_or_none(niter), of_tensor_or_none(M)) }
inline std::tuple<Tensor &, Tensor &, Tensor &> svd_out(Tensor &U, Tensor &S, Tensor &V, const Tensor &self, bool some = true, bool compute_uv = true) { const Tensor flambeau_out[] = {U, S, V}; FL_CALL(these(U, S, V), "svd", "out self some compute_uv", of_tensors(flambeau_out), of_tensor(self), of_bool(some), of_bool(compute_uv)) }
inline Tensor swapaxes(const Tensor &self, int64_t axis0, int64_t axis1) { FL_CALL(tensor, "swapaxes", "self axis0 axis1", of_tensor(self), of_int(axis0), of_int(axis1)) }
inline Tensor swapdims(const Tensor &self, int64_t dim0, int64_t dim1) { FL_CALL(tensor, "transpose", "self dim0 dim1", of_tensor(self), of_int(dim0), of_int(dim1)) }
inline Tensor t(const Tensor &self) { FL_CALL(tensor, "t", "self", of_tensor(self)) }
inline Tensor t_copy(const Tensor &self) { FL_CALL(tensor, "t_copy", "self", of_tensor(self)) }
inline Tensor &t_copy_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "t_copy", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor take(const Tensor &self, const Tensor &index) { FL_CALL(tensor, "take", "self index", of_tensor(self), of_tensor(index)) }
inline Tensor take_along_dim(const Tensor &self, const Tensor &indices, optional<int64_t> dim = nullopt) { FL_CALL(tensor, "take_along_dim", "self indices dim", of_tensor(self), of_tensor(indices), of_int_or_none(dim)) }
inline Tensor &take_along_dim_out(Tensor &out, const Tensor &self, const Tensor &indices, optional<int64_t> dim = nullopt) { FL_CALL(same(out), "take_along_dim", "out self indices dim", of_tensor(out), of_tensor(self), of_tensor(indices), of_int_or_none(dim)) }
inline Tensor &take_out(Tensor &out, const Tensor &self, const Tensor &index) { FL_CALL(same(out), "take", "out self index", of_tensor(out), of_tensor(self), of_tensor(index)) }
inline Tensor tan(const Tensor &self) { FL_CALL(tensor, "tan", "self", of_tensor(self)) }
inline Tensor &tan_(Tensor &self) { FL_CALL(same(self), "tan_", "self", of_tensor(self)) }
inline Tensor &tan_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "tan", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor tanh(const Tensor &self) { FL_CALL(tensor, "tanh", "self", of_tensor(self)) }
inline Tensor &tanh_(Tensor &self) { FL_CALL(same(self), "tanh_", "self", of_tensor(self)) }
inline Tensor &tanh_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "tanh", "out self", of_tensor(out), of_tensor(self)) }
inline std::vector<Tensor> tensor_split(const Tensor &self, int64_t sections, int64_t dim = 0) { FL_CALL(tensors, "tensor_split.sections", "self sections dim", of_tensor(self), of_int(sections), of_int(dim)) }
inline std::vector<Tensor> tensor_split(const Tensor &self, IntArrayRef indices, int64_t dim = 0) { FL_CALL(tensors, "tensor_split.indices", "self indices dim", of_tensor(self), of_ints(indices), of_int(dim)) }
inline std::vector<Tensor> tensor_split(const Tensor &self, const Tensor &tensor_indices_or_sections, int64_t dim = 0) { FL_CALL(tensors, "tensor_split.tensor_indices_or_sections", "self tensor_indices_or_sections dim", of_tensor(self), of_tensor(tensor_indices_or_sections), of_int(dim)) }
inline Tensor tensordot(const Tensor &self, const Tensor &other, IntArrayRef dims_self, IntArrayRef dims_other) { FL_CALL(tensor, "_ops.tensordot", "self other dims_self dims_other", of_tensor(self), of_tensor(other), of_ints(dims_self), of_ints(dims_other)) }
inline Tensor threshold(const Tensor &self, const Scalar &threshold, const Scalar &value) { FL_CALL(tensor, "_C._nn.threshold", "self threshold value", of_tensor(self), of_scalar(threshold), of_scalar(value)) }
inline Tensor &threshold_(Tensor &self, const Scalar &threshold, const Scalar &value) { FL_CALL(same(self), "_C._nn.threshold_", "self threshold value", of_tensor(self), of_scalar(threshold), of_scalar(value)) }
inline Tensor tile(const Tensor &self, IntArrayRef dims) { FL_CALL(tensor, "tile", "self dims", of_tensor(self), of_ints(dims)) }
inline std::tuple<Tensor, Tensor> topk(const Tensor &self, int64_t k, int64_t dim = -1, bool largest = true, bool sorted = true) { FL_CALL(two, "topk", "self k dim largest sorted", of_tensor(self), of_int(k), of_int(dim), of_bool(largest), of_bool(sorted)) }
inline std::tuple<Tensor &, Tensor &> topk_out(Tensor &values, Tensor &indices, const Tensor &self, int64_t k, int64_t dim = -1, bool largest = true, bool sorted = true) { const Tensor flambeau_out[] = {values, indices}; FL_CALL(these(values, indices), "topk", "out self k dim largest sorted", of_tensors(flambeau_out), of_tensor(self), of_int(k), of_int(dim), of_bool(largest), of_bool(sorted)) }
inline Tensor trace(const Tensor &self) { FL_CALL(tensor, "trace", "self", of_tensor(self)) }
inline Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1) { FL_CALL(tensor, "transpose", "self dim0 dim1", of_tensor(self), of_int(dim0), of_int(dim1)) }
inline Tensor transpose_copy(const Tensor &self, int64_t dim0, int64_t dim1) { FL_CALL(tensor, "transpose_copy", "self dim0 dim1", of_tensor(self), of_int(dim0), of_int(dim1)) }
inline Tensor &transpose_copy_out(Tensor &out, const Tensor &self, int64_t dim0, int64_t dim1) { FL_CALL(same(out), "transpose_copy", "out self dim0 dim1", of_tensor(out), of_tensor(self), of_int(dim0), of_int(dim1)) }
inline Tensor trapezoid(const Tensor &y, const Tensor &x, int64_t dim = -1) { FL_CALL(tensor, "trapezoid.x", "y x dim", of_tensor(y), of_tensor(x), of_int(dim)) }
inline Tensor trapezoid(const Tensor &y, const Scalar &dx = 1, int64_t dim = -1) { FL_CALL(tensor, "trapezoid.dx", "y dx dim", of_tensor(y), of_scalar(dx), of_int(dim)) }
inline Tensor trapz(const Tensor &y, const Tensor &x, int64_t dim = -1) { FL_CALL(tensor, "trapz.x", "y x dim", of_tensor(y), of_tensor(x), of_int(dim)) }
inline Tensor trapz(const Tensor &y, double dx = 1, int64_t dim = -1) { FL_CALL(tensor, "trapz.dx", "y dx dim", of_tensor(y), of_double(dx), of_int(dim)) }
inline std::tuple<Tensor, Tensor> triangular_solve(const Tensor &self, const Tensor &A, bool upper = true, bool transpose = false, bool unitriangular = false) { FL_CALL(two, "triangular_solve", "self A upper transpose unitriangular", of_tensor(self), of_tensor(A), of_bool(upper), of_bool(transpose), of_bool(unitriangular)) }
inline std::tuple<Tensor &, Tensor &> triangular_solve_out(Tensor &solution, Tensor &cloned_coefficient, const Tensor &self, const Tensor &A, bool upper = true, bool transpose = false, bool unitriangular = false) { const Tensor flambeau_out[] = {solution, cloned_coefficient}; FL_CALL(these(solution, cloned_coefficient), "triangular_solve", "out self A upper transpose unitriangular", of_tensors(flambeau_out), of_tensor(self), of_tensor(A), of_bool(upper), of_bool(transpose), of_bool(unitriangular)) }
inline Tensor tril(const Tensor &self, int64_t diagonal = 0) { FL_CALL(tensor, "tril", "self diagonal", of_tensor(self), of_int(diagonal)) }
inline Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0, const TensorOptions &options = {}) { FL_CALL(tensor, "tril_indices", "row col offset dtype device requires_grad", of_int(row), of_int(col), of_int(offset), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &tril_out(Tensor &out, const Tensor &self, int64_t diagonal = 0) { FL_CALL(same(out), "tril", "out self diagonal", of_tensor(out), of_tensor(self), of_int(diagonal)) }
inline Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative, double margin = 1.0, double p = 2, double eps = 1e-06, bool swap = false, int64_t reduction = Reduction::Mean) { FL_CALL(tensor, "nn.functional.triplet_margin_loss", "anchor positive negative margin p eps swap reduction", of_tensor(anchor), of_tensor(positive), of_tensor(negative), of_double(margin), of_double(p), of_double(eps), of_bool(swap), of_reduction(reduction)) }
inline Tensor triu(const Tensor &self, int64_t diagonal = 0) { FL_CALL(tensor, "triu", "self diagonal", of_tensor(self), of_int(diagonal)) }
inline Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0, const TensorOptions &options = {}) { FL_CALL(tensor, "triu_indices", "row col offset dtype device requires_grad", of_int(row), of_int(col), of_int(offset), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &triu_out(Tensor &out, const Tensor &self, int64_t diagonal = 0) { FL_CALL(same(out), "triu", "out self diagonal", of_tensor(out), of_tensor(self), of_int(diagonal)) }
inline Tensor true_divide(const Tensor &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor true_divide(const Scalar &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_scalar(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor true_divide(const Tensor &self, const Scalar &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(self), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor &true_divide_out(Tensor &out, const Tensor &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_tensor(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &true_divide_out(Tensor &out, const Scalar &self, const Tensor &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_scalar(self), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &true_divide_out(Tensor &out, const Tensor &self, const Scalar &other, const optional<std::string> &rounding_mode = nullopt) { FL_CALL(same(out), "div", "out self other rounding_mode", of_tensor(out), of_tensor(self), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor trunc(const Tensor &self) { FL_CALL(tensor, "trunc", "self", of_tensor(self)) }
inline Tensor &trunc_(Tensor &self) { FL_CALL(same(self), "trunc_", "self", of_tensor(self)) }
inline Tensor &trunc_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "trunc", "out self", of_tensor(out), of_tensor(self)) }
inline std::vector<Tensor> unbind(const Tensor &self, int64_t dim = 0) { FL_CALL(tensors, "unbind", "self dim", of_tensor(self), of_int(dim)) }
inline std::vector<Tensor> unbind_copy(const Tensor &self, int64_t dim = 0) { FL_CALL(tensors, "unbind_copy", "self dim", of_tensor(self), of_int(dim)) }
inline Tensor unflatten(const Tensor &self, int64_t dim, IntArrayRef sizes) { FL_CALL(tensor, "unflatten", "self dim sizes", of_tensor(self), of_int(dim), of_ints(sizes)) }
inline Tensor unfold_copy(const Tensor &self, int64_t dimension, int64_t size, int64_t step) { FL_CALL(tensor, "unfold_copy", "self dimension size step", of_tensor(self), of_int(dimension), of_int(size), of_int(step)) }
inline Tensor &unfold_copy_out(Tensor &out, const Tensor &self, int64_t dimension, int64_t size, int64_t step) { FL_CALL(same(out), "unfold_copy", "out self dimension size step", of_tensor(out), of_tensor(self), of_int(dimension), of_int(size), of_int(step)) }
inline std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor &self, bool return_inverse = false, bool return_counts = false, optional<int64_t> dim = nullopt) { FL_CALL(three, "_ops.unique_consecutive", "self return_inverse return_counts dim", of_tensor(self), of_bool(return_inverse), of_bool(return_counts), of_int_or_none(dim)) }
inline std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor &self, int64_t dim, bool sorted = true, bool return_inverse = false, bool return_counts = false) { FL_CALL(three, "_ops.unique", "self dim sorted return_inverse return_counts", of_tensor(self), of_int(dim), of_bool(sorted), of_bool(return_inverse), of_bool(return_counts)) }
inline std::vector<Tensor> unsafe_chunk(const Tensor &self, int64_t chunks, int64_t dim = 0) { FL_CALL(tensors, "unsafe_chunk", "self chunks dim", of_tensor(self), of_int(chunks), of_int(dim)) }
inline std::vector<Tensor> unsafe_split(const Tensor &self, int64_t split_size, int64_t dim = 0) { FL_CALL(tensors, "unsafe_split", "self split_size dim", of_tensor(self), of_int(split_size), of_int(dim)) }
inline std::vector<Tensor> unsafe_split_with_sizes(const Tensor &self, IntArrayRef split_sizes, int64_t dim = 0) { FL_CALL(tensors, "unsafe_split_with_sizes", "self split_sizes dim", of_tensor(self), of_ints(split_sizes), of_int(dim)) }
inline Tensor unsqueeze(const Tensor &self, int64_t dim) { FL_CALL(tensor, "unsqueeze", "self dim", of_tensor(self), of_int(dim)) }
inline Tensor unsqueeze_copy(const Tensor &self, int64_t dim) { FL_CALL(tensor, "unsqueeze_copy", "self dim", of_tensor(self), of_int(dim)) }
inline Tensor &unsqueeze_copy_out(Tensor &out, const Tensor &self, int64_t dim) { FL_CALL(same(out), "unsqueeze_copy", "out self dim", of_tensor(out), of_tensor(self), of_int(dim)) }
inline Tensor vander(const Tensor &x, optional<int64_t> N = nullopt, bool increasing = false) { FL_CALL(tensor, "vander", "x N increasing", of_tensor(x), of_int_or_none(N), of_bool(increasing)) }
inline Tensor var(const Tensor &self, OptionalIntArrayRef dim = nullopt, const optional<Scalar> &correction = nullopt, bool keepdim = false) { FL_CALL(tensor, "var.correction", "self dim correction keepdim", of_tensor(self), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline Tensor var(const Tensor &self, bool unbiased) { FL_CALL(tensor, "var.default", "self unbiased", of_tensor(self), of_bool(unbiased)) }
inline Tensor var(const Tensor &self, OptionalIntArrayRef dim, bool unbiased, bool keepdim = false) { FL_CALL(tensor, "var.dim", "self dim unbiased keepdim", of_tensor(self), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline std::tuple<Tensor, Tensor> var_mean(const Tensor &self, OptionalIntArrayRef dim = nullopt, const optional<Scalar> &correction = nullopt, bool keepdim = false) { FL_CALL(two, "var_mean.correction", "self dim correction keepdim", of_tensor(self), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline std::tuple<Tensor, Tensor> var_mean(const Tensor &self, bool unbiased) { FL_CALL(two, "var_mean.default", "self unbiased", of_tensor(self), of_bool(unbiased)) }
inline std::tuple<Tensor, Tensor> var_mean(const Tensor &self, OptionalIntArrayRef dim, bool unbiased, bool keepdim = false) { FL_CALL(two, "var_mean.dim", "self dim unbiased keepdim", of_tensor(self), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline Tensor &var_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim = nullopt, const optional<Scalar> &correction = nullopt, bool keepdim = false) { FL_CALL(same(out), "var.correction", "out self dim correction keepdim", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline Tensor &var_out(Tensor &out, const Tensor &self, bool unbiased) { FL_CALL(same(out), "var.default", "out self unbiased", of_tensor(out), of_tensor(self), of_bool(unbiased)) }
inline Tensor &var_out(Tensor &out, const Tensor &self, OptionalIntArrayRef dim, bool unbiased, bool keepdim = false) { FL_CALL(same(out), "var.dim", "out self dim unbiased keepdim", of_tensor(out), of_tensor(self), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline Tensor vdot(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "vdot", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &vdot_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "vdot", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor view_as_complex(const Tensor &self) { FL_CALL(tensor, "view_as_complex", "self", of_tensor(self)) }
inline Tensor view_as_complex_copy(const Tensor &self) { FL_CALL(tensor, "view_as_complex_copy", "self", of_tensor(self)) }
inline Tensor &view_as_complex_copy_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "view_as_complex_copy", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor view_as_real(const Tensor &self) { FL_CALL(tensor, "view_as_real", "self", of_tensor(self)) }
inline Tensor view_as_real_copy(const Tensor &self) { FL_CALL(tensor, "view_as_real_copy", "self", of_tensor(self)) }
inline Tensor &view_as_real_copy_out(Tensor &out, const Tensor &self) { FL_CALL(same(out), "view_as_real_copy", "out self", of_tensor(out), of_tensor(self)) }
inline Tensor view_copy(const Tensor &self, IntArrayRef size) { FL_CALL(tensor, "view_copy.default", "self size", of_tensor(self), of_ints(size)) }
inline Tensor view_copy(const Tensor &self, ScalarType dtype) { FL_CALL(tensor, "view_copy.dtype", "self dtype", of_tensor(self), of_dtype(dtype)) }
inline Tensor &view_copy_out(Tensor &out, const Tensor &self, IntArrayRef size) { FL_CALL(same(out), "view_copy.default", "out self size", of_tensor(out), of_tensor(self), of_ints(size)) }
inline Tensor &view_copy_out(Tensor &out, const Tensor &self, ScalarType dtype) { FL_CALL(same(out), "view_copy.dtype", "out self dtype", of_tensor(out), of_tensor(self), of_dtype(dtype)) }
inline std::vector<Tensor> vsplit(const Tensor &self, int64_t sections) { FL_CALL(tensors, "vsplit.int", "self sections", of_tensor(self), of_int(sections)) }
inline std::vector<Tensor> vsplit(const Tensor &self, IntArrayRef indices) { FL_CALL(tensors, "vsplit.array", "self indices", of_tensor(self), of_ints(indices)) }
inline Tensor vstack(TensorList tensors) { FL_CALL(tensor, "vstack", "tensors", of_tensors(tensors)) }
inline Tensor &vstack_out(Tensor &out, TensorList tensors) { FL_CALL(same(out), "vstack", "out tensors", of_tensor(out), of_tensors(tensors)) }
inline std::vector<Tensor> where(const Tensor &condition) { FL_CALL(tensors, "where.default", "condition", of_tensor(condition)) }
inline Tensor where(const Tensor &condition, const Tensor &self, const Tensor &other) { FL_CALL(tensor, "where.self", "condition self other", of_tensor(condition), of_tensor(self), of_tensor(other)) }
inline Tensor where(const Tensor &condition, const Scalar &self, const Tensor &other) { FL_CALL(tensor, "where.self", "condition self other", of_tensor(condition), of_scalar(self), of_tensor(other)) }
inline Tensor where(const Tensor &condition, const Tensor &self, const Scalar &other) { FL_CALL(tensor, "where.self", "condition self other", of_tensor(condition), of_tensor(self), of_scalar(other)) }
inline Tensor where(const Tensor &condition, const Scalar &self, const Scalar &other) { FL_CALL(tensor, "where.Scalar", "condition self other", of_tensor(condition), of_scalar(self), of_scalar(other)) }
inline Tensor &where_out(Tensor &out, const Tensor &condition, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "where.self", "out condition self other", of_tensor(out), of_tensor(condition), of_tensor(self), of_tensor(other)) }
inline Tensor &where_out(Tensor &out, const Tensor &condition, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "where.self", "out condition self other", of_tensor(out), of_tensor(condition), of_scalar(self), of_tensor(other)) }
inline Tensor &where_out(Tensor &out, const Tensor &condition, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "where.self", "out condition self other", of_tensor(out), of_tensor(condition), of_tensor(self), of_scalar(other)) }
inline Tensor xlogy(const Tensor &self, const Tensor &other) { FL_CALL(tensor, "xlogy", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor xlogy(const Scalar &self, const Tensor &other) { FL_CALL(tensor, "xlogy", "self other", of_scalar(self), of_tensor(other)) }
inline Tensor xlogy(const Tensor &self, const Scalar &other) { FL_CALL(tensor, "xlogy", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &xlogy_(Tensor &self, const Tensor &other) { FL_CALL(same(self), "xlogy_", "self other", of_tensor(self), of_tensor(other)) }
inline Tensor &xlogy_(Tensor &self, const Scalar &other) { FL_CALL(same(self), "xlogy_", "self other", of_tensor(self), of_scalar(other)) }
inline Tensor &xlogy_out(Tensor &out, const Tensor &self, const Tensor &other) { FL_CALL(same(out), "xlogy", "out self other", of_tensor(out), of_tensor(self), of_tensor(other)) }
inline Tensor &xlogy_out(Tensor &out, const Scalar &self, const Tensor &other) { FL_CALL(same(out), "xlogy", "out self other", of_tensor(out), of_scalar(self), of_tensor(other)) }
inline Tensor &xlogy_out(Tensor &out, const Tensor &self, const Scalar &other) { FL_CALL(same(out), "xlogy", "out self other", of_tensor(out), of_tensor(self), of_scalar(other)) }
inline Tensor &zero_(Tensor &self) { FL_CALL(same(self), "zero_", "self", of_tensor(self)) }
inline Tensor zeros(IntArrayRef size, const TensorOptions &options = {}) { FL_CALL(tensor, "zeros", "size dtype device requires_grad", of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor zeros_like(const Tensor &self, const TensorOptions &options = {}, optional<MemoryFormat> = nullopt) { FL_CALL(tensor, "zeros_like", "self dtype device requires_grad", of_tensor(self), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor &zeros_out(Tensor &out, IntArrayRef size) { FL_CALL(same(out), "zeros", "out size", of_tensor(out), of_ints(size)) }

inline Tensor Tensor::abs() const { FL_CALL(tensor, "abs", "self", of_tensor(*this)) }
inline Tensor &Tensor::abs_() const { FL_CALL(same(*this), "abs_", "self", of_tensor(*this)) }
inline Tensor Tensor::absolute() const { FL_CALL(tensor, "abs", "self", of_tensor(*this)) }
inline Tensor &Tensor::absolute_() const { FL_CALL(same(*this), "abs_", "self", of_tensor(*this)) }
inline Tensor Tensor::acos() const { FL_CALL(tensor, "acos", "self", of_tensor(*this)) }
inline Tensor &Tensor::acos_() const { FL_CALL(same(*this), "acos_", "self", of_tensor(*this)) }
inline Tensor Tensor::acosh() const { FL_CALL(tensor, "acosh", "self", of_tensor(*this)) }
inline Tensor &Tensor::acosh_() const { FL_CALL(same(*this), "acosh_", "self", of_tensor(*this)) }
inline Tensor Tensor::add(const Tensor &other, const Scalar &alpha) const { FL_CALL(tensor, "add", "self other alpha", of_tensor(*this), of_tensor(other), of_scalar(alpha)) }
inline Tensor Tensor::add(const Scalar &other, const Scalar &alpha) const { FL_CALL(tensor, "add", "self other alpha", of_tensor(*this), of_scalar(other), of_scalar(alpha)) }
inline Tensor &Tensor::add_(const Tensor &other, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.add_", "self other alpha", of_tensor(*this), of_tensor(other), of_scalar(alpha)) }
inline Tensor &Tensor::add_(const Scalar &other, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.add_", "self other alpha", of_tensor(*this), of_scalar(other), of_scalar(alpha)) }
inline Tensor Tensor::addbmm(const Tensor &batch1, const Tensor &batch2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(tensor, "addbmm", "self batch1 batch2 beta alpha", of_tensor(*this), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &Tensor::addbmm_(const Tensor &batch1, const Tensor &batch2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.addbmm_", "self batch1 batch2 beta alpha", of_tensor(*this), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor Tensor::addcdiv(const Tensor &tensor1, const Tensor &tensor2, const Scalar &value) const { FL_CALL(tensor, "addcdiv", "self tensor1 tensor2 value", of_tensor(*this), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor &Tensor::addcdiv_(const Tensor &tensor1, const Tensor &tensor2, const Scalar &value) const { FL_CALL(same(*this), "Tensor.addcdiv_", "self tensor1 tensor2 value", of_tensor(*this), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor Tensor::addcmul(const Tensor &tensor1, const Tensor &tensor2, const Scalar &value) const { FL_CALL(tensor, "addcmul", "self tensor1 tensor2 value", of_tensor(*this), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor &Tensor::addcmul_(const Tensor &tensor1, const Tensor &tensor2, const Scalar &value) const { FL_CALL(same(*this), "Tensor.addcmul_", "self tensor1 tensor2 value", of_tensor(*this), of_tensor(tensor1), of_tensor(tensor2), of_scalar(value)) }
inline Tensor Tensor::addmm(const Tensor &mat1, const Tensor &mat2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(tensor, "addmm", "self mat1 mat2 beta alpha", of_tensor(*this), of_tensor(mat1), of_tensor(mat2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &Tensor::addmm_(const Tensor &mat1, const Tensor &mat2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.addmm_", "self mat1 mat2 beta alpha", of_tensor(*this), of_tensor(mat1), of_tensor(mat2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor Tensor::addmv(const Tensor &mat, const Tensor &vec, const Scalar &beta, const Scalar &alpha) const { FL_CALL(tensor, "addmv", "self mat vec beta alpha", of_tensor(*this), of_tensor(mat), of_tensor(vec), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &Tensor::addmv_(const Tensor &mat, const Tensor &vec, const Scalar &beta, const Scalar &alpha) const { FL_CALL(same(*this), "addmv_", "self mat vec beta alpha", of_tensor(*this), of_tensor(mat), of_tensor(vec), of_scalar(beta), of_scalar(alpha)) }
inline Tensor Tensor::addr(const Tensor &vec1, const Tensor &vec2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(tensor, "addr", "self vec1 vec2 beta alpha", of_tensor(*this), of_tensor(vec1), of_tensor(vec2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &Tensor::addr_(const Tensor &vec1, const Tensor &vec2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.addr_", "self vec1 vec2 beta alpha", of_tensor(*this), of_tensor(vec1), of_tensor(vec2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor Tensor::adjoint() const { FL_CALL(tensor, "adjoint", "self", of_tensor(*this)) }
inline Tensor Tensor::all() const { FL_CALL(tensor, "all", "self", of_tensor(*this)) }
inline Tensor Tensor::all(int64_t dim, bool keepdim) const { FL_CALL(tensor, "all", "self dim keepdim", of_tensor(*this), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::all(OptionalIntArrayRef dim, bool keepdim) const { FL_CALL(tensor, "all", "self dim keepdim", of_tensor(*this), of_ints_or_none(dim), of_bool(keepdim)) }
inline bool Tensor::allclose(const Tensor &other, double rtol, double atol, bool equal_nan) const { FL_CALL(bool, "allclose", "self other rtol atol equal_nan", of_tensor(*this), of_tensor(other), of_double(rtol), of_double(atol), of_bool(equal_nan)) }
inline Tensor Tensor::amax(IntArrayRef dim, bool keepdim) const { FL_CALL(tensor, "amax", "self dim keepdim", of_tensor(*this), of_ints(dim), of_bool(keepdim)) }
inline Tensor Tensor::amin(IntArrayRef dim, bool keepdim) const { FL_CALL(tensor, "amin", "self dim keepdim", of_tensor(*this), of_ints(dim), of_bool(keepdim)) }
inline std::tuple<Tensor, Tensor> Tensor::aminmax(optional<int64_t> dim, bool keepdim) const { FL_CALL(two, "aminmax", "self dim keepdim", of_tensor(*this), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor Tensor::angle() const { FL_CALL(tensor, "angle", "self", of_tensor(*this)) }
inline Tensor Tensor::any() const { FL_CALL(tensor, "any", "self", of_tensor(*this)) }
inline Tensor Tensor::any(int64_t dim, bool keepdim) const { FL_CALL(tensor, "any", "self dim keepdim", of_tensor(*this), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::any(OptionalIntArrayRef dim, bool keepdim) const { FL_CALL(tensor, "any", "self dim keepdim", of_tensor(*this), of_ints_or_none(dim), of_bool(keepdim)) }
inline Tensor Tensor::arccos() const { FL_CALL(tensor, "acos", "self", of_tensor(*this)) }
inline Tensor &Tensor::arccos_() const { FL_CALL(same(*this), "acos_", "self", of_tensor(*this)) }
inline Tensor Tensor::arccosh() const { FL_CALL(tensor, "acosh", "self", of_tensor(*this)) }
inline Tensor &Tensor::arccosh_() const { FL_CALL(same(*this), "acosh_", "self", of_tensor(*this)) }
inline Tensor Tensor::arcsin() const { FL_CALL(tensor, "asin", "self", of_tensor(*this)) }
inline Tensor &Tensor::arcsin_() const { FL_CALL(same(*this), "asin_", "self", of_tensor(*this)) }
inline Tensor Tensor::arcsinh() const { FL_CALL(tensor, "asinh", "self", of_tensor(*this)) }
inline Tensor &Tensor::arcsinh_() const { FL_CALL(same(*this), "asinh_", "self", of_tensor(*this)) }
inline Tensor Tensor::arctan() const { FL_CALL(tensor, "atan", "self", of_tensor(*this)) }
inline Tensor Tensor::arctan2(const Tensor &other) const { FL_CALL(tensor, "atan2", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::arctan2_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.atan2_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::arctan_() const { FL_CALL(same(*this), "atan_", "self", of_tensor(*this)) }
inline Tensor Tensor::arctanh() const { FL_CALL(tensor, "atanh", "self", of_tensor(*this)) }
inline Tensor &Tensor::arctanh_() const { FL_CALL(same(*this), "atanh_", "self", of_tensor(*this)) }
inline Tensor Tensor::argmax(optional<int64_t> dim, bool keepdim) const { FL_CALL(tensor, "argmax", "self dim keepdim", of_tensor(*this), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor Tensor::argmin(optional<int64_t> dim, bool keepdim) const { FL_CALL(tensor, "argmin", "self dim keepdim", of_tensor(*this), of_int_or_none(dim), of_bool(keepdim)) }
inline Tensor Tensor::argsort(int64_t dim, bool descending) const { FL_CALL(tensor, "argsort.default", "self dim descending", of_tensor(*this), of_int(dim), of_bool(descending)) }
inline Tensor Tensor::argsort(bool stable, int64_t dim, bool descending) const { FL_CALL(tensor, "argsort.stable", "self stable dim descending", of_tensor(*this), of_bool(stable), of_int(dim), of_bool(descending)) }
inline Tensor Tensor::argwhere() const { FL_CALL(tensor, "argwhere", "self", of_tensor(*this)) }
inline Tensor Tensor::as_strided(IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset) const { FL_CALL(tensor, "as_strided", "self size stride storage_offset", of_tensor(*this), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor &Tensor::as_strided_(IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset) const { FL_CALL(same(*this), "as_strided_", "self size stride storage_offset", of_tensor(*this), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor Tensor::as_strided_scatter(const Tensor &src, IntArrayRef size, IntArrayRef stride, optional<int64_t> storage_offset) const { FL_CALL(tensor, "as_strided_scatter", "self src size stride storage_offset", of_tensor(*this), of_tensor(src), of_ints(size), of_ints(stride), of_int_or_none(storage_offset)) }
inline Tensor Tensor::asin() const { FL_CALL(tensor, "asin", "self", of_tensor(*this)) }
inline Tensor &Tensor::asin_() const { FL_CALL(same(*this), "asin_", "self", of_tensor(*this)) }
inline Tensor Tensor::asinh() const { FL_CALL(tensor, "asinh", "self", of_tensor(*this)) }
inline Tensor &Tensor::asinh_() const { FL_CALL(same(*this), "asinh_", "self", of_tensor(*this)) }
inline Tensor Tensor::atan() const { FL_CALL(tensor, "atan", "self", of_tensor(*this)) }
inline Tensor Tensor::atan2(const Tensor &other) const { FL_CALL(tensor, "atan2", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::atan2_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.atan2_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::atan_() const { FL_CALL(same(*this), "atan_", "self", of_tensor(*this)) }
inline Tensor Tensor::atanh() const { FL_CALL(tensor, "atanh", "self", of_tensor(*this)) }
inline Tensor &Tensor::atanh_() const { FL_CALL(same(*this), "atanh_", "self", of_tensor(*this)) }
inline Tensor Tensor::baddbmm(const Tensor &batch1, const Tensor &batch2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(tensor, "baddbmm", "self batch1 batch2 beta alpha", of_tensor(*this), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor &Tensor::baddbmm_(const Tensor &batch1, const Tensor &batch2, const Scalar &beta, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.baddbmm_", "self batch1 batch2 beta alpha", of_tensor(*this), of_tensor(batch1), of_tensor(batch2), of_scalar(beta), of_scalar(alpha)) }
inline Tensor Tensor::bernoulli() const { FL_CALL(tensor, "bernoulli", "self", of_tensor(*this)) }
inline Tensor Tensor::bernoulli(double p) const { FL_CALL(tensor, "bernoulli", "self p", of_tensor(*this), of_double(p)) }
inline Tensor &Tensor::bernoulli_(double p) const { FL_CALL(same(*this), "Tensor.bernoulli_.float", "self p", of_tensor(*this), of_double(p)) }
inline Tensor &Tensor::bernoulli_(const Tensor &p) const { FL_CALL(same(*this), "Tensor.bernoulli_.Tensor", "self p", of_tensor(*this), of_tensor(p)) }
inline Tensor Tensor::bincount(const optional<Tensor> &weights, int64_t minlength) const { FL_CALL(tensor, "bincount", "self weights minlength", of_tensor(*this), of_tensor_or_none(weights), of_int(minlength)) }
inline Tensor Tensor::bitwise_and(const Tensor &other) const { FL_CALL(tensor, "bitwise_and", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::bitwise_and(const Scalar &other) const { FL_CALL(tensor, "bitwise_and", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::bitwise_and_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.bitwise_and_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::bitwise_and_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.bitwise_and_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::bitwise_left_shift(const Tensor &other) const { FL_CALL(tensor, "bitwise_left_shift", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::bitwise_left_shift(const Scalar &other) const { FL_CALL(tensor, "bitwise_left_shift", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::bitwise_left_shift_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.bitwise_left_shift_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::bitwise_left_shift_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.bitwise_left_shift_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::bitwise_not() const { FL_CALL(tensor, "bitwise_not", "self", of_tensor(*this)) }
inline Tensor &Tensor::bitwise_not_() const { FL_CALL(same(*this), "Tensor.bitwise_not_", "self", of_tensor(*this)) }
inline Tensor Tensor::bitwise_or(const Tensor &other) const { FL_CALL(tensor, "bitwise_or", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::bitwise_or(const Scalar &other) const { FL_CALL(tensor, "bitwise_or", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::bitwise_or_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.bitwise_or_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::bitwise_or_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.bitwise_or_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::bitwise_right_shift(const Tensor &other) const { FL_CALL(tensor, "bitwise_right_shift", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::bitwise_right_shift(const Scalar &other) const { FL_CALL(tensor, "bitwise_right_shift", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::bitwise_right_shift_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.bitwise_right_shift_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::bitwise_right_shift_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.bitwise_right_shift_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::bitwise_xor(const Tensor &other) const { FL_CALL(tensor, "bitwise_xor", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::bitwise_xor(const Scalar &other) const { FL_CALL(tensor, "bitwise_xor", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::bitwise_xor_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.bitwise_xor_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::bitwise_xor_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.bitwise_xor_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::bmm(const Tensor &mat2) const { FL_CALL(tensor, "bmm", "self mat2", of_tensor(*this), of_tensor(mat2)) }
inline Tensor Tensor::broadcast_to(IntArrayRef size) const { FL_CALL(tensor, "broadcast_to", "self size", of_tensor(*this), of_ints(size)) }
inline Tensor &Tensor::cauchy_(double median, double sigma) const { FL_CALL(same(*this), "Tensor.cauchy_", "self median sigma", of_tensor(*this), of_double(median), of_double(sigma)) }
inline Tensor Tensor::ceil() const { FL_CALL(tensor, "ceil", "self", of_tensor(*this)) }
inline Tensor &Tensor::ceil_() const { FL_CALL(same(*this), "ceil_", "self", of_tensor(*this)) }
inline Tensor Tensor::chalf(optional<MemoryFormat>) const { FL_CALL(tensor, "Tensor.chalf", "self", of_tensor(*this)) }
inline Tensor Tensor::cholesky(bool upper) const { FL_CALL(tensor, "cholesky", "self upper", of_tensor(*this), of_bool(upper)) }
inline Tensor Tensor::cholesky_inverse(bool upper) const { FL_CALL(tensor, "cholesky_inverse", "self upper", of_tensor(*this), of_bool(upper)) }
inline Tensor Tensor::cholesky_solve(const Tensor &input2, bool upper) const { FL_CALL(tensor, "cholesky_solve", "self input2 upper", of_tensor(*this), of_tensor(input2), of_bool(upper)) }
inline std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const { FL_CALL(tensors, "chunk", "self chunks dim", of_tensor(*this), of_int(chunks), of_int(dim)) }
inline Tensor Tensor::clamp(const optional<Tensor> &min, const optional<Tensor> &max) const { FL_CALL(tensor, "clamp", "self min max", of_tensor(*this), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor Tensor::clamp(const optional<Scalar> &min, const optional<Scalar> &max) const { FL_CALL(tensor, "clamp", "self min max", of_tensor(*this), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor &Tensor::clamp_(const optional<Tensor> &min, const optional<Tensor> &max) const { FL_CALL(same(*this), "clamp_", "self min max", of_tensor(*this), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor &Tensor::clamp_(const optional<Scalar> &min, const optional<Scalar> &max) const { FL_CALL(same(*this), "clamp_", "self min max", of_tensor(*this), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor Tensor::clamp_max(const Tensor &max) const { FL_CALL(tensor, "clamp_max", "self max", of_tensor(*this), of_tensor(max)) }
inline Tensor Tensor::clamp_max(const Scalar &max) const { FL_CALL(tensor, "clamp_max", "self max", of_tensor(*this), of_scalar(max)) }
inline Tensor &Tensor::clamp_max_(const Tensor &max) const { FL_CALL(same(*this), "clamp_max_", "self max", of_tensor(*this), of_tensor(max)) }
inline Tensor &Tensor::clamp_max_(const Scalar &max) const { FL_CALL(same(*this), "clamp_max_", "self max", of_tensor(*this), of_scalar(max)) }
inline Tensor Tensor::clamp_min(const Tensor &min) const { FL_CALL(tensor, "clamp_min", "self min", of_tensor(*this), of_tensor(min)) }
inline Tensor Tensor::clamp_min(const Scalar &min) const { FL_CALL(tensor, "clamp_min", "self min", of_tensor(*this), of_scalar(min)) }
inline Tensor &Tensor::clamp_min_(const Tensor &min) const { FL_CALL(same(*this), "clamp_min_", "self min", of_tensor(*this), of_tensor(min)) }
inline Tensor &Tensor::clamp_min_(const Scalar &min) const { FL_CALL(same(*this), "clamp_min_", "self min", of_tensor(*this), of_scalar(min)) }
inline Tensor Tensor::clip(const optional<Tensor> &min, const optional<Tensor> &max) const { FL_CALL(tensor, "clamp", "self min max", of_tensor(*this), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor Tensor::clip(const optional<Scalar> &min, const optional<Scalar> &max) const { FL_CALL(tensor, "clamp", "self min max", of_tensor(*this), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor &Tensor::clip_(const optional<Tensor> &min, const optional<Tensor> &max) const { FL_CALL(same(*this), "clamp_", "self min max", of_tensor(*this), of_tensor_or_none(min), of_tensor_or_none(max)) }
inline Tensor &Tensor::clip_(const optional<Scalar> &min, const optional<Scalar> &max) const { FL_CALL(same(*this), "clamp_", "self min max", of_tensor(*this), of_scalar_or_none(min), of_scalar_or_none(max)) }
inline Tensor Tensor::clone(optional<MemoryFormat>) const { FL_CALL(tensor, "clone", "self", of_tensor(*this)) }
inline Tensor Tensor::conj() const { FL_CALL(tensor, "conj", "self", of_tensor(*this)) }
inline Tensor Tensor::conj_physical() const { FL_CALL(tensor, "conj_physical", "self", of_tensor(*this)) }
inline Tensor &Tensor::conj_physical_() const { FL_CALL(same(*this), "conj_physical_", "self", of_tensor(*this)) }
inline Tensor &Tensor::copy_(const Tensor &src, bool non_blocking) const { FL_CALL(same(*this), "Tensor.copy_", "self src non_blocking", of_tensor(*this), of_tensor(src), of_bool(non_blocking)) }
inline Tensor &Tensor::copy_(const Scalar &src, bool non_blocking) const { FL_CALL(same(*this), "Tensor.copy_", "self src non_blocking", of_tensor(*this), of_scalar(src), of_bool(non_blocking)) }
inline Tensor Tensor::copysign(const Tensor &other) const { FL_CALL(tensor, "copysign", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::copysign(const Scalar &other) const { FL_CALL(tensor, "copysign", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::copysign_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.copysign_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::copysign_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.copysign_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::corrcoef() const { FL_CALL(tensor, "corrcoef", "self", of_tensor(*this)) }
inline Tensor Tensor::cos() const { FL_CALL(tensor, "cos", "self", of_tensor(*this)) }
inline Tensor &Tensor::cos_() const { FL_CALL(same(*this), "cos_", "self", of_tensor(*this)) }
inline Tensor Tensor::cosh() const { FL_CALL(tensor, "cosh", "self", of_tensor(*this)) }
inline Tensor &Tensor::cosh_() const { FL_CALL(same(*this), "cosh_", "self", of_tensor(*this)) }
inline Tensor Tensor::count_nonzero(optional<int64_t> dim) const { FL_CALL(tensor, "count_nonzero", "self dim", of_tensor(*this), of_int_or_none(dim)) }
inline Tensor Tensor::count_nonzero(IntArrayRef dim) const { FL_CALL(tensor, "count_nonzero", "self dim", of_tensor(*this), of_ints(dim)) }
inline Tensor Tensor::cov(int64_t correction, const optional<Tensor> &fweights, const optional<Tensor> &aweights) const { FL_CALL(tensor, "cov", "self correction fweights aweights", of_tensor(*this), of_int(correction), of_tensor_or_none(fweights), of_tensor_or_none(aweights)) }
inline Tensor Tensor::cross(const Tensor &other, optional<int64_t> dim) const { FL_CALL(tensor, "cross", "self other dim", of_tensor(*this), of_tensor(other), of_int_or_none(dim)) }
inline std::tuple<Tensor, Tensor> Tensor::cummax(int64_t dim) const { FL_CALL(two, "cummax", "self dim", of_tensor(*this), of_int(dim)) }
inline std::tuple<Tensor, Tensor> Tensor::cummin(int64_t dim) const { FL_CALL(two, "cummin", "self dim", of_tensor(*this), of_int(dim)) }
inline Tensor Tensor::cumprod(int64_t dim, optional<ScalarType> dtype) const { FL_CALL(tensor, "cumprod", "self dim dtype", of_tensor(*this), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor &Tensor::cumprod_(int64_t dim, optional<ScalarType> dtype) const { FL_CALL(same(*this), "Tensor.cumprod_", "self dim dtype", of_tensor(*this), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::cumsum(int64_t dim, optional<ScalarType> dtype) const { FL_CALL(tensor, "cumsum", "self dim dtype", of_tensor(*this), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor &Tensor::cumsum_(int64_t dim, optional<ScalarType> dtype) const { FL_CALL(same(*this), "Tensor.cumsum_", "self dim dtype", of_tensor(*this), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::deg2rad() const { FL_CALL(tensor, "deg2rad", "self", of_tensor(*this)) }
inline Tensor &Tensor::deg2rad_() const { FL_CALL(same(*this), "deg2rad_", "self", of_tensor(*this)) }
inline Tensor Tensor::det() const { FL_CALL(tensor, "det", "self", of_tensor(*this)) }
inline Tensor Tensor::detach() const { FL_CALL(tensor, "detach", "self", of_tensor(*this)) }
inline Tensor &Tensor::detach_() const { FL_CALL(same(*this), "detach_", "self", of_tensor(*this)) }
inline Tensor Tensor::diag(int64_t diagonal) const { FL_CALL(tensor, "diag", "self diagonal", of_tensor(*this), of_int(diagonal)) }
inline Tensor Tensor::diag_embed(int64_t offset, int64_t dim1, int64_t dim2) const { FL_CALL(tensor, "diag_embed", "self offset dim1 dim2", of_tensor(*this), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor Tensor::diagflat(int64_t offset) const { FL_CALL(tensor, "diagflat", "self offset", of_tensor(*this), of_int(offset)) }
inline Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const { FL_CALL(tensor, "diagonal", "self offset dim1 dim2", of_tensor(*this), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor Tensor::diagonal_scatter(const Tensor &src, int64_t offset, int64_t dim1, int64_t dim2) const { FL_CALL(tensor, "diagonal_scatter", "self src offset dim1 dim2", of_tensor(*this), of_tensor(src), of_int(offset), of_int(dim1), of_int(dim2)) }
inline Tensor Tensor::diff(int64_t n, int64_t dim, const optional<Tensor> &prepend, const optional<Tensor> &append) const { FL_CALL(tensor, "diff", "self n dim prepend append", of_tensor(*this), of_int(n), of_int(dim), of_tensor_or_none(prepend), of_tensor_or_none(append)) }
inline Tensor Tensor::digamma() const { FL_CALL(tensor, "digamma", "self", of_tensor(*this)) }
inline Tensor &Tensor::digamma_() const { FL_CALL(same(*this), "digamma_", "self", of_tensor(*this)) }
inline Tensor Tensor::dist(const Tensor &other, const Scalar &p) const { FL_CALL(tensor, "dist", "self other p", of_tensor(*this), of_tensor(other), of_scalar(p)) }
inline Tensor Tensor::div(const Tensor &other, const optional<std::string> &rounding_mode) const { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(*this), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor Tensor::div(const Scalar &other, const optional<std::string> &rounding_mode) const { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(*this), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor &Tensor::div_(const Tensor &other, const optional<std::string> &rounding_mode) const { FL_CALL(same(*this), "Tensor.div_", "self other rounding_mode", of_tensor(*this), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &Tensor::div_(const Scalar &other, const optional<std::string> &rounding_mode) const { FL_CALL(same(*this), "Tensor.div_", "self other rounding_mode", of_tensor(*this), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor Tensor::divide(const Tensor &other, const optional<std::string> &rounding_mode) const { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(*this), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor Tensor::divide(const Scalar &other, const optional<std::string> &rounding_mode) const { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(*this), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor &Tensor::divide_(const Tensor &other, const optional<std::string> &rounding_mode) const { FL_CALL(same(*this), "Tensor.div_", "self other rounding_mode", of_tensor(*this), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &Tensor::divide_(const Scalar &other, const optional<std::string> &rounding_mode) const { FL_CALL(same(*this), "Tensor.div_", "self other rounding_mode", of_tensor(*this), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor Tensor::dot(const Tensor &tensor) const { FL_CALL(tensor, "dot", "self tensor", of_tensor(*this), of_tensor(tensor)) }
inline std::vector<Tensor> Tensor::dsplit(int64_t sections) const { FL_CALL(tensors, "dsplit.int", "self sections", of_tensor(*this), of_int(sections)) }
inline std::vector<Tensor> Tensor::dsplit(IntArrayRef indices) const { FL_CALL(tensors, "dsplit.array", "self indices", of_tensor(*this), of_ints(indices)) }
inline Tensor Tensor::eq(const Tensor &other) const { FL_CALL(tensor, "eq", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::eq(const Scalar &other) const { FL_CALL(tensor, "eq", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::eq_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.eq_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::eq_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.eq_", "self other", of_tensor(*this), of_scalar(other)) }
inline bool Tensor::equal(const Tensor &other) const { FL_CALL(bool, "equal", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::erf() const { FL_CALL(tensor, "erf", "self", of_tensor(*this)) }
inline Tensor &Tensor::erf_() const { FL_CALL(same(*this), "erf_", "self", of_tensor(*this)) }
inline Tensor Tensor::erfc() const { FL_CALL(tensor, "erfc", "self", of_tensor(*this)) }
inline Tensor &Tensor::erfc_() const { FL_CALL(same(*this), "erfc_", "self", of_tensor(*this)) }
inline Tensor Tensor::erfinv() const { FL_CALL(tensor, "erfinv", "self", of_tensor(*this)) }
inline Tensor &Tensor::erfinv_() const { FL_CALL(same(*this), "erfinv_", "self", of_tensor(*this)) }
inline Tensor Tensor::exp() const { FL_CALL(tensor, "exp", "self", of_tensor(*this)) }
inline Tensor Tensor::exp2() const { FL_CALL(tensor, "exp2", "self", of_tensor(*this)) }
inline Tensor &Tensor::exp2_() const { FL_CALL(same(*this), "exp2_", "self", of_tensor(*this)) }
inline Tensor &Tensor::exp_() const { FL_CALL(same(*this), "exp_", "self", of_tensor(*this)) }
inline Tensor Tensor::expand(IntArrayRef size, bool implicit) const { FL_CALL(tensor, "Tensor.expand", "self size implicit", of_tensor(*this), of_ints(size), of_bool(implicit)) }
inline Tensor Tensor::expand_as(const Tensor &other) const { FL_CALL(tensor, "Tensor.expand_as", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::expm1() const { FL_CALL(tensor, "expm1", "self", of_tensor(*this)) }
inline Tensor &Tensor::expm1_() const { FL_CALL(same(*this), "expm1_", "self", of_tensor(*this)) }
inline Tensor &Tensor::exponential_(double lambd) const { FL_CALL(same(*this), "Tensor.exponential_", "self lambd", of_tensor(*this), of_double(lambd)) }
inline Tensor &Tensor::fill_(const Tensor &value) const { FL_CALL(same(*this), "fill_", "self value", of_tensor(*this), of_tensor(value)) }
inline Tensor &Tensor::fill_(const Scalar &value) const { FL_CALL(same(*this), "fill_", "self value", of_tensor(*this), of_scalar(value)) }
inline Tensor &Tensor::fill_diagonal_(const Scalar &fill_value, bool wrap) const { FL_CALL(same(*this), "Tensor.fill_diagonal_", "self fill_value wrap", of_tensor(*this), of_scalar(fill_value), of_bool(wrap)) }
inline Tensor Tensor::fix() const { FL_CALL(tensor, "trunc", "self", of_tensor(*this)) }
inline Tensor &Tensor::fix_() const { FL_CALL(same(*this), "trunc_", "self", of_tensor(*this)) }
inline Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const { FL_CALL(tensor, "flatten", "self start_dim end_dim", of_tensor(*this), of_int(start_dim), of_int(end_dim)) }
inline Tensor Tensor::flip(IntArrayRef dims) const { FL_CALL(tensor, "flip", "self dims", of_tensor(*this), of_ints(dims)) }
inline Tensor Tensor::fliplr() const { FL_CALL(tensor, "fliplr", "self", of_tensor(*this)) }
inline Tensor Tensor::flipud() const { FL_CALL(tensor, "flipud", "self", of_tensor(*this)) }
inline Tensor Tensor::float_power(const Tensor &exponent) const { FL_CALL(tensor, "float_power", "self exponent", of_tensor(*this), of_tensor(exponent)) }
inline Tensor Tensor::float_power(const Scalar &exponent) const { FL_CALL(tensor, "float_power", "self exponent", of_tensor(*this), of_scalar(exponent)) }
inline Tensor &Tensor::float_power_(const Tensor &exponent) const { FL_CALL(same(*this), "Tensor.float_power_", "self exponent", of_tensor(*this), of_tensor(exponent)) }
inline Tensor &Tensor::float_power_(const Scalar &exponent) const { FL_CALL(same(*this), "Tensor.float_power_", "self exponent", of_tensor(*this), of_scalar(exponent)) }
inline Tensor Tensor::floor() const { FL_CALL(tensor, "floor", "self", of_tensor(*this)) }
inline Tensor &Tensor::floor_() const { FL_CALL(same(*this), "floor_", "self", of_tensor(*this)) }
inline Tensor Tensor::floor_divide(const Tensor &other) const { FL_CALL(tensor, "floor_divide", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::floor_divide(const Scalar &other) const { FL_CALL(tensor, "floor_divide", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::floor_divide_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.floor_divide_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::floor_divide_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.floor_divide_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::fmax(const Tensor &other) const { FL_CALL(tensor, "fmax", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::fmin(const Tensor &other) const { FL_CALL(tensor, "fmin", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::fmod(const Tensor &other) const { FL_CALL(tensor, "fmod", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::fmod(const Scalar &other) const { FL_CALL(tensor, "fmod", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::fmod_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.fmod_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::fmod_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.fmod_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::frac() const { FL_CALL(tensor, "frac", "self", of_tensor(*this)) }
inline Tensor &Tensor::frac_() const { FL_CALL(same(*this), "frac_", "self", of_tensor(*this)) }
inline std::tuple<Tensor, Tensor> Tensor::frexp() const { FL_CALL(two, "frexp", "self", of_tensor(*this)) }
inline Tensor Tensor::gather(int64_t dim, const Tensor &index, bool sparse_grad) const { FL_CALL(tensor, "gather", "self dim index sparse_grad", of_tensor(*this), of_int(dim), of_tensor(index), of_bool(sparse_grad)) }
inline Tensor Tensor::gcd(const Tensor &other) const { FL_CALL(tensor, "gcd", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::gcd_(const Tensor &other) const { FL_CALL(same(*this), "gcd_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::ge(const Tensor &other) const { FL_CALL(tensor, "ge", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::ge(const Scalar &other) const { FL_CALL(tensor, "ge", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::ge_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.ge_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::ge_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.ge_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::geometric_(double p) const { FL_CALL(same(*this), "Tensor.geometric_", "self p", of_tensor(*this), of_double(p)) }
inline std::tuple<Tensor, Tensor> Tensor::geqrf() const { FL_CALL(two, "geqrf", "self", of_tensor(*this)) }
inline Tensor Tensor::ger(const Tensor &vec2) const { FL_CALL(tensor, "outer", "self vec2", of_tensor(*this), of_tensor(vec2)) }
inline Tensor Tensor::greater(const Tensor &other) const { FL_CALL(tensor, "gt", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::greater(const Scalar &other) const { FL_CALL(tensor, "gt", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::greater_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.gt_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::greater_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.gt_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::greater_equal(const Tensor &other) const { FL_CALL(tensor, "ge", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::greater_equal(const Scalar &other) const { FL_CALL(tensor, "ge", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::greater_equal_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.ge_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::greater_equal_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.ge_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::gt(const Tensor &other) const { FL_CALL(tensor, "gt", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::gt(const Scalar &other) const { FL_CALL(tensor, "gt", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::gt_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.gt_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::gt_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.gt_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::hardshrink(const Scalar &lambd) const { FL_CALL(tensor, "nn.functional.hardshrink", "self lambd", of_tensor(*this), of_scalar(lambd)) }
inline Tensor Tensor::hash_tensor(IntArrayRef dim, bool keepdim, int64_t mode) const { FL_CALL(tensor, "hash_tensor", "self dim keepdim mode", of_tensor(*this), of_ints(dim), of_bool(keepdim), of_int(mode)) }
inline Tensor Tensor::heaviside(const Tensor &values) const { FL_CALL(tensor, "heaviside", "self values", of_tensor(*this), of_tensor(values)) }
inline Tensor &Tensor::heaviside_(const Tensor &values) const { FL_CALL(same(*this), "Tensor.heaviside_", "self values", of_tensor(*this), of_tensor(values)) }
inline Tensor Tensor::histc(int64_t bins, const Scalar &min, const Scalar &max) const { FL_CALL(tensor, "histc", "self bins min max", of_tensor(*this), of_int(bins), of_scalar(min), of_scalar(max)) }
inline std::tuple<Tensor, Tensor> Tensor::histogram(const Tensor &bins, const optional<Tensor> &weight, bool density) const { FL_CALL(two, "histogram.bins_tensor", "self bins weight density", of_tensor(*this), of_tensor(bins), of_tensor_or_none(weight), of_bool(density)) }
inline std::vector<Tensor> Tensor::hsplit(int64_t sections) const { FL_CALL(tensors, "hsplit.int", "self sections", of_tensor(*this), of_int(sections)) }
inline std::vector<Tensor> Tensor::hsplit(IntArrayRef indices) const { FL_CALL(tensors, "hsplit.array", "self indices", of_tensor(*this), of_ints(indices)) }
inline Tensor Tensor::hypot(const Tensor &other) const { FL_CALL(tensor, "hypot", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::hypot_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.hypot_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::i0() const { FL_CALL(tensor, "i0", "self", of_tensor(*this)) }
inline Tensor &Tensor::i0_() const { FL_CALL(same(*this), "i0_", "self", of_tensor(*this)) }
inline Tensor Tensor::igamma(const Tensor &other) const { FL_CALL(tensor, "igamma", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::igamma_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.igamma_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::igammac(const Tensor &other) const { FL_CALL(tensor, "igammac", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::igammac_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.igammac_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::index_add(int64_t dim, const Tensor &index, const Tensor &source, const Scalar &alpha) const { FL_CALL(tensor, "index_add", "self dim index source alpha", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(source), of_scalar(alpha)) }
inline Tensor &Tensor::index_add_(int64_t dim, const Tensor &index, const Tensor &source, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.index_add_", "self dim index source alpha", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(source), of_scalar(alpha)) }
inline Tensor Tensor::index_copy(int64_t dim, const Tensor &index, const Tensor &source) const { FL_CALL(tensor, "index_copy", "self dim index source", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(source)) }
inline Tensor &Tensor::index_copy_(int64_t dim, const Tensor &index, const Tensor &source) const { FL_CALL(same(*this), "Tensor.index_copy_", "self dim index source", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(source)) }
inline Tensor Tensor::index_fill(int64_t dim, const Tensor &index, const Tensor &value) const { FL_CALL(tensor, "index_fill", "self dim index value", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(value)) }
inline Tensor Tensor::index_fill(int64_t dim, const Tensor &index, const Scalar &value) const { FL_CALL(tensor, "index_fill", "self dim index value", of_tensor(*this), of_int(dim), of_tensor(index), of_scalar(value)) }
inline Tensor &Tensor::index_fill_(int64_t dim, const Tensor &index, const Tensor &value) const { FL_CALL(same(*this), "Tensor.index_fill_", "self dim index value", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(value)) }
inline Tensor &Tensor::index_fill_(int64_t dim, const Tensor &index, const Scalar &value) const { FL_CALL(same(*this), "Tensor.index_fill_", "self dim index value", of_tensor(*this), of_int(dim), of_tensor(index), of_scalar(value)) }
inline Tensor Tensor::index_reduce(int64_t dim, const Tensor &index, const Tensor &source, const std::string &reduce, bool include_self) const { FL_CALL(tensor, "index_reduce", "self dim index source reduce include_self", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(source), of_string(reduce), of_bool(include_self)) }
inline Tensor &Tensor::index_reduce_(int64_t dim, const Tensor &index, const Tensor &source, const std::string &reduce, bool include_self) const { FL_CALL(same(*this), "Tensor.index_reduce_", "self dim index source reduce include_self", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(source), of_string(reduce), of_bool(include_self)) }
inline Tensor Tensor::index_select(int64_t dim, const Tensor &index) const { FL_CALL(tensor, "index_select", "self dim index", of_tensor(*this), of_int(dim), of_tensor(index)) }
inline Tensor Tensor::inner(const Tensor &other) const { FL_CALL(tensor, "inner", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::inverse() const { FL_CALL(tensor, "inverse", "self", of_tensor(*this)) }
inline bool Tensor::is_distributed() const { FL_CALL(bool, "is_distributed", "self", of_tensor(*this)) }
inline bool Tensor::is_inference() const { FL_CALL(bool, "is_inference", "self", of_tensor(*this)) }
inline bool Tensor::is_nonzero() const { FL_CALL(bool, "is_nonzero", "self", of_tensor(*this)) }
inline bool Tensor::is_pinned() const { FL_CALL(bool, "Tensor.is_pinned", "self", of_tensor(*this)) }
inline bool Tensor::is_same_size(const Tensor &other) const { FL_CALL(bool, "is_same_size", "self other", of_tensor(*this), of_tensor(other)) }
inline bool Tensor::is_set_to(const Tensor &tensor) const { FL_CALL(bool, "Tensor.is_set_to", "self tensor", of_tensor(*this), of_tensor(tensor)) }
inline bool Tensor::is_shared() const { FL_CALL(bool, "Tensor.is_shared", "self", of_tensor(*this)) }
inline Tensor Tensor::isclose(const Tensor &other, double rtol, double atol, bool equal_nan) const { FL_CALL(tensor, "isclose", "self other rtol atol equal_nan", of_tensor(*this), of_tensor(other), of_double(rtol), of_double(atol), of_bool(equal_nan)) }
inline Tensor Tensor::isfinite() const { FL_CALL(tensor, "isfinite", "self", of_tensor(*this)) }
inline Tensor Tensor::isinf() const { FL_CALL(tensor, "isinf", "self", of_tensor(*this)) }
inline Tensor Tensor::isnan() const { FL_CALL(tensor, "isnan", "self", of_tensor(*this)) }
inline Tensor Tensor::isneginf() const { FL_CALL(tensor, "isneginf", "self", of_tensor(*this)) }
inline Tensor Tensor::isposinf() const { FL_CALL(tensor, "isposinf", "self", of_tensor(*this)) }
inline Tensor Tensor::isreal() const { FL_CALL(tensor, "isreal", "self", of_tensor(*this)) }
inline Tensor Tensor::istft(int64_t n_fft, optional<int64_t> hop_length, optional<int64_t> win_length, const optional<Tensor> &window, bool center, bool normalized, optional<bool> onesided, optional<int64_t> length, bool return_complex) const { FL_CALL(tensor, "istft", "self n_fft hop_length win_length window center normalized onesided length return_complex", of_tensor(*this), of_int(n_fft), of_int_or_none(hop_length), of_int_or_none(win_length), of_tensor_or_none(window), of_bool(center), of_bool(normalized), of_bool_or_none(onesided), of_int_or_none(length), of_bool(return_complex)) }
inline Tensor Tensor::kron(const Tensor &other) const { FL_CALL(tensor, "kron", "self other", of_tensor(*this), of_tensor(other)) }
inline std::tuple<Tensor, Tensor> Tensor::kthvalue(int64_t k, int64_t dim, bool keepdim) const { FL_CALL(two, "kthvalue", "self k dim keepdim", of_tensor(*this), of_int(k), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::lcm(const Tensor &other) const { FL_CALL(tensor, "lcm", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::lcm_(const Tensor &other) const { FL_CALL(same(*this), "lcm_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::ldexp(const Tensor &other) const { FL_CALL(tensor, "ldexp", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::ldexp(const Scalar &other) const { FL_CALL(tensor, "ldexp", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::ldexp_(const Tensor &other) const { FL_CALL(same(*this), "ldexp_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::ldexp_(const Scalar &other) const { FL_CALL(same(*this), "ldexp_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::le(const Tensor &other) const { FL_CALL(tensor, "le", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::le(const Scalar &other) const { FL_CALL(tensor, "le", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::le_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.le_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::le_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.le_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::lerp(const Tensor &end, const Tensor &weight) const { FL_CALL(tensor, "lerp", "self end weight", of_tensor(*this), of_tensor(end), of_tensor(weight)) }
inline Tensor Tensor::lerp(const Tensor &end, const Scalar &weight) const { FL_CALL(tensor, "lerp", "self end weight", of_tensor(*this), of_tensor(end), of_scalar(weight)) }
inline Tensor &Tensor::lerp_(const Tensor &end, const Tensor &weight) const { FL_CALL(same(*this), "Tensor.lerp_", "self end weight", of_tensor(*this), of_tensor(end), of_tensor(weight)) }
inline Tensor &Tensor::lerp_(const Tensor &end, const Scalar &weight) const { FL_CALL(same(*this), "Tensor.lerp_", "self end weight", of_tensor(*this), of_tensor(end), of_scalar(weight)) }
inline Tensor Tensor::less(const Tensor &other) const { FL_CALL(tensor, "lt", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::less(const Scalar &other) const { FL_CALL(tensor, "lt", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::less_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.lt_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::less_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.lt_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::less_equal(const Tensor &other) const { FL_CALL(tensor, "le", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::less_equal(const Scalar &other) const { FL_CALL(tensor, "le", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::less_equal_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.le_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::less_equal_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.le_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::lgamma() const { FL_CALL(tensor, "lgamma", "self", of_tensor(*this)) }
inline Tensor &Tensor::lgamma_() const { FL_CALL(same(*this), "lgamma_", "self", of_tensor(*this)) }
inline Tensor Tensor::log() const { FL_CALL(tensor, "log", "self", of_tensor(*this)) }
inline Tensor Tensor::log10() const { FL_CALL(tensor, "log10", "self", of_tensor(*this)) }
inline Tensor &Tensor::log10_() const { FL_CALL(same(*this), "log10_", "self", of_tensor(*this)) }
inline Tensor Tensor::log1p() const { FL_CALL(tensor, "log1p", "self", of_tensor(*this)) }
inline Tensor &Tensor::log1p_() const { FL_CALL(same(*this), "log1p_", "self", of_tensor(*this)) }
inline Tensor Tensor::log2() const { FL_CALL(tensor, "log2", "self", of_tensor(*this)) }
inline Tensor &Tensor::log2_() const { FL_CALL(same(*this), "log2_", "self", of_tensor(*this)) }
inline Tensor &Tensor::log_() const { FL_CALL(same(*this), "log_", "self", of_tensor(*this)) }
inline Tensor &Tensor::log_normal_(double mean, double std) const { FL_CALL(same(*this), "Tensor.log_normal_", "self mean std", of_tensor(*this), of_double(mean), of_double(std)) }
inline Tensor Tensor::log_softmax(int64_t dim, optional<ScalarType> dtype) const { FL_CALL(tensor, "log_softmax", "self dim dtype", of_tensor(*this), of_int(dim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::logaddexp(const Tensor &other) const { FL_CALL(tensor, "logaddexp", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::logaddexp2(const Tensor &other) const { FL_CALL(tensor, "logaddexp2", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::logcumsumexp(int64_t dim) const { FL_CALL(tensor, "logcumsumexp", "self dim", of_tensor(*this), of_int(dim)) }
inline Tensor Tensor::logdet() const { FL_CALL(tensor, "logdet", "self", of_tensor(*this)) }
inline Tensor Tensor::logical_and(const Tensor &other) const { FL_CALL(tensor, "logical_and", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::logical_and_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.logical_and_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::logical_not() const { FL_CALL(tensor, "logical_not", "self", of_tensor(*this)) }
inline Tensor &Tensor::logical_not_() const { FL_CALL(same(*this), "Tensor.logical_not_", "self", of_tensor(*this)) }
inline Tensor Tensor::logical_or(const Tensor &other) const { FL_CALL(tensor, "logical_or", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::logical_or_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.logical_or_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::logical_xor(const Tensor &other) const { FL_CALL(tensor, "logical_xor", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::logical_xor_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.logical_xor_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::logit(optional<double> eps) const { FL_CALL(tensor, "logit", "self eps", of_tensor(*this), of_double_or_none(eps)) }
inline Tensor &Tensor::logit_(optional<double> eps) const { FL_CALL(same(*this), "logit_", "self eps", of_tensor(*this), of_double_or_none(eps)) }
inline Tensor Tensor::logsumexp(IntArrayRef dim, bool keepdim) const { FL_CALL(tensor, "logsumexp", "self dim keepdim", of_tensor(*this), of_ints(dim), of_bool(keepdim)) }
inline Tensor Tensor::lt(const Tensor &other) const { FL_CALL(tensor, "lt", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::lt(const Scalar &other) const { FL_CALL(tensor, "lt", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::lt_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.lt_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::lt_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.lt_", "self other", of_tensor(*this), of_scalar(other)) }
inline std::vector<Tensor> Tensor::lu(bool pivot, bool get_infos) const { FL_CALL(tensors, "Tensor.lu", "self pivot get_infos", of_tensor(*this), of_bool(pivot), of_bool(get_infos)) }
inline Tensor Tensor::lu_solve(const Tensor &LU_data, const Tensor &LU_pivots) const { FL_CALL(tensor, "lu_solve", "self LU_data LU_pivots", of_tensor(*this), of_tensor(LU_data), of_tensor(LU_pivots)) }
inline Tensor Tensor::masked_fill(const Tensor &mask, const Tensor &value) const { FL_CALL(tensor, "masked_fill", "self mask value", of_tensor(*this), of_tensor(mask), of_tensor(value)) }
inline Tensor Tensor::masked_fill(const Tensor &mask, const Scalar &value) const { FL_CALL(tensor, "masked_fill", "self mask value", of_tensor(*this), of_tensor(mask), of_scalar(value)) }
inline Tensor &Tensor::masked_fill_(const Tensor &mask, const Tensor &value) const { FL_CALL(same(*this), "Tensor.masked_fill_", "self mask value", of_tensor(*this), of_tensor(mask), of_tensor(value)) }
inline Tensor &Tensor::masked_fill_(const Tensor &mask, const Scalar &value) const { FL_CALL(same(*this), "Tensor.masked_fill_", "self mask value", of_tensor(*this), of_tensor(mask), of_scalar(value)) }
inline Tensor Tensor::masked_scatter(const Tensor &mask, const Tensor &source) const { FL_CALL(tensor, "masked_scatter", "self mask source", of_tensor(*this), of_tensor(mask), of_tensor(source)) }
inline Tensor &Tensor::masked_scatter_(const Tensor &mask, const Tensor &source) const { FL_CALL(same(*this), "Tensor.masked_scatter_", "self mask source", of_tensor(*this), of_tensor(mask), of_tensor(source)) }
inline Tensor Tensor::masked_select(const Tensor &mask) const { FL_CALL(tensor, "masked_select", "self mask", of_tensor(*this), of_tensor(mask)) }
inline Tensor Tensor::matmul(const Tensor &other) const { FL_CALL(tensor, "matmul", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::matrix_exp() const { FL_CALL(tensor, "matrix_exp", "self", of_tensor(*this)) }
inline Tensor Tensor::matrix_power(int64_t n) const { FL_CALL(tensor, "matrix_power", "self n", of_tensor(*this), of_int(n)) }
inline Tensor Tensor::max() const { FL_CALL(tensor, "max.default", "self", of_tensor(*this)) }
inline Tensor Tensor::max(const Tensor &other) const { FL_CALL(tensor, "max.other", "self other", of_tensor(*this), of_tensor(other)) }
inline std::tuple<Tensor, Tensor> Tensor::max(int64_t dim, bool keepdim) const { FL_CALL(two, "max.dim", "self dim keepdim", of_tensor(*this), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::maximum(const Tensor &other) const { FL_CALL(tensor, "maximum", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::mean(optional<ScalarType> dtype) const { FL_CALL(tensor, "mean", "self dtype", of_tensor(*this), of_dtype_or_none(dtype)) }
inline Tensor Tensor::mean(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const { FL_CALL(tensor, "mean", "self dim keepdim dtype", of_tensor(*this), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::median() const { FL_CALL(tensor, "median.default", "self", of_tensor(*this)) }
inline std::tuple<Tensor, Tensor> Tensor::median(int64_t dim, bool keepdim) const { FL_CALL(two, "median.dim", "self dim keepdim", of_tensor(*this), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::min() const { FL_CALL(tensor, "min.default", "self", of_tensor(*this)) }
inline Tensor Tensor::min(const Tensor &other) const { FL_CALL(tensor, "min.other", "self other", of_tensor(*this), of_tensor(other)) }
inline std::tuple<Tensor, Tensor> Tensor::min(int64_t dim, bool keepdim) const { FL_CALL(two, "min.dim", "self dim keepdim", of_tensor(*this), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::minimum(const Tensor &other) const { FL_CALL(tensor, "minimum", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::mm(const Tensor &mat2) const { FL_CALL(tensor, "mm", "self mat2", of_tensor(*this), of_tensor(mat2)) }
inline std::tuple<Tensor, Tensor> Tensor::mode(int64_t dim, bool keepdim) const { FL_CALL(two, "mode", "self dim keepdim", of_tensor(*this), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::moveaxis(int64_t source, int64_t destination) const { FL_CALL(tensor, "movedim", "self source destination", of_tensor(*this), of_int(source), of_int(destination)) }
inline Tensor Tensor::moveaxis(IntArrayRef source, IntArrayRef destination) const { FL_CALL(tensor, "movedim", "self source destination", of_tensor(*this), of_ints(source), of_ints(destination)) }
inline Tensor Tensor::movedim(int64_t source, int64_t destination) const { FL_CALL(tensor, "movedim", "self source destination", of_tensor(*this), of_int(source), of_int(destination)) }
inline Tensor Tensor::movedim(IntArrayRef source, IntArrayRef destination) const { FL_CALL(tensor, "movedim", "self source destination", of_tensor(*this), of_ints(source), of_ints(destination)) }
inline Tensor Tensor::msort() const { FL_CALL(tensor, "msort", "self", of_tensor(*this)) }
inline Tensor Tensor::mul(const Tensor &other) const { FL_CALL(tensor, "mul", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::mul(const Scalar &other) const { FL_CALL(tensor, "mul", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::mul_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.mul_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::mul_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.mul_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::multinomial(int64_t num_samples, bool replacement) const { FL_CALL(tensor, "multinomial", "self num_samples replacement", of_tensor(*this), of_int(num_samples), of_bool(replacement)) }
inline Tensor Tensor::multiply(const Tensor &other) const { FL_CALL(tensor, "mul", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::multiply(const Scalar &other) const { FL_CALL(tensor, "mul", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::multiply_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.mul_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::multiply_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.mul_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::mv(const Tensor &vec) const { FL_CALL(tensor, "mv", "self vec", of_tensor(*this), of_tensor(vec)) }
inline Tensor Tensor::mvlgamma(int64_t p) const { FL_CALL(tensor, "mvlgamma", "self p", of_tensor(*this), of_int(p)) }
inline Tensor &Tensor::mvlgamma_(int64_t p) const { FL_CALL(same(*this), "Tensor.mvlgamma_", "self p", of_tensor(*this), of_int(p)) }
inline Tensor Tensor::nan_to_num(optional<double> nan, optional<double> posinf, optional<double> neginf) const { FL_CALL(tensor, "nan_to_num", "self nan posinf neginf", of_tensor(*this), of_double_or_none(nan), of_double_or_none(posinf), of_double_or_none(neginf)) }
inline Tensor &Tensor::nan_to_num_(optional<double> nan, optional<double> posinf, optional<double> neginf) const { FL_CALL(same(*this), "nan_to_num_", "self nan posinf neginf", of_tensor(*this), of_double_or_none(nan), of_double_or_none(posinf), of_double_or_none(neginf)) }
inline Tensor Tensor::nanmean(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const { FL_CALL(tensor, "nanmean", "self dim keepdim dtype", of_tensor(*this), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::nanmedian() const { FL_CALL(tensor, "nanmedian.default", "self", of_tensor(*this)) }
inline std::tuple<Tensor, Tensor> Tensor::nanmedian(int64_t dim, bool keepdim) const { FL_CALL(two, "nanmedian.dim", "self dim keepdim", of_tensor(*this), of_int(dim), of_bool(keepdim)) }
inline Tensor Tensor::nanquantile(const Tensor &q, optional<int64_t> dim, bool keepdim, const std::string &interpolation) const { FL_CALL(tensor, "nanquantile.default", "self q dim keepdim interpolation", of_tensor(*this), of_tensor(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor Tensor::nanquantile(double q, optional<int64_t> dim, bool keepdim, const std::string &interpolation) const { FL_CALL(tensor, "nanquantile.scalar", "self q dim keepdim interpolation", of_tensor(*this), of_double(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor Tensor::nansum(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const { FL_CALL(tensor, "nansum", "self dim keepdim dtype", of_tensor(*this), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const { FL_CALL(tensor, "narrow", "self dim start length", of_tensor(*this), of_int(dim), of_int(start), of_int(length)) }
inline Tensor Tensor::narrow_copy(int64_t dim, int64_t start, int64_t length) const { FL_CALL(tensor, "narrow_copy", "self dim start length", of_tensor(*this), of_int(dim), of_int(start), of_int(length)) }
inline Tensor Tensor::ne(const Tensor &other) const { FL_CALL(tensor, "ne", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::ne(const Scalar &other) const { FL_CALL(tensor, "ne", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::ne_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.ne_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::ne_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.ne_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::neg() const { FL_CALL(tensor, "neg", "self", of_tensor(*this)) }
inline Tensor &Tensor::neg_() const { FL_CALL(same(*this), "neg_", "self", of_tensor(*this)) }
inline Tensor Tensor::negative() const { FL_CALL(tensor, "neg", "self", of_tensor(*this)) }
inline Tensor &Tensor::negative_() const { FL_CALL(same(*this), "neg_", "self", of_tensor(*this)) }
inline Tensor Tensor::new_empty(IntArrayRef size, const TensorOptions &options) const { FL_CALL(tensor, "Tensor.new_empty", "self size dtype device requires_grad", of_tensor(*this), of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor Tensor::new_empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions &options) const { FL_CALL(tensor, "Tensor.new_empty_strided", "self size stride dtype device requires_grad", of_tensor(*this), of_ints(size), of_ints(stride), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor Tensor::new_full(IntArrayRef size, const Scalar &fill_value, const TensorOptions &options) const { FL_CALL(tensor, "Tensor.new_full", "self size fill_value dtype device requires_grad", of_tensor(*this), of_ints(size), of_scalar(fill_value), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor Tensor::new_ones(IntArrayRef size, const TensorOptions &options) const { FL_CALL(tensor, "Tensor.new_ones", "self size dtype device requires_grad", of_tensor(*this), of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor Tensor::new_zeros(IntArrayRef size, const TensorOptions &options) const { FL_CALL(tensor, "Tensor.new_zeros", "self size dtype device requires_grad", of_tensor(*this), of_ints(size), dtype_of(options), device_of(options), requires_grad_of(options)) }
inline Tensor Tensor::nextafter(const Tensor &other) const { FL_CALL(tensor, "nextafter", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::nextafter_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.nextafter_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::nonzero() const { FL_CALL(tensor, "nonzero", "self", of_tensor(*this)) }
inline Tensor Tensor::nonzero_static(int64_t size, int64_t fill_value) const { FL_CALL(tensor, "nonzero_static", "self size fill_value", of_tensor(*this), of_int(size), of_int(fill_value)) }
inline Tensor Tensor::norm(const Scalar &p) const { FL_CALL(tensor, "norm", "self p", of_tensor(*this), of_scalar(p)) }
inline Tensor Tensor::norm(const optional<Scalar> &p, IntArrayRef dim, bool keepdim) const { FL_CALL(tensor, "norm", "self p dim keepdim", of_tensor(*this), of_scalar_or_none(p), of_ints(dim), of_bool(keepdim)) }
inline Tensor Tensor::norm(const optional<Scalar> &p, IntArrayRef dim, bool keepdim, ScalarType dtype) const { FL_CALL(tensor, "norm", "self p dim keepdim dtype", of_tensor(*this), of_scalar_or_none(p), of_ints(dim), of_bool(keepdim), of_dtype(dtype)) }
inline Tensor &Tensor::normal_(double mean, double std) const { FL_CALL(same(*this), "Tensor.normal_", "self mean std", of_tensor(*this), of_double(mean), of_double(std)) }
inline Tensor Tensor::not_equal(const Tensor &other) const { FL_CALL(tensor, "ne", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::not_equal(const Scalar &other) const { FL_CALL(tensor, "ne", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::not_equal_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.ne_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::not_equal_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.ne_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::orgqr(const Tensor &input2) const { FL_CALL(tensor, "orgqr", "self input2", of_tensor(*this), of_tensor(input2)) }
inline Tensor Tensor::ormqr(const Tensor &input2, const Tensor &input3, bool left, bool transpose) const { FL_CALL(tensor, "ormqr", "self input2 input3 left transpose", of_tensor(*this), of_tensor(input2), of_tensor(input3), of_bool(left), of_bool(transpose)) }
inline Tensor Tensor::outer(const Tensor &vec2) const { FL_CALL(tensor, "outer", "self vec2", of_tensor(*this), of_tensor(vec2)) }
inline Tensor Tensor::permute(IntArrayRef dims) const { FL_CALL(tensor, "permute", "self dims", of_tensor(*this), of_ints(dims)) }
inline Tensor Tensor::pin_memory() const { FL_CALL(tensor, "Tensor.pin_memory", "self", of_tensor(*this)) }
inline Tensor Tensor::pinverse(double rcond) const { FL_CALL(tensor, "pinverse", "self rcond", of_tensor(*this), of_double(rcond)) }
inline Tensor Tensor::polygamma(int64_t n) const { FL_CALL(tensor, "Tensor.polygamma", "self n", of_tensor(*this), of_int(n)) }
inline Tensor &Tensor::polygamma_(int64_t n) const { FL_CALL(same(*this), "Tensor.polygamma_", "self n", of_tensor(*this), of_int(n)) }
inline Tensor Tensor::positive() const { FL_CALL(tensor, "positive", "self", of_tensor(*this)) }
inline Tensor Tensor::pow(const Tensor &exponent) const { FL_CALL(tensor, "pow", "self exponent", of_tensor(*this), of_tensor(exponent)) }
inline Tensor Tensor::pow(const Scalar &exponent) const { FL_CALL(tensor, "pow", "self exponent", of_tensor(*this), of_scalar(exponent)) }
inline Tensor &Tensor::pow_(const Tensor &exponent) const { FL_CALL(same(*this), "Tensor.pow_", "self exponent", of_tensor(*this), of_tensor(exponent)) }
inline Tensor &Tensor::pow_(const Scalar &exponent) const { FL_CALL(same(*this), "Tensor.pow_", "self exponent", of_tensor(*this), of_scalar(exponent)) }
inline Tensor Tensor::prelu(const Tensor &weight) const { FL_CALL(tensor, "nn.functional.prelu", "self weight", of_tensor(*this), of_tensor(weight)) }
inline Tensor Tensor::prod(optional<ScalarType> dtype) const { FL_CALL(tensor, "prod", "self dtype", of_tensor(*this), of_dtype_or_none(dtype)) }
inline Tensor Tensor::prod(int64_t dim, bool keepdim, optional<ScalarType> dtype) const { FL_CALL(tensor, "prod", "self dim keepdim dtype", of_tensor(*this), of_int(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::put(const Tensor &index, const Tensor &source, bool accumulate) const { FL_CALL(tensor, "put", "self index source accumulate", of_tensor(*this), of_tensor(index), of_tensor(source), of_bool(accumulate)) }
inline Tensor &Tensor::put_(const Tensor &index, const Tensor &source, bool accumulate) const { FL_CALL(same(*this), "Tensor.put_", "self index source accumulate", of_tensor(*this), of_tensor(index), of_tensor(source), of_bool(accumulate)) }
inline std::tuple<Tensor, Tensor> Tensor::qr(bool some) const { FL_CALL(two, "qr", "self some", of_tensor(*this), of_bool(some)) }
inline Tensor Tensor::quantile(const Tensor &q, optional<int64_t> dim, bool keepdim, const std::string &interpolation) const { FL_CALL(tensor, "quantile.default", "self q dim keepdim interpolation", of_tensor(*this), of_tensor(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor Tensor::quantile(double q, optional<int64_t> dim, bool keepdim, const std::string &interpolation) const { FL_CALL(tensor, "quantile.scalar", "self q dim keepdim interpolation", of_tensor(*this), of_double(q), of_int_or_none(dim), of_bool(keepdim), of_string(interpolation)) }
inline Tensor Tensor::rad2deg() const { FL_CALL(tensor, "rad2deg", "self", of_tensor(*this)) }
inline Tensor &Tensor::rad2deg_() const { FL_CALL(same(*this), "rad2deg_", "self", of_tensor(*this)) }
inline Tensor &Tensor::random_(int64_t from, optional<int64_t> to) const { FL_CALL(same(*this), "Tensor.random_.from", "self from to", of_tensor(*this), of_int(from), of_int_or_none(to)) }
inline Tensor &Tensor::random_() const { FL_CALL(same(*this), "Tensor.random_.default", "self", of_tensor(*this)) }
inline Tensor &Tensor::random_(int64_t to) const { FL_CALL(same(*this), "Tensor.random_.to", "self to", of_tensor(*this), of_int(to)) }
inline Tensor Tensor::ravel() const { FL_CALL(tensor, "ravel", "self", of_tensor(*this)) }
inline Tensor Tensor::reciprocal() const { FL_CALL(tensor, "reciprocal", "self", of_tensor(*this)) }
inline Tensor &Tensor::reciprocal_() const { FL_CALL(same(*this), "reciprocal_", "self", of_tensor(*this)) }
inline Tensor Tensor::relu() const { FL_CALL(tensor, "relu", "self", of_tensor(*this)) }
inline Tensor &Tensor::relu_() const { FL_CALL(same(*this), "relu_", "self", of_tensor(*this)) }
inline Tensor Tensor::remainder(const Tensor &other) const { FL_CALL(tensor, "remainder", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::remainder(const Scalar &other) const { FL_CALL(tensor, "remainder", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::remainder_(const Tensor &other) const { FL_CALL(same(*this), "Tensor.remainder_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::remainder_(const Scalar &other) const { FL_CALL(same(*this), "Tensor.remainder_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::renorm(const Scalar &p, int64_t dim, const Scalar &maxnorm) const { FL_CALL(tensor, "renorm", "self p dim maxnorm", of_tensor(*this), of_scalar(p), of_int(dim), of_scalar(maxnorm)) }
inline Tensor &Tensor::renorm_(const Scalar &p, int64_t dim, const Scalar &maxnorm) const { FL_CALL(same(*this), "Tensor.renorm_", "self p dim maxnorm", of_tensor(*this), of_scalar(p), of_int(dim), of_scalar(maxnorm)) }
inline Tensor Tensor::repeat(IntArrayRef repeats) const { FL_CALL(tensor, "Tensor.repeat", "self repeats", of_tensor(*this), of_ints(repeats)) }
inline Tensor Tensor::repeat_interleave(int64_t repeats, optional<int64_t> dim, optional<int64_t> output_size) const { FL_CALL(tensor, "repeat_interleave.self_int", "self repeats dim output_size", of_tensor(*this), of_int(repeats), of_int_or_none(dim), of_int_or_none(output_size)) }
inline Tensor Tensor::repeat_interleave(const Tensor &repeats, optional<int64_t> dim, optional<int64_t> output_size) const { FL_CALL(tensor, "repeat_interleave.self_Tensor", "self repeats dim output_size", of_tensor(*this), of_tensor(repeats), of_int_or_none(dim), of_int_or_none(output_size)) }
inline Tensor Tensor::reshape(IntArrayRef shape) const { FL_CALL(tensor, "reshape", "self shape", of_tensor(*this), of_ints(shape)) }
inline Tensor Tensor::reshape_as(const Tensor &other) const { FL_CALL(tensor, "Tensor.reshape_as", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::resize(IntArrayRef sizes) const { FL_CALL(tensor, "Tensor.resize", "self sizes", of_tensor(*this), of_ints(sizes)) }
inline Tensor &Tensor::resize_(IntArrayRef size, optional<MemoryFormat>) const { FL_CALL(same(*this), "Tensor.resize_", "self size", of_tensor(*this), of_ints(size)) }
inline Tensor Tensor::resize_as(const Tensor &tensor) const { FL_CALL(tensor, "Tensor.resize_as", "self tensor", of_tensor(*this), of_tensor(tensor)) }
inline Tensor Tensor::resolve_conj() const { FL_CALL(tensor, "resolve_conj", "self", of_tensor(*this)) }
inline Tensor Tensor::resolve_neg() const { FL_CALL(tensor, "resolve_neg", "self", of_tensor(*this)) }
inline Tensor Tensor::roll(IntArrayRef shifts, OptionalIntArrayRef dims) const { FL_CALL(tensor, "roll", "self shifts dims", of_tensor(*this), of_ints(shifts), of_ints_or_none(dims)) }
inline Tensor Tensor::rot90(int64_t k, IntArrayRef dims) const { FL_CALL(tensor, "rot90", "self k dims", of_tensor(*this), of_int(k), of_ints(dims)) }
inline Tensor Tensor::round(int64_t decimals) const { FL_CALL(tensor, "round", "self decimals", of_tensor(*this), of_int(decimals)) }
inline Tensor &Tensor::round_(int64_t decimals) const { FL_CALL(same(*this), "round_", "self decimals", of_tensor(*this), of_int(decimals)) }
inline Tensor Tensor::rsqrt() const { FL_CALL(tensor, "rsqrt", "self", of_tensor(*this)) }
inline Tensor &Tensor::rsqrt_() const { FL_CALL(same(*this), "rsqrt_", "self", of_tensor(*this)) }
inline Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Tensor &src) const { FL_CALL(tensor, "scatter", "self dim index src", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src)) }
inline Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Scalar &value) const { FL_CALL(tensor, "scatter", "self dim index value", of_tensor(*this), of_int(dim), of_tensor(index), of_scalar(value)) }
inline Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce) const { FL_CALL(tensor, "scatter", "self dim index src reduce", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src), of_string(reduce)) }
inline Tensor Tensor::scatter(int64_t dim, const Tensor &index, const Scalar &value, const std::string &reduce) const { FL_CALL(tensor, "scatter", "self dim index value reduce", of_tensor(*this), of_int(dim), of_tensor(index), of_scalar(value), of_string(reduce)) }
inline Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Tensor &src) const { FL_CALL(same(*this), "Tensor.scatter_", "self dim index src", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src)) }
inline Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Scalar &value) const { FL_CALL(same(*this), "Tensor.scatter_", "self dim index value", of_tensor(*this), of_int(dim), of_tensor(index), of_scalar(value)) }
inline Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce) const { FL_CALL(same(*this), "Tensor.scatter_", "self dim index src reduce", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src), of_string(reduce)) }
inline Tensor &Tensor::scatter_(int64_t dim, const Tensor &index, const Scalar &value, const std::string &reduce) const { FL_CALL(same(*this), "Tensor.scatter_", "self dim index value reduce", of_tensor(*this), of_int(dim), of_tensor(index), of_scalar(value), of_string(reduce)) }
inline Tensor Tensor::scatter_add(int64_t dim, const Tensor &index, const Tensor &src) const { FL_CALL(tensor, "scatter_add", "self dim index src", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src)) }
inline Tensor &Tensor::scatter_add_(int64_t dim, const Tensor &index, const Tensor &src) const { FL_CALL(same(*this), "Tensor.scatter_add_", "self dim index src", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src)) }
inline Tensor Tensor::scatter_reduce(int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce, bool include_self) const { FL_CALL(tensor, "scatter_reduce", "self dim index src reduce include_self", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src), of_string(reduce), of_bool(include_self)) }
inline Tensor &Tensor::scatter_reduce_(int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce, bool include_self) const { FL_CALL(same(*this), "Tensor.scatter_reduce_", "self dim index src reduce include_self", of_tensor(*this), of_int(dim), of_tensor(index), of_tensor(src), of_string(reduce), of_bool(include_self)) }
inline Tensor Tensor::select(int64_t dim, int64_t index) const { FL_CALL(tensor, "select", "self dim index", of_tensor(*this), of_int(dim), of_int(index)) }
inline Tensor Tensor::select_scatter(const Tensor &src, int64_t dim, int64_t index) const { FL_CALL(tensor, "select_scatter", "self src dim index", of_tensor(*this), of_tensor(src), of_int(dim), of_int(index)) }
inline Tensor &Tensor::set_() const { FL_CALL(same(*this), "Tensor.set_.default", "self", of_tensor(*this)) }
inline Tensor &Tensor::set_(const Tensor &source) const { FL_CALL(same(*this), "Tensor.set_.source_Tensor", "self source", of_tensor(*this), of_tensor(source)) }
inline Tensor &Tensor::set_(const Tensor &source, int64_t storage_offset, IntArrayRef size, IntArrayRef stride) const { FL_CALL(same(*this), "Tensor.set_.source_Tensor_storage_offset", "self source storage_offset size stride", of_tensor(*this), of_tensor(source), of_int(storage_offset), of_ints(size), of_ints(stride)) }
inline Tensor Tensor::sgn() const { FL_CALL(tensor, "sgn", "self", of_tensor(*this)) }
inline Tensor &Tensor::sgn_() const { FL_CALL(same(*this), "Tensor.sgn_", "self", of_tensor(*this)) }
inline Tensor &Tensor::share_memory_() const { FL_CALL(same(*this), "Tensor.share_memory_", "self", of_tensor(*this)) }
inline Tensor Tensor::sigmoid() const { FL_CALL(tensor, "sigmoid", "self", of_tensor(*this)) }
inline Tensor &Tensor::sigmoid_() const { FL_CALL(same(*this), "sigmoid_", "self", of_tensor(*this)) }
inline Tensor Tensor::sign() const { FL_CALL(tensor, "sign", "self", of_tensor(*this)) }
inline Tensor &Tensor::sign_() const { FL_CALL(same(*this), "sign_", "self", of_tensor(*this)) }
inline Tensor Tensor::signbit() const { FL_CALL(tensor, "signbit", "self", of_tensor(*this)) }
inline Tensor Tensor::sin() const { FL_CALL(tensor, "sin", "self", of_tensor(*this)) }
inline Tensor &Tensor::sin_() const { FL_CALL(same(*this), "sin_", "self", of_tensor(*this)) }
inline Tensor Tensor::sinc() const { FL_CALL(tensor, "sinc", "self", of_tensor(*this)) }
inline Tensor &Tensor::sinc_() const { FL_CALL(same(*this), "sinc_", "self", of_tensor(*this)) }
inline Tensor Tensor::sinh() const { FL_CALL(tensor, "sinh", "self", of_tensor(*this)) }
inline Tensor &Tensor::sinh_() const { FL_CALL(same(*this), "sinh_", "self", of_tensor(*this)) }
inline Tensor Tensor::slice(int64_t dim, optional<int64_t> start, optional<int64_t> end, int64_t step) const { FL_CALL(tensor, "_ops.slice", "self dim start end step", of_tensor(*this), of_int(dim), of_int_or_none(start), of_int_or_none(end), of_int(step)) }
inline Tensor Tensor::slice_scatter(const Tensor &src, int64_t dim, optional<int64_t> start, optional<int64_t> end, int64_t step) const { FL_CALL(tensor, "slice_scatter", "self src dim start end step", of_tensor(*this), of_tensor(src), of_int(dim), of_int_or_none(start), of_int_or_none(end), of_int(step)) }
inline std::tuple<Tensor, Tensor> Tensor::slogdet() const { FL_CALL(two, "slogdet", "self", of_tensor(*this)) }
inline Tensor Tensor::softmax(int64_t dim, optional<ScalarType> dtype) const { FL_CALL(tensor, "softmax", "self dim dtype", of_tensor(*this), of_int(dim), of_dtype_or_none(dtype)) }
inline std::tuple<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending) const { FL_CALL(two, "sort.default", "self dim descending", of_tensor(*this), of_int(dim), of_bool(descending)) }
inline std::tuple<Tensor, Tensor> Tensor::sort(optional<bool> stable, int64_t dim, bool descending) const { FL_CALL(two, "sort.stable", "self stable dim descending", of_tensor(*this), of_bool_or_none(stable), of_int(dim), of_bool(descending)) }
inline std::vector<Tensor> Tensor::split(int64_t split_size, int64_t dim) const { FL_CALL(tensors, "split.Tensor", "self split_size dim", of_tensor(*this), of_int(split_size), of_int(dim)) }
inline std::vector<Tensor> Tensor::split(IntArrayRef split_size, int64_t dim) const { FL_CALL(tensors, "split.sizes", "self split_size dim", of_tensor(*this), of_ints(split_size), of_int(dim)) }
inline std::vector<Tensor> Tensor::split_with_sizes(IntArrayRef split_sizes, int64_t dim) const { FL_CALL(tensors, "split_with_sizes", "self split_sizes dim", of_tensor(*this), of_ints(split_sizes), of_int(dim)) }
inline Tensor Tensor::sqrt() const { FL_CALL(tensor, "sqrt", "self", of_tensor(*this)) }
inline Tensor &Tensor::sqrt_() const { FL_CALL(same(*this), "sqrt_", "self", of_tensor(*this)) }
inline Tensor Tensor::square() const { FL_CALL(tensor, "square", "self", of_tensor(*this)) }
inline Tensor &Tensor::square_() const { FL_CALL(same(*this), "square_", "self", of_tensor(*this)) }
inline Tensor Tensor::squeeze() const { FL_CALL(tensor, "squeeze", "self", of_tensor(*this)) }
inline Tensor Tensor::squeeze(int64_t dim) const { FL_CALL(tensor, "squeeze", "self dim", of_tensor(*this), of_int(dim)) }
inline Tensor Tensor::squeeze(IntArrayRef dim) const { FL_CALL(tensor, "squeeze", "self dim", of_tensor(*this), of_ints(dim)) }
inline Tensor &Tensor::squeeze_() const { FL_CALL(same(*this), "Tensor.squeeze_", "self", of_tensor(*this)) }
inline Tensor &Tensor::squeeze_(int64_t dim) const { FL_CALL(same(*this), "Tensor.squeeze_", "self dim", of_tensor(*this), of_int(dim)) }
inline Tensor &Tensor::squeeze_(IntArrayRef dim) const { FL_CALL(same(*this), "Tensor.squeeze_", "self dim", of_tensor(*this), of_ints(dim)) }
inline Tensor Tensor::std(OptionalIntArrayRef dim, const optional<Scalar> &correction, bool keepdim) const { FL_CALL(tensor, "std.correction", "self dim correction keepdim", of_tensor(*this), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline Tensor Tensor::std(bool unbiased) const { FL_CALL(tensor, "std.default", "self unbiased", of_tensor(*this), of_bool(unbiased)) }
inline Tensor Tensor::std(OptionalIntArrayRef dim, bool unbiased, bool keepdim) const { FL_CALL(tensor, "std.dim", "self dim unbiased keepdim", of_tensor(*this), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline Tensor Tensor::stft(int64_t n_fft, optional<int64_t> hop_length, optional<int64_t> win_length, const optional<Tensor> &window, bool center, const std::string &pad_mode, bool normalized, optional<bool> onesided, optional<bool> return_complex, optional<bool> align_to_window) const { FL_CALL(tensor, "stft", "self n_fft hop_length win_length window center pad_mode normalized onesided return_complex align_to_window", of_tensor(*this), of_int(n_fft), of_int_or_none(hop_length), of_int_or_none(win_length), of_tensor_or_none(window), of_bool(center), of_string(pad_mode), of_bool(normalized), of_bool_or_none(onesided), of_bool_or_none(return_complex), of_bool_or_none(align_to_window)) }
inline Tensor Tensor::sub(const Tensor &other, const Scalar &alpha) const { FL_CALL(tensor, "sub", "self other alpha", of_tensor(*this), of_tensor(other), of_scalar(alpha)) }
inline Tensor Tensor::sub(const Scalar &other, const Scalar &alpha) const { FL_CALL(tensor, "sub", "self other alpha", of_tensor(*this), of_scalar(other), of_scalar(alpha)) }
inline Tensor &Tensor::sub_(const Tensor &other, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.sub_", "self other alpha", of_tensor(*this), of_tensor(other), of_scalar(alpha)) }
inline Tensor &Tensor::sub_(const Scalar &other, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.sub_", "self other alpha", of_tensor(*this), of_scalar(other), of_scalar(alpha)) }
inline Tensor Tensor::subtract(const Tensor &other, const Scalar &alpha) const { FL_CALL(tensor, "sub", "self other alpha", of_tensor(*this), of_tensor(other), of_scalar(alpha)) }
inline Tensor Tensor::subtract(const Scalar &other, const Scalar &alpha) const { FL_CALL(tensor, "sub", "self other alpha", of_tensor(*this), of_scalar(other), of_scalar(alpha)) }
inline Tensor &Tensor::subtract_(const Tensor &other, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.sub_", "self other alpha", of_tensor(*this), of_tensor(other), of_scalar(alpha)) }
inline Tensor &Tensor::subtract_(const Scalar &other, const Scalar &alpha) const { FL_CALL(same(*this), "Tensor.sub_", "self other alpha", of_tensor(*this), of_scalar(other), of_scalar(alpha)) }
inline Tensor Tensor::sum(optional<ScalarType> dtype) const { FL_CALL(tensor, "sum", "self dtype", of_tensor(*this), of_dtype_or_none(dtype)) }
inline Tensor Tensor::sum(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const { FL_CALL(tensor, "sum", "self dim keepdim dtype", of_tensor(*this), of_ints_or_none(dim), of_bool(keepdim), of_dtype_or_none(dtype)) }
inline Tensor Tensor::sum_to_size(IntArrayRef size) const { FL_CALL(tensor, "Tensor.sum_to_size", "self size", of_tensor(*this), of_ints(size)) }
inline std::tuple<Tensor, Tensor, Tensor> Tensor::svd(bool some, bool compute_uv) const { FL_CALL(three, "svd", "self some compute_uv", of_tensor(*this), of_bool(some), of_bool(compute_uv)) }
inline Tensor Tensor::swapaxes(int64_t axis0, int64_t axis1) const { FL_CALL(tensor, "swapaxes", "self axis0 axis1", of_tensor(*this), of_int(axis0), of_int(axis1)) }
inline Tensor &Tensor::swapaxes_(int64_t axis0, int64_t axis1) const { FL_CALL(same(*this), "Tensor.swapaxes_", "self axis0 axis1", of_tensor(*this), of_int(axis0), of_int(axis1)) }
inline Tensor Tensor::swapdims(int64_t dim0, int64_t dim1) const { FL_CALL(tensor, "transpose", "self dim0 dim1", of_tensor(*this), of_int(dim0), of_int(dim1)) }
inline Tensor &Tensor::swapdims_(int64_t dim0, int64_t dim1) const { FL_CALL(same(*this), "Tensor.transpose_", "self dim0 dim1", of_tensor(*this), of_int(dim0), of_int(dim1)) }
inline Tensor Tensor::t() const { FL_CALL(tensor, "t", "self", of_tensor(*this)) }
inline Tensor &Tensor::t_() const { FL_CALL(same(*this), "Tensor.t_", "self", of_tensor(*this)) }
inline Tensor Tensor::take(const Tensor &index) const { FL_CALL(tensor, "take", "self index", of_tensor(*this), of_tensor(index)) }
inline Tensor Tensor::take_along_dim(const Tensor &indices, optional<int64_t> dim) const { FL_CALL(tensor, "take_along_dim", "self indices dim", of_tensor(*this), of_tensor(indices), of_int_or_none(dim)) }
inline Tensor Tensor::tan() const { FL_CALL(tensor, "tan", "self", of_tensor(*this)) }
inline Tensor &Tensor::tan_() const { FL_CALL(same(*this), "tan_", "self", of_tensor(*this)) }
inline Tensor Tensor::tanh() const { FL_CALL(tensor, "tanh", "self", of_tensor(*this)) }
inline Tensor &Tensor::tanh_() const { FL_CALL(same(*this), "tanh_", "self", of_tensor(*this)) }
inline std::vector<Tensor> Tensor::tensor_split(int64_t sections, int64_t dim) const { FL_CALL(tensors, "tensor_split.sections", "self sections dim", of_tensor(*this), of_int(sections), of_int(dim)) }
inline std::vector<Tensor> Tensor::tensor_split(IntArrayRef indices, int64_t dim) const { FL_CALL(tensors, "tensor_split.indices", "self indices dim", of_tensor(*this), of_ints(indices), of_int(dim)) }
inline std::vector<Tensor> Tensor::tensor_split(const Tensor &tensor_indices_or_sections, int64_t dim) const { FL_CALL(tensors, "tensor_split.tensor_indices_or_sections", "self tensor_indices_or_sections dim", of_tensor(*this), of_tensor(tensor_indices_or_sections), of_int(dim)) }
inline Tensor Tensor::tile(IntArrayRef dims) const { FL_CALL(tensor, "tile", "self dims", of_tensor(*this), of_ints(dims)) }
inline std::tuple<Tensor, Tensor> Tensor::topk(int64_t k, int64_t dim, bool largest, bool sorted) const { FL_CALL(two, "topk", "self k dim largest sorted", of_tensor(*this), of_int(k), of_int(dim), of_bool(largest), of_bool(sorted)) }
inline Tensor Tensor::trace() const { FL_CALL(tensor, "trace", "self", of_tensor(*this)) }
inline Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const { FL_CALL(tensor, "transpose", "self dim0 dim1", of_tensor(*this), of_int(dim0), of_int(dim1)) }
inline Tensor &Tensor::transpose_(int64_t dim0, int64_t dim1) const { FL_CALL(same(*this), "Tensor.transpose_", "self dim0 dim1", of_tensor(*this), of_int(dim0), of_int(dim1)) }
inline std::tuple<Tensor, Tensor> Tensor::triangular_solve(const Tensor &A, bool upper, bool transpose, bool unitriangular) const { FL_CALL(two, "triangular_solve", "self A upper transpose unitriangular", of_tensor(*this), of_tensor(A), of_bool(upper), of_bool(transpose), of_bool(unitriangular)) }
inline Tensor Tensor::tril(int64_t diagonal) const { FL_CALL(tensor, "tril", "self diagonal", of_tensor(*this), of_int(diagonal)) }
inline Tensor &Tensor::tril_(int64_t diagonal) const { FL_CALL(same(*this), "Tensor.tril_", "self diagonal", of_tensor(*this), of_int(diagonal)) }
inline Tensor Tensor::triu(int64_t diagonal) const { FL_CALL(tensor, "triu", "self diagonal", of_tensor(*this), of_int(diagonal)) }
inline Tensor &Tensor::triu_(int64_t diagonal) const { FL_CALL(same(*this), "Tensor.triu_", "self diagonal", of_tensor(*this), of_int(diagonal)) }
inline Tensor Tensor::true_divide(const Tensor &other, const optional<std::string> &rounding_mode) const { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(*this), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor Tensor::true_divide(const Scalar &other, const optional<std::string> &rounding_mode) const { FL_CALL(tensor, "div", "self other rounding_mode", of_tensor(*this), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor &Tensor::true_divide_(const Tensor &other, const optional<std::string> &rounding_mode) const { FL_CALL(same(*this), "Tensor.div_", "self other rounding_mode", of_tensor(*this), of_tensor(other), of_string_or_none(rounding_mode)) }
inline Tensor &Tensor::true_divide_(const Scalar &other, const optional<std::string> &rounding_mode) const { FL_CALL(same(*this), "Tensor.div_", "self other rounding_mode", of_tensor(*this), of_scalar(other), of_string_or_none(rounding_mode)) }
inline Tensor Tensor::trunc() const { FL_CALL(tensor, "trunc", "self", of_tensor(*this)) }
inline Tensor &Tensor::trunc_() const { FL_CALL(same(*this), "trunc_", "self", of_tensor(*this)) }
inline Tensor Tensor::type_as(const Tensor &other) const { FL_CALL(tensor, "Tensor.type_as", "self other", of_tensor(*this), of_tensor(other)) }
inline std::vector<Tensor> Tensor::unbind(int64_t dim) const { FL_CALL(tensors, "unbind", "self dim", of_tensor(*this), of_int(dim)) }
inline Tensor Tensor::unflatten(int64_t dim, IntArrayRef sizes) const { FL_CALL(tensor, "unflatten", "self dim sizes", of_tensor(*this), of_int(dim), of_ints(sizes)) }
inline Tensor Tensor::unfold(int64_t dimension, int64_t size, int64_t step) const { FL_CALL(tensor, "Tensor.unfold", "self dimension size step", of_tensor(*this), of_int(dimension), of_int(size), of_int(step)) }
inline Tensor &Tensor::uniform_(double from, double to) const { FL_CALL(same(*this), "Tensor.uniform_", "self from to", of_tensor(*this), of_double(from), of_double(to)) }
inline std::tuple<Tensor, Tensor, Tensor> Tensor::unique_consecutive(bool return_inverse, bool return_counts, optional<int64_t> dim) const { FL_CALL(three, "_ops.unique_consecutive", "self return_inverse return_counts dim", of_tensor(*this), of_bool(return_inverse), of_bool(return_counts), of_int_or_none(dim)) }
inline std::vector<Tensor> Tensor::unsafe_chunk(int64_t chunks, int64_t dim) const { FL_CALL(tensors, "unsafe_chunk", "self chunks dim", of_tensor(*this), of_int(chunks), of_int(dim)) }
inline std::vector<Tensor> Tensor::unsafe_split(int64_t split_size, int64_t dim) const { FL_CALL(tensors, "unsafe_split", "self split_size dim", of_tensor(*this), of_int(split_size), of_int(dim)) }
inline std::vector<Tensor> Tensor::unsafe_split_with_sizes(IntArrayRef split_sizes, int64_t dim) const { FL_CALL(tensors, "unsafe_split_with_sizes", "self split_sizes dim", of_tensor(*this), of_ints(split_sizes), of_int(dim)) }
inline Tensor Tensor::unsqueeze(int64_t dim) const { FL_CALL(tensor, "unsqueeze", "self dim", of_tensor(*this), of_int(dim)) }
inline Tensor &Tensor::unsqueeze_(int64_t dim) const { FL_CALL(same(*this), "Tensor.unsqueeze_", "self dim", of_tensor(*this), of_int(dim)) }
inline Tensor Tensor::var(OptionalIntArrayRef dim, const optional<Scalar> &correction, bool keepdim) const { FL_CALL(tensor, "var.correction", "self dim correction keepdim", of_tensor(*this), of_ints_or_none(dim), of_scalar_or_none(correction), of_bool(keepdim)) }
inline Tensor Tensor::var(bool unbiased) const { FL_CALL(tensor, "var.default", "self unbiased", of_tensor(*this), of_bool(unbiased)) }
inline Tensor Tensor::var(OptionalIntArrayRef dim, bool unbiased, bool keepdim) const { FL_CALL(tensor, "var.dim", "self dim unbiased keepdim", of_tensor(*this), of_ints_or_none(dim), of_bool(unbiased), of_bool(keepdim)) }
inline Tensor Tensor::vdot(const Tensor &other) const { FL_CALL(tensor, "vdot", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::view_as(const Tensor &other) const { FL_CALL(tensor, "Tensor.view_as", "self other", of_tensor(*this), of_tensor(other)) }
inline std::vector<Tensor> Tensor::vsplit(int64_t sections) const { FL_CALL(tensors, "vsplit.int", "self sections", of_tensor(*this), of_int(sections)) }
inline std::vector<Tensor> Tensor::vsplit(IntArrayRef indices) const { FL_CALL(tensors, "vsplit.array", "self indices", of_tensor(*this), of_ints(indices)) }
inline Tensor Tensor::where(const Tensor &condition, const Tensor &other) const { FL_CALL(tensor, "Tensor.where", "self condition other", of_tensor(*this), of_tensor(condition), of_tensor(other)) }
inline Tensor Tensor::where(const Tensor &condition, const Scalar &other) const { FL_CALL(tensor, "Tensor.where", "self condition other", of_tensor(*this), of_tensor(condition), of_scalar(other)) }
inline Tensor Tensor::xlogy(const Tensor &other) const { FL_CALL(tensor, "xlogy", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor Tensor::xlogy(const Scalar &other) const { FL_CALL(tensor, "xlogy", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor &Tensor::xlogy_(const Tensor &other) const { FL_CALL(same(*this), "xlogy_", "self other", of_tensor(*this), of_tensor(other)) }
inline Tensor &Tensor::xlogy_(const Scalar &other) const { FL_CALL(same(*this), "xlogy_", "self other", of_tensor(*this), of_scalar(other)) }
inline Tensor Tensor::xpu() const { FL_CALL(tensor, "Tensor.xpu", "self", of_tensor(*this)) }
inline Tensor &Tensor::zero_() const { FL_CALL(same(*this), "zero_", "self", of_tensor(*this)) }

}  // namespace at
