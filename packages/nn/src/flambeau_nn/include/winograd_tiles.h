/* The transforms of Winograd's convolution F(4 x 4, 3 x 3) for a vector of channels. Its points are 0, +-a, +-b with a
   = sqrt(1/2), b = sqrt(2), and infinity: each pair needs one sum and one difference, and errors stay close to those of
   direct sums, while 0, +-1, +-2 would lose a digit. Written with the vector types of GCC and Clang; empty if
   packed_tiles.h is. */
#ifndef FLAMBEAU_WINOGRAD_TILES_H
#define FLAMBEAU_WINOGRAD_TILES_H
#include "channel_rows.h"

#if FL_HAS_TILES
#define FL_HAS_WINOGRAD 1

enum { FL_WINOGRAD_ROWS = FL_TILE_VECTOR == 64 ? 14 : 6 };

#define FL_A 0.70710678118654752440f
#define FL_B 1.41421356237309504880f

static inline fl_tile_f fl_load(const float* x, int lanes) {
    float part[FL_LANES];
    int i;
    if (lanes == FL_LANES) return *(const fl_tile_f*)x;
    for (i = 0; i < FL_LANES; i++) part[i] = i < lanes ? x[i] : 0;
    return *(const fl_tile_f*)part;
}

static inline void fl_store(float* x, fl_tile_f v, int lanes) {
    float part[FL_LANES];
    int i;
    if (lanes == FL_LANES) {
        *(fl_tile_f*)x = v;
        return;
    }
    *(fl_tile_f*)part = v;
    for (i = 0; i < lanes; i++) x[i] = part[i];
}

/* B' d for a column or row of 6. */
#define FL_WINOGRAD_SOURCE(d, o)                                                                   \
    do {                                                                                           \
        fl_tile_f p_ = d(4) - 2 * d(2), q_ = FL_A * (d(3) - 2 * d(1));                             \
        fl_tile_f r_ = d(4) - 0.5f * d(2), s_ = FL_B * (d(3) - 0.5f * d(1));                       \
        o(0, d(0) - 2.5f * d(2) + d(4));                                                           \
        o(1, p_ + q_);                                                                             \
        o(2, p_ - q_);                                                                             \
        o(3, r_ + s_);                                                                             \
        o(4, r_ - s_);                                                                             \
        o(5, d(1) - 2.5f * d(3) + d(5));                                                           \
    } while (0)

/* A' m. */
#define FL_WINOGRAD_RESULT(m, o)                                                                   \
    do {                                                                                           \
        fl_tile_f p_ = m(1) + m(2), q_ = FL_A * (m(1) - m(2));                                     \
        fl_tile_f r_ = m(3) + m(4), s_ = FL_B * (m(3) - m(4));                                     \
        o(0, m(0) + p_ + r_);                                                                      \
        o(1, q_ + s_);                                                                             \
        o(2, 0.5f * p_ + 2 * r_);                                                                  \
        o(3, 0.5f * q_ + 2 * s_ + m(5));                                                           \
    } while (0)

/* A y. */
#define FL_WINOGRAD_SLOPES(y, o)                                                                   \
    do {                                                                                           \
        fl_tile_f p_ = y(0) + 0.5f * y(2), q_ = FL_A * (y(1) + 0.5f * y(3));                       \
        fl_tile_f r_ = y(0) + 2 * y(2), s_ = FL_B * (y(1) + 2 * y(3));                             \
        o(0, y(0));                                                                                \
        o(1, p_ + q_);                                                                             \
        o(2, p_ - q_);                                                                             \
        o(3, r_ + s_);                                                                             \
        o(4, r_ - s_);                                                                             \
        o(5, y(3));                                                                                \
    } while (0)

/* G w. */
#define FL_WINOGRAD_WEIGHTS(w, o)                                                                  \
    do {                                                                                           \
        fl_tile_f p_ = (w(0) + 0.5f * w(2)) * (-2.0f / 3), q_ = w(1) * (FL_A * -2.0f / 3);         \
        fl_tile_f r_ = (w(0) + 2 * w(2)) * (1.0f / 6), s_ = w(1) * (FL_B / 6);                     \
        o(0, w(0));                                                                                \
        o(1, p_ + q_);                                                                             \
        o(2, p_ - q_);                                                                             \
        o(3, r_ + s_);                                                                             \
        o(4, r_ - s_);                                                                             \
        o(5, w(2));                                                                                \
    } while (0)

/* G' u. */
#define FL_WINOGRAD_OF_WEIGHTS(u, o)                                                               \
    do {                                                                                           \
        fl_tile_f p_ = (u(1) + u(2)) * (-2.0f / 3), q_ = (u(1) - u(2)) * (FL_A * -2.0f / 3);       \
        fl_tile_f r_ = (u(3) + u(4)) * (1.0f / 6), s_ = (u(3) - u(4)) * (FL_B / 6);                \
        o(0, u(0) + p_ + r_);                                                                      \
        o(1, q_ + s_);                                                                             \
        o(2, 0.5f * p_ + 2 * r_ + u(5));                                                           \
    } while (0)

/* v[6 i + j], with stride `apart`: B' d B of the square of 6 x 6 at x; rows y0 to y1 and columns x0 to x1 are read, the
   others are 0. */
static inline void fl_winograd_source(const float* x, ptrdiff_t row, ptrdiff_t pixel, int y0, int y1, int x0, int x1,
                                      int lanes, float* v, ptrdiff_t apart) {
    fl_tile_f e[6][6], d[6];
    int i, j;
    for (j = 0; j < 6; j++) {
        if (y0 == 0 && y1 == 6 && x0 == 0 && x1 == 6 && lanes == FL_LANES)
            for (i = 0; i < 6; i++) d[i] = *(const fl_tile_f*)(x + i * row + j * pixel);
        else
            for (i = 0; i < 6; i++)
                d[i] = i < y0 || i >= y1 || j < x0 || j >= x1 ? (fl_tile_f){0} : fl_load(x + i * row + j * pixel, lanes);
#define FL_IN(k) d[k]
#define FL_OUT(k, value) e[k][j] = value
        FL_WINOGRAD_SOURCE(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
    for (i = 0; i < 6; i++, v += 6 * apart) {
#define FL_IN(k) e[i][k]
#define FL_OUT(k, value) *(fl_tile_f*)(v + (k) * apart) = value
        FL_WINOGRAD_SOURCE(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
}

/* m[6 i + j]: A y A' of the square of 4 x 4 at y; `rows` and `columns` of it are read. */
static inline void fl_winograd_slopes(const float* y, ptrdiff_t row, ptrdiff_t pixel, int rows, int columns, int lanes,
                                      float* m, ptrdiff_t apart) {
    fl_tile_f e[6][4], d[4];
    int i, j;
    for (j = 0; j < 4; j++) {
        for (i = 0; i < 4; i++)
            d[i] = i < rows && j < columns ? fl_load(y + i * row + j * pixel, lanes) : (fl_tile_f){0};
#define FL_IN(k) d[k]
#define FL_OUT(k, value) e[k][j] = value
        FL_WINOGRAD_SLOPES(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
    for (i = 0; i < 6; i++, m += 6 * apart) {
#define FL_IN(k) e[i][k]
#define FL_OUT(k, value) *(fl_tile_f*)(m + (k) * apart) = value
        FL_WINOGRAD_SLOPES(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
}

/* y = A' m A + bias, `rows` and `columns` of it. `doubt` becomes NaN if a number is not finite. */
static inline void fl_winograd_result(const float* m, ptrdiff_t apart, const float* bias, float* y, ptrdiff_t row,
                                      ptrdiff_t pixel, int rows, int columns, int lanes, float* doubt) {
    fl_tile_f e[4][6], out[4], start = *(const fl_tile_f*)bias, seen = *(fl_tile_f*)doubt;
    int i, j;
    for (j = 0; j < 6; j++) {
#define FL_IN(k) (*(const fl_tile_f*)(m + (6 * (k) + j) * apart))
#define FL_OUT(k, value) e[k][j] = value
        FL_WINOGRAD_RESULT(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
    for (i = 0; i < rows; i++) {
#define FL_IN(k) e[i][k]
#define FL_OUT(k, value) out[k] = value
        FL_WINOGRAD_RESULT(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
        for (j = 0; j < 4; j++) seen += 0 * out[j];
        if (columns == 4 && lanes == FL_LANES)
            for (j = 0; j < 4; j++) *(fl_tile_f*)(y + i * row + j * pixel) = out[j] + start;
        else
            for (j = 0; j < columns; j++) fl_store(y + i * row + j * pixel, out[j] + start, lanes);
    }
    *(fl_tile_f*)doubt = seen;
}

/* u[6 i + j] = G w G' of nine vectors with stride `step`. */
static inline void fl_winograd_weights(const float* w, ptrdiff_t step, float* u, ptrdiff_t apart) {
    fl_tile_f e[6][3];
    int i, j;
    for (j = 0; j < 3; j++) {
#define FL_IN(k) (*(const fl_tile_f*)(w + (3 * (k) + j) * step))
#define FL_OUT(k, value) e[k][j] = value
        FL_WINOGRAD_WEIGHTS(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
    for (i = 0; i < 6; i++, u += 6 * apart) {
#define FL_IN(k) e[i][k]
#define FL_OUT(k, value) *(fl_tile_f*)(u + (k) * apart) = value
        FL_WINOGRAD_WEIGHTS(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
}

/* Nine vectors: G' u G. */
static inline void fl_winograd_of_weights(const float* u, ptrdiff_t apart, float* w, float* doubt) {
    fl_tile_f e[3][6], seen = *(fl_tile_f*)doubt, value_;
    int i, j;
    for (j = 0; j < 6; j++) {
#define FL_IN(k) (*(const fl_tile_f*)(u + (6 * (k) + j) * apart))
#define FL_OUT(k, value) e[k][j] = value
        FL_WINOGRAD_OF_WEIGHTS(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
    for (i = 0; i < 3; i++) {
#define FL_IN(k) e[i][k]
#define FL_OUT(k, value)                                     \
    do {                                                     \
        value_ = value;                                      \
        seen += 0 * value_;                                  \
        *(fl_tile_f*)(w + (3 * i + (k)) * FL_LANES) = value_; \
    } while (0)
        FL_WINOGRAD_OF_WEIGHTS(FL_IN, FL_OUT);
#undef FL_IN
#undef FL_OUT
    }
    *(fl_tile_f*)doubt = seen;
}

#define FL_W(ROWS) FL_TILE(float, fl_tile_f, ROWS, 1) FL_TILE(float, fl_tile_f, ROWS, 2)
FL_W(1) FL_W(2) FL_W(3) FL_W(4) FL_W(5) FL_W(6)
#if FL_TILE_VECTOR == 64
FL_W(7) FL_W(8) FL_W(9) FL_W(10) FL_W(11) FL_W(12) FL_W(13) FL_W(14)
#endif
#undef FL_W
#define FL_W(ROWS) {fl_tile_float_##ROWS##_1, fl_tile_float_##ROWS##_2}
typedef void (*fl_winograd_tile)(ptrdiff_t, const float*, ptrdiff_t, ptrdiff_t, const float*, const float*, ptrdiff_t,
                                 float*, ptrdiff_t, ptrdiff_t);
static const fl_winograd_tile fl_winograd_tile_of[FL_WINOGRAD_ROWS][2] = {
    FL_W(1), FL_W(2), FL_W(3), FL_W(4), FL_W(5), FL_W(6),
#if FL_TILE_VECTOR == 64
    FL_W(7), FL_W(8), FL_W(9), FL_W(10), FL_W(11), FL_W(12), FL_W(13), FL_W(14),
#endif
};
#undef FL_W

/* c (m, a panel or its first half) = or += a @ panel; rows are distributed evenly among tiles. */
static inline void fl_winograd_product(ptrdiff_t m, int half, ptrdiff_t k, const float* a, ptrdiff_t a_row,
                                       ptrdiff_t a_col, const float* panel, float* c, ptrdiff_t c_row, int add) {
    const ptrdiff_t count = (m + FL_WINOGRAD_ROWS - 1) / FL_WINOGRAD_ROWS;
    ptrdiff_t t, first, rows;
    for (t = 0; t < count; t++) {
        first = m * t / count;
        rows = m * (t + 1) / count - first;
        fl_winograd_tile_of[rows - 1][!half](k, a + first * a_row, a_row, a_col, panel, add ? c + first * c_row : NULL,
                                             c_row, c + first * c_row, c_row, half ? FL_LANES : FL_PANEL);
    }
}

#else
#define FL_HAS_WINOGRAD 0
#define fl_winograd_source(...) ((void)0)
#define fl_winograd_slopes(...) ((void)0)
#define fl_winograd_result(...) ((void)0)
#define fl_winograd_weights(...) ((void)0)
#define fl_winograd_of_weights(...) ((void)0)
#define fl_winograd_product(...) ((void)0)
#endif
#endif
