/* flambeau/tensor.h for C++17: a tensor that releases itself, and errors as exceptions.
 *
 *     fl::tensor scaled(const fl::tensor &x, double a) {
 *         fl::tensor y = fl::empty_like(x);
 *         const float *from = x.data<float>();
 *         float *to = y.mutable_data<float>();
 *         for (int64_t i = 0; i < x.numel(); i++) to[i] = float(a) * from[i];
 *         return y;
 *     }
 *
 * Functions here that take a tensor need the GIL if their C functions do.
 */
#ifndef FLAMBEAU_TENSOR_HPP
#define FLAMBEAU_TENSOR_HPP

#include <flambeau/exception.hpp>

#include <utility>

namespace fl {

/* Thrown when a function of the C interface has failed: the Python exception is recorded and will be raised. */
struct error : exception {
    const char *what() const noexcept override { return "an error recorded by flambeau"; }
    void raise() const noexcept override {}
};

namespace detail {
template <class T> struct dtype;
template <> struct dtype<bool> { static constexpr fl_dtype value = FL_BOOL; };
template <> struct dtype<uint8_t> { static constexpr fl_dtype value = FL_UINT8; };
template <> struct dtype<int8_t> { static constexpr fl_dtype value = FL_INT8; };
template <> struct dtype<int16_t> { static constexpr fl_dtype value = FL_INT16; };
template <> struct dtype<int32_t> { static constexpr fl_dtype value = FL_INT32; };
template <> struct dtype<int64_t> { static constexpr fl_dtype value = FL_INT64; };
template <> struct dtype<float> { static constexpr fl_dtype value = FL_FLOAT32; };
template <> struct dtype<double> { static constexpr fl_dtype value = FL_FLOAT64; };
/* std::complex, matched by its form: including its header would take half of the time to compile a small source. */
template <template <class> class Complex> struct dtype<Complex<float>> {
    static_assert(sizeof(Complex<float>) == 8);
    static constexpr fl_dtype value = FL_COMPLEX64;
};
template <template <class> class Complex> struct dtype<Complex<double>> {
    static_assert(sizeof(Complex<double>) == 16);
    static constexpr fl_dtype value = FL_COMPLEX128;
};

template <class P> P checked(P pointer) {
    if (!pointer) throw error();
    return pointer;
}
}  // namespace detail

/* The dtype of a C++ element type. */
template <class T> inline constexpr fl_dtype dtype_of = detail::dtype<T>::value;

class tensor {
  public:
    tensor() = default;
    tensor(const tensor &other) : handle_(other.handle_ ? fl_retain(other.handle_) : nullptr) {}
    tensor(tensor &&other) noexcept : handle_(other.release()) {}
    tensor &operator=(tensor other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~tensor() {
        if (handle_) fl_release(handle_);
    }

    /* Take ownership of a handle that an fl_ function returned; throw if it is NULL. */
    static tensor own(fl_tensor handle) {
        tensor t;
        t.handle_ = detail::checked(handle);
        return t;
    }
    /* Share a borrowed handle, such as an argument. */
    static tensor borrow(fl_tensor handle) { return own(fl_retain(handle)); }
    /* Give up ownership of the handle. */
    fl_tensor release() noexcept { return std::exchange(handle_, nullptr); }
    fl_tensor handle() const noexcept { return handle_; }

    fl_dtype dtype() const { return fl_dtype_of(handle_); }
    int32_t ndim() const { return fl_ndim(handle_); }
    int64_t numel() const { return fl_numel(handle_); }
    const int64_t *sizes() const { return fl_sizes(handle_); }
    const int64_t *strides() const { return fl_strides(handle_); }
    bool is_contiguous() const { return fl_is_contiguous(handle_) != 0; }
    int64_t size(int32_t dim) const {
        int64_t n = fl_size(handle_, dim);
        if (n < 0) throw error();
        return n;
    }
    tensor contiguous() const { return own(fl_contiguous(handle_)); }

    /* Throw the error of FL_CHECK unless this is contiguous, of element type T and (unless -1) has ndim dimensions. */
    template <class T> void check(const char *function, const char *argument, int32_t ndim = -1) const {
        if (fl_check(handle_, function, argument, dtype_of<T>, ndim)) throw error();
    }
    /* The elements for reading and writing; throws an error unless they are of type T and contiguous. */
    template <class T> const T *data() const {
        check<T>("data", "self");
        return static_cast<const T *>(detail::checked(fl_const_data(handle_)));
    }
    template <class T> T *mutable_data() {
        check<T>("mutable_data", "self");
        return static_cast<T *>(detail::checked(fl_data(handle_)));
    }

  private:
    fl_tensor handle_ = nullptr;
};

inline tensor empty(const int64_t *sizes, int32_t ndim, fl_dtype dtype) {
    return tensor::own(fl_empty(sizes, ndim, dtype));
}
inline tensor empty_like(const tensor &t) { return tensor::own(fl_empty_like(t.handle())); }
inline tensor zeros_like(const tensor &t) { return tensor::own(fl_zeros_like(t.handle())); }

inline fl_value value(const tensor &t) { return fl_of_tensor(t.handle()); }
inline fl_value value(bool b) { return fl_of_bool(b); }
inline fl_value value(int i) { return fl_of_int(i); }
inline fl_value value(int64_t i) { return fl_of_int(i); }
inline fl_value value(double d) { return fl_of_double(d); }
inline fl_value value(const char *s) { return fl_of_string(s); }
inline fl_value value(fl_value v) { return v; }

/* Call an operator that returns one tensor: fl::call("add", x, 2.0, fl_named("alpha", fl_of_int(3))). */
template <class... Arguments> tensor call(const char *name, const Arguments &...arguments) {
    const fl_value values[] = {value(arguments)..., fl_none()};
    return tensor::own(fl_call(name, values, int32_t(sizeof...(arguments))));
}

}  // namespace fl
#endif
