// Objects that hold tensors, bound with pybind11.
#include <torch/extension.h>

#include <memory>
#include <string>

class RunningMean {
 public:
  explicit RunningMean(int64_t features, double momentum = 0.1)
      : mean_(torch::zeros({features})), momentum_(momentum) {}
  torch::Tensor update(torch::Tensor batch) {
    py::gil_scoped_release release;
    mean_ = mean_ * (1 - momentum_) + batch.mean(0) * momentum_;
    count_++;
    return mean_;
  }
  torch::Tensor mean_;
  int64_t count_ = 0;

 private:
  double momentum_;
};

struct Base {
  virtual ~Base() = default;
  virtual torch::Tensor forward(torch::Tensor x) = 0;
  torch::Tensor twice(torch::Tensor x) { return forward(forward(x)); }
};
struct PyBase : Base {
  torch::Tensor forward(torch::Tensor x) override { PYBIND11_OVERRIDE_PURE(torch::Tensor, Base, forward, x); }
};

enum class Mode { Sum, Mean };
at::Tensor reduce(at::Tensor x, Mode mode) { return mode == Mode::Sum ? x.sum() : x.mean(); }
int overloaded(int64_t) { return 1; }
int overloaded(torch::Tensor) { return 2; }
int overloaded(std::string) { return 3; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::class_<RunningMean, std::shared_ptr<RunningMean>>(m, "RunningMean")
      .def(py::init<int64_t, double>(), py::arg("features"), py::arg("momentum") = 0.1)
      .def("update", &RunningMean::update)
      .def("__call__", [](RunningMean& self, torch::Tensor x) { return x - self.mean_; })
      .def_readwrite("mean", &RunningMean::mean_)
      .def_property_readonly("count", [](const RunningMean& self) { return self.count_; })
      .def("__repr__",
           [](const RunningMean& self) { return "RunningMean(" + std::to_string(self.mean_.size(0)) + ")"; })
      .def(py::pickle(
          [](const RunningMean& self) { return py::make_tuple(self.mean_, self.count_); },
          [](py::tuple state) {
            auto mean = state[0].cast<torch::Tensor>();
            auto made = std::make_shared<RunningMean>(mean.size(0));
            made->mean_ = mean;
            made->count_ = state[1].cast<int64_t>();
            return made;
          }));
  py::class_<Base, PyBase>(m, "Base").def(py::init<>()).def("forward", &Base::forward).def("twice", &Base::twice);
  py::enum_<Mode>(m, "Mode").value("Sum", Mode::Sum).value("Mean", Mode::Mean);
  auto sub = m.def_submodule("sub", "a submodule");
  sub.def("reduce", &reduce, py::arg("x"), py::arg("mode") = Mode::Sum);
  m.def("overloaded", py::overload_cast<int64_t>(&overloaded));
  m.def("overloaded", py::overload_cast<torch::Tensor>(&overloaded));
  m.def("overloaded", py::overload_cast<std::string>(&overloaded));
  m.attr("version") = "1.2";
}
