"""Functions that a compiled program calls instead of an optimizer's step; they take `Step` objects, see steps.pyx."""

cdef enum:
    STEP_COEFFICIENTS = 11  # the number of coefficients that `fill_step` writes for each parameter

cdef bint step_is_valid(object step) except -1
cdef int fill_step(object step, double* k) except -1
cdef int undo_step(object step) except -1
