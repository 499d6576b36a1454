/* at::native::cpu_kernel(iter, f): computes the outputs by applying f to the elements of the inputs. */
#pragma once

#include <ATen/TensorIterator.h>

#include <tuple>

namespace at {
namespace native {
namespace detail {

template <class F> struct ElementFunction : ElementFunction<decltype(&F::operator())> {};
template <class R, class... A> struct ElementFunction<R (*)(A...)> {
    using Results = std::tuple<R>;
    using Arguments = std::tuple<std::decay_t<A>...>;
};
template <class R, class F, class... A> struct ElementFunction<R (F::*)(A...) const> : ElementFunction<R (*)(A...)> {};
template <class R, class F, class... A> struct ElementFunction<R (F::*)(A...)> : ElementFunction<R (*)(A...)> {};

template <class T> void check_type(const TensorIterator &iter, int i) {
    TORCH_CHECK(iter.dtype(i) == CppTypeToScalarType<T>::value, "expected scalar type ", CppTypeToScalarType<T>::value,
                " but found ", iter.dtype(i));
}
template <class... R, class... A, class F, size_t... r, size_t... a>
void run(const TensorIterator &iter, F &f, int64_t grain, std::tuple<R...> *, std::tuple<A...> *, std::index_sequence<r...>,
         std::index_sequence<a...>) {
    constexpr size_t n = sizeof...(R);
    TORCH_CHECK(size_t(iter.noutputs()) == n && size_t(iter.ninputs()) == sizeof...(A), "the function takes ", sizeof...(A),
                " elements and gives ", n, ", but there are ", iter.ninputs(), " inputs and ", iter.noutputs(), " outputs");
    (check_type<R>(iter, int(r)), ...);
    (check_type<A>(iter, int(n + a)), ...);
    iter.for_each(
        [&](char **data, const int64_t *, int64_t count) {
            for (int64_t i = 0; i < count; i++) {
                std::tuple<R...> results{f(reinterpret_cast<const A *>(data[n + a])[i]...)};
                ((reinterpret_cast<R *>(data[r])[i] = std::get<r>(results)), ...);
            }
        },
        grain);
}

}  // namespace detail

template <class F> void cpu_kernel(const TensorIterator &iter, F f, int64_t grain = 32768) {
    using Function = detail::ElementFunction<F>;
    using Results = typename Function::Results;
    using Arguments = typename Function::Arguments;
    detail::run(iter, f, grain, static_cast<Results *>(nullptr), static_cast<Arguments *>(nullptr),
                std::make_index_sequence<std::tuple_size_v<Results>>(),
                std::make_index_sequence<std::tuple_size_v<Arguments>>());
}
/* The function on vectors is redundant, because compilers vectorize the other one. */
template <class F, class V> void cpu_kernel_vec(const TensorIterator &iter, F f, V, int64_t grain = 32768) {
    cpu_kernel(iter, std::move(f), grain);
}
/* For functions that return a tuple with an element for each output. */
template <class F> void cpu_kernel_multiple_outputs(const TensorIterator &iter, F f, int64_t grain = 32768) {
    using Function = detail::ElementFunction<F>;
    using Results = std::tuple_element_t<0, typename Function::Results>;
    using Arguments = typename Function::Arguments;
    detail::run(iter, f, grain, static_cast<Results *>(nullptr), static_cast<Arguments *>(nullptr),
                std::make_index_sequence<std::tuple_size_v<Results>>(),
                std::make_index_sequence<std::tuple_size_v<Arguments>>());
}

}  // namespace native
}  // namespace at
