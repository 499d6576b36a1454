/* Tiles of a product whose left factor is not stored: for tap t, its row r begins at a + at[t] + r * a_row. Written
   with the vector types of GCC and Clang; empty if packed_tiles.h is. */
#ifndef FLAMBEAU_IMPLICIT_TILES_H
#define FLAMBEAU_IMPLICIT_TILES_H
#include "channel_rows.h"

#if FL_HAS_TILES
#define FL_HAS_IMPLICIT 1

enum { FL_IMPLICIT_ROWS = FL_TILE_VECTOR == 64 ? 14 : 6 };

/* c[ROWS, `width` numbers] = the row `start` plus the sum over taps and k of a[.., k] b[of[t] + k]. */
#define FL_IMPLICIT_SUMS(ROWS, VECTORS)                                                                                \
    static void fl_implicit_sums_##ROWS##_##VECTORS(                                                                   \
        ptrdiff_t taps, const ptrdiff_t* at, const ptrdiff_t* of, ptrdiff_t k, const float* a, ptrdiff_t a_row,        \
        const float* b, const float* start, float* c, ptrdiff_t c_row, ptrdiff_t width) {                              \
        fl_tile_f sums[ROWS][VECTORS], v[VECTORS];                                                                     \
        float part[VECTORS * FL_LANES];                                                                                \
        ptrdiff_t t, p;                                                                                                \
        int r, i;                                                                                                      \
        for (i = 0; i < VECTORS; i++)                                                                                  \
            for (r = 0; r < ROWS; r++) sums[r][i] = *(const fl_tile_f*)(start + i * FL_LANES);                         \
        for (t = 0; t < taps; t++) {                                                                                   \
            const float* x = a + at[t];                                                                                \
            const float* y = b + of[t];                                                                                \
            for (p = 0; p < k; p++, x++, y += FL_PANEL) {                                                              \
                for (i = 0; i < VECTORS; i++) v[i] = *(const fl_tile_f*)(y + i * FL_LANES);                            \
                for (r = 0; r < ROWS; r++)                                                                             \
                    for (i = 0; i < VECTORS; i++) sums[r][i] += x[r * a_row] * v[i];                                   \
            }                                                                                                          \
        }                                                                                                              \
        for (r = 0; r < ROWS; r++, c += c_row) {                                                                       \
            if (width == VECTORS * FL_LANES) {                                                                         \
                for (i = 0; i < VECTORS; i++) *(fl_tile_f*)(c + i * FL_LANES) = sums[r][i];                            \
            } else {                                                                                                   \
                for (i = 0; i < VECTORS; i++) *(fl_tile_f*)(part + i * FL_LANES) = sums[r][i];                         \
                for (p = 0; p < width; p++) c[p] = part[p];                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }

/* c[ROWS, a panel or its first vector] += the sum over high x wide positions of a[.., r] b. */
#define FL_IMPLICIT_SLOPES(ROWS, VECTORS)                                                                              \
    static void fl_implicit_slopes_##ROWS##_##VECTORS(ptrdiff_t high, ptrdiff_t wide, const float* a, ptrdiff_t a_high,\
                                                      ptrdiff_t a_wide, const float* b, ptrdiff_t b_high, float* c) {  \
        fl_tile_f sums[ROWS][VECTORS], v[VECTORS];                                                                     \
        ptrdiff_t y, q;                                                                                                \
        int r, i;                                                                                                      \
        for (r = 0; r < ROWS; r++)                                                                                     \
            for (i = 0; i < VECTORS; i++) sums[r][i] = *(const fl_tile_f*)(c + r * FL_PANEL + i * FL_LANES);           \
        for (y = 0; y < high; y++) {                                                                                   \
            const float* from = a + y * a_high;                                                                        \
            const float* by = b + y * b_high;                                                                          \
            for (q = 0; q < wide; q++, from += a_wide, by += FL_PANEL) {                                               \
                for (i = 0; i < VECTORS; i++) v[i] = *(const fl_tile_f*)(by + i * FL_LANES);                           \
                for (r = 0; r < ROWS; r++)                                                                             \
                    for (i = 0; i < VECTORS; i++) sums[r][i] += from[r] * v[i];                                        \
            }                                                                                                          \
        }                                                                                                              \
        for (r = 0; r < ROWS; r++)                                                                                     \
            for (i = 0; i < VECTORS; i++) *(fl_tile_f*)(c + r * FL_PANEL + i * FL_LANES) = sums[r][i];                 \
    }

#define FL_I(ROWS)             \
    FL_IMPLICIT_SUMS(ROWS, 1)  \
    FL_IMPLICIT_SUMS(ROWS, 2)  \
    FL_IMPLICIT_SLOPES(ROWS, 1) \
    FL_IMPLICIT_SLOPES(ROWS, 2)
FL_I(1) FL_I(2) FL_I(3) FL_I(4) FL_I(5) FL_I(6)
#if FL_TILE_VECTOR == 64
FL_I(7) FL_I(8) FL_I(9) FL_I(10) FL_I(11) FL_I(12) FL_I(13) FL_I(14)
#endif
#undef FL_I
typedef void (*fl_implicit_sums_t)(ptrdiff_t, const ptrdiff_t*, const ptrdiff_t*, ptrdiff_t, const float*, ptrdiff_t,
                                   const float*, const float*, float*, ptrdiff_t, ptrdiff_t);
typedef void (*fl_implicit_slopes_t)(ptrdiff_t, ptrdiff_t, const float*, ptrdiff_t, ptrdiff_t, const float*, ptrdiff_t,
                                     float*);
#if FL_TILE_VECTOR == 64
#define FL_I(NAME)                                                                                                     \
    {{NAME##_1_1, NAME##_1_2}, {NAME##_2_1, NAME##_2_2}, {NAME##_3_1, NAME##_3_2}, {NAME##_4_1, NAME##_4_2},           \
     {NAME##_5_1, NAME##_5_2}, {NAME##_6_1, NAME##_6_2}, {NAME##_7_1, NAME##_7_2}, {NAME##_8_1, NAME##_8_2},           \
     {NAME##_9_1, NAME##_9_2}, {NAME##_10_1, NAME##_10_2}, {NAME##_11_1, NAME##_11_2}, {NAME##_12_1, NAME##_12_2},     \
     {NAME##_13_1, NAME##_13_2}, {NAME##_14_1, NAME##_14_2}}
#else
#define FL_I(NAME)                                                                                                     \
    {{NAME##_1_1, NAME##_1_2}, {NAME##_2_1, NAME##_2_2}, {NAME##_3_1, NAME##_3_2}, {NAME##_4_1, NAME##_4_2},           \
     {NAME##_5_1, NAME##_5_2}, {NAME##_6_1, NAME##_6_2}}
#endif
static const fl_implicit_sums_t fl_implicit_sums_of[FL_IMPLICIT_ROWS][2] = FL_I(fl_implicit_sums);
static const fl_implicit_slopes_t fl_implicit_slopes_of[FL_IMPLICIT_ROWS][2] = FL_I(fl_implicit_slopes);
#undef FL_I

/* Compute m rows, distributed evenly among tiles. */
static inline void fl_implicit_sums(ptrdiff_t m, ptrdiff_t taps, const ptrdiff_t* at, const ptrdiff_t* of, ptrdiff_t k,
                                    const float* a, ptrdiff_t a_row, const float* b, const float* start, float* c,
                                    ptrdiff_t c_row, ptrdiff_t width) {
    const ptrdiff_t count = (m + FL_IMPLICIT_ROWS - 1) / FL_IMPLICIT_ROWS;
    ptrdiff_t t, first, rows;
    for (t = 0; t < count; t++) {
        first = m * t / count;
        rows = m * (t + 1) / count - first;
        fl_implicit_sums_of[rows - 1][width > FL_LANES](taps, at, of, k, a + first * a_row, a_row, b, start,
                                                        c + first * c_row, c_row, width);
    }
}

static inline void fl_implicit_slopes(ptrdiff_t m, int half, ptrdiff_t high, ptrdiff_t wide, const float* a,
                                      ptrdiff_t a_high, ptrdiff_t a_wide, const float* b, ptrdiff_t b_high, float* c) {
    const ptrdiff_t count = (m + FL_IMPLICIT_ROWS - 1) / FL_IMPLICIT_ROWS;
    ptrdiff_t t, first, rows;
    for (t = 0; t < count; t++) {
        first = m * t / count;
        rows = m * (t + 1) / count - first;
        fl_implicit_slopes_of[rows - 1][!half](high, wide, a + first, a_high, a_wide, b, b_high, c + first * FL_PANEL);
    }
}

#else
#define FL_HAS_IMPLICIT 0
#define fl_implicit_sums(...) ((void)0)
#define fl_implicit_slopes(...) ((void)0)
#endif
#endif
