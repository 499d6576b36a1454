/* at::Tensor: a counted reference to a flambeau tensor. Its operator methods are in MethodDeclarations.h.
 *
 * Any thread may use copies, destruction and operators: they take the GIL if the thread does not hold it.
 */
#pragma once

#include <ATen/core/TensorAccessor.h>
#include <c10/core/Scalar.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/string_view.h>

#include <functional>
#include <tuple>

namespace torch {
namespace autograd {
class Node;
}
}  // namespace torch

namespace c10 {
class Storage;
}

namespace at {

using namespace c10; /* NOLINT */
class Tensor;
using TensorList = ArrayRef<Tensor>;
using ITensorListRef = TensorList;

namespace indexing {
class TensorIndex;
}

/* The type of the deprecated x.type(). */
class DeprecatedTypeProperties {
  public:
    explicit DeprecatedTypeProperties(ScalarType type) : type_(type) {}
    ScalarType scalarType() const { return type_; }
    operator TensorOptions() const { return type_; }
    bool is_cuda() const { return false; }
    bool is_sparse() const { return false; }
    std::string toString() const { return std::string("CPU") + c10::toString(type_) + "Type"; }
    bool operator==(const DeprecatedTypeProperties &other) const { return type_ == other.type_; }
    bool operator!=(const DeprecatedTypeProperties &other) const { return type_ != other.type_; }

  private:
    ScalarType type_;
};
inline std::ostream &operator<<(std::ostream &out, const DeprecatedTypeProperties &type) { return out << type.toString(); }

class GradReference;

class Tensor {
  public:
    Tensor() : handle_(nullptr) {}
    Tensor(const Tensor &other) : handle_(other.handle_ ? fl_retain(other.handle_) : nullptr) {}
    Tensor(Tensor &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Tensor &operator=(const Tensor &other) & {
        Tensor copy(other);
        std::swap(handle_, copy.handle_);
        return *this;
    }
    Tensor &operator=(Tensor &&other) & noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    /* x[0] = y writes to x. */
    Tensor &operator=(const Tensor &other) && { return copy_(other); }
    Tensor &operator=(Tensor &&other) && { return copy_(other); }
    Tensor &operator=(const Scalar &number) && { return fill_(number); }
    ~Tensor() {
        if (handle_) fl_release(handle_);
    }

    /* Take ownership of a handle of the C interface, share a borrowed one, or give up ownership. */
    static Tensor own(fl_tensor handle) {
        Tensor t;
        t.handle_ = handle;
        return t;
    }
    static Tensor borrow(fl_tensor handle) { return own(handle ? fl_retain(handle) : nullptr); }
    fl_tensor release() { return std::exchange(handle_, nullptr); }
    fl_tensor handle() const { return handle_; }
    fl_tensor unsafeGetTensorImpl() const { return handle_; }

    bool defined() const { return handle_ != nullptr; }
    void reset() { *this = Tensor(); }
    bool is_same(const Tensor &other) const { return handle_ == other.handle_; }

    int64_t dim() const { return fl_ndim(checked()); }
    int64_t ndimension() const { return dim(); }
    int64_t numel() const { return handle_ ? fl_numel(handle_) : 0; }
    IntArrayRef sizes() const { return {fl_sizes(checked()), size_t(fl_ndim(handle_))}; }
    IntArrayRef strides() const { return {fl_strides(checked()), size_t(fl_ndim(handle_))}; }
    SymIntArrayRef sym_sizes() const { return c10::fromIntArrayRefSlow(sizes()); }
    SymIntArrayRef sym_strides() const { return c10::fromIntArrayRefSlow(strides()); }
    int64_t size(int64_t d) const { return sizes()[wrapped(d)]; }
    int64_t stride(int64_t d) const { return strides()[wrapped(d)]; }
    SymInt sym_size(int64_t d) const { return size(d); }
    SymInt sym_stride(int64_t d) const { return stride(d); }
    SymInt sym_numel() const { return numel(); }
    SymInt sym_storage_offset() const { return storage_offset(); }
    c10::Storage storage() const;
    int64_t storage_offset() const { return fl_storage_offset(checked()); }
    bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
        if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve)
            return fl_is_contiguous(checked()) != 0;
        const int64_t rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
        int64_t expected = 1;
        if (dim() != rank) return false;
        for (int64_t i = 0; i < rank; ++i) {
            const int64_t d = channels_last_dimension(rank, i);
            if (size(d) != 1 && stride(d) != expected) return false;
            if (size(d) != 1) expected *= size(d);
        }
        return true;
    }
    bool is_non_overlapping_and_dense() const;
    size_t itemsize() const { return elementSize(scalar_type()); }
    int64_t element_size() const { return int64_t(itemsize()); }
    size_t nbytes() const { return itemsize() * size_t(numel()); }
    bool has_storage() const { return defined(); }

    ScalarType scalar_type() const { return ScalarType(fl_dtype_of(checked())); }
    TypeMeta dtype() const { return scalar_type(); }
    DeprecatedTypeProperties type() const { return DeprecatedTypeProperties(scalar_type()); }
    Device device() const { return Device(is_meta() ? kMeta : kCPU); }
    int64_t get_device() const { return -1; }
    Layout layout() const { return kStrided; }
    TensorOptions options() const { return TensorOptions(scalar_type()).device(device()).layout(kStrided); }
    /// The memory format that the strides suggest; contiguous if they are ambiguous.
    MemoryFormat suggest_memory_format() const {
        const int64_t rank = dim();
        int64_t least = 0;
        if ((rank != 4 && rank != 5) || stride(1) == 0) return MemoryFormat::Contiguous;
        for (int64_t i = 0; i < rank; ++i) {
            const int64_t d = channels_last_dimension(rank, i);
            if (size(d) == 0 || stride(d) < least || (d == 0 && least == stride(1))) return MemoryFormat::Contiguous;
            least = stride(d) * (size(d) > 1 ? size(d) : 1);
        }
        return rank == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
    }
    std::string toString() const { return type().toString(); }
    bool is_cpu() const { return !is_meta(); }
    bool is_cuda() const { return false; }
    bool is_xpu() const { return false; }
    bool is_mps() const { return false; }
    bool is_hip() const { return false; }
    bool is_meta() const { return fl_flags(checked()) & FL_IS_META; }
    bool is_sparse() const { return false; }
    bool is_mkldnn() const { return false; }
    bool is_quantized() const { return false; }
    bool is_nested() const { return false; }
    bool is_floating_point() const { return isFloatingType(scalar_type()); }
    bool is_complex() const { return isComplexType(scalar_type()); }
    bool is_signed() const { return isSignedType(scalar_type()); }
    bool is_conj() const { return false; }
    bool is_neg() const { return false; }
    bool has_names() const { return false; }

    /* data_ptr returns the address without checks. mutable_data_ptr rejects read-only memory and increments the
     * version, so that autograd detects writes to saved tensors; it may be used to write to a leaf that requires
     * grad. */
    void *data_ptr() const { return const_cast<void *>(fl_const_data(checked())); }
    const void *const_data_ptr() const { return fl_const_data(checked()); }
    void *mutable_data_ptr() const {
        const int recording = fl_grad_mode(0);
        void *data = fl_data(checked());
        fl_grad_mode(recording);
        if (!data) throw Error::recorded();
        return data;
    }
    template <class T> T *data_ptr() const { return static_cast<T *>((check_type<T>(), data_ptr())); }
    template <class T> const std::remove_const_t<T> *const_data_ptr() const {
        return static_cast<const T *>((check_type<std::remove_const_t<T>>(), const_data_ptr()));
    }
    template <class T> T *mutable_data_ptr() const { return static_cast<T *>((check_type<T>(), mutable_data_ptr())); }
    template <class T> T *data() const { return data_ptr<T>(); }

    template <class T, size_t n> TensorAccessor<T, n> accessor() const & {
        check_dim(n);
        return {data_ptr_of<T>(), fl_sizes(handle_), fl_strides(handle_)};
    }
    template <class T, size_t n> TensorAccessor<T, n> accessor() && = delete; /* the tensor would dangle */
    template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
    PackedTensorAccessor<T, n, PtrTraits, index_t> packed_accessor() const & {
        check_dim(n);
        TORCH_CHECK(numel() <= int64_t(std::numeric_limits<index_t>::max()),
                    "numel needs to be smaller than the index type's maximum; otherwise please use packed_accessor64");
        return {data_ptr_of<T>(), fl_sizes(handle_), fl_strides(handle_)};
    }
    template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor<T, n, PtrTraits, int32_t> packed_accessor32() const & {
        return packed_accessor<T, n, PtrTraits, int32_t>();
    }
    template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor<T, n, PtrTraits, int64_t> packed_accessor64() const & {
        return packed_accessor<T, n, PtrTraits, int64_t>();
    }

    Scalar item() const;
    template <class T> T item() const { return item().to<T>(); }
    std::vector<Tensor> unbind_(int64_t) const = delete;
    const Tensor &resize_as_(const Tensor &other, optional<MemoryFormat> = nullopt) const {
        resize_(other.sizes());
        return *this;
    }

    Tensor operator[](int64_t i) const;
    Tensor operator[](const Tensor &index) const;
    Tensor operator[](const Scalar &index) const;
    Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
    Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
    Tensor index(const std::vector<optional<Tensor>> &indices) const;
    Tensor index(std::initializer_list<Tensor> indices) const;
    Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor &values);
    Tensor &index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar &value);
    Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor &values);
    Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar &value);
    Tensor &index_put_(const std::vector<optional<Tensor>> &indices, const Tensor &values, bool accumulate = false);

    Tensor to(ScalarType type, bool non_blocking = false, bool copy = false, optional<MemoryFormat> = nullopt) const;
    Tensor to(TensorOptions options, bool non_blocking = false, bool copy = false,
              optional<MemoryFormat> = nullopt) const;
    Tensor to(Device device, ScalarType type, bool non_blocking = false, bool copy = false,
              optional<MemoryFormat> = nullopt) const;
    Tensor to(const Tensor &other, bool non_blocking = false, bool copy = false,
              optional<MemoryFormat> = nullopt) const;
    Tensor toType(ScalarType type) const { return to(type); }
    Tensor cpu() const { return *this; }
    Tensor cuda() const { return to(TensorOptions(kCUDA)); }
    Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    Tensor alias() const;
    Tensor numpy_T() const { return dim() < 2 ? alias() : permute(reversed_dims()); }
    Tensor mT() const { return transpose(-2, -1); }
    Tensor variable_data() const { return detach(); }
    Tensor tensor_data() const { return detach(); }
    Tensor view(IntArrayRef size) const;
    Tensor view(ScalarType type) const;

    bool requires_grad() const { return fl_flags(checked()) & FL_REQUIRES_GRAD; }
    bool is_leaf() const { return fl_flags(checked()) & FL_IS_LEAF; }
    bool is_view() const { return fl_flags(checked()) & FL_IS_VIEW; }
    const Tensor &set_requires_grad(bool on) const;
    Tensor &requires_grad_(bool on = true) const;
    Tensor grad() const;
    GradReference mutable_grad() const;
    /* Equivalent to `x.data = other` in Python; requires torch/extension.h, torch/all.h or torch/nn.h. */
    void set_data(const Tensor &other) const;
    void set_grad(const Tensor &grad) const;
    void retain_grad() const;
    /* Call hook(gradient) when the gradient is computed; a tensor that it returns replaces the gradient. */
    template <class Hook> unsigned register_hook(Hook &&hook) const;
    void remove_hook(unsigned position) const;
    void backward(const Tensor &gradient = {}, optional<bool> retain_graph = nullopt, bool create_graph = false,
                  optional<TensorList> inputs = nullopt) const;
    /* The node of the graph that computes the gradient, or null; and the number of the result that the tensor is. */
    std::shared_ptr<torch::autograd::Node> grad_fn() const;
    uint32_t output_nr() const;
    int64_t _version() const { return fl_version(checked()); }
    bool is_alias_of(const Tensor &other) const;

    Tensor operator-() const { return neg(); }
    Tensor operator~() const { return bitwise_not(); }
    Tensor &operator+=(const Tensor &other) { return add_(other); }
    Tensor &operator+=(const Scalar &other) { return add_(other); }
    Tensor &operator-=(const Tensor &other) { return sub_(other); }
    Tensor &operator-=(const Scalar &other) { return sub_(other); }
    Tensor &operator*=(const Tensor &other) { return mul_(other); }
    Tensor &operator*=(const Scalar &other) { return mul_(other); }
    Tensor &operator/=(const Tensor &other) { return div_(other); }
    Tensor &operator/=(const Scalar &other) { return div_(other); }
    Tensor &operator&=(const Tensor &other) { return bitwise_and_(other); }
    Tensor &operator|=(const Tensor &other) { return bitwise_or_(other); }
    Tensor &operator^=(const Tensor &other) { return bitwise_xor_(other); }

#include <ATen/MethodDeclarations.h>

    /* Forms that take symbolic sizes. */
    Tensor view_symint(SymIntArrayRef size) const { return view(c10::asIntArrayRefUnchecked(size)); }
    Tensor reshape_symint(SymIntArrayRef shape) const { return reshape(c10::asIntArrayRefUnchecked(shape)); }
    Tensor expand_symint(SymIntArrayRef size, bool implicit = false) const {
        return expand(c10::asIntArrayRefUnchecked(size), implicit);
    }
    Tensor narrow_symint(int64_t dim, SymInt start, SymInt length) const {
        return narrow(dim, start.expect_int(), length.expect_int());
    }
    Tensor new_empty_symint(SymIntArrayRef size, const TensorOptions &options = {}) const {
        return new_empty(c10::asIntArrayRefUnchecked(size), options);
    }
    Tensor new_zeros_symint(SymIntArrayRef size, const TensorOptions &options = {}) const {
        return new_zeros(c10::asIntArrayRefUnchecked(size), options);
    }

  private:
    /// Dimensions of images and volumes in channels-last formats, from the innermost to the outermost.
    static int64_t channels_last_dimension(int64_t rank, int64_t i) {
        return i == 0 ? 1 : i == rank - 1 ? 0 : rank - i;
    }
    fl_tensor checked() const {
        if (C10_UNLIKELY(!handle_)) throw Error("an undefined Tensor was used");
        return handle_;
    }
    size_t wrapped(int64_t d) const {
        int64_t n = dim();
        TORCH_CHECK_INDEX(d >= -(n ? n : 1) && d < (n ? n : 1), "Dimension out of range (expected to be in range of [",
                          -(n ? n : 1), ", ", (n ? n : 1) - 1, "], but got ", d, ")");
        TORCH_CHECK_INDEX(n, "dimension specified as ", d, " but tensor has no dimensions");
        return size_t(d < 0 ? d + n : d);
    }
    std::vector<int64_t> reversed_dims() const {
        auto dims = std::vector<int64_t>(size_t(dim()));
        for (size_t i = 0; i < dims.size(); i++) dims[i] = int64_t(dims.size() - 1 - i);
        return dims;
    }
    template <class T> void check_type() const {
        if (C10_UNLIKELY(CppTypeToScalarType<T>::value != scalar_type())) wrong_type(CppTypeToScalarType<T>::value);
    }
    [[noreturn]] void wrong_type(ScalarType expected) const {
        throw Error(c10::str("expected scalar type ", expected, " but found ", scalar_type()));
    }
    void check_dim(size_t n) const {
        if (C10_UNLIKELY(int64_t(n) != dim()))
            throw Error(c10::str("TensorAccessor expected ", n, " dims but tensor has ", dim()));
    }
    template <class T> T *data_ptr_of() const {
        check_type<std::remove_const_t<T>>();
        return static_cast<T *>(data_ptr());
    }

    fl_tensor handle_;
};
static_assert(sizeof(Tensor) == sizeof(fl_tensor), "lists of tensors are lists of handles");

/* x.mutable_grad(): the gradient; assigning to it sets the gradient of x. */
class GradReference : public Tensor {
  public:
    GradReference &operator=(const Tensor &grad) {
        owner_.set_grad(grad);
        Tensor &self = *this;
        self = grad;
        return *this;
    }

  private:
    friend class Tensor;
    explicit GradReference(const Tensor &owner) : Tensor(owner.grad()), owner_(owner) {}
    Tensor owner_;
};

using TensorBase = Tensor;
std::ostream &operator<<(std::ostream &out, const Tensor &t);

}  // namespace at
