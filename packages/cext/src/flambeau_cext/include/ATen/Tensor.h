/* The methods of at::Tensor that are not generated. */
#pragma once

#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>

namespace at {

/* --- Attributes, conversions ------------------------------------------------------------------------------------- */

inline Scalar Tensor::item() const { FL_CALL(scalar, "Tensor.item", "self", of_tensor(*this)) }
inline Tensor Tensor::to(ScalarType type, bool non_blocking, bool copy, optional<MemoryFormat>) const {
    if (!copy && type == scalar_type()) return *this;
    FL_CALL(tensor, "Tensor.to", "self dtype non_blocking copy", of_tensor(*this), of_dtype(type),
            of_bool(non_blocking), of_bool(copy))
}
namespace detail {
inline Tensor moved(const Tensor &t, Device device) {
    FL_CALL(tensor, "Tensor.to", "self device", of_tensor(t), of_string(device.str()))
}
}  // namespace detail
inline Tensor Tensor::to(TensorOptions options, bool non_blocking, bool copy, optional<MemoryFormat>) const {
    detail::dtype_of(options);
    Tensor t = to(options.dtype_opt().value_or(scalar_type()), non_blocking, copy);
    if (options.has_device() && options.device().type() != t.device().type()) t = detail::moved(t, options.device());
    return options.requires_grad() ? t.set_requires_grad(true) : t;
}
inline Tensor Tensor::to(Device device, ScalarType type, bool non_blocking, bool copy, optional<MemoryFormat>) const {
    return to(TensorOptions(type).device(device), non_blocking, copy);
}
inline Tensor Tensor::to(const Tensor &other, bool non_blocking, bool copy, optional<MemoryFormat>) const {
    return to(TensorOptions(other.scalar_type()).device(other.device()), non_blocking, copy);
}
inline Tensor Tensor::contiguous(MemoryFormat format) const {
    if (is_contiguous(format)) return *this;
    if (format == MemoryFormat::ChannelsLast)
        return permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
    if (format == MemoryFormat::ChannelsLast3d)
        return permute({0, 2, 3, 4, 1}).contiguous().permute({0, 4, 1, 2, 3});
    FL_CALL(tensor, "Tensor.contiguous", "self", of_tensor(*this))
}
inline Tensor Tensor::alias() const { FL_CALL(tensor, "_ops.alias", "self", of_tensor(*this)) }
inline Tensor Tensor::view(IntArrayRef size) const {
    FL_CALL(tensor, "Tensor.view", "self size", of_tensor(*this), of_ints(size))
}
inline Tensor Tensor::view(ScalarType type) const {
    FL_CALL(tensor, "Tensor.view", "self size", of_tensor(*this), of_dtype(type))
}
inline bool Tensor::is_alias_of(const Tensor &other) const {
    auto start = [](const Tensor &t) {
        return static_cast<const char *>(t.const_data_ptr()) - t.storage_offset() * t.element_size();
    };
    return start(*this) == start(other);
}
inline bool Tensor::is_non_overlapping_and_dense() const {
    Tensor sorted = *this;
    for (int64_t d = 0; d < dim(); d++) { /* selection sort: there are few dimensions */
        int64_t widest = d;
        for (int64_t e = d + 1; e < dim(); e++)
            if (sorted.stride(e) * (sorted.size(e) > 1) > sorted.stride(widest) * (sorted.size(widest) > 1)) widest = e;
        sorted = sorted.transpose(d, widest);
    }
    return sorted.is_contiguous();
}

/* --- Autograd ----------------------------------------------------------------------------------------------------- */

inline Tensor &Tensor::requires_grad_(bool on) const {
    FL_CALL(same(*this), "Tensor.requires_grad_", "self requires_grad", of_tensor(*this), of_bool(on))
}
inline const Tensor &Tensor::set_requires_grad(bool on) const { return requires_grad_(on); }
inline Tensor Tensor::grad() const { FL_CALL(tensor, "Tensor.grad.__get__", "self", of_tensor(*this)) }
inline void Tensor::set_grad(const Tensor &grad) const {
    FL_CALL(void, "Tensor.grad.__set__", "self value", of_tensor(*this),
            of_tensor_or_none(grad))
}
inline GradReference Tensor::mutable_grad() const { return GradReference(*this); }
inline void Tensor::retain_grad() const { FL_CALL(void, "Tensor.retain_grad", "self", of_tensor(*this)) }
inline void Tensor::backward(const Tensor &gradient, optional<bool> retain_graph, bool create_graph,
                             optional<TensorList> inputs) const {
    FL_CALL(void, "Tensor.backward", "self gradient retain_graph create_graph inputs", of_tensor(*this),
            gradient.defined() ? of_tensor(gradient) : fl_none(), of_bool_or_none(retain_graph),
            of_bool(create_graph), inputs ? of_tensors(*inputs) : fl_none())
}

/* --- Creating tensors
 * -------------------------------------------------------------------------------------------------- */

/* Create a tensor over the caller's memory; deleter(data) runs when the last view of it is freed. */
inline Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides, const std::function<void(void *)> &deleter,
                        const TensorOptions &options = {}) {
    using Deleter = std::pair<std::function<void(void *)>, void *>;
    TORCH_CHECK(strides.empty() || strides.size() == sizes.size(), "from_blob: as many strides as sizes are needed");
    detail::dtype_of(options);
    detail::Gil gil;
    auto context = deleter ? std::make_unique<Deleter>(deleter, data) : nullptr;
    auto run = [](void *context) {
        std::unique_ptr<Deleter> pair(static_cast<Deleter *>(context));
        pair->first(pair->second);
    };
    fl_tensor handle = fl_from_blob(data, sizes.data(), strides.empty() ? nullptr : strides.data(),
                                    int32_t(sizes.size()), fl_dtype(ScalarType(options.dtype())),
                                    deleter ? static_cast<void (*)(void *)>(run) : nullptr, context.get());
    if (!handle) throw Error::recorded();
    context.release();
    Tensor t = Tensor::own(handle);
    return options.requires_grad() ? t.set_requires_grad(true) : t;
}
inline Tensor from_blob(void *data, IntArrayRef sizes, const std::function<void(void *)> &deleter,
                        const TensorOptions &options = {}) {
    return from_blob(data, sizes, {}, deleter, options);
}
inline Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions &options = {}) {
    return from_blob(data, sizes, strides, std::function<void(void *)>(), options);
}
inline Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options = {}) {
    return from_blob(data, sizes, {}, std::function<void(void *)>(), options);
}

namespace detail {
/* Numbers in nested braces. */
class Numbers {
  public:
    template <class T, class = std::enable_if_t<c10::detail::is_number<T>>>
    Numbers(T number) : type_(CppTypeToScalarType<T>::value), items_{Scalar(number)} {}
    Numbers(std::initializer_list<Numbers> rows) : sizes_{int64_t(rows.size())} {
        if (rows.size()) {
            type_ = rows.begin()->type_;
            sizes_.insert(sizes_.end(), rows.begin()->sizes_.begin(), rows.begin()->sizes_.end());
        }
        for (const Numbers &row : rows) {
            TORCH_CHECK(row.sizes_ == rows.begin()->sizes_, "Expected all sub-lists to have sizes: ",
                        IntArrayRef(rows.begin()->sizes_), ", but got sub-list with sizes: ", IntArrayRef(row.sizes_));
            TORCH_CHECK(row.type_ == type_, "Expected all elements of the tensor to have the same scalar type: ", type_,
                        ", but got element of scalar type: ", row.type_);
            items_.insert(items_.end(), row.items_.begin(), row.items_.end());
        }
    }
    template <class T> Numbers(ArrayRef<T> list) : sizes_{int64_t(list.size())}, type_(CppTypeToScalarType<T>::value) {
        for (size_t i = 0; i < list.size(); i++) items_.push_back(Scalar(list[i]));
    }
    template <class T> Numbers(const std::vector<T> &list)
        : sizes_{int64_t(list.size())}, type_(CppTypeToScalarType<T>::value) {
        for (const auto &item : list) items_.push_back(Scalar(T(item)));
    }

    Tensor tensor(const TensorOptions &options) const {
        ScalarType type = isComplexType(type_) ? kComplexDouble : isFloatingType(type_) ? kDouble
                          : type_ == kBool     ? kBool
                                               : kLong;
        Tensor t = empty(sizes_, type);
        for (size_t i = 0; i < items_.size(); i++) {
            if (type == kDouble) t.data_ptr<double>()[i] = items_[i].toDouble();
            else if (type == kLong) t.data_ptr<int64_t>()[i] = items_[i].toLong();
            else if (type == kBool) t.data_ptr<bool>()[i] = items_[i].toBool();
            else t.data_ptr<c10::complex<double>>()[i] = items_[i].toComplexDouble();
        }
        ScalarType usual = type == kDouble ? get_default_dtype_as_scalartype() : type;
        if (type == kComplexDouble) usual = toComplexType(get_default_dtype_as_scalartype());
        return t.to(options.dtype(options.dtype_opt().value_or(usual)));
    }

  private:
    std::vector<int64_t> sizes_;
    ScalarType type_ = kDouble;
    std::vector<Scalar> items_;
};
}  // namespace detail

/* tensor(3.5), tensor({1, 2, 3}), tensor({{1., 2.}, {3., 4.}}), tensor(vector) */
inline Tensor tensor(const detail::Numbers &numbers, const TensorOptions &options = {}) {
    return numbers.tensor(options);
}
/* Has the default dtype, whatever the type of the number. */
inline Tensor scalar_tensor(const Scalar &number, const TensorOptions &options = {}) {
    return full({}, number, options.has_dtype() ? options : options.dtype(ScalarType(fl_default_dtype())));
}
inline ScalarType result_type(const Tensor &a, const Tensor &b) {
    const fl_value v[] = {detail::of_tensor(a), detail::of_tensor(b)};
    fl_dtype type = fl_result_type(v, 2);
    if (type < 0) throw Error::recorded();
    return ScalarType(type);
}
inline ScalarType result_type(const Tensor &a, const Scalar &b) {
    const fl_value v[] = {detail::of_tensor(a), b.value()};
    fl_dtype type = fl_result_type(v, 2);
    if (type < 0) throw Error::recorded();
    return ScalarType(type);
}

/* --- Functions that correspond to methods
 * ------------------------------------------------------------------------------ */

inline bool is_floating_point(const Tensor &t) { return t.is_floating_point(); }
inline bool is_complex(const Tensor &t) { return t.is_complex(); }
inline Tensor alias(const Tensor &t) { return t.alias(); }
inline int64_t numel(const Tensor &t) { return t.numel(); }
inline int64_t size(const Tensor &t, int64_t d) { return t.size(d); }

inline std::ostream &operator<<(std::ostream &out, const Tensor &t) {
    if (!t.defined()) return out << "[ Tensor (undefined) ]";
    detail::Gil gil;
    std::string text(256, '\0');
    int64_t length = fl_describe(t.handle(), &text[0], int64_t(text.size()));
    if (length >= int64_t(text.size())) {
        text.resize(size_t(length) + 1);
        length = fl_describe(t.handle(), &text[0], int64_t(text.size()));
    }
    if (length < 0) throw Error::recorded();
    return out << text.c_str();
}
inline void print(const Tensor &t) { fputs((c10::str(t) + "\n").c_str(), stdout); }

}  // namespace at
