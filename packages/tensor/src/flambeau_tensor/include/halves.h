/* The two 16-bit floating types as bit patterns: conversions that vectorize, round to nearest even, keep NaN. */
#ifndef FLAMBEAU_HALVES_H
#define FLAMBEAU_HALVES_H
#include <stdint.h>
#include <string.h>

static inline float fl_bits_float(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static inline uint32_t fl_float_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

static inline float fl_bf16_to_float(uint16_t h) { return fl_bits_float((uint32_t)h << 16); }

static inline uint16_t fl_float_to_bf16(float f) {
    uint32_t u = fl_float_bits(f);
    uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

#if defined(__F16C__) && !defined(FLAMBEAU_SOFT_HALF)
#include <immintrin.h>
static inline float fl_half_to_float(uint16_t h) { return _cvtsh_ss(h); }
static inline uint16_t fl_float_to_half(float f) { return _cvtss_sh(f, 0); }
#else
static inline float fl_half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = (uint32_t)(h & 0x7fffu);
    if (magnitude >= 0x7c00u) return fl_bits_float(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude >= 0x400u) return fl_bits_float(sign | ((magnitude << 13) + 0x38000000u));
    /* subnormal: magnitude * 2^-24, exact in a float */
    return fl_bits_float(sign | fl_float_bits((float)magnitude * 5.9604644775390625e-8f));
}
static inline uint16_t fl_float_to_half(float f) {
    uint32_t u = fl_float_bits(f), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
    if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    if (a < 0x38800000u) /* adding 0.5 puts the subnormal's bits at the end of the sum, already rounded */
        return (uint16_t)(sign | (fl_float_bits(fl_bits_float(a) + 0.5f) - 0x3f000000u));
    return (uint16_t)(sign | ((a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13));
}
#endif
#endif
