/* Sums over the taps of depthwise windows with channels last: a vector of channels and several positions at a time,
   which read the weights once. Written with the vector types of GCC and Clang; other compilers use scalars. */
#ifndef FLAMBEAU_DEPTHWISE_H
#define FLAMBEAU_DEPTHWISE_H
#include <stddef.h>

/* y[r] = start + the sum of w[t] * x[r] at at[t]; `steps` are the strides of x and y between positions. */
#define FL_DEPTHWISE_TILE(NAME, T, V, R)                                                                           \
    static inline void fl_depthwise_##NAME##_##R(ptrdiff_t taps, const ptrdiff_t* at, const T* const* w,           \
                                                 const T* x, ptrdiff_t x_step, const T* start, T* y,               \
                                                 ptrdiff_t y_step, ptrdiff_t c) {                                  \
        V sums[R], weight;                                                                                         \
        ptrdiff_t t;                                                                                               \
        int r;                                                                                                     \
        for (r = 0; r < R; r++) sums[r] = *(const V*)(start + c);                                                  \
        for (t = 0; t < taps; t++) {                                                                               \
            const T* from = x + at[t] + c;                                                                         \
            weight = *(const V*)(w[t] + c);                                                                        \
            for (r = 0; r < R; r++) sums[r] += weight * *(const V*)(from + r * x_step);                            \
        }                                                                                                          \
        for (r = 0; r < R; r++) *(V*)(y + r * y_step + c) = sums[r];                                               \
    }

/* sum[c] += the sum over n positions of x * y, for a vector of channels. */
#define FL_DEPTHWISE_SLOPES(NAME, T, V)                                                                            \
    static inline void fl_depthwise_slopes_##NAME(ptrdiff_t n, const T* x, ptrdiff_t x_step, const T* y,           \
                                                  ptrdiff_t y_step, T* sum) {                                      \
        V sums[4], zero = {0};                                                                                     \
        ptrdiff_t i = 0;                                                                                           \
        int r;                                                                                                     \
        for (r = 0; r < 4; r++) sums[r] = zero;                                                                    \
        for (; i + 4 <= n; i += 4, x += 4 * x_step, y += 4 * y_step)                                               \
            for (r = 0; r < 4; r++) sums[r] += *(const V*)(x + r * x_step) * *(const V*)(y + r * y_step);          \
        for (; i < n; i++, x += x_step, y += y_step) sums[0] += *(const V*)x * *(const V*)y;                       \
        *(V*)sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);                                                     \
    }

#define FL_DEPTHWISE_WIDTH(NAME, T, V)                                                                             \
    FL_DEPTHWISE_TILE(NAME, T, V, 8)                                                                               \
    FL_DEPTHWISE_TILE(NAME, T, V, 4)                                                                               \
    FL_DEPTHWISE_TILE(NAME, T, V, 2)                                                                               \
    FL_DEPTHWISE_TILE(NAME, T, V, 1)                                                                               \
    FL_DEPTHWISE_SLOPES(NAME, T, V)

#define FL_DEPTHWISE_STRIP(NAME, T, V)                                                                             \
    for (; c + (ptrdiff_t)(sizeof(V) / sizeof(T)) <= channels; c += sizeof(V) / sizeof(T)) {                       \
        ptrdiff_t i = 0;                                                                                           \
        for (; i + 8 <= n; i += 8)                                                                                 \
            fl_depthwise_##NAME##_8(taps, at, w, x + i * x_step, x_step, start, y + i * y_step, y_step, c);        \
        if (i + 4 <= n) {                                                                                          \
            fl_depthwise_##NAME##_4(taps, at, w, x + i * x_step, x_step, start, y + i * y_step, y_step, c);        \
            i += 4;                                                                                                \
        }                                                                                                          \
        if (i + 2 <= n) {                                                                                          \
            fl_depthwise_##NAME##_2(taps, at, w, x + i * x_step, x_step, start, y + i * y_step, y_step, c);        \
            i += 2;                                                                                                \
        }                                                                                                          \
        if (i < n)                                                                                                 \
            fl_depthwise_##NAME##_1(taps, at, w, x + i * x_step, x_step, start, y + i * y_step, y_step, c);        \
    }

/* n positions of all channels, see FL_DEPTHWISE_TILE; and the weight gradients of channels c to `last`. */
#define FL_DEPTHWISE(T)                                                                                            \
    FL_DEPTHWISE_WIDTH(T##_wide, T, fl_depthwise_##T##_w)                                                          \
    FL_DEPTHWISE_WIDTH(T##_half, T, fl_depthwise_##T##_h)                                                          \
    FL_DEPTHWISE_WIDTH(T##_one, T, fl_depthwise_##T##_1)                                                           \
    static void fl_depthwise_##T(ptrdiff_t channels, ptrdiff_t n, ptrdiff_t taps, const ptrdiff_t* at,             \
                                 const T* const* w, const T* x, ptrdiff_t x_step, const T* start, T* y,            \
                                 ptrdiff_t y_step) {                                                               \
        ptrdiff_t c = 0;                                                                                           \
        FL_DEPTHWISE_STRIP(T##_wide, T, fl_depthwise_##T##_w)                                                      \
        FL_DEPTHWISE_STRIP(T##_half, T, fl_depthwise_##T##_h)                                                      \
        FL_DEPTHWISE_STRIP(T##_one, T, fl_depthwise_##T##_1)                                                       \
    }                                                                                                              \
    static void fl_depthwise_slopes_##T(ptrdiff_t c, ptrdiff_t last, ptrdiff_t n, const T* x, ptrdiff_t x_step,    \
                                        const T* y, ptrdiff_t y_step, T* sum) {                                    \
        for (; c + (ptrdiff_t)(sizeof(fl_depthwise_##T##_w) / sizeof(T)) <= last;                                  \
             c += sizeof(fl_depthwise_##T##_w) / sizeof(T))                                                        \
            fl_depthwise_slopes_##T##_wide(n, x + c, x_step, y + c, y_step, sum + c);                              \
        for (; c < last; c++) fl_depthwise_slopes_##T##_one(n, x + c, x_step, y + c, y_step, sum + c);             \
    }

#if defined(__GNUC__) || defined(__clang__)
#ifdef __AVX512F__
#define FL_DEPTHWISE_BYTES 64
#else
#define FL_DEPTHWISE_BYTES 32
#endif
#define FL_DEPTHWISE_VECTOR(T, BYTES) T __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias))
typedef FL_DEPTHWISE_VECTOR(float, FL_DEPTHWISE_BYTES) fl_depthwise_float_w;
typedef FL_DEPTHWISE_VECTOR(float, 16) fl_depthwise_float_h;
typedef FL_DEPTHWISE_VECTOR(double, FL_DEPTHWISE_BYTES) fl_depthwise_double_w;
typedef FL_DEPTHWISE_VECTOR(double, 16) fl_depthwise_double_h;
#else
typedef float fl_depthwise_float_w;
typedef float fl_depthwise_float_h;
typedef double fl_depthwise_double_w;
typedef double fl_depthwise_double_h;
#endif
typedef float fl_depthwise_float_1;
typedef double fl_depthwise_double_1;

FL_DEPTHWISE(float)
FL_DEPTHWISE(double)

/* sum[c] += the sum over high * wide positions of x * y, for 16 adjacent channels. */
static void fl_depthwise_products(ptrdiff_t high, ptrdiff_t wide, const float* x, ptrdiff_t x_high, ptrdiff_t x_wide,
                                  const float* y, float* sum) {
    enum { LANES = sizeof(fl_depthwise_float_w) / sizeof(float) };
    ptrdiff_t c, i, q;
    for (c = 0; c < 16; c += LANES) {
        fl_depthwise_float_w even = *(const fl_depthwise_float_w*)(sum + c), odd = {0};
        for (i = 0; i < high; i++) {
            const float* a = x + i * x_high + c;
            const float* b = y + i * wide * 16 + c;
            for (q = 0; q + 2 <= wide; q += 2, a += 2 * x_wide, b += 32) {
                even += *(const fl_depthwise_float_w*)a * *(const fl_depthwise_float_w*)b;
                odd += *(const fl_depthwise_float_w*)(a + x_wide) * *(const fl_depthwise_float_w*)(b + 16);
            }
            if (q < wide) even += *(const fl_depthwise_float_w*)a * *(const fl_depthwise_float_w*)b;
        }
        *(fl_depthwise_float_w*)(sum + c) = even + odd;
    }
}
#endif
