/* Blocked products of bfloat16 matrices with sums in single precision: c (+)= a @ b. They need the instruction of
   AVX512_BF16 that multiplies pairs of elements along k and adds the products to 16 sums: twice as many multiplications
   as in single precision. The instruction treats subnormal numbers as zero. Blocking is that of blocked_gemm.h, with
   pairs instead of elements. */
#ifndef FLAMBEAU_BRAIN_GEMM_H
#define FLAMBEAU_BRAIN_GEMM_H
#include "blocked_gemm.h"

#if FL_HAS_BLOCKED && defined(__x86_64__) && (__GNUC__ >= 10 || __clang_major__ >= 9)
#define FL_HAS_BRAIN 1
#include <immintrin.h>

#define FL_BRAIN __attribute__((target("avx512bf16")))

enum { FL_PAIR_LANES = 16, FL_PAIR_PANEL = 32 };

static inline uint32_t fl_pair(uint16_t low, uint16_t high) { return low | (uint32_t)high << 16; }

/* c[ROWS, `width` columns of VECTORS] (+)= a[ROWS, k pairs] @ panel. */
#define FL_PAIR_TILE(ROWS, VECTORS)                                                                                    \
    FL_BRAIN static void fl_pair_tile_##ROWS##_##VECTORS(ptrdiff_t k, const uint32_t* a, const uint32_t* panel,        \
                                                         float* c, ptrdiff_t c_row, ptrdiff_t width, int add) {        \
        __m512 sums[ROWS][VECTORS];                                                                                    \
        __m512i b[VECTORS];                                                                                            \
        __mmask16 mask;                                                                                                \
        ptrdiff_t p;                                                                                                   \
        int r, v;                                                                                                      \
        for (r = 0; r < ROWS; r++)                                                                                     \
            for (v = 0; v < VECTORS; v++) sums[r][v] = _mm512_setzero_ps();                                            \
        for (p = 0; p < k; p++, panel += FL_PAIR_PANEL) {                                                              \
            for (v = 0; v < VECTORS; v++) b[v] = _mm512_loadu_si512(panel + v * FL_PAIR_LANES);                        \
            for (r = 0; r < ROWS; r++) {                                                                               \
                __m512i x = _mm512_set1_epi32((int)a[r * FL_BLOCK_K + p]);                                             \
                for (v = 0; v < VECTORS; v++) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], (__m512bh)x, (__m512bh)b[v]);  \
            }                                                                                                          \
        }                                                                                                              \
        for (v = 0; v < VECTORS; v++) {                                                                                \
            p = width - v * FL_PAIR_LANES;                                                                             \
            mask = p >= FL_PAIR_LANES ? 0xFFFF : (__mmask16)((1 << p) - 1);                                            \
            for (r = 0; r < ROWS; r++) {                                                                               \
                float* y = c + r * c_row + v * FL_PAIR_LANES;                                                          \
                if (add) sums[r][v] = _mm512_add_ps(sums[r][v], _mm512_maskz_loadu_ps(mask, y));                       \
                _mm512_mask_storeu_ps(y, mask, sums[r][v]);                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }

#define FL_PAIR_TILES(V)                                                                                               \
    FL_PAIR_TILE(1, V) FL_PAIR_TILE(2, V) FL_PAIR_TILE(3, V) FL_PAIR_TILE(4, V) FL_PAIR_TILE(5, V) FL_PAIR_TILE(6, V)  \
    FL_PAIR_TILE(7, V) FL_PAIR_TILE(8, V) FL_PAIR_TILE(9, V) FL_PAIR_TILE(10, V) FL_PAIR_TILE(11, V)                   \
    FL_PAIR_TILE(12, V) FL_PAIR_TILE(13, V) FL_PAIR_TILE(14, V)

FL_PAIR_TILES(1)
FL_PAIR_TILES(2)

typedef void (*fl_pair_tile)(ptrdiff_t, const uint32_t*, const uint32_t*, float*, ptrdiff_t, ptrdiff_t, int);
#define FL_PAIR_ROW(V)                                                                                                 \
    {fl_pair_tile_1_##V,  fl_pair_tile_2_##V,  fl_pair_tile_3_##V,  fl_pair_tile_4_##V, fl_pair_tile_5_##V,            \
     fl_pair_tile_6_##V,  fl_pair_tile_7_##V,  fl_pair_tile_8_##V,  fl_pair_tile_9_##V, fl_pair_tile_10_##V,           \
     fl_pair_tile_11_##V, fl_pair_tile_12_##V, fl_pair_tile_13_##V, fl_pair_tile_14_##V}
static const fl_pair_tile fl_pair_tiles[2][FL_BLOCK_ROWS] = {FL_PAIR_ROW(1), FL_PAIR_ROW(2)};

/* Pack a matrix (k, n) into panels of pairs of rows; elements beyond its edges are zero. */
static void fl_pack_pairs(ptrdiff_t n, ptrdiff_t k, const uint16_t* b, ptrdiff_t row, ptrdiff_t col, uint32_t* packed) {
    const ptrdiff_t pairs = (k + 1) / 2, whole = k / 2;
    ptrdiff_t j, p, q, i, width;
    for (j = 0; j < n; j += FL_PAIR_PANEL, packed += FL_PAIR_PANEL * pairs) {
        width = n - j < FL_PAIR_PANEL ? n - j : FL_PAIR_PANEL;
        if (width < FL_PAIR_PANEL) memset(packed, 0, FL_PAIR_PANEL * pairs * sizeof(uint32_t));
        if (col == 1) {
            for (p = 0; p < whole; p++) {
                const uint16_t *low = b + 2 * p * row + j, *high = low + row;
                uint32_t* to = packed + p * FL_PAIR_PANEL;
                for (i = 0; i < width; i++) to[i] = fl_pair(low[i], high[i]);
            }
        } else {
            for (q = 0; q < width; q += 16) {
                const uint16_t* from = b + (j + q) * col;
                const ptrdiff_t columns = width - q < 16 ? width - q : 16;
                p = 0;
                if (row == 1 && columns == 16)
                    for (; p + 16 <= whole; p += 16)
                        fl_turn16((const char*)(from + 2 * p), col * 2, packed + p * FL_PAIR_PANEL + q, FL_PAIR_PANEL);
                for (; p < whole; p++)
                    for (i = 0; i < columns; i++)
                        packed[p * FL_PAIR_PANEL + q + i] =
                            fl_pair(from[2 * p * row + i * col], from[(2 * p + 1) * row + i * col]);
            }
        }
        if (whole < pairs)
            for (i = 0; i < width; i++)
                packed[whole * FL_PAIR_PANEL + i] = b[(k - 1) * row + (j + i) * col];
    }
}

/* Copy the rows of a tile as pairs of elements. */
static void fl_hold_pairs(ptrdiff_t rows, ptrdiff_t k, const uint16_t* a, ptrdiff_t row, ptrdiff_t col, uint32_t* held) {
    ptrdiff_t i, p;
    for (i = 0; i < rows; i++, a += row, held += FL_BLOCK_K) {
        if (col == 1)
            memcpy(held, a, k / 2 * sizeof(uint32_t));
        else
            for (p = 0; p < k / 2; p++) held[p] = fl_pair(a[2 * p * col], a[(2 * p + 1) * col]);
        if (k % 2) held[k / 2] = a[(k - 1) * col];
    }
}

static void fl_blocked_brain(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const void* a_, ptrdiff_t a_row, ptrdiff_t a_col,
                             const void* b_, ptrdiff_t b_row, ptrdiff_t b_col, void* c_, ptrdiff_t c_row, int add) {
    enum { MOST = FL_BLOCK_BYTES / sizeof(uint32_t), DEEP = 2 * FL_BLOCK_K };
    ptrdiff_t wide = n < MOST ? (n + FL_PAIR_PANEL - 1) / FL_PAIR_PANEL * FL_PAIR_PANEL : MOST;
    const ptrdiff_t deep = k < DEEP ? (k + 1) / 2 : FL_BLOCK_K, count = (m + FL_BLOCK_ROWS - 1) / FL_BLOCK_ROWS;
    const uint16_t *a = (const uint16_t*)a_, *b = (const uint16_t*)b_;
    float* c = (float*)c_;
    uint32_t held[FL_BLOCK_ROWS * FL_BLOCK_K], one_panel[FL_PAIR_PANEL * FL_BLOCK_K];
    ptrdiff_t j, p, t, q, columns, depth, first, rows, width;
    void* memory = malloc(wide * deep * sizeof(uint32_t) + 64);
    uint32_t* packed = (uint32_t*)(((uintptr_t)memory + 63) / 64 * 64);
    if (memory == NULL) wide = FL_PAIR_PANEL, packed = one_panel;
    for (j = 0; j < n; j += wide) {
        columns = n - j < wide ? n - j : wide;
        for (p = 0; p < k; p += DEEP) {
            depth = k - p < DEEP ? k - p : DEEP;
            fl_pack_pairs(columns, depth, b + p * b_row + j * b_col, b_row, b_col, packed);
            for (t = 0; t < count; t++) {
                first = m * t / count;
                rows = m * (t + 1) / count - first;
                fl_hold_pairs(rows, depth, a + first * a_row + p * a_col, a_row, a_col, held);
                for (q = 0; q < columns; q += FL_PAIR_PANEL) {
                    width = columns - q < FL_PAIR_PANEL ? columns - q : FL_PAIR_PANEL;
                    fl_pair_tiles[width > FL_PAIR_LANES][rows - 1]((depth + 1) / 2, held, packed + q * ((depth + 1) / 2),
                                                                   c + first * c_row + j + q, c_row, width,
                                                                   add || p > 0);
                }
            }
        }
    }
    free(memory);
}

/* Return the function that multiplies, or NULL if this processor lacks the instruction. */
static inline void* fl_brain_product(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") ? (void*)fl_blocked_brain : NULL;
}

#else
#define FL_HAS_BRAIN 0
#define fl_brain_product() NULL
#endif
#endif
