/* The operators that C++ libraries define, and their kernels. */
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/enum_tag.h>
#include <torch/csrc/loading.h>

#include <map>

namespace torch {
namespace detail {

/* A type-erased function, with its types in schema form. */
struct Kernel {
    fl_kernel run = nullptr;
    void *context = nullptr;
    std::string types;
};

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
    const auto keys = std::exchange(at::detail::redispatched, std::nullopt);
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

/* What a block defines. */
class Registry {
  public:
    enum Kind { DEF, IMPL, FRAGMENT };
    Registry(Kind, std::string ns, c10::DispatchKey key = c10::DispatchKey::Undefined)
        : namespace_(std::move(ns)), key_(key) {}

  protected:
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
    Kernels &define(const std::string &schema, const std::vector<at::Tag> &tags) {
        const std::string text = qualified(schema), name = name_in(schema);
        Kernels &k = kernels()[name];
        k.defined = fl_define(text.c_str(), nullptr);
        if (!k.defined) throw c10::Error::recorded();
        k.schema = text.substr(text.find('('));
        tag(name, tags);
        install(name, k); /* kernels that were set before the definition */
        return k;
    }
    static void put(Kernels &k, c10::DispatchKey key, const Kernel &kernel) {
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
    /* Set the kernel for a dispatch key, Undefined for that of the block. */
    void implement(const std::string &name, c10::DispatchKey key, const Kernel &kernel) {
        Kernels &k = kernels()[qualified(name)];
        put(k, key == c10::DispatchKey::Undefined ? key_ : key, kernel);
        /* by another library, in Python, or later in this library */
        if (!k.defined) k.defined = known(qualified(name));
        install(qualified(name), k);
    }
    std::string namespace_;
    c10::DispatchKey key_;
};

/* Runs a block while the library is being loaded. */
template <class L> class LibraryBlock {
  public:
    LibraryBlock(Registry::Kind kind, const char *ns, c10::DispatchKey key, void (*block)(L &)) {
        while_loading([&] {
            L library(kind, ns, key);
            block(library);
        });
    }
};

}  // namespace detail
}  // namespace torch

#define FL_REGISTRY_BLOCK(library, kind, ns, key, m, id)                                                               \
    static void C10_CONCATENATE(torch_library_##ns##_, id)(library &);                                                 \
    static const ::torch::detail::LibraryBlock<library> C10_CONCATENATE(torch_library_block_##ns##_, id)(              \
        library::kind, #ns, ::c10::DispatchKey::key, &C10_CONCATENATE(torch_library_##ns##_, id));                     \
    void C10_CONCATENATE(torch_library_##ns##_, id)([[maybe_unused]] library &m)

/* Creating a module manually fails with the error that occurred while the library was loaded. */
#undef PyModule_Create
#define PyModule_Create(definition) \
    (::torch::detail::failed_to_load(FL_EXTENSION_NAME) ? nullptr : PyModule_Create2(definition, PYTHON_API_VERSION))
#define PyModuleDef_Init(definition) \
    (::torch::detail::failed_to_load(FL_EXTENSION_NAME) ? nullptr : (PyModuleDef_Init)(definition))
