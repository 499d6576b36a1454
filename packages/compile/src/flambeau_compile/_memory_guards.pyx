# cython: language_level=3
"""What has to be so about the memory of arguments and captured tensors, for the few programs that depend on it."""
from cpython.object cimport PyObject

from flambeau_compile._arguments cimport regions_of
from flambeau_compile._geometry cimport Geometry, memory_of, origin_of


cdef class MemoryGuards:
    """The guards of one program; most have none of them."""

    def __init__(self):
        self.pinned, self.aliases, self.apart, self.regions = [], [], [], None

    def pin(self, int number, size_t address, captured, bint itself):
        """An argument shows memory of a captured tensor, and has to show the same in later calls, or to be it."""
        self.pinned.append((number, address, captured, itself))
        self.some = True

    def stay(self, list tensors):
        """Captured tensors have to go on showing the memory that they show."""
        self.aliases.extend([(t, <size_t>memory_of(<PyObject*>t)) for t in tensors])
        self.some = True

    def keep_apart(self, list tensors):
        """No argument may be one of these captured tensors: the function compares objects."""
        self.apart = tensors
        self.some = True

    def pin_regions(self, list tensors):
        """The program knows where in their storage arguments begin, and where these end."""
        self.regions = regions_of(tensors)
        self.some = True

    cdef bint aliases_hold(self) except -1:
        for t, address in self.aliases:
            if <size_t>memory_of(<PyObject*>t) != <size_t>address:
                return False
        return True

    cdef bint hold(self, PyObject** tensors, const Geometry* args, int n) except -1:
        cdef int i
        if not self.aliases_hold():
            return False
        for i, address, other, itself in self.pinned:
            if itself and tensors[i] != <PyObject*>other or <size_t>origin_of(&args[i], tensors[i]) != address:
                return False
        for t in self.apart:
            for i in range(n):
                if tensors[i] == <PyObject*>t:
                    return False
        return self.regions is None or self.regions == regions_of([<object>tensors[i] for i in range(n)])
