/* Operators registered by an object, the predecessor of TORCH_LIBRARY: static auto registry =
 * torch::RegisterOperators().op("ns::f", &f).op("ns::g(Tensor x) -> Tensor", &g). */
#pragma once

#include <torch/library.h>

namespace c10 {

class RegisterOperators final {
  public:
    /* The registration of an operator: its schema, and a kernel for each key. */
    class Options final {
      public:
        Options &&schema(const std::string &text) && {
            schema_ = text;
            return std::move(*this);
        }
        template <class F, F *function> Options &&kernel(DispatchKey key) && {
            return std::move(*this).kernel(key, function);
        }
        template <class F> Options &&kernel(DispatchKey key, F &&function) && {
            kernels_.push_back(torch::dispatch(key, std::forward<F>(function)));
            return std::move(*this);
        }
        template <class F, F *function> Options &&catchAllKernel() && {
            return std::move(*this).kernel(DispatchKey::CatchAll, function);
        }
        template <class F> Options &&catchAllKernel(F &&function) && {
            return std::move(*this).kernel(DispatchKey::CatchAll, std::forward<F>(function));
        }
        template <class Kind> Options &&aliasAnalysis(Kind) && { return std::move(*this); }

      private:
        friend class RegisterOperators;
        std::string schema_;
        std::vector<torch::CppFunction> kernels_;
    };
    static Options options() { return {}; }

    RegisterOperators() = default;
    template <class F> explicit RegisterOperators(const std::string &name, F &&function) {
        op(name, std::forward<F>(function));
    }
    explicit RegisterOperators(const std::string &name, Options &&how) { op(name, std::move(how)); }

    RegisterOperators &&op(Options &&how) && { return std::move(op(how.schema_, std::move(how))); }
    RegisterOperators &&op(const std::string &name, Options &&how) && { return std::move(op(name, std::move(how))); }
    template <class F> RegisterOperators &&op(const std::string &name, F &&function) && {
        return std::move(op(name, std::forward<F>(function)));
    }
    RegisterOperators &op(const std::string &name, Options &&how) & {
        torch::detail::while_loading([&] { define(name, std::move(how.kernels_)); });
        return *this;
    }
    template <class F> RegisterOperators &op(const std::string &name, F &&function) & {
        torch::detail::while_loading([&] { define(name, {torch::CppFunction(std::forward<F>(function))}); });
        return *this;
    }

  private:
    static void define(const std::string &name, std::vector<torch::CppFunction> kernels) {
        size_t colons = name.find("::");
        TORCH_CHECK(colons != std::string::npos, "RegisterOperators: ", name, " needs a namespace, as in \"ns::", name, "\"");
        torch::Library library(torch::Library::FRAGMENT, name.substr(0, colons));
        std::string rest = name.substr(colons + 2);
        if (kernels.empty()) library.def(rest);
        for (auto &kernel : kernels) {
            if (&kernel == &kernels.front()) library.def(rest, std::move(kernel));
            else library.impl(rest.substr(0, rest.find('(')), std::move(kernel));
        }
    }
};

}  // namespace c10

namespace torch {
using c10::RegisterOperators;
namespace jit {
using c10::RegisterOperators;
}
}  // namespace torch
