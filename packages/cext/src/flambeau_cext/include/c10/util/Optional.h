/* std::optional under its name before C++17, and lists that may be missing. */
#pragma once

#include <c10/util/ArrayRef.h>

#include <optional>

namespace c10 {

using std::in_place;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;

/* Accepts everything that ArrayRef accepts, and nullopt. It does not own the elements, except for a single number. */
template <class T> class OptionalArrayRef final {
  public:
    constexpr OptionalArrayRef() = default;
    constexpr OptionalArrayRef(nullopt_t) {}
    constexpr OptionalArrayRef(std::initializer_list<T> list) : list_(list) {}
    constexpr OptionalArrayRef(const optional<ArrayRef<T>> &list) : list_(list) {}
    OptionalArrayRef(const optional<std::vector<T>> &list) {
        if (list) list_ = ArrayRef<T>(*list);
    }
    template <class U, class = std::enable_if_t<std::is_constructible_v<ArrayRef<T>, const U &>>>
    constexpr OptionalArrayRef(const U &list) {
        if constexpr (std::is_arithmetic_v<U>) { /* it may have another type, so it is stored here */
            one_ = T(list);
            list_ = ArrayRef<T>(one_);
        } else {
            list_ = ArrayRef<T>(list);
        }
    }
    constexpr OptionalArrayRef(const OptionalArrayRef &other) { *this = other; }
    constexpr OptionalArrayRef &operator=(const OptionalArrayRef &other) {
        one_ = other.one_;
        list_ = other.list_ && other.list_->data() == &other.one_ ? ArrayRef<T>(one_) : other.list_;
        return *this;
    }

    constexpr bool has_value() const { return list_.has_value(); }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr ArrayRef<T> value() const { return list_.value(); }
    constexpr ArrayRef<T> operator*() const { return *list_; }
    constexpr const ArrayRef<T> *operator->() const { return &*list_; }
    constexpr ArrayRef<T> value_or(ArrayRef<T> other) const { return list_.value_or(other); }

  private:
    T one_ = T();
    optional<ArrayRef<T>> list_;
};
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

}  // namespace c10
