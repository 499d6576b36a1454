// Hooks and nodes of the graph, kernels for Meta and BackendSelect, tags, and errors that are caught by their types.
#include <ATen/MemoryOverlap.h>
#include <torch/all.h>
#include <torch/library.h>

using at::Tensor;

std::vector<Tensor> hooked(Tensor x) {
  std::vector<Tensor> seen;
  auto y = x * 2;
  auto replaces = [](Tensor grad) { return grad * 10; };
  y.register_hook(replaces);
  y.register_hook([&](Tensor grad) { seen.push_back(grad); });
  unsigned gone = y.register_hook(replaces);
  y.remove_hook(gone);
  auto grads = torch::autograd::grad({y.sin().sum()}, {x});
  seen.push_back(grads[0]);
  return seen;
}

std::string nodes(Tensor x) {
  auto y = x.detach().requires_grad_() * 2;
  return c10::str(y.grad_fn()->name(), " ", y.output_nr(), " ", y.detach().grad_fn() == nullptr);
}

Tensor filled_on_cpu(at::IntArrayRef size, double value, std::optional<at::Device>) { return at::full(size, value); }
Tensor filled_on_meta(at::IntArrayRef size, double, std::optional<at::Device>) {
  return at::empty(size, at::device(at::kMeta));
}
Tensor filled(at::IntArrayRef size, double value, std::optional<at::Device> device) {
  static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("wild_keys::filled", "").typed<decltype(filled)>();
  auto key = device.value_or(at::kCPU).is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::Meta;
  return op.redispatch(c10::DispatchKeySet(key), size, value, device);
}

Tensor twice(const Tensor& x) { return x * 2; }
Tensor like(const Tensor& x) { return at::empty_like(x); }
std::vector<int64_t> sizes(const Tensor& x) { return x.sizes().vec(); }
std::tuple<std::vector<int64_t>, double> sizes_and_mean(const Tensor& x) { return {x.sizes().vec(), x.mean().item<double>()}; }

// Which of the types of errors each check throws.
std::string caught() {
  std::string found;
  try { TORCH_CHECK_INDEX(false, "a"); } catch (const c10::IndexError& e) { found += e.msg(); }
  try { TORCH_CHECK_VALUE(false, "b"); } catch (const c10::ValueError& e) { found += e.msg(); }
  try { TORCH_CHECK_TYPE(false, "c"); } catch (const c10::TypeError& e) { found += e.msg(); }
  try { TORCH_CHECK_NOT_IMPLEMENTED(false, "d"); } catch (const c10::NotImplementedError& e) { found += e.msg(); }
  try { TORCH_CHECK_LINALG(false, "e"); } catch (const c10::LinAlgError& e) { found += e.msg(); }
  try { c10::checked_convert<int8_t, int64_t>(300, "int8_t"); } catch (const c10::Error& e) { found += e.msg(); }
  return found;
}

void fails(const std::string& kind, const Tensor& x) {
  if (kind == "linalg") TORCH_CHECK_LINALG(false, "not invertible");
  if (kind == "equal") TORCH_CHECK_EQ(1 + 1, 3) << "because";
  if (kind == "internal") at::assert_no_internal_overlap(x.expand({2, x.size(0)}));
  if (kind == "overlap") at::assert_no_overlap(x, x.slice(0, 1));
  if (kind == "partial") at::assert_no_partial_overlap(x.slice(0, 0, 2), x.slice(0, 1, 3));
  at::assert_no_internal_overlap(x);
  at::assert_no_overlap(x, x.clone());
  at::assert_no_partial_overlap(x, x);
}

TORCH_LIBRARY(wild_keys, m) {
  m.def("hooked", &hooked);
  m.def("nodes", &nodes);
  m.def("filled(int[] size, float value, *, Device? device=None) -> Tensor");
  m.def("twice(Tensor x) -> Tensor", {at::Tag::pt2_compliant_tag, at::Tag::needs_fixed_stride_order});
  m.def("exp(Tensor x) -> Tensor");
  m.def("sizes", &sizes);
  m.def("sizes_and_mean", &sizes_and_mean);
  m.def("caught", &caught);
  m.def("fails", &fails);
  m.def("options", [](const Tensor& x) { return c10::str(x.options(), " ", x.options().type_equal(at::kFloat)); });
}
TORCH_LIBRARY_IMPL(wild_keys, BackendSelect, m) { m.impl("filled", &filled); }
TORCH_LIBRARY_IMPL(wild_keys, CPU, m) {
  m.impl("filled", &filled_on_cpu);
  m.impl("twice", &twice);
}
TORCH_LIBRARY_IMPL(wild_keys, Meta, m) {
  m.impl("filled", &filled_on_meta);
  m.impl("twice", &like);
}
TORCH_LIBRARY_IMPL(wild_keys, CompositeExplicitAutograd, m) { m.impl("exp", [](const Tensor& x) { return x.exp(); }); }
