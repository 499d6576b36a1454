/* Flattening several tensors into one and back, for communication of gradients. */
#pragma once

#include <torch/types.h>

namespace torch {
namespace utils {

inline at::Tensor flatten_dense_tensors(at::TensorList tensors) {
    std::vector<at::Tensor> flat;
    for (const at::Tensor &t : tensors) flat.push_back(t.contiguous().view({-1}));
    return flat.size() == 1 ? flat[0] : at::cat(flat);
}
/* Views of the parts of `flat` with the shapes of `tensors`. */
inline std::vector<at::Tensor> unflatten_dense_tensors(const at::Tensor &flat, at::TensorList tensors) {
    std::vector<at::Tensor> parts;
    int64_t begin = 0;
    for (const at::Tensor &t : tensors) {
        parts.push_back(flat.narrow(0, begin, t.numel()).view(t.sizes()));
        begin += t.numel();
    }
    return parts;
}

/* Tensors of one type that are sent together. */
struct TensorGroup {
    std::vector<at::Tensor> tensors;
    size_t size = 0;
    at::DeprecatedTypeProperties type() const { return tensors[0].type(); }
    bool is_sparse() const { return false; }
};
/* Group tensors by type, with at most `limit` bytes per group, in the order of their first tensors. */
inline std::vector<TensorGroup> take_tensors(at::TensorList tensors, size_t limit, bool = false) {
    std::vector<TensorGroup> open, full;
    std::vector<at::ScalarType> types;
    for (const at::Tensor &t : tensors) {
        size_t place = 0;
        while (place < open.size() && types[place] != t.scalar_type()) place++;
        if (place == open.size()) open.emplace_back(), types.push_back(t.scalar_type());
        TensorGroup &group = open[place];
        if (group.size && group.size + t.nbytes() > limit) full.push_back(std::exchange(group, TensorGroup()));
        group.tensors.push_back(t);
        group.size += t.nbytes();
    }
    for (TensorGroup &group : open)
        if (group.size) full.push_back(std::move(group));
    return full;
}

}  // namespace utils
}  // namespace torch
