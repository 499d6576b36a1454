/* torch::optim: Python's optimizers, for C++ programs. */
#pragma once

#include <ATen/core/boxing/Objects.h>
#include <torch/nn/module.h>
#include <torch/nn/options.h>

namespace torch {
namespace optim {

/* Options of a parameter group, in the form of the Python optimizer. */
class OptimizerOptions {
  public:
    using Keywords = std::vector<std::pair<const char *, at::IValue>>;
    virtual ~OptimizerOptions() = default;
    virtual Keywords keywords() const = 0;
    virtual std::shared_ptr<OptimizerOptions> copy() const = 0;
    virtual double get_lr() const = 0;
    virtual void set_lr(double lr) = 0;
};
template <class Derived> class OptimizerOptionsOf : public OptimizerOptions {
  public:
    std::shared_ptr<OptimizerOptions> copy() const override {
        return std::make_shared<Derived>(static_cast<const Derived &>(*this));
    }
    double get_lr() const override { return static_cast<const Derived &>(*this).lr(); }
    void set_lr(double lr) override { static_cast<Derived &>(*this).lr(lr); }
};

class OptimizerParamGroup {
  public:
    OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
    template <class Options> OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<Options> options)
        : params_(std::move(params)), options_(std::move(options)) {}
    bool has_options() const { return options_ != nullptr; }
    OptimizerOptions &options() { return *options_; }
    const OptimizerOptions &options() const { return *options_; }
    void set_options(std::shared_ptr<OptimizerOptions> options) { options_ = std::move(options); }
    std::vector<Tensor> &params() { return params_; }
    const std::vector<Tensor> &params() const { return params_; }

  private:
    std::vector<Tensor> params_;
    std::shared_ptr<OptimizerOptions> options_;
};

class Optimizer {
  public:
    using LossClosure = std::function<Tensor()>;
    Optimizer(const Optimizer &) = delete;
    virtual ~Optimizer() {
        at::detail::Gil gil;
        python_ = Object();
    }

    /* Update the parameters by their gradients. The closure, if given, first computes the loss again. */
    virtual Tensor step(LossClosure closure = nullptr) {
        Tensor loss;
        if (closure) {
            AutoGradMode records(true);
            loss = closure();
        }
        at::detail::Gil gil;
        Object python_groups = Object::checked(PyObject_GetAttrString(python_.get(), "param_groups"));
        for (size_t i = 0; i < groups_.size(); i++) {
            PyObject *group = PyList_GetItem(python_groups.get(), Py_ssize_t(i));
            for (const auto &[name, value] : groups_[i].options().keywords())
                if (PyDict_SetItemString(group, name, Object(at::detail::object_of(value)).get()))
                    throw c10::Error::recorded();
        }
        Object::checked(PyObject_CallMethod(python_.get(), "step", nullptr));
        return loss;
    }
    void zero_grad(bool set_to_none = true) {
        at::detail::Gil gil;
        Object::checked(PyObject_CallMethod(python_.get(), "zero_grad", "O", set_to_none ? Py_True : Py_False));
    }
    void add_param_group(OptimizerParamGroup group) {
        if (!group.has_options()) group.set_options(defaults_->copy());
        groups_.push_back(std::move(group));
        if (!python_.get()) return;
        at::detail::Gil gil;
        Object made(at::detail::object_of(python_group(groups_.back())));
        Object::checked(PyObject_CallMethod(python_.get(), "add_param_group", "O", made.get()));
    }
    std::vector<OptimizerParamGroup> &param_groups() { return groups_; }
    const std::vector<OptimizerParamGroup> &param_groups() const { return groups_; }
    OptimizerOptions &defaults() { return *defaults_; }
    std::vector<Tensor> parameters() const {
        std::vector<Tensor> all;
        for (const auto &group : groups_) all.insert(all.end(), group.params().begin(), group.params().end());
        return all;
    }
    size_t size() const { return parameters().size(); }

  protected:
    Optimizer(const char *name, std::vector<OptimizerParamGroup> groups, std::shared_ptr<OptimizerOptions> defaults)
        : defaults_(std::move(defaults)) {
        for (auto &group : groups) add_param_group(std::move(group));
        at::detail::Gil gil;
        c10::impl::GenericList all;
        for (const auto &group : groups_) all.push_back(python_group(group));
        Object list(at::detail::object_of(all));
        python_ = Object::checked(PyObject_CallFunctionObjArgs(at::detail::imported("flambeau_nn.optim", name).get(),
                                                               list.get(), nullptr));
    }

  private:
    using Object = at::detail::Object;
    static at::IValue python_group(const OptimizerParamGroup &group) {
        c10::impl::GenericDict dict;
        dict.insert("params", group.params());
        for (const auto &[name, value] : group.options().keywords()) dict.insert(name, value);
        return dict;
    }
    std::vector<OptimizerParamGroup> groups_;
    std::shared_ptr<OptimizerOptions> defaults_;
    Object python_;
};

struct SGDOptions : OptimizerOptionsOf<SGDOptions> {
    SGDOptions(double lr = 1e-3) : lr_(lr) {}
    Keywords keywords() const override {
        return {{"lr", lr_}, {"momentum", momentum_}, {"dampening", dampening_}, {"weight_decay", weight_decay_},
                {"nesterov", nesterov_}};
    }
    TORCH_ARG(double, lr);
    TORCH_ARG(double, momentum) = 0;
    TORCH_ARG(double, dampening) = 0;
    TORCH_ARG(double, weight_decay) = 0;
    TORCH_ARG(bool, nesterov) = false;
};
using Betas = std::tuple<double, double>;
template <class Derived> struct AdamOptionsOf : OptimizerOptionsOf<Derived> {
    AdamOptionsOf(double lr, double decay) : lr_(lr), weight_decay_(decay) {}
    OptimizerOptions::Keywords keywords() const override {
        return {{"lr", lr_}, {"betas", betas_}, {"eps", eps_}, {"weight_decay", weight_decay_}, {"amsgrad", amsgrad_}};
    }

#define FL_SETTING(T, name)                                       \
  public:                                                         \
    Derived &name(const T &value) {                               \
        name##_ = value;                                          \
        return static_cast<Derived &>(*this);                     \
    }                                                             \
    const T &name() const noexcept { return name##_; }            \
                                                                  \
  private:                                                        \
    T name##_
    FL_SETTING(double, lr);
    FL_SETTING(Betas, betas) = {0.9, 0.999};
    FL_SETTING(double, eps) = 1e-8;
    FL_SETTING(double, weight_decay);
    FL_SETTING(bool, amsgrad) = false;
#undef FL_SETTING
};
struct AdamOptions : AdamOptionsOf<AdamOptions> {
    AdamOptions(double lr = 1e-3) : AdamOptionsOf(lr, 0) {}
};
struct AdamWOptions : AdamOptionsOf<AdamWOptions> {
    AdamWOptions(double lr = 1e-3) : AdamOptionsOf(lr, 1e-2) {}
};
struct RMSpropOptions : OptimizerOptionsOf<RMSpropOptions> {
    RMSpropOptions(double lr = 1e-2) : lr_(lr) {}
    Keywords keywords() const override {
        return {{"lr", lr_}, {"alpha", alpha_}, {"eps", eps_}, {"weight_decay", weight_decay_}, {"momentum", momentum_},
                {"centered", centered_}};
    }
    TORCH_ARG(double, lr);
    TORCH_ARG(double, alpha) = 0.99;
    TORCH_ARG(double, eps) = 1e-8;
    TORCH_ARG(double, weight_decay) = 0;
    TORCH_ARG(double, momentum) = 0;
    TORCH_ARG(bool, centered) = false;
};
struct AdagradOptions : OptimizerOptionsOf<AdagradOptions> {
    AdagradOptions(double lr = 1e-2) : lr_(lr) {}
    Keywords keywords() const override {
        return {{"lr", lr_}, {"lr_decay", lr_decay_}, {"weight_decay", weight_decay_}, {"eps", eps_}};
    }
    TORCH_ARG(double, lr);
    TORCH_ARG(double, lr_decay) = 0;
    TORCH_ARG(double, weight_decay) = 0;
    TORCH_ARG(double, eps) = 1e-10;
};

#define FL_OPTIMIZER(Name)                                                                                             \
    class Name : public Optimizer {                                                                                    \
      public:                                                                                                          \
        explicit Name(std::vector<Tensor> params, Name##Options defaults = {})                                         \
            : Name(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, std::move(defaults)) {}   \
        explicit Name(std::vector<OptimizerParamGroup> groups, Name##Options defaults = {})                            \
            : Optimizer(#Name, std::move(groups), std::make_shared<Name##Options>(std::move(defaults))) {}             \
    }
FL_OPTIMIZER(SGD);
FL_OPTIMIZER(Adam);
FL_OPTIMIZER(AdamW);
FL_OPTIMIZER(RMSprop);
FL_OPTIMIZER(Adagrad);
#undef FL_OPTIMIZER
struct LBFGS {
    template <class... A> explicit LBFGS(A &&...) {
        static_assert(sizeof...(A) > 999, "torch::optim::LBFGS is not built in flambeau's C++ headers: use torch.optim.LBFGS "
                                          "in Python");
    }
};

/* Learning rates as functions of the number of steps; step() sets those of all parameter groups. */
class LRScheduler {
  public:
    explicit LRScheduler(Optimizer &optimizer) : optimizer_(optimizer) {}
    virtual ~LRScheduler() = default;
    void step() {
        const std::vector<double> lrs = get_lrs();
        for (size_t i = 0; i < lrs.size(); i++) optimizer_.param_groups().at(i).options().set_lr(lrs[i]);
        step_count_++;
    }

  protected:
    virtual std::vector<double> get_lrs() = 0;
    std::vector<double> get_current_lrs() const {
        std::vector<double> lrs;
        for (const auto &group : optimizer_.param_groups()) lrs.push_back(group.options().get_lr());
        return lrs;
    }
    unsigned step_count_ = 0;

  private:
    Optimizer &optimizer_;
};
class StepLR : public LRScheduler {
  public:
    StepLR(Optimizer &optimizer, unsigned step_size, double gamma = 0.1)
        : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {}

  private:
    std::vector<double> get_lrs() override {
        std::vector<double> lrs = get_current_lrs();
        if (step_count_ != 0 && step_count_ % step_size_ == 0)
            for (double &lr : lrs) lr *= gamma_;
        return lrs;
    }
    unsigned step_size_;
    double gamma_;
};

}  // namespace optim
}  // namespace torch
