// Operators of every shape, defined in pieces.
#include <torch/extension.h>
#include <torch/library.h>

#include <string>
#include <tuple>
#include <vector>

namespace {

at::Tensor scale_tensor(const at::Tensor& x, const at::Tensor& by) { return x * by; }
at::Tensor scale_scalar(const at::Tensor& x, const at::Scalar& by) { return x * by; }
at::Tensor norm_dims(const at::Tensor& x, at::IntArrayRef dim, bool keepdim, c10::optional<at::ScalarType> dtype) {
  auto y = x.square().sum(dim, keepdim).sqrt();
  return dtype ? y.to(*dtype) : y;
}
std::tuple<at::Tensor, at::Tensor> min_max(const at::Tensor& x, int64_t dim) {
  return {std::get<0>(x.min(dim)), std::get<0>(x.max(dim))};
}
std::vector<at::Tensor> shifted(at::TensorList xs, double by) {
  std::vector<at::Tensor> out;
  for (const auto& x : xs) out.push_back(x + by);
  return out;
}
at::Tensor& clamp_in_place(at::Tensor& x, double most) { return x.clamp_(-most, most); }
at::Tensor weighted(const at::Tensor& x, const std::optional<at::Tensor>& weight, c10::string_view reduction) {
  auto y = weight.has_value() ? x * *weight : x;
  return reduction == "sum" ? y.sum() : y.mean();
}
int64_t count(const at::Tensor& x) { return (x > 0).sum().item<int64_t>(); }
std::string kind(const at::Tensor& x) { return c10::toString(x.scalar_type()); }
void store(const at::Tensor& x, at::Tensor& out) { out.copy_(x.abs()); }
std::vector<at::Tensor> present(const c10::List<c10::optional<at::Tensor>>& xs) {
  std::vector<at::Tensor> out;
  for (size_t i = 0; i < xs.size(); i++)
    if (xs.get(i).has_value()) out.push_back(*xs.get(i));
  return out;
}
int64_t absent(const std::vector<std::optional<at::Tensor>>& xs) {
  int64_t n = 0;
  for (const auto& x : xs) n += !x;
  return n;
}
c10::List<int64_t> lengths(at::TensorList xs) {
  c10::List<int64_t> out;
  for (const auto& x : xs) out.push_back(x.size(0));
  return out;
}
double mean_of(std::vector<double> v) {
  double s = 0;
  for (double d : v) s += d;
  return s / double(v.size());
}

}  // namespace

TORCH_LIBRARY(wild_pieces, m) {
  m.def("scale.Tensor(Tensor x, Tensor by) -> Tensor");
  m.def("scale.Scalar(Tensor x, Scalar by) -> Tensor");
  m.impl("scale.Tensor", c10::DispatchKey::CompositeImplicitAutograd, TORCH_FN(scale_tensor));
  m.impl("scale.Scalar", torch::dispatch(c10::DispatchKey::CompositeImplicitAutograd, TORCH_FN(scale_scalar)));
  m.def("norm_dims(Tensor x, int[] dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", &norm_dims);
  m.def("min_max(Tensor x, int dim=-1) -> (Tensor min, Tensor max)");
  m.def(TORCH_SELECTIVE_SCHEMA("wild_pieces::shifted(Tensor[] xs, float by=1.0) -> Tensor[]"));
}

TORCH_LIBRARY_FRAGMENT(wild_pieces, m) {
  m.def("clamp_in_place(Tensor(a!) x, float most) -> Tensor(a!)");
  m.def("weighted(Tensor x, Tensor? weight=None, *, str reduction=\"mean\") -> Tensor", &weighted);
  m.def("count(Tensor x) -> int", &count);
  m.def("kind", &kind);
}

TORCH_LIBRARY_FRAGMENT(wild_pieces, m) {
  m.def("store(Tensor x, *, Tensor(a!) out) -> ()");
  m.def("mean_of(float[] v) -> float", &mean_of);
  m.def("present(Tensor?[] xs) -> Tensor[]", &present);
  m.def("absent", &absent);
  m.def("lengths(Tensor[] xs) -> int[]", TORCH_FN(lengths));
  m.def("plus_one", [](at::Tensor x) { return x + 1; });
}

TORCH_LIBRARY_IMPL(wild_pieces, CPU, m) {
  m.impl("min_max", &min_max);
  m.impl(TORCH_SELECTIVE_NAME("wild_pieces::shifted"), TORCH_FN(shifted));
  m.impl("clamp_in_place", clamp_in_place);
  m.impl("store", &store);
}
TORCH_LIBRARY_IMPL(wild_pieces, Meta, m) {
  m.impl("min_max", [](const at::Tensor& x, int64_t) { return std::make_tuple(at::empty_like(x), at::empty_like(x)); });
}
TORCH_LIBRARY_IMPL(wild_pieces, CUDA, m) { m.impl("store", &store); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}
