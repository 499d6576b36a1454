// Loops on several threads.
#include <ATen/Parallel.h>
#include <torch/extension.h>

#include <algorithm>
#include <atomic>
#include <cmath>

torch::Tensor softmax_rows(torch::Tensor input) {
  auto x = input.contiguous();
  auto out = torch::empty_like(x);
  const int64_t rows = x.size(0), columns = x.size(1);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "softmax_rows", [&] {
    const auto* from = x.data_ptr<scalar_t>();
    auto* to = out.data_ptr<scalar_t>();
    at::parallel_for(0, rows, /*grain_size=*/1, [&](int64_t begin, int64_t end) {
      for (auto i : c10::irange(begin, end)) {
        const auto* row = from + i * columns;
        scalar_t most = *std::max_element(row, row + columns), sum = 0;
        for (int64_t j = 0; j < columns; j++) sum += to[i * columns + j] = std::exp(row[j] - most);
        for (int64_t j = 0; j < columns; j++) to[i * columns + j] /= sum;
      }
    });
  });
  return out;
}

double total(torch::Tensor x) {
  auto flat = x.contiguous().view(-1);
  const double* p = flat.data_ptr<double>();
  return at::parallel_reduce(
      0, flat.numel(), 100, 0.0,
      [&](int64_t begin, int64_t end, double so_far) {
        for (int64_t i = begin; i < end; i++) so_far += p[i];
        return so_far;
      },
      std::plus<double>());
}

int64_t pieces(int64_t n) {
  std::atomic<int64_t> seen{0};
  at::parallel_for(0, n, 10, [&](int64_t begin, int64_t end) { seen += end - begin; });
  return at::get_num_threads() >= 1 && !at::in_parallel_region() ? seen.load() : -1;
}

void throws(int64_t n) {
  at::parallel_for(0, n, 1, [&](int64_t begin, int64_t) { TORCH_CHECK(begin < 0, "thrown in a loop"); });
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("softmax_rows", &softmax_rows);
  m.def("total", &total, py::call_guard<py::gil_scoped_release>());
  m.def("pieces", &pieces);
  m.def("throws", &throws);
}
