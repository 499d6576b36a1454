// An operator with a kernel for the CPU and one for autograd, which calls the operator below itself.
#include <ATen/ATen.h>
#include <torch/autograd.h>
#include <torch/extension.h>
#include <torch/library.h>

at::Tensor cube_cpu(const at::Tensor& x, double scale) {
  auto in = x.contiguous();
  auto out = at::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "cube", [&] {
    auto from = in.const_data_ptr<scalar_t>();
    auto to = out.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < in.numel(); i++) to[i] = scalar_t(scale) * from[i] * from[i] * from[i];
  });
  return out;
}

at::Tensor cube(const at::Tensor& x, double scale) {
  static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("wild_cube::cube", "").typed<decltype(cube)>();
  return op.call(x, scale);
}

class CubeFunction : public torch::autograd::Function<CubeFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x, double scale) {
    at::AutoDispatchBelowADInplaceOrView guard;
    ctx->save_for_backward({x});
    ctx->saved_data["scale"] = scale;
    return cube(x, scale);
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* ctx,
                                               torch::autograd::tensor_list grads) {
    auto x = ctx->get_saved_variables()[0];
    return {grads[0] * 3 * ctx->saved_data["scale"].toDouble() * x.pow(2), at::Tensor()};
  }
};

at::Tensor cube_autograd(const at::Tensor& x, double scale) { return CubeFunction::apply(x, scale); }

// The guard may also be active before the function is applied.
at::Tensor guarded(const at::Tensor& x, double scale) {
  at::AutoDispatchBelowADInplaceOrView guard;
  TORCH_CHECK(!at::sin(x).requires_grad(), "operators below the guard do not record");
  return CubeFunction::apply(x, scale);
}

TORCH_LIBRARY(wild_cube, m) {
  m.def("cube(Tensor x, float scale=1.0) -> Tensor");
  m.def("guarded(Tensor x, float scale=1.0) -> Tensor");
}
TORCH_LIBRARY_IMPL(wild_cube, CPU, m) {
  m.impl("cube", cube_cpu);
  m.impl("guarded", cube_cpu);
}
TORCH_LIBRARY_IMPL(wild_cube, Autograd, m) {
  m.impl("cube", cube_autograd);
  m.impl("guarded", guarded);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("cube", &cube, py::arg("x"), py::arg("scale") = 1.0); }
