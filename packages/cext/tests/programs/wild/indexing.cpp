// What Python writes in brackets.
#include <torch/extension.h>

using namespace torch::indexing;

std::vector<torch::Tensor> looked_up(torch::Tensor x, torch::Tensor rows, torch::Tensor mask) {
  return {
      x.index({0}),
      x.index({Slice(), 1}),
      x.index({Slice(1, None), Slice(None, None, 2)}),
      x.index({"...", -1}),
      x.index({Ellipsis, Slice(0, 2)}),
      x.index({None, 1}),
      x.index({rows}),
      x.index({rows, Slice(1, 3)}),
      x.index({Slice(), rows}),
      x.index({mask}),
      x.index({torch::tensor({0, 1}), torch::tensor({2, 0})}),
      x[1],
      x[1][2],
      x.select(1, 2),
      x.narrow(1, 1, 2),
      x.slice(/*dim=*/1, /*start=*/0, /*end=*/4, /*step=*/3),
      x.index_select(0, rows),
      x.masked_select(mask),
      x.gather(1, torch::zeros({3, 1}, torch::kLong)),
      x.unsqueeze(0).squeeze(0).flatten(),
      x.unbind(0)[2],
  };
}

torch::Tensor written(torch::Tensor x, torch::Tensor rows, torch::Tensor mask) {
  auto y = x.clone();
  y.index_put_({0}, 7);
  y.index_put_({Slice(), 1}, torch::arange(3, y.options()));
  y.index_put_({rows, 2}, -1.0);
  y.index_put_({mask}, 0);
  y[2][3] = 9;
  y[1].mul_(2);
  y.slice(1, 0, 1) += 100;
  y.select(0, 2).copy_(torch::ones({4}, y.options()));
  y.index_add_(0, torch::tensor({0}), torch::ones({1, 4}, y.options()));
  y.scatter_(1, torch::full({3, 1}, 3, torch::kLong), 5.0);
  y.masked_fill_(y > 50, 50);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("looked_up", &looked_up);
  m.def("written", &written);
  m.def("row", [](const torch::Tensor& x, int64_t i) { return x[i]; });
  m.def("cell", [](const torch::Tensor& x, int64_t i) { return x.index({None, 0, i}); });
}
