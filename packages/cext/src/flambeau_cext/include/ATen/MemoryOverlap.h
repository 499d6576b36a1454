/* Checks for tensors whose elements share memory. */
#pragma once

#include <ATen/ATen.h>

#include <algorithm>

namespace at {

enum class MemOverlap { No, Yes, TooHard };
enum class MemOverlapStatus { Full, Partial, No, TooHard };

/* Whether elements of a tensor share memory; TooHard if its strides do not tell. */
inline MemOverlap has_internal_overlap(const Tensor &tensor) {
    if (tensor.is_non_overlapping_and_dense()) return MemOverlap::No;
    for (int64_t i = 0; i < tensor.dim(); i++)
        if (tensor.size(i) > 1 && tensor.stride(i) == 0) return MemOverlap::Yes;
    return MemOverlap::TooHard;
}
inline void assert_no_internal_overlap(const Tensor &tensor) {
    TORCH_CHECK(has_internal_overlap(tensor) != MemOverlap::Yes,
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                "Please clone() the tensor before performing the operation.");
}
/* How the memory of two tensors overlaps: Full if they have the same elements. */
inline MemOverlapStatus get_overlap_status(const Tensor &a, const Tensor &b) {
    if (a.is_same(b)) return MemOverlapStatus::Full;
    if (a.numel() == 0 || b.numel() == 0) return MemOverlapStatus::No;
    if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) return MemOverlapStatus::TooHard;
    if (!a.is_alias_of(b)) return MemOverlapStatus::No;
    const char *first = static_cast<const char *>(a.const_data_ptr()), *second = static_cast<const char *>(b.const_data_ptr());
    const char *first_end = first + a.numel() * a.element_size(), *second_end = second + b.numel() * b.element_size();
    if (first == second && first_end == second_end)
        return a.strides() == b.strides() ? MemOverlapStatus::Full : MemOverlapStatus::Partial;
    return first < second_end && second < first_end ? MemOverlapStatus::Partial : MemOverlapStatus::No;
}
inline void assert_no_partial_overlap(const Tensor &a, const Tensor &b) {
    TORCH_CHECK(get_overlap_status(a, b) != MemOverlapStatus::Partial,
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                "memory location. Please clone() the tensor before performing the operation.");
}
inline void assert_no_overlap(const Tensor &a, const Tensor &b) {
    const auto status = get_overlap_status(a, b);
    TORCH_CHECK(status != MemOverlapStatus::Partial && status != MemOverlapStatus::Full,
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                "memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace at
