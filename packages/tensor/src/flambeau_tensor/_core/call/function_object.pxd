"""What users hold of an operation: an Operator, or the OverloadSet of those that share a name."""

cdef class Public:
    cdef object extra  # attributes that functools.wraps and users set
