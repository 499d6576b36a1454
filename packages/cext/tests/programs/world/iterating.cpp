/* Loops over elements by TensorIterator, as sources with kernels of their own write them. */
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/cpu/Loops.h>
#include <torch/library.h>
at::Tensor hypotenuse(const at::Tensor &a, const at::Tensor &b, const c10::optional<at::Tensor> &given) {
    at::Tensor out = given.value_or(at::Tensor());
    auto iter = at::TensorIteratorConfig()
                    .promote_inputs_to_common_dtype(true)
                    .promote_integer_inputs_to_float(true)
                    .cast_common_dtype_to_outputs(true)
                    .enforce_safe_casting_to_output(true)
                    .add_output(out)
                    .add_const_input(a)
                    .add_const_input(b)
                    .build();
    AT_DISPATCH_FLOATING_TYPES(iter.common_dtype(), "hypotenuse", [&] {
        at::native::cpu_kernel(iter, [](scalar_t x, scalar_t y) -> scalar_t { return std::sqrt(x * x + y * y); });
    });
    return iter.output();
}
std::tuple<at::Tensor, at::Tensor> both(const at::Tensor &a) {
    at::Tensor one, two;
    auto iter = at::TensorIteratorConfig().add_output(one).add_output(two).add_input(a).build();
    at::native::cpu_kernel_multiple_outputs(
        iter, [](float x) -> std::tuple<float, float> { return {x + 1, 2 * x}; });
    return {iter.output(0), iter.output(1)};
}
TORCH_LIBRARY(elements, m) {
    m.def("hypotenuse(Tensor a, Tensor b, Tensor? given=None) -> Tensor", &hypotenuse);
    m.def("both(Tensor a) -> (Tensor, Tensor)", &both);
}
