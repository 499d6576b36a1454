/* The gradients of operators as operators, for extensions that call them in their own backward. */
#pragma once

#include <ATen/Compositions.h>

namespace at {

/* --- Activations and losses
 * -------------------------------------------------------------------------------------------- */

inline Tensor tanh_backward(const Tensor &grad_output, const Tensor &output) {
    FL_CALL(tensor, "_ops.tanh_backward", "grad_output output", of_tensor(grad_output), of_tensor(output))
}
inline Tensor sigmoid_backward(const Tensor &grad_output, const Tensor &output) {
    FL_CALL(tensor, "_ops.sigmoid_backward", "grad_output output", of_tensor(grad_output), of_tensor(output))
}
inline Tensor leaky_relu_backward(const Tensor &grad_output, const Tensor &self, const Scalar &negative_slope, bool
    self_is_result) {
    FL_CALL(tensor, "_C._nn.leaky_relu_backward", "grad_output self negative_slope", of_tensor(grad_output),
        of_tensor(self), of_scalar(negative_slope))
}
inline Tensor hardtanh_backward(const Tensor &grad_output, const Tensor &self, const Scalar &min_val, const Scalar
    &max_val) {
    FL_CALL(tensor, "_C._nn.hardtanh_backward", "grad_output self min_val max_val", of_tensor(grad_output),
        of_tensor(self), of_scalar(min_val), of_scalar(max_val))
}
inline Tensor hardsigmoid_backward(const Tensor &grad_output, const Tensor &self) {
    FL_CALL(tensor, "_C._nn.hardsigmoid_backward", "grad_output self", of_tensor(grad_output), of_tensor(self))
}
inline Tensor hardswish_backward(const Tensor &grad_output, const Tensor &self) {
    FL_CALL(tensor, "_C._nn.hardswish_backward", "grad_output self", of_tensor(grad_output), of_tensor(self))
}
inline Tensor silu_backward(const Tensor &grad_output, const Tensor &self) {
    FL_CALL(tensor, "_C._nn.silu_backward", "grad_output self", of_tensor(grad_output), of_tensor(self))
}
inline Tensor mish_backward(const Tensor &grad_output, const Tensor &self) {
    FL_CALL(tensor, "_C._nn.mish_backward", "grad_output self", of_tensor(grad_output), of_tensor(self))
}
inline Tensor threshold_backward(const Tensor &grad_output, const Tensor &self, const Scalar &threshold) {
    FL_CALL(tensor, "_C._nn.threshold_backward", "grad_output self threshold", of_tensor(grad_output),
        of_tensor(self), of_scalar(threshold))
}
inline Tensor softplus_backward(const Tensor &grad_output, const Tensor &self, const Scalar &beta, const Scalar
    &threshold) {
    FL_CALL(tensor, "_C._nn.softplus_backward", "grad_output self beta threshold", of_tensor(grad_output),
        of_tensor(self), of_scalar(beta), of_scalar(threshold))
}
inline Tensor softshrink_backward(const Tensor &grad_output, const Tensor &self, const Scalar &lambd) {
    FL_CALL(tensor, "_C._nn.softshrink_backward", "grad_output self lambd", of_tensor(grad_output), of_tensor(self),
        of_scalar(lambd))
}
inline Tensor hardshrink_backward(const Tensor &grad_output, const Tensor &self, const Scalar &lambd) {
    FL_CALL(tensor, "_C._nn.hardshrink_backward", "grad_output self lambd", of_tensor(grad_output), of_tensor(self),
        of_scalar(lambd))
}
inline Tensor gelu_backward(const Tensor &grad_output, const Tensor &self, const std::string &approximate = "none") {
    FL_CALL(tensor, "_C._nn.gelu_backward", "grad_output self approximate", of_tensor(grad_output), of_tensor(self),
        of_string(approximate))
}
inline Tensor log_sigmoid_backward(const Tensor &grad_output, const Tensor &self, const Tensor &) {
    FL_CALL(tensor, "_C._nn.logsigmoid_backward", "grad_output self", of_tensor(grad_output), of_tensor(self))
}
inline Tensor mse_loss_backward(const Tensor &grad_output, const Tensor &self, const Tensor &target, int64_t
    reduction) {
    FL_CALL(tensor, "_C._nn.mse_loss_backward", "grad_output self target reduction", of_tensor(grad_output),
        of_tensor(self), of_tensor(target), of_reduction(reduction))
}
inline Tensor smooth_l1_loss_backward(const Tensor &grad_output, const Tensor &self, const Tensor &target, int64_t
    reduction, double beta) {
    FL_CALL(tensor, "_C._nn.smooth_l1_loss_backward", "grad_output self target reduction beta",
        of_tensor(grad_output), of_tensor(self), of_tensor(target), of_reduction(reduction), of_double(beta))
}
inline Tensor huber_loss_backward(const Tensor &grad_output, const Tensor &self, const Tensor &target, int64_t
    reduction, double delta) {
    FL_CALL(tensor, "_C._nn.huber_loss_backward", "grad_output self target reduction delta", of_tensor(grad_output),
        of_tensor(self), of_tensor(target), of_reduction(reduction), of_double(delta))
}
inline Tensor select_backward(const Tensor &grad_output, IntArrayRef input_sizes, int64_t dim, int64_t index) {
    FL_CALL(tensor, "_ops.select_backward", "self sizes dim index", of_tensor(grad_output), of_ints(input_sizes),
        of_int(dim), of_int(index))
}
inline Tensor slice_backward(const Tensor &grad_output, IntArrayRef input_sizes, int64_t dim, int64_t start, int64_t
    end, int64_t step) {
    FL_CALL(tensor, "_ops.slice_backward", "self sizes dim start end step", of_tensor(grad_output),
        of_ints(input_sizes), of_int(dim), of_int(start), of_int(end), of_int(step))
}
inline Tensor diagonal_backward(const Tensor &grad_output, IntArrayRef input_sizes, int64_t offset, int64_t dim1,
    int64_t dim2) {
    FL_CALL(tensor, "_ops.diagonal_backward", "self sizes offset dim1 dim2", of_tensor(grad_output),
        of_ints(input_sizes), of_int(offset), of_int(dim1), of_int(dim2))
}
inline Tensor unfold_backward(const Tensor &grad_in, IntArrayRef input_sizes, int64_t dim, int64_t size, int64_t step)
    {
    FL_CALL(tensor, "_ops.unfold_backward", "self sizes dimension size step", of_tensor(grad_in),
        of_ints(input_sizes), of_int(dim), of_int(size), of_int(step))
}
inline Tensor _softmax_backward_data(const Tensor &grad_output, const Tensor &output, int64_t dim, ScalarType
    input_dtype) {
    FL_CALL(tensor, "_softmax_backward_data", "grad_output output dim input_dtype", of_tensor(grad_output),
        of_tensor(output), of_int(dim), of_dtype(input_dtype))
}
/* With is_result, self_or_result is the result of elu. */
inline Tensor elu_backward(const Tensor &grad_output, const Scalar &alpha, const Scalar &scale, const Scalar &input_scale,
                           bool is_result, const Tensor &self_or_result) {
    if (is_result) {
        const double a = alpha.toDouble(), s = scale.toDouble(), i = input_scale.toDouble();
        return where(self_or_result.le(0), grad_output * i * (self_or_result + a * s), grad_output * s);
    }
    FL_CALL(tensor, "_C._nn.elu_backward", "grad_output self alpha scale input_scale", of_tensor(grad_output),
            of_tensor(self_or_result), of_scalar(alpha), of_scalar(scale), of_scalar(input_scale))
}
inline Tensor glu_backward(const Tensor &grad_output, const Tensor &self, int64_t dim) {
    const std::vector<Tensor> halves = self.chunk(2, dim);
    const Tensor gate = halves[1].sigmoid();
    return cat({grad_output * gate, grad_output * halves[0] * gate * (1 - gate)}, dim);
}
inline Tensor logit_backward(const Tensor &grad_output, const Tensor &self, optional<double> eps = nullopt) {
    const double low = eps.value_or(0);
    const Tensor inside = self.ge(low).logical_and(self.le(1 - low));
    return where(inside, grad_output / (self * (1 - self)), full({}, eps ? 0.0 : NAN, grad_output.options()));
}
inline Tensor binary_cross_entropy_backward(const Tensor &grad_output, const Tensor &self, const Tensor &target,
                                            const optional<Tensor> &weight = {}, int64_t reduction = Reduction::Mean) {
    Tensor grad = grad_output * (self - target) / ((1 - self) * self).clamp_min(1e-12);
    if (weight && weight->defined()) grad = grad * *weight;
    return reduction == Reduction::Mean ? grad / self.numel() : grad;
}
inline Tensor _log_softmax_backward_data(const Tensor &grad_output, const Tensor &output, int64_t dim, ScalarType type) {
    return (grad_output - output.exp() * grad_output.sum({dim}, true)).to(type);
}

/* --- Convolutions
 * ------------------------------------------------------------------------------------------------------ */

inline std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor &grad_output, const Tensor &input, const Tensor &weight, const OptionalIntArrayRef &bias_sizes,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups,
    std::array<bool, 3> output_mask) {
    const int64_t mask[] = {output_mask[0], output_mask[1], output_mask[2]};
    fl_value wanted = fl_of_ints(mask, 3);
    wanted.kind = FL_VALUE_BOOLS;
    FL_CALL(three, "_C._nn.convolution_backward",
            "grad_output input weight bias_sizes stride padding dilation transposed output_padding groups output_mask",
            of_tensor(grad_output), of_tensor(input), of_tensor(weight), of_ints_or_none(bias_sizes), of_ints(stride),
            of_ints(padding), of_ints(dilation), of_bool(transposed), of_ints(output_padding), of_int(groups), wanted)
}

}  // namespace at
