/* The C interface of flambeau's tensors: C99, also valid C++17; needs neither Python's nor NumPy's headers.
 *
 * An extension reaches the library through one table of function pointers, fl_api, which the library hands over when
 * the extension is loaded. New releases append slots to the table and never move or change one, so an extension
 * built against one release runs on every later one of the same FL_ABI_MAJOR.
 *
 * Handles. An fl_tensor is a reference to a tensor. The ones a function receives as arguments are borrowed: they live
 * until it returns and are not released. The ones that fl_ functions return are owned: return them, or fl_release
 * them. To return an argument itself, return fl_retain(argument).
 *
 * Errors. A function that fails has recorded an exception and returns NULL or -1. Pass it on by returning (anything)
 * from your function; the Python caller gets the exception. A NULL handle given to any function is an error of that
 * kind, never a crash, and while an error is recorded nothing new is made: a chain of calls may be checked at its end.
 *
 * The GIL. Your function is called with Python's GIL held, and everything here needs it, except the functions under
 * "Geometry and elements" and "Errors", which may be called from any thread as long as the tensor is kept alive.
 * fl_parallel_for lets go of the GIL while threads run its body; fl_gil_release and fl_gil_acquire do so by hand.
 */
#ifndef FLAMBEAU_TENSOR_H
#define FLAMBEAU_TENSOR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when something changes or moves (major), or is appended (minor). */
#define FL_ABI_MAJOR 1
#define FL_ABI_MINOR 0

typedef struct fl_tensor_object *fl_tensor;
typedef fl_tensor fl_optional_tensor; /* as a parameter: None is taken too, and arrives as NULL */
typedef struct fl_operator_object *fl_operator;

typedef int32_t fl_dtype;
enum { /* PyTorch's numbers */
    FL_UINT8 = 0,
    FL_INT8 = 1,
    FL_INT16 = 2,
    FL_INT32 = 3,
    FL_INT64 = 4,
    FL_FLOAT16 = 5,
    FL_FLOAT32 = 6,
    FL_FLOAT64 = 7,
    FL_COMPLEX64 = 9,
    FL_COMPLEX128 = 10,
    FL_BOOL = 11,
    FL_BFLOAT16 = 15,
    FL_ANY = -1 /* where something is checked: no matter which */
};

typedef int32_t fl_status;
enum { /* the exception that fl_error raises */
    FL_RUNTIME_ERROR = 1,
    FL_TYPE_ERROR = 2,
    FL_VALUE_ERROR = 3,
    FL_INDEX_ERROR = 4,
    FL_NOT_IMPLEMENTED_ERROR = 5,
    FL_MEMORY_ERROR = 6
};

/* An argument or a result of an operator. Make one with fl_of_...() below. */
enum {
    FL_VALUE_NONE = 0,
    FL_VALUE_TENSOR = 1,
    FL_VALUE_INT = 2,
    FL_VALUE_DOUBLE = 3,
    FL_VALUE_BOOL = 4,
    FL_VALUE_COMPLEX = 5,
    FL_VALUE_DTYPE = 6,
    FL_VALUE_STRING = 7,
    FL_VALUE_INTS = 8,
    FL_VALUE_TENSORS = 9
};

typedef struct fl_value {
    const char *name; /* the parameter given by keyword, or NULL: by position */
    int32_t kind;
    int32_t count; /* of ints or tensors */
    union {
        fl_tensor tensor;
        int64_t integer; /* also bool and dtype */
        double real;
        double re_im[2]; /* a complex number */
        const char *string; /* UTF-8 */
        const int64_t *ints;
        const fl_tensor *tensors;
    } as;
} fl_value;

typedef void (*fl_range_body)(int64_t begin, int64_t end, void *context);

typedef struct fl_api {
    uint32_t major, minor;
    uint64_t size;        /* bytes of the table that the library fills */
    const char *provider; /* name and version, for messages */

    fl_dtype (*dtype)(fl_tensor);
    int32_t (*ndim)(fl_tensor);
    int64_t (*numel)(fl_tensor);
    const int64_t *(*sizes)(fl_tensor);
    const int64_t *(*strides)(fl_tensor);
    int32_t (*is_contiguous)(fl_tensor);
    const void *(*const_data)(fl_tensor);
    void *(*data)(fl_tensor);
    int32_t (*check)(fl_tensor, const char *function, const char *argument, fl_dtype, int32_t ndim);

    fl_tensor (*retain)(fl_tensor);
    void (*release)(fl_tensor);

    fl_tensor (*empty)(const int64_t *sizes, int32_t ndim, fl_dtype);
    fl_tensor (*contiguous)(fl_tensor);
    fl_tensor (*as_strided)(fl_tensor, const int64_t *sizes, const int64_t *strides, int32_t ndim, int64_t offset);
    fl_tensor (*from_blob)(void *data, const int64_t *sizes, const int64_t *strides, int32_t ndim, fl_dtype,
                           void (*deleter)(void *context), void *context);

    void (*error)(fl_status, const char *message);
    int32_t (*error_occurred)(void);
    void (*error_clear)(void);

    fl_operator (*find_operator)(const char *name);
    int32_t (*call)(fl_operator, const fl_value *args, int32_t nargs, fl_value *results, int32_t nresults);

    int32_t (*num_threads)(void);
    int32_t (*parallel_for)(int64_t n, int64_t grain, fl_range_body, void *context);
    void *(*gil_release)(void);
    void (*gil_acquire)(void *);

    fl_tensor (*from_python)(void *object);
    void *(*to_python)(fl_tensor);
    /* minor 0 ends here */
} fl_api;

/* The table, one for all sources of an extension; filled by fl_import before the first call. */
#if defined(_MSC_VER) && !defined(__clang__)
__declspec(selectany) const fl_api *fl_table = NULL;
#elif defined(_WIN32)
__attribute__((weak)) const fl_api *fl_table = NULL;
#else
__attribute__((weak, visibility("hidden"))) const fl_api *fl_table = NULL;
#endif

/* --- Errors ------------------------------------------------------------------------------------------------------ */

/* Record an exception. Returns NULL, so that `return fl_error(FL_VALUE_ERROR, "...");` reads well. In the body of
 * fl_parallel_for the first error of all threads wins and is raised when the loop has ended. */
static inline fl_tensor fl_error(fl_status code, const char *message) {
    fl_table->error(code, message);
    return NULL;
}

/* The same with printf's format, cut off after 1023 bytes. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3), unused))
#endif
static fl_tensor fl_errorf(fl_status code, const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fl_error(code, message);
}

/* Whether an exception is recorded; needs the GIL. */
static inline int fl_error_occurred(void) { return fl_table->error_occurred(); }
static inline void fl_error_clear(void) { fl_table->error_clear(); }

/* --- Geometry and elements --------------------------------------------------------------------------------------- */

static inline fl_dtype fl_dtype_of(fl_tensor t) { return fl_table->dtype(t); }
static inline int32_t fl_ndim(fl_tensor t) { return fl_table->ndim(t); }
static inline int64_t fl_numel(fl_tensor t) { return fl_table->numel(t); }
static inline const int64_t *fl_sizes(fl_tensor t) { return fl_table->sizes(t); }
static inline const int64_t *fl_strides(fl_tensor t) { return fl_table->strides(t); } /* in elements */
static inline int fl_is_contiguous(fl_tensor t) { return fl_table->is_contiguous(t); }

/* Bytes of one element, or 0 for a number that is no dtype. */
static inline int64_t fl_itemsize(fl_dtype dtype) {
    switch (dtype) {
    case FL_BOOL: case FL_UINT8: case FL_INT8: return 1;
    case FL_INT16: case FL_FLOAT16: case FL_BFLOAT16: return 2;
    case FL_INT32: case FL_FLOAT32: return 4;
    case FL_INT64: case FL_FLOAT64: case FL_COMPLEX64: return 8;
    case FL_COMPLEX128: return 16;
    default: return 0;
    }
}

/* The size of one dimension; negative ones count from the end. -1 and IndexError for one that is not there. */
static inline int64_t fl_size(fl_tensor t, int32_t dim) {
    int32_t ndim = fl_ndim(t);
    if (dim < -ndim || dim >= ndim) {
        fl_errorf(FL_INDEX_ERROR, "Dimension out of range (expected to be in range of [%d, %d], but got %d)",
                  (int)(ndim ? -ndim : -1), (int)(ndim ? ndim - 1 : 0), (int)dim);
        return -1;
    }
    return fl_sizes(t)[dim < 0 ? dim + ndim : dim];
}

/* The address of the first element, to read from. Not NULL even when there are no elements. */
static inline const void *fl_const_data(fl_tensor t) { return fl_table->const_data(t); }

/* The same to write to: counts as an in-place change, so autograd notices when it had saved the tensor for backward.
 * NULL and RuntimeError when the tensor looks into read-only memory. */
static inline void *fl_data(fl_tensor t) { return fl_table->data(t); }

/* FL_CHECK(x, FL_FLOAT32, 2): 0 when x is contiguous, of this dtype and with so many dimensions (FL_ANY, -1: no matter
 * which), else -1 and an error that names the function, the argument and what it got. */
static inline int fl_check(fl_tensor t, const char *function, const char *argument, fl_dtype dtype, int32_t ndim) {
    return fl_table->check(t, function, argument, dtype, ndim);
}
#define FL_CHECK(tensor, dtype, ndim) fl_check(tensor, __func__, #tensor, dtype, ndim)

/* --- Lifetime ---------------------------------------------------------------------------------------------------- */

static inline fl_tensor fl_retain(fl_tensor t) { return fl_table->retain(t); }
static inline void fl_release(fl_tensor t) { fl_table->release(t); } /* NULL is fine */

/* --- Making tensors (contiguous, elements in C order, without history) -------------------------------------------- */

static inline fl_tensor fl_empty(const int64_t *sizes, int32_t ndim, fl_dtype dtype) {
    return fl_table->empty(sizes, ndim, dtype);
}

static inline fl_tensor fl_empty_like(fl_tensor t) { return fl_empty(fl_sizes(t), fl_ndim(t), fl_dtype_of(t)); }

static inline fl_tensor fl_zeros(const int64_t *sizes, int32_t ndim, fl_dtype dtype) {
    fl_tensor t = fl_empty(sizes, ndim, dtype);
    /* no reader has seen it yet: not a change that counts */
    if (t) memset((void *)fl_const_data(t), 0, (size_t)(fl_numel(t) * fl_itemsize(dtype)));
    return t;
}

static inline fl_tensor fl_zeros_like(fl_tensor t) { return fl_zeros(fl_sizes(t), fl_ndim(t), fl_dtype_of(t)); }

/* The tensor itself (a new reference to it) when it is contiguous, else a contiguous copy without history. */
static inline fl_tensor fl_contiguous(fl_tensor t) { return fl_table->contiguous(t); }

/* A view of the same memory. strides and offset count elements; offset is from the start of the storage. Outside the
 * storage: RuntimeError. */
static inline fl_tensor fl_as_strided(fl_tensor t, const int64_t *sizes, const int64_t *strides, int32_t ndim,
                                      int64_t offset) {
    return fl_table->as_strided(t, sizes, strides, ndim, offset);
}

/* A tensor over memory of your own; deleter(context) runs once when the last view of it is gone (deleter may be NULL).
 * strides NULL: contiguous. When this fails, the memory is still yours and deleter is not called. */
static inline fl_tensor fl_from_blob(void *data, const int64_t *sizes, const int64_t *strides, int32_t ndim,
                                     fl_dtype dtype, void (*deleter)(void *context), void *context) {
    return fl_table->from_blob(data, sizes, strides, ndim, dtype, deleter, context);
}

/* --- Calling operators ------------------------------------------------------------------------------------------- */

static inline fl_value fl_none(void) {
    fl_value v;
    memset(&v, 0, sizeof v);
    return v;
}

#define FL_OF(function, type, value_kind, member)     \
    static inline fl_value function(type value) {     \
        fl_value v = fl_none();                       \
        v.kind = value_kind;                          \
        v.as.member = value;                          \
        return v;                                     \
    }
FL_OF(fl_of_tensor, fl_tensor, FL_VALUE_TENSOR, tensor)
FL_OF(fl_of_int, int64_t, FL_VALUE_INT, integer)
FL_OF(fl_of_double, double, FL_VALUE_DOUBLE, real)
FL_OF(fl_of_bool, int, FL_VALUE_BOOL, integer)
FL_OF(fl_of_dtype, fl_dtype, FL_VALUE_DTYPE, integer)
FL_OF(fl_of_string, const char *, FL_VALUE_STRING, string)
#undef FL_OF

static inline fl_value fl_of_complex(double re, double im) {
    fl_value v = fl_none();
    v.kind = FL_VALUE_COMPLEX;
    v.as.re_im[0] = re;
    v.as.re_im[1] = im;
    return v;
}

static inline fl_value fl_of_ints(const int64_t *ints, int32_t count) {
    fl_value v = fl_none();
    v.kind = FL_VALUE_INTS;
    v.count = count;
    v.as.ints = ints;
    return v;
}

static inline fl_value fl_of_tensors(const fl_tensor *tensors, int32_t count) {
    fl_value v = fl_none();
    v.kind = FL_VALUE_TENSORS;
    v.count = count;
    v.as.tensors = tensors;
    return v;
}

/* The same argument given by keyword; keywords follow the positions. */
static inline fl_value fl_named(const char *name, fl_value v) {
    v.name = name;
    return v;
}

/* Find an operator by name ("add", "nn.linear"), or NULL and RuntimeError. Worth keeping in a static variable; never
 * released. */
static inline fl_operator fl_find_operator(const char *name) { return fl_table->find_operator(name); }

/* Call it as Python would: autograd records it and overrides are asked. Fills results (tensors in them are owned) and
 * returns how many there were, or -1. */
static inline int32_t fl_call_operator(fl_operator op, const fl_value *args, int32_t nargs, fl_value *results,
                                       int32_t nresults) {
    return fl_table->call(op, args, nargs, results, nresults);
}

/* Call an operator that returns one tensor:
 *     fl_value args[] = {fl_of_tensor(x), fl_named("dim", fl_of_int(0))};
 *     fl_tensor total = fl_call("sum", args, 2);
 */
static inline fl_tensor fl_call(const char *name, const fl_value *args, int32_t nargs) {
    fl_value result = fl_none();
    fl_operator op = fl_find_operator(name);
    if (!op || fl_call_operator(op, args, nargs, &result, 1) < 0) return NULL;
    if (result.kind != FL_VALUE_TENSOR) return fl_errorf(FL_TYPE_ERROR, "fl_call: %s does not return a tensor", name);
    return result.as.tensor;
}

/* --- Threads ----------------------------------------------------------------------------------------------------- */

/* What set_num_threads allows. */
static inline int32_t fl_num_threads(void) { return fl_table->num_threads(); }

/* Run body over [0, n) in pieces of at least grain, on the library's threads and this one; the body cannot count on the
 * GIL. Returns when all are done: 0, or -1 when the body recorded an error. */
static inline int fl_parallel_for(int64_t n, int64_t grain, fl_range_body body, void *context) {
    return fl_table->parallel_for(n, grain, body, context);
}

/* Let other Python threads run during a long computation; give what the first returns to the second. */
static inline void *fl_gil_release(void) { return fl_table->gil_release(); }
static inline void fl_gil_acquire(void *state) { fl_table->gil_acquire(state); }

/* --- For sources that include Python.h before this header --------------------------------------------------------- */

#ifdef Py_PYTHON_H
/* The tensor in a Python object: borrowed from it, or NULL, without an error, when it is none. */
static inline fl_tensor fl_from_python(PyObject *object) { return fl_table->from_python(object); }

/* The Python object of a tensor: a new reference. */
static inline PyObject *fl_to_python(fl_tensor t) { return (PyObject *)fl_table->to_python(t); }

/* Fill the table; call it once where the module is initialised. `who` names the extension in messages. 0, or -1 and
 * ImportError. Uses Python's limited API only. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((unused))
#endif
static int fl_import(const char *who) {
    PyObject *module = PyImport_ImportModule("flambeau_tensor._core.capi");
    PyObject *capsule = module ? PyObject_GetAttrString(module, "API") : NULL;
    const fl_api *table = NULL;
    if (capsule) table = (const fl_api *)PyCapsule_GetPointer(capsule, "flambeau_tensor._core.capi.API");
    Py_XDECREF(module);
    Py_XDECREF(capsule);
    if (!table) {
        PyObject *type, *error, *traceback, *missing;
        PyErr_Fetch(&type, &error, &traceback);
        missing = error ? PyObject_GetAttrString(error, "name") : NULL;
        if (missing && PyUnicode_Check(missing) && !PyUnicode_CompareWithASCIIString(missing, "flambeau_tensor")) {
            PyErr_Format(PyExc_ImportError, "%s needs flambeau-tensor: pip install flambeau-tensor", who);
            Py_XDECREF(type);
            Py_XDECREF(error);
            Py_XDECREF(traceback);
        } else {
            PyErr_Restore(type, error, traceback);
        }
        Py_XDECREF(missing);
        return -1;
    }
    if (table->major != FL_ABI_MAJOR) {
        PyErr_Format(PyExc_ImportError,
                     "%s was built for flambeau's C ABI %d.%d, but the installed %s has ABI %d.%d: build it again",
                     who, FL_ABI_MAJOR, FL_ABI_MINOR, table->provider, (int)table->major, (int)table->minor);
        return -1;
    }
    if (table->size < sizeof(fl_api)) {
        PyErr_Format(PyExc_ImportError,
                     "%s needs flambeau's C ABI %d.%d, but the installed %s has ABI %d.%d: "
                     "pip install --upgrade flambeau-tensor",
                     who, FL_ABI_MAJOR, FL_ABI_MINOR, table->provider, (int)table->major, (int)table->minor);
        return -1;
    }
    fl_table = table;
    return 0;
}
#endif

#ifdef __cplusplus
}
#endif
#endif
