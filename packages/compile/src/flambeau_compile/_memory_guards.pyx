# cython: language_level=3
"""Guards on the memory of arguments and captured tensors, for the few programs that depend on it."""
from cpython.object cimport PyObject
from libc.stdlib cimport free, realloc

from flambeau_compile._arguments cimport regions_of
from flambeau_compile._geometry cimport Geometry, memory_of, origin_of


cdef class MemoryGuards:
    """The guards of one program; most programs have none."""

    def __init__(self):
        self.pinned, self.aliases, self.apart, self.regions = [], [], [], None

    def __dealloc__(self):
        free(self.pins)

    cdef int pin(self, int number, char* origin, captured, bint itself) except -1:
        """An argument shows memory of a captured tensor, and has to show the same in later calls, or to be it."""
        cdef Pin* pins = <Pin*>realloc(self.pins, (self.npins + 1) * sizeof(Pin))
        if pins == NULL:
            raise MemoryError
        self.pins = pins
        pins[self.npins].number, pins[self.npins].origin = number, origin
        pins[self.npins].itself = <PyObject*>captured if itself else NULL
        self.npins += 1
        self.pinned.append(captured)
        self.some = True
        return 0

    def stay(self, list tensors):
        """Require that captured tensors still have their current memory."""
        self.aliases.extend([(t, <size_t>memory_of(<PyObject*>t)) for t in tensors])
        self.some = True

    def keep_apart(self, list tensors):
        """Require that no argument is one of these captured tensors, because the function compares objects."""
        self.apart = tensors
        self.some = True

    def pin_regions(self, list tensors):
        """Require that arguments have the same offsets in their storages, and these the same sizes."""
        self.regions = regions_of(tensors)
        self.some = True

    cdef bint aliases_hold(self) except -1:
        for t, address in self.aliases:
            if <size_t>memory_of(<PyObject*>t) != <size_t>address:
                return False
        return True

    cdef bint hold(self, PyObject** tensors, const Geometry* args, int n) except -1:
        cdef int i
        cdef PyObject* pinned
        if not self.aliases_hold():
            return False
        for i in range(self.npins):
            pinned = tensors[self.pins[i].number]
            if self.pins[i].itself != NULL and pinned != self.pins[i].itself or \
                    origin_of(&args[self.pins[i].number], pinned) != self.pins[i].origin:
                return False
        for t in self.apart:
            for i in range(n):
                if tensors[i] == <PyObject*>t:
                    return False
        return self.regions is None or self.regions == regions_of([<object>tensors[i] for i in range(n)])
