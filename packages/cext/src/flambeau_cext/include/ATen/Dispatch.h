/* Run code for the element type of a tensor: AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "name", [&] { ... scalar_t ...
 * }). Types that are not listed raise a NotImplementedError that names them. */
#pragma once

#include <c10/core/ScalarType.h>

namespace at {
class DeprecatedTypeProperties;

namespace detail {
template <class T> c10::ScalarType scalar_type(const T &type) {
    if constexpr (std::is_convertible_v<const T &, c10::ScalarType>) return type;
    else return type.scalarType();
}
[[noreturn]] inline void not_dispatched(const char *name, c10::ScalarType type) {
    throw c10::NotImplementedError(c10::str('"', name, "\" not implemented for '", type, "'"));
}
}  // namespace detail
}  // namespace at

#define AT_DISPATCH_CASE_NAMED(type, hint, ...)                                             \
    case type: {                                                                            \
        using hint [[maybe_unused]] = ::c10::impl::ScalarTypeToCPPTypeT<type>;              \
        return __VA_ARGS__();                                                               \
    }
#define AT_PRIVATE_CASE_TYPE_USING_HINT(type, hint, ...) AT_DISPATCH_CASE_NAMED(type, hint, __VA_ARGS__)
#define AT_DISPATCH_CASE(type, ...) AT_DISPATCH_CASE_NAMED(type, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                 \
    [&] {                                                                                   \
        const auto &flambeau_type = TYPE;                                                   \
        const ::c10::ScalarType flambeau_scalar_type = ::at::detail::scalar_type(flambeau_type); \
        switch (flambeau_scalar_type) {                                                     \
            __VA_ARGS__                                                                     \
        default: ::at::detail::not_dispatched(NAME, flambeau_scalar_type);                  \
        }                                                                                   \
    }()

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)            \
    AT_DISPATCH_CASE(::c10::kDouble, __VA_ARGS__)       \
    AT_DISPATCH_CASE(::c10::kFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)    \
    AT_DISPATCH_CASE(::c10::kHalf, __VA_ARGS__)         \
    AT_DISPATCH_CASE(::c10::kBFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)             \
    AT_DISPATCH_CASE(::c10::kComplexDouble, __VA_ARGS__) \
    AT_DISPATCH_CASE(::c10::kComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)            \
    AT_DISPATCH_CASE(::c10::kByte, __VA_ARGS__)         \
    AT_DISPATCH_CASE(::c10::kChar, __VA_ARGS__)         \
    AT_DISPATCH_CASE(::c10::kInt, __VA_ARGS__)          \
    AT_DISPATCH_CASE(::c10::kLong, __VA_ARGS__)         \
    AT_DISPATCH_CASE(::c10::kShort, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...) \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)        \
    AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)                 \
    AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__)        \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...)     \
    AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)             \
    AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)

/* Each set of types, and the set with up to five additional types. */
#define FL_CASES1(a, ...) AT_DISPATCH_CASE(a, __VA_ARGS__)
#define FL_CASES2(a, b, ...) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__)
#define FL_CASES3(a, b, c, ...) FL_CASES2(a, b, __VA_ARGS__) AT_DISPATCH_CASE(c, __VA_ARGS__)
#define FL_CASES4(a, b, c, d, ...) FL_CASES3(a, b, c, __VA_ARGS__) AT_DISPATCH_CASE(d, __VA_ARGS__)
#define FL_CASES5(a, b, c, d, e, ...) FL_CASES4(a, b, c, d, __VA_ARGS__) AT_DISPATCH_CASE(e, __VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
    AT_DISPATCH_FLOATING_TYPES_AND(::c10::kHalf, TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(A, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) FL_CASES1(A, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) FL_CASES2(A, B, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND3(A, B, C, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) FL_CASES3(A, B, C, __VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(A, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) FL_CASES1(A, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(A, B, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, \
                       AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) FL_CASES2(A, B, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(A, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) FL_CASES1(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(A, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) FL_CASES1(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) FL_CASES2(A, B, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(A, B, C, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) FL_CASES3(A, B, C, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(A, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) FL_CASES1(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(A, B, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) FL_CASES2(A, B, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(A, B, C, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) FL_CASES3(A, B, C, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(A, B, C, D, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, \
                       AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) FL_CASES4(A, B, C, D, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                           \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_NAMED(::c10::kInt, index_t, __VA_ARGS__) \
                                       AT_DISPATCH_CASE_NAMED(::c10::kLong, index_t, __VA_ARGS__))
