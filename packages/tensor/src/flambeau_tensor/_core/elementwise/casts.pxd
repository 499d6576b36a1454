"""Loops that convert elements of one dtype into another, and that copy them."""
from flambeau_tensor._core.memory.types cimport NDTYPES

# Strides in bytes.
ctypedef void (*cast_t)(const char* src, Py_ssize_t ss, char* dst, Py_ssize_t ds, Py_ssize_t n) noexcept nogil

cdef cast_t[NDTYPES][NDTYPES] CAST
cdef cast_t[17] COPY  # by the size of an element
