/* Loops over elements by TensorIterator, as sources with kernels of their own write them. */
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/cpu/Loops.h>
#include <ATen/native/cpu/Reduce.h>
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
/* An operator with one operand and one with two, as iterators make them: with given outputs or new ones. */
at::Tensor negated(const at::Tensor &a, const c10::optional<at::Tensor> &given) {
    at::Tensor out = given.value_or(at::Tensor());
    auto iter = at::TensorIterator::unary_op(out, a);
    AT_DISPATCH_ALL_TYPES(iter.dtype(), "negated", [&] {
        at::native::cpu_kernel(iter, [](scalar_t x) -> scalar_t { return scalar_t(-x); });
    });
    return iter.output();
}
at::Tensor larger(const at::Tensor &a, const at::Tensor &b, const c10::optional<at::Tensor> &given) {
    at::Tensor out = given.value_or(at::Tensor());
    auto iter = at::TensorIterator::binary_op(out, a, b);
    AT_DISPATCH_ALL_TYPES(iter.common_dtype(), "larger", [&] {
        at::native::cpu_kernel(iter, [](scalar_t x, scalar_t y) -> scalar_t { return x > y ? x : y; });
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
/* Sums over a dimension, added to what is there. */
at::Tensor &add_sums(at::Tensor &out, const at::Tensor &a) {
    auto iter = at::TensorIterator::reduce_op(out, a);
    iter.for_each([](char **data, const int64_t *strides, int64_t n) {
        for (int64_t i = 0; i < n; i++)
            *reinterpret_cast<double *>(data[0] + i * strides[0]) += *reinterpret_cast<double *>(data[1] + i * strides[1]);
    });
    return out;
}
struct Largest {
    using acc_t = std::pair<float, int64_t>;
    acc_t reduce(acc_t so_far, float x, int64_t place) const { return x > so_far.first ? acc_t(x, place) : so_far; }
    acc_t combine(acc_t a, acc_t b) const { return a.first < b.first ? b : a; }
    std::tuple<float, int64_t> project(acc_t a) const { return {a.first, a.second}; }
};
std::tuple<at::Tensor, at::Tensor> largest(const at::Tensor &a) {
    at::Tensor values = at::empty({a.size(0), 1}), places = at::empty({a.size(0), 1}, at::kLong);
    auto iter = at::TensorIterator::reduce_op(values, places, a);
    at::native::binary_kernel_reduce(iter, Largest(), Largest::acc_t(-INFINITY, -1));
    return {values, places};
}
at::Tensor counted(int64_t n) {
    at::Tensor out = at::empty({n}, at::kLong);
    auto iter = at::TensorIterator::nullary_op(out);
    iter.serial_for_each([](char **data, const int64_t *strides, int64_t columns, int64_t rows) {
        for (int64_t j = 0; j < rows; j++)
            for (int64_t i = 0; i < columns; i++) *reinterpret_cast<int64_t *>(data[0] + i * strides[0]) = i;
    });
    return out;
}
TORCH_LIBRARY(elements, m) {
    m.def("add_sums(Tensor(a!) out, Tensor a) -> Tensor(a!)", &add_sums);
    m.def("largest(Tensor a) -> (Tensor, Tensor)", &largest);
    m.def("counted(int n) -> Tensor", &counted);
    m.def("hypotenuse(Tensor a, Tensor b, Tensor? given=None) -> Tensor", &hypotenuse);
    m.def("negated(Tensor a, Tensor? given=None) -> Tensor", &negated);
    m.def("larger(Tensor a, Tensor b, Tensor? given=None) -> Tensor", &larger);
    m.def("both(Tensor a) -> (Tensor, Tensor)", &both);
}
