/* x / (1 + |x|) and its derivative, for float32 and float64, on the library's threads where there is much to do. */
#include <flambeau/tensor.h>
#include <math.h>

typedef struct {
    const void *x, *grad;
    void *out;
} job;

#define LOOPS(type, absolute)                                                                      \
    static void forward_##type(int64_t begin, int64_t end, void *context) {                        \
        const job *j = (const job *)context;                                                       \
        const type *x = (const type *)j->x;                                                        \
        type *out = (type *)j->out;                                                                \
        for (int64_t i = begin; i < end; i++) out[i] = x[i] / (1 + absolute(x[i]));                \
    }                                                                                              \
    static void backward_##type(int64_t begin, int64_t end, void *context) {                       \
        const job *j = (const job *)context;                                                       \
        const type *x = (const type *)j->x, *grad = (const type *)j->grad;                         \
        type *out = (type *)j->out;                                                                \
        for (int64_t i = begin; i < end; i++) {                                                    \
            type d = 1 + absolute(x[i]);                                                           \
            out[i] = grad[i] / (d * d);                                                            \
        }                                                                                          \
    }
LOOPS(float, fabsf)
LOOPS(double, fabs)

enum { GRAIN = 16384 };

/* Run one of two loops into a fresh tensor like x; NULL and an error for other dtypes. */
static fl_tensor run(fl_tensor x, fl_tensor grad, fl_range_body for_float, fl_range_body for_double) {
    fl_dtype dtype = fl_dtype_of(x);
    fl_tensor out;
    job j;
    if (dtype != FL_FLOAT32 && dtype != FL_FLOAT64)
        return fl_error(FL_TYPE_ERROR, "softsign(): argument 'x' must be float32 or float64");
    out = fl_empty_like(x);
    if (!out) return NULL;
    j.x = fl_const_data(x);
    j.grad = grad ? fl_const_data(grad) : NULL;
    j.out = fl_data(out);
    fl_parallel_for(fl_numel(x), GRAIN, dtype == FL_FLOAT32 ? for_float : for_double, &j);
    return out;
}

fl_tensor forward(fl_tensor x) {
    fl_tensor dense = fl_contiguous(x), out;
    if (!dense) return NULL;
    out = run(dense, NULL, forward_float, forward_double);
    fl_release(dense);
    return out;
}

fl_tensor backward(fl_tensor grad, fl_tensor x) {
    fl_tensor dense = fl_contiguous(x), g = fl_contiguous(grad), out = NULL;
    if (dense && g) {
        if (fl_numel(dense) == fl_numel(g) && fl_dtype_of(dense) == fl_dtype_of(g))
            out = run(dense, g, backward_float, backward_double);
        else
            fl_error(FL_VALUE_ERROR, "softsign_backward(): 'grad' must have the sizes and the dtype of 'x'");
    }
    fl_release(dense);
    fl_release(g);
    return out;
}
