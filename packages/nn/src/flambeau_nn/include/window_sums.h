/* Sums over windows of contiguous numbers, in single precision. For successive positions, tap k of a window reads
   successive numbers from offset `at[k]`, so all positions form one long row, and tiles of rows times positions stay in
   vector registers. Written with the vector types of GCC and Clang; empty for other compilers and for processors
   without fused multiply-add. Up to FL_WINDOW_SLACK numbers behind a row are read. */
#ifndef FLAMBEAU_WINDOW_SUMS_H
#define FLAMBEAU_WINDOW_SUMS_H
#include <stddef.h>
#include <string.h>

#define FL_WINDOW_ROWS 8  /* maximum in a tile */
#define FL_WINDOW_SLACK 128

#if (defined(__GNUC__) || defined(__clang__)) && (defined(__FMA__) || defined(__aarch64__))
#define FL_HAS_WINDOWS 1

#ifdef __AVX512F__
#define FL_WINDOW_LANES 16
#define FL_WIDE_ROWS 8
#else
#define FL_WINDOW_LANES 8
#define FL_WIDE_ROWS 4
#endif

typedef float fl_window_v __attribute__((vector_size(4 * FL_WINDOW_LANES), aligned(4), may_alias));
typedef float fl_window_8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float fl_window_4 __attribute__((vector_size(16), aligned(4), may_alias));

/* out[r][q] = start[r] + sum over k of w[k][r] * x[at[k] + q], for COUNT vectors of positions. */
#define FL_WINDOW_SUMS(ROWS, COUNT)                                                                              \
    static inline void fl_window_sums_##ROWS##_##COUNT(ptrdiff_t taps, const float* w, const float* x,           \
                                                       const ptrdiff_t* at, const float* start, float* out,      \
                                                       ptrdiff_t out_row) {                                      \
        fl_window_v sums[ROWS][COUNT], v[COUNT];                                                                 \
        ptrdiff_t k;                                                                                             \
        int r, c;                                                                                                \
        for (r = 0; r < ROWS; r++)                                                                               \
            for (c = 0; c < COUNT; c++) sums[r][c] = (fl_window_v){0} + start[r];                                \
        for (k = 0; k < taps; k++) {                                                                             \
            const float* from = x + at[k];                                                                       \
            for (c = 0; c < COUNT; c++) v[c] = *(const fl_window_v*)(from + c * FL_WINDOW_LANES);                \
            for (r = 0; r < ROWS; r++)                                                                           \
                for (c = 0; c < COUNT; c++) sums[r][c] += w[r] * v[c];                                           \
            w += ROWS;                                                                                           \
        }                                                                                                        \
        for (r = 0; r < ROWS; r++)                                                                               \
            for (c = 0; c < COUNT; c++) *(fl_window_v*)(out + r * out_row + c * FL_WINDOW_LANES) = sums[r][c];   \
    }

#define FL_WINDOW_LOOP(ROWS, COUNT)                                                                              \
    FL_WINDOW_SUMS(ROWS, COUNT)                                                                                  \
    FL_WINDOW_SUMS(ROWS, 1)                                                                                      \
    static void fl_window_rows_##ROWS(ptrdiff_t n, ptrdiff_t taps, const float* w, const float* x,               \
                                      const ptrdiff_t* at, const float* start, float* out, ptrdiff_t out_row) {  \
        ptrdiff_t q = 0;                                                                                         \
        for (; q + (COUNT - 1) * FL_WINDOW_LANES < n; q += COUNT * FL_WINDOW_LANES)                              \
            fl_window_sums_##ROWS##_##COUNT(taps, w, x + q, at, start, out + q, out_row);                        \
        for (; q < n; q += FL_WINDOW_LANES)                                                                      \
            fl_window_sums_##ROWS##_1(taps, w, x + q, at, start, out + q, out_row);                              \
    }

#ifdef __AVX512F__
FL_WINDOW_LOOP(8, 3)
FL_WINDOW_LOOP(4, 4)
FL_WINDOW_LOOP(2, 4)
FL_WINDOW_LOOP(1, 4)
#else
FL_WINDOW_LOOP(4, 3)
FL_WINDOW_LOOP(2, 4)
FL_WINDOW_LOOP(1, 8)
#endif

/* The number of rows of the next tile, if `left` remain. */
static inline int fl_window_tile(ptrdiff_t left) {
    return left >= FL_WIDE_ROWS ? FL_WIDE_ROWS : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* `rows` is a result of fl_window_tile. `out` has space for FL_WINDOW_SLACK more than n numbers. */
static void fl_window_rows(int rows, ptrdiff_t n, ptrdiff_t taps, const float* w, const float* x, const ptrdiff_t* at,
                           const float* start, float* out, ptrdiff_t out_row) {
#ifdef __AVX512F__
    if (rows == 8) fl_window_rows_8(n, taps, w, x, at, start, out, out_row);
#endif
    if (rows == 4) fl_window_rows_4(n, taps, w, x, at, start, out, out_row);
    if (rows == 2) fl_window_rows_2(n, taps, w, x, at, start, out, out_row);
    if (rows == 1) fl_window_rows_1(n, taps, w, x, at, start, out, out_row);
}

/* out[r][k] += sum over q of y[r][q] * x[at[k] + q]; y is followed by zeros. */
#define FL_WINDOW_DOTS(ROWS, COUNT)                                                                              \
    static void fl_window_dots_##ROWS##_##COUNT(ptrdiff_t n, const float* y, ptrdiff_t y_row, const float* x,    \
                                                const ptrdiff_t* at, float* out, ptrdiff_t out_row) {            \
        fl_window_v sums[ROWS][COUNT], v[ROWS], t;                                                               \
        ptrdiff_t q;                                                                                             \
        int r, c, i, half;                                                                                          \
        for (r = 0; r < ROWS; r++)                                                                               \
            for (c = 0; c < COUNT; c++) sums[r][c] = (fl_window_v){0};                                           \
        for (q = 0; q < n; q += FL_WINDOW_LANES) {                                                               \
            for (r = 0; r < ROWS; r++) v[r] = *(const fl_window_v*)(y + r * y_row + q);                          \
            for (c = 0; c < COUNT; c++) {                                                                        \
                t = *(const fl_window_v*)(x + at[c] + q);                                                        \
                for (r = 0; r < ROWS; r++) sums[r][c] += v[r] * t;                                               \
            }                                                                                                    \
        }                                                                                                        \
        for (r = 0; r < ROWS; r++)                                                                               \
            for (c = 0; c < COUNT; c++) {                                                                        \
                float t[FL_WINDOW_LANES];                                                                        \
                *(fl_window_v*)t = sums[r][c];                                                                   \
                for (half = FL_WINDOW_LANES / 2; half; half /= 2)                                                \
                    for (i = 0; i < half; i++) t[i] += t[i + half];                                              \
                out[r * out_row + c] += t[0];                                                                    \
            }                                                                                                    \
    }

#define FL_WINDOW_DOTS_LOOP(ROWS, COUNT)                                                                         \
    FL_WINDOW_DOTS(ROWS, COUNT)                                                                                  \
    FL_WINDOW_DOTS(ROWS, 1)                                                                                      \
    static void fl_window_products_##ROWS(ptrdiff_t n, ptrdiff_t taps, const float* y, ptrdiff_t y_row,          \
                                          const float* x, const ptrdiff_t* at, float* out, ptrdiff_t out_row) {  \
        ptrdiff_t k = 0;                                                                                         \
        for (; k + COUNT <= taps; k += COUNT)                                                                    \
            fl_window_dots_##ROWS##_##COUNT(n, y, y_row, x, at + k, out + k, out_row);                           \
        for (; k < taps; k++) fl_window_dots_##ROWS##_1(n, y, y_row, x, at + k, out + k, out_row);               \
    }

#ifdef __AVX512F__
FL_WINDOW_DOTS_LOOP(4, 6)
#define FL_DOT_ROWS 4
#else
#define FL_DOT_ROWS 2
#endif
FL_WINDOW_DOTS_LOOP(2, 5)
FL_WINDOW_DOTS_LOOP(1, 8)

static void fl_window_products(ptrdiff_t rows, ptrdiff_t n, ptrdiff_t taps, const float* y, ptrdiff_t y_row,
                               const float* x, const ptrdiff_t* at, float* out, ptrdiff_t out_row) {
    ptrdiff_t r = 0;
#ifdef __AVX512F__
    for (; r + 4 <= rows; r += 4) fl_window_products_4(n, taps, y + r * y_row, y_row, x, at, out + r * out_row, out_row);
#endif
    for (; r + 2 <= rows; r += 2) fl_window_products_2(n, taps, y + r * y_row, y_row, x, at, out + r * out_row, out_row);
    for (; r < rows; r++) fl_window_products_1(n, taps, y + r * y_row, y_row, x, at, out + r * out_row, out_row);
}

/* Rows are often so short that a call of memcpy would cost more than the copy. */
static inline void fl_window_copy(float* to, const float* from, ptrdiff_t n) {
    ptrdiff_t q = 0;
    if (n >= 64) {
        memcpy(to, from, n * sizeof(float));
    } else if (n >= 8) {
        for (; q + 8 <= n; q += 8) *(fl_window_8*)(to + q) = *(const fl_window_8*)(from + q);
        *(fl_window_8*)(to + n - 8) = *(const fl_window_8*)(from + n - 8);
    } else if (n >= 4) {
        *(fl_window_4*)to = *(const fl_window_4*)from;
        *(fl_window_4*)(to + n - 4) = *(const fl_window_4*)(from + n - 4);
    } else {
        for (; q < n; q++) to[q] = from[q];
    }
}

#else
#define FL_HAS_WINDOWS 0
static inline int fl_window_tile(ptrdiff_t left) { (void)left; return 1; }
static inline void fl_window_rows(int rows, ptrdiff_t n, ptrdiff_t taps, const float* w, const float* x,
                                  const ptrdiff_t* at, const float* start, float* out, ptrdiff_t out_row) {
    (void)rows, (void)n, (void)taps, (void)w, (void)x, (void)at, (void)start, (void)out, (void)out_row;
}
static inline void fl_window_products(ptrdiff_t rows, ptrdiff_t n, ptrdiff_t taps, const float* y, ptrdiff_t y_row,
                                      const float* x, const ptrdiff_t* at, float* out, ptrdiff_t out_row) {
    (void)rows, (void)n, (void)taps, (void)y, (void)y_row, (void)x, (void)at, (void)out, (void)out_row;
}
static inline void fl_window_copy(float* to, const float* from, ptrdiff_t n) { memcpy(to, from, n * sizeof(float)); }
#endif
#endif
