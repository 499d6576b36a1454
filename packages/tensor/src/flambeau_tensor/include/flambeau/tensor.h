/* The C interface of flambeau's tensors. C99, also valid C++17; needs neither Python's nor NumPy's headers.
 *
 * An extension uses the library through one table of function pointers, fl_api, which the library provides when the
 * extension is loaded. New releases append slots to the table and never move or change one, so an extension built for
 * one release runs with all later releases of the same FL_ABI_MAJOR. To build for earlier releases as well, define
 * FL_TARGET_MINOR before including this header: it then omits everything that is newer than that minor version.
 *
 * Handles. An fl_tensor is a reference to a tensor. The arguments of your function are borrowed: they are valid until
 * it returns, and you do not release them. Handles that fl_ functions return are owned: return them or fl_release them.
 * To return an argument, return fl_retain(argument).
 *
 * Errors. A function that fails records an exception and returns NULL or -1. To pass it on, return anything from your
 * function; the Python caller gets the exception. Passing a NULL handle to any function fails in the same way, without
 * a crash, and while an error is recorded no function creates anything new. A chain of calls may therefore be checked
 * once, at its end.
 *
 * The GIL. Your function is called with Python's GIL held, and all functions here need it except those under "Geometry
 * and elements", "Lifetime" and "Errors". These may be called from any thread while the tensor is kept alive.
 * fl_parallel_for releases the GIL while threads run its body; fl_gil_release and fl_gil_acquire do so explicitly. A
 * thread that Python does not know, or that has released the GIL, gets it with fl_gil_ensure.
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

/* Incremented if something changes or moves (major) or is appended (minor). */
#define FL_ABI_MAJOR 1
#define FL_ABI_MINOR 4

/* The minor version to build for. An extension runs with this and all later minor versions. */
#ifndef FL_TARGET_MINOR
#define FL_TARGET_MINOR FL_ABI_MINOR
#elif FL_TARGET_MINOR > FL_ABI_MINOR
#error "FL_TARGET_MINOR is later than this header"
#endif

typedef struct fl_tensor_object *fl_tensor;
typedef fl_tensor fl_optional_tensor; /* as a parameter: accepts None, which arrives as NULL */
typedef struct fl_operator_object *fl_operator;
typedef struct fl_function_object *fl_function;     /* an operator with an order of its arguments */
typedef struct fl_exception_object *fl_exception;   /* a captured error; NULL: none */

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
    FL_COMPLEX32 = 8,
    FL_COMPLEX64 = 9,
    FL_COMPLEX128 = 10,
    FL_BOOL = 11,
    FL_BFLOAT16 = 15,
    FL_UINT16 = 27,
    FL_UINT32 = 28,
    FL_UINT64 = 29,
    FL_ANY = -1 /* in checks: any dtype */
};

typedef int32_t fl_status;
enum { /* the exception that fl_error raises */
    FL_RUNTIME_ERROR = 1,
    FL_TYPE_ERROR = 2,
    FL_VALUE_ERROR = 3,
    FL_INDEX_ERROR = 4,
    FL_NOT_IMPLEMENTED_ERROR = 5,
    FL_MEMORY_ERROR = 6,
    FL_OTHER_ERROR = 7 /* an exception of another type; raised as RuntimeError */
};

/* An argument or a result of an operator. The fl_of_...() functions below create them. */
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
    FL_VALUE_TENSORS = 9, /* in a list of optional tensors, NULL means None */
    FL_VALUE_DEFAULT = 10, /* omitted: the default of the schema */
    FL_VALUE_OBJECT = 11, /* any other Python object */
    FL_VALUE_DOUBLES = 12,
    FL_VALUE_BOOLS = 13 /* as ints */
};

typedef struct fl_value {
    const char *name; /* the parameter, for a keyword argument; NULL: by position */
    int32_t kind;
    int32_t count; /* of ints, doubles or tensors */
    union {
        fl_tensor tensor;
        int64_t integer; /* also bool and dtype */
        double real;
        double re_im[2]; /* a complex number */
        const char *string; /* UTF-8 */
        const int64_t *ints;
        const fl_tensor *tensors;
        const double *doubles;
        void *object;
    } as;
} fl_value;

/* The function that implements an operator. args contains all arguments of the schema in order, including defaults;
 * they are borrowed. Store the schema's results in results and return nresults; or record an error and return -1,
 * with nothing owned in results. The library takes ownership of tensors in results, and of lists of tensors, which
 * fl_new_list creates. Text and lists of numbers remain yours; they are copied before the kernel is called again in
 * this thread. */
typedef int32_t (*fl_kernel)(void *context, const fl_value *args, int32_t nargs, fl_value *results, int32_t nresults);

enum { /* flags of fl_implement */
    FL_OP_COMPOSITE = 1, /* the kernel calls other operators; autograd records them, so it needs no backward */
    FL_OP_NOT_DIFFERENTIABLE = 2 /* the results never have gradients */
};

enum { /* flags of a tensor */
    FL_REQUIRES_GRAD = 1,
    FL_IS_LEAF = 2,
    FL_IS_VIEW = 4,
    FL_IS_READONLY = 8,
    FL_IS_META = 16 /* on device 'meta': no memory; libraries before 1.4 do not set it */
};

typedef void (*fl_range_body)(int64_t begin, int64_t end, void *context);

/* The slots of the table: result, name and parameters of each. This is the only list of them; the type of the table
 * below, the code by which the library fills it, and the tests of each slot's offset follow from it. New slots are
 * appended under a higher minor version, and nothing here ever changes. */
#define FL_SLOTS_OF_MINOR_0(SLOT)                                                                                    \
    SLOT(fl_dtype, dtype, (fl_tensor))                                                                               \
    SLOT(int32_t, ndim, (fl_tensor))                                                                                 \
    SLOT(int64_t, numel, (fl_tensor))                                                                                \
    SLOT(const int64_t *, sizes, (fl_tensor))                                                                        \
    SLOT(const int64_t *, strides, (fl_tensor))                                                                      \
    SLOT(int32_t, is_contiguous, (fl_tensor))                                                                        \
    SLOT(const void *, const_data, (fl_tensor))                                                                      \
    SLOT(void *, data, (fl_tensor))                                                                                  \
    SLOT(int32_t, check, (fl_tensor, const char *function, const char *argument, fl_dtype, int32_t ndim))            \
    SLOT(fl_tensor, retain, (fl_tensor))                                                                             \
    SLOT(void, release, (fl_tensor))                                                                                 \
    SLOT(fl_tensor, empty, (const int64_t *sizes, int32_t ndim, fl_dtype))                                           \
    SLOT(fl_tensor, contiguous, (fl_tensor))                                                                         \
    SLOT(fl_tensor, as_strided, (fl_tensor, const int64_t *sizes, const int64_t *strides, int32_t ndim,              \
         int64_t offset))                                                                                            \
    SLOT(fl_tensor, from_blob, (void *data, const int64_t *sizes, const int64_t *strides, int32_t ndim, fl_dtype,    \
         void (*deleter)(void *context), void *context))                                                             \
    SLOT(void, error, (fl_status, const char *message))                                                              \
    SLOT(int32_t, error_occurred, (void))                                                                            \
    SLOT(void, error_clear, (void))                                                                                  \
    SLOT(fl_operator, find_operator, (const char *name))                                                             \
    SLOT(int32_t, call, (fl_operator, const fl_value *args, int32_t nargs, fl_value *results, int32_t nresults))     \
    SLOT(int32_t, num_threads, (void))                                                                               \
    SLOT(int32_t, parallel_for, (int64_t n, int64_t grain, fl_range_body, void *context))                            \
    SLOT(void *, gil_release, (void))                                                                                \
    SLOT(void, gil_acquire, (void *))                                                                                \
    SLOT(fl_tensor, from_python, (void *object))                                                                     \
    SLOT(void *, to_python, (fl_tensor))

#define FL_SLOTS_OF_MINOR_1(SLOT)                                                                                    \
    SLOT(int32_t, error_read, (fl_exception, char *text, int64_t size))                                              \
    SLOT(fl_exception, error_take, (void))                                                                           \
    SLOT(void, error_put, (fl_exception))                                                                            \
    SLOT(void, error_drop, (fl_exception))                                                                           \
    SLOT(int32_t, warn, (const char *message))                                                                       \
    SLOT(int32_t, flags, (fl_tensor))                                                                                \
    SLOT(int64_t, storage_offset, (fl_tensor))                                                                       \
    SLOT(int64_t, storage_nbytes, (fl_tensor))                                                                       \
    SLOT(int64_t, version, (fl_tensor))                                                                              \
    SLOT(int32_t, written, (fl_tensor))                                                                              \
    SLOT(int64_t, describe, (fl_tensor, char *text, int64_t size))                                                   \
    SLOT(fl_dtype, promote_types, (fl_dtype, fl_dtype))                                                              \
    SLOT(fl_dtype, result_type, (const fl_value *operands, int32_t count))                                           \
    SLOT(fl_dtype, default_dtype, (void))                                                                            \
    SLOT(fl_function, find_function, (const char *name, const char *arguments))                                      \
    SLOT(int32_t, call_function, (fl_function, const fl_value *args, fl_value *results, int32_t nresults))           \
    SLOT(int32_t, new_list, (fl_value *list, int32_t count))                                                         \
    SLOT(void, clear, (fl_value *))                                                                                  \
    SLOT(fl_operator, define, (const char *schema, const char *doc))                                                 \
    SLOT(int32_t, implement, (fl_operator, fl_kernel, void *context, int32_t flags, const char *types))              \
    SLOT(int32_t, set_backward, (fl_operator, const char *arguments, fl_operator backward))                          \
    SLOT(int32_t, grad_mode, (int32_t on))                                                                           \
    SLOT(int32_t, in_parallel, (void))                                                                               \
    SLOT(int32_t, gil_held, (void))                                                                                  \
    SLOT(int32_t, gil_ensure, (void))                                                                                \
    SLOT(void, gil_drop, (int32_t))

#if FL_TARGET_MINOR >= 1
#define FL_SLOTS(SLOT) FL_SLOTS_OF_MINOR_0(SLOT) FL_SLOTS_OF_MINOR_1(SLOT)
#else
#define FL_SLOTS(SLOT) FL_SLOTS_OF_MINOR_0(SLOT)
#endif

#define FL_SLOT_POINTER(result, name, parameters) result(*name) parameters;
typedef struct fl_api {
    uint32_t major, minor;
    uint64_t size;        /* size in bytes of the table that the library fills */
    const char *provider; /* name and version, for messages */
    FL_SLOTS(FL_SLOT_POINTER)
} fl_api;
#undef FL_SLOT_POINTER

/* Where the library provides the table: a capsule with this name. Releases before minor 2 have only the second name. */
#if FL_TARGET_MINOR >= 2
#define FL_PROVIDER "flambeau_tensor.c_api"
#else
#define FL_PROVIDER "flambeau_tensor._core.capi"
#endif

/* The table, shared by all sources of an extension; fl_import fills it before the first call. */
#if defined(_MSC_VER) && !defined(__clang__)
__declspec(selectany) const fl_api *fl_table = NULL;
#elif defined(_WIN32)
__attribute__((weak)) const fl_api *fl_table = NULL;
#else
__attribute__((weak, visibility("hidden"))) const fl_api *fl_table = NULL;
#endif

/* Not every source uses all static functions of this header. */
#if defined(__GNUC__) || defined(__clang__)
#define FL_MAYBE_UNUSED __attribute__((unused))
#else
#define FL_MAYBE_UNUSED
#endif

/* --- Errors ------------------------------------------------------------------------------------------------------ */

/* Record an exception. Returns NULL, so that you can write `return fl_error(FL_VALUE_ERROR, "...");`. In the body of
 * fl_parallel_for, the first error of all threads counts; it is raised when the loop has ended. */
static inline fl_tensor fl_error(fl_status code, const char *message) {
    fl_table->error(code, message);
    return NULL;
}

/* The same with printf's format, truncated after 1023 bytes. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
static FL_MAYBE_UNUSED fl_tensor fl_errorf(fl_status code, const char *format, ...) {
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

#if FL_TARGET_MINOR >= 1
/* Return the kind of the recorded error (0: none). Write its message to text unless that is NULL: at most size bytes
 * of UTF-8, including the terminator. */
static inline fl_status fl_error_read(char *text, int64_t size) { return fl_table->error_read(NULL, text, size); }

/* Remove the recorded error, to continue without it; NULL if there is none. Pass it either to fl_error_put, which
 * records it again unchanged, or to fl_error_drop. */
static inline fl_exception fl_error_take(void) { return fl_table->error_take(); }
static inline void fl_error_put(fl_exception e) { fl_table->error_put(e); }
static inline void fl_error_drop(fl_exception e) { fl_table->error_drop(e); }

/* Emit a UserWarning; 0, or -1 if warnings are errors. Needs the GIL. */
static inline int fl_warn(const char *message) { return fl_table->warn(message); }

/* Kind and message of an error from fl_error_take. */
static inline fl_status fl_exception_read(fl_exception e, char *text, int64_t size) {
    return e ? fl_table->error_read(e, text, size) : 0;
}
#endif

/* --- Geometry and elements --------------------------------------------------------------------------------------- */

/* Properties of a tensor; strides count elements. Pointers are valid until the tensor is changed. */
static inline fl_dtype fl_dtype_of(fl_tensor t) {
/* The result changes only in calls of other functions, so compilers may call it once for a whole loop. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus)
#define FL_STEADY noexcept __attribute__((const))
#elif defined(__GNUC__) && !defined(__clang__)
#define FL_STEADY __attribute__((const))
#else
#define FL_STEADY
#endif
    typedef fl_dtype (*steady)(fl_tensor) FL_STEADY;
    return ((steady)fl_table->dtype)(t);
}
static inline int32_t fl_ndim(fl_tensor t) {
    typedef int32_t (*steady)(fl_tensor) FL_STEADY;
    return ((steady)fl_table->ndim)(t);
}
static inline int64_t fl_numel(fl_tensor t) {
    typedef int64_t (*steady)(fl_tensor) FL_STEADY;
    return ((steady)fl_table->numel)(t);
}
static inline const int64_t *fl_sizes(fl_tensor t) {
    typedef const int64_t *(*steady)(fl_tensor) FL_STEADY;
    return ((steady)fl_table->sizes)(t);
}
static inline const int64_t *fl_strides(fl_tensor t) {
    typedef const int64_t *(*steady)(fl_tensor) FL_STEADY;
    return ((steady)fl_table->strides)(t);
}
static inline int fl_is_contiguous(fl_tensor t) {
    typedef int32_t (*steady)(fl_tensor) FL_STEADY;
    return ((steady)fl_table->is_contiguous)(t);
}

/* Size of an element in bytes, or 0 for a number that is not a dtype. */
static inline int64_t fl_itemsize(fl_dtype dtype) {
    switch (dtype) {
    case FL_BOOL: case FL_UINT8: case FL_INT8: return 1;
    case FL_INT16: case FL_UINT16: case FL_FLOAT16: case FL_BFLOAT16: return 2;
    case FL_INT32: case FL_UINT32: case FL_FLOAT32: case FL_COMPLEX32: return 4;
    case FL_INT64: case FL_UINT64: case FL_FLOAT64: case FL_COMPLEX64: return 8;
    case FL_COMPLEX128: return 16;
    default: return 0;
    }
}

/* The size of one dimension; negative dimensions count from the end. -1 and IndexError if it does not exist. */
static inline int64_t fl_size(fl_tensor t, int32_t dim) {
    int32_t ndim = fl_ndim(t);
    if (dim < -ndim || dim >= ndim) {
        fl_errorf(FL_INDEX_ERROR, "Dimension out of range (expected to be in range of [%d, %d], but got %d)",
                  (int)(ndim ? -ndim : -1), (int)(ndim ? ndim - 1 : 0), (int)dim);
        return -1;
    }
    return fl_sizes(t)[dim < 0 ? dim + ndim : dim];
}

/* The address of the first element, for reading. Not NULL, even if there are no elements. */
static inline const void *fl_const_data(fl_tensor t) {
    typedef const void *(*steady)(fl_tensor) FL_STEADY;
    return ((steady)fl_table->const_data)(t);
}

/* The same for writing. It counts as an in-place change, which autograd notices if it has saved the tensor for
 * backward. NULL and RuntimeError if the tensor uses read-only memory or, while autograd records, the memory of a
 * leaf that requires grad. */
static inline void *fl_data(fl_tensor t) { return fl_table->data(t); }

#if FL_TARGET_MINOR >= 1
/* Flags such as FL_REQUIRES_GRAD, combined. */
static inline int32_t fl_flags(fl_tensor t) { return fl_table->flags(t); }

/* The offset of the first element in the tensor's storage, in elements, and the size of the storage, in bytes. */
static inline int64_t fl_storage_offset(fl_tensor t) { return fl_table->storage_offset(t); }
static inline int64_t fl_storage_nbytes(fl_tensor t) { return fl_table->storage_nbytes(t); }

/* The number of writes to the tensor's memory that autograd has counted. */
static inline int64_t fl_version(fl_tensor t) { return fl_table->version(t); }

/* Count a write through an address that fl_data returned earlier: 0, or -1 and RuntimeError if that was NULL. */
static inline int fl_written(fl_tensor t) { return fl_table->written(t); }
#endif

/* FL_CHECK(x, FL_FLOAT32, 2): 0 if x is contiguous and has this dtype and number of dimensions (FL_ANY and -1 accept
 * any), else -1 and an error that names the function, the argument and its properties. */
static inline int fl_check(fl_tensor t, const char *function, const char *argument, fl_dtype dtype, int32_t ndim) {
    return fl_table->check(t, function, argument, dtype, ndim);
}
#define FL_CHECK(tensor, dtype, ndim) fl_check(tensor, __func__, #tensor, dtype, ndim)

/* --- Lifetime ---------------------------------------------------------------------------------------------------- */

/* Add a reference, returning the same handle, and release one. Releasing NULL is allowed. */
static inline fl_tensor fl_retain(fl_tensor t) { return fl_table->retain(t); }
static inline void fl_release(fl_tensor t) { fl_table->release(t); }

/* --- Creating tensors (contiguous, elements in C order, without history) ------------------------------------------ */

/* Uninitialized tensors, or zeros; with given sizes, or those of another tensor. */
static inline fl_tensor fl_empty(const int64_t *sizes, int32_t ndim, fl_dtype dtype) {
    return fl_table->empty(sizes, ndim, dtype);
}

static inline fl_tensor fl_empty_like(fl_tensor t) { return fl_empty(fl_sizes(t), fl_ndim(t), fl_dtype_of(t)); }

static inline fl_tensor fl_zeros(const int64_t *sizes, int32_t ndim, fl_dtype dtype) {
    fl_tensor t = fl_empty(sizes, ndim, dtype);
    /* no reader has seen it yet, so this write does not count */
    if (t) memset((void *)fl_const_data(t), 0, (size_t)(fl_numel(t) * fl_itemsize(dtype)));
    return t;
}

static inline fl_tensor fl_zeros_like(fl_tensor t) { return fl_zeros(fl_sizes(t), fl_ndim(t), fl_dtype_of(t)); }

/* The tensor itself (a new reference) if it is contiguous, else a contiguous copy without history. */
static inline fl_tensor fl_contiguous(fl_tensor t) { return fl_table->contiguous(t); }

/* A view of the same memory. strides and offset count elements; offset is relative to the start of the storage.
 * RuntimeError if the view exceeds the storage. */
static inline fl_tensor fl_as_strided(fl_tensor t, const int64_t *sizes, const int64_t *strides, int32_t ndim,
                                      int64_t offset) {
    return fl_table->as_strided(t, sizes, strides, ndim, offset);
}

/* A tensor on memory of your own. deleter(context) runs once when the last view of it is freed (deleter may be
 * NULL). strides NULL: contiguous. If this fails, the memory remains yours and deleter is not called. */
static inline fl_tensor fl_from_blob(void *data, const int64_t *sizes, const int64_t *strides, int32_t ndim,
                                     fl_dtype dtype, void (*deleter)(void *context), void *context) {
    return fl_table->from_blob(data, sizes, strides, ndim, dtype, deleter, context);
}

#if FL_TARGET_MINOR >= 1
/* The dtype to which operands of two dtypes are converted; FL_ANY and an error for numbers that are not dtypes. */
static inline fl_dtype fl_promote_types(fl_dtype a, fl_dtype b) { return fl_table->promote_types(a, b); }

/* The same for tensors and numbers, in the values that an operator would receive. Only the kind of a number counts,
 * and 0-dimensional tensors count less than others. */
static inline fl_dtype fl_result_type(const fl_value *operands, int32_t count) {
    return fl_table->result_type(operands, count);
}

/* The floating dtype of new tensors if none is given. */
static inline fl_dtype fl_default_dtype(void) { return fl_table->default_dtype(); }

/* Write the text that print shows of a tensor to text: at most size bytes of UTF-8, including the terminator.
 * Returns the number of bytes that it needs without the terminator, or -1. */
static inline int64_t fl_describe(fl_tensor t, char *text, int64_t size) { return fl_table->describe(t, text, size); }
#endif

/* --- Calling operators ------------------------------------------------------------------------------------------- */

/* Arguments: fl_none, fl_of_tensor, fl_of_int, fl_of_double, fl_of_bool, fl_of_dtype, fl_of_string (UTF-8),
 * fl_of_object; complex numbers and lists below. Memory that they point to remains yours. */
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
FL_OF(fl_of_object, void *, FL_VALUE_OBJECT, object)
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

static inline fl_value fl_of_doubles(const double *doubles, int32_t count) {
    fl_value v = fl_none();
    v.kind = FL_VALUE_DOUBLES;
    v.count = count;
    v.as.doubles = doubles;
    return v;
}

static inline fl_value fl_of_tensors(const fl_tensor *tensors, int32_t count) {
    fl_value v = fl_none();
    v.kind = FL_VALUE_TENSORS;
    v.count = count;
    v.as.tensors = tensors;
    return v;
}

/* An omitted argument. */
static inline fl_value fl_default(void) {
    fl_value v = fl_none();
    v.kind = FL_VALUE_DEFAULT;
    return v;
}

/* The same argument passed by keyword; keyword arguments follow positional ones. */
static inline fl_value fl_named(const char *name, fl_value v) {
    v.name = name;
    return v;
}

/* Find an operator by name ("add", "nn.linear"); NULL and RuntimeError if there is none. Keep the result in a static
 * variable; it is never released. */
static inline fl_operator fl_find_operator(const char *name) { return fl_table->find_operator(name); }

/* Call it as Python would: autograd records it, and overrides are called. Fills results (tensors in them are owned)
 * and returns their number, or -1. */
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

#if FL_TARGET_MINOR >= 1
/* The fast way to call an operator often. Find it once, with the names of the arguments that calls will pass,
 * separated by spaces ("self other alpha"; NULL: all, in the schema's order), and keep the result in a static
 * variable; it is never released. Other arguments keep their defaults. Arguments are identified by name, so calls
 * remain correct if a later release adds arguments. NULL and RuntimeError if there is no such operator or argument. */
static inline fl_function fl_find_function(const char *name, const char *arguments) {
    return fl_table->find_function(name, arguments);
}

/* Call it with the named arguments; autograd records it, and overrides are called. Fills results, one for each
 * result of the schema, and returns their number, or -1. A list of tensors is one result: release it with fl_clear. */
static inline int32_t fl_call_function(fl_function f, const fl_value *args, fl_value *results, int32_t nresults) {
    return fl_table->call_function(f, args, results, nresults);
}

/* The same for an operator that returns one tensor: an owned handle, or NULL. */
static inline fl_tensor fl_call_tensor(fl_function f, const fl_value *args) {
    fl_value result = fl_none();
    if (fl_table->call_function(f, args, &result, 1) < 0) return NULL;
    if (result.kind != FL_VALUE_TENSOR) {
        fl_table->clear(&result);
        return fl_error(FL_TYPE_ERROR, "fl_call_tensor: the operator does not return a tensor");
    }
    return result.as.tensor;
}

/* Release the contents of a result: a tensor, a list and its tensors, or an object. It is none afterwards. */
static inline void fl_clear(fl_value *result) { fl_table->clear(result); }

/* A list of count tensors to return from a kernel, initially NULL. Fill list->as.tensors with owned handles, casting
 * const away. 0, or -1 and MemoryError. */
static inline int fl_new_list(fl_value *list, int32_t count) { return fl_table->new_list(list, count); }

/* --- Defining operators ------------------------------------------------------------------------------------------ */

/* Define an operator by its schema, "mine::muladd(Tensor a, Tensor b, float c) -> Tensor"; in Python it is
 * torch.ops.mine.muladd. doc may be NULL. The operator lives as long as the process; defining it again with the same
 * schema returns it. NULL and an error if the schema is invalid or another operator has the name. */
static inline fl_operator fl_define(const char *schema, const char *doc) { return fl_table->define(schema, doc); }

/* Set its kernel, which receives context with every call. flags: FL_OP_... Returns 0 or -1. */
static inline int fl_implement(fl_operator op, fl_kernel kernel, void *context, int32_t flags) {
    return fl_table->implement(op, kernel, context, flags, NULL);
}

/* Let another operator compute the gradients of the named arguments ("a b"), which it returns in that order. The
 * names of its own arguments determine what it receives: `grad` (of the first result; `grad1` of the second, ...),
 * an argument of the operator by its name, `result` (`result1`, ...), `needs` (bool[]: the gradients that are
 * needed). Differentiating twice raises unless that operator has a backward itself. Computing gradients needs
 * flambeau-autograd. Returns 0 or -1. */
static inline int fl_set_backward(fl_operator op, const char *arguments, fl_operator backward) {
    return fl_table->set_backward(op, arguments, backward);
}

/* Switch autograd's recording in this thread on (1) or off (0) and return the previous state; -1 only returns it. */
static inline int fl_grad_mode(int on) { return fl_table->grad_mode(on); }
#endif

/* --- Threads ----------------------------------------------------------------------------------------------------- */

/* The number of threads that set_num_threads allows. */
static inline int32_t fl_num_threads(void) { return fl_table->num_threads(); }

/* Run body over [0, n) in ranges of at least grain elements, on the library's threads and this one. The body must
 * not assume that it holds the GIL. Returns when all ranges are done: 0, or -1 if the body recorded an error. */
static inline int fl_parallel_for(int64_t n, int64_t grain, fl_range_body body, void *context) {
    return fl_table->parallel_for(n, grain, body, context);
}

/* Let other Python threads run during a long computation; pass the result of the first function to the second. */
static inline void *fl_gil_release(void) { return fl_table->gil_release(); }
static inline void fl_gil_acquire(void *state) { fl_table->gil_acquire(state); }

#if FL_TARGET_MINOR >= 1
/* Get the GIL in any thread; pass the result of fl_gil_ensure to fl_gil_drop. */
static inline int fl_gil_held(void) { return fl_table->gil_held(); }
static inline int32_t fl_gil_ensure(void) { return fl_table->gil_ensure(); }
static inline void fl_gil_drop(int32_t state) { fl_table->gil_drop(state); }

/* Whether this thread is running a body of fl_parallel_for. */
static inline int fl_in_parallel(void) { return fl_table->in_parallel(); }
#endif

/* --- Loading ----------------------------------------------------------------------------------------------------- */

/* Accept a compatible table: 0, else -1 with the reason in text. */
static FL_MAYBE_UNUSED int fl_accept(const fl_api *table, const char *who, char *text, size_t size) {
    if (table->major != FL_ABI_MAJOR) {
        snprintf(text, size,
                 "%s was built for flambeau's C ABI %d.%d, but the installed %s has ABI %d.%d: build it again", who,
                 FL_ABI_MAJOR, FL_TARGET_MINOR, table->provider, (int)table->major, (int)table->minor);
        return -1;
    }
    if (table->size < sizeof(fl_api)) {
        snprintf(text, size,
                 "%s needs flambeau's C ABI %d.%d, but the installed %s has ABI %d.%d: "
                 "pip install --upgrade flambeau-tensor",
                 who, FL_ABI_MAJOR, FL_TARGET_MINOR, table->provider, (int)table->major, (int)table->minor);
        return -1;
    }
    fl_table = table;
    return 0;
}

#if FL_TARGET_MINOR >= 1 && (defined(__GNUC__) || defined(__clang__))
/* Code that runs when an extension is loaded: FL_LIBRARY(mine) { ... } at file scope, any number of times with
 * different names. If a block records an error, the import fails with it. Blocks run when the module is imported, after
 * fl_import; in a shared library that is not a Python module, when torch.ops.load_library loads it.
 *
 *     FL_LIBRARY(mine) {
 *         fl_operator op = fl_define("mine::muladd(Tensor a, Tensor b, float c) -> Tensor", NULL);
 *         if (op) fl_implement(op, muladd, NULL, 0);
 *     }
 */
typedef struct fl_library_block {
    void (*run)(void);
    struct fl_library_block *next;
} fl_library_block;

__attribute__((weak, visibility("hidden"))) fl_library_block *fl_library_blocks = NULL;

static FL_MAYBE_UNUSED void fl_enlist(fl_library_block *block) {
    fl_library_block **end = &fl_library_blocks;
    while (*end) end = &(*end)->next;
    *end = block;
}

/* Run the blocks that have not run yet: 0, or -1 at the first error. */
static FL_MAYBE_UNUSED int fl_run_libraries(void) {
    while (fl_library_blocks) {
        fl_library_block *block = fl_library_blocks;
        fl_library_blocks = block->next;
        block->run();
        if (fl_error_occurred()) return -1;
    }
    return 0;
}

#define FL_LIBRARY(name)                                                                   \
    static void fl_library_##name(void);                                                   \
    static fl_library_block fl_library_block_##name = {fl_library_##name, NULL};           \
    __attribute__((constructor)) static void fl_library_enlist_##name(void) {              \
        fl_enlist(&fl_library_block_##name);                                               \
    }                                                                                      \
    static void fl_library_##name(void)

/* The entry point for loading a shared library that is not a Python module: 0; -1: a block has recorded an error;
 * -2: the library is incompatible, with the reason in text. */
__attribute__((weak, visibility("default"))) int fl_extension_load(const fl_api *table, const char *who, char *text,
                                                                   size_t size);
int fl_extension_load(const fl_api *table, const char *who, char *text, size_t size) {
    return fl_accept(table, who, text, size) ? -2 : fl_run_libraries();
}
#else
static FL_MAYBE_UNUSED int fl_run_libraries(void) { return 0; }
#endif

#ifdef __cplusplus
}
#endif
#endif /* FLAMBEAU_TENSOR_H */

/* --- For sources that include Python.h before this header --------------------------------------------------------- */

#if defined(Py_PYTHON_H) && !defined(FLAMBEAU_TENSOR_PYTHON)
#define FLAMBEAU_TENSOR_PYTHON
#ifdef __cplusplus
extern "C" {
#endif

/* The tensor of a Python object: borrowed from it; NULL without an error if it is not a tensor. */
static inline fl_tensor fl_from_python(PyObject *object) { return fl_table->from_python(object); }

/* The Python object of a tensor: a new reference. */
static inline PyObject *fl_to_python(fl_tensor t) { return (PyObject *)fl_table->to_python(t); }

/* Fill the table and run the blocks of FL_LIBRARY; call it when the module is initialized. `who` names the extension
 * in messages. 0, or -1 with ImportError or the error of a block. Uses only Python's limited API. */
static FL_MAYBE_UNUSED int fl_import(const char *who) {
    PyObject *module = PyImport_ImportModule(FL_PROVIDER);
    PyObject *capsule = module ? PyObject_GetAttrString(module, "API") : NULL;
    const fl_api *table = NULL;
    char text[512];
    if (capsule) table = (const fl_api *)PyCapsule_GetPointer(capsule, FL_PROVIDER ".API");
    Py_XDECREF(module);
    Py_XDECREF(capsule);
    if (!table) {
        PyObject *type, *error, *traceback, *missing;
        PyErr_Fetch(&type, &error, &traceback);
        missing = error ? PyObject_GetAttrString(error, "name") : NULL;
        if (missing && PyUnicode_Check(missing) && !PyUnicode_CompareWithASCIIString(missing, "flambeau_tensor")) {
            PyErr_Format(PyExc_ImportError, "%s needs flambeau-tensor: pip install flambeau-tensor", who);
        } else if (missing && PyUnicode_Check(missing) && !PyUnicode_CompareWithASCIIString(missing, FL_PROVIDER)) {
            PyErr_Format(PyExc_ImportError,
                         "%s needs flambeau's C ABI %d.%d, which the installed flambeau-tensor does not have: "
                         "pip install --upgrade flambeau-tensor",
                         who, FL_ABI_MAJOR, FL_TARGET_MINOR);
        } else {
            PyErr_Restore(type, error, traceback);
            type = error = traceback = NULL;
        }
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
        Py_XDECREF(missing);
        return -1;
    }
    if (fl_accept(table, who, text, sizeof text)) {
        PyErr_SetString(PyExc_ImportError, text);
        return -1;
    }
    return fl_run_libraries();
}

#ifdef __cplusplus
}
#endif
#endif
