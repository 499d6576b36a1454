// Arguments that may be left out.
#include <torch/extension.h>

#include <optional>
#include <string>

torch::Tensor affine(const torch::Tensor& x, const c10::optional<torch::Tensor>& weight,
                     const std::optional<at::Tensor>& bias_opt, c10::optional<double> scale, bool square,
                     std::string reduction) {
  auto y = x;
  if (weight.has_value() && weight->defined()) y = y * weight.value();
  const at::Tensor& bias = bias_opt.value_or(at::Tensor());
  if (bias.numel() > 0) y = y + bias;  // an undefined tensor has no elements
  if (scale) y = y * *scale;
  if (square) y = y.square();
  if (reduction == "mean") return y.mean();
  if (reduction == "sum") return y.sum();
  TORCH_CHECK(reduction == "none", "unknown reduction: ", reduction);
  return y;
}

c10::optional<torch::Tensor> largest(torch::optional<torch::Tensor> x) {
  if (!x.has_value()) return c10::nullopt;
  return x->max();
}

torch::Tensor undefined_is_none(torch::Tensor x, bool none) { return none ? torch::Tensor() : x; }
int64_t size_or(const torch::Tensor& x, std::optional<int64_t> dim) { return dim ? x.size(*dim) : x.numel(); }
at::Tensor sum_of(const at::Tensor& x, at::OptionalIntArrayRef dims, bool keepdim) { return x.sum(dims, keepdim); }
at::Tensor cast(const at::Tensor& x, c10::optional<at::ScalarType> dtype) { return x.to(dtype.value_or(at::kDouble)); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "arguments that may be left out";
  m.def("affine", &affine, "x * weight + bias", py::arg("x"), py::arg("weight") = py::none(),
        py::arg("bias") = py::none(), py::arg("scale") = c10::nullopt, py::kw_only(), py::arg("square") = false,
        py::arg("reduction") = "none");
  m.def("largest", &largest);
  m.def("undefined_is_none", &undefined_is_none);
  m.def("size_or", &size_or, py::arg("x"), py::arg("dim") = std::nullopt);
  m.def("sum_of", &sum_of, py::arg("x"), py::arg("dims") = py::none(), py::arg("keepdim") = false);
  m.def("cast", &cast, py::arg("x"), py::arg("dtype") = py::none());
}
