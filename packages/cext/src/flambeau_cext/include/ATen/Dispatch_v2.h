/* AT_DISPATCH_V2(type, "name", AT_WRAP([&] { ... }), AT_EXPAND(AT_FLOATING_TYPES), kHalf): any number of types. */
#pragma once

#include <ATen/Dispatch.h>

#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(types) types

#define AT_FLOATING_TYPES ::c10::kDouble, ::c10::kFloat
#define AT_BAREBONES_UNSIGNED_TYPES ::c10::kUInt16, ::c10::kUInt32, ::c10::kUInt64
#define AT_INTEGRAL_TYPES ::c10::kByte, ::c10::kChar, ::c10::kInt, ::c10::kLong, ::c10::kShort
#define AT_INTEGRAL_TYPES_V2 AT_INTEGRAL_TYPES, AT_BAREBONES_UNSIGNED_TYPES
#define AT_COMPLEX_TYPES ::c10::kComplexDouble, ::c10::kComplexFloat
#define AT_ALL_TYPES AT_INTEGRAL_TYPES, AT_FLOATING_TYPES
#define AT_ALL_TYPES_AND_COMPLEX AT_ALL_TYPES, AT_COMPLEX_TYPES

#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, FL_V2_CASES(AT_WRAP(BODY), __VA_ARGS__))

/* A case for each type. The body contains commas, so it is wrapped for each macro that passes it on. */
#define FL_V2_CASES(BODY, ...)                                                                                        \
    FL_V2_PICK(__VA_ARGS__, FL_V2_16, FL_V2_15, FL_V2_14, FL_V2_13, FL_V2_12, FL_V2_11, FL_V2_10, FL_V2_9, FL_V2_8,   \
               FL_V2_7, FL_V2_6, FL_V2_5, FL_V2_4, FL_V2_3, FL_V2_2, FL_V2_1)(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, macro, ...) macro
#define FL_V2_1(BODY, type) AT_DISPATCH_CASE(type, BODY)
#define FL_V2_2(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_1(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_3(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_2(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_4(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_3(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_5(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_4(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_6(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_5(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_7(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_6(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_8(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_7(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_9(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_8(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_10(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_9(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_11(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_10(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_12(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_11(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_13(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_12(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_14(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_13(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_15(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_14(AT_WRAP(BODY), __VA_ARGS__)
#define FL_V2_16(BODY, type, ...) AT_DISPATCH_CASE(type, BODY) FL_V2_15(AT_WRAP(BODY), __VA_ARGS__)
