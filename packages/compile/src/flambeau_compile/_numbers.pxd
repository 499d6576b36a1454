"""Python numbers that a program reads at each call."""
cdef class Numbers:
    cdef readonly list sources, kinds  # the locations of numbers, and their types
    cdef list constants, steps, guards, wanted, readers
    cdef list evaluate(self, object whole)
    cdef list tensors(self, object whole)

cdef class Reader:
    cdef int kind
    cdef Py_ssize_t index
    cdef object owner, key
    cdef object read(self, tuple whole)
    cdef int write(self, object value) except -1
