"""The active transforms, as nested levels."""
from cpython.object cimport PyObject

cdef class Level:
    # the number of nested transforms including this one; 0: the level of forward_ad, or of recording
    cdef readonly int depth
    cdef readonly bint alive
    cdef readonly bint internal  # serves a call of the engine, not of a user's function
    cdef readonly bint tapes  # whether it records a tape
    cdef public int paused  # if not 0, layers at this level are ignored
    cdef int begin(self) except -1
    cdef int end(self) except -1
    # Processes an operator call whose arguments have their innermost layer here; `batch_depth`: the depth of their
    # innermost batch, or -1.
    cdef object process(self, PyObject* op, PyObject** slots, int batch_depth)
    cdef object refusal(self, str text)  # the exception for unsupported calls at this level

cdef bint inside() noexcept  # whether this thread runs a function under a transform
cdef int refuse_inside(str what) except -1  # raises an error in methods that switch recording
cdef int refuse_backward() except -1
