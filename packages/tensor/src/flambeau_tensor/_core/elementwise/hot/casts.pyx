# cython: language_level=3
"""The casting loops, from a C header (macros write the 256 of them), and where their tables are."""

cdef extern from "casts.h" nogil:
    ctypedef void (*fl_cast_loop)(const char*, ptrdiff_t, char*, ptrdiff_t, ptrdiff_t)
    const fl_cast_loop[16][16] fl_cast_table
    const fl_cast_loop[17] fl_copy_table

TABLE = <size_t>&fl_cast_table[0][0]
COPIES = <size_t>&fl_copy_table[0]
