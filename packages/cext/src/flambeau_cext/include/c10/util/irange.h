/* for (auto i : c10::irange(n)) and (begin, end). */
#pragma once

#include <type_traits>

namespace c10 {

namespace detail {
template <class I> struct Range {
    struct Iterator {
        I i;
        constexpr I operator*() const { return i; }
        constexpr Iterator &operator++() { return ++i, *this; }
        constexpr bool operator!=(const Iterator &other) const { return i != other.i; }
        constexpr bool operator==(const Iterator &other) const { return i == other.i; }
    };
    Iterator first, last;
    constexpr Iterator begin() const { return first; }
    constexpr Iterator end() const { return last; }
};
}  // namespace detail

template <class A, class B> constexpr detail::Range<B> irange(A begin, B end) {
    return {{B(begin)}, {end < B(begin) ? B(begin) : end}};
}
template <class I> constexpr detail::Range<I> irange(I end) { return {{I(0)}, {end < I(0) ? I(0) : end}}; }

}  // namespace c10
