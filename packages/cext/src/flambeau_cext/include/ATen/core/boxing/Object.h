/* A counted reference to a Python object. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <flambeau/tensor.h> /* again, after Python.h: enables the parts that need Python */

#include <ATen/core/Call.h>

namespace at {
namespace detail {

/* Owns a Python object. */
class Object {
  public:
    Object(PyObject *owned = nullptr) : object_(owned) {}
    Object(Object &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Object &operator=(Object &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Object() { Py_XDECREF(object_); }
    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    /* The same, but throws the recorded Python exception. */
    static Object checked(PyObject *owned) {
        if (!owned) throw Error::recorded();
        return Object(owned);
    }
    static Object shared(PyObject *borrowed) {
        Py_XINCREF(borrowed);
        return Object(borrowed);
    }

  private:
    PyObject *object_;
};

inline Object imported(const char *module, const char *name) {
    Object found(PyImport_ImportModule(module));
    return Object::checked(found.get() ? PyObject_GetAttrString(found.get(), name) : nullptr);
}
/* Return the result of a call, or nothing with the exception recorded. */
inline Object called(PyObject *function, const std::vector<Object> &arguments) {
#if defined(Py_LIMITED_API) && Py_LIMITED_API + 0 < 0x030c0000
    Object tuple = Object::checked(PyTuple_New(Py_ssize_t(arguments.size())));
    for (size_t i = 0; i < arguments.size(); i++) {
        Py_INCREF(arguments[i].get());
        PyTuple_SetItem(tuple.get(), Py_ssize_t(i), arguments[i].get());
    }
    return PyObject_CallObject(function, tuple.get());
#else
    std::vector<PyObject *> given;
    for (const auto &argument : arguments) given.push_back(argument.get());
    return PyObject_Vectorcall(function, given.data(), given.size(), nullptr);
#endif
}
inline std::string name_of_type(PyObject *object) {
    Object name = Object::checked(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
    Object bytes = Object::checked(PyUnicode_AsUTF8String(name.get()));
    return PyBytes_AsString(bytes.get());
}

}  // namespace detail
}  // namespace at
