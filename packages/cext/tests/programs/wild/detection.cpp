// Boxes as detectors use them: areas, overlaps, clipping, pooling of regions, non-maximum suppression by class.
#include <torch/extension.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <c10/util/irange.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#define CHECK_CPU(x) TORCH_CHECK(x.device().is_cpu(), #x " must be a CPU tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) \
  CHECK_CPU(x);        \
  CHECK_CONTIGUOUS(x)

namespace detection {
namespace {

template <typename scalar_t>
struct Box {
  scalar_t x1, y1, x2, y2;
  scalar_t area() const { return std::max(x2 - x1, scalar_t(0)) * std::max(y2 - y1, scalar_t(0)); }
};

template <typename scalar_t>
inline scalar_t overlap(const Box<scalar_t>& a, const Box<scalar_t>& b) {
  const scalar_t w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const scalar_t h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (w <= 0 || h <= 0) return 0;
  const scalar_t both = w * h;
  return both / (a.area() + b.area() - both);
}

template <typename scalar_t>
Box<scalar_t> box_at(const at::TensorAccessor<scalar_t, 2>& boxes, int64_t i) {
  return {boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]};
}

template <typename scalar_t>
void iou_kernel(at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  auto result = out.accessor<scalar_t, 2>();
  const auto left = a.accessor<scalar_t, 2>();
  const auto right = b.accessor<scalar_t, 2>();
  at::parallel_for(0, left.size(0), at::internal::GRAIN_SIZE / 64, [&](int64_t begin, int64_t end) {
    for (const auto i : c10::irange(begin, end))
      for (const auto j : c10::irange(right.size(0)))
        result[i][j] = overlap<scalar_t>(box_at<scalar_t>(left, i), box_at<scalar_t>(right, j));
  });
}

}  // namespace

at::Tensor iou(const at::Tensor& a, const at::Tensor& b) {
  CHECK_CPU(a);
  TORCH_CHECK_VALUE(a.dim() == 2 && a.size(1) == 4, "boxes must be N x 4, got ", a.sizes());
  TORCH_CHECK_TYPE(a.scalar_type() == b.scalar_type(), "dtypes differ: ", a.dtype(), " and ", b.dtype());
  auto out = at::zeros({a.size(0), b.size(0)}, a.options());
  if (out.numel() == 0) return out;
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "iou", [&] { iou_kernel<scalar_t>(out, a, b); });
  return out;
}

// Keep the best of overlapping boxes of one class; boxes of several classes are moved apart.
at::Tensor batched_nms(const at::Tensor& boxes, const at::Tensor& scores, const at::Tensor& classes, double threshold) {
  TORCH_CHECK(boxes.size(0) == scores.size(0), "boxes and scores should have same number of elements in dimension 0, got ",
              boxes.size(0), " and ", scores.size(0));
  if (boxes.numel() == 0) return at::empty({0}, boxes.options().dtype(at::kLong));
  auto offsets = classes.to(boxes) * (boxes.max() + 1);
  auto moved = (boxes + offsets.unsqueeze(1)).contiguous();
  auto order_t = std::get<1>(scores.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true));
  at::Tensor suppressed_t = at::zeros({boxes.size(0)}, boxes.options().dtype(at::kByte));
  at::Tensor keep_t = at::empty({boxes.size(0)}, order_t.options());
  auto suppressed = suppressed_t.data_ptr<uint8_t>();
  auto keep = keep_t.data_ptr<int64_t>();
  auto order = order_t.data_ptr<int64_t>();
  int64_t kept = 0;
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(moved.scalar_type(), "batched_nms", [&] {
    auto at_ = moved.accessor<scalar_t, 2>();
    for (int64_t _i = 0; _i < moved.size(0); _i++) {
      auto i = order[_i];
      if (suppressed[i] == 1) continue;
      keep[kept++] = i;
      Box<float> best{float(at_[i][0]), float(at_[i][1]), float(at_[i][2]), float(at_[i][3])};
      for (int64_t _j = _i + 1; _j < moved.size(0); _j++) {
        auto j = order[_j];
        Box<float> other{float(at_[j][0]), float(at_[j][1]), float(at_[j][2]), float(at_[j][3])};
        if (overlap(best, other) > threshold) suppressed[j] = 1;
      }
    }
  });
  return keep_t.narrow(/*dim=*/0, /*start=*/0, /*length=*/kept);
}

// The largest value of each cell of a grid over each region.
std::tuple<at::Tensor, at::Tensor> roi_pool(const at::Tensor& input, const at::Tensor& rois, double scale,
                                            std::pair<int64_t, int64_t> size) {
  CHECK_INPUT(input);
  CHECK_INPUT(rois);
  at::TensorArg input_t{input, "input", 1}, rois_t{rois, "rois", 2};
  at::CheckedFrom c = "roi_pool";
  at::checkAllSameType(c, {input_t, rois_t});
  const auto channels = input.size(1), height = input.size(2), width = input.size(3);
  auto output = at::empty({rois.size(0), channels, size.first, size.second}, input.options());
  auto argmax = at::full(output.sizes(), -1, input.options().dtype(at::kInt));
  if (output.numel() == 0) return std::make_tuple(output, argmax);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "roi_pool", [&] {
    auto in = input.accessor<scalar_t, 4>();
    auto roi = rois.accessor<scalar_t, 2>();
    auto out = output.accessor<scalar_t, 4>();
    auto arg = argmax.accessor<int, 4>();
    at::parallel_for(0, rois.size(0), 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const int64_t image = static_cast<int64_t>(roi[n][0]);
        const int64_t x0 = std::lround(roi[n][1] * scale), y0 = std::lround(roi[n][2] * scale);
        const int64_t x1 = std::lround(roi[n][3] * scale), y1 = std::lround(roi[n][4] * scale);
        const double bin_h = double(std::max<int64_t>(y1 - y0 + 1, 1)) / size.first;
        const double bin_w = double(std::max<int64_t>(x1 - x0 + 1, 1)) / size.second;
        for (int64_t ch = 0; ch < channels; ++ch)
          for (int64_t ph = 0; ph < size.first; ++ph)
            for (int64_t pw = 0; pw < size.second; ++pw) {
              const auto top = std::clamp<int64_t>(std::floor(ph * bin_h) + y0, 0, height);
              const auto bottom = std::clamp<int64_t>(std::ceil((ph + 1) * bin_h) + y0, 0, height);
              const auto left = std::clamp<int64_t>(std::floor(pw * bin_w) + x0, 0, width);
              const auto right = std::clamp<int64_t>(std::ceil((pw + 1) * bin_w) + x0, 0, width);
              scalar_t most = bottom <= top || right <= left ? 0 : -std::numeric_limits<scalar_t>::max();
              for (auto h = top; h < bottom; ++h)
                for (auto w = left; w < right; ++w)
                  if (in[image][ch][h][w] > most) {
                    most = in[image][ch][h][w];
                    arg[n][ch][ph][pw] = int(h * width + w);
                  }
              out[n][ch][ph][pw] = most;
            }
      }
    });
  });
  return std::make_tuple(output, argmax);
}

std::vector<std::vector<double>> corners(const std::vector<std::vector<double>>& boxes) {
  std::vector<std::vector<double>> out;
  out.reserve(boxes.size());
  for (const auto& b : boxes) out.push_back({b.at(0), b.at(1), b.at(0) + b.at(2), b.at(1) + b.at(3)});
  return out;
}

torch::Tensor clip(torch::Tensor boxes, std::array<int64_t, 2> size) {
  using namespace torch::indexing;
  auto out = boxes.clone();
  out.index_put_({Slice(), Slice(0, None, 2)}, boxes.index({Slice(), Slice(0, None, 2)}).clamp(0, size[1]));
  out.index_put_({"...", Slice(1, None, 2)}, boxes.index({Ellipsis, Slice(1, None, 2)}).clamp(0, size[0]));
  auto wide = out.select(1, 2) > out.select(1, 0);
  return out.index({wide.logical_and(out.select(1, 3).gt(out.select(1, 1))).nonzero().squeeze(1)});
}

}  // namespace detection

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("iou", &detection::iou, "overlap of all pairs", py::call_guard<py::gil_scoped_release>(), py::arg("a"), py::arg("b"));
  m.def("batched_nms", &detection::batched_nms);
  m.def("roi_pool", &detection::roi_pool, py::arg("input"), py::arg("rois"), py::arg("scale") = 1.0, py::arg("size"));
  m.def("corners", &detection::corners);
  m.def("clip", &detection::clip);
}
