/* Modules of C++ as modules of Python: a scaled linear layer with a buffer and a count of its calls. */
#include <torch/extension.h>

struct Scaled : torch::nn::Cloneable<Scaled> {
    Scaled(int64_t in, int64_t out, double scale) : in_(in), out_(out), scale_(scale) { reset(); }

    void reset() override {
        inner = register_module("inner", torch::nn::Linear(in_, out_));
        calls = register_buffer("calls", torch::zeros({}));
    }
    torch::Tensor forward(torch::Tensor x) {
        if (is_training()) calls.add_(1);
        return scale_ * inner->forward(x);
    }
    void shift(const torch::Tensor &by) {
        torch::NoGradGuard guard;
        inner->bias.set_(inner->bias + by);
    }
    void add(const std::string &name) {
        register_parameter(name + "_weight", torch::ones({2}));
        register_module(name, torch::nn::Linear(inner->options));
    }

    int64_t in_, out_;
    double scale_;
    torch::nn::Linear inner{nullptr};
    torch::Tensor calls;
};

/* Two forms of forward: none is bound. */
struct Either : torch::nn::Module {
    torch::Tensor forward(torch::Tensor x) { return x; }
    torch::Tensor forward(torch::Tensor x, int64_t times) { return x * times; }
};

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    torch::python::bind_module<Scaled>(m, "Scaled")
        .def(py::init<int64_t, int64_t, double>(), py::arg("in"), py::arg("out"), py::arg("scale") = 1.0)
        .def("shift", &Scaled::shift)
        .def("add", &Scaled::add);
    torch::python::bind_module<Either>(m, "Either")
        .def(py::init<>())
        .def("forward", [](Either &m, const torch::Tensor &x) { return m.forward(x, 2); });
}
