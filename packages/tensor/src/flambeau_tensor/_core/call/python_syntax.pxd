"""The operators that implement Python's syntax. ``syntax_slots.pxd`` numbers the slots."""

cdef dict answers  # word -> (Operator, Method)

cdef tuple method_names(str word)
cdef bint is_binary(str word)
cdef bint commutes(str word)
