// Lists of tensors, borrowed memory, distinct values, sums of products: what has no operator sign.
#include <torch/extension.h>
#ifdef AT_PER_OPERATOR_HEADERS
#include <ATen/ops/einsum.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/_unique2.h>
#else
#include <ATen/Functions.h>
#endif

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

using torch::Tensor;
namespace F = torch;

std::vector<Tensor> products(const Tensor& a, const Tensor& b) {
  return {
      torch::einsum("ij,jk->ik", {a, b}),
      at::einsum("ij,ij->", {a, a}),
      torch::einsum("...i->...", {a}),
      torch::tensordot(a, b, {1}, {0}),
      torch::matmul(a, b),
      torch::bmm(a.unsqueeze(0), b.unsqueeze(0)).squeeze(0),
      torch::kron(a, b),
      at::linear(a, b.t()),
      torch::chain_matmul({a, b, b.t()}),
  };
}

std::vector<Tensor> grids(int64_t h, int64_t w) {
  auto options = torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCPU, -1).requires_grad(false);
  auto ys = torch::linspace(-1, 1, h, options), xs = torch::linspace(-1, 1, w, options);
  auto grid = torch::meshgrid({ys, xs}, "ij");
  auto flat = torch::stack({grid[1].flatten(), grid[0].reshape(-1)}, -1);
  auto xy = at::meshgrid({xs, ys}, "xy");
  auto pairs = torch::cartesian_prod({torch::arange(2), torch::arange(3)});
  auto wide = torch::broadcast_tensors({ys.view({-1, 1}), xs.view({1, -1})});
  return {flat, xy[0], xy[1], pairs, wide[0], wide[1], torch::block_diag({ys.unsqueeze(0), xs}), torch::cat({ys, xs}),
          torch::hstack({ys, xs}), torch::vstack({xs, xs})};
}

std::vector<Tensor> distinct(const Tensor& x) {
  auto [values, inverse, counts] = at::_unique2(x, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/true);
  auto rows = torch::unique_dim(x, 0, true, true, true);
  auto runs = torch::unique_consecutive(x.flatten(), true, true);
  Tensor none = std::get<1>(at::_unique2(x));
  return {values, inverse, counts, std::get<0>(rows), std::get<1>(rows), std::get<2>(rows), std::get<0>(runs),
          std::get<1>(runs), std::get<2>(runs), none};
}

static int released = 0;

// Memory that C++ owns: given away with the tensor, kept by a vector, or borrowed from another tensor.
std::vector<Tensor> borrowed() {
  auto* raw = new float[6]{0, 1, 2, 3, 4, 5};
  Tensor owned = torch::from_blob(raw, {2, 3}, [](void* p) { delete[] static_cast<float*>(p); ++released; }, torch::kFloat32);
  auto shared = std::make_shared<std::vector<double>>(std::vector<double>{1.5, 2.5, 3.5, 4.5});
  Tensor kept = at::from_blob(shared->data(), {2}, {2}, [shared](void*) { ++released; }, at::TensorOptions(at::kDouble));
  std::vector<int> local{7, 8, 9};
  Tensor copied = torch::from_blob(local.data(), {static_cast<int64_t>(local.size())}, torch::kInt).clone();
  Tensor made = torch::tensor(local, torch::dtype(torch::kInt64));
  return {owned, kept, copied, made, torch::tensor(at::ArrayRef<double>({1., 2.})), torch::scalar_tensor(3, at::kInt)};
}
int how_many_released() { return released; }

std::unordered_map<std::string, Tensor> statistics(const std::map<std::string, Tensor>& given) {
  std::unordered_map<std::string, Tensor> out;
  for (const auto& [name, t] : given) {
    out[name + ".mean"] = t.mean();
    out[name + ".norm"] = t.norm(2, {-1}, /*keepdim=*/true);
    out.emplace(name + ".range", std::get<0>(t.max(-1)) - t.amin({-1}));
  }
  return out;
}

// An optimiser's step over lists, in place and without a graph.
void adam_step(at::TensorList params, at::TensorList grads, std::vector<Tensor>& means, std::vector<Tensor> squares,
               double lr, const std::tuple<double, double>& betas, double eps, int64_t step) {
  at::AutoGradMode off(false);
  TORCH_CHECK(params.size() == grads.size() && means.size() == squares.size(), "lists differ in length");
  const auto [b1, b2] = betas;
  for (size_t i = 0; i < params.size(); i++) {
    const Tensor& g = grads[i];
    means[i].mul_(b1).add_(g, 1 - b1);
    squares[i].mul_(b2).addcmul_(g, g, 1 - b2);
    auto scale = std::sqrt(1 - std::pow(b2, step)) / (1 - std::pow(b1, step));
    params[i].addcdiv_(means[i], squares[i].sqrt().add_(eps), -lr * scale);
  }
}

std::string described(const Tensor& x, c10::optional<at::ScalarType> type, c10::IntArrayRef dims) {
  std::stringstream out;
  out << x.sizes() << " " << x.scalar_type() << " " << (type.has_value() ? c10::toString(*type) : "none") << " " << dims << " "
      << x.options().dtype() << " " << x.is_floating_point() << x.is_contiguous() << x.requires_grad() << " "
      << c10::str("n=", x.numel(), ",", x.dim()) << " " << x.device() << " " << c10::elementSize(x.scalar_type());
  return out.str();
}

std::vector<Tensor> losses(const Tensor& x, const Tensor& y) {
  auto p = torch::log_softmax(x, -1), q = torch::softmax(y, 1);
  return {torch::kl_div(p, q, at::Reduction::Sum), torch::kl_div(p, p, at::Reduction::None, /*log_target=*/true),
          torch::mse_loss(x, y), torch::l1_loss(x, y, at::Reduction::None), torch::pairwise_distance(x, y),
          torch::cosine_similarity(x, y, 1), torch::binary_cross_entropy_with_logits(x, q),
          torch::nll_loss(p, torch::tensor({0, 2})), torch::constant_pad_nd(x, {1, 2}, 0.5),
          at::pad(x, {1, 1}, "constant", 2), torch::max_pool1d(x.unsqueeze(0), 2), at::avg_pool1d(x.unsqueeze(0), {2}, {1}),
          at::instance_norm(x.unsqueeze(0), {}, {}, {}, {}, true, 0.1, 1e-5, false), torch::rms_norm(x, {3}),
          torch::triplet_margin_loss(x, y, x.flip({1}))};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("products", &products);
  m.def("grids", &grids);
  m.def("distinct", &distinct);
  m.def("borrowed", &borrowed);
  m.def("how_many_released", &how_many_released);
  m.def("statistics", &statistics);
  m.def("adam_step", [](std::vector<Tensor> p, std::vector<Tensor> g, std::vector<Tensor> m1, std::vector<Tensor> m2, double lr,
                        std::tuple<double, double> betas, double eps, int64_t step) {
    adam_step(p, g, m1, m2, lr, betas, eps, step);
  });
  m.def("described", &described, py::arg("x"), py::arg("type") = py::none(), py::arg("dims") = std::vector<int64_t>{});
  m.def("losses", &losses);
}
