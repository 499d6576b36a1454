/* Checks of tensor arguments: errors name the function, the argument and the expectation. */
#pragma once

#include <ATen/Tensor.h>

namespace at {

/* A tensor, its argument name, and its position, starting from 1; 0 if it is not an argument. */
struct TensorArg {
    const Tensor &tensor;
    const char *name;
    int pos;
    TensorArg(const Tensor &t, const char *argument, int position) : tensor(t), name(argument), pos(position) {}
    TensorArg(Tensor &&, const char *, int) = delete; /* it would dangle */
    const Tensor *operator->() const { return &tensor; }
    const Tensor &operator*() const { return tensor; }
};
using TensorGeometryArg = TensorArg;
using CheckedFrom = const char *;

inline std::ostream &operator<<(std::ostream &out, const TensorArg &t) {
    if (t.pos == 0) return out << "'" << t.name << "'";
    return out << "argument #" << t.pos << " '" << t.name << "'";
}

#define FL_CHECK_ARGUMENT(condition, ...) \
    TORCH_CHECK(condition, "Expected ", __VA_ARGS__, " (while checking arguments for ", c, ")")

inline void checkDim(CheckedFrom c, const Tensor &t, const char *name, int pos, int64_t dim) {
    FL_CHECK_ARGUMENT(t.dim() == dim, dim, "-dimensional tensor, but got ", t.dim(), "-dimensional tensor for ",
                      TensorArg(t, name, pos));
}
inline void checkDim(CheckedFrom c, const TensorArg &t, int64_t dim) { checkDim(c, *t, t.name, t.pos, dim); }
/* Check that the number of dimensions is at least start and less than end. */
inline void checkDimRange(CheckedFrom c, const TensorArg &t, int64_t start, int64_t end) {
    FL_CHECK_ARGUMENT(t->dim() >= start && t->dim() < end, start, " to ", end - 1, " dimensions, but got ", t->dim(),
                      "-dimensional tensor for ", t);
}
inline void checkSize(CheckedFrom c, const TensorArg &t, IntArrayRef sizes) {
    checkDim(c, t, int64_t(sizes.size()));
    FL_CHECK_ARGUMENT(t->sizes().equals(sizes), "tensor of size ", sizes, ", but got tensor of size ", t->sizes(), " for ",
                      t);
}
inline void checkSize(CheckedFrom c, const TensorArg &t, int64_t dim, int64_t size) {
    FL_CHECK_ARGUMENT(t->size(dim) == size, "tensor to have size ", size, " at dimension ", dim, ", but got size ",
                      t->size(dim), " for ", t);
}
inline void checkNumel(CheckedFrom c, const TensorArg &t, int64_t numel) {
    FL_CHECK_ARGUMENT(t->numel() == numel, "tensor for ", t, " to have ", numel, " elements; but it actually has ",
                      t->numel(), " elements");
}
inline void checkContiguous(CheckedFrom c, const TensorArg &t) {
    FL_CHECK_ARGUMENT(t->is_contiguous(), "contiguous tensor, but got non-contiguous tensor for ", t);
}
inline void checkScalarType(CheckedFrom c, const TensorArg &t, ScalarType type) {
    FL_CHECK_ARGUMENT(t->scalar_type() == type, "tensor for ", t, " to have scalar type ", type, "; but got ",
                      t->toString(), " instead");
}
inline void checkScalarTypes(CheckedFrom c, const TensorArg &t, ArrayRef<ScalarType> types) {
    bool found = false;
    std::string listed;
    for (ScalarType type : types) {
        found = found || t->scalar_type() == type;
        listed += c10::str(listed.empty() ? "" : ", ", type);
    }
    FL_CHECK_ARGUMENT(found, "tensor for ", t, " to have one of the following scalar types: ", listed, "; but got ",
                      t->toString(), " instead");
}
inline void checkDefined(CheckedFrom c, const TensorArg &t) {
    FL_CHECK_ARGUMENT(t->defined(), "tensor for ", t, " to be non-null, but it was undefined");
}

#define FL_SAME(checkSame, checkAllSame, what, but, value)                                                             \
    inline void checkSame(CheckedFrom c, const TensorArg &a, const TensorArg &b) {                                     \
        FL_CHECK_ARGUMENT(a->value == b->value, "tensor for ", a, " to have the same " what " as tensor for ", b,      \
                          "; but " but, a->value, " does not equal ", b->value);                                       \
    }                                                                                                                  \
    inline void checkAllSame(CheckedFrom c, ArrayRef<TensorArg> tensors) {                                             \
        for (const TensorArg &t : tensors)                                                                             \
            if (t->defined() && tensors[0]->defined()) checkSame(c, tensors[0], t);                                    \
    }
FL_SAME(checkSameType, checkAllSameType, "type", "type ", toString())
FL_SAME(checkSameSize, checkAllSameSize, "size", "", sizes())
FL_SAME(checkSameNumel, checkAllSameNumel, "number of elements", "", numel())
FL_SAME(checkSameDim, checkAllSameDim, "dimension", "", dim())
#undef FL_SAME
inline void checkDeviceType(CheckedFrom c, const Tensor &t, DeviceType type) {
    TORCH_CHECK(!t.defined() || t.device().type() == type, "Expected tensor to have ", type, " DeviceType, but got tensor "
                "with ", t.device().type(), " DeviceType (while checking arguments for ", c, ")");
}
inline void checkDeviceType(CheckedFrom c, ArrayRef<Tensor> tensors, DeviceType type) {
    for (const Tensor &t : tensors) checkDeviceType(c, t, type);
}
inline void checkLayout(CheckedFrom c, const Tensor &t, Layout layout) {
    TORCH_CHECK(!t.defined() || t.layout() == layout, "Expected tensor to have ", layout, " Layout, but got tensor with ",
                t.layout(), " Layout (while checking arguments for ", c, ")");
}
/* There is only one device. */
inline void checkSameGPU(CheckedFrom, const TensorArg &, const TensorArg &) {}
inline void checkAllSameGPU(CheckedFrom, ArrayRef<TensorArg>) {}

#define FL_ALL(checkAll, check)                                                                                        \
    inline void checkAll(CheckedFrom c, ArrayRef<TensorArg> tensors) {                                                 \
        for (const TensorArg &t : tensors) check(c, t);                                                                \
    }
FL_ALL(checkAllContiguous, checkContiguous)
FL_ALL(checkAllDefined, checkDefined)
#undef FL_ALL
#undef FL_CHECK_ARGUMENT

inline void check_dim_size(const Tensor &t, int64_t dim, int64_t dim_size, int64_t size) {
    TORCH_CHECK(t.dim() == dim && t.size(dim_size) == size, "Expected a tensor of dimension ", dim, " and tensor.size[",
                dim_size, "] == ", size, " but got: dimension ", t.dim(), " and tensor.size = ", t.sizes());
}

namespace detail {
/* The strides of a contiguous tensor. */
inline std::vector<int64_t> defaultStrides(IntArrayRef sizes) {
    std::vector<int64_t> strides(sizes.size());
    int64_t step = 1;
    for (size_t i = sizes.size(); i-- > 0; step *= sizes[i]) strides[i] = step;
    return strides;
}
}  // namespace detail

}  // namespace at
