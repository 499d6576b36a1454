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

// Symbolic sizes, as sources that also run under compilers of graphs write them.
at::Tensor flattened(const at::Tensor& x) {
  c10::SymInt rows = x.sym_size(0), columns = x.sym_numel() / rows;
  TORCH_CHECK(rows > 0 && rows * columns == x.sym_numel(), "no rows in ", x.sym_sizes());
  std::vector<c10::SymInt> shape{rows, columns};
  return x.reshape_symint(shape) + at::zeros_symint({rows, 1}).to(x.dtype()) + x.index({rows - 1}).sum().mul(0);
}

std::tuple<c10::SymInt, at::Tensor> halves(at::Tensor x, c10::SymInt parts, c10::SymIntArrayRef shape) {
  auto length = x.sym_size(0) / parts;
  c10::IValue kept(length);
  return {kept.toSymInt() + 1, x.narrow_symint(0, 0, length).expand_symint(shape).contiguous()};
}

TORCH_LIBRARY(symbolic, m) {
  m.def("halves(Tensor x, SymInt parts, SymInt[] shape) -> (SymInt, Tensor)", &halves);
  m.def("doubled", [](c10::SymInt i) { return i * 2; });
}

// Memory, generators and formats as arguments and results.
std::string storage(const at::Tensor& x) {
  auto memory = x.storage();
  auto offset = static_cast<const char*>(x.const_data_ptr()) - static_cast<const char*>(memory.data());
  return c10::str(memory.nbytes(), " ", offset, " ", memory.is_alias_of(x.view(-1).storage()), " ", memory.device());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("reshaped", &reshaped);
  m.def("strides_of", [](std::vector<int64_t> sizes) { return strides_of(sizes); });
  m.def("facts", &facts);
  m.def("windows", &windows);
  m.def("flattened", &flattened);
  m.def("storage", &storage);
  m.def("storage_of", [](const at::Tensor& x) { return x.storage(); });
  m.def("bytes_of", [](const at::Storage& s) { return std::make_pair(s.nbytes(), s.data<float>()[1]); });
  m.def("default_generator", [] { return at::detail::getDefaultCPUGenerator(); });
  m.def("seeded", [](uint64_t seed) { return at::detail::createCPUGenerator(seed); });
  m.def("seed_of", [](std::optional<at::Generator> g) {
    auto generator = g.value_or(at::detail::getDefaultCPUGenerator());
    std::lock_guard<std::mutex> lock(generator.mutex());
    return generator.current_seed();
  });
  m.def("formatted", [](at::MemoryFormat f) { return std::make_tuple(f, c10::complex<double>(1, 2), c10::SymInt(3)); });
  m.def("total", [](std::vector<at::Tensor> list, std::vector<double> weights) { return total(list, weights); });
}
