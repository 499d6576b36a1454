/* Element access by index: a[i][j], with sizes and strides and no other overhead. */
#pragma once

#include <c10/util/ArrayRef.h>

namespace at {

template <class T> struct DefaultPtrTraits { using PtrType = T *; };
template <class T> struct RestrictPtrTraits { using PtrType = T *__restrict; };

template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
class TensorAccessorBase {
  public:
    using PtrType = typename PtrTraits<T>::PtrType;
    TensorAccessorBase(PtrType data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    c10::ArrayRef<index_t> sizes() const { return {sizes_, n}; }
    c10::ArrayRef<index_t> strides() const { return {strides_, n}; }
    index_t size(index_t i) const { return sizes_[i]; }
    index_t stride(index_t i) const { return strides_[i]; }
    PtrType data() const { return data_; }

  protected:
    PtrType data_;
    const index_t *sizes_, *strides_;
};

template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
class TensorAccessor : public TensorAccessorBase<T, n, PtrTraits, index_t> {
  public:
    using TensorAccessorBase<T, n, PtrTraits, index_t>::TensorAccessorBase;
    TensorAccessor<T, n - 1, PtrTraits, index_t> operator[](index_t i) const {
        return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
    }
};
template <class T, template <class> class PtrTraits, class index_t>
class TensorAccessor<T, 1, PtrTraits, index_t> : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
  public:
    using TensorAccessorBase<T, 1, PtrTraits, index_t>::TensorAccessorBase;
    T &operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};

/* The same with its own copy of sizes and strides, so that it outlives the tensor's. */
template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
class PackedTensorAccessor {
  public:
    using PtrType = typename PtrTraits<T>::PtrType;
    template <class I> PackedTensorAccessor(PtrType data, const I *sizes, const I *strides) : data_(data) {
        for (size_t i = 0; i < n; i++) sizes_[i] = index_t(sizes[i]), strides_[i] = index_t(strides[i]);
    }
    decltype(auto) operator[](index_t i) const {
        return TensorAccessor<T, n, PtrTraits, index_t>(data_, sizes_, strides_)[i];
    }
    c10::ArrayRef<index_t> sizes() const { return {sizes_, n}; }
    c10::ArrayRef<index_t> strides() const { return {strides_, n}; }
    index_t size(index_t i) const { return sizes_[i]; }
    index_t stride(index_t i) const { return strides_[i]; }
    PtrType data() const { return data_; }

  private:
    PtrType data_;
    index_t sizes_[n], strides_[n];
};
template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
using GenericPackedTensorAccessor = PackedTensorAccessor<T, n, PtrTraits, index_t>;
template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = PackedTensorAccessor<T, n, PtrTraits, int32_t>;
template <class T, size_t n, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = PackedTensorAccessor<T, n, PtrTraits, int64_t>;

}  // namespace at

namespace torch {
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
using at::TensorAccessor;
}  // namespace torch
