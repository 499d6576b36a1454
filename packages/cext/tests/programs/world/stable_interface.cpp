// Operators of the stable interface: boxed kernels, torch::stable functions, and operators called by the dispatcher.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>

#include <array>

using torch::headeronly::IntHeaderOnlyArrayRef;
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

Tensor scaled(const Tensor& x, double factor, std::optional<Tensor> bias, IntHeaderOnlyArrayRef shape) {
  STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float, "scaled: x must be float, got ", int(x.scalar_type()));
  Tensor whole = torch::stable::contiguous(x), y = torch::stable::empty_like(whole);
  const float* from = whole.const_data_ptr<float>();
  float* to = y.mutable_data_ptr<float>();
  torch::stable::parallel_for(0, x.numel(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) to[i] = float(factor) * from[i];
  });
  if (bias) y = torch::stable::subtract(y, *bias, -1.0);
  return torch::stable::reshape(y, shape);
}

std::tuple<Tensor, Tensor> sorted(const Tensor& x, bool descending) {
  std::array<StableIValue, 4> stack{torch::stable::detail::from(x), torch::stable::detail::from(std::optional<bool>(true)),
                                    torch::stable::detail::from(int64_t(0)), torch::stable::detail::from(descending)};
  TORCH_ERROR_CODE_CHECK(torch_call_dispatcher("aten::sort", "stable", stack.data(), TORCH_ABI_VERSION));
  return {torch::stable::detail::to<Tensor>(stack[0]), torch::stable::detail::to<Tensor>(stack[1])};
}

std::vector<Tensor> converted(std::vector<Tensor> tensors, std::string mode, ScalarType dtype) {
  std::vector<Tensor> results;
  if (mode == "none") return results;
  for (auto& t : tensors) results.push_back(torch::stable::to(t, dtype));
  return results;
}

void filled(Tensor x, int64_t value) { torch::stable::fill_(x, value); }

int64_t handles(Tensor x) {
  int64_t dims = 0, size = 0;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_dim(x.get(), &dims));
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_size(x.get(), 0, &size));
  return dims * 100 + size;
}

void boxed_twice(StableIValue* stack, uint64_t inputs, uint64_t outputs) {
  Tensor x = torch::stable::detail::to<Tensor>(stack[0]);
  stack[0] = torch::stable::detail::from(torch::stable::subtract(x, x, -1.0));
}

STABLE_TORCH_LIBRARY(wild_stable, m) {
  m.def("scaled(Tensor x, float factor, Tensor? bias, int[] shape) -> Tensor");
  m.def("sorted(Tensor x, bool descending=True) -> (Tensor, Tensor)");
  m.def("converted(Tensor[] tensors, str mode, ScalarType dtype) -> Tensor[]");
}
STABLE_TORCH_LIBRARY_FRAGMENT(wild_stable, m) {
  m.def("filled(Tensor(a!) x, int value) -> ()");
  m.def("handles(Tensor x) -> int");
  m.def("twice(Tensor x) -> Tensor");
}
STABLE_TORCH_LIBRARY_IMPL(wild_stable, CompositeExplicitAutograd, m) {
  m.impl("scaled", TORCH_BOX(&scaled));
  m.impl("sorted", TORCH_BOX(&sorted));
  m.impl("converted", TORCH_BOX(&converted));
}
STABLE_TORCH_LIBRARY_IMPL(wild_stable, CPU, m) {
  m.impl("filled", TORCH_BOX(&filled));
  m.impl("handles", TORCH_BOX(&handles));
  m.impl("twice", &boxed_twice);
}
