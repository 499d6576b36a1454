"""The transforms that are under way, as levels that nest."""
from cpython.object cimport PyObject

cdef class Level:
    cdef readonly int depth  # how many transforms it lies inside of, and itself; 0: forward_ad's own, or recording's
    cdef readonly bint alive
    cdef readonly bint internal  # serves a call of the engine's own, rather than a user's function
    cdef readonly bint tapes  # it records a tape
    cdef public int paused  # while that is not 0, layers at this level are passed over
    cdef int begin(self) except -1
    cdef int end(self) except -1
    # An operator call whose arguments have their innermost layer here; `batch_depth`: of their innermost batch, or -1.
    cdef object process(self, PyObject* op, PyObject** slots, int batch_depth)
    cdef object refusal(self, str text)  # the exception for what calls at this level cannot do

cdef bint inside() noexcept  # of a function that is being transformed, in this thread
cdef int refuse_inside(str what) except -1  # a method that switches recording
cdef int refuse_backward() except -1
