/* Operators written in C++: TORCH_LIBRARY(ns, m) { m.def("muladd(Tensor a, Tensor b, float c) -> Tensor"); } defines
 * them, TORCH_LIBRARY_IMPL(ns, CPU, m) { m.impl("muladd", &muladd); } sets their kernels. Python finds them in
 * torch.ops.ns. The blocks run when the library is loaded.
 */
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <torch/custom_class.h>
#include <torch/types.h>

#include <map>

namespace torch {

using Dispatcher = c10::Dispatcher;
using c10::DispatchKey;

namespace detail {

/* A type-erased function, with its types in schema form. */
struct Kernel {
    fl_kernel run = nullptr;
    void *context = nullptr;
    std::string types;
};

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

/* The kernels of one operator in this library. */
struct Kernels {
    Kernel cpu, composite, autograd, autocast, meta, select;
    fl_operator defined = nullptr;
    std::string schema; /* without the name */
};

inline std::map<std::string, Kernels> &kernels() {
    /* never destroyed, because operators outlive the library's static objects */
    static auto *all = new std::map<std::string, Kernels>;
    return *all;
}

/* Run the recording kernel or, below guards, the kernel itself. */
inline int32_t run_with_autograd(void *context, const fl_value *args, int32_t n, fl_value *results, int32_t nresults) {
    const Kernels &k = *static_cast<Kernels *>(context);
    if (at::detail::below_autograd == 0) return k.autograd.run(k.autograd.context, args, n, results, nresults);
    if (!k.cpu.run) {
        fl_error(FL_NOT_IMPLEMENTED_ERROR, "no kernel below autograd is registered for this operator");
        return -1;
    }
    at::NoGradGuard no_grad;
    return k.cpu.run(k.cpu.context, args, n, results, nresults);
}

/* The types of a kernel, or NULL if they are unknown. */
inline const char *types_of(const Kernel &kernel) { return kernel.types.empty() ? nullptr : kernel.types.c_str(); }

/* Run the function that selects a device or, if it calls the operator again for one, the kernel for that. */
inline int32_t run_with_selection(void *context, const fl_value *args, int32_t n, fl_value *results, int32_t nresults) {
    const Kernels &k = *static_cast<Kernels *>(context);
    const auto keys = std::exchange(at::detail::redispatched, nullopt);
    const bool meta = keys && keys->has(c10::DispatchKey::Meta) && !keys->has(c10::DispatchKey::CPU);
    const Kernel &kernel = !keys || keys->has(c10::DispatchKey::BackendSelect) ? k.select
                           : meta ? k.meta : k.cpu.run ? k.cpu : k.composite;
    if (kernel.run) return kernel.run(kernel.context, args, n, results, nresults);
    fl_error(FL_NOT_IMPLEMENTED_ERROR, meta ? "no kernel for Meta is registered for this operator"
                                            : "no kernel for CPU is registered for this operator");
    return -1;
}

/* Make a kernel an operator of its own, and that what Python calls for this key: under autocast, or for tensors without
 * elements. */
inline void install_for(const char *key, const std::string &name, const Kernels &k, Kernel &kernel) {
    if (!kernel.run || k.schema.empty()) return;
    at::detail::Gil gil;
    const size_t colons = name.find("::") + 2;
    const std::string own = c10::str(name.substr(0, colons), "_", key, "_", name.substr(colons));
    fl_operator op = fl_define((own + k.schema).c_str(), nullptr);
    if (!op || fl_table->implement(op, kernel.run, kernel.context, FL_OP_COMPOSITE, types_of(kernel)))
        throw c10::Error::recorded();
    at::detail::Object::checked(PyObject_CallFunction(
        at::detail::imported("flambeau_cext.library.operators", "implement_by").get(), "sss", name.c_str(), own.c_str(), key));
    kernel = {};
}

/* Give an operator its tags. */
inline void tag(const std::string &name, const std::vector<at::Tag> &tags) {
    at::detail::Gil gil;
    for (at::Tag tag : tags)
        at::detail::Object::checked(PyObject_CallFunction(
            at::detail::imported("flambeau_cext.library.operators", "tag").get(), "si", name.c_str(), int(tag)));
}

inline void install(const std::string &name, Kernels &k) {
    if (!k.defined) return;
    int status = 0;
    if (k.select.run)
        status = fl_table->implement(k.defined, run_with_selection, &k, FL_OP_COMPOSITE, types_of(k.select));
    else if (k.autograd.run)
        status = fl_table->implement(k.defined, run_with_autograd, &k, FL_OP_COMPOSITE, types_of(k.autograd));
    else if (k.cpu.run)
        status = fl_table->implement(k.defined, k.cpu.run, k.cpu.context, 0, types_of(k.cpu));
    else if (k.composite.run)
        status = fl_table->implement(k.defined, k.composite.run, k.composite.context, FL_OP_COMPOSITE,
                                     types_of(k.composite));
    if (status) throw c10::Error::recorded();
    install_for("AutocastCPU", name, k, k.autocast);
    if (!k.select.run) install_for("Meta", name, k, k.meta);
}

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
class Library final {
  public:
    enum Kind { DEF, IMPL, FRAGMENT };
    Library(Kind, std::string ns, c10::DispatchKey key = c10::DispatchKey::Undefined)
        : namespace_(std::move(ns)), key_(key) {}

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
        detail::Kernels &k = detail::kernels()[qualified(name)];
        put(k, function.key_ == c10::DispatchKey::Undefined ? key_ : function.key_, function.kernel_);
        /* by another library, in Python, or later in this library */
        if (!k.defined) k.defined = known(qualified(name));
        detail::install(qualified(name), k);
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
    std::string qualified(const std::string &name) const {
        return name.find("::") == std::string::npos ? namespace_ + "::" + name : name;
    }
    std::string name_in(const std::string &schema) const {
        std::string name = qualified(schema.substr(0, schema.find('(')));
        while (name.back() == ' ') name.pop_back();
        return name;
    }
    static fl_operator known(const std::string &name) {
        fl_operator op = fl_find_operator(name.c_str());
        if (!op) fl_error_clear();
        return op;
    }
    detail::Kernels &define(const std::string &schema, const std::vector<at::Tag> &tags) {
        const std::string text = qualified(schema), name = name_in(schema);
        detail::Kernels &k = detail::kernels()[name];
        k.defined = fl_define(text.c_str(), nullptr);
        if (!k.defined) throw c10::Error::recorded();
        k.schema = text.substr(text.find('('));
        detail::tag(name, tags);
        detail::install(name, k); /* kernels that were set before the definition */
        return k;
    }
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
    static void put(detail::Kernels &k, c10::DispatchKey key, const detail::Kernel &kernel) {
        switch (key) {
        case c10::DispatchKey::Undefined:
        case c10::DispatchKey::CatchAll:
        case c10::DispatchKey::CompositeImplicitAutograd: k.composite = kernel; break;
        case c10::DispatchKey::CPU: k.cpu = kernel; break;
        case c10::DispatchKey::CompositeExplicitAutogradNonFunctional:
        case c10::DispatchKey::CompositeExplicitAutograd: k.cpu = k.meta = kernel; break; /* for all devices */
        case c10::DispatchKey::Autograd:
        case c10::DispatchKey::AutogradCPU: k.autograd = kernel; break;
        case c10::DispatchKey::AutocastCPU: k.autocast = kernel; break;
        case c10::DispatchKey::Meta: k.meta = kernel; break;
        case c10::DispatchKey::BackendSelect: k.select = kernel; break;
        default: break; /* for devices that do not exist here */
        }
    }
    std::string namespace_;
    c10::DispatchKey key_;
};

namespace detail {

/* Runs a block while the library is being loaded. */
class LibraryBlock {
  public:
    LibraryBlock(Library::Kind kind, const char *ns, c10::DispatchKey key, void (*block)(Library &)) {
        while_loading([&] {
            Library library(kind, ns, key);
            block(library);
        });
    }
};

}  // namespace detail
}  // namespace torch

#define FL_LIBRARY_BLOCK(kind, ns, key, m, id)                                                                         \
    static void C10_CONCATENATE(torch_library_##ns##_, id)(::torch::Library &);                                        \
    static const ::torch::detail::LibraryBlock C10_CONCATENATE(torch_library_block_##ns##_, id)(                       \
        ::torch::Library::kind, #ns, ::c10::DispatchKey::key, &C10_CONCATENATE(torch_library_##ns##_, id));            \
    void C10_CONCATENATE(torch_library_##ns##_, id)([[maybe_unused]] ::torch::Library &m)

#define TORCH_LIBRARY(ns, m) FL_LIBRARY_BLOCK(DEF, ns, Undefined, m, definition)
#define TORCH_LIBRARY_FRAGMENT(ns, m) FL_LIBRARY_BLOCK(FRAGMENT, ns, Undefined, m, C10_UID)
#define TORCH_LIBRARY_IMPL(ns, key, m) FL_LIBRARY_BLOCK(IMPL, ns, key, m, C10_CONCATENATE(key##_, C10_UID))
#define TORCH_FN(function) (&function)
#define TORCH_SELECTIVE_SCHEMA(text) text
#define TORCH_SELECTIVE_NAME(text) text

#include <ATen/core/op_registration/op_registration.h>

/* Creating a module manually fails with the error that occurred while the library was loaded. */
#undef PyModule_Create
#define PyModule_Create(definition) \
    (::torch::detail::failed_to_load(FL_EXTENSION_NAME) ? nullptr : PyModule_Create2(definition, PYTHON_API_VERSION))
#define PyModuleDef_Init(definition) \
    (::torch::detail::failed_to_load(FL_EXTENSION_NAME) ? nullptr : (PyModuleDef_Init)(definition))
