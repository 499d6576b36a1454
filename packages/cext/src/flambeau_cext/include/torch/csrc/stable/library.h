/* Operators of PyTorch's stable interface: STABLE_TORCH_LIBRARY(ns, m) { m.def("f(Tensor x) -> Tensor"); } defines
 * them, STABLE_TORCH_LIBRARY_IMPL(ns, CPU, m) { m.impl("f", TORCH_BOX(&f)); } sets their kernels. */
#pragma once

#include <torch/csrc/kernels.h>
#include <torch/csrc/stable/c/shim.h>

#include <tuple>

namespace torch {
namespace stable {
namespace detail {

class StableLibrary final : torch::detail::Registry {
  public:
    using Registry::Kind, Registry::DEF, Registry::IMPL, Registry::FRAGMENT, Registry::Registry;
    StableLibrary &def(const char *schema, const std::vector<at::Tag> &tags = {}) {
        define(schema, tags);
        return *this;
    }
    StableLibrary &impl(const char *name, BoxedFunction function) {
        implement(name, c10::DispatchKey::Undefined, {run_stable, reinterpret_cast<void *>(function), ""});
        return *this;
    }
    StableLibrary &set_python_module(const char *, const char * = "") { return *this; }
};

/* The type that holds an argument during the call. */
template <class T> struct UnboxType { using type = T; };
template <class T> struct UnboxType<c10::ArrayRef<T>> { using type = std::vector<T>; };
template <class T> struct UnboxType<std::optional<c10::ArrayRef<T>>> { using type = std::optional<std::vector<T>>; };
template <> struct UnboxType<std::string_view> { using type = std::string; };
template <class T> using unbox_type_t = typename UnboxType<std::decay_t<T>>::type;

template <class T> void put(const T &result, StableIValue *stack) { stack[0] = from(result); }
template <class... T> void put(const std::tuple<T...> &results, StableIValue *stack) {
    std::apply([&](const T &...parts) { ((*stack++ = from(parts)), ...); }, results);
}

template <class F, F *function> struct Boxer;
template <class R, class... A, R (*function)(A...)> struct Boxer<R(A...), function> {
    static void boxed_fn(StableIValue *stack, uint64_t given, uint64_t wanted) {
        STD_TORCH_CHECK(given == sizeof...(A), "Registered schema has ", given, " args, but the kernel to box has ",
                        sizeof...(A));
        run(stack, std::index_sequence_for<A...>());
        (void)wanted;
    }

  private:
    template <size_t... i> static void run(StableIValue *stack, std::index_sequence<i...>) {
        std::tuple<unbox_type_t<A>...> held{to<unbox_type_t<A>>(stack[i])...};
        if constexpr (std::is_void_v<R>) std::apply(function, held);
        else put<>(std::decay_t<R>(std::apply(function, held)), stack);
    }
};

}  // namespace detail
}  // namespace stable
}  // namespace torch

#define TORCH_BOX(function)                                                                                        \
    ::torch::stable::detail::Boxer<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>, (function)>::boxed_fn

#define FL_STABLE_BLOCK(kind, ns, key, m, id) \
    FL_REGISTRY_BLOCK(::torch::stable::detail::StableLibrary, kind, ns, key, m, C10_CONCATENATE(stable_, id))
#define STABLE_TORCH_LIBRARY(ns, m) FL_STABLE_BLOCK(DEF, ns, Undefined, m, definition)
#define FL_STABLE_FRAGMENT(ns, m, id) FL_STABLE_BLOCK(FRAGMENT, ns, Undefined, m, id)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m) FL_STABLE_FRAGMENT(ns, m, C10_UID)
#define FL_STABLE_IMPL(ns, key, m, id) FL_STABLE_BLOCK(IMPL, ns, key, m, C10_CONCATENATE(key##_, id))
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m) FL_STABLE_IMPL(ns, key, m, C10_UID)
