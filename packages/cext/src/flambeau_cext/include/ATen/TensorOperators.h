/* a + b and similar operators, with numbers on either side. */
#pragma once

#include <ATen/Functions.h>

namespace at {

#define FL_BINARY(op, function, with_number_first)                                                         \
    inline Tensor operator op(const Tensor &a, const Tensor &b) { return a.function(b); }                  \
    inline Tensor operator op(const Tensor &a, const Scalar &b) { return a.function(b); }                  \
    inline Tensor operator op(const Scalar &a, const Tensor &b) { return with_number_first; }
FL_BINARY(+, add, at::add(a, b))
FL_BINARY(-, sub, at::sub(a, b))
FL_BINARY(*, mul, at::mul(a, b))
FL_BINARY(/, div, at::div(a, b))
FL_BINARY(%, remainder, at::remainder(full({}, a, b.options()), b))
FL_BINARY(&, bitwise_and, b.bitwise_and(a))
FL_BINARY(|, bitwise_or, b.bitwise_or(a))
FL_BINARY(^, bitwise_xor, b.bitwise_xor(a))
FL_BINARY(<, lt, b.gt(a))
FL_BINARY(<=, le, b.ge(a))
FL_BINARY(>, gt, b.lt(a))
FL_BINARY(>=, ge, b.le(a))
FL_BINARY(==, eq, b.eq(a))
FL_BINARY(!=, ne, b.ne(a))
#undef FL_BINARY
inline Tensor operator!(const Tensor &a) { return a.logical_not(); }

}  // namespace at
