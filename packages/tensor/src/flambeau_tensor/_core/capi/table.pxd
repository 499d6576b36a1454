"""Declarations of ``flambeau/tensor.h`` for the modules that fill its table."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "flambeau/tensor.h" nogil:
    ctypedef struct fl_tensor_object
    ctypedef fl_tensor_object* fl_tensor
    ctypedef struct fl_operator_object
    ctypedef fl_operator_object* fl_operator
    ctypedef struct fl_function_object
    ctypedef fl_function_object* fl_function
    ctypedef struct fl_exception_object
    ctypedef fl_exception_object* fl_exception
    ctypedef union fl_value_as "fl_value_as_is_unnamed":
        fl_tensor tensor
        int64_t integer
        double real
        double[2] re_im
        const char* string
        const int64_t* ints
        const fl_tensor* tensors
        const double* doubles
        void* object
    ctypedef struct fl_value:
        const char* name
        int32_t kind
        int32_t count
        fl_value_as value "as"
    ctypedef void (*fl_range_body)(int64_t, int64_t, void*) noexcept nogil
    ctypedef int32_t (*fl_kernel)(void*, const fl_value*, int32_t, fl_value*, int32_t) noexcept
    ctypedef struct fl_api:
        uint32_t major
        uint32_t minor
        uint64_t size
        const char* provider
        void (*release)(fl_tensor) noexcept nogil
    int FL_ABI_MAJOR, FL_ABI_MINOR
    int FL_ANY, FL_BOOL, FL_UINT8, FL_INT8, FL_INT16, FL_INT32, FL_INT64, FL_UINT16, FL_UINT32, FL_UINT64, FL_FLOAT16
    int FL_BFLOAT16, FL_FLOAT32, FL_FLOAT64, FL_COMPLEX32, FL_COMPLEX64, FL_COMPLEX128
    int FL_RUNTIME_ERROR, FL_TYPE_ERROR, FL_VALUE_ERROR, FL_INDEX_ERROR, FL_NOT_IMPLEMENTED_ERROR, FL_MEMORY_ERROR
    int FL_OTHER_ERROR, FL_OP_COMPOSITE, FL_OP_NOT_DIFFERENTIABLE
    int FL_REQUIRES_GRAD, FL_IS_LEAF, FL_IS_VIEW, FL_IS_READONLY, FL_IS_META
    enum:
        FL_VALUE_NONE, FL_VALUE_TENSOR, FL_VALUE_INT, FL_VALUE_DOUBLE, FL_VALUE_BOOL, FL_VALUE_COMPLEX, FL_VALUE_DTYPE
        FL_VALUE_STRING, FL_VALUE_INTS, FL_VALUE_TENSORS, FL_VALUE_DEFAULT, FL_VALUE_OBJECT, FL_VALUE_DOUBLES
        FL_VALUE_BOOLS
