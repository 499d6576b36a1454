/* Casting loops between all sixteen element types, and their table by [source][destination]. */
#ifndef FLAMBEAU_CASTS_H
#define FLAMBEAU_CASTS_H
#include <stddef.h>
#include "halves.h"

typedef void (*fl_cast_loop)(const char* src, ptrdiff_t ss, char* dst, ptrdiff_t ds, ptrdiff_t n);
typedef struct { uint16_t h; } fl_f16;
typedef struct { uint16_t h; } fl_b16;
typedef struct { uint16_t re, im; } fl_c32;
typedef struct { float re, im; } fl_c64;
typedef struct { double re, im; } fl_c128;
typedef struct { uint8_t b; } fl_bool;

/* Reading converts to a working type: int64_t, uint64_t, float, double, or a complex number. */
#define FL_RD_int(v) ((int64_t)(v))
#define FL_RD_uns(v) ((uint64_t)(v))
#define FL_RD_flt(v) (v)
#define FL_RD_bool(v) ((int64_t)((v).b != 0))
#define FL_RD_f16(v) fl_half_to_float((v).h)
#define FL_RD_b16(v) fl_bf16_to_float((v).h)
#define FL_RD_cplx(v) ((v).re)
#define FL_RD_c32(v) fl_half_to_float((v).re)

#define FL_IM_int(v) 0
#define FL_IM_uns(v) 0
#define FL_IM_flt(v) 0
#define FL_IM_bool(v) 0
#define FL_IM_f16(v) 0
#define FL_IM_b16(v) 0
#define FL_IM_cplx(v) ((v).im)
#define FL_IM_c32(v) fl_half_to_float((v).im)

/* Integers wrap. Out-of-range floats convert as the processor does it: on x86, to the smallest int32_t or int64_t.
   Narrower signed types and uint16_t are converted through int32_t, uint8_t through int64_t, so that programs see
   the same numbers as with PyTorch. uint32_t and uint64_t convert their upper half separately, as is usual
   on processors without such instructions. */
#define FL_UNSIGNED(NAME, U, S, F, HALF)                                                              \
    static inline U NAME(F v) {                                                                       \
        return v >= (F)HALF ? (U)(S)(v - (F)HALF) ^ (U)1 << (8 * sizeof(U) - 1) : (U)(S)v;             \
    }
FL_UNSIGNED(fl_float_to_u32, uint32_t, int32_t, float, 2147483648.0)
FL_UNSIGNED(fl_double_to_u32, uint32_t, int32_t, double, 2147483648.0)
FL_UNSIGNED(fl_float_to_u64, uint64_t, int64_t, float, 9223372036854775808.0)
FL_UNSIGNED(fl_double_to_u64, uint64_t, int64_t, double, 9223372036854775808.0)
#define FL_TO_UNSIGNED(U, BITS, v) \
    _Generic((v), float: fl_float_to_##BITS((float)(v)), double: fl_double_to_##BITS((double)(v)), default: (U)(v))
#define FL_WR_u8(d, re_, im_) (d) = (uint8_t)(int64_t)(re_)
#define FL_WR_i8(d, re_, im_) (d) = (int8_t)(int32_t)(re_)
#define FL_WR_i16(d, re_, im_) (d) = (int16_t)(int32_t)(re_)
#define FL_WR_i32(d, re_, im_) (d) = (int32_t)(re_)
#define FL_WR_i64(d, re_, im_) (d) = (int64_t)(re_)
#define FL_WR_u16(d, re_, im_) (d) = (uint16_t)(int32_t)(re_)
#define FL_WR_u32(d, re_, im_) (d) = FL_TO_UNSIGNED(uint32_t, u32, re_)
#define FL_WR_u64(d, re_, im_) (d) = FL_TO_UNSIGNED(uint64_t, u64, re_)
#define FL_WR_f32(d, re_, im_) (d) = (float)(re_)
#define FL_WR_f64(d, re_, im_) (d) = (double)(re_)
#define FL_WR_f16(d, re_, im_) (d).h = fl_float_to_half((float)(re_))
#define FL_WR_b16(d, re_, im_) (d).h = fl_float_to_bf16((float)(re_))
#define FL_WR_bool(d, re_, im_) (d).b = ((re_) != 0) | ((im_) != 0)
#define FL_WR_c32(d, re_, im_) (d).re = fl_float_to_half((float)(re_)), (d).im = fl_float_to_half((float)(im_))
#define FL_WR_c64(d, re_, im_) (d).re = (float)(re_), (d).im = (float)(im_)
#define FL_WR_c128(d, re_, im_) (d).re = (double)(re_), (d).im = (double)(im_)

#define FL_CAST(S, ST, RD, D, DT)                                                                     \
    static void fl_cast_##S##_##D(const char* src, ptrdiff_t ss, char* dst, ptrdiff_t ds, ptrdiff_t n) { \
        ptrdiff_t i;                                                                                  \
        if (ss == (ptrdiff_t)sizeof(ST) && ds == (ptrdiff_t)sizeof(DT)) {                             \
            const ST* s = (const ST*)src;                                                             \
            DT* d = (DT*)dst;                                                                         \
            for (i = 0; i < n; i++) { FL_WR_##D(d[i], FL_RD_##RD(s[i]), FL_IM_##RD(s[i])); }          \
        } else {                                                                                      \
            for (i = 0; i < n; i++, src += ss, dst += ds) {                                           \
                const ST s = *(const ST*)src;                                                         \
                FL_WR_##D(*(DT*)dst, FL_RD_##RD(s), FL_IM_##RD(s));                                   \
            }                                                                                         \
        }                                                                                             \
    }

#define FL_CAST_FROM(S, ST, RD)                                                                           \
    FL_CAST(S, ST, RD, bool, fl_bool) FL_CAST(S, ST, RD, u8, uint8_t) FL_CAST(S, ST, RD, i8, int8_t)       \
    FL_CAST(S, ST, RD, i16, int16_t) FL_CAST(S, ST, RD, i32, int32_t) FL_CAST(S, ST, RD, i64, int64_t)     \
    FL_CAST(S, ST, RD, u16, uint16_t) FL_CAST(S, ST, RD, u32, uint32_t) FL_CAST(S, ST, RD, u64, uint64_t)  \
    FL_CAST(S, ST, RD, c32, fl_c32)                                                                       \
    FL_CAST(S, ST, RD, f16, fl_f16) FL_CAST(S, ST, RD, b16, fl_b16) FL_CAST(S, ST, RD, f32, float)         \
    FL_CAST(S, ST, RD, f64, double) FL_CAST(S, ST, RD, c64, fl_c64) FL_CAST(S, ST, RD, c128, fl_c128)

FL_CAST_FROM(bool, fl_bool, bool)
FL_CAST_FROM(u8, uint8_t, int)
FL_CAST_FROM(i8, int8_t, int)
FL_CAST_FROM(i16, int16_t, int)
FL_CAST_FROM(i32, int32_t, int)
FL_CAST_FROM(i64, int64_t, int)
FL_CAST_FROM(u16, uint16_t, int)
FL_CAST_FROM(u32, uint32_t, int)
FL_CAST_FROM(u64, uint64_t, uns)
FL_CAST_FROM(f16, fl_f16, f16)
FL_CAST_FROM(b16, fl_b16, b16)
FL_CAST_FROM(f32, float, flt)
FL_CAST_FROM(f64, double, flt)
FL_CAST_FROM(c32, fl_c32, c32)
FL_CAST_FROM(c64, fl_c64, cplx)
FL_CAST_FROM(c128, fl_c128, cplx)

/* Contiguous float16 elements are converted in blocks through floats, because processors convert these fast. */
#define FL_ROW 256

#define FL_FROM_HALF(D, DT)                                                                               \
    static void fl_run_f16_##D(const char* src, ptrdiff_t ss, char* dst, ptrdiff_t ds, ptrdiff_t n) {      \
        float row[FL_ROW];                                                                                \
        ptrdiff_t i, m;                                                                                   \
        if (ss != 2 || ds != (ptrdiff_t)sizeof(DT)) { fl_cast_f16_##D(src, ss, dst, ds, n); return; }      \
        for (; n > 0; n -= m, src += 2 * m, dst += m * (ptrdiff_t)sizeof(DT)) {                           \
            DT* d = (DT*)dst;                                                                             \
            m = n < FL_ROW ? n : FL_ROW;                                                                  \
            fl_halves_to_floats((const uint16_t*)src, row, m);                                            \
            for (i = 0; i < m; i++) { FL_WR_##D(d[i], row[i], 0); }                                       \
        }                                                                                                 \
    }
#define FL_TO_HALF(S, ST, RD)                                                                             \
    static void fl_run_##S##_f16(const char* src, ptrdiff_t ss, char* dst, ptrdiff_t ds, ptrdiff_t n) {    \
        float row[FL_ROW];                                                                                \
        ptrdiff_t i, m;                                                                                   \
        if (ss != (ptrdiff_t)sizeof(ST) || ds != 2) { fl_cast_##S##_f16(src, ss, dst, ds, n); return; }    \
        for (; n > 0; n -= m, src += m * (ptrdiff_t)sizeof(ST), dst += 2 * m) {                           \
            const ST* s = (const ST*)src;                                                                 \
            m = n < FL_ROW ? n : FL_ROW;                                                                  \
            for (i = 0; i < m; i++) row[i] = (float)FL_RD_##RD(s[i]);                                     \
            fl_floats_to_halves(row, (uint16_t*)dst, m);                                                  \
        }                                                                                                 \
    }
FL_FROM_HALF(bool, fl_bool) FL_FROM_HALF(u8, uint8_t) FL_FROM_HALF(i8, int8_t) FL_FROM_HALF(i16, int16_t)
FL_FROM_HALF(i32, int32_t) FL_FROM_HALF(i64, int64_t) FL_FROM_HALF(u16, uint16_t) FL_FROM_HALF(u32, uint32_t)
FL_FROM_HALF(u64, uint64_t) FL_FROM_HALF(b16, fl_b16) FL_FROM_HALF(f64, double)
FL_FROM_HALF(c64, fl_c64) FL_FROM_HALF(c128, fl_c128)
FL_TO_HALF(bool, fl_bool, bool) FL_TO_HALF(u8, uint8_t, int) FL_TO_HALF(i8, int8_t, int) FL_TO_HALF(i16, int16_t, int)
FL_TO_HALF(i32, int32_t, int) FL_TO_HALF(i64, int64_t, int) FL_TO_HALF(u16, uint16_t, int)
FL_TO_HALF(u32, uint32_t, int) FL_TO_HALF(u64, uint64_t, uns) FL_TO_HALF(b16, fl_b16, b16) FL_TO_HALF(f64, double, flt)
FL_TO_HALF(c32, fl_c32, c32) FL_TO_HALF(c64, fl_c64, cplx) FL_TO_HALF(c128, fl_c128, cplx)

static void fl_run_f16_f32(const char* src, ptrdiff_t ss, char* dst, ptrdiff_t ds, ptrdiff_t n) {
    if (ss == 2 && ds == 4) fl_halves_to_floats((const uint16_t*)src, (float*)dst, n);
    else fl_cast_f16_f32(src, ss, dst, ds, n);
}
static void fl_run_f32_f16(const char* src, ptrdiff_t ss, char* dst, ptrdiff_t ds, ptrdiff_t n) {
    if (ss == 4 && ds == 2) fl_floats_to_halves((const float*)src, (uint16_t*)dst, n);
    else fl_cast_f32_f16(src, ss, dst, ds, n);
}

#define FL_CAST_ROW(S)                                                                                    \
    { fl_cast_##S##_bool, fl_cast_##S##_u8, fl_cast_##S##_i8, fl_cast_##S##_i16, fl_cast_##S##_i32,         \
      fl_cast_##S##_i64, fl_cast_##S##_u16, fl_cast_##S##_u32, fl_cast_##S##_u64, fl_run_##S##_f16,        \
      fl_cast_##S##_b16, fl_cast_##S##_f32, fl_cast_##S##_f64, fl_cast_##S##_c32, fl_cast_##S##_c64,       \
      fl_cast_##S##_c128 }

static const fl_cast_loop fl_cast_table[16][16] = {
    FL_CAST_ROW(bool), FL_CAST_ROW(u8), FL_CAST_ROW(i8), FL_CAST_ROW(i16), FL_CAST_ROW(i32), FL_CAST_ROW(i64),
    FL_CAST_ROW(u16), FL_CAST_ROW(u32), FL_CAST_ROW(u64),
    { fl_run_f16_bool, fl_run_f16_u8, fl_run_f16_i8, fl_run_f16_i16, fl_run_f16_i32, fl_run_f16_i64, fl_run_f16_u16,
      fl_run_f16_u32, fl_run_f16_u64, fl_cast_f16_f16, fl_run_f16_b16, fl_run_f16_f32, fl_run_f16_f64, fl_cast_f16_c32,
      fl_run_f16_c64, fl_run_f16_c128 },
    FL_CAST_ROW(b16), FL_CAST_ROW(f32), FL_CAST_ROW(f64), FL_CAST_ROW(c32), FL_CAST_ROW(c64), FL_CAST_ROW(c128),
};

/* Loops that only move elements, by element size; also backward, for flip, and of one element. */
#define FL_COPY(S, ST)                                                                                    \
    static void fl_copy_##S(const char* src, ptrdiff_t ss, char* dst, ptrdiff_t ds, ptrdiff_t n) {         \
        ptrdiff_t i;                                                                                      \
        if (ss == -(ptrdiff_t)sizeof(ST) && ds == (ptrdiff_t)sizeof(ST)) {                                \
            const ST* s = (const ST*)src;                                                                 \
            ST* d = (ST*)dst;                                                                             \
            for (i = 0; i < n; i++) d[i] = s[-i];                                                         \
        } else if (ss == 0 && ds == (ptrdiff_t)sizeof(ST)) {                                              \
            const ST s = *(const ST*)src;                                                                 \
            ST* d = (ST*)dst;                                                                             \
            for (i = 0; i < n; i++) d[i] = s;                                                             \
        } else fl_cast_##S##_##S(src, ss, dst, ds, n);                                                    \
    }
FL_COPY(u8, uint8_t) FL_COPY(i16, int16_t) FL_COPY(i32, int32_t) FL_COPY(i64, int64_t) FL_COPY(c128, fl_c128)

static const fl_cast_loop fl_copy_table[17] = {
    [1] = fl_copy_u8, [2] = fl_copy_i16, [4] = fl_copy_i32, [8] = fl_copy_i64, [16] = fl_copy_c128,
};
#endif
