# cython: language_level=3
"""The memory part of a trace: the storages in it, and a description of each call in words."""
from bisect import bisect_right

import flambeau_tensor as ft
from flambeau_compile.graph import ITEMSIZE, Uncompilable, Window
from flambeau_tensor.extend import Window as Seen

cdef object _new = tuple.__new__
cdef dict _dtypes = {}  # dtype -> (name, bytes)
cdef unsigned int _LAZY = 1024 | 2048  # flags of conjugate and negative views
# flags of meta tensors, of tensors that dispatch, and of tensors with layers
cdef unsigned int _NOT_PLAIN = 8192 | 4096 | 2
# types of values with the same words in all processes
cdef tuple _NAMED = (ft.dtype, ft.device, ft.layout, ft.memory_format)


cdef tuple _dtype(dtype):
    found = _dtypes.get(dtype)
    if found is None:
        name = str(dtype).removeprefix("torch.")
        found = _dtypes[dtype] = name, ITEMSIZE[name]
    return <tuple>found


cdef class Storages:
    """The storages that a Tracer saw, as buffers of a program.

    ``words`` describes each recorded call: buffer numbers replace addresses, so two processes that run the same code
    have the same words. ``portable`` is false if a value without words was recorded.

    Args:
        program: receives the buffers.
        name_of: returns the words of an operator, or None.
    """
    cdef object program, name_of
    cdef dict by_address, operators
    cdef list starts, ends  # start addresses of storages, and (end address, buffer); storages do not overlap
    cdef readonly list keep  # keeps windows alive, so that their addresses are not reused
    cdef readonly list words
    cdef public bint portable
    cdef readonly set made  # ids of tensors that calls created
    cdef set given  # ids of tensors that were arguments before that

    def __init__(self, program, name_of):
        self.program, self.name_of, self.portable = program, name_of, True
        self.by_address, self.operators, self.starts, self.ends, self.keep, self.words = {}, {}, [], [], [], []
        self.made, self.given = set(), set()

    cdef object look(self, seen, bint made, Py_ssize_t* start):
        """Return the buffer of a tensor and the start of its storage there; ``made``: the current kernel created it."""
        cdef unsigned int flags = seen.flags
        if flags & (_NOT_PLAIN | _LAZY):
            what = "tensors without plain memory" if flags & _NOT_PLAIN else "conjugate or negative views"
            raise Uncompilable(f"it works on {what}")
        buffer = self.by_address.get(seen.address)
        start[0] = 0
        if buffer is not None and buffer.nbytes >= seen.nbytes:
            return buffer
        return self.find(seen, made, start)

    cdef object find(self, seen, bint made, Py_ssize_t* start):
        """Return the buffer of a storage that is not known yet."""
        cdef Py_ssize_t i, near
        address, nbytes = seen.address, seen.nbytes
        near = bisect_right(self.starts, address)
        for i in range(max(near - 1, 0), min(near + 1, len(self.starts))):
            low, (high, buffer) = self.starts[i], self.ends[i]
            if low < address + nbytes and address < high:
                if low <= address and address + nbytes <= high:
                    start[0] = address - low
                    return buffer
                raise Uncompilable("storages overlap in part")
        buffer = self.program.buffer(nbytes, None if made else seen.tensor)
        self.name_memory(seen, buffer)
        return buffer

    cpdef name_memory(self, seen, buffer):
        """Register memory as a buffer."""
        address, nbytes = seen.address, seen.nbytes
        self.keep.append(seen)
        self.by_address[address] = buffer
        if nbytes:
            at = bisect_right(self.starts, address)
            self.starts.insert(at, address)
            self.ends.insert(at, (address + nbytes, buffer))

    cdef tuple place(self, seen, bint made, bint numbered):
        """Return the fields of a tensor's window, with the buffer or its number."""
        cdef Py_ssize_t start
        buffer = self.look(seen, made, &start)
        name, size = _dtype(seen.dtype)
        offset = seen.offset
        if start:
            if start % <Py_ssize_t>size:
                raise Uncompilable("a view does not begin at an element")
            offset += start // <Py_ssize_t>size
        return buffer.index if numbered else buffer, name, offset, seen.sizes, seen.strides

    def is_known(self, seen):
        return seen.address in self.by_address

    def window(self, seen, bint made=False):
        """Convert a tensor that a Tracer saw to a window of the program."""
        return _new(Window, self.place(seen, made, False))

    # --- calls ------------------------------------------------------------------------------------------------------

    def meet(self, op, tuple arguments, result):
        """Record a call; return for each result tensor whether its memory was known before."""
        cdef list known = []
        number = self.operators.get(op)
        if number is None:
            number = self.operators[op] = len(self.operators)
            words = self.name_of(op)
            if words is None:
                self.portable = False
            self.words.append(words)
        given = tuple([self.described(each, False) for each in arguments])
        self.find_known(result, known)
        self.words.append((number, given, self.described(result, True)))
        return known

    def note(self, *what):
        """Record values and windows that are not a call."""
        self.words.append(self.described(what, False))

    cdef object described(self, o, bint made):
        kind = type(o)
        if kind is Seen:
            key = id(o.tensor)
            if not made:
                if key not in self.made:
                    self.given.add(key)
            elif key not in self.given:
                self.made.add(key)
            return self.place(o, made, True)
        if o is None or kind is int or kind is float or kind is bool or kind is str or kind is complex:
            return o
        if kind is tuple:
            return "", tuple([self.described(each, made) for each in <tuple>o])
        if kind is Window:
            return (o.buffer.index, *o[1:])
        if isinstance(o, _NAMED):
            return "=", repr(o)
        if kind is ft.Generator:
            return "=", "a generator"
        self.portable = False
        return None

    cdef int find_known(self, o, list known) except -1:
        if type(o) is Seen:
            known.append(o.address in self.by_address)
        elif isinstance(o, tuple):
            for each in <tuple>o:
                self.find_known(each, known)
        return 0
