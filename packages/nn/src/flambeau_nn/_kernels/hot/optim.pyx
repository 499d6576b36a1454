# cython: language_level=3
"""Optimizers' updates of one parameter: the loops of include/optim_loops.h, for float32 and float64.

``LOOPS`` has their addresses, by the rule's name and dtype; ``FUSED`` says whether products and sums in them are
rounded once.
"""
cdef extern from * nogil:
    """
    #include <math.h>
    #include <stddef.h>

    #if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)
    #define FL_FUSED 1
    #define FL_FMA_float(x, y, z) fmaf(x, y, z)
    #define FL_FMA_double(x, y, z) fma(x, y, z)
    #else
    #define FL_FUSED 0
    #define FL_FMA_float(x, y, z) ((x) * (y) + (z))
    #define FL_FMA_double(x, y, z) ((x) * (y) + (z))
    #endif

    #ifdef _MSC_VER
    #define FL_INLINE static __forceinline
    #define FL_RESTRICT __restrict
    #else
    #define FL_INLINE static inline __attribute__((always_inline))
    #define FL_RESTRICT restrict
    #endif
    #define FL_INDEX ptrdiff_t

    #define FL_REAL float
    #define FL_ROOT(x) sqrtf(x)
    #define FL_FMA FL_FMA_float
    #define FL_LOOP(name) FL_INLINE void fl_##name##_float( \\
        float *FL_RESTRICT p, const float *FL_RESTRICT g, float *FL_RESTRICT a, float *FL_RESTRICT b, \\
        float *FL_RESTRICT c, ptrdiff_t n, const double *k, int variant)
    #include "optim_loops.h"
    #undef FL_REAL
    #undef FL_ROOT
    #undef FL_FMA
    #undef FL_LOOP
    #define FL_REAL double
    #define FL_ROOT(x) sqrt(x)
    #define FL_FMA FL_FMA_double
    #define FL_LOOP(name) FL_INLINE void fl_##name##_double( \\
        double *FL_RESTRICT p, const double *FL_RESTRICT g, double *FL_RESTRICT a, double *FL_RESTRICT b, \\
        double *FL_RESTRICT c, ptrdiff_t n, const double *k, int variant)
    #include "optim_loops.h"

    /* One loop for each variant, chosen before it starts. */
    #define FL_CASE(name, type, v) case v: fl_##name##_##type(p, g, a, b, c, n, k, v); break;
    #define FL_CHOICE(name, type, cases) \\
        static void fl_run_##name##_##type(type *p, const type *g, type *a, type *b, type *c, ptrdiff_t n, \\
                                           const double *k, int variant) { \\
            switch (variant) { cases(name, type) } \\
        }
    #define FL_ONE(name, type) FL_CASE(name, type, 0)
    #define FL_TWO(name, type) FL_ONE(name, type) FL_CASE(name, type, 1)
    #define FL_FOUR(name, type) FL_TWO(name, type) FL_CASE(name, type, 2) FL_CASE(name, type, 3)
    #define FL_EIGHT(name, type) FL_FOUR(name, type) FL_CASE(name, type, 4) FL_CASE(name, type, 5) \\
        FL_CASE(name, type, 6) FL_CASE(name, type, 7)
    #define FL_BOTH(name, cases) FL_CHOICE(name, float, cases) FL_CHOICE(name, double, cases)
    FL_BOTH(sgd, FL_EIGHT)
    FL_BOTH(adam, FL_FOUR)
    FL_BOTH(rmsprop, FL_EIGHT)
    FL_BOTH(adagrad, FL_TWO)
    FL_BOTH(adadelta, FL_TWO)
    FL_BOTH(adamax, FL_TWO)
    FL_BOTH(nadam, FL_TWO)
    FL_BOTH(radam, FL_TWO)
    FL_BOTH(rprop, FL_ONE)
    FL_BOTH(asgd, FL_TWO)
    """
    int FL_FUSED
    void fl_run_sgd_float()
    void fl_run_sgd_double()
    void fl_run_adam_float()
    void fl_run_adam_double()
    void fl_run_rmsprop_float()
    void fl_run_rmsprop_double()
    void fl_run_adagrad_float()
    void fl_run_adagrad_double()
    void fl_run_adadelta_float()
    void fl_run_adadelta_double()
    void fl_run_adamax_float()
    void fl_run_adamax_double()
    void fl_run_nadam_float()
    void fl_run_nadam_double()
    void fl_run_radam_float()
    void fl_run_radam_double()
    void fl_run_rprop_float()
    void fl_run_rprop_double()
    void fl_run_asgd_float()
    void fl_run_asgd_double()

FUSED = bool(FL_FUSED)


def _pair(size_t single, size_t double_):
    return {"float32": single, "float64": double_}


LOOPS = {
    "sgd": _pair(<size_t>&fl_run_sgd_float, <size_t>&fl_run_sgd_double),
    "adam": _pair(<size_t>&fl_run_adam_float, <size_t>&fl_run_adam_double),
    "rmsprop": _pair(<size_t>&fl_run_rmsprop_float, <size_t>&fl_run_rmsprop_double),
    "adagrad": _pair(<size_t>&fl_run_adagrad_float, <size_t>&fl_run_adagrad_double),
    "adadelta": _pair(<size_t>&fl_run_adadelta_float, <size_t>&fl_run_adadelta_double),
    "adamax": _pair(<size_t>&fl_run_adamax_float, <size_t>&fl_run_adamax_double),
    "nadam": _pair(<size_t>&fl_run_nadam_float, <size_t>&fl_run_nadam_double),
    "radam": _pair(<size_t>&fl_run_radam_float, <size_t>&fl_run_radam_double),
    "rprop": _pair(<size_t>&fl_run_rprop_float, <size_t>&fl_run_rprop_double),
    "asgd": _pair(<size_t>&fl_run_asgd_float, <size_t>&fl_run_asgd_double),
}
