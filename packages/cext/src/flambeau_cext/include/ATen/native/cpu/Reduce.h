/* at::native::binary_kernel_reduce(iter, ops, init): reductions by the methods of `ops`. */
#pragma once

#include <ATen/native/cpu/Loops.h>

namespace at {
namespace native {
namespace detail {

template <class F> struct ReducedElement;
template <class Ops, class Acc, class Arg, class Data, class... Rest>
struct ReducedElement<Acc (Ops::*)(Arg, Data, Rest...) const> {
    using type = std::decay_t<Data>;
};
template <class Ops, class Acc, class Arg, class Data, class... Rest>
struct ReducedElement<Acc (Ops::*)(Arg, Data, Rest...)> {
    using type = std::decay_t<Data>;
};
template <class R> void store_result(char **outputs, const R &result) {
    *reinterpret_cast<R *>(outputs[0]) = result;
}
template <class... R> void store_result(char **outputs, const std::tuple<R...> &results) {
    std::apply([&](const R &...each) { ((*reinterpret_cast<R *>(*outputs++) = each), ...); }, results);
}

}  // namespace detail

/* Starting from init, ops.reduce(accumulated, element, its index) is called for each element in order; ops.project of the
 * last value is the output. ops.combine is not called. */
template <class Ops, class Init> void binary_kernel_reduce(const TensorIterator &iter, Ops ops, Init init) {
    using Data = typename detail::ReducedElement<decltype(&Ops::reduce)>::type;
    TORCH_CHECK(iter.is_reduction() && iter.ninputs() == 1, "binary_kernel_reduce needs a reduction of one input");
    detail::check_type<Data>(iter, iter.noutputs());
    iter.for_each([&](char **data, const int64_t *strides, int64_t count) {
        auto accumulated = init;
        const char *element = data[iter.noutputs()];
        for (int64_t i = 0; i < count; i++, element += strides[iter.noutputs()])
            accumulated = ops.reduce(accumulated, *reinterpret_cast<const Data *>(element), i);
        detail::store_result(data, ops.project(accumulated));
    });
}

}  // namespace native
}  // namespace at
