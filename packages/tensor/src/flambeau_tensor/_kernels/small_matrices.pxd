"""Routines for matrices so small that calling LAPACK costs more than the work.

They take LAPACK's arguments. A function returns NULL if LAPACK is faster.
"""
from flambeau_tensor._kernels.lapack cimport routine_t

cdef routine_t small_getrf(int dtype, Py_ssize_t n) noexcept
cdef routine_t small_getrs(int dtype, Py_ssize_t n) noexcept
cdef routine_t small_potrf(int dtype, Py_ssize_t n) noexcept
