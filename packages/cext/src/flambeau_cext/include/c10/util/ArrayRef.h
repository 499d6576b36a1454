/* A view of contiguous elements that another object owns. */
#pragma once

#include <c10/core/SymInt.h>
#include <c10/util/Exception.h>

#include <array>
#include <initializer_list>
#include <ostream>
#include <vector>

namespace c10 {

template <class T> class ArrayRef final {
  public:
    using value_type = T;
    using size_type = size_t;
    using iterator = const T *;
    using const_iterator = const T *;
    using reverse_iterator = std::reverse_iterator<iterator>;

    constexpr ArrayRef() = default;
    constexpr ArrayRef(const T &one) : data_(&one), size_(1) {}
    constexpr ArrayRef(const T *data, size_t size) : data_(data), size_(size) {}
    constexpr ArrayRef(const T *begin, const T *end) : data_(begin), size_(size_t(end - begin)) {}
    template <class Allocator, class = std::enable_if_t<!std::is_same_v<T, bool>, Allocator>>
    ArrayRef(const std::vector<T, Allocator> &v) : data_(v.data()), size_(v.size()) {}
    template <size_t n> constexpr ArrayRef(const std::array<T, n> &a) : data_(a.data()), size_(n) {}
    template <size_t n> constexpr ArrayRef(const T (&a)[n]) : data_(a), size_(n) {}
    constexpr ArrayRef(const std::initializer_list<T> &list) : size_(list.size()) { data_ = list.begin(); }

    constexpr iterator begin() const { return data_; }
    constexpr iterator end() const { return data_ + size_; }
    reverse_iterator rbegin() const { return reverse_iterator(end()); }
    reverse_iterator rend() const { return reverse_iterator(begin()); }
    constexpr const T *data() const { return data_; }
    constexpr size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const T &front() const { return at(0); }
    constexpr const T &back() const { return at(size_ - 1); }
    constexpr const T &operator[](size_t i) const { return data_[i]; }
    constexpr const T &at(size_t i) const {
        TORCH_CHECK_INDEX(i < size_, "ArrayRef: invalid index ", i, " of ", size_);
        return data_[i];
    }
    constexpr ArrayRef slice(size_t start, size_t count) const {
        TORCH_CHECK_INDEX(start + count <= size_, "ArrayRef: invalid slice of ", count, " from ", start, " of ", size_);
        return {data_ + start, count};
    }
    constexpr ArrayRef slice(size_t start) const { return slice(start, size_ - start); }
    constexpr bool equals(ArrayRef other) const {
        if (size_ != other.size_) return false;
        for (size_t i = 0; i < size_; i++)
            if (!(data_[i] == other.data_[i])) return false;
        return true;
    }
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

  private:
    const T *data_ = nullptr;
    size_t size_ = 0;
};

template <class T> std::ostream &operator<<(std::ostream &out, ArrayRef<T> list) {
    out << '[';
    for (size_t i = 0; i < list.size(); i++) out << (i ? ", " : "") << list[i];
    return out << ']';
}

template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <class T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
template <class T> bool operator==(ArrayRef<T> a, const std::vector<T> &b) { return a.equals(b); }
template <class T> bool operator!=(ArrayRef<T> a, const std::vector<T> &b) { return !a.equals(b); }
template <class T> bool operator==(const std::vector<T> &a, ArrayRef<T> b) { return b.equals(a); }
template <class T> bool operator!=(const std::vector<T> &a, ArrayRef<T> b) { return !b.equals(a); }

template <class T> ArrayRef<T> makeArrayRef(const std::vector<T> &v) { return v; }
template <class T> ArrayRef<T> makeArrayRef(const T *data, size_t size) { return {data, size}; }

using IntArrayRef = ArrayRef<int64_t>;
using IntList = ArrayRef<int64_t>;
using SymIntArrayRef = ArrayRef<SymInt>;
using DimVector = std::vector<int64_t>;
template <class T, unsigned n = 0> using SmallVector = std::vector<T>;

/* The same elements in the other type. */
inline SymIntArrayRef fromIntArrayRefSlow(IntArrayRef list) {
    return {reinterpret_cast<const SymInt *>(list.data()), list.size()};
}
inline SymIntArrayRef fromIntArrayRefUnchecked(IntArrayRef list) { return fromIntArrayRefSlow(list); }
inline SymIntArrayRef fromIntArrayRefKnownNonNegative(IntArrayRef list) { return fromIntArrayRefSlow(list); }
inline IntArrayRef asIntArrayRefUnchecked(SymIntArrayRef list) {
    return {reinterpret_cast<const int64_t *>(list.data()), list.size()};
}
inline IntArrayRef asIntArrayRefSlow(SymIntArrayRef list, const char *, int64_t) { return asIntArrayRefUnchecked(list); }
inline std::optional<IntArrayRef> asIntArrayRefSlowOpt(SymIntArrayRef list) { return asIntArrayRefUnchecked(list); }
#define C10_AS_INTARRAYREF_SLOW(list) c10::asIntArrayRefSlow(list, __FILE__, __LINE__)

}  // namespace c10
