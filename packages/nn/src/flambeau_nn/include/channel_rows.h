/* Transpose planes of channels to rows of channels, and back, in single precision. FL_LANES channels form a vector.
   Written with the vector types of GCC and Clang; empty if packed_tiles.h is. */
#ifndef FLAMBEAU_CHANNEL_ROWS_H
#define FLAMBEAU_CHANNEL_ROWS_H
#include "packed_tiles.h"

#if FL_HAS_TILES
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { FL_LANES = FL_TILE_VECTOR / 4, FL_PANEL = 2 * FL_LANES };

#ifdef __AVX__
/* Transpose a square of 8 x 8. */
static inline void fl_turn8(const float* x, ptrdiff_t step, float* out, ptrdiff_t out_step) {
    __m256 r[8], s[8];
    int i;
    for (i = 0; i < 4; i++) {
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x + i * step)),
                                    _mm_loadu_ps(x + (i + 4) * step), 1);
        r[4 + i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x + i * step + 4)),
                                        _mm_loadu_ps(x + (i + 4) * step + 4), 1);
    }
    for (i = 0; i < 8; i += 4) {
        s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
        s[i + 2] = _mm256_unpacklo_ps(r[i + 2], r[i + 3]);
        s[i + 3] = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
        _mm256_storeu_ps(out + i * out_step, _mm256_shuffle_ps(s[i], s[i + 2], 0x44));
        _mm256_storeu_ps(out + (i + 1) * out_step, _mm256_shuffle_ps(s[i], s[i + 2], 0xee));
        _mm256_storeu_ps(out + (i + 2) * out_step, _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44));
        _mm256_storeu_ps(out + (i + 3) * out_step, _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee));
    }
}
/* Transpose four pixels of 1 to 4 channels to rows of four numbers, padded with zeros. */
static inline void fl_turn4(const float* x, ptrdiff_t step, ptrdiff_t channels, float* out, ptrdiff_t row) {
    __m128 r[4];
    int i;
    for (i = 0; i < 4; i++) r[i] = i < channels ? _mm_loadu_ps(x + i * step) : _mm_setzero_ps();
    _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
    for (i = 0; i < 4; i++) _mm_storeu_ps(out + i * row, r[i]);
}
#else
static inline void fl_turn4(const float* x, ptrdiff_t step, ptrdiff_t channels, float* out, ptrdiff_t row) {
    int i, j;
    for (j = 0; j < 4; j++)
        for (i = 0; i < 4; i++) out[j * row + i] = i < channels ? x[i * step + j] : 0;
}

static inline void fl_turn8(const float* x, ptrdiff_t step, float* out, ptrdiff_t out_step) {
    int i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 8; j++) out[j * out_step + i] = x[i * step + j];
}
#endif

/* out[q][c] = x[c][q] for n numbers of `channels` planes with stride `step`. Rows have `wide` numbers, padded with
   zeros, and stride `row`. */
static inline void fl_turn_in(const float* x, ptrdiff_t step, ptrdiff_t n, ptrdiff_t channels, float* out, ptrdiff_t row,
                              ptrdiff_t wide) {
    ptrdiff_t c, q, i;
    for (c = 0; c + 8 <= channels; c += 8) {
        for (q = 0; q + 8 <= n; q += 8) fl_turn8(x + c * step + q, step, out + q * row + c, row);
        if (n >= 8 && q < n) {
            fl_turn8(x + c * step + n - 8, step, out + (n - 8) * row + c, row);
            q = n;
        }
        for (; q < n; q++)
            for (i = c; i < c + 8; i++) out[q * row + i] = x[i * step + q];
    }
    if (c == wide) return;
    q = 0;
    if (c < channels && wide - c <= 4 && (c == 0 || c + 4 <= row))  /* later writes overwrite the excess */
        for (; q + 4 < n; q += 4) fl_turn4(x + c * step + q, step, channels - c, out + q * row + c, row);
    for (; q < n; q++)
        for (i = c; i < wide; i++) out[q * row + i] = i < channels ? x[i * step + q] : 0;
}

/* out[c][q] = x[q][c]. */
static inline void fl_turn_out(const float* x, ptrdiff_t row, ptrdiff_t n, ptrdiff_t channels, float* out,
                               ptrdiff_t step) {
    ptrdiff_t c, q, i;
    for (c = 0; c + 8 <= channels; c += 8) {
        for (q = 0; q + 8 <= n; q += 8) fl_turn8(x + q * row + c, row, out + c * step + q, step);
        if (n >= 8 && q < n) {
            fl_turn8(x + (n - 8) * row + c, row, out + c * step + n - 8, step);
            q = n;
        }
        for (; q < n; q++)
            for (i = c; i < c + 8; i++) out[i * step + q] = x[q * row + i];
    }
    for (; c < channels; c++)
        for (q = 0; q < n; q++) out[c * step + q] = x[q * row + c];
}

#else
#define FL_LANES 8
#define FL_PANEL 16
#define fl_turn_in(...) ((void)0)
#define fl_turn_out(...) ((void)0)
#endif
#endif
