/* The names of TH, the C library under early PyTorch, on top of flambeau/tensor.h: for kernels written for
 * torch.utils.ffi.create_extension. C99.
 *
 *     int my_lib_add_forward(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output) {
 *         if (!THFloatTensor_isSameSizeAs(input1, input2)) return 0;
 *         THFloatTensor_resizeAs(output, input1);
 *         THFloatTensor_cadd(output, input1, 1.0, input2);
 *         return 1;
 *     }
 *
 * A THFloatTensor * is an fl_tensor whose dtype was checked before the call, so every fl_ function accepts it, too.
 * There are Byte, Char, Short, Int, Long, Float and Double tensors. Functions that compute write to their first
 * argument and resize it; it may be one of the others. A failure records an error, which is raised when the kernel
 * returns.
 */
#ifndef FLAMBEAU_TH_H
#define FLAMBEAU_TH_H

#include <flambeau/tensor.h>

#define THError(...) ((void)fl_errorf(FL_RUNTIME_ERROR, __VA_ARGS__))
#define THArgCheck(condition, argument, ...) \
    ((condition) ? (void)0 : (void)fl_errorf(FL_VALUE_ERROR, "invalid argument " #argument ": " __VA_ARGS__))

/* Call an operator on values and release the result: 0, or -1 with a recorded error. */
static inline int fl_th_call(const char *name, const fl_value *args, int32_t n) {
    fl_tensor result = fl_call(name, args, n);
    fl_release(result);
    return result ? 0 : -1;
}

/* The address for reading and writing. The use of the address is unknown, so leaves are accepted, too. */
static inline void *fl_th_data(fl_tensor t) {
#if FL_TARGET_MINOR >= 1
    const int recording = fl_grad_mode(0);
    void *data = fl_data(t);
    fl_grad_mode(recording);
    return data;
#else
    return fl_data(t);
#endif
}

static inline void fl_th_resize(fl_tensor t, const int64_t *sizes, int32_t ndim) {
    fl_value args[2];
    args[0] = fl_of_tensor(t);
    args[1] = fl_of_ints(sizes, ndim);
    fl_th_call("torch.Tensor.resize_", args, 2);
}

/* Give `r` the sizes and elements of `source`, and release `source`. */
static inline void fl_th_take(fl_tensor r, fl_tensor source) {
    fl_value args[2];
    if (!source) return;
    fl_th_resize(r, fl_sizes(source), fl_ndim(source));
    args[0] = fl_of_tensor(r);
    args[1] = fl_of_tensor(source);
    fl_th_call("torch.Tensor.copy_", args, 2);
    fl_release(source);
}

static inline void fl_th_binary(fl_tensor r, const char *name, fl_tensor a, fl_value b) {
    fl_value args[2];
    args[0] = fl_of_tensor(a);
    args[1] = b;
    fl_th_take(r, fl_call(name, args, 2));
}

static inline fl_tensor fl_th_sum(fl_tensor t) {
    fl_value args[1];
    args[0] = fl_of_tensor(t);
    return fl_call("torch.sum", args, 1);
}

static inline int fl_th_same_size(fl_tensor a, fl_tensor b) {
    return fl_ndim(a) == fl_ndim(b) &&
           memcmp(fl_sizes(a), fl_sizes(b), (size_t)fl_ndim(a) * sizeof(int64_t)) == 0;
}

/* The offset of an element, or -1 with a recorded error. */
static inline int64_t fl_th_place(fl_tensor t, const int64_t *index, int32_t n) {
    int64_t offset = 0;
    int32_t d;
    if (fl_ndim(t) != n) {
        fl_errorf(FL_INDEX_ERROR, "%d indices for a tensor of %d dimensions", (int)n, (int)fl_ndim(t));
        return -1;
    }
    for (d = 0; d < n; d++) {
        if (index[d] < 0 || index[d] >= fl_sizes(t)[d]) {
            fl_errorf(FL_INDEX_ERROR, "index %lld is out of range for dimension %d of size %lld", (long long)index[d],
                      (int)d, (long long)fl_sizes(t)[d]);
            return -1;
        }
        offset += index[d] * fl_strides(t)[d];
    }
    return offset;
}

#define FL_TH_TENSOR(Real, real, number, DTYPE)                                                                        \
    typedef struct fl_tensor_object TH##Real##Tensor;                                                                  \
    static inline TH##Real##Tensor *TH##Real##Tensor_newWithSize(const int64_t *sizes, int32_t n) {                    \
        return fl_empty(sizes, n, DTYPE);                                                                              \
    }                                                                                                                  \
    static inline TH##Real##Tensor *TH##Real##Tensor_new(void) {                                                       \
        const int64_t none = 0;                                                                                        \
        return fl_empty(&none, 1, DTYPE);                                                                              \
    }                                                                                                                  \
    static inline TH##Real##Tensor *TH##Real##Tensor_newWithSize1d(int64_t a) { return fl_empty(&a, 1, DTYPE); }       \
    static inline TH##Real##Tensor *TH##Real##Tensor_newWithSize2d(int64_t a, int64_t b) {                             \
        const int64_t sizes[2] = {a, b};                                                                               \
        return fl_empty(sizes, 2, DTYPE);                                                                              \
    }                                                                                                                  \
    static inline TH##Real##Tensor *TH##Real##Tensor_newWithSize3d(int64_t a, int64_t b, int64_t c) {                  \
        const int64_t sizes[3] = {a, b, c};                                                                            \
        return fl_empty(sizes, 3, DTYPE);                                                                              \
    }                                                                                                                  \
    static inline TH##Real##Tensor *TH##Real##Tensor_newWithSize4d(int64_t a, int64_t b, int64_t c, int64_t d) {       \
        const int64_t sizes[4] = {a, b, c, d};                                                                         \
        return fl_empty(sizes, 4, DTYPE);                                                                              \
    }                                                                                                                  \
    static inline TH##Real##Tensor *TH##Real##Tensor_newContiguous(TH##Real##Tensor *t) { return fl_contiguous(t); }   \
    static inline TH##Real##Tensor *TH##Real##Tensor_newClone(TH##Real##Tensor *t) {                                   \
        fl_value args[1];                                                                                              \
        args[0] = fl_of_tensor(t);                                                                                     \
        return fl_call("torch.clone", args, 1);                                                                        \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_retain(TH##Real##Tensor *t) { fl_retain(t); }                                  \
    static inline void TH##Real##Tensor_free(TH##Real##Tensor *t) { fl_release(t); }                                   \
    static inline real *TH##Real##Tensor_data(TH##Real##Tensor *t) { return (real *)fl_th_data(t); }                   \
    static inline int TH##Real##Tensor_nDimension(TH##Real##Tensor *t) { return (int)fl_ndim(t); }                     \
    static inline ptrdiff_t TH##Real##Tensor_nElement(TH##Real##Tensor *t) { return (ptrdiff_t)fl_numel(t); }          \
    static inline int64_t TH##Real##Tensor_size(TH##Real##Tensor *t, int d) { return fl_size(t, d); }                  \
    static inline int64_t TH##Real##Tensor_stride(TH##Real##Tensor *t, int d) {                                        \
        return fl_size(t, d) < 0 ? -1 : fl_strides(t)[d < 0 ? d + fl_ndim(t) : d];                                     \
    }                                                                                                                  \
    static inline int TH##Real##Tensor_isContiguous(TH##Real##Tensor *t) { return fl_is_contiguous(t); }               \
    static inline int TH##Real##Tensor_isSameSizeAs(TH##Real##Tensor *a, TH##Real##Tensor *b) {                        \
        return fl_th_same_size(a, b);                                                                                  \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_resizeAs(TH##Real##Tensor *r, TH##Real##Tensor *t) {                           \
        if (!fl_th_same_size(r, t)) fl_th_resize(r, fl_sizes(t), fl_ndim(t));                                          \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_resize1d(TH##Real##Tensor *r, int64_t a) { fl_th_resize(r, &a, 1); }           \
    static inline void TH##Real##Tensor_resize2d(TH##Real##Tensor *r, int64_t a, int64_t b) {                          \
        const int64_t sizes[2] = {a, b};                                                                               \
        fl_th_resize(r, sizes, 2);                                                                                     \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_resize3d(TH##Real##Tensor *r, int64_t a, int64_t b, int64_t c) {               \
        const int64_t sizes[3] = {a, b, c};                                                                            \
        fl_th_resize(r, sizes, 3);                                                                                     \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_resize4d(TH##Real##Tensor *r, int64_t a, int64_t b, int64_t c, int64_t d) {    \
        const int64_t sizes[4] = {a, b, c, d};                                                                         \
        fl_th_resize(r, sizes, 4);                                                                                     \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_copy(TH##Real##Tensor *r, TH##Real##Tensor *source) {                          \
        fl_value args[2];                                                                                              \
        args[0] = fl_of_tensor(r);                                                                                     \
        args[1] = fl_of_tensor(source);                                                                                \
        fl_th_call("torch.Tensor.copy_", args, 2);                                                                     \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_fill(TH##Real##Tensor *r, real value) {                                        \
        fl_tensor one = fl_empty(NULL, 0, DTYPE);                                                                      \
        if (!one) return;                                                                                              \
        *(real *)fl_data(one) = value;                                                                                 \
        TH##Real##Tensor_copy(r, one);                                                                                 \
        fl_release(one);                                                                                               \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_zero(TH##Real##Tensor *r) { TH##Real##Tensor_fill(r, (real)0); }               \
    static inline real TH##Real##Tensor_get1d(TH##Real##Tensor *t, int64_t a) {                                        \
        int64_t at = fl_th_place(t, &a, 1);                                                                            \
        return at < 0 ? (real)0 : ((const real *)fl_const_data(t))[at];                                                \
    }                                                                                                                  \
    static inline real TH##Real##Tensor_get2d(TH##Real##Tensor *t, int64_t a, int64_t b) {                             \
        const int64_t index[2] = {a, b};                                                                               \
        int64_t at = fl_th_place(t, index, 2);                                                                         \
        return at < 0 ? (real)0 : ((const real *)fl_const_data(t))[at];                                                \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_set1d(TH##Real##Tensor *t, int64_t a, real value) {                            \
        int64_t at = fl_th_place(t, &a, 1);                                                                            \
        real *data = at < 0 ? NULL : (real *)fl_data(t);                                                               \
        if (data) data[at] = value;                                                                                    \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_set2d(TH##Real##Tensor *t, int64_t a, int64_t b, real value) {                 \
        const int64_t index[2] = {a, b};                                                                               \
        int64_t at = fl_th_place(t, index, 2);                                                                         \
        real *data = at < 0 ? NULL : (real *)fl_data(t);                                                               \
        if (data) data[at] = value;                                                                                    \
    }                                                                                                                  \
    /* r = t + value, t * value, t / value */                                                                          \
    static inline void TH##Real##Tensor_add(TH##Real##Tensor *r, TH##Real##Tensor *t, real value) {                    \
        fl_th_binary(r, "torch.add", t, number(value));                                                                \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_mul(TH##Real##Tensor *r, TH##Real##Tensor *t, real value) {                    \
        fl_th_binary(r, "torch.mul", t, number(value));                                                                \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_div(TH##Real##Tensor *r, TH##Real##Tensor *t, real value) {                    \
        fl_th_binary(r, "torch.div", t, number(value));                                                                \
    }                                                                                                                  \
    /* r = t + value * source, t - value * source, t * source, t / source */                                           \
    static inline void TH##Real##Tensor_cadd(TH##Real##Tensor *r, TH##Real##Tensor *t, real value,                     \
                                             TH##Real##Tensor *source) {                                               \
        fl_value args[3];                                                                                              \
        args[0] = fl_of_tensor(t);                                                                                     \
        args[1] = fl_of_tensor(source);                                                                                \
        args[2] = fl_named("alpha", number(value));                                                                    \
        fl_th_take(r, fl_call("torch.add", args, 3));                                                                  \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_csub(TH##Real##Tensor *r, TH##Real##Tensor *t, real value,                     \
                                             TH##Real##Tensor *source) {                                               \
        fl_value args[3];                                                                                              \
        args[0] = fl_of_tensor(t);                                                                                     \
        args[1] = fl_of_tensor(source);                                                                                \
        args[2] = fl_named("alpha", number(value));                                                                    \
        fl_th_take(r, fl_call("torch.sub", args, 3));                                                                  \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_cmul(TH##Real##Tensor *r, TH##Real##Tensor *t, TH##Real##Tensor *source) {     \
        fl_th_binary(r, "torch.mul", t, fl_of_tensor(source));                                                         \
    }                                                                                                                  \
    static inline void TH##Real##Tensor_cdiv(TH##Real##Tensor *r, TH##Real##Tensor *t, TH##Real##Tensor *source) {     \
        fl_th_binary(r, "torch.div", t, fl_of_tensor(source));                                                         \
    }

#define FL_TH_SUM(Real, real, wide)                                                                                    \
    static inline wide TH##Real##Tensor_sumall(TH##Real##Tensor *t) {                                                  \
        fl_tensor sum = fl_th_sum(t);                                                                                  \
        wide value = sum ? (wide) * (const real *)fl_const_data(sum) : (wide)0;                                        \
        fl_release(sum);                                                                                               \
        return value;                                                                                                  \
    }

FL_TH_TENSOR(Byte, uint8_t, fl_of_int, FL_UINT8)
FL_TH_TENSOR(Char, int8_t, fl_of_int, FL_INT8)
FL_TH_TENSOR(Short, int16_t, fl_of_int, FL_INT16)
FL_TH_TENSOR(Int, int32_t, fl_of_int, FL_INT32)
FL_TH_TENSOR(Long, int64_t, fl_of_int, FL_INT64)
FL_TH_TENSOR(Float, float, fl_of_double, FL_FLOAT32)
FL_TH_TENSOR(Double, double, fl_of_double, FL_FLOAT64)

FL_TH_SUM(Byte, int64_t, int64_t) /* sums of integers have dtype int64 */
FL_TH_SUM(Char, int64_t, int64_t)
FL_TH_SUM(Short, int64_t, int64_t)
FL_TH_SUM(Int, int64_t, int64_t)
FL_TH_SUM(Long, int64_t, int64_t)
FL_TH_SUM(Float, float, double)
FL_TH_SUM(Double, double, double)

#undef FL_TH_TENSOR
#undef FL_TH_SUM

#endif

/* --- For generated bindings: arguments of one dtype ---------------------------------------------------------------- */

#if defined(FLAMBEAU_BIND_H) && !defined(FLAMBEAU_TH_READ)
#define FLAMBEAU_TH_READ
#define FL_TH_READ(Real, DTYPE)                                                                                       \
    FLB_SHARED int flb_read_TH##Real##Tensor(const flb_signature *s, Py_ssize_t i, PyObject *o, fl_tensor *out) {      \
        if (flb_read_tensor(s, i, o, out)) return -1;                                                                 \
        if (fl_dtype_of(*out) == DTYPE) return 0;                                                                     \
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %zd) must be torch." #Real "Tensor", s->function, \
                     s->names[i], i + 1);                                                                             \
        return -1;                                                                                                    \
    }
FL_TH_READ(Byte, FL_UINT8)
FL_TH_READ(Char, FL_INT8)
FL_TH_READ(Short, FL_INT16)
FL_TH_READ(Int, FL_INT32)
FL_TH_READ(Long, FL_INT64)
FL_TH_READ(Float, FL_FLOAT32)
FL_TH_READ(Double, FL_FLOAT64)
#undef FL_TH_READ
#endif
