"""Loops that convert elements of one dtype into another."""
from flambeau_tensor._core.types cimport NDTYPES

# Strides in bytes. Same-dtype loops are copies.
ctypedef void (*cast_t)(const char* src, Py_ssize_t ss, char* dst, Py_ssize_t ds, Py_ssize_t n) noexcept nogil

cdef cast_t[NDTYPES][NDTYPES] CAST
