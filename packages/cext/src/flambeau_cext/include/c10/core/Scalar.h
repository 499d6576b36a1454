/* A number: bool, integer, floating point or complex. */
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/SymInt.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace c10 {

namespace detail {
template <class T> struct is_complex : std::false_type {};
template <class T> struct is_complex<complex<T>> : std::true_type {};
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_complex<T>::value || std::is_same_v<T, Half> ||
                                  std::is_same_v<T, BFloat16>;
}  // namespace detail

class Scalar {
  public:
    Scalar() : Scalar(int64_t(0)) {}
    Scalar(SymInt i) : Scalar(i.expect_int()) {}
    template <class T, class = std::enable_if_t<detail::is_number<T>>> Scalar(T number) {
        if constexpr (std::is_same_v<T, bool>) {
            value_ = fl_of_bool(number);
        } else if constexpr (std::is_integral_v<T>) {
            TORCH_CHECK(uint64_t(number) <= uint64_t(INT64_MAX) || std::is_signed_v<T>, "Scalar: ", number,
                        " does not fit into int64_t");
            value_ = fl_of_int(int64_t(number));
        } else if constexpr (detail::is_complex<T>::value) {
            value_ = fl_of_complex(double(number.real()), double(number.imag()));
        } else {
            value_ = fl_of_double(double(number));
        }
    }
    /* From a result of an operator. */
    static Scalar of(const fl_value &value) {
        TORCH_CHECK_TYPE(value.kind >= FL_VALUE_INT && value.kind <= FL_VALUE_COMPLEX, "expected a number");
        Scalar s;
        s.value_ = value;
        return s;
    }
    const fl_value &value() const { return value_; }

    bool isBoolean() const { return value_.kind == FL_VALUE_BOOL; }
    bool isFloatingPoint() const { return value_.kind == FL_VALUE_DOUBLE; }
    bool isComplex() const { return value_.kind == FL_VALUE_COMPLEX; }
    bool isIntegral(bool include_bool = false) const {
        return value_.kind == FL_VALUE_INT || (include_bool && isBoolean());
    }
    ScalarType type() const {
        return isComplex() ? kComplexDouble : isFloatingPoint() ? kDouble : isBoolean() ? kBool : kLong;
    }

    template <class T> T to() const {
        static_assert(detail::is_number<T>, "a Scalar becomes a number");
        if constexpr (detail::is_complex<T>::value) {
            using V = typename T::value_type;
            return isComplex() ? T(V(value_.as.re_im[0]), V(value_.as.re_im[1])) : T(V(real<double>()));
        } else {
            TORCH_CHECK(!isComplex() || value_.as.re_im[1] == 0, "value cannot be converted to type ",
                        CppTypeToScalarType<T>::value, " without overflow");
            return real<T>();
        }
    }
    int toInt() const { return to<int>(); }
    int64_t toLong() const { return to<int64_t>(); }
    float toFloat() const { return to<float>(); }
    double toDouble() const { return to<double>(); }
    bool toBool() const { return to<bool>(); }
    complex<double> toComplexDouble() const { return to<complex<double>>(); }
    template <class T> bool equal(T number) const {
        Scalar other(number);
        return toComplexDouble() == other.toComplexDouble();
    }
    Scalar operator-() const {
        TORCH_CHECK(!isBoolean(), "torch boolean negative, the `-` operator, is not supported.");
        if (isComplex()) return Scalar(-toComplexDouble());
        return isFloatingPoint() ? Scalar(-value_.as.real) : Scalar(-value_.as.integer);
    }

  private:
    template <class T> T real() const {
        if (isFloatingPoint() || isComplex()) {
            double number = isComplex() ? value_.as.re_im[0] : value_.as.real;
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
                TORCH_CHECK(number >= double(std::numeric_limits<T>::min()) &&
                                number <= double(std::numeric_limits<T>::max()),
                            "value cannot be converted to type ", CppTypeToScalarType<T>::value, " without overflow");
            return T(number);
        }
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
            TORCH_CHECK(sizeof(T) == 8 || (value_.as.integer >= int64_t(std::numeric_limits<T>::min()) &&
                                           value_.as.integer <= int64_t(std::numeric_limits<T>::max())),
                        "value cannot be converted to type ", CppTypeToScalarType<T>::value, " without overflow");
        return T(value_.as.integer);
    }
    fl_value value_;
};

inline std::ostream &operator<<(std::ostream &out, const Scalar &s) {
    if (s.isComplex()) return out << s.toComplexDouble();
    if (s.isFloatingPoint()) return out << s.toDouble();
    if (s.isBoolean()) return out << (s.toBool() ? "true" : "false");
    return out << s.toLong();
}

/* A number of another type; checked_convert throws an error with the name of the type if the value does not fit. */
template <class To, class From> To convert(From number) { return static_cast<To>(number); }
template <class To, class From> bool overflows(From number) {
    if constexpr (std::is_same_v<To, bool> || !std::is_arithmetic_v<To> || !std::is_arithmetic_v<From>) {
        return false;
    } else if constexpr (std::is_integral_v<To>) {
        const long double value = static_cast<long double>(number);
        return std::isnan(value) || value < static_cast<long double>(std::numeric_limits<To>::lowest()) ||
               value > static_cast<long double>(std::numeric_limits<To>::max());
    } else {
        const long double value = static_cast<long double>(number);
        return std::isfinite(value) && std::abs(value) > static_cast<long double>(std::numeric_limits<To>::max());
    }
}
template <class To, class From> To checked_convert(From number, const char *name) {
    TORCH_CHECK(!(overflows<To, From>(number)), "value cannot be converted to type ", name, " without overflow");
    return convert<To>(number);
}

}  // namespace c10
