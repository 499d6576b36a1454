# cython: language_level=3
"""The update of one parameter by each optimizer: the loops of include/optim_loops.h, for float32 and float64.

``LOOPS`` contains their addresses, by the rule's name and dtype; ``FUSED`` says whether they use fused multiply-add.
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

    /* One loop for each variant, selected before it starts. */
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

    /* The loops and their numbers of variants. */
    #define FL_ALL(X) \\
        X(sgd, FL_EIGHT) X(adam, FL_FOUR) X(rmsprop, FL_EIGHT) X(adagrad, FL_TWO) X(adadelta, FL_TWO) \\
        X(adamax, FL_TWO) X(nadam, FL_TWO) X(radam, FL_TWO) X(rprop, FL_ONE) X(asgd, FL_TWO)
    FL_ALL(FL_BOTH)

    typedef void (*fl_any)(void);
    typedef struct { const char *name; fl_any single, twice; } fl_loops;
    #define FL_ROW(name, cases) {#name, (fl_any)fl_run_##name##_float, (fl_any)fl_run_##name##_double},
    static const fl_loops FL_LOOPS[] = {FL_ALL(FL_ROW)};
    #define FL_NLOOPS ((int)(sizeof(FL_LOOPS) / sizeof(FL_LOOPS[0])))
    """
    ctypedef void (*fl_any)()
    ctypedef struct fl_loops:
        const char* name
        fl_any single, twice
    int FL_FUSED, FL_NLOOPS
    const fl_loops* FL_LOOPS

FUSED = bool(FL_FUSED)
LOOPS = {
    FL_LOOPS[i].name.decode(): {"float32": <size_t>FL_LOOPS[i].single, "float64": <size_t>FL_LOOPS[i].twice}
    for i in range(FL_NLOOPS)
}
