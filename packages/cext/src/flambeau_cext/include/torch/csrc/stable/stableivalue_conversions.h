/* StableIValue: an argument or a result that passes through torch_call_dispatcher or a boxed kernel. */
#pragma once

#include <ATen/core/boxing/Object.h>
#include <torch/csrc/stable/tensor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/* A Python object; none is None. */
class StableIValue {
  public:
    StableIValue() = default;
    StableIValue(at::detail::Object object) : object_(std::move(object)) {}
    StableIValue(StableIValue &&) = default;
    StableIValue(const StableIValue &other) : object_(copied(other)) {}
    StableIValue &operator=(StableIValue other) noexcept {
        object_ = std::move(other.object_);
        return *this;
    }
    ~StableIValue() {
        if (!object_.get()) return;
        at::detail::Gil gil;
        object_ = at::detail::Object();
    }
    /* A borrowed reference. */
    PyObject *get() const { return object_.get() ? object_.get() : Py_None; }

  private:
    static at::detail::Object copied(const StableIValue &other) {
        if (!other.object_.get()) return {};
        at::detail::Gil gil;
        return at::detail::Object::shared(other.object_.get());
    }
    at::detail::Object object_;
};

namespace torch {
namespace stable {
namespace detail {

using at::detail::Gil;
using at::detail::imported;
using at::detail::Object;

/* The Python objects that stand for dtypes, layouts and memory formats. */
constexpr const char *layout_names[] = {"strided", "sparse_coo", "sparse_csr", "_mkldnn", "sparse_csc", "sparse_bsr",
                                        "sparse_bsc", "jagged"};
constexpr const char *format_names[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};
inline Object dtype_object(int64_t number) {
    return Object::checked(PyObject_CallFunction(imported("flambeau_tensor.c_api", "abi_dtype").get(), "i", int(number)));
}
/* A number, or that of such an object. */
inline int64_t integer_in(PyObject *o) {
    if (!PyLong_Check(o) && !PyIndex_Check(o)) {
        for (size_t i = 0; i < std::size(layout_names); i++)
            if (imported("flambeau_tensor", layout_names[i]).get() == o) return int64_t(i);
        for (size_t i = 0; i < std::size(format_names); i++)
            if (imported("flambeau_tensor", format_names[i]).get() == o) return int64_t(i);
        o = Object::checked(PyObject_CallFunction(imported("flambeau_tensor.c_api", "abi_number").get(), "O", o)).release();
        const Object number(o);
        TORCH_CHECK_TYPE(PyLong_Check(number.get()), "expected a number");
        return PyLong_AsLongLong(number.get());
    }
    const int64_t number = PyLong_AsLongLong(Object::checked(PyNumber_Index(o)).get());
    if (number == -1 && PyErr_Occurred()) throw c10::Error::recorded();
    return number;
}
inline std::string text_of(PyObject *o) {
    const Object bytes = Object::checked(PyUnicode_AsUTF8String(Object::checked(PyObject_Str(o)).get()));
    return {PyBytes_AsString(bytes.get()), size_t(PyBytes_Size(bytes.get()))};
}
inline Object tensor_object(const at::Tensor &tensor) {
    return tensor.defined() ? Object::checked(static_cast<PyObject *>(fl_to_python(tensor.handle()))) : Object();
}
inline at::Tensor tensor_in(PyObject *o) {
    if (o == Py_None) return {};
    fl_tensor handle = fl_from_python(o);
    TORCH_CHECK_TYPE(handle, "expected a Tensor");
    return at::Tensor::borrow(handle);
}

template <class T> StableIValue from(const T &value);
template <class T> T to(const StableIValue &value);

template <class T> constexpr bool is_integer = std::is_enum_v<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>);

template <class T> struct Stable {
    static Object from(const T &value) {
        if constexpr (std::is_same_v<T, Tensor>) return tensor_object(value.tensor());
        else if constexpr (std::is_same_v<T, AtenTensorHandle>) return tensor_object(value->tensor);
        else if constexpr (std::is_same_v<T, bool>) return Object::shared(value ? Py_True : Py_False);
        else if constexpr (std::is_same_v<T, c10::ScalarType>) return dtype_object(int64_t(value));
        else if constexpr (std::is_same_v<T, c10::Layout>) return imported("flambeau_tensor", layout_names[int(value)]);
        else if constexpr (std::is_same_v<T, c10::MemoryFormat>) return imported("flambeau_tensor", format_names[int(value)]);
        else if constexpr (is_integer<T>) return Object::checked(PyLong_FromLongLong(int64_t(value)));
        else if constexpr (std::is_floating_point_v<T>) return Object::checked(PyFloat_FromDouble(double(value)));
        else if constexpr (std::is_base_of_v<c10::Device, T>)
            return Object::checked(PyObject_CallFunction(imported("flambeau_tensor", "device").get(), "s", value.str().c_str()));
        else {
            const std::string_view text(value);
            return Object::checked(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
        }
    }
    static T to(PyObject *o) {
        if constexpr (std::is_same_v<T, Tensor>) return Tensor(tensor_in(o));
        else if constexpr (std::is_same_v<T, AtenTensorHandle>) return new AtenTensorOpaque{tensor_in(o)};
        else if constexpr (std::is_same_v<T, bool>) return PyObject_IsTrue(o) == 1;
        else if constexpr (is_integer<T>) return T(integer_in(o));
        else if constexpr (std::is_floating_point_v<T>) {
            const double number = PyFloat_AsDouble(o);
            if (number == -1 && PyErr_Occurred()) throw c10::Error::recorded();
            return T(number);
        }
        else if constexpr (std::is_base_of_v<c10::Device, T>) return T(c10::Device(text_of(o)));
        else return T(text_of(o));
    }
};
template <class T> struct Stable<std::optional<T>> {
    static Object from(const std::optional<T> &value) { return value ? Stable<T>::from(*value) : Object(); }
    static std::optional<T> to(PyObject *o) {
        if (o == Py_None) return std::nullopt;
        return Stable<T>::to(o);
    }
};
template <class T> struct Stable<c10::ArrayRef<T>> {
    static Object from(c10::ArrayRef<T> values) {
        Object list = Object::checked(PyList_New(Py_ssize_t(values.size())));
        for (size_t i = 0; i < values.size(); i++) {
            Object item = Stable<T>::from(values[i]);
            PyList_SetItem(list.get(), Py_ssize_t(i), item.get() ? item.release() : Object::shared(Py_None).release());
        }
        return list;
    }
};
template <class T> struct Stable<std::vector<T>> {
    static Object from(const std::vector<T> &values) {
        if constexpr (std::is_same_v<T, bool>) {
            const std::unique_ptr<bool[]> flags(new bool[values.size()]);
            std::copy(values.begin(), values.end(), flags.get());
            return Stable<c10::ArrayRef<bool>>::from({flags.get(), values.size()});
        } else {
            return Stable<c10::ArrayRef<T>>::from(values);
        }
    }
    static std::vector<T> to(PyObject *o) {
        const Object items = Object::checked(PySequence_Tuple(o));
        std::vector<T> values;
        for (Py_ssize_t i = 0, n = PyTuple_Size(items.get()); i < n; i++)
            values.push_back(Stable<T>::to(PyTuple_GetItem(items.get(), i)));
        return values;
    }
};
template <> struct Stable<std::nullopt_t> {
    static Object from(std::nullopt_t) { return {}; }
};
template <size_t n> struct Stable<char[n]> {
    static Object from(const char *text) { return Object::checked(PyUnicode_FromString(text)); }
};

template <class T> StableIValue from(const T &value) {
    Gil gil;
    return Stable<T>::from(value);
}
template <class T> T to(const StableIValue &value) {
    Gil gil;
    return Stable<T>::to(value.get());
}

}  // namespace detail
}  // namespace stable
}  // namespace torch
