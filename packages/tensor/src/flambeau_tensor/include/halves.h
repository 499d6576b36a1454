/* The two 16-bit floating types as bit patterns: conversions that vectorize, round to nearest even and keep NaN. */
#ifndef FLAMBEAU_HALVES_H
#define FLAMBEAU_HALVES_H
#include <stddef.h>
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

/* Conversions of rows, because compilers do not vectorize loops over the two functions above. */
static inline void fl_halves_to_floats(const uint16_t* h, float* f, ptrdiff_t n) {
    ptrdiff_t i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16) _mm512_storeu_ps(f + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(h + i))));
#endif
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(f + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(h + i))));
    for (; i < n; i++) f[i] = _cvtsh_ss(h[i]);
}
static inline void fl_floats_to_halves(const float* f, uint16_t* h, ptrdiff_t n) {
    ptrdiff_t i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16) _mm256_storeu_si256((__m256i*)(h + i), _mm512_cvtps_ph(_mm512_loadu_ps(f + i), 0));
#endif
    for (; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i*)(h + i), _mm256_cvtps_ph(_mm256_loadu_ps(f + i), 0));
    for (; i < n; i++) h[i] = _cvtss_sh(f[i], 0);
}
#else
/* Without branches, so that loops over these functions vectorize. */
static inline float fl_half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = (uint32_t)(h & 0x7fffu);
    uint32_t normal = (magnitude << 13) + 0x38000000u, special = 0x7f800000u | (magnitude & 0x3ffu) << 13;
    /* subnormal: magnitude * 2^-24, exact in a float */
    uint32_t small = fl_float_bits((float)(int32_t)magnitude * 5.9604644775390625e-8f);
    uint32_t bits = magnitude < 0x400u ? small : normal;
    return fl_bits_float(sign | (magnitude >= 0x7c00u ? special : bits));
}
static inline uint16_t fl_float_to_half(float f) {
    uint32_t u = fl_float_bits(f), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    uint32_t normal = (a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13;
    /* adding 0.5 moves a subnormal's bits to the end of the sum, already rounded */
    uint32_t small = fl_float_bits(fl_bits_float(a < 0x38800000u ? a : 0u) + 0.5f) - 0x3f000000u;
    uint32_t bits = a < 0x38800000u ? small : normal;
    bits = a >= 0x477ff000u ? 0x7c00u : bits;
    return (uint16_t)(sign | (a > 0x7f800000u ? 0x7e00u : bits));
}
static inline void fl_halves_to_floats(const uint16_t* h, float* f, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) f[i] = fl_half_to_float(h[i]);
}
static inline void fl_floats_to_halves(const float* f, uint16_t* h, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) h[i] = fl_float_to_half(f[i]);
}
#endif
#endif
