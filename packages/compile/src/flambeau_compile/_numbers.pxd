"""Numbers of Python's that a program reads at each call."""
cdef class Numbers:
    cdef readonly list sources, kinds  # where numbers stand, and of which type they were
    cdef list constants, steps, guards, wanted
    cdef list evaluate(self, object whole)
    cdef list tensors(self, object whole)
