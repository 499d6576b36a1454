/* Matrix products in blocks that stay in the cache: c (+)= a @ b; every matrix may be stored transposed. For
   processors with AVX-512, where it is faster than OpenBLAS from about half a million multiplications, with the
   largest gain if both factors are contiguous along the summed dimension. On other processors it is not faster, and
   this file is empty. The loops have the order of Goto and van de Geijn, "Anatomy of high-performance matrix
   multiplication" (2008), with panels of b in the second-level cache and a tile of rows of a in the first. */
#ifndef FLAMBEAU_BLOCKED_GEMM_H
#define FLAMBEAU_BLOCKED_GEMM_H
#include <stdint.h>
#include <stdlib.h>

#include "packed_tiles.h"

#if FL_HAS_TILES && defined(__AVX512F__)
#define FL_HAS_BLOCKED 1

enum {
    FL_BLOCK_ROWS = 14,          /* rows of a tile: with two vectors each, they use 28 of 32 registers */
    FL_BLOCK_K = 256,            /* rows of b that are packed together */
    FL_BLOCK_BYTES = 4096,       /* bytes of such a row */
    FL_FAR = 1024,               /* bytes between rows of a from which they compete for cache lines */
    FL_HELD = FL_BLOCK_K + 16    /* elements between rows of a copied for this reason */
};

#define FL_BLOCKED(T, V)                                                                                               \
    FL_TILE(T, V, 1, 1) FL_TILE(T, V, 2, 1) FL_TILE(T, V, 3, 1) FL_TILE(T, V, 4, 1) FL_TILE(T, V, 5, 1)                \
    FL_TILE(T, V, 6, 1) FL_TILE(T, V, 7, 1) FL_TILE(T, V, 8, 1) FL_TILE(T, V, 9, 1) FL_TILE(T, V, 10, 1)               \
    FL_TILE(T, V, 11, 1) FL_TILE(T, V, 12, 1) FL_TILE(T, V, 13, 1) FL_TILE(T, V, 14, 1)                                \
    FL_TILE(T, V, 1, 2) FL_TILE(T, V, 2, 2) FL_TILE(T, V, 3, 2) FL_TILE(T, V, 4, 2) FL_TILE(T, V, 5, 2)                \
    FL_TILE(T, V, 6, 2) FL_TILE(T, V, 7, 2) FL_TILE(T, V, 8, 2) FL_TILE(T, V, 9, 2) FL_TILE(T, V, 10, 2)               \
    FL_TILE(T, V, 11, 2) FL_TILE(T, V, 12, 2) FL_TILE(T, V, 13, 2) FL_TILE(T, V, 14, 2)                                \
    typedef void (*fl_tile_of_##T)(ptrdiff_t, const T*, ptrdiff_t, ptrdiff_t, const T*, const T*, ptrdiff_t, T*,       \
                                   ptrdiff_t, ptrdiff_t);                                                              \
    static const fl_tile_of_##T fl_tiles_##T[2][FL_BLOCK_ROWS] = {                                                     \
        {fl_tile_##T##_1_1, fl_tile_##T##_2_1, fl_tile_##T##_3_1, fl_tile_##T##_4_1, fl_tile_##T##_5_1,                \
         fl_tile_##T##_6_1, fl_tile_##T##_7_1, fl_tile_##T##_8_1, fl_tile_##T##_9_1, fl_tile_##T##_10_1,               \
         fl_tile_##T##_11_1, fl_tile_##T##_12_1, fl_tile_##T##_13_1, fl_tile_##T##_14_1},                              \
        {fl_tile_##T##_1_2, fl_tile_##T##_2_2, fl_tile_##T##_3_2, fl_tile_##T##_4_2, fl_tile_##T##_5_2,                \
         fl_tile_##T##_6_2, fl_tile_##T##_7_2, fl_tile_##T##_8_2, fl_tile_##T##_9_2, fl_tile_##T##_10_2,               \
         fl_tile_##T##_11_2, fl_tile_##T##_12_2, fl_tile_##T##_13_2, fl_tile_##T##_14_2}};                             \
    /* Compute rows of c for a packed block of b; rows of a are distributed evenly among tiles. */                     \
    static void fl_block_##T(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const T* a, ptrdiff_t a_row, ptrdiff_t a_col,      \
                             const T* packed, T* c, ptrdiff_t c_row, int add) {                                        \
        enum { LANES = FL_TILE_VECTOR / sizeof(T), PANEL = 2 * LANES };                                                \
        const ptrdiff_t count = (m + FL_BLOCK_ROWS - 1) / FL_BLOCK_ROWS;                                               \
        const int copied = a_col == 1 && a_row * (ptrdiff_t)sizeof(T) >= FL_FAR && n > PANEL;                          \
        T held[FL_BLOCK_ROWS * FL_HELD];                                                                               \
        ptrdiff_t t, i, j, first, rows, width;                                                                         \
        for (t = 0; t < count; t++) {                                                                                  \
            const T* x;                                                                                                \
            T* y;                                                                                                      \
            first = m * t / count;                                                                                     \
            rows = m * (t + 1) / count - first;                                                                        \
            x = a + first * a_row;                                                                                     \
            y = c + first * c_row;                                                                                     \
            for (i = 0; copied && i < rows; i++) memcpy(held + i * FL_HELD, x + i * a_row, k * sizeof(T));             \
            for (j = 0; j < n; j += PANEL) {                                                                           \
                width = n - j < PANEL ? n - j : PANEL;                                                                 \
                fl_tiles_##T[width > LANES][rows - 1](k, copied ? held : x, copied ? FL_HELD : a_row, a_col,           \
                                                      packed + j * k, add ? y + j : NULL, c_row, y + j, c_row, width); \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    /* Returns 0 if memory for the packed block cannot be allocated. */                                                \
    static int fl_blocked_##T(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const void* a_, ptrdiff_t a_row, ptrdiff_t a_col, \
                              const void* b_, ptrdiff_t b_row, ptrdiff_t b_col, void* c_, ptrdiff_t c_row, int add) {  \
        enum { PANEL = FL_PANEL_BYTES / sizeof(T), MOST = FL_BLOCK_BYTES / sizeof(T) };                                \
        const T* a = (const T*)a_;                                                                                     \
        const T* b = (const T*)b_;                                                                                     \
        T* c = (T*)c_;                                                                                                 \
        ptrdiff_t wide = n < MOST ? (n + PANEL - 1) / PANEL * PANEL : MOST, deep = k < FL_BLOCK_K ? k : FL_BLOCK_K;    \
        ptrdiff_t j, p, columns, rows;                                                                                 \
        void* memory = malloc(wide * deep * sizeof(T) + FL_TILE_VECTOR);                                               \
        T* packed = (T*)(((uintptr_t)memory + FL_TILE_VECTOR - 1) / FL_TILE_VECTOR * FL_TILE_VECTOR);                  \
        if (memory == NULL) return 0;                                                                                  \
        for (j = 0; j < n; j += wide) {                                                                                \
            columns = n - j < wide ? n - j : wide;                                                                     \
            for (p = 0; p < k; p += deep) {                                                                            \
                rows = k - p < deep ? k - p : deep;                                                                    \
                fl_pack_##T(columns, rows, b + p * b_row + j * b_col, b_row, b_col, packed);                           \
                fl_block_##T(m, columns, rows, a + p * a_col, a_row, a_col, packed, c + j, c_row, add || p > 0);       \
            }                                                                                                          \
        }                                                                                                              \
        free(memory);                                                                                                  \
        return 1;                                                                                                      \
    }

FL_BLOCKED(float, fl_tile_f)
FL_BLOCKED(double, fl_tile_d)

#else
#define FL_HAS_BLOCKED 0
#define fl_blocked_float NULL
#define fl_blocked_double NULL
#endif
#endif
