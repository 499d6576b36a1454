// Tensors made with options, and like others.
#include <torch/extension.h>
#include <vector>

std::vector<at::Tensor> made(at::Tensor x) {
  auto opts =
      torch::TensorOptions().dtype(torch::kFloat64).layout(torch::kStrided).device(torch::kCPU).requires_grad(false);
  const auto n = x.size(0);
  std::vector<at::Tensor> out;
  out.push_back(torch::zeros({n, 2}, opts));
  out.push_back(torch::ones_like(x, x.options().dtype(at::kInt)));
  out.push_back(torch::zeros_like(x, torch::TensorOptions().dtype(torch::kBool)));
  out.push_back(torch::full({2, 2}, 3.5, x.options()));
  out.push_back(torch::full({3}, /*fill_value=*/7, torch::dtype(torch::kInt64)));
  out.push_back(torch::arange(0, n, torch::TensorOptions(torch::kInt64)));
  out.push_back(torch::arange(4));
  out.push_back(torch::empty({0}, at::device(at::kCPU).dtype(at::kShort)));
  out.push_back(at::empty(x.sizes(), x.options()).fill_(2));
  out.push_back(torch::eye(3, x.options()).triu());
  out.push_back(x.new_zeros({2, n}));
  out.push_back(x.new_full({2}, 1.5));
  out.push_back(x.new_empty({1}, torch::kLong).zero_());
  out.push_back(torch::linspace(0.0, 1.0, 5));
  out.push_back(torch::tensor({1.0f, 2.0f}, opts));
  out.push_back(torch::tensor(std::vector<float>{1, 2, 3}));
  out.push_back(torch::scalar_tensor(4.25, torch::kDouble));
  out.push_back(torch::scalar_tensor(3));
  float raw[] = {1, 2, 3, 4, 5, 6};
  out.push_back(torch::from_blob(raw, {2, 3}).clone());
  out.push_back(torch::from_blob(raw, {3}, {2}, torch::TensorOptions().dtype(torch::kFloat32)).to(x.options()).clone());
  out.push_back(torch::empty_like(x).copy_(x).mul_(2));
  out.push_back(torch::randperm(5, torch::kInt64).sum());
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("made", &made); }
