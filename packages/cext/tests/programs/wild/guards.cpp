// Gradients from C++.
#include <torch/extension.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/StringUtil.h>

std::vector<torch::Tensor> gradients() {
  auto x = torch::arange(1, 4, torch::kDouble).requires_grad_();
  auto w = torch::ones({3}, torch::TensorOptions().dtype(torch::kFloat64).requires_grad(true));
  auto loss = (x * x * w).sum();
  loss.backward();
  auto first = x.grad().clone();
  auto y = x.pow(3).sum();
  auto grads = torch::autograd::grad({y}, {x}, /*grad_outputs=*/{}, /*retain_graph=*/true, /*create_graph=*/true);
  auto second = torch::autograd::grad({grads[0].sum()}, {x})[0];
  return {first, w.grad(), grads[0].detach(), second};
}

std::vector<bool> modes(torch::Tensor x) {
  std::vector<bool> out{(x * 2).requires_grad()};
  {
    torch::NoGradGuard no_grad;
    out.push_back((x * 2).requires_grad());
    {
      torch::AutoGradMode enable(true);
      out.push_back((x * 2).requires_grad());
    }
    out.push_back(at::GradMode::is_enabled());
  }
  {
    c10::InferenceMode inference;
    out.push_back((x * 2).requires_grad());
  }
  out.push_back(torch::GradMode::is_enabled());
  out.push_back(x.detach().requires_grad());
  out.push_back(x.is_leaf());
  return out;
}

// A step of gradient descent, in place.
void step(std::vector<torch::Tensor> parameters, double lr) {
  torch::NoGradGuard no_grad;
  for (auto& p : parameters) {
    if (!p.grad().defined()) continue;
    p.sub_(p.grad(), lr);
    p.mutable_grad().zero_();
  }
}

torch::Tensor guarded(const torch::Tensor& x) {
  const at::OptionalDeviceGuard guard(at::device_of(x));
  c10::DeviceGuard other(x.device());
  return x + 1;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("gradients", &gradients, py::call_guard<py::gil_scoped_release>());
  m.def("modes", &modes);
  m.def("guarded", &guarded);
  m.def("step", &step, py::arg("parameters"), py::arg("lr") = 0.1);
}
