// torch::autograd::Function as the documentation of it has them.
#include <torch/extension.h>

using namespace torch::autograd;

class LinearFunction : public Function<LinearFunction> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor input, torch::Tensor weight,
                               torch::Tensor bias = torch::Tensor()) {
    ctx->save_for_backward({input, weight, bias});
    auto output = input.mm(weight.t());
    if (bias.defined()) output += bias.unsqueeze(0).expand_as(output);
    return output;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
    auto saved = ctx->get_saved_variables();
    auto input = saved[0];
    auto weight = saved[1];
    auto bias = saved[2];
    auto grad_output = grad_outputs[0];
    auto grad_input = grad_output.mm(weight);
    auto grad_weight = grad_output.t().mm(input);
    auto grad_bias = torch::Tensor();
    if (bias.defined()) grad_bias = grad_output.sum(0);
    return {grad_input, grad_weight, grad_bias};
  }
};

class MulConstant : public Function<MulConstant> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor tensor, double constant, const std::string& name) {
    ctx->saved_data["constant"] = constant;
    ctx->saved_data["name"] = name;
    ctx->saved_data["sizes"] = tensor.sizes().vec();
    ctx->saved_data["kept"] = tensor.detach();
    ctx->saved_data["count"] = int64_t(2);
    ctx->saved_data["flag"] = true;
    return tensor * constant;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad_outputs) {
    TORCH_CHECK(ctx->saved_data["name"].toStringRef() == "constant" && ctx->saved_data["flag"].toBool());
    TORCH_CHECK(ctx->saved_data["sizes"].toIntVector() == grad_outputs[0].sizes().vec());
    TORCH_CHECK(ctx->saved_data["kept"].toTensor().defined() && ctx->saved_data["count"].toInt() == 2);
    return {grad_outputs[0] * ctx->saved_data["constant"].toDouble(), torch::Tensor(), torch::Tensor()};
  }
};

// Several results, of which one has no gradient.
struct SortedSum : torch::autograd::Function<SortedSum> {
  static variable_list forward(AutogradContext* ctx, const Variable& x, int64_t dim) {
    auto [values, indices] = x.sort(dim);
    ctx->save_for_backward({indices});
    ctx->saved_data["dim"] = dim;
    ctx->mark_non_differentiable({indices});
    ctx->set_materialize_grads(false);
    return {values, indices, x.sum(dim)};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    auto indices = ctx->get_saved_variables()[0];
    auto dim = ctx->saved_data["dim"].toInt();
    torch::Tensor out = torch::zeros(indices.sizes(), indices.options().dtype(torch::kDouble));
    if (grads[0].defined()) out = out.scatter_add(dim, indices, grads[0]);
    if (grads[2].defined()) out = out + grads[2].unsqueeze(dim);
    return {out, Variable()};
  }
};

torch::Tensor linear(torch::Tensor x, torch::Tensor w, c10::optional<torch::Tensor> b) {
  return LinearFunction::apply(x, w, b.value_or(torch::Tensor()));
}
torch::Tensor mul_constant(torch::Tensor x, double c) { return MulConstant::apply(x, c, std::string("constant")); }
variable_list sorted_sum(torch::Tensor x, int64_t dim) { return SortedSum::apply(x, dim); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("linear", &linear, py::arg("x"), py::arg("w"), py::arg("b") = py::none());
  m.def("mul_constant", &mul_constant);
  m.def("sorted_sum", &sorted_sum);
}
