"""The Tracer's interface to the call path of operators and to other code."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator

# Called before and after a kernel in a thread that has a tracer. The tracer records nothing while the kernel runs.
cdef object begin(Operator op, PyObject** slots)
cdef int end(object call, object result) except -1
cdef int failed(object call) except -1  # replaces `end` if the kernel failed

cdef int note(object event) except -1  # records an event in the thread's tracer, if there is one
cdef int note_shown() except -1  # records that a tensor's memory is exposed to other code
