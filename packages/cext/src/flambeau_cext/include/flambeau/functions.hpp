/* Functions of tensors in C++ as a Python module: load_inline uses it for functions with the types below. It replaces
 * torch/extension.h there, since pybind11 accounts for most of the time of such a build.
 */
#ifndef FLAMBEAU_FUNCTIONS_HPP
#define FLAMBEAU_FUNCTIONS_HPP

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <flambeau/bind.h>
#include <torch/all.h>
#include <torch/csrc/utils/objects.h>

namespace torch {
namespace detail {

/* For each type: its name in messages; `read`, which returns 0, or -1 with the error set; `make`, a new object. */
template <class T, class = void> struct Object;

#define FL_OBJECT(T, python, reads, makes)                                                      \
    template <> struct Object<T> {                                                              \
        static std::string name() { return python; }                                            \
        static int read(const flb_signature *s, Py_ssize_t i, PyObject *o, T &out) {            \
            if (reads) return 0;                                                                \
            return PyErr_Occurred() ? -1 : flb_wrong_type(s, i, python, o);                     \
        }                                                                                       \
        static PyObject *make(const T &x) { return makes; }                                     \
    };
/* Like pybind11: None is false, and any object with a truth value is accepted. */
inline bool read_bool(PyObject *o, bool &out) {
    bool knows = o == Py_None || (Py_TYPE(o)->tp_as_number && Py_TYPE(o)->tp_as_number->nb_bool);
    int is = knows ? PyObject_IsTrue(o) : -1;
    out = is > 0;
    return is >= 0;
}
inline bool read_string(PyObject *o, std::string &out) {
    char *text = nullptr;
    Py_ssize_t length = 0;
    if (PyUnicode_Check(o)) text = const_cast<char *>(PyUnicode_AsUTF8AndSize(o, &length));
    else if (PyBytes_Check(o)) PyBytes_AsStringAndSize(o, &text, &length);
    if (text) out.assign(text, size_t(length));
    return text != nullptr;
}
FL_OBJECT(bool, "bool", read_bool(o, out), PyBool_FromLong(x))
FL_OBJECT(std::string, "str", read_string(o, out), PyUnicode_FromStringAndSize(x.data(), Py_ssize_t(x.size())))
FL_OBJECT(c10::Scalar, "Number", read_scalar(o, out), make_scalar(x))
FL_OBJECT(c10::ScalarType, "torch.dtype", read_dtype(o, out), make_dtype(x))
FL_OBJECT(at::Tensor, "Tensor", (fl_from_python(o) && ((out = at::Tensor::borrow(fl_from_python(o))), true)),
          THPVariable_Wrap(x))
#undef FL_OBJECT

/* Based on a reader of bind.h with its own type. */
#define FL_OBJECT(T, python, local, reads, makes)                                               \
    template <> struct Object<T> {                                                              \
        static std::string name() { return python; }                                            \
        static int read(const flb_signature *s, Py_ssize_t i, PyObject *o, T &out) {            \
            local value;                                                                        \
            if (reads(s, i, o, &value)) return -1;                                              \
            out = T(value);                                                                     \
            return 0;                                                                           \
        }                                                                                       \
        static PyObject *make(const T &x) { return makes; }                                     \
    };
FL_OBJECT(double, "Number", double, flb_read_double, PyFloat_FromDouble(x))
FL_OBJECT(float, "Number", double, flb_read_double, PyFloat_FromDouble(double(x)))
#undef FL_OBJECT

template <class T> struct Object<T, std::enable_if_t<std::is_integral_v<T>>> {
    static std::string name() { return "int"; }
    static int read(const flb_signature *s, Py_ssize_t i, PyObject *o, T &out) {
        return flb_read_integer(s, i, o, int64_t(std::numeric_limits<T>::min()), uint64_t(std::numeric_limits<T>::max()),
                                &out, sizeof(T));
    }
    static PyObject *make(T x) {
        if constexpr (std::is_signed_v<T>) return PyLong_FromLongLong(x);
        else return PyLong_FromUnsignedLongLong(x);
    }
};

template <class T> struct Object<std::optional<T>> {
    static std::string name() { return Object<T>::name() + " or None"; }
    static int read(const flb_signature *s, Py_ssize_t i, PyObject *o, std::optional<T> &out) {
        if (o == Py_None) return 0;
        if (Object<T>::read(s, i, o, out.emplace()) == 0) return 0;
        return PyErr_ExceptionMatches(PyExc_TypeError) ? flb_wrong_type(s, i, name().c_str(), o) : -1;
    }
    static PyObject *make(const std::optional<T> &x) { return x ? Object<T>::make(*x) : Py_NewRef(Py_None); }
};

template <class T> struct Object<std::vector<T>> {
    static std::string name() { return "list of " + Object<T>::name(); }
    static int read(const flb_signature *s, Py_ssize_t i, PyObject *o, std::vector<T> &out) {
        bool text = PyUnicode_Check(o) || PyBytes_Check(o), sequence = PySequence_Check(o) && !text && !fl_from_python(o);
        PyObject *items = sequence ? PySequence_Fast(o, "") : nullptr;
        if (!items) return PyErr_Occurred() ? -1 : flb_wrong_type(s, i, name().c_str(), o);
        Py_ssize_t n = PySequence_Fast_GET_SIZE(items), k = 0;
        int status = 0;
        out.reserve(size_t(n));
        for (; k < n && status == 0; k++) {
            T item{};
            status = Object<T>::read(s, i, PySequence_Fast_GET_ITEM(items, k), item);
            out.push_back(std::move(item));
        }
        if (status && PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %zd) must be %s, but element %zd is %s",
                         s->function, s->names[i], i + 1, name().c_str(), k - 1,
                         Py_TYPE(PySequence_Fast_GET_ITEM(items, k - 1))->tp_name);
        Py_DECREF(items);
        return status;
    }
    static PyObject *make(const std::vector<T> &x) {
        PyObject *list = PyList_New(Py_ssize_t(x.size()));
        for (size_t k = 0; list && k < x.size(); k++) {
            PyObject *item = Object<T>::make(x[k]);
            if (!item) Py_CLEAR(list);
            else PyList_SET_ITEM(list, Py_ssize_t(k), item);
        }
        return list;
    }
};

template <class... T> PyObject *make_tuple_of(const T &...parts) {
    PyObject *items[] = {Object<T>::make(parts)...}, *tuple = PyTuple_New(sizeof...(T));
    Py_ssize_t k = 0;
    bool whole = tuple != nullptr;
    for (PyObject *item : items) {
        whole = whole && item;
        if (tuple && item) PyTuple_SET_ITEM(tuple, k++, item);
        else Py_XDECREF(item);
    }
    if (!whole) Py_CLEAR(tuple);
    return tuple;
}
template <class... T> struct Object<std::tuple<T...>> {
    static PyObject *make(const std::tuple<T...> &x) {
        return std::apply([](const T &...parts) { return make_tuple_of(parts...); }, x);
    }
};
template <class T, class U> struct Object<std::pair<T, U>> {
    static PyObject *make(const std::pair<T, U> &x) { return make_tuple_of(x.first, x.second); }
};

/* The type that holds an argument during the call. */
template <class T> struct HeldAs { using type = T; };
template <class T> struct HeldAs<c10::ArrayRef<T>> { using type = std::vector<T>; };
template <class T> using Held = typename HeldAs<std::decay_t<T>>::type;

template <class F> struct Bound;
template <class R, class... A> struct Bound<R (*)(A...)> {
    static PyObject *call(R (*f)(A...), const flb_signature *s, PyObject *const *args, Py_ssize_t n, PyObject *kwnames) {
        PyObject *slots[sizeof...(A) + 1];
        if ((kwnames || n != s->count) && !(args = flb_bind(s, args, n, kwnames, slots))) return nullptr;
        try {
            return run(f, s, args, std::index_sequence_for<A...>());
        } catch (...) {
            return flb_translate();
        }
    }

  private:
    template <size_t... i>
    static PyObject *run(R (*f)(A...), [[maybe_unused]] const flb_signature *s, [[maybe_unused]] PyObject *const *args,
                         std::index_sequence<i...>) {
        [[maybe_unused]] std::tuple<Held<A>...> held{};
        if ((Object<Held<A>>::read(s, i, args[i], std::get<i>(held)) || ...)) return nullptr;
        if constexpr (std::is_void_v<R>) {
            c10::detail::HeldWarnings warnings;
            f(static_cast<A &&>(std::get<i>(held))...);
            warnings.give();
            return flb_from_void();
        } else {
            c10::detail::HeldWarnings warnings;
            std::decay_t<R> result = f(static_cast<A &&>(std::get<i>(held))...);
            warnings.give();
            return PyErr_Occurred() ? nullptr : Object<std::decay_t<R>>::make(result);
        }
    }
};
template <class R, class... A> struct Bound<R (*)(A...) noexcept> : Bound<R (*)(A...)> {};

}  // namespace detail
}  // namespace torch

/* The function that Python calls, followed by the names of its parameters. */
#define FL_BIND(f, count, ...)                                                                                         \
    static PyObject *flb_call_##f(PyObject *, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {            \
        static const char *const names[] = {__VA_ARGS__};                                                              \
        static const flb_signature signature = {#f, names, count};                                                     \
        return ::torch::detail::Bound<decltype(&f)>::call(&f, &signature, args, nargs, kwnames);                       \
    }
#endif
