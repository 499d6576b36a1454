/* swish(x, b) = x * sigmoid(b * x) with one b for each column, and its gradients. */
#include <flambeau/tensor.h>
#include <math.h>

static int check(fl_tensor x, fl_tensor beta) {
    if (fl_check(x, "swish", "x", FL_ANY, 2) || fl_check(beta, "swish", "beta", fl_dtype_of(x), 1)) return -1;
    if (fl_dtype_of(x) != FL_FLOAT32 && fl_dtype_of(x) != FL_FLOAT64) {
        fl_error(FL_TYPE_ERROR, "swish(): argument 'x' must be float32 or float64");
        return -1;
    }
    if (fl_size(beta, 0) != fl_size(x, 1)) {
        fl_errorf(FL_VALUE_ERROR, "swish(): %lld values of beta for %lld columns of x", (long long)fl_size(beta, 0),
                  (long long)fl_size(x, 1));
        return -1;
    }
    return 0;
}

#define KERNELS(T, EXP)                                                                              \
    static void forward_##T(const T *x, const T *beta, T *y, int64_t rows, int64_t cols) {           \
        for (int64_t i = 0; i < rows; i++)                                                           \
            for (int64_t j = 0; j < cols; j++, x++) *y++ = *x / (1 + EXP(-beta[j] * *x));            \
    }                                                                                                \
    static void backward_##T(const T *grad, const T *x, const T *beta, T *gx, T *gb, int64_t rows,   \
                             int64_t cols) {                                                         \
        for (int64_t i = 0; i < rows; i++)                                                           \
            for (int64_t j = 0; j < cols; j++, x++, grad++) {                                        \
                T s = 1 / (1 + EXP(-beta[j] * *x)), slope = s * (1 - s);                             \
                *gx++ = *grad * (s + beta[j] * *x * slope);                                          \
                gb[j] += *grad * *x * *x * slope;                                                    \
            }                                                                                        \
    }
KERNELS(float, expf)
KERNELS(double, exp)

fl_tensor swish(fl_tensor x, fl_tensor beta) {
    if (check(x, beta)) return NULL;
    fl_tensor y = fl_empty_like(x);
    if (!y) return NULL;
    if (fl_dtype_of(x) == FL_FLOAT32)
        forward_float(fl_const_data(x), fl_const_data(beta), fl_data(y), fl_size(x, 0), fl_size(x, 1));
    else
        forward_double(fl_const_data(x), fl_const_data(beta), fl_data(y), fl_size(x, 0), fl_size(x, 1));
    return y;
}

/* Returns the gradient of x and adds that of beta to grad_beta. */
fl_tensor swish_backward(fl_tensor grad, fl_tensor x, fl_tensor beta, fl_tensor grad_beta) {
    if (check(x, beta) || fl_check(grad, "swish_backward", "grad", fl_dtype_of(x), 2)) return NULL;
    fl_tensor gx = fl_empty_like(x);
    if (!gx) return NULL;
    if (fl_dtype_of(x) == FL_FLOAT32)
        backward_float(fl_const_data(grad), fl_const_data(x), fl_const_data(beta), fl_data(gx), fl_data(grad_beta),
                       fl_size(x, 0), fl_size(x, 1));
    else
        backward_double(fl_const_data(grad), fl_const_data(x), fl_const_data(beta), fl_data(gx), fl_data(grad_beta),
                        fl_size(x, 0), fl_size(x, 1));
    return gx;
}
