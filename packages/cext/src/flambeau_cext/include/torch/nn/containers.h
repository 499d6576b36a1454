/* Containers of modules: Sequential, ModuleList, ModuleDict, and AnyModule, which holds a module of any type; containers
 * of parameters: ParameterList and ParameterDict. */
#pragma once

#include <torch/nn/module.h>

#include <any>

namespace torch {
namespace nn {

class SequentialImpl;

/* A module of any type, with a function that calls its forward. */
class AnyModule {
  public:
    AnyModule() = default;
    template <class M, class = std::enable_if_t<std::is_base_of_v<Module, M>>>
    AnyModule(std::shared_ptr<M> module) : module_(module) {
        if constexpr (std::is_same_v<M, SequentialImpl>) forward_ = forward_of(module, &M::template forward<Tensor, Tensor>);
        else forward_ = forward_of(module, &M::forward);
    }
    template <class M> AnyModule(const ModuleHolder<M> &holder) : AnyModule(holder.ptr()) {}
    template <class M, class = std::enable_if_t<std::is_base_of_v<Module, std::decay_t<M>>>, class = void>
    AnyModule(M &&module) : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}

    template <class R = Tensor, class... A> R forward(A &&...arguments) {
        return std::any_cast<R>(any_forward({std::any(std::decay_t<A>(std::forward<A>(arguments)))...}));
    }
    std::any any_forward(std::vector<std::any> arguments) {
        TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty AnyModule");
        return forward_(arguments);
    }
    std::shared_ptr<Module> ptr() const { return module_; }
    template <class M> std::shared_ptr<M> ptr() const {
        auto typed = std::dynamic_pointer_cast<M>(module_);
        TORCH_CHECK(typed, "Attempted to cast module to another type than its own");
        return typed;
    }
    template <class M> M &get() const { return *ptr<M>(); }
    bool is_empty() const noexcept { return module_ == nullptr; }

  private:
    using Forward = std::function<std::any(std::vector<std::any> &)>;
    template <class M, class C, class R, class... A> static Forward forward_of(std::shared_ptr<M> module, R (C::*f)(A...)) {
        return [module, f](std::vector<std::any> &arguments) {
            TORCH_CHECK(arguments.size() == sizeof...(A), "forward() expects ", sizeof...(A),
                        " argument(s), but received ", arguments.size());
            return call<R, A...>(*module, f, arguments, std::index_sequence_for<A...>());
        };
    }
    template <class M, class C, class R, class... A>
    static Forward forward_of(std::shared_ptr<M> module, R (C::*f)(A...) const) {
        return forward_of(std::move(module), reinterpret_cast<R (C::*)(A...)>(f));
    }
    template <class R, class... A, class M, class F, size_t... i>
    static std::any call(M &module, F f, std::vector<std::any> &arguments, std::index_sequence<i...>) {
        return std::any(std::decay_t<R>((module.*f)(argument<A>(arguments[i], i)...)));
    }
    template <class A> static std::decay_t<A> argument(std::any &value, size_t number) {
        auto *typed = std::any_cast<std::decay_t<A>>(&value);
        TORCH_CHECK(typed, "Expected argument #", number, " to be of type ", c10::demangle(typeid(A).name()),
                    ", but received value of type ", c10::demangle(value.type().name()));
        return *typed;
    }

    std::shared_ptr<Module> module_;
    Forward forward_;
};

/* A name and a module, for Sequential({{"conv", Conv2d(…)}, …}). */
class NamedAnyModule {
  public:
    template <class M> NamedAnyModule(std::string name, M &&module) : name_(std::move(name)), module_(std::forward<M>(module)) {}
    const std::string &name() const { return name_; }
    const AnyModule &module() const { return module_; }

  private:
    std::string name_;
    AnyModule module_;
};

class SequentialImpl : public Cloneable<SequentialImpl> {
  public:
    using Iterator = std::vector<AnyModule>::iterator;
    SequentialImpl() = default;
    template <class... M, class = std::enable_if_t<(std::is_constructible_v<AnyModule, M> && ...) && sizeof...(M) != 0>>
    explicit SequentialImpl(M &&...modules) {
        (push_back(std::forward<M>(modules)), ...);
    }
    explicit SequentialImpl(std::initializer_list<NamedAnyModule> named) {
        for (const NamedAnyModule &m : named) push_back(m.name(), m.module());
    }
    std::shared_ptr<Module> clone(const optional<Device> &device = nullopt) const override { return Module::clone(device); }
    void reset() override {}
    void pretty_print(std::ostream &out) const override { out << "torch::nn::Sequential"; }

    template <class R = Tensor, class... Inputs> R forward(Inputs... inputs) {
        TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
        std::any value = modules_[0].any_forward({std::any(std::move(inputs))...});
        for (size_t i = 1; i < modules_.size(); i++) value = modules_[i].any_forward({std::move(value)});
        R *result = std::any_cast<R>(&value);
        TORCH_CHECK(result, "The type of the return value of Sequential is not that of its last module");
        return *result;
    }
    void push_back(std::string name, AnyModule module) {
        register_module(std::move(name), module.ptr());
        modules_.push_back(std::move(module));
    }
    template <class M> void push_back(M &&module) { push_back(std::to_string(size()), AnyModule(std::forward<M>(module))); }

    Iterator begin() { return modules_.begin(); }
    Iterator end() { return modules_.end(); }
    std::shared_ptr<Module> ptr(size_t i) const { return modules_.at(i).ptr(); }
    std::shared_ptr<Module> operator[](size_t i) const { return ptr(i); }
    template <class M> M &at(size_t i) const { return modules_.at(i).get<M>(); }
    size_t size() const noexcept { return modules_.size(); }
    bool is_empty() const noexcept { return modules_.empty(); }

  private:
    std::vector<AnyModule> modules_;
};
class Sequential : public ModuleHolder<SequentialImpl> {
  public:
    using ModuleHolder<SequentialImpl>::ModuleHolder;
    using Impl = SequentialImpl;
    Sequential() = default;
    Sequential(std::initializer_list<NamedAnyModule> named)
        : ModuleHolder<SequentialImpl>(std::make_shared<SequentialImpl>(named)) {}
};

class ModuleListImpl : public Module {
  public:
    ModuleListImpl() = default;
    template <class... M, class = std::enable_if_t<sizeof...(M) != 0>> explicit ModuleListImpl(M &&...modules) {
        (push_back(std::forward<M>(modules)), ...);
    }
    void pretty_print(std::ostream &out) const override { out << "torch::nn::ModuleList"; }
    template <class M> void push_back(std::shared_ptr<M> module) { register_module(std::to_string(size()), module); }
    template <class M> void push_back(const ModuleHolder<M> &holder) { push_back(holder.ptr()); }
    template <class M, class = std::enable_if_t<std::is_base_of_v<Module, std::decay_t<M>>>> void push_back(M &&module) {
        push_back(std::make_shared<std::decay_t<M>>(std::forward<M>(module)));
    }
    class Iterator {
      public:
        explicit Iterator(OrderedDict<std::string, std::shared_ptr<Module>>::ConstIterator place) : place_(place) {}
        const std::shared_ptr<Module> &operator*() const { return place_->value(); }
        Iterator &operator++() {
            ++place_;
            return *this;
        }
        bool operator!=(const Iterator &other) const { return place_ != other.place_; }

      private:
        OrderedDict<std::string, std::shared_ptr<Module>>::ConstIterator place_;
    };
    Iterator begin() const { return Iterator(children_.begin()); }
    Iterator end() const { return Iterator(children_.end()); }
    std::shared_ptr<Module> ptr(size_t i) const { return children_[i].value(); }
    std::shared_ptr<Module> operator[](size_t i) const { return ptr(i); }
    template <class M> M &at(size_t i) const {
        M *typed = dynamic_cast<M *>(ptr(i).get());
        TORCH_CHECK(typed, "Unable to cast module[", i, "] to another type than its own");
        return *typed;
    }
    size_t size() const noexcept { return children_.size(); }
    bool is_empty() const noexcept { return children_.is_empty(); }
};
TORCH_MODULE(ModuleList);

class ModuleDictImpl : public Module {
  public:
    using Items = OrderedDict<std::string, std::shared_ptr<Module>>;
    ModuleDictImpl() = default;
    explicit ModuleDictImpl(const std::vector<std::pair<std::string, std::shared_ptr<Module>>> &modules) { update(modules); }
    explicit ModuleDictImpl(const Items &modules) { update(modules); }
    void pretty_print(std::ostream &out) const override { out << "torch::nn::ModuleDict"; }
    /* Add modules, or replace those of the same names. */
    template <class Container> void update(const Container &modules) {
        for (const auto &item : modules) put(item.key(), item.value());
    }
    void update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>> &modules) {
        for (const auto &[key, module] : modules) put(key, module);
    }
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const { return children_.pairs(); }
    std::vector<std::string> keys() const { return children_.keys(); }
    std::vector<std::shared_ptr<Module>> values() const { return children_.values(); }
    auto begin() { return children_.begin(); }
    auto end() { return children_.end(); }
    auto begin() const { return children_.begin(); }
    auto end() const { return children_.end(); }
    size_t size() const noexcept { return children_.size(); }
    bool empty() const noexcept { return children_.is_empty(); }
    bool contains(const std::string &key) const noexcept { return children_.contains(key); }
    void clear() { children_.clear(); }
    std::shared_ptr<Module> pop(const std::string &key) {
        std::shared_ptr<Module> module = children_[key];
        children_.erase(key);
        return module;
    }
    std::shared_ptr<Module> operator[](const std::string &key) const { return children_[key]; }
    std::shared_ptr<Module> ptr(const std::string &key) const { return children_[key]; }
    template <class M> std::shared_ptr<M> ptr(const std::string &key) const {
        return std::dynamic_pointer_cast<M>(children_[key]);
    }
    template <class M> M &at(const std::string &key) const {
        M *typed = dynamic_cast<M *>(children_[key].get());
        TORCH_CHECK(typed, "Unable to cast module[", key, "] to another type than its own");
        return *typed;
    }

  private:
    void put(const std::string &key, const std::shared_ptr<Module> &module) {
        if (contains(key)) replace_module(key, module);
        else register_module(key, module);
    }
};
TORCH_MODULE(ModuleDict);

class ParameterListImpl : public Module {
  public:
    ParameterListImpl() = default;
    template <class... T, class = std::enable_if_t<(std::is_convertible_v<T, Tensor> && ...) && sizeof...(T) != 0>>
    explicit ParameterListImpl(const T &...tensors) {
        (append(tensors), ...);
    }
    void pretty_print(std::ostream &out) const override {
        out << "(";
        for (const auto &item : parameters_) out << "\n(" << item.key() << "): Parameter of size " << item.value().sizes();
        out << "\n)";
    }
    void append(const Tensor &tensor) { register_parameter(std::to_string(size()), tensor, tensor.requires_grad()); }
    void append(const OrderedDict<std::string, Tensor>::Item &item) { append(item.value()); }
    template <class Container> void extend(const Container &tensors) {
        for (const auto &tensor : tensors) append(tensor);
    }
    auto begin() { return parameters_.begin(); }
    auto end() { return parameters_.end(); }
    auto begin() const { return parameters_.begin(); }
    auto end() const { return parameters_.end(); }
    Tensor &at(size_t i) {
        TORCH_CHECK(i < size(), "Index out of range");
        return parameters_[std::to_string(i)];
    }
    Tensor &operator[](size_t i) { return at(i); }
    size_t size() const noexcept { return parameters_.size(); }
    bool is_empty() const noexcept { return parameters_.is_empty(); }
};
TORCH_MODULE(ParameterList);

class ParameterDictImpl : public Module {
  public:
    ParameterDictImpl() = default;
    explicit ParameterDictImpl(const OrderedDict<std::string, Tensor> &tensors) { update(tensors); }
    void pretty_print(std::ostream &out) const override {
        out << "(";
        for (const auto &item : parameters_) out << "\n(" << item.key() << "): Parameter of size " << item.value().sizes();
        out << "\n)";
    }
    Tensor &insert(const std::string &key, const Tensor &tensor) {
        return register_parameter(key, tensor, tensor.requires_grad());
    }
    template <class Container> void update(const Container &tensors) {
        for (const auto &item : tensors) {
            if (contains(item.key())) parameters_[item.key()] = item.value();
            else insert(item.key(), item.value());
        }
    }
    Tensor pop(const std::string &key) {
        Tensor tensor = parameters_[key];
        parameters_.erase(key);
        return tensor;
    }
    std::vector<std::string> keys() const { return parameters_.keys(); }
    std::vector<Tensor> values() const { return parameters_.values(); }
    auto begin() { return parameters_.begin(); }
    auto end() { return parameters_.end(); }
    auto begin() const { return parameters_.begin(); }
    auto end() const { return parameters_.end(); }
    size_t size() const noexcept { return parameters_.size(); }
    bool empty() const noexcept { return parameters_.is_empty(); }
    bool contains(const std::string &key) const noexcept { return parameters_.contains(key); }
    void clear() { parameters_.clear(); }
    Tensor &get(const std::string &key) { return parameters_[key]; }
    Tensor &operator[](const std::string &key) { return get(key); }
};
TORCH_MODULE(ParameterDict);

/* A function as a module, with additional arguments for it: Functional(torch::elu, 1, 0, 1). */
class FunctionalImpl : public Module {
  public:
    explicit FunctionalImpl(std::function<Tensor(Tensor)> f) : f_(std::move(f)) {}
    template <class F, class First, class... A> FunctionalImpl(F f, First first, A... rest)
        : f_([=](Tensor x) { return f(std::move(x), first, rest...); }) {}
    void pretty_print(std::ostream &out) const override { out << "torch::nn::Functional()"; }
    Tensor forward(Tensor x) { return f_(std::move(x)); }
    Tensor operator()(Tensor x) { return forward(std::move(x)); }

  private:
    std::function<Tensor(Tensor)> f_;
};
TORCH_MODULE(Functional);

}  // namespace nn
}  // namespace torch
