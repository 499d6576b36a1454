/* Shared by generated bindings: binding arguments to parameters, reading them, creating results. C99 and C++17.
 *
 * Uses Python's limited API, so that one binary serves all Pythons from 3.11 on. Errors name the function, the argument
 * and its position, the expected and the actual value.
 */
#ifndef FLAMBEAU_BIND_H
#define FLAMBEAU_BIND_H

#include <pyconfig.h>
#if !defined(Py_GIL_DISABLED) && !defined(Py_LIMITED_API) && !defined(Py_PYTHON_H)
#define Py_LIMITED_API 0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <flambeau/tensor.h>
#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
#include <flambeau/exception.hpp>
#define FLB_TRY try
#define FLB_CATCH catch (...) { return flb_translate(); }
#else
#define FLB_TRY
#define FLB_CATCH
#endif

#if defined(__GNUC__) || defined(__clang__)
#define FLB_SHARED __attribute__((unused)) static
#else
#define FLB_SHARED static
#endif

typedef struct flb_signature {
    const char *function;
    const char *const *names;
    Py_ssize_t count;
} flb_signature;

/* --- Arguments ----------------------------------------------------------------------------------------------------- */

FLB_SHARED PyObject *const *flb_bind(const flb_signature *s, PyObject *const *args, Py_ssize_t nargs,
                                     PyObject *kwnames, PyObject **slots) {
    Py_ssize_t i, k, missing = 0, nkw = kwnames ? PyTuple_Size(kwnames) : 0;
    if (nargs > s->count) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zd positional argument%s but %zd %s given", s->function, s->count,
                     s->count == 1 ? "" : "s", nargs, nargs == 1 ? "was" : "were");
        return NULL;
    }
    for (i = 0; i < s->count; i++) slots[i] = i < nargs ? args[i] : NULL;
    for (k = 0; k < nkw; k++) {
        PyObject *key = PyTuple_GetItem(kwnames, k);
        for (i = 0; i < s->count; i++)
            if (PyUnicode_CompareWithASCIIString(key, s->names[i]) == 0) break;
        if (i == s->count) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", s->function, key);
            return NULL;
        }
        if (slots[i]) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", s->function, key);
            return NULL;
        }
        slots[i] = args[nargs + k];
    }
    for (i = 0; i < s->count; i++) missing += slots[i] == NULL;
    if (missing) {
        PyObject *list = PyUnicode_FromString("");
        for (i = 0; list && i < s->count; i++) {
            PyObject *longer;
            if (slots[i]) continue;
            longer = PyUnicode_FromFormat("%U%s\"%s\"", list, PyUnicode_GetLength(list) ? ", " : "", s->names[i]);
            Py_DECREF(list);
            list = longer;
        }
        if (list)
            PyErr_Format(PyExc_TypeError, "%s() missing %zd required positional arguments: %U", s->function, missing,
                         list);
        Py_XDECREF(list);
        return NULL;
    }
    return slots;
}

FLB_SHARED int flb_wrong_type(const flb_signature *s, Py_ssize_t i, const char *expected, PyObject *got) {
    PyObject *name;
    PyErr_Clear();
    name = PyType_GetName(Py_TYPE(got));
    if (name)
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %zd) must be %s, not %U", s->function, s->names[i],
                     i + 1, expected, name);
    Py_XDECREF(name);
    return -1;
}

FLB_SHARED int flb_read_tensor(const flb_signature *s, Py_ssize_t i, PyObject *o, fl_tensor *out) {
    *out = fl_from_python(o);
    return *out ? 0 : flb_wrong_type(s, i, "Tensor", o);
}

FLB_SHARED int flb_read_optional_tensor(const flb_signature *s, Py_ssize_t i, PyObject *o, fl_tensor *out) {
    *out = o == Py_None ? NULL : fl_from_python(o);
    return *out || o == Py_None ? 0 : flb_wrong_type(s, i, "Tensor or None", o);
}

FLB_SHARED int flb_read_double(const flb_signature *s, Py_ssize_t i, PyObject *o, double *out) {
    PyObject *number;
    if (!PyFloat_Check(o) && !PyLong_Check(o) && !PyType_GetSlot(Py_TYPE(o), Py_nb_float) &&
        !PyType_GetSlot(Py_TYPE(o), Py_nb_index))
        return flb_wrong_type(s, i, "Number", o);
    if (PyFloat_CheckExact(o)) {
        *out = PyFloat_AsDouble(o);
        return 0;
    }
    number = PyNumber_Float(o);
    if (!number) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_ValueError, "%s(): argument '%s' (position %zd) is too large for a double", s->function,
                         s->names[i], i + 1);
        return -1;
    }
    *out = PyFloat_AsDouble(number);
    Py_DECREF(number);
    return 0;
}

/* Read an integer within [lo, hi]. */
FLB_SHARED int flb_read_integer(const flb_signature *s, Py_ssize_t i, PyObject *o, long long lo, unsigned long long hi,
                                void *out, size_t width) {
    PyObject *number;
    unsigned long long bits;
    long long value;
    int overflow, outside;
    if (!PyIndex_Check(o)) return flb_wrong_type(s, i, "int", o);
    number = PyNumber_Index(o);
    if (!number) return -1;
    value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow > 0 && hi > LLONG_MAX) { /* the upper half of uint64_t */
        bits = PyLong_AsUnsignedLongLong(number);
        outside = PyErr_Occurred() != NULL;
        PyErr_Clear();
    } else {
        bits = (unsigned long long)value;
        outside = overflow || value < lo || (value > 0 && (unsigned long long)value > hi);
    }
    if (outside)
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' (position %zd) must be in the range [%lld, %llu], got %S",
                     s->function, s->names[i], i + 1, lo, hi, number);
    Py_DECREF(number);
    switch (width) {
    case 1: *(uint8_t *)out = (uint8_t)bits; break;
    case 2: *(uint16_t *)out = (uint16_t)bits; break;
    case 4: *(uint32_t *)out = (uint32_t)bits; break;
    default: *(uint64_t *)out = bits;
    }
    return outside ? -1 : 0;
}

#define FLB_IS_SIGNED(type) ((type)-1 < (type)1)
#define FLB_MAX(type) (~0ULL >> (64 - 8 * sizeof(type) + FLB_IS_SIGNED(type)))
#define FLB_MIN(type) (FLB_IS_SIGNED(type) ? -(long long)FLB_MAX(type) - 1 : 0)
#define FLB_READ_INTEGER(s, i, o, out, type) \
    flb_read_integer(s, i, o, FLB_MIN(type), FLB_MAX(type), &(out), sizeof(type))

FLB_SHARED int flb_read_bool(const flb_signature *s, Py_ssize_t i, PyObject *o, int *out) {
    *out = o == Py_True;
    if (o != Py_True && o != Py_False) {
        PyObject *name = PyType_GetName(Py_TYPE(o));
        int numpy = name && (PyUnicode_CompareWithASCIIString(name, "bool") == 0 ||
                             PyUnicode_CompareWithASCIIString(name, "bool_") == 0);
        Py_XDECREF(name);
        if (!numpy) return flb_wrong_type(s, i, "bool", o);
        *out = PyObject_IsTrue(o);
    }
    return *out < 0 ? -1 : 0;
}

FLB_SHARED int flb_read_string(const flb_signature *s, Py_ssize_t i, PyObject *o, const char **out) {
    Py_ssize_t length;
    if (!PyUnicode_Check(o)) return flb_wrong_type(s, i, "str", o);
    *out = PyUnicode_AsUTF8AndSize(o, &length);
    if (!*out) return -1;
    if ((Py_ssize_t)strlen(*out) == length) return 0;
    PyErr_Format(PyExc_ValueError, "%s(): argument '%s' (position %zd) has an embedded null character", s->function,
                 s->names[i], i + 1);
    return -1;
}

/* --- Results; each function first checks for a recorded error
 * ------------------------------------------------------- */

FLB_SHARED PyObject *flb_from_tensor(const flb_signature *s, fl_tensor t) {
    PyObject *object;
    if (PyErr_Occurred()) {
        if (t) fl_release(t);
        return NULL;
    }
    if (!t) {
        PyErr_Format(PyExc_RuntimeError, "%s() returned NULL without saying why; use fl_error", s->function);
        return NULL;
    }
    object = fl_to_python(t);
    fl_release(t);
    return object;
}

/* An argument, and its reference count before the call. */
typedef struct flb_given {
    fl_tensor tensor;
    PyObject *object;
    Py_ssize_t references;
} flb_given;

/* Arguments are borrowed, so an argument that is returned as the result has no reference of its own, unless its count
 * has increased: then the function took a reference, as it should. */
FLB_SHARED void flb_keep_argument(fl_tensor result, const flb_given *given, int count) {
    int i;
    for (i = 0; result && i < count; i++)
        if (given[i].tensor == result) {
            if (Py_REFCNT(given[i].object) <= given[i].references) fl_retain(result);
            return;
        }
}

#if FL_TARGET_MINOR >= 1
/* Warn, once for each function, if a result has no history although an argument requires grad: 0 or -1. */
FLB_SHARED int flb_check_history(const flb_signature *s, fl_tensor result, const flb_given *given, int count, int *told) {
    int i, wanted = 0;
    fl_dtype type;
    char text[512];
    if (*told || !result || fl_error_occurred() || !fl_grad_mode(-1) || (fl_flags(result) & FL_REQUIRES_GRAD)) return 0;
    type = fl_dtype_of(result);
    if (type <= FL_INT64 || type == FL_BOOL || (type >= FL_UINT16 && type <= FL_UINT64)) return 0;
    for (i = 0; i < count; i++) wanted |= given[i].tensor && (fl_flags(given[i].tensor) & FL_REQUIRES_GRAD);
    if (!wanted) return 0;
    *told = 1;
    snprintf(text, sizeof text,
             "%s() got a tensor that requires grad, and returns one without history: its kernel is not recorded, so that no "
             "gradient flows through it. Say what its backward is with load_inline(..., backward={\"%s\": ...}), "
             "torch.library.register_autograd or a torch.autograd.Function, or call it under torch.no_grad()",
             s->function, s->function);
    return fl_warn(text);
}
#endif

FLB_SHARED PyObject *flb_from_void(void) {
    if (PyErr_Occurred()) return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

FLB_SHARED PyObject *flb_from_double(double x) { return PyErr_Occurred() ? NULL : PyFloat_FromDouble(x); }
FLB_SHARED PyObject *flb_from_bool(int x) { return PyErr_Occurred() ? NULL : PyBool_FromLong(x); }
FLB_SHARED PyObject *flb_from_signed(long long x) { return PyErr_Occurred() ? NULL : PyLong_FromLongLong(x); }
FLB_SHARED PyObject *flb_from_unsigned(unsigned long long x) {
    return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(x);
}
FLB_SHARED PyObject *flb_from_string(const char *text) { /* NULL: None */
    return PyErr_Occurred() || !text ? flb_from_void() : PyUnicode_FromString(text);
}

#ifdef __cplusplus
/* Convert the exception being handled to a Python exception, unless one is recorded already. */
static inline PyObject *flb_translate() {
    try {
        throw;
    } catch (const fl::exception &e) {
        if (!PyErr_Occurred()) e.raise();
    } catch (const std::exception &e) {
        PyObject *type = PyExc_RuntimeError;
        if (PyErr_Occurred()) return NULL;
        if (dynamic_cast<const std::invalid_argument *>(&e) || dynamic_cast<const std::domain_error *>(&e) ||
            dynamic_cast<const std::length_error *>(&e) || dynamic_cast<const std::range_error *>(&e))
            type = PyExc_ValueError;
        else if (dynamic_cast<const std::out_of_range *>(&e))
            type = PyExc_IndexError;
        else if (dynamic_cast<const std::overflow_error *>(&e))
            type = PyExc_OverflowError;
        else if (dynamic_cast<const std::bad_alloc *>(&e))
            type = PyExc_MemoryError;
        PyErr_SetString(type, e.what());
    } catch (...) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "a C++ exception that is no std::exception");
    }
    return NULL;
}
#endif

/* --- The module ---------------------------------------------------------------------------------------------------- */

#define FLB_MODULE(name, methods)                                                                                     \
    static int flb_exec(PyObject *module) {                                                                           \
        (void)module;                                                                                                 \
        return FLB_IMPORT(#name);                                                                                     \
    }                                                                                                                 \
    static PyModuleDef_Slot flb_slots[] = {{Py_mod_exec, (void *)flb_exec}, {0, NULL}};                               \
    static struct PyModuleDef flb_definition = {PyModuleDef_HEAD_INIT, #name, NULL, 0, methods, flb_slots,            \
                                                NULL, NULL, NULL};                                                    \
    PyMODINIT_FUNC PyInit_##name(void) { return PyModuleDef_Init(&flb_definition); }

/* Functions of plain numbers do not need the library. */
#ifdef FLB_WITHOUT_TENSORS
#define FLB_IMPORT(name) 0
#else
#define FLB_IMPORT(name) fl_import(name)
#endif

#endif
