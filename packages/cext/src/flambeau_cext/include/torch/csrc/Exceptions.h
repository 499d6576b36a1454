/* Python errors in C++, for sources that use Python's C API directly. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <c10/util/Exception.h>

#include <string>
#include <utility>

/* Thrown after a function of Python's C API has failed: the exception that Python has recorded becomes the function's
 * error. persist() takes it, to move it to another thread or past calls that may fail, and restore() records it
 * again. */
struct python_error : fl::exception {
    python_error() = default;
    python_error(const python_error &other)
        : type(other.type), value(other.value), traceback(other.traceback), message(other.message) {
        Py_XINCREF(type);
        Py_XINCREF(value);
        Py_XINCREF(traceback);
    }
    python_error(python_error &&other) noexcept
        : type(std::exchange(other.type, nullptr)),
          value(std::exchange(other.value, nullptr)),
          traceback(std::exchange(other.traceback, nullptr)),
          message(std::move(other.message)) {}
    python_error &operator=(const python_error &) = delete;
    ~python_error() override {
        if (!type) return;
        PyGILState_STATE state = PyGILState_Ensure();
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        PyGILState_Release(state);
    }

    void persist() {
        if (type) return;
        PyGILState_STATE state = PyGILState_Ensure();
        PyErr_Fetch(&type, &value, &traceback);
        if (PyObject *text = value ? PyObject_Str(value) : nullptr) {
            const char *read = PyUnicode_AsUTF8(text);
            message = std::string("python_error: ") + (read ? read : "");
            Py_DECREF(text);
        }
        PyErr_Clear();
        PyGILState_Release(state);
    }
    void restore() const noexcept {
        if (!type) return;
        PyGILState_STATE state = PyGILState_Ensure();
        Py_XINCREF(type);
        Py_XINCREF(value);
        Py_XINCREF(traceback);
        PyErr_Restore(type, value, traceback);
        PyGILState_Release(state);
    }
    void raise() const noexcept override { restore(); }
    const char *what() const noexcept override { return message.empty() ? "python_error" : message.c_str(); }

    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    std::string message;
};

/* For the body of a function that Python calls: exceptions become Python errors. */
#define HANDLE_TH_ERRORS try {
#define END_HANDLE_TH_ERRORS_RET(failed) \
    } catch (...) { \
        ::fl::record_exception(); \
        return failed; \
    }
#define END_HANDLE_TH_ERRORS END_HANDLE_TH_ERRORS_RET(nullptr)
