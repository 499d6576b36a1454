# cython: language_level=3
"""The sockets, initially empty; ``sockets.pxd`` describes them."""

call_general = NULL
call_overloaded = NULL
call_for_subclass = NULL
resolve_and_run = NULL
decompose = NULL
declare = NULL
find = NULL
call_syntax = NULL
record = NULL
release = NULL


cdef class Sockets:
    """Functions of higher code, by name; a misspelled name raises AttributeError."""

    def __cinit__(self):
        self.providers = {}


sockets = Sockets()
globals()["sockets"] = sockets
