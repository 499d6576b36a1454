// Operators registered in every way; test_torch_library.py calls them.
#include <ATen/autocast_mode.h>
#include <torch/library.h>
#include <torch/types.h>

#include <string>
#include <tuple>
#include <vector>

namespace {

// Kernels before their schemas: order does not matter.
at::Tensor early(const at::Tensor &x) { return x + 1; }

std::tuple<at::Tensor, int64_t> counted(const at::Tensor &x, int64_t n) { return {x * n, x.numel()}; }

std::string kinds(
    at::TensorList list, const c10::optional<at::Tensor> &maybe, at::IntArrayRef ints, at::ArrayRef<double> floats,
    c10::string_view text, const at::Scalar &number, c10::optional<at::ScalarType> dtype, bool flag,
    c10::optional<int64_t> n, c10::OptionalIntArrayRef dims, std::vector<int64_t> more) {
  std::string out;
  for (const auto &t : list) out += std::to_string(t.numel()) + ",";
  out += maybe ? " t" : " -";
  for (auto i : ints) out += " " + std::to_string(i);
  for (auto f : floats) out += " " + std::to_string(f).substr(0, 4);
  out += " " + std::string(text) + " " + std::to_string(number.toDouble()).substr(0, 4);
  out += dtype ? std::string(" ") + c10::toString(*dtype) : " -";
  out += flag ? " yes " : " no ";
  out += n ? std::to_string(*n) : "-";
  out += dims.has_value() ? " " + std::to_string(dims->size()) : " -";
  return out + " " + std::to_string(more.size());
}

std::vector<at::Tensor> halves(const at::Tensor &x) { return x.chunk(2); }
at::Tensor &add_one_(at::Tensor &self) {
  double *p = self.data_ptr<double>();
  for (int64_t i = 0; i < self.numel(); i++) p[i] += 1;
  return self;
}
c10::optional<at::Tensor> perhaps(const at::Tensor &x, bool yes) {
  if (yes) return x;
  return c10::nullopt;
}
at::Tensor throws(const at::Tensor &x) {
  TORCH_CHECK_VALUE(x.dim() == 9, "throws: ", x.dim(), " dimensions");
  return x;
}
std::vector<int64_t> sizes(const at::Tensor &x) { return x.sizes().vec(); }

// Calls another operator by name.
at::Tensor indirect(const at::Tensor &x) {
  static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("cpptest::counted", "")
                       .typed<std::tuple<at::Tensor, int64_t>(const at::Tensor &, int64_t)>();
  auto [t, n] = op.call(x, 3);
  return t + n;
}

// Computes in single precision under autocast.
at::Tensor precise(const at::Tensor &x, const c10::optional<at::Tensor> &y) { return y ? x + *y : x * 1; }
at::Tensor precise_autocast(const at::Tensor &x, const c10::optional<at::Tensor> &y) {
  c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
  static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("cpptest::precise", "").typed<decltype(precise)>();
  return op.call(at::autocast::cached_cast(at::kFloat, x, c10::DeviceType::CPU),
                 at::autocast::cached_cast(at::kFloat, y, c10::DeviceType::CPU));
}

}  // namespace

TORCH_LIBRARY_IMPL(cpptest, AutocastCPU, m) { m.impl("precise", precise_autocast); }

TORCH_LIBRARY_IMPL(cpptest, CPU, m) {
  m.impl("precise", &precise);
  m.impl("early", &early);
  m.impl("cpptest::counted", TORCH_FN(counted));
}

TORCH_LIBRARY(cpptest, m) {
  m.def("early(Tensor x) -> Tensor");
  m.def("counted(Tensor x, int n=2) -> (Tensor scaled, int count)");
  m.def("kinds(Tensor[] list, Tensor? maybe, int[] ints, float[] floats, str text, Scalar number, ScalarType? dtype=None,"
        " bool flag=True, int? n=None, int[]? dims=None, int[] more=[1, 2]) -> str");
  m.def("halves(Tensor x) -> Tensor[]", &halves);
  m.def("add_one_(Tensor(a!) self) -> Tensor(a!)");
  m.def("perhaps(Tensor x, bool yes) -> Tensor?");
  m.def("throws(Tensor x) -> Tensor", throws);
  m.def("sizes", &sizes);
  m.def("inferred", [](const at::Tensor &a, c10::optional<double> b) { return a * b.value_or(2.0); });
  m.def("indirect(Tensor x) -> Tensor", &indirect);
  m.def("missing(Tensor x) -> Tensor");
  m.def("precise(Tensor x, Tensor? y=None) -> Tensor");
}

TORCH_LIBRARY_IMPL(cpptest, CPU, m) {
  m.impl("kinds", &kinds);
  m.impl("add_one_", &add_one_);
  m.impl("perhaps", torch::dispatch(c10::DispatchKey::CPU, &perhaps));
}

TORCH_LIBRARY_FRAGMENT(cpptest, m) {
  int64_t offset = 7;
  m.def("captured(int x) -> int", [offset](int64_t x) { return x + offset; });
  m.impl("early", c10::DispatchKey::CUDA, &throws);  // for a device that is not there: never called
}

extern "C" PyObject *PyInit_library(void) {
  static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "library", nullptr, -1, nullptr, nullptr, nullptr,
                                          nullptr, nullptr};
  return PyModule_Create(&definition);
}
