/* Operators written in C++: TORCH_LIBRARY(ns, m) { m.def("muladd(Tensor a, Tensor b, float c) -> Tensor"); } defines
 * them, TORCH_LIBRARY_IMPL(ns, CPU, m) { m.impl("muladd", &muladd); } sets their kernels. Python finds them in
 * torch.ops.ns. The blocks run when the library is loaded.
 */
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/kernels.h>
#include <torch/custom_class.h>
#include <torch/types.h>

namespace torch {

using Dispatcher = c10::Dispatcher;
using c10::DispatchKey;

namespace detail {

template <class R, class... A> struct Boxed {
    using Pointer = R (*)(A...);
    static Kernel of(Pointer f) {
        auto run = [](void *context, const fl_value *args, int32_t, fl_value *results, int32_t) {
            return at::detail::run_boxed<R, A...>(reinterpret_cast<Pointer>(context), args, results,
                                                  std::index_sequence_for<A...>());
        };
        return {run, reinterpret_cast<void *>(f), at::detail::types_of<R, A...>()};
    }
    template <class F> static Kernel of_object(F f) {
        auto run = [](void *context, const fl_value *args, int32_t, fl_value *results, int32_t) {
            return at::detail::run_boxed<R, A...>(*static_cast<F *>(context), args, results,
                                                  std::index_sequence_for<A...>());
        };
        return {run, new F(std::move(f)), at::detail::types_of<R, A...>()}; /* lives as long as the operator */
    }
};
template <class F> struct BoxedObject;
template <class F, class R, class... A> struct BoxedObject<R (F::*)(A...) const> : Boxed<R, A...> {};
template <class F, class R, class... A> struct BoxedObject<R (F::*)(A...)> : Boxed<R, A...> {};

}  // namespace detail

/* A function as a kernel, with its dispatch key. */
class CppFunction {
  public:
    template <class R, class... A> CppFunction(R (*f)(A...)) : kernel_(detail::Boxed<R, A...>::of(f)) {}
    template <class F, class = decltype(&F::operator())>
    CppFunction(F f) : kernel_(detail::BoxedObject<decltype(&F::operator())>::of_object(std::move(f))) {}
    explicit CppFunction(detail::Kernel kernel) : kernel_(std::move(kernel)) {}
    static CppFunction makeFallthrough() { return CppFunction(); }

    detail::Kernel kernel_;
    c10::DispatchKey key_ = c10::DispatchKey::Undefined;

  private:
    CppFunction() = default;
};
template <class F> CppFunction dispatch(c10::DispatchKey key, F &&f) {
    CppFunction function(std::forward<F>(f));
    function.key_ = key;
    return function;
}
template <class F> CppFunction dispatch(c10::DeviceType device, F &&f) {
    return dispatch(c10::dispatch_key_of(device), std::forward<F>(f));
}
inline std::string schema(const char *text) { return text; }

/* The object with which a block defines its operators. */
class Library final : detail::Registry {
  public:
    using Registry::Kind, Registry::DEF, Registry::IMPL, Registry::FRAGMENT, Registry::Registry;

    /* Define an operator by its schema, "name(...) -> ..."; its kernel is set later. */
    Library &def(const std::string &schema, const std::vector<at::Tag> &tags = {}) & {
        TORCH_CHECK(schema.find('(') != std::string::npos, "m.def(\"", schema, "\"): a schema reads \"", schema,
                    "(Tensor x) -> Tensor\"; a bare name needs a function beside it");
        define(schema, tags);
        return *this;
    }
    /* Define an operator by its schema or name, with a function; without a schema, the function's types determine
     * it. */
    template <class F> Library &def(const std::string &schema, F &&f, const std::vector<at::Tag> &tags = {}) & {
        CppFunction function(std::forward<F>(f));
        std::string text = schema;
        if (schema.find('(') == std::string::npos) text += inferred(function.kernel_.types);
        detail::Kernels &k = define(text, tags);
        put(k, function.key_ == c10::DispatchKey::Undefined ? c10::DispatchKey::CompositeImplicitAutograd
                                                            : function.key_, function.kernel_);
        detail::install(name_in(text), k);
        return *this;
    }
    template <class F> Library &impl(const std::string &name, F &&f) & {
        CppFunction function(std::forward<F>(f));
        implement(name, function.key_, function.kernel_);
        return *this;
    }
    /* Set the kernel for a dispatch key or a device. */
    template <class Key, class F> Library &impl(const std::string &name, Key key, F &&f) & {
        return impl(name, dispatch(key, std::forward<F>(f)));
    }
    /* A custom class in this namespace; see torch/custom_class.h. */
    template <class T> torch::class_<T> class_(const std::string &name, const std::string &doc = "") {
        return torch::class_<T>(namespace_, name, doc);
    }
    template <class F> Library &fallback(F &&) & { return *this; }
    Library &set_python_module(const char *, const char * = "") & { return *this; }

  private:
    /* "Tensor, float -> Tensor" as "(Tensor _0, float _1) -> Tensor" */
    static std::string inferred(const std::string &types) {
        std::string text = "(";
        size_t arrow = types.find(" -> ");
        for (int i = 0, depth = 0; size_t(i) < arrow; i++) {
            static thread_local int number;
            if (i == 0) number = 0;
            depth += (types[i] == '(') - (types[i] == ')');
            bool ends = size_t(i) + 1 == arrow || (types[i] == ',' && depth == 0);
            if (types[i] != ',' || depth) text += types[i];
            if (ends) text += c10::str(" _", number++, size_t(i) + 1 == arrow ? "" : ",");
        }
        return text + ")" + types.substr(arrow);
    }
};

}  // namespace torch

#define FL_LIBRARY_BLOCK(kind, ns, key, m, id) FL_REGISTRY_BLOCK(::torch::Library, kind, ns, key, m, id)
#define TORCH_LIBRARY(ns, m) FL_LIBRARY_BLOCK(DEF, ns, Undefined, m, definition)
#define TORCH_LIBRARY_FRAGMENT(ns, m) FL_LIBRARY_BLOCK(FRAGMENT, ns, Undefined, m, C10_UID)
#define TORCH_LIBRARY_IMPL(ns, key, m) FL_LIBRARY_BLOCK(IMPL, ns, key, m, C10_CONCATENATE(key##_, C10_UID))
#define TORCH_FN(function) (&function)
#define TORCH_SELECTIVE_SCHEMA(text) text
#define TORCH_SELECTIVE_NAME(text) text

#include <ATen/core/op_registration/op_registration.h>
