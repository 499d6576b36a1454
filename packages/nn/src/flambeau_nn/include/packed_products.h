/* Products with a matrix that is used many times: c += a @ b, or c = a row + a @ b. b (k, n) is packed into consecutive
   panels with rows of FL_PANEL_BYTES bytes, the last one padded with zeros. Also products of two matrices with many
   rows, c = b' @ a, which are gradients of weights. Tiles of c stay in vector registers over all of k. Written with the
   vector types of GCC and Clang; empty for other compilers and for processors without fused multiply-add. */
#ifndef FLAMBEAU_PACKED_PRODUCTS_H
#define FLAMBEAU_PACKED_PRODUCTS_H
#include "packed_tiles.h"

#if FL_HAS_TILES
#define FL_PACKED_ROWS (FL_TILE_VECTOR == 64 ? 8 : 4)

/* c[a panel, ROWS] = b' @ a over outer * inner rows: row (o, i) of a is at o * a_outer + i * a_inner, and rows of b
   likewise. b may be read beyond `width`, up to a panel. */
#define FL_OUTER_TILE(T, V, ROWS)                                                                                      \
    static inline void fl_outer_##T##_##ROWS(ptrdiff_t outer, ptrdiff_t inner, const T* a, ptrdiff_t a_outer,          \
                                             ptrdiff_t a_inner, const T* b, ptrdiff_t b_outer, ptrdiff_t b_inner,      \
                                             T* c, ptrdiff_t c_row, ptrdiff_t width) {                                 \
        enum { LANES = FL_TILE_VECTOR / sizeof(T), PANEL = 2 * LANES };                                                \
        V sums[ROWS][2], left, right;                                                                                  \
        T part[ROWS][PANEL];                                                                                           \
        ptrdiff_t o, i;                                                                                                \
        int r;                                                                                                         \
        for (r = 0; r < ROWS; r++) sums[r][0] = sums[r][1] = (V){0};                                                   \
        for (o = 0; o < outer; o++) {                                                                                  \
            const T *x = a + o * a_outer, *y = b + o * b_outer;                                                        \
            for (i = 0; i < inner; i++, x += a_inner, y += b_inner) {                                                  \
                left = *(const V*)y;                                                                                   \
                right = *(const V*)(y + LANES);                                                                        \
                for (r = 0; r < ROWS; r++) {                                                                           \
                    sums[r][0] += x[r] * left;                                                                         \
                    sums[r][1] += x[r] * right;                                                                        \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (r = 0; r < ROWS; r++) {                                                                                   \
            *(V*)part[r] = sums[r][0];                                                                                 \
            *(V*)(part[r] + LANES) = sums[r][1];                                                                       \
        }                                                                                                              \
        for (i = 0; i < width; i++)                                                                                    \
            for (r = 0; r < ROWS; r++) c[i * c_row + r] = part[r][i];                                                  \
    }

#define FL_PACKED_PRODUCT(T, V)                                                                                        \
    FL_TILE(T, V, 1, 2)                                                                                                \
    FL_TILE(T, V, 2, 2)                                                                                                \
    FL_TILE(T, V, 4, 2)                                                                                                \
    FL_TILE(T, V, 8, 2)                                                                                                \
    FL_OUTER_TILE(T, V, 1)                                                                                             \
    FL_OUTER_TILE(T, V, 4)                                                                                             \
    FL_OUTER_TILE(T, V, 8)                                                                                             \
    /* c (m, n), dense; from c, or from the row `start` where there is one. */                                         \
    static void fl_packed_##T(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const T* a, ptrdiff_t a_row, const T* packed,     \
                              const T* start, T* c) {                                                                  \
        enum { PANEL = FL_PANEL_BYTES / sizeof(T) };                                                                   \
        const ptrdiff_t apart = start ? 0 : n;                                                                         \
        ptrdiff_t i, j, r, width;                                                                                      \
        for (j = 0; j < n; j += PANEL, packed += PANEL * k) {                                                          \
            const T* from = (start ? start : c) + j;                                                                   \
            width = n - j < PANEL ? n - j : PANEL;                                                                     \
            i = 0;                                                                                                     \
            if (FL_PACKED_ROWS == 8)                                                                                   \
                for (; i + 8 <= m; i += 8) {                                                                           \
                    for (r = 0; r < 8; r++) { /* rows far apart, which nothing else foresees */                        \
                        __builtin_prefetch(c + (i + r) * n + j, 1);                                                    \
                        __builtin_prefetch(c + (i + r) * n + j + PANEL / 2, 1);                                        \
                    }                                                                                                  \
                    fl_tile_##T##_8_2(k, a + i * a_row, a_row, 1, packed, from + i * apart, apart, c + i * n + j, n,   \
                                      width);                                                                          \
                }                                                                                                      \
            for (; i + 4 <= m; i += 4)                                                                                 \
                fl_tile_##T##_4_2(k, a + i * a_row, a_row, 1, packed, from + i * apart, apart, c + i * n + j, n,       \
                                  width);                                                                              \
            if (i + 2 <= m) {                                                                                          \
                fl_tile_##T##_2_2(k, a + i * a_row, a_row, 1, packed, from + i * apart, apart, c + i * n + j, n,       \
                                  width);                                                                              \
                i += 2;                                                                                                \
            }                                                                                                          \
            if (i < m)                                                                                                 \
                fl_tile_##T##_1_2(k, a + i * a_row, a_row, 1, packed, from + i * apart, apart, c + i * n + j, n,       \
                                  width);                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    /* c (width of a panel, n), dense: see FL_OUTER_TILE. */                                                           \
    static void fl_outer_##T(ptrdiff_t outer, ptrdiff_t inner, ptrdiff_t n, const T* a, ptrdiff_t a_outer,             \
                             ptrdiff_t a_inner, const T* b, ptrdiff_t b_outer, ptrdiff_t b_inner, T* c,                \
                             ptrdiff_t width) {                                                                        \
        ptrdiff_t j = 0;                                                                                               \
        if (FL_PACKED_ROWS == 8)                                                                                       \
            for (; j + 8 <= n; j += 8)                                                                                 \
                fl_outer_##T##_8(outer, inner, a + j, a_outer, a_inner, b, b_outer, b_inner, c + j, n, width);         \
        for (; j + 4 <= n; j += 4)                                                                                     \
            fl_outer_##T##_4(outer, inner, a + j, a_outer, a_inner, b, b_outer, b_inner, c + j, n, width);             \
        for (; j < n; j++)                                                                                             \
            fl_outer_##T##_1(outer, inner, a + j, a_outer, a_inner, b, b_outer, b_inner, c + j, n, width);             \
    }

FL_PACKED_PRODUCT(float, fl_tile_f)
FL_PACKED_PRODUCT(double, fl_tile_d)

#else
#define fl_packed_float NULL
#define fl_outer_float NULL
#define fl_outer_double NULL
#define fl_packed_double NULL
#define fl_pack_float NULL
#define fl_pack_double NULL
#endif
#endif
