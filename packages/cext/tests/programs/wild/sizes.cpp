// Lists of sizes.
#include <torch/extension.h>

#include <numeric>

int64_t product(c10::IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
}

at::Tensor reshaped(at::Tensor x, std::vector<int64_t> shape) {
  TORCH_CHECK(product(shape) == x.numel(), "cannot make ", at::IntArrayRef(shape), " of ", x.sizes());
  return x.reshape(shape);
}

std::vector<int64_t> strides_of(at::IntArrayRef sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (int64_t i = static_cast<int64_t>(sizes.size()) - 2; i >= 0; --i) strides[i] = strides[i + 1] * sizes[i + 1];
  return strides;
}

std::string facts(const at::Tensor& x) {
  std::ostringstream out;
  auto sizes = x.sizes();
  out << sizes << " " << sizes.size() << " " << sizes.back() << " " << sizes.front() << " " << sizes.slice(1) << " "
      << x.size(-1) << " " << x.stride(0) << " " << x.ndimension() << " " << x.numel() << " " << x.element_size() << " "
      << sizes.equals({2, 3, 4}) << " " << (sizes == at::IntArrayRef({2, 3, 4})) << " " << sizes.vec().size() << " "
      << x.is_contiguous() << x.transpose(0, 1).is_contiguous() << " " << x.sym_size(0) << " " << x.sizes().empty();
  for (auto s : sizes) out << "/" << s;
  for (const auto i : c10::irange(x.dim())) out << "," << x.size(i);
  return out.str();
}

at::Tensor windows(at::Tensor x, int64_t width) {
  auto sizes = x.sizes().vec();
  auto strides = x.strides().vec();
  sizes.back() = x.size(-1) - width + 1;
  sizes.push_back(width);
  strides.push_back(strides.back());
  return x.as_strided(sizes, strides);
}

at::Tensor total(at::TensorList list, c10::ArrayRef<double> weights) {
  auto sum = at::zeros_like(list[0]);
  for (size_t i = 0; i < list.size(); i++) sum += list[i] * weights[i];
  return sum;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("reshaped", &reshaped);
  m.def("strides_of", [](std::vector<int64_t> sizes) { return strides_of(sizes); });
  m.def("facts", &facts);
  m.def("windows", &windows);
  m.def("total", [](std::vector<at::Tensor> list, std::vector<double> weights) { return total(list, weights); });
}
