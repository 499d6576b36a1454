"""What a compiled program does in place of an optimizer's step: see `Step` in steps.pyx, whose objects these take."""

cdef enum:
    STEP_COEFFICIENTS = 11  # what `fill_step` writes for each parameter

cdef bint step_is_valid(object step) except -1
cdef int fill_step(object step, double* k) except -1
cdef int undo_step(object step) except -1
