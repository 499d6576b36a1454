// Derivatives of one's own in C++; test_torch_autograd.py differentiates them.
#include <torch/extension.h>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;
using torch::autograd::variable_list;

// A linear layer with an optional bias.
class LinearFunction : public Function<LinearFunction> {
 public:
  static Tensor forward(AutogradContext *ctx, Tensor input, Tensor weight, Tensor bias = Tensor()) {
    ctx->save_for_backward({input, weight, bias});
    auto output = input.mm(weight.t());
    if (bias.defined()) output += bias.unsqueeze(0).expand_as(output);
    return output;
  }
  static tensor_list backward(AutogradContext *ctx, tensor_list grad_outputs) {
    auto saved = ctx->get_saved_variables();
    auto input = saved[0], weight = saved[1], bias = saved[2];
    auto grad_output = grad_outputs[0];
    Tensor grad_input, grad_weight;
    if (ctx->needs_input_grad(0)) grad_input = grad_output.mm(weight);
    if (ctx->needs_input_grad(1)) grad_weight = grad_output.t().mm(input);
    auto grad_bias = torch::Tensor();
    if (bias.defined()) grad_bias = grad_output.sum(0);
    return {grad_input, grad_weight, grad_bias};
  }
};
Tensor linear(Tensor x, Tensor w, c10::optional<Tensor> b) { return LinearFunction::apply(x, w, b.value_or(Tensor())); }

// Constants beside tensors.
class MulConstant : public Function<MulConstant> {
 public:
  static Tensor forward(AutogradContext *ctx, Tensor tensor, double constant, std::string name, std::vector<int64_t> dims) {
    ctx->saved_data["constant"] = constant;
    ctx->saved_data["name"] = name;
    ctx->saved_data["dims"] = dims;
    return tensor * constant;
  }
  static variable_list backward(AutogradContext *ctx, variable_list grad_outputs) {
    TORCH_CHECK(ctx->saved_data["name"].toStringRef() == "by", "the name is gone");
    TORCH_CHECK(ctx->saved_data["dims"].toIntVector().size() == 2, "the list is gone");
    return {grad_outputs[0] * ctx->saved_data["constant"].toDouble(), Tensor(), Tensor(), Tensor()};
  }
};
Tensor mul_constant(Tensor x, double c) { return MulConstant::apply(x, c, "by", std::vector<int64_t>{1, 2}); }

// Several results, a list of inputs, a result without gradient.
class SumAndMax : public Function<SumAndMax> {
 public:
  static variable_list forward(AutogradContext *ctx, std::vector<Tensor> inputs) {
    auto stacked = torch::stack(inputs);
    auto [values, indices] = stacked.max(0);
    ctx->save_for_backward({indices});
    ctx->mark_non_differentiable({indices});
    ctx->saved_data["n"] = int64_t(inputs.size());
    return {stacked.sum(0), values, indices};
  }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    auto indices = ctx->get_saved_variables()[0];
    variable_list result;
    for (int64_t i = 0; i < ctx->saved_data["n"].toInt(); i++)
      result.push_back(grads[0] + grads[1] * (indices == i).to(grads[1].scalar_type()));
    return result;
  }
};
std::vector<Tensor> sum_and_max(std::vector<Tensor> inputs) { return SumAndMax::apply(inputs); }

// Undefined gradients instead of zeros.
class Lazy : public Function<Lazy> {
 public:
  static variable_list forward(AutogradContext *ctx, Tensor x) {
    ctx->set_materialize_grads(false);
    return {x * 2, x * 3};
  }
  static variable_list backward(AutogradContext *, variable_list grads) {
    TORCH_CHECK(grads[0].defined() != grads[1].defined(), "exactly one gradient comes");
    return {grads[0].defined() ? grads[0] * 2 : grads[1] * 3};
  }
};
std::vector<Tensor> lazy(Tensor x) { return Lazy::apply(x); }

// Written to in place.
class Doubled : public Function<Doubled> {
 public:
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext *, variable_list grads) { return {grads[0] * 2}; }
};
Tensor doubled_(Tensor x) { return Doubled::apply(x); }

class Wrong : public Function<Wrong> {
 public:
  static Tensor forward(AutogradContext *, Tensor x, int64_t how) {
    TORCH_CHECK_INDEX(how != 0, "forward refuses");
    return x * 1;
  }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    TORCH_CHECK_VALUE(grads.size() != 1 || !ctx->needs_input_grad(0) || Wrong::mode != 1, "backward refuses");
    if (mode == 2) return {grads[0]};
    if (mode == 3) return {grads[0], grads[0]};
    return {grads[0], Tensor(), Tensor()};  // too many, but undefined
  }
  static int mode;
};
int Wrong::mode = 0;
Tensor wrong(Tensor x, int64_t mode) {
  Wrong::mode = int(mode);
  return Wrong::apply(x, mode);
}

// The gradient inside C++.
Tensor slope(Tensor x, bool create_graph) {
  auto y = (x * x * x).sum();
  return torch::autograd::grad({y}, {x}, {}, /*retain_graph=*/c10::nullopt, create_graph)[0];
}
Tensor accumulated(int64_t n) {
  auto x = torch::ones({n}, torch::requires_grad());
  auto y = x * 3;
  y.sum().backward();
  torch::autograd::backward({(x * 2).sum()});
  TORCH_CHECK(x.is_leaf() && !y.is_leaf() && x.requires_grad(), "leaves");
  return x.grad();
}
std::vector<bool> modes(Tensor x) {
  std::vector<bool> seen{(x * 1).requires_grad()};
  {
    torch::NoGradGuard no_grad;
    seen.push_back((x * 1).requires_grad());
    seen.push_back(torch::GradMode::is_enabled());
    torch::AutoGradMode on(true);
    seen.push_back((x * 1).requires_grad());
  }
  seen.push_back((x * 1).requires_grad());
  seen.push_back(x.detach().requires_grad());
  return seen;
}

// An operator whose derivative is a Function.
Tensor cube_cpu(const Tensor &x) { return x * x * x; }
Tensor cube(const Tensor &x) {
  static auto op = torch::Dispatcher::singleton().findSchemaOrThrow("cppgrad::cube", "").typed<decltype(cube)>();
  return op.call(x);
}
class CubeFunction : public Function<CubeFunction> {
 public:
  static Tensor forward(AutogradContext *ctx, Tensor x) {
    at::AutoDispatchBelowADInplaceOrView guard;
    ctx->save_for_backward({x});
    return cube(x);
  }
  static tensor_list backward(AutogradContext *ctx, tensor_list grads) {
    auto x = ctx->get_saved_variables()[0];
    return {grads[0] * 3 * x * x};
  }
};
Tensor cube_autograd(const Tensor &x) { return CubeFunction::apply(x); }

TORCH_LIBRARY(cppgrad, m) {
  m.def("cube(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(cppgrad, CPU, m) {
  m.impl("cube", cube_cpu);
}
TORCH_LIBRARY_IMPL(cppgrad, Autograd, m) {
  m.impl("cube", cube_autograd);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("linear", &linear);
  m.def("mul_constant", &mul_constant);
  m.def("sum_and_max", &sum_and_max);
  m.def("lazy", &lazy);
  m.def("doubled_", &doubled_);
  m.def("wrong", &wrong);
  m.def("slope", &slope);
  m.def("accumulated", &accumulated);
  m.def("modes", &modes);
  m.def("cube", &cube);
}
