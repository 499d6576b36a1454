"""Routines for matrices so small that the way into LAPACK costs more than the work.

Each takes LAPACK's arguments and is NULL where LAPACK does better.
"""
from flambeau_tensor._kernels.lapack cimport routine_t

cdef routine_t small_getrf(int dtype, Py_ssize_t n) noexcept
cdef routine_t small_getrs(int dtype, Py_ssize_t n) noexcept
cdef routine_t small_potrf(int dtype, Py_ssize_t n) noexcept
