/* The single path from C++ to an operator: arguments and results are values, and errors are thrown. */
#pragma once

#include <ATen/core/Tensor.h>

#include <cerrno>
#include <system_error>
#include <thread>

namespace at {

/* The reductions of losses, as numbers. */
namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}

namespace detail {

/* Holds the GIL while the object exists; does nothing if the thread already holds it. */
class Gil {
  public:
    Gil() : held_(fl_gil_held()), state_(held_ ? 0 : fl_gil_ensure()) {}
    Gil(const Gil &) = delete;
    ~Gil() {
        if (!held_) fl_gil_drop(state_);
    }

  private:
    int held_;
    int32_t state_;
};

/* Releases the GIL, if it is held, while the object exists. */
class WithoutGil {
  public:
    WithoutGil() : state_(fl_table && fl_gil_held() ? fl_gil_release() : nullptr) {}
    WithoutGil(const WithoutGil &) = delete;
    ~WithoutGil() {
        if (state_) fl_gil_acquire(state_);
    }

  private:
    void *state_;
};

/* An operator, given by its name and argument names, which is looked up at the first call. */
struct Function {
    const char *name, *arguments;
    fl_function found = nullptr;
};

C10_NOINLINE inline int32_t call(Function &f, const fl_value *args, fl_value *results, int32_t nresults) {
    Gil gil;
    if (C10_UNLIKELY(!f.found)) f.found = fl_find_function(f.name, f.arguments);
    int32_t n = f.found ? fl_call_function(f.found, args, results, nresults) : -1;
    if (C10_UNLIKELY(n < 0)) throw Error::recorded();
    return n;
}

/* Take ownership of a result. */
inline Tensor tensor_of(fl_value &v) {
    if (v.kind == FL_VALUE_TENSOR) return Tensor::own(v.as.tensor);
    Gil gil;
    bool none = v.kind == FL_VALUE_NONE;
    fl_clear(&v);
    TORCH_CHECK(none, "an operator did not return a tensor");
    return Tensor();
}
inline std::vector<Tensor> tensors_of(fl_value &v) {
    Gil gil;
    std::vector<Tensor> list;
    if (v.kind == FL_VALUE_TENSORS) {
        list.reserve(size_t(v.count));
        for (int32_t i = 0; i < v.count; i++) list.push_back(Tensor::borrow(v.as.tensors[i]));
    }
    fl_clear(&v);
    return list;
}

inline Tensor call_tensor(Function &f, const fl_value *args) {
    fl_value result;
    call(f, args, &result, 1);
    return tensor_of(result);
}
inline std::vector<Tensor> call_tensors(Function &f, const fl_value *args) {
    fl_value result;
    call(f, args, &result, 1);
    return tensors_of(result);
}
inline std::tuple<Tensor, Tensor> call_two(Function &f, const fl_value *args) {
    fl_value results[2];
    call(f, args, results, 2);
    return {tensor_of(results[0]), tensor_of(results[1])};
}
inline std::tuple<Tensor, Tensor, Tensor> call_three(Function &f, const fl_value *args) {
    fl_value results[3];
    call(f, args, results, 3);
    return {tensor_of(results[0]), tensor_of(results[1]), tensor_of(results[2])};
}
inline Scalar call_scalar(Function &f, const fl_value *args) {
    fl_value result;
    call(f, args, &result, 1);
    return Scalar::of(result);
}
inline bool call_bool(Function &f, const fl_value *args) { return call_scalar(f, args).toBool(); }
inline int64_t call_int(Function &f, const fl_value *args) { return call_scalar(f, args).toLong(); }
inline double call_double(Function &f, const fl_value *args) { return call_scalar(f, args).toDouble(); }
inline void call_void(Function &f, const fl_value *args) { call(f, args, nullptr, 0); }
/* For operators that write to an argument and return it: call_same(t)(f, args) is t. */
struct call_same {
    const Tensor &written;
    explicit call_same(const Tensor &t) : written(t) {}
    Tensor &operator()(Function &f, const fl_value *args) const {
        call_void(f, args);
        return const_cast<Tensor &>(written);
    }
};

/* For operators that write to several arguments. */
template <class... T> struct call_these {
    std::tuple<T &...> written;
    explicit call_these(T &...tensors) : written(tensors...) {}
    std::tuple<T &...> operator()(Function &f, const fl_value *args) const {
        fl_value results[sizeof...(T)];
        int32_t n = call(f, args, results, int32_t(sizeof...(T)));
        Gil gil;
        for (int32_t i = 0; i < n; i++) fl_clear(&results[i]);
        return written;
    }
};

/* The body of a generated function. */
#define FL_CALL(how, name, arguments, ...)                                                                             \
    using namespace ::at::detail;                                                                                      \
    static Function flambeau_function{name, arguments};                                                                \
    const fl_value flambeau_values[] = {__VA_ARGS__};                                                                  \
    return call_##how(flambeau_function, flambeau_values);

/* Arguments as values; the caller keeps ownership. */
inline fl_value of_tensor(const Tensor &t) { return fl_of_tensor(t.handle()); }
inline fl_value of_tensors(TensorList list) {
    return fl_of_tensors(reinterpret_cast<const fl_tensor *>(list.data()), int32_t(list.size()));
}
inline fl_value of_int(int64_t i) { return fl_of_int(i); }
inline fl_value of_ints(IntArrayRef list) { return fl_of_ints(list.data(), int32_t(list.size())); }
inline fl_value of_bool(bool b) { return fl_of_bool(b); }
inline fl_value of_double(double d) { return fl_of_double(d); }
inline fl_value of_doubles(ArrayRef<double> list) { return fl_of_doubles(list.data(), int32_t(list.size())); }
inline fl_value of_scalar(const Scalar &s) { return s.value(); }
inline fl_value of_dtype(ScalarType type) { return fl_of_dtype(fl_dtype(type)); }
inline fl_value of_string(const std::string &text) { return fl_of_string(text.c_str()); }

inline fl_value of_tensor_or_none(const optional<Tensor> &t) { return t && t->defined() ? of_tensor(*t) : fl_none(); }
inline fl_value of_int_or_none(optional<int64_t> i) { return i ? of_int(*i) : fl_none(); }
inline fl_value of_ints_or_none(const OptionalIntArrayRef &list) { return list ? of_ints(*list) : fl_none(); }
inline fl_value of_bool_or_none(optional<bool> b) { return b ? of_bool(*b) : fl_none(); }
inline fl_value of_double_or_none(optional<double> d) { return d ? of_double(*d) : fl_none(); }
inline fl_value of_scalar_or_none(const optional<Scalar> &s) { return s ? s->value() : fl_none(); }
inline fl_value of_dtype_or_none(optional<ScalarType> type) { return type ? of_dtype(*type) : fl_none(); }
inline fl_value of_string_or_none(const optional<std::string> &text) { return text ? of_string(*text) : fl_none(); }

inline fl_value of_reduction(int64_t how) {
    return fl_of_string(how == Reduction::None ? "none" : how == Reduction::Sum ? "sum" : "mean");
}
/* Convert the options that have an effect. */
inline fl_value dtype_of(const TensorOptions &options) {
    TORCH_CHECK(options.device().is_cpu() || options.device().is_meta(), "flambeau has no device '", options.device(),
                "', only 'cpu' and 'meta'");
    TORCH_CHECK(options.layout() == kStrided, "flambeau has only strided tensors");
    return of_dtype_or_none(options.dtype_opt());
}
inline fl_value device_of(const TensorOptions &options) {
    return options.device().is_meta() ? fl_of_string("meta") : fl_none();
}
inline fl_value requires_grad_of(const TensorOptions &options) { return of_bool(options.requires_grad()); }

}  // namespace detail
}  // namespace at

#ifdef __GLIBCXX__
/* Threads of an extension need the GIL to compute with tensors, so a function that waits for them must release it: this
 * version of join does so. Calls in the extension find it before the standard library's. */
__attribute__((weak)) void std::thread::join() {
    int failed = EINVAL;
    if (joinable()) {
        at::detail::WithoutGil released;
        failed = pthread_join(native_handle(), nullptr);
    }
    if (failed) throw std::system_error(failed, std::generic_category(), "std::thread::join");
    _M_id = id();
}
#endif
