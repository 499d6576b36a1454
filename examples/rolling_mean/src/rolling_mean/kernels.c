#include <flambeau/tensor.h>

typedef struct {
    const double *x;
    double *out;
    int64_t length, window;
} job;

/* Sums once per row, then one element in and one out for each step. */
static void rows(int64_t begin, int64_t end, void *context) {
    const job *j = (const job *)context;
    int64_t steps = j->length - j->window + 1;
    for (int64_t row = begin; row < end; row++) {
        const double *x = j->x + row * j->length;
        double *out = j->out + row * steps, sum = 0;
        for (int64_t i = 0; i < j->window; i++) sum += x[i];
        out[0] = sum / (double)j->window;
        for (int64_t i = 1; i < steps; i++) {
            sum += x[i + j->window - 1] - x[i - 1];
            out[i] = sum / (double)j->window;
        }
    }
}

fl_tensor rolling_mean(fl_tensor x, int64_t window) {
    int64_t sizes[64], length = fl_size(x, -1);
    int32_t ndim = fl_ndim(x);
    fl_tensor out;
    job j;
    if (FL_CHECK(x, FL_FLOAT64, FL_ANY) || length < 0) return NULL;
    if (window < 1 || window > length)
        return fl_errorf(FL_VALUE_ERROR, "rolling_mean(): argument 'window' must be from 1 to %lld, got %lld",
                         (long long)length, (long long)window);
    memcpy(sizes, fl_sizes(x), (size_t)ndim * sizeof *sizes);
    sizes[ndim - 1] = length - window + 1;
    out = fl_empty(sizes, ndim, FL_FLOAT64);
    if (!out) return NULL;
    j.x = (const double *)fl_const_data(x);
    j.out = (double *)fl_data(out);
    j.length = length;
    j.window = window;
    fl_parallel_for(fl_numel(x) / length, 1 + 16384 / length, rows, &j);
    return out;
}
