/* Products of small matrices, for which calling BLAS costs more than the product: c (+)= a @ b, where rows of b and
   c are contiguous and their length is a multiple of FL_LANES. Four rows at a time stay in vector registers. Uses
   the vector types of GCC and Clang; empty for other compilers and for processors on which BLAS is faster anyway. */
#ifndef FLAMBEAU_SMALL_GEMM_H
#define FLAMBEAU_SMALL_GEMM_H
#include <stddef.h>

#if (defined(__GNUC__) || defined(__clang__)) && (defined(__FMA__) || defined(__aarch64__))
#define FL_HAS_SMALL_GEMM 1

typedef float fl_v8f __attribute__((vector_size(32), aligned(4), may_alias));
typedef double fl_v4d __attribute__((vector_size(32), aligned(8), may_alias));

#define FL_SMALL_BLOCK(NAME, T, V, ROWS)                                                                       \
    static inline void NAME##_##ROWS(ptrdiff_t k, const T* a, ptrdiff_t a_row, ptrdiff_t a_col, const T* b,    \
                                     ptrdiff_t b_row, T* c, ptrdiff_t c_row, int add) {                        \
        V sums[ROWS];                                                                                          \
        ptrdiff_t p;                                                                                           \
        int r;                                                                                                 \
        for (r = 0; r < ROWS; r++) sums[r] = add ? *(const V*)(c + r * c_row) : (V){0};                        \
        for (p = 0; p < k; p++) {                                                                              \
            V x = *(const V*)(b + p * b_row);                                                                  \
            for (r = 0; r < ROWS; r++) sums[r] += a[r * a_row + p * a_col] * x;                                \
        }                                                                                                      \
        for (r = 0; r < ROWS; r++) *(V*)(c + r * c_row) = sums[r];                                             \
    }

#define FL_SMALL_GEMM(NAME, T, V)                                                                              \
    FL_SMALL_BLOCK(NAME, T, V, 1)                                                                              \
    FL_SMALL_BLOCK(NAME, T, V, 4)                                                                              \
    static void NAME(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const void* a_, ptrdiff_t a_row, ptrdiff_t a_col,  \
                     const void* b_, ptrdiff_t b_row, void* c_, ptrdiff_t c_row, int add) {                    \
        const T* a = (const T*)a_;                                                                             \
        const T* b = (const T*)b_;                                                                             \
        T* c = (T*)c_;                                                                                         \
        const ptrdiff_t lanes = 32 / sizeof(T);                                                                \
        ptrdiff_t i, j;                                                                                        \
        for (j = 0; j < n; j += lanes) {                                                                       \
            for (i = 0; i + 4 <= m; i += 4)                                                                    \
                NAME##_4(k, a + i * a_row, a_row, a_col, b + j, b_row, c + i * c_row + j, c_row, add);         \
            for (; i < m; i++)                                                                                 \
                NAME##_1(k, a + i * a_row, a_row, a_col, b + j, b_row, c + i * c_row + j, c_row, add);         \
        }                                                                                                      \
    }

FL_SMALL_GEMM(fl_small_sgemm, float, fl_v8f)
FL_SMALL_GEMM(fl_small_dgemm, double, fl_v4d)

#else
#define FL_HAS_SMALL_GEMM 0
#define fl_small_sgemm NULL
#define fl_small_dgemm NULL
#endif
#endif
