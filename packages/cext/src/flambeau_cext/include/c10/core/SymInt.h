/* The types of symbolic sizes. Sizes are always numbers here, so a SymInt is an int64_t in a class of its own. */
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <type_traits>

namespace c10 {

using SymFloat = double;
using SymBool = bool;

class SymInt {
  public:
    enum Unchecked { UNCHECKED };

    constexpr SymInt() = default;
    template <class I, class = std::enable_if_t<std::is_integral_v<I>>> constexpr SymInt(I i) : value_(int64_t(i)) {}
    constexpr SymInt(Unchecked, int64_t i) : value_(i) {}

    constexpr int64_t guard_int(const char *, int64_t) const { return value_; }
    constexpr int64_t expect_int() const { return value_; }
    constexpr int64_t as_int_unchecked() const { return value_; }
    constexpr std::optional<int64_t> maybe_as_int() const { return value_; }
    constexpr bool expect_size(const char *, int64_t) const { return value_ >= 0; }
    constexpr bool is_symbolic() const { return false; }
    constexpr bool is_heap_allocated() const { return false; }
    constexpr bool has_hint() const { return true; }
    constexpr SymInt min(const SymInt &other) const { return value_ < other.value_ ? *this : other; }
    constexpr SymInt max(const SymInt &other) const { return value_ < other.value_ ? other : *this; }
    constexpr SymInt clone() const { return *this; }
    explicit constexpr operator double() const { return double(value_); }

#define FL_SYMBOLIC(op)                                                                                             \
    friend constexpr SymInt operator op(const SymInt &a, const SymInt &b) { return SymInt(a.value_ op b.value_); }  \
    constexpr SymInt &operator op##=(const SymInt &other) { return *this = *this op other; }
    FL_SYMBOLIC(+) FL_SYMBOLIC(-) FL_SYMBOLIC(*) FL_SYMBOLIC(/) FL_SYMBOLIC(%)
#undef FL_SYMBOLIC
#define FL_SYMBOLIC(op, name)                                                                                     \
    friend constexpr bool operator op(const SymInt &a, const SymInt &b) { return a.value_ op b.value_; }          \
    constexpr SymBool name(const SymInt &other) const { return *this op other; }
    FL_SYMBOLIC(==, sym_eq) FL_SYMBOLIC(!=, sym_ne) FL_SYMBOLIC(<, sym_lt) FL_SYMBOLIC(<=, sym_le)
    FL_SYMBOLIC(>, sym_gt) FL_SYMBOLIC(>=, sym_ge)
#undef FL_SYMBOLIC
    friend constexpr SymInt operator-(const SymInt &a) { return SymInt(-a.value_); }
    friend std::ostream &operator<<(std::ostream &out, const SymInt &i) { return out << i.value_; }

  private:
    int64_t value_ = 0;
};
static_assert(sizeof(SymInt) == sizeof(int64_t), "a list of numbers is a list of SymInts");

}  // namespace c10
