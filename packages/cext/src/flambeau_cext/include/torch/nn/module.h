/* torch::nn::Module: parameters, buffers and modules by name; ModuleHolder and TORCH_MODULE, by which modules can be
 * passed around as values. */
#pragma once

#include <ATen/core/boxing/Objects.h>
#include <c10/util/Type.h>
#include <torch/ordered_dict.h>
#include <torch/serialize/archive.h>
#include <torch/types.h>

#include <functional>
#include <memory>

namespace torch {
namespace nn {

class Module : public std::enable_shared_from_this<Module> {
  public:
    Module() = default;
    explicit Module(std::string name) : name_(std::move(name)) {}
    Module(const Module &) = default;
    Module &operator=(const Module &) = default;
    virtual ~Module() = default;

    const std::string &name() const {
        if (name_.empty()) name_ = c10::demangle(typeid(*this).name());
        return name_;
    }
    virtual void pretty_print(std::ostream &out) const { out << name(); }
    virtual std::shared_ptr<Module> clone(const optional<Device> & = nullopt) const {
        TORCH_CHECK(false, "clone() has not been implemented for ", name(),
                    ". Subclass torch::nn::Cloneable<T> instead of torch::nn::Module to inherit the ability to clone.");
    }

    OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const {
        OrderedDict<std::string, Tensor> all;
        collect(all, &Module::parameters_, "", recurse);
        return all;
    }
    OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const {
        OrderedDict<std::string, Tensor> all;
        collect(all, &Module::buffers_, "", recurse);
        return all;
    }
    std::vector<Tensor> parameters(bool recurse = true) const { return named_parameters(recurse).values(); }
    std::vector<Tensor> buffers(bool recurse = true) const { return named_buffers(recurse).values(); }
    OrderedDict<std::string, std::shared_ptr<Module>> named_children() const { return children_; }
    std::vector<std::shared_ptr<Module>> children() const { return children_.values(); }
    OrderedDict<std::string, std::shared_ptr<Module>> named_modules(const std::string &prefix = "",
                                                                    bool include_self = true) {
        OrderedDict<std::string, std::shared_ptr<Module>> all;
        if (include_self) all.insert(prefix, shared_from_this());
        collect_modules(all, prefix);
        return all;
    }
    std::vector<std::shared_ptr<Module>> modules(bool include_self = true) {
        return named_modules("", include_self).values();
    }
    void apply(const std::function<void(Module &)> &f) {
        f(*this);
        for (auto &child : children_) child.value()->apply(f);
    }
    void apply(const std::function<void(const std::string &, Module &)> &f, const std::string &prefix = "") {
        f(prefix, *this);
        for (auto &child : children_) child.value()->apply(f, prefix.empty() ? child.key() : prefix + "." + child.key());
    }

    virtual void train(bool on = true) {
        for (auto &child : children_) child.value()->train(on);
        is_training_ = on;
    }
    void eval() { train(false); }
    virtual bool is_training() const noexcept { return is_training_; }
    virtual bool is_serializable() const { return true; }

    /* Write parameters, buffers and modules by their names, or read their values. */
    virtual void save(serialize::OutputArchive &archive) const {
        for (const auto &item : parameters_) archive.write(item.key(), item.value());
        for (const auto &item : buffers_) archive.write(item.key(), item.value(), /*is_buffer=*/true);
        for (const auto &child : children_) {
            serialize::OutputArchive inner;
            child.value()->save(inner);
            archive.write(child.key(), inner);
        }
    }
    virtual void load(serialize::InputArchive &archive) {
        for (auto &item : parameters_) read_value(archive, item);
        for (auto &item : buffers_) read_value(archive, item);
        for (const auto &child : children_) {
            serialize::InputArchive inner;
            archive.read(child.key(), inner);
            child.value()->load(inner);
        }
    }

    virtual void to(ScalarType type, bool = false) {
        each([&](Tensor &t) {
            if (t.is_floating_point()) t.set_data(t.detach().to(type));
        });
    }
    virtual void to(Device device, ScalarType type, bool non_blocking = false) {
        to(device, non_blocking);
        to(type, non_blocking);
    }
    virtual void to(Device device, bool = false) {
        TORCH_CHECK(device.is_cpu(), "flambeau has no device '", device, "' for modules of C++");
    }
    virtual void zero_grad(bool set_to_none = true) {
        for (Tensor &t : parameters()) {
            if (!t.grad().defined()) continue;
            if (set_to_none) t.mutable_grad() = Tensor();
            else t.grad().detach().zero_();
        }
    }

    Tensor &register_parameter(std::string name, Tensor tensor, bool requires_grad = true) {
        check_name("Parameter", name);
        if (tensor.defined()) tensor.set_requires_grad(requires_grad);
        return parameters_.insert(std::move(name), std::move(tensor));
    }
    Tensor &register_buffer(std::string name, Tensor tensor) {
        check_name("Buffer", name);
        return buffers_.insert(std::move(name), std::move(tensor));
    }
    template <class M> std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module) {
        check_name("Submodule", name);
        children_.insert(std::move(name), module);
        return module;
    }
    template <class Holder, class M = typename Holder::ContainedType>
    std::shared_ptr<M> register_module(std::string name, const Holder &holder) {
        return register_module(std::move(name), holder.ptr());
    }
    template <class M> std::shared_ptr<M> replace_module(const std::string &name, std::shared_ptr<M> module) {
        children_[name] = module;
        return module;
    }
    template <class Holder, class M = typename Holder::ContainedType>
    std::shared_ptr<M> replace_module(const std::string &name, const Holder &holder) {
        return replace_module(name, holder.ptr());
    }
    void unregister_module(const std::string &name) { children_.erase(name); }

    template <class M> auto *as() noexcept {
        if constexpr (std::is_base_of_v<Module, M>) return dynamic_cast<M *>(this);
        else return dynamic_cast<typename M::ContainedType *>(this);
    }

    friend std::ostream &operator<<(std::ostream &out, const Module &module) {
        module.print(out, "");
        return out;
    }

  protected:
    /* Let `reset` create new parameters, buffers and modules in a copy, and copy the values into them. */
    std::shared_ptr<Module> finish_copy(std::shared_ptr<Module> copy, void (*reset)(Module &)) const {
        NoGradGuard no_grad;
        copy->parameters_.clear();
        copy->buffers_.clear();
        copy->children_.clear();
        reset(*copy);
        take_values(copy->named_parameters(), named_parameters());
        take_values(copy->named_buffers(), named_buffers());
        return copy;
    }

    OrderedDict<std::string, Tensor> parameters_{"Parameter"}, buffers_{"Buffer"};
    OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};

  private:
    static void check_name(const char *what, const std::string &name) {
        TORCH_CHECK(!name.empty(), what, " name must not be empty");
        TORCH_CHECK(name.find('.') == std::string::npos, what, " name must not contain a dot (got '", name, "')");
    }
    static void take_values(OrderedDict<std::string, Tensor> to, const OrderedDict<std::string, Tensor> &from) {
        TORCH_CHECK(to.size() == from.size(), "The cloned module does not have the same number of parameters or buffers "
                    "as the original module after calling reset(). Are you sure you called register_parameter() or "
                    "register_buffer() inside reset() and not the constructor?");
        for (auto &item : to) item.value().copy_(from[item.key()]);
    }
    static void read_value(serialize::InputArchive &archive, OrderedDict<std::string, Tensor>::Item &item) {
        if (!item.value().defined()) return;
        Tensor read;
        archive.read(item.key(), read);
        NoGradGuard no_grad;
        item.value().set_data(read.detach());
    }
    void collect(OrderedDict<std::string, Tensor> &all, OrderedDict<std::string, Tensor> Module::*which,
                 const std::string &prefix, bool recurse) const {
        for (const auto &item : this->*which)
            if (item.value().defined()) all.insert(prefix + item.key(), item.value());
        if (!recurse) return;
        for (const auto &child : children_) child.value()->collect(all, which, prefix + child.key() + ".", true);
    }
    void collect_modules(OrderedDict<std::string, std::shared_ptr<Module>> &all, const std::string &prefix) const {
        for (const auto &child : children_) {
            std::string name = prefix.empty() ? child.key() : prefix + "." + child.key();
            all.insert(name, child.value());
            child.value()->collect_modules(all, name);
        }
    }
    template <class F> void each(F &&f) {
        for (auto &item : parameters_)
            if (item.value().defined()) f(item.value());
        for (auto &item : buffers_)
            if (item.value().defined()) f(item.value());
        for (auto &child : children_) child.value()->each(f);
    }
    void print(std::ostream &out, const std::string &indent) const {
        pretty_print(out);
        if (children_.is_empty()) return;
        out << "(\n";
        for (const auto &child : children_) {
            out << indent << "  (" << child.key() << "): ";
            child.value()->print(out, indent + "  ");
            out << '\n';
        }
        out << indent << ")";
    }

    mutable std::string name_; /* the name of the type, unless a name was given */
    bool is_training_ = true;
};

/* A module that can be cloned: reset() creates its parameters, buffers and modules again, which then receive the values.
 * Code that does not depend on the class is in Module, since this is compiled for every class of modules. */
template <class Derived> class Cloneable : public Module {
  public:
    using Module::Module;
    virtual void reset() = 0;
    std::shared_ptr<Module> clone(const optional<Device> & = nullopt) const override {
        auto *copy = new Derived(static_cast<const Derived &>(*this));
        return finish_copy(std::shared_ptr<Module>(static_cast<Module *>(copy)), [](Module &made) {
            static_cast<Cloneable &>(made).reset();
        });
    }
};

/* A reference to a module, which its copies share. It is stored without its type: there is a holder for every class of
 * modules, and std::shared_ptr<Contained> takes long to compile. */
template <class Contained> class ModuleHolder {
  public:
    using ContainedType = Contained;
    ModuleHolder() : impl_(std::make_shared<Contained>()) {}
    ModuleHolder(std::nullptr_t) {}
    template <class Head, class... Tail,
              class = std::enable_if_t<!(std::is_base_of_v<ModuleHolder, std::decay_t<Head>> && sizeof...(Tail) == 0)>>
    explicit ModuleHolder(Head &&head, Tail &&...tail)
        : impl_(std::make_shared<Contained>(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}
    ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}

    explicit operator bool() const noexcept { return impl_ != nullptr; }
    bool is_empty() const noexcept { return impl_ == nullptr; }
    Contained *operator->() const { return get(); }
    Contained &operator*() const { return *get(); }
    std::shared_ptr<Contained> ptr() const {
        get();
        return std::static_pointer_cast<Contained>(impl_);
    }
    Contained *get() const {
        TORCH_CHECK(impl_, "Accessing empty ModuleHolder");
        return static_cast<Contained *>(impl_.get());
    }
    template <class Key, class C = Contained> decltype(auto) operator[](Key &&key) const {
        return static_cast<C &>(*get())[std::forward<Key>(key)];
    }
    template <class... A> decltype(auto) operator()(A &&...arguments) const {
        return get()->forward(std::forward<A>(arguments)...);
    }
    friend std::ostream &operator<<(std::ostream &out, const ModuleHolder &holder) { return out << *holder; }

  private:
    std::shared_ptr<void> impl_;
};

}  // namespace nn
}  // namespace torch

/* Defines a class Name whose objects hold a NameImpl. */
#define TORCH_MODULE_IMPL(Name, NameImpl)                                            \
    class Name : public torch::nn::ModuleHolder<NameImpl> { /* NOLINT */             \
      public:                                                                        \
        using torch::nn::ModuleHolder<NameImpl>::ModuleHolder;                       \
        using Impl [[maybe_unused]] = NameImpl;                                      \
    }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
