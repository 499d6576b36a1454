// Everything that functions return.
#include <torch/extension.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

std::vector<torch::Tensor> halves(torch::Tensor x) { return {x.slice(0, 0, x.size(0) / 2), x.slice(0, x.size(0) / 2)}; }
std::tuple<torch::Tensor, torch::Tensor, int64_t, double, bool> described(torch::Tensor x) {
  return {x.min(), x.max(), x.dim(), x.sum().item<double>(), x.is_contiguous()};
}
std::pair<at::Tensor, std::string> named(at::Tensor x) { return std::make_pair(x + 1, std::string("one more")); }
std::map<std::string, torch::Tensor> moments(torch::Tensor x) {
  std::map<std::string, torch::Tensor> result;
  result["mean"] = x.mean();
  result["var"] = x.var(/*unbiased=*/false);
  return result;
}
py::dict as_dict(torch::Tensor x) {
  py::dict d;
  d["x"] = x;
  d["size"] = py::cast(x.sizes().vec());
  d["dtype"] = py::str(c10::toString(x.scalar_type()));
  return d;
}
std::vector<int64_t> shape(const torch::Tensor& x) { return x.sizes().vec(); }
at::IntArrayRef strides(const torch::Tensor& x) { return x.strides(); }
at::ScalarType dtype(const torch::Tensor& x) { return x.scalar_type(); }
torch::Scalar scalar(const torch::Tensor& x) { return x.item(); }
std::vector<std::vector<float>> nested(torch::Tensor x) {
  std::vector<std::vector<float>> rows;
  for (int64_t i = 0; i < x.size(0); i++) {
    auto row = x[i].contiguous();
    rows.emplace_back(row.data_ptr<float>(), row.data_ptr<float>() + row.numel());
  }
  return rows;
}
void fill(torch::Tensor& x, double with) { x.fill_(with); }
torch::Tensor& same(torch::Tensor& x) { return x.add_(1); }
py::list each(std::vector<at::Tensor> xs) {
  py::list out;
  for (auto& x : xs) out.append(x.sum());
  return out;
}
py::object from_python(py::object f, torch::Tensor x) { return f(x, py::arg("scale") = 2.0); }
torch::Tensor through_python(py::function f, torch::Tensor x) { return f(x).cast<torch::Tensor>() * 3; }
int64_t sum_ints(std::vector<int64_t> v, std::array<int, 2> two) {
  int64_t s = two[0] * two[1];
  for (auto i : v) s += i;
  return s;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("halves", &halves);
  m.def("described", &described);
  m.def("named", &named);
  m.def("moments", &moments);
  m.def("as_dict", &as_dict);
  m.def("shape", &shape);
  m.def("strides", &strides);
  m.def("dtype", &dtype);
  m.def("scalar", &scalar);
  m.def("nested", &nested);
  m.def("fill", &fill);
  m.def("same", &same);
  m.def("each", &each);
  m.def("from_python", &from_python);
  m.def("through_python", &through_python);
  m.def("sum_ints", &sum_ints);
}
