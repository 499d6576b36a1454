// Expressions.
#include <torch/extension.h>

std::vector<at::Tensor> computed(at::Tensor a, at::Tensor b) {
  auto x = a * b + 1;
  auto y = 1 / (a.abs() + 2.5) - b / 2;
  auto z = -x;
  z += y;
  z *= 2;
  z -= a;
  z /= 4;
  at::Tensor w = x.clone();
  w.add_(b, /*alpha=*/0.5).sub_(1).mul_(a).div_(2).clamp_(-3, 3).relu_();
  auto [values, indices] = at::max(a, /*dim=*/1);
  auto best = std::get<1>(a.topk(2, 1));
  auto sorted = at::sort(a, 1, /*descending=*/true);
  auto parts = at::chunk(a, 2, 1);
  auto split = a.split(1, 0);
  return {
      x, y, z, w, values, indices, best, std::get<0>(sorted),
      (a > b) & (a != 0),
      at::logical_or(a < 0, b <= 0),
      torch::where(a > 0, a, torch::zeros_like(a)),
      a.pow(2).sum(-1, /*keepdim=*/true).sqrt(),
      a.mean({0, 1}), a.mean(0), a.std(), a.sum(0), a.sum(), a.prod(), a.argmax(1), a.cumsum(0), a.any(), a.norm(),
      torch::mm(a, b.t()), a.matmul(b.transpose(0, 1)), torch::addmm(torch::ones({2}), a, b.t(), 0.5, 2),
      torch::bmm(a.unsqueeze(0), b.unsqueeze(0).transpose(1, 2)),
      torch::outer(a[0], b[0]), torch::dot(a[0], b[0]),
      at::cat({a, b}, 0), at::stack({a, b}, -1), parts[1], split[0],
      a.view({-1, 2}), a.reshape({3, 2}), a.permute({1, 0}).contiguous(), a.t().expand({3, 2}), a.repeat({2, 1}),
      a.flip(0),
      torch::sigmoid(a) * torch::tanh(b), a.exp().log1p(), at::softmax(a, -1), torch::log_softmax(a, 1, torch::kDouble),
      torch::relu(a), at::gelu(a), torch::leaky_relu(a, 0.2), torch::elu(a), torch::softplus(a),
      torch::maximum(a, b), torch::min(a, b), a.clamp(/*min=*/0), a.clamp_min(-0.5), torch::lerp(a, b, 0.3),
      a.fmod(2), a.remainder(2), a.round(), torch::floor_divide(a, 2), torch::pow(2, a), torch::atan2(a, b),
      torch::nan_to_num(a / 0), a.isfinite(), a.eq(b), at::ne(a, 0), a.type_as(b), a.triu(1),
      torch::nonzero(a > 0), at::relu_(w), torch::subtract(a, b), at::concat({a, a}), torch::roll(a, 1, 1), a.numpy_T(),
  };
}

bool is_close(at::Tensor a, at::Tensor b) { return torch::allclose(a, b, 1e-3, 1e-5) && a.equal(a) && !a.is_same(b); }
double number(at::Tensor a) { return a.sum().item<float>() + a.max().item().toDouble() + *a.data_ptr<float>(); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("computed", &computed);
  m.def("is_close", &is_close);
  m.def("number", &number);
}
