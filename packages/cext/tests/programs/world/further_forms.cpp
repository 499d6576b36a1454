// Further forms of operators: out with several results and with numbers, namespaces of functions, gradients of operators;
// checks, logging, devices, and a list that pybind11 converts.
#include <torch/torch.h> // in an extension, with what binds functions

using torch::indexing::None;
using torch::indexing::Slice;

std::vector<at::Tensor> written(const at::Tensor& x) {
  std::vector<at::Tensor> all;
  at::Tensor values = at::empty({0}, x.options()), indices = at::empty({0}, at::kLong);
  at::Tensor flags = at::empty({0}, at::kBool);
  torch::topk_out(values, indices, x, 2);
  all.insert(all.end(), {values.clone(), indices.clone()});
  values.resize_({0}), indices.resize_({0});
  torch::max_out(values, indices, x, 1);
  all.insert(all.end(), {values.clone(), indices.clone()});
  values.resize_({0}), indices.resize_({0});
  torch::sort_out(values, indices, x, 0, true);
  all.insert(all.end(), {values, indices, torch::gt_out(flags, x, 0)});
  return all;
}

std::vector<at::Tensor> named(const at::Tensor& x) {
  return {x.index({Slice({None, 2})}), torch::frobenius_norm(x, {1}), torch::fft::rfft(x).abs(),
          torch::linalg_norm(x), torch::special::expit(x), at::index_select_backward(x, {5, 4}, 0, at::arange(3)),
          at::elu_backward(x, 1.5, 1, 1, false, x), at::tanh_backward(x, x.tanh()),
          at::embedding_dense_backward(x, at::tensor({1, 1, 0}), 3, -1, false),
          std::get<1>(at::convolution_backward(at::ones({1, 1, 3}), x.slice(0, 0, 1).unsqueeze(0), at::ones({1, 1, 2}),
                                               at::nullopt, {1}, {0}, {1}, false, {0}, 1, {true, true, false}))};
}

std::string devices() {
  int tables[static_cast<int>(at::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES)] = {};
  return c10::DeviceTypeName(at::kCUDA, false) + " " + c10::DeviceTypeName(at::kPrivateUse1) + " " +
         std::to_string(sizeof(tables) / sizeof(int));
}

void logs(int n) {
  C10_LOG_API_USAGE_ONCE("tests.logs");
  LOG(WARNING) << "n is " << n;
  LOG_IF(ERROR, n > 3) << "more than three";
  at::checkDeviceType("logs", at::ones({1}), at::kCPU);
}

double summed(std::vector<std::vector<double>> rows, std::map<std::string, int> more) {
  double total = 0;
  for (auto& row : rows) total += std::accumulate(row.begin(), row.end(), 0.0);
  for (auto& pair : more) total += pair.second;
  return total;
}

at::Tensor warned(at::Tensor x, const std::string& error) {
  std::ostringstream text;
  text << "Error with " << x.type();
  TORCH_WARN(text.str());
  if (error == "library") throw torch::TypeError(text.str());
  if (error == "pybind") throw py::key_error(text.str());
  if (error == "python") {
    PyObject* obj = PyTuple_New(-1);
    TORCH_CHECK(!obj);
    auto e = python_error();
    e.persist();
    TORCH_CHECK(!PyErr_Occurred() && std::string(e.what()).find("bad argument") != std::string::npos);
    throw e;
  }
  return x.cos();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("warned", torch::wrap_pybind_function(warned));
  m.def("warned_unlocked", torch::wrap_pybind_function_no_gil([](at::Tensor x) { return warned(x, ""); }));
  m.def("written", &written);
  m.def("named", &named);
  m.def("devices", &devices);
  m.def("logs", &logs);
  m.def("summed", &summed);
}
