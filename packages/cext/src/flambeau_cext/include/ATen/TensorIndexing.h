/* x.index({Slice(0, 3), "...", None, i, t}) and index_put_: the equivalent of Python's brackets. */
#pragma once

#include <ATen/Functions.h>

namespace at {
namespace indexing {

constexpr nullopt_t None = nullopt;
struct EllipsisIndexType {};
constexpr EllipsisIndexType Ellipsis{};

struct Slice {
    optional<int64_t> start, stop;
    int64_t step;
    Slice(optional<int64_t> start = nullopt, optional<int64_t> stop = nullopt, optional<int64_t> step = nullopt)
        : start(start), stop(stop), step(step.value_or(1)) {
        TORCH_CHECK_VALUE(this->step != 0, "slice step cannot be zero");
    }
};

enum class TensorIndexType { None, Ellipsis, SymInt, Boolean, Slice, Tensor };

class TensorIndex {
  public:
    TensorIndex(nullopt_t) : type_(TensorIndexType::None) {}
    TensorIndex(EllipsisIndexType) : type_(TensorIndexType::Ellipsis) {}
    TensorIndex(const char *text) : type_(TensorIndexType::Ellipsis) {
        TORCH_CHECK_VALUE(std::string("...") == text, "Expected \"...\" to represent an ellipsis index, but got \"", text,
                          "\"");
    }
    template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
    TensorIndex(I i)
        : type_(std::is_same_v<I, bool> ? TensorIndexType::Boolean : TensorIndexType::SymInt), integer_(int64_t(i)) {}
    TensorIndex(SymInt i) : TensorIndex(i.expect_int()) {}
    TensorIndex(Slice slice) : type_(TensorIndexType::Slice), slice_(slice) {}
    TensorIndex(Tensor tensor) : type_(TensorIndexType::Tensor), tensor_(std::move(tensor)) {}

    TensorIndexType type() const { return type_; }
    int64_t integer() const { return integer_; }
    const Slice &slice() const { return slice_; }
    const Tensor &tensor() const { return tensor_; }

  private:
    TensorIndexType type_;
    int64_t integer_ = 0;
    Slice slice_;
    Tensor tensor_;
};

}  // namespace indexing

namespace detail {

/* Select an index of dimension d, which is `original` of the tensor that is indexed. */
inline Tensor selected(const Tensor &x, int64_t d, int64_t i, int64_t original) {
    TORCH_CHECK_INDEX(x.dim(), "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                               "C++ to convert a 0-dim tensor to a number");
    const int64_t size = x.size(d);
    TORCH_CHECK_INDEX(i >= -size && i < size, "index ", i, " is out of bounds for dimension ", original, " with size ", size);
    return x.select(d, i);
}
/* Return a view by indices that are not tensors; `tensors` receives index tensors at the dimensions that they index. */
inline Tensor indexed_view(Tensor x, ArrayRef<indexing::TensorIndex> indices, std::vector<Tensor> &tensors) {
    using Type = indexing::TensorIndexType;
    int64_t wanted = 0, d = 0, gone = 0; /* gone: dimensions that numbers took away, less those that None added */
    for (const auto &index : indices)
        if (index.type() == Type::Tensor) wanted += index.tensor().scalar_type() == kBool ? index.tensor().dim() : 1;
        else wanted += index.type() == Type::SymInt || index.type() == Type::Slice;
    TORCH_CHECK_INDEX(wanted <= x.dim(), "too many indices for tensor of dimension ", x.dim());
    int64_t skipped = x.dim() - wanted;
    auto put = [&](const Tensor &tensor) {
        tensors.resize(size_t(d));
        tensors.push_back(tensor);
        d += tensor.scalar_type() == kBool && tensor.dim() ? tensor.dim() : 1;
    };
    for (const auto &index : indices) {
        switch (index.type()) {
        case Type::None:
            x = x.unsqueeze(d++);
            gone--;
            break;
        case Type::Ellipsis: d += std::exchange(skipped, 0); break;
        case Type::SymInt: x = selected(x, d, index.integer(), d + gone++); break;
        case Type::Slice: x = x.slice(d++, index.slice().start, index.slice().stop, index.slice().step); break;
        case Type::Boolean:
            x = x.unsqueeze(d);
            gone--;
            put(zeros({index.integer()}, kLong));
            break;
        case Type::Tensor: {
            const Tensor &t = index.tensor();
            bool number = t.dim() == 0 && isIntegralType(t.scalar_type());
            if (number) x = selected(x, d, t.item<int64_t>(), d + gone++);
            else put(t);
            break;
        }
        }
    }
    return x;
}
inline Tensor index(const Tensor &x, TensorList tensors) {
    static Function f{"_ops.index", "self indices"};
    const fl_value v[] = {of_tensor(x), of_tensors(tensors)};
    return call_tensor(f, v);
}
inline void index_put(const Tensor &x, TensorList tensors, const fl_value &values, bool accumulate) {
    static Function f{"index_put_", "self indices values accumulate"};
    const fl_value v[] = {of_tensor(x), of_tensors(tensors), values, of_bool(accumulate)};
    call_void(f, v);
}
inline std::vector<Tensor> present(const std::vector<optional<Tensor>> &indices) {
    std::vector<Tensor> tensors;
    for (const auto &t : indices) tensors.push_back(t.value_or(Tensor()));
    return tensors;
}

}  // namespace detail

inline Tensor Tensor::index(ArrayRef<indexing::TensorIndex> indices) const {
    std::vector<Tensor> tensors;
    Tensor view = detail::indexed_view(*this, indices, tensors);
    if (!tensors.empty()) return detail::index(view, tensors);
    return view.is_same(*this) ? alias() : view;
}
inline Tensor Tensor::index(std::initializer_list<indexing::TensorIndex> indices) const {
    return index(ArrayRef<indexing::TensorIndex>(indices));
}
inline Tensor Tensor::index(const std::vector<optional<Tensor>> &indices) const {
    return detail::index(*this, detail::present(indices));
}
inline Tensor Tensor::index(std::initializer_list<Tensor> indices) const {
    return detail::index(*this, TensorList(indices));
}
inline Tensor &Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor &values) {
    std::vector<Tensor> tensors;
    Tensor view = detail::indexed_view(*this, indices, tensors);
    if (tensors.empty()) view.copy_(values);
    else detail::index_put(view, tensors, detail::of_tensor(values), false);
    return *this;
}
inline Tensor &Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar &value) {
    std::vector<Tensor> tensors;
    Tensor view = detail::indexed_view(*this, indices, tensors);
    if (tensors.empty()) view.fill_(value);
    else detail::index_put(view, tensors, detail::of_tensor(full({}, value, options())), false);
    return *this;
}
inline Tensor &Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor &values) {
    return index_put_(ArrayRef<indexing::TensorIndex>(indices), values);
}
inline Tensor &Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar &value) {
    return index_put_(ArrayRef<indexing::TensorIndex>(indices), value);
}
inline Tensor &Tensor::index_put_(const std::vector<optional<Tensor>> &indices, const Tensor &values, bool accumulate) {
    detail::index_put(*this, detail::present(indices), detail::of_tensor(values), accumulate);
    return *this;
}
inline Tensor Tensor::operator[](int64_t i) const { return detail::selected(*this, 0, i, 0); }
inline Tensor Tensor::operator[](const Tensor &i) const { return index({indexing::TensorIndex(i)}); }
inline Tensor Tensor::operator[](const Scalar &i) const {
    TORCH_CHECK_INDEX(i.isIntegral(), "Can only index tensors with integral scalars");
    return detail::selected(*this, 0, i.toLong(), 0);
}

}  // namespace at

namespace torch {
namespace indexing = at::indexing;
}
