/* Transposes 16 by 16 elements of 4 bytes: rows at src, src + step, ... become the columns of out, whose rows are
   out_step elements apart. */
#ifndef FLAMBEAU_TRANSPOSE_H
#define FLAMBEAU_TRANSPOSE_H
#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
static inline void fl_turn16(const char* src, ptrdiff_t step, uint32_t* out, ptrdiff_t out_step) {
    int i, j;
    for (i = 0; i < 16; i += 4)
        for (j = 0; j < 16; j += 4) {
            __m128i a = _mm_loadu_si128((const __m128i*)(src + i * step + 4 * j));
            __m128i b = _mm_loadu_si128((const __m128i*)(src + (i + 1) * step + 4 * j));
            __m128i c = _mm_loadu_si128((const __m128i*)(src + (i + 2) * step + 4 * j));
            __m128i d = _mm_loadu_si128((const __m128i*)(src + (i + 3) * step + 4 * j));
            __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
            __m128i ef = _mm_unpackhi_epi32(a, b), gh = _mm_unpackhi_epi32(c, d);
            _mm_storeu_si128((__m128i*)(out + out_step * j + i), _mm_unpacklo_epi64(ab, cd));
            _mm_storeu_si128((__m128i*)(out + out_step * (j + 1) + i), _mm_unpackhi_epi64(ab, cd));
            _mm_storeu_si128((__m128i*)(out + out_step * (j + 2) + i), _mm_unpacklo_epi64(ef, gh));
            _mm_storeu_si128((__m128i*)(out + out_step * (j + 3) + i), _mm_unpackhi_epi64(ef, gh));
        }
}
#else
static inline void fl_turn16(const char* src, ptrdiff_t step, uint32_t* out, ptrdiff_t out_step) {
    int i, j;
    for (i = 0; i < 16; i++)
        for (j = 0; j < 16; j++) out[out_step * j + i] = ((const uint32_t*)(src + i * step))[j];
}
#endif
#endif
