"""Operators in the C interface: calling them with values, and defining them with C kernels."""
from libc.stdint cimport int32_t

from flambeau_tensor._core.capi.table cimport fl_function, fl_kernel, fl_operator, fl_value

cdef fl_operator find_operator "fl_slot_find_operator"(const char* name) except NULL
cdef int32_t call "fl_slot_call"(fl_operator op, const fl_value* args, int32_t nargs, fl_value* results,
                                 int32_t nresults) except -1
cdef fl_function find_function "fl_slot_find_function"(const char* name, const char* arguments) except NULL
cdef int32_t call_function "fl_slot_call_function"(fl_function f, const fl_value* args, fl_value* results,
                                                   int32_t nresults) except -1
cdef fl_operator define "fl_slot_define"(const char* schema, const char* doc) except NULL
cdef int32_t implement "fl_slot_implement"(fl_operator op, fl_kernel run, void* context, int32_t flags,
                                           const char* types) except -1
cdef int32_t set_backward "fl_slot_set_backward"(fl_operator op, const char* arguments, fl_operator backward) except -1
