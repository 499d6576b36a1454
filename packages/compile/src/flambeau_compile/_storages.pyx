# cython: language_level=3
"""What a Tracer wrote down, as far as memory goes: which storages there are, and what each call looks like in words."""
from bisect import bisect_right

import flambeau_tensor as ft
from flambeau_compile.graph import ITEMSIZE, Uncompilable, Window
from flambeau_tensor.extend import Window as Seen

cdef object _new = tuple.__new__
cdef dict _dtypes = {}  # dtype: (name, bytes)
cdef unsigned int _LAZY = 1024 | 2048  # flags of conjugate and negative views
cdef unsigned int _NOT_PLAIN = 8192 | 4096 | 2  # of meta tensors, of those that dispatch, and of those with layers
cdef tuple _NAMED = (ft.dtype, ft.device, ft.layout, ft.memory_format)  # values that have the same words everywhere


cdef tuple _dtype(dtype):
    found = _dtypes.get(dtype)
    if found is None:
        name = str(dtype).removeprefix("torch.")
        found = _dtypes[dtype] = name, ITEMSIZE[name]
    return <tuple>found


cdef class Storages:
    """The storages that a Tracer met, as buffers of a program.

    ``words`` describe each call that was met: numbers of buffers stand for memory, so two processes that do the same
    have the same words. ``portable`` is false once something was met that has no words.

    Args:
        program: gets the buffers.
        name_of: gives the words of an operator, or None.
    """
    cdef object program, name_of
    cdef dict by_address, operators
    cdef list starts, ends  # where storages begin, and (where they end, their buffers); none overlaps another
    cdef readonly list keep  # what windows look at: an address must not be used again meanwhile
    cdef readonly list words
    cdef public bint portable
    cdef readonly set made  # ids of tensors that calls made
    cdef set given  # of those that stood among arguments before

    def __init__(self, program, name_of):
        self.program, self.name_of, self.portable = program, name_of, True
        self.by_address, self.operators, self.starts, self.ends, self.keep, self.words = {}, {}, [], [], [], []
        self.made, self.given = set(), set()

    cdef object look(self, seen, bint made, Py_ssize_t* start):
        """The buffer in which a tensor lies, and where its storage begins there; ``made``: by the kernel at hand."""
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
        """The buffer of a storage that has none of its own yet."""
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
        """Use memory as a buffer."""
        address, nbytes = seen.address, seen.nbytes
        self.keep.append(seen)
        self.by_address[address] = buffer
        if nbytes:
            at = bisect_right(self.starts, address)
            self.starts.insert(at, address)
            self.ends.insert(at, (address + nbytes, buffer))

    cdef tuple place(self, seen, bint made, bint numbered):
        """The fields of the window that a tensor is, with the buffer or its number."""
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
        """What a Tracer saw as a window of the program."""
        return _new(Window, self.place(seen, made, False))

    # --- calls ------------------------------------------------------------------------------------------------------

    def meet(self, op, tuple arguments, result):
        """Note a call; returns for each tensor among its results whether its memory was known before."""
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
        """Note what is no call: windows, and values."""
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
