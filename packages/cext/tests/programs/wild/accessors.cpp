// Loops over accessors: pairwise distances, and a convolution along one dimension.
#include <torch/extension.h>

#include <cmath>
#include <limits>

template <typename scalar_t>
void distances_kernel(at::TensorAccessor<scalar_t, 2> a, at::TensorAccessor<scalar_t, 2> b,
                      torch::TensorAccessor<scalar_t, 2> out) {
  for (int64_t i = 0; i < a.size(0); ++i) {
    auto row = a[i];
    for (int64_t j = 0; j < b.size(0); ++j) {
      scalar_t sum = 0;
      for (int64_t k = 0; k < row.size(0); ++k) sum += std::abs(row[k] - b[j][k]);
      out[i][j] = sum;
    }
  }
}

torch::Tensor distances(const torch::Tensor& a, const torch::Tensor& b) {
  auto out = torch::zeros({a.size(0), b.size(0)}, a.options());
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "distances", ([&] {
    distances_kernel<scalar_t>(a.accessor<scalar_t, 2>(), b.accessor<scalar_t, 2>(), out.accessor<scalar_t, 2>());
  }));
  return out;
}

torch::Tensor conv1d(torch::Tensor input, torch::Tensor weight, int stride) {
  const auto batch = input.size(0);
  const auto channels = input.size(1);
  const auto length = input.size(2);
  const auto kernel = weight.size(2);
  const auto steps = (length - kernel) / stride + 1;
  auto output = torch::zeros({batch, weight.size(0), steps}, input.options());
  auto x = input.packed_accessor64<float, 3>();
  auto w = weight.packed_accessor32<float, 3>();
  auto y = output.accessor<float, 3>();
  for (int n = 0; n < batch; n++)
    for (int o = 0; o < w.size(0); o++)
      for (int t = 0; t < steps; t++)
        for (int c = 0; c < channels; c++)
          for (int k = 0; k < kernel; k++) y[n][o][t] += x[n][c][t * stride + k] * w[o][c][k];
  return output;
}

// Largest element and where it is, along strides by hand.
std::tuple<torch::Tensor, torch::Tensor> row_max(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2, "expected a matrix");
  auto values = torch::empty({x.size(0)}, x.options());
  auto indices = torch::empty({x.size(0)}, x.options().dtype(torch::kLong));
  AT_DISPATCH_ALL_TYPES(x.scalar_type(), "row_max", [&] {
    const scalar_t* from = x.data_ptr<scalar_t>();
    auto v = values.data_ptr<scalar_t>();
    auto ix = indices.data_ptr<int64_t>();
    for (int64_t i = 0; i < x.size(0); i++) {
      scalar_t best = std::numeric_limits<scalar_t>::lowest();
      for (int64_t j = 0; j < x.size(1); j++) {
        scalar_t here = from[i * x.stride(0) + j * x.stride(1)];
        if (here > best) {
          best = here;
          ix[i] = j;
        }
      }
      v[i] = best;
    }
  });
  return std::make_tuple(values, indices);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("distances", &distances, "pairwise L1 distances");
  m.def("conv1d", &conv1d, "convolution (CPU)", py::arg("input"), py::arg("weight"), py::arg("stride") = 1);
  m.def("row_max", &row_max);
}
