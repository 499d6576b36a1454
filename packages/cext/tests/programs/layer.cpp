// Each function shows one part of the C++ layer; test_torch_layer.py calls them.
#include <torch/extension.h>

#include <cmath>
#include <complex>
#include <sstream>
#include <string>
#include <vector>

using torch::indexing::None;
using torch::indexing::Slice;

// --- making tensors ---------------------------------------------------------------------------------------------------

torch::Tensor made(const std::string &how) {
  auto options = torch::TensorOptions().dtype(torch::kFloat64).device(torch::kCPU).requires_grad(true);
  if (how == "zeros") return torch::zeros({2, 3});
  if (how == "ones") return torch::ones({2, 3}, torch::kInt32);
  if (how == "options") return torch::full({2}, 1.5, options);
  if (how == "dtype") return at::empty({0, 4}, at::dtype(at::kLong));
  if (how == "arange") return torch::arange(1, 7, 2, torch::dtype(torch::kFloat32));
  if (how == "eye") return torch::eye(2, at::kBool);
  if (how == "linspace") return torch::linspace(0, 1, 3, torch::kDouble);
  if (how == "full_like") return torch::full_like(torch::ones({2}, at::kInt), 7);
  if (how == "new_zeros") return torch::ones({2}, at::kShort).new_zeros({1, 2});
  if (how == "scalar") return torch::tensor(2.5);
  if (how == "list") return torch::tensor({1, 2, 3});
  if (how == "nested") return torch::tensor({{1.0, 2.0}, {3.0, 4.0}}, torch::kDouble);
  if (how == "vector") return torch::tensor(std::vector<int64_t>{4, 5});
  if (how == "complex") return torch::tensor(c10::complex<double>(1, -2), at::kComplexDouble);
  if (how == "randint") return torch::randint(5, {100});
  if (how == "empty_strided") return torch::empty_strided({2, 2}, {1, 2}, torch::kFloat).fill_(1);
  if (how == "cuda") return torch::zeros({1}, torch::kCUDA);
  return torch::Tensor();
}

static int freed = 0;
torch::Tensor blob(int64_t n) {
  auto *data = new double[static_cast<size_t>(n)];
  for (int64_t i = 0; i < n; i++) data[i] = double(i) / 2;
  return torch::from_blob(data, {n}, [](void *p) { delete[] static_cast<double *>(p), freed++; }, torch::kFloat64);
}
int times_freed() { return freed; }

// --- looking ----------------------------------------------------------------------------------------------------------

std::string described(const torch::Tensor &t) {
  std::ostringstream out;
  out << t.dim() << " " << t.sizes() << " " << t.strides() << " " << t.numel() << " " << t.dtype() << " " << t.device()
      << " " << t.is_contiguous() << t.requires_grad() << t.is_cuda() << t.defined() << " " << t.storage_offset() << " "
      << t.itemsize() << " " << t.nbytes() << " " << t.scalar_type() << " " << t.type() << " " << t.layout();
  return out.str();
}
std::string printed(const torch::Tensor &t) {
  std::ostringstream out;
  out << t;
  return out.str();
}
int64_t size(const torch::Tensor &t, int64_t d) { return t.size(d); }
bool same_dtype(const torch::Tensor &t) { return t.dtype() == torch::kFloat32 && t.options().dtype() == at::kFloat; }

// --- elements ---------------------------------------------------------------------------------------------------------

double trace(torch::Tensor m) {
  auto a = m.accessor<double, 2>();
  double sum = 0;
  for (int64_t i = 0; i < std::min(a.size(0), a.size(1)); i++) sum += a[i][i];
  return sum;
}
torch::Tensor outer3(torch::Tensor x) {  // of any strides
  auto out = torch::empty({x.size(0), x.size(0), 2}, x.options());
  auto from = x.packed_accessor32<float, 1>();
  auto to = out.packed_accessor64<float, 3, torch::RestrictPtrTraits>();
  for (int i = 0; i < from.size(0); i++)
    for (int j = 0; j < from.size(0); j++)
      for (int k = 0; k < 2; k++) to[i][j][k] = from[i] * from[j] + float(k);
  return out;
}
torch::Tensor square(torch::Tensor x) {
  auto in = x.contiguous();
  auto out = torch::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "square", [&] {
    const scalar_t *from = in.data_ptr<scalar_t>();
    scalar_t *to = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < in.numel(); i++) to[i] = from[i] * from[i];
  });
  return out;
}
std::string dispatched(torch::Tensor x, const std::string &set) {
#define NAME [&]() -> std::string { return std::string(typeid(scalar_t).name()) + std::to_string(sizeof(scalar_t)); }
  if (set == "integral") return AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), "named", NAME);
  if (set == "half") return AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.type(), "named", NAME);
  if (set == "all") return AT_DISPATCH_ALL_TYPES(x.scalar_type(), "named", NAME);
  if (set == "all2") return AT_DISPATCH_ALL_TYPES_AND2(at::kBool, at::kBFloat16, x.scalar_type(), "named", NAME);
  if (set == "complex") return AT_DISPATCH_ALL_TYPES_AND_COMPLEX(x.scalar_type(), "named", NAME);
  return AT_DISPATCH_SWITCH(x.scalar_type(), "named", AT_DISPATCH_CASE(at::kHalf, NAME));
}
torch::Tensor halves(torch::Tensor x) {
  auto out = x.clone();
  AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), "halves", [&] {
    auto *p = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < out.numel(); i++) p[i] = p[i] * 2 + scalar_t(1);
  });
  return out;
}
float *wrong_type(torch::Tensor x) { return x.data_ptr<float>(); }
void add_in_place(torch::Tensor x, double by) {
  double *p = x.mutable_data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); i++) p[i] += by;
}
double first(torch::Tensor x) { return x.const_data_ptr<double>()[0]; }

// --- operators, indexing ----------------------------------------------------------------------------------------------

torch::Tensor arithmetic(torch::Tensor a, torch::Tensor b) {
  auto c = (a + b) * 2 - 1 / (b + 3);
  c += a;
  c -= 1;
  c *= b;
  c /= 2.0;
  return -c % 7 + (a > b).to(c.dtype()) + (1 - a) + ((a <= 0) | ~(b == 2) & (b != 3)).to(torch::kDouble);
}
std::vector<torch::Tensor> reductions(torch::Tensor x) {
  auto [values, indices] = x.max(1);
  auto top = torch::topk(x, 2, /*dim=*/1);
  return {x.sum(), x.sum(0), x.sum({0, 1}, true), x.mean(-1, /*keepdim=*/true), values, indices, x.std(0, /*unbiased=*/false),
          std::get<1>(top), x.norm(), x.argmax(1), x.var(), x.amax({0}), x.prod(1), (x > 0).any(), torch::max(x, -x),
          x.softmax(-1), x.clamp(-0.5, 0.5), x.clamp_min(0), torch::where(x > 0, x, 0.0), x.sum(torch::kFloat64)};
}
std::vector<torch::Tensor> indexed(torch::Tensor x, torch::Tensor rows) {
  return {x[0], x[0][1], x[rows], x.index({Slice(), 1}), x.index({"...", Slice(0, 4, 2)}), x.index({None, rows}),
          x.index({x > 0}), x.index({rows, Slice(1, None)}), x.index({true, 0}), x.slice(1, 1, 3), x.narrow(0, 1, 2),
          x.select(1, 2), x.index_select(0, rows), x.t().contiguous().view({-1}), x.permute({1, 0}), x.unsqueeze(0).squeeze(),
          x.expand({2, -1, -1}).sum(0), x.flip({0, 1}), x.gather(1, rows.unsqueeze(1)), torch::stack({x, x}, 2)};
}
torch::Tensor assigned(torch::Tensor x) {
  auto y = x.clone();
  y[0] = 5.0;
  y[1] = y[0] + 1;
  y.index_put_({Slice(), 2}, -1.0);
  y.index_put_({2, Slice(0, 2)}, torch::tensor({8.0, 9.0}, x.options()));
  y.index_put_({y > 8.5}, 0.25);
  return y;
}
std::vector<torch::Tensor> parts(torch::Tensor x) {
  auto all = torch::split(x, 2, 1);
  auto some = torch::split(x, {1, 3}, 1);
  all.insert(all.end(), some.begin(), some.end());
  return all;
}
torch::Tensor losses(torch::Tensor x, torch::Tensor y) {
  return torch::stack({torch::mse_loss(x, y), torch::l1_loss(x, y, at::Reduction::Sum),
                       torch::binary_cross_entropy_with_logits(x, y.sigmoid()), torch::smooth_l1_loss(x, y)});
}
torch::Tensor &written(torch::Tensor &out, torch::Tensor a, torch::Tensor b) { return torch::add_out(out, a, b, 2); }

// --- values of other types --------------------------------------------------------------------------------------------

std::string scalar(torch::Scalar s) {
  std::ostringstream out;
  out << s << " " << s.isFloatingPoint() << s.isIntegral(false) << s.isBoolean() << s.isComplex() << " " << s.type();
  return out.str();
}
double to_double(torch::Scalar s) { return s.toDouble(); }
int to_int(torch::Scalar s) { return s.toInt(); }
torch::Scalar item(torch::Tensor t) { return t.item(); }
torch::Tensor scaled(torch::Tensor t, torch::Scalar by) { return t * by; }
c10::optional<torch::Tensor> maybe(c10::optional<torch::Tensor> t) {
  if (!t.has_value()) return c10::nullopt;
  return t.value() + 1;
}
torch::Tensor undefined_or(torch::Tensor t) { return t.defined() ? t : torch::Tensor(); }
std::vector<torch::Tensor> each_plus_one(std::vector<torch::Tensor> list) {
  for (auto &t : list) t = t + 1;
  return list;
}
torch::Tensor joined(torch::TensorList list) { return torch::cat(list); }
std::vector<int64_t> reversed(torch::IntArrayRef list) {
  std::vector<int64_t> out(list.rbegin(), list.rend());
  return out;
}
torch::IntArrayRef sizes(const torch::Tensor &t) { return t.sizes(); }
torch::ScalarType dtype(torch::Tensor t, c10::optional<torch::ScalarType> to) { return t.to(to.value_or(t.scalar_type())).scalar_type(); }
torch::Device device(torch::Device d) { return d; }
bool promotes() {
  return at::promoteTypes(at::kInt, at::kFloat) == at::kFloat && at::result_type(torch::ones({2}), 2.5) == at::kFloat &&
         at::result_type(torch::ones({2}, at::kInt), 2.5) == at::kFloat;
}

// --- errors -----------------------------------------------------------------------------------------------------------

static int guards = 0;
struct Guard {
  Guard() { guards++; }
  ~Guard() { guards--; }
};
int live_guards() { return guards; }
void fails(const std::string &how, torch::Tensor t) {
  Guard guard;
  if (how == "check") TORCH_CHECK(t.dim() == 7, "expected 7 dimensions, got ", t.dim(), " of sizes ", t.sizes());
  if (how == "bare") TORCH_CHECK(t.dim() == 7);
  if (how == "index") TORCH_CHECK_INDEX(false, "an index");
  if (how == "value") TORCH_CHECK_VALUE(false, "a value");
  if (how == "type") TORCH_CHECK_TYPE(false, "a type");
  if (how == "not implemented") TORCH_CHECK_NOT_IMPLEMENTED(false, "nothing");
  if (how == "assert") TORCH_INTERNAL_ASSERT(false, "never");
  if (how == "old assert") AT_ASSERTM(t.dim() == 7, "an assert");
  if (how == "error") AT_ERROR("plainly ", 3);
  if (how == "library") t.view({-1, 7});
  if (how == "own") t.index({9});
  if (how == "caught") {
    try {
      torch::mm(t, t);
    } catch (const c10::Error &e) {
      TORCH_CHECK(std::string(e.what()).find("2D") != std::string::npos || true, e.what());
      auto still = t + 1;  // nothing is recorded any more
      TORCH_CHECK(false, "then ", still.dim());
    }
  }
  if (how == "std") std::vector<int>().at(3);
  if (how == "undefined") torch::Tensor().sum();
  if (how == "warn") TORCH_WARN("a warning with ", 2, " parts");
}

// --- threads ----------------------------------------------------------------------------------------------------------

torch::Tensor in_parallel(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const double *from = x.data_ptr<double>();
  double *to = out.data_ptr<double>();
  at::parallel_for(0, x.numel(), 100, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) to[i] = std::sqrt(from[i]);
  });
  return out;
}
double summed(torch::Tensor x) {
  const double *p = x.data_ptr<double>();
  return at::parallel_reduce(
      0, x.numel(), 50, 0.0,
      [&](int64_t begin, int64_t end, double start) {
        for (int64_t i = begin; i < end; i++) start += p[i];
        return start;
      },
      [](double a, double b) { return a + b; });
}
void parallel_fails(int64_t n) {
  at::parallel_for(0, n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) TORCH_CHECK_INDEX(i != n / 2, "element ", i);
  });
}
torch::Tensor operators_in_parallel(torch::Tensor x) {  // operators and handles take the GIL by themselves
  std::vector<torch::Tensor> rows(size_t(x.size(0)));
  at::parallel_for(0, x.size(0), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) rows[size_t(i)] = (x[i] * 2).sum();
  });
  return torch::stack(rows);
}
torch::Tensor without_gil(torch::Tensor x) {
  py::gil_scoped_release released;
  auto y = x * 2;
  return y + x;
}
torch::Tensor times_three(torch::Tensor x) { return x * 2 + x; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "the C++ layer, part by part";
#define DEF(name) m.def(#name, &name)
  DEF(made); DEF(blob); DEF(times_freed); DEF(described); DEF(printed); DEF(size); DEF(same_dtype); DEF(trace);
  DEF(outer3); DEF(square); DEF(dispatched); DEF(halves); DEF(add_in_place); DEF(first); DEF(arithmetic);
  DEF(reductions); DEF(indexed); DEF(assigned); DEF(parts); DEF(losses); DEF(scalar); DEF(to_double); DEF(to_int);
  DEF(item); DEF(scaled); DEF(maybe); DEF(undefined_or); DEF(each_plus_one); DEF(joined); DEF(reversed); DEF(sizes);
  DEF(dtype); DEF(device); DEF(promotes); DEF(live_guards); DEF(fails); DEF(in_parallel); DEF(summed);
  DEF(parallel_fails); DEF(operators_in_parallel);
  m.def("wrong_type", [](torch::Tensor x) { wrong_type(x); });
  m.def("written", [](torch::Tensor out, torch::Tensor a, torch::Tensor b) { return written(out, a, b); });
  m.def("without_gil", &without_gil);
  m.def("channels_last", [](torch::Tensor x) {
    return x.contiguous(x.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d);
  });
  m.def("suggested", [](torch::Tensor x) {
    const at::MemoryFormat format = x.suggest_memory_format();
    return x.is_contiguous(format) ? int(format) : -1;
  });
  m.def("released", torch::wrap_pybind_function_no_gil(times_three));
  m.def("with_defaults", [](torch::Tensor x, double a, bool b) { return b ? x * a : x; }, py::arg("x"), py::arg("a") = 2.0,
        py::arg("b") = true, "documented");
}
