// One function for many dtypes.
#include <torch/extension.h>
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch_v2.h>

template <typename scalar_t>
static void square_kernel(const scalar_t* __restrict__ in, scalar_t* __restrict__ out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = in[i] * in[i];
}

at::Tensor square(at::Tensor x) {
  auto in = x.contiguous(), out = at::empty_like(in);
  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, in.scalar_type(), "square", ([&] {
    square_kernel<scalar_t>(in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), in.numel());
  }));
  return out;
}

std::string named(at::Tensor x, const std::string& family) {
  std::string name;
  auto type = x.scalar_type();
  if (family == "floating") AT_DISPATCH_FLOATING_TYPES(type, "named", [&] { name = typeid(scalar_t).name(); });
  if (family == "half")
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, "named", [&] { name = std::to_string(sizeof(scalar_t)); });
  if (family == "integral") AT_DISPATCH_INTEGRAL_TYPES(type, "named", [&] { name = typeid(scalar_t).name(); });
  if (family == "complex")
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(type, "named", [&] { name = std::to_string(sizeof(scalar_t)); });
  if (family == "bool")
    AT_DISPATCH_ALL_TYPES_AND(at::ScalarType::Bool, type, "named", [&] { name = typeid(scalar_t).name(); });
  if (family == "index") AT_DISPATCH_INDEX_TYPES(type, "named", [&] { name = typeid(index_t).name(); });
  if (family == "v2") {
    AT_DISPATCH_V2(type, "named", AT_WRAP([&] {
                     auto zero = scalar_t(0), one = scalar_t(1);
                     name = zero < one ? typeid(scalar_t).name() : "";
                   }),
                   AT_EXPAND(AT_FLOATING_TYPES), at::kInt);
  }
  return name;
}

std::string by_switch(const at::Tensor& x) {
  switch (x.scalar_type()) {
    case at::ScalarType::Float: return "float";
    case torch::kFloat64: return "double";
    case at::kLong: return "long";
    case at::ScalarType::Bool: return "bool";
    default: return toString(x.scalar_type());
  }
}

std::vector<bool> asked(const at::Tensor& x) {
  return {x.dtype() == torch::kFloat, x.scalar_type() == torch::kFloat32, x.is_floating_point(), x.is_complex(),
          at::isFloatingType(x.scalar_type()), at::isIntegralType(x.scalar_type(), /*includeBool=*/false),
          c10::elementSize(x.scalar_type()) == 4, x.dtype().itemsize() == 4, x.is_signed(),
          torch::promoteTypes(x.scalar_type(), torch::kInt) == torch::kFloat,
          x.dtype() == caffe2::TypeMeta::Make<float>(), x.device() == torch::Device(torch::kCPU),
          x.device().type() == at::kCPU,
          torch::cuda::is_available(), x.layout() == torch::kStrided, x.is_sparse(), x.has_storage()};
}

std::vector<at::Tensor> converted(at::Tensor x) {
  return {x.to(torch::kFloat64), x.to(at::kCPU, at::kInt), x.toType(torch::kLong), x.to(x.options().dtype(at::kHalf)),
          x.to(torch::kBool), x.type_as(torch::ones({1}, torch::kShort)), x.to(torch::Device("cpu")), x.cpu(),
          x.to(torch::kFloat, /*non_blocking=*/false, /*copy=*/true)};
}

// The same for half precision, which is computed in float.
at::Tensor half_sum(at::Tensor x) {
  float sum = 0;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "half_sum", [&] {
    using acc_t = at::acc_type<scalar_t, false>;
    acc_t total = 0;
    for (auto* p = x.const_data_ptr<scalar_t>(); p < x.const_data_ptr<scalar_t>() + x.numel(); p++)
      total += static_cast<acc_t>(*p);
    sum = static_cast<float>(total);
  });
  return torch::tensor(sum);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("square", &square);
  m.def("named", &named);
  m.def("by_switch", &by_switch);
  m.def("asked", &asked);
  m.def("converted", &converted);
  m.def("half_sum", &half_sum);
}
