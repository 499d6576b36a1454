"""Record which line of the user's program created a node."""
from cpython.object cimport PyObject

# Sets `code` to the innermost running code object outside our packages (a new reference), and `instruction` to the
# instruction in it.
cdef void note_call_site(PyObject** code, int* instruction) noexcept
