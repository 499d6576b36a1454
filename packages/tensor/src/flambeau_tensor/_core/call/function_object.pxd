"""The base class of the callables that users see: Operator, and OverloadSet for operators that share a name."""

cdef class Public:
    cdef object extra  # attributes that functools.wraps and users set
