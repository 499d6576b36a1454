"""Which line of the user's program recorded a node."""
from cpython.object cimport PyObject

# The code object (a new reference) that is running, not counting our own packages, and the instruction in it.
cdef void note_call_site(PyObject** code, int* instruction) noexcept
