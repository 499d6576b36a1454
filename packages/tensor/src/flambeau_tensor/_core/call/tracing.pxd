"""What the operator's path tells a Tracer, and what other code tells it besides."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Operator

# Around a kernel, in a thread that has a tracer: while the kernel runs, nothing is written down.
cdef object begin(Operator op, PyObject** slots)
cdef int end(object call, object result) except -1
cdef void resume(object call) noexcept  # in place of `end`, where the kernel failed

cdef int note(object event) except -1  # for the thread's tracer, if there is one
cdef int note_shown() except -1  # that a tensor's memory is shown to others
