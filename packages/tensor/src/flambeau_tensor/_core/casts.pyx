# cython: language_level=3
"""The table of casting loops, from a C header (two macros write the 144 of them)."""
from flambeau_tensor._core.types cimport NDTYPES

cdef extern from "casts.h" nogil:
    ctypedef void (*fl_cast_loop)(const char*, ptrdiff_t, char*, ptrdiff_t, ptrdiff_t)
    const fl_cast_loop[12][12] fl_cast_table

for _i in range(NDTYPES):
    for _j in range(NDTYPES):
        CAST[_i][_j] = <cast_t>fl_cast_table[_i][_j]
