// The macros that every extension begins with.
#include <torch/extension.h>
#include <string>

#define CHECK_CPU(x) TORCH_CHECK(!x.is_cuda() && x.device().is_cpu(), #x " must be a CPU tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_DIM(x, n) TORCH_CHECK(x.dim() == n, #x " must have ", n, " dimensions, got ", x.dim())
#define CHECK_INPUT(x) \
  CHECK_CPU(x);        \
  CHECK_CONTIGUOUS(x)

at::Tensor dot(at::Tensor a, at::Tensor b) {
  CHECK_INPUT(a);
  CHECK_INPUT(b);
  CHECK_DIM(a, 1);
  TORCH_CHECK(a.sizes() == b.sizes(), "sizes differ: ", a.sizes(), " vs ", b.sizes());
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), "expected ", toString(a.scalar_type()), " but got ",
              c10::toString(b.scalar_type()));
  TORCH_CHECK(a.numel() > 0);
  return (a * b).sum();
}

void fail(const std::string& how) {
  if (how == "check") TORCH_CHECK(false, "a number: ", 3, ", a flag: ", true, ", a float: ", 0.5);
  if (how == "index") TORCH_CHECK_INDEX(false, "no such index ", 7);
  if (how == "value") TORCH_CHECK_VALUE(false, "no such value");
  if (how == "type") TORCH_CHECK_TYPE(false, "no such type");
  if (how == "not implemented") TORCH_CHECK_NOT_IMPLEMENTED(false, "not yet");
  if (how == "error") AT_ERROR("old ", "style");
  if (how == "std") throw std::runtime_error("of the standard library");
  if (how == "invalid") throw std::invalid_argument("an invalid argument");
  if (how == "range") throw std::out_of_range("out of range");
  if (how == "operator") torch::ones({2, 3}).matmul(torch::ones({2, 3}));
  if (how == "item") torch::ones({2}).item<float>();
  if (how == "undefined") at::Tensor().sum();
  auto square = torch::ones({2, 2});
  if (how == "accessor") square.accessor<double, 2>();
  if (how == "dims") square.accessor<float, 1>();
  if (how == "size") torch::ones({2}).size(3);
  if (how == "data") torch::ones({2}).data_ptr<int>();
  if (how == "internal") TORCH_INTERNAL_ASSERT(1 + 1 == 3, "arithmetic");
  try {
    torch::ones({2}).view({3});
  } catch (const c10::Error& e) {
    TORCH_CHECK(std::string(e.what()).find("shape '[3]' is invalid for input of size 2") != std::string::npos);
    throw py::key_error(how);
  }
}

void warns() { TORCH_WARN("careful with ", 2, " things"); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("dot", &dot, "dot product");
  m.def("fail", &fail);
  m.def("warns", &warns);
}
