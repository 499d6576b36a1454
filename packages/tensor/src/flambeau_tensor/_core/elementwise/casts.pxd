"""Loops that convert elements to another dtype, and loops that copy elements."""
from flambeau_tensor._core.memory.types cimport NDTYPES

# Strides are in bytes.
ctypedef void (*cast_t)(const char* src, Py_ssize_t ss, char* dst, Py_ssize_t ds, Py_ssize_t n) noexcept nogil

cdef cast_t[NDTYPES][NDTYPES] CAST
cdef cast_t[17] COPY  # indexed by element size
