/* The two 16-bit floating point types: stored as bits, computed as float. */
#pragma once

#include <halves.h>

#include <cstdint>
#include <limits>
#include <ostream>

namespace c10 {

#define FL_HALF(Half, to_float, from_float)                                                                            \
    struct alignas(2) Half {                                                                                           \
        uint16_t x = 0;                                                                                                \
        struct from_bits_t {};                                                                                         \
        static constexpr from_bits_t from_bits() { return {}; }                                                        \
        Half() = default;                                                                                              \
        constexpr Half(uint16_t bits, from_bits_t) : x(bits) {}                                                        \
        Half(float value) : x(from_float(value)) {}                                                                    \
        operator float() const { return to_float(x); }                                                                 \
        Half &operator+=(float other) { return *this = Half(float(*this) + other); }                                   \
        Half &operator-=(float other) { return *this = Half(float(*this) - other); }                                   \
        Half &operator*=(float other) { return *this = Half(float(*this) * other); }                                   \
        Half &operator/=(float other) { return *this = Half(float(*this) / other); }                                   \
        friend Half operator+(Half a, Half b) { return Half(float(a) + float(b)); }                                    \
        friend Half operator-(Half a, Half b) { return Half(float(a) - float(b)); }                                    \
        friend Half operator*(Half a, Half b) { return Half(float(a) * float(b)); }                                    \
        friend Half operator/(Half a, Half b) { return Half(float(a) / float(b)); }                                    \
        friend Half operator-(Half a) { return Half(-float(a)); }                                                      \
        friend float operator+(Half a, float b) { return float(a) + b; }                                               \
        friend float operator-(Half a, float b) { return float(a) - b; }                                               \
        friend float operator*(Half a, float b) { return float(a) * b; }                                               \
        friend float operator/(Half a, float b) { return float(a) / b; }                                               \
        friend float operator+(float a, Half b) { return a + float(b); }                                               \
        friend float operator-(float a, Half b) { return a - float(b); }                                               \
        friend float operator*(float a, Half b) { return a * float(b); }                                               \
        friend float operator/(float a, Half b) { return a / float(b); }                                               \
        friend double operator+(Half a, double b) { return double(float(a)) + b; }                                     \
        friend double operator-(Half a, double b) { return double(float(a)) - b; }                                     \
        friend double operator*(Half a, double b) { return double(float(a)) * b; }                                     \
        friend double operator/(Half a, double b) { return double(float(a)) / b; }                                     \
        friend double operator+(double a, Half b) { return a + double(float(b)); }                                     \
        friend double operator-(double a, Half b) { return a - double(float(b)); }                                     \
        friend double operator*(double a, Half b) { return a * double(float(b)); }                                     \
        friend double operator/(double a, Half b) { return a / double(float(b)); }                                     \
        friend Half operator+(Half a, int b) { return Half(float(a) + float(b)); }                                     \
        friend Half operator-(Half a, int b) { return Half(float(a) - float(b)); }                                     \
        friend Half operator*(Half a, int b) { return Half(float(a) * float(b)); }                                     \
        friend Half operator/(Half a, int b) { return Half(float(a) / float(b)); }                                     \
        friend Half operator+(int a, Half b) { return Half(float(a) + float(b)); }                                     \
        friend Half operator-(int a, Half b) { return Half(float(a) - float(b)); }                                     \
        friend Half operator*(int a, Half b) { return Half(float(a) * float(b)); }                                     \
        friend Half operator/(int a, Half b) { return Half(float(a) / float(b)); }                                     \
        friend std::ostream &operator<<(std::ostream &out, Half a) { return out << float(a); }                         \
    }
FL_HALF(Half, fl_half_to_float, fl_float_to_half);
FL_HALF(BFloat16, fl_bf16_to_float, fl_float_to_bf16);
#undef FL_HALF

}  // namespace c10

namespace std {
template <> struct numeric_limits<c10::Half> : numeric_limits<float> {
    static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, min_exponent = -13, max_exponent = 16;
    static constexpr c10::Half bits(uint16_t x) { return c10::Half(x, c10::Half::from_bits()); }
    static constexpr c10::Half lowest() { return bits(0xFBFF); }
    static constexpr c10::Half min() { return bits(0x0400); }
    static constexpr c10::Half max() { return bits(0x7BFF); }
    static constexpr c10::Half epsilon() { return bits(0x1400); }
    static constexpr c10::Half infinity() { return bits(0x7C00); }
    static constexpr c10::Half quiet_NaN() { return bits(0x7E00); }
    static constexpr c10::Half denorm_min() { return bits(0x0001); }
};
template <> struct numeric_limits<c10::BFloat16> : numeric_limits<float> {
    static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
    static constexpr c10::BFloat16 bits(uint16_t x) { return c10::BFloat16(x, c10::BFloat16::from_bits()); }
    static constexpr c10::BFloat16 lowest() { return bits(0xFF7F); }
    static constexpr c10::BFloat16 min() { return bits(0x0080); }
    static constexpr c10::BFloat16 max() { return bits(0x7F7F); }
    static constexpr c10::BFloat16 epsilon() { return bits(0x3C00); }
    static constexpr c10::BFloat16 infinity() { return bits(0x7F80); }
    static constexpr c10::BFloat16 quiet_NaN() { return bits(0x7FC0); }
    static constexpr c10::BFloat16 denorm_min() { return bits(0x0001); }
};
}  // namespace std
