/* Building blocks of products of packed matrices. `fl_pack_T` stores a matrix (k, n) as panels with FL_PANEL_BYTES
   per row, one after another, the last one padded with zeros. `fl_tile_T_ROWS_VECTORS` multiplies some rows with a
   panel, or with its first half, and keeps the result in vector registers for the whole loop over k. Uses the vector
   types of GCC and Clang; empty for other compilers and for processors without fused multiply-add. */
#ifndef FLAMBEAU_PACKED_TILES_H
#define FLAMBEAU_PACKED_TILES_H
#include <stddef.h>
#include <string.h>

#include "transpose.h"

#if (defined(__GNUC__) || defined(__clang__)) && (defined(__FMA__) || defined(__aarch64__))
#define FL_HAS_TILES 1

#ifdef __AVX512F__
#define FL_TILE_VECTOR 64
#else
#define FL_TILE_VECTOR 32
#endif
#define FL_PANEL_BYTES (2 * FL_TILE_VECTOR)

typedef float fl_tile_f __attribute__((vector_size(FL_TILE_VECTOR), aligned(4), may_alias));
typedef double fl_tile_d __attribute__((vector_size(FL_TILE_VECTOR), aligned(8), may_alias));

/* c[ROWS, `width` columns of VECTORS] = a[ROWS, k] @ panel, plus rows at `from`, from_row apart, unless it is NULL. */
#define FL_TILE(T, V, ROWS, VECTORS)                                                                                   \
    static inline void fl_tile_##T##_##ROWS##_##VECTORS(                                                               \
        ptrdiff_t k, const T* a, ptrdiff_t a_row, ptrdiff_t a_col, const T* panel, const T* from, ptrdiff_t from_row,  \
        T* c, ptrdiff_t c_row, ptrdiff_t width) {                                                                      \
        enum { LANES = FL_TILE_VECTOR / sizeof(T), PANEL = 2 * LANES };                                                \
        V sums[ROWS][VECTORS], b[VECTORS];                                                                             \
        T part[PANEL];                                                                                                 \
        ptrdiff_t p;                                                                                                   \
        int r, v;                                                                                                      \
        for (r = 0; r < ROWS; r++)                                                                                     \
            for (v = 0; v < VECTORS; v++) sums[r][v] = (V){0};                                                         \
        for (p = 0; p < k; p++, panel += PANEL, a += a_col) {                                                          \
            for (v = 0; v < VECTORS; v++) b[v] = *(const V*)(panel + v * LANES);                                       \
            for (r = 0; r < ROWS; r++)                                                                                 \
                for (v = 0; v < VECTORS; v++) sums[r][v] += a[r * a_row] * b[v];                                       \
        }                                                                                                              \
        for (r = 0; r < ROWS; r++, c += c_row) {                                                                       \
            if (width == VECTORS * LANES) {                                                                            \
                for (v = 0; v < VECTORS; v++) {                                                                        \
                    if (from) sums[r][v] += *(const V*)(from + v * LANES);                                             \
                    *(V*)(c + v * LANES) = sums[r][v];                                                                 \
                }                                                                                                      \
            } else {                                                                                                   \
                for (v = 0; v < VECTORS; v++) *(V*)(part + v * LANES) = sums[r][v];                                    \
                for (p = 0; p < width; p++) c[p] = from ? from[p] + part[p] : part[p];                                 \
            }                                                                                                          \
            if (from) from += from_row;                                                                                \
        }                                                                                                              \
    }

/* The address of b[p, j] is b + p * row + j * col. */
#define FL_PACK(T)                                                                                                     \
    static inline void fl_pack_##T(ptrdiff_t n, ptrdiff_t k, const T* b, ptrdiff_t row, ptrdiff_t col, T* packed) {    \
        enum { PANEL = FL_PANEL_BYTES / sizeof(T) };                                                                   \
        ptrdiff_t j, p, q, width;                                                                                      \
        for (j = 0; j < n; j += PANEL, packed += PANEL * k) {                                                          \
            width = n - j < PANEL ? n - j : PANEL;                                                                     \
            if (width < PANEL) memset(packed, 0, PANEL * k * sizeof(T));                                               \
            if (col == 1) {                                                                                            \
                if (width == PANEL)                                                                                    \
                    for (p = 0; p < k; p++) memcpy(packed + p * PANEL, b + p * row + j, FL_PANEL_BYTES);               \
                else                                                                                                   \
                    for (p = 0; p < k; p++) memcpy(packed + p * PANEL, b + p * row + j, width * sizeof(T));            \
                continue;                                                                                              \
            }                                                                                                          \
            for (q = 0; q < width; q += 16) {                                                                          \
                const T* from = b + (j + q) * col;                                                                     \
                ptrdiff_t columns = width - q < 16 ? width - q : 16, i;                                                \
                p = 0;                                                                                                 \
                if (sizeof(T) == 4 && row == 1 && columns == 16)                                                       \
                    for (; p + 16 <= k; p += 16)                                                                       \
                        fl_turn16((const char*)(from + p), col * 4, (uint32_t*)(packed + p * PANEL + q), PANEL);       \
                for (i = 0; i < columns; i++)                                                                          \
                    for (ptrdiff_t e = p; e < k; e++) packed[e * PANEL + q + i] = from[e * row + i * col];             \
            }                                                                                                          \
        }                                                                                                              \
    }

FL_PACK(float)
FL_PACK(double)

#else
#define FL_HAS_TILES 0
#define FL_PANEL_BYTES 64
#endif
#endif
