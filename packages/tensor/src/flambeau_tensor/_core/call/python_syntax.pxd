"""What answers Python's syntax; ``syntax_slots.pxd`` numbers its places."""

cdef dict answers  # word -> (Operator, Method)

cdef tuple method_names(str word)
cdef bint is_binary(str word)
cdef bint commutes(str word)
