// Boxes that overlap a better one are dropped.
#include <torch/extension.h>

#include <algorithm>

at::Tensor nms(const at::Tensor& boxes, const at::Tensor& scores, const double threshold) {
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "boxes should be N x 4, got ", boxes.sizes());
  TORCH_CHECK(boxes.scalar_type() == scores.scalar_type(), "boxes and scores should have the same type");
  if (boxes.numel() == 0) return at::empty({0}, boxes.options().dtype(at::kLong));
  auto x1 = boxes.select(1, 0).contiguous(), y1 = boxes.select(1, 1).contiguous();
  auto x2 = boxes.select(1, 2).contiguous(), y2 = boxes.select(1, 3).contiguous();
  at::Tensor areas = (x2 - x1) * (y2 - y1);
  auto order = std::get<1>(scores.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true));
  auto n = boxes.size(0);
  at::Tensor suppressed = at::zeros({n}, boxes.options().dtype(at::kByte));
  at::Tensor keep = at::zeros({n}, order.options());
  int64_t kept = 0;
  AT_DISPATCH_FLOATING_TYPES(boxes.scalar_type(), "nms", [&] {
    auto gone = suppressed.data_ptr<uint8_t>();
    auto ids = order.data_ptr<int64_t>();
    auto ax1 = x1.data_ptr<scalar_t>(), ay1 = y1.data_ptr<scalar_t>(), ax2 = x2.data_ptr<scalar_t>(),
         ay2 = y2.data_ptr<scalar_t>(), area = areas.data_ptr<scalar_t>();
    for (int64_t a = 0; a < n; a++) {
      auto i = ids[a];
      if (gone[i] == 1) continue;
      keep.data_ptr<int64_t>()[kept++] = i;
      for (int64_t b = a + 1; b < n; b++) {
        auto j = ids[b];
        if (gone[j] == 1) continue;
        auto w = std::max(static_cast<scalar_t>(0), std::min(ax2[i], ax2[j]) - std::max(ax1[i], ax1[j]));
        auto h = std::max(static_cast<scalar_t>(0), std::min(ay2[i], ay2[j]) - std::max(ay1[i], ay1[j]));
        auto inter = w * h;
        if (inter / (area[i] + area[j] - inter) > threshold) gone[j] = 1;
      }
    }
  });
  return keep.narrow(/*dim=*/0, /*start=*/0, /*length=*/kept);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("nms", &nms, "non-maximum suppression"); }
