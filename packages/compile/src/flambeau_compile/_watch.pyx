"""Words of memory that show whether values that a function read in Python are unchanged.

Each container that a function read has a *record*: its contents, and the memory locations that show a possible change.
CPython gives every state of a dict and of a class a version tag; cells, lists and fields of objects are pointers.
`Checks` stores these words in one array, parents before children, and compares them. A word is therefore read only
after previous words have shown that its memory still exists.

If a word differs, its record compares its contents: numbers and strings by value, all others by identity. If nothing
relevant has changed, the record rewrites its words; a script whose globals change all the time stays valid.

From CPython 3.13 on, dicts have no version tags. There a watcher counts the changes of each dict, and the count is the
word.
"""
cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.string cimport memcmp

import types

import numpy as np

cdef extern from "Python.h":
    object PyWeakref_NewRef(object, PyObject*)
    double PyFloat_AS_DOUBLE(object)
    bint PyDict_Check(PyObject*)


class Missing:
    """The type of MISSING, which represents the absence of a value."""

    def __repr__(self):
        return "nothing"


MISSING = Missing()
cdef object _MISSING = MISSING

# Immutable types, which are compared by value if the object differs.
cdef frozenset _BY_VALUE = frozenset((int, float, bool, complex, str, bytes, type(None), type(Ellipsis)))


cdef bint equal(object a, object b) except -1:
    """Whether two immutable values are the same to every program: 0.0 is not -0.0, 1 is not 1.0."""
    cdef double x, y
    if a is b:
        return True
    kind = type(a)
    if type(b) is not kind:
        return False
    if kind is float:
        x, y = PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b)
        return memcmp(&x, &y, sizeof(double)) == 0
    if kind is complex:
        return equal(a.real, b.real) and equal(a.imag, b.imag)
    if kind is tuple:
        return len(a) == len(b) and all([equal(v, w) for v, w in zip(a, b)])
    if kind is slice:
        return equal((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if kind in _BY_VALUE:
        return a == b
    if isinstance(a, np.generic):
        return kind is not np.object_ and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return False


def is_plain(value):
    """Whether a value and its contents are compared by value."""
    kind = type(value)
    return kind in _BY_VALUE or isinstance(value, np.generic) or (kind is tuple and all(map(is_plain, value)))


# --- values -----------------------------------------------------------------------------------------------------------

@cython.final
cdef class Held:
    """A recorded value.

    Objects that may be large are not kept alive, and a value with its own record is stored as a bare address.
    """
    cdef bint same(self, PyObject* value) except -1:
        if self.mode == WEAK:
            return value == self.value and (<PyWeakReference*><PyObject*>self.owner).wr_object == value
        if value == self.value:
            return True
        if value == NULL or self.value == NULL or self.mode == BARE or not equal(<object>value, self.owner):
            return False
        self.value, self.owner = value, <object>value
        return True

    cdef int write(self, Checks checks, PyObject** slot) except -1:
        """Write a word for the location of the value, and one that shows that the object there was not replaced."""
        checks.put(slot)
        return self.write_identity(checks)

    cdef int write_identity(self, Checks checks) except -1:
        if self.mode == WEAK:
            checks.put(&(<PyWeakReference*><PyObject*>self.owner).wr_object)
        return 0

    cdef object get(self):
        if self.mode == WEAK:
            return (<object>self.owner)()
        if self.mode == BARE:
            return "the one before" if self.value != NULL else _MISSING
        return self.owner


cdef Held hold_value(PyObject* value, bint keep):
    cdef Held held = Held.__new__(Held)
    held.value = value
    held.mode = STRONG
    if value == NULL:
        held.owner = _MISSING
        held.mode = BARE
        return held
    o = <object>value
    kind = type(o)
    if keep or kind in _BY_VALUE:
        held.owner = o
    elif kind is list or kind is dict or kind is set or (kind is tuple and not is_plain(o)):
        held.mode = BARE
    else:
        try:
            held.owner = PyWeakref_NewRef(o, NULL)
            held.mode = WEAK
        except TypeError:
            if PyDict_Check(value):
                held.mode = BARE
            else:
                held.owner = o
    return held


cdef enum:
    DEEPEST = 40  # steps that the name of a container has


cdef str _entry_of(str path, key, style):
    """Return an entry of a container as a Python expression."""
    if style in ("same", "fields") or key is None:
        return path
    if style == "attribute":
        return f"{path}.{key}"
    return f"{path}[{brief(key)}]" if style == "item" else str(key)


# --- records and checks -----------------------------------------------------------------------------------------------

cdef class Record:
    """The recorded contents of one container, and the memory locations that show a possible change."""

    def __init__(self, Record parent, key, style):
        self.parent, self.key, self.style, self.first = parent, key, style, -1

    cdef int write(self, Checks checks) except -1:
        return 0

    cdef bint same(self) except -1:
        return True

    def is_same(self):
        return self.same()

    def changes(self):
        """Return (key, before, now) for each difference; MISSING represents absence."""
        return []

    def path(self):
        """Return the container as a Python expression, which begins with … if the container is nested deeply."""
        cdef Record record = self
        cdef list steps = []
        while record.parent is not None and len(steps) < DEEPEST:
            steps.append(record)
            record = record.parent
        text = "…" if record.parent is not None else "" if record.key is None else str(record.key)
        for record in reversed(steps):
            text = _entry_of(text, record.key, record.style)
        return text

    def path_of(self, key, style):
        return _entry_of(self.path(), key, style)

    def place_of(self, key):
        """Return one of the entries as a Python expression."""
        return self.path_of(key, "attribute")


@cython.final
cdef class Checks:
    """Checks that everything that a function read in Python is unchanged.

    Args:
        records: the recorded containers, each before its contents.
        kept: objects to keep alive as long as the checks.
    """

    def __init__(self, records=(), kept=()):
        self.records, self.loose, self.kept = list(records), [], list(kept)
        if not self.write_all():
            raise RuntimeError(f"{self.failed_record().path()} changed while its record was made")

    def __dealloc__(self):
        PyMem_Free(self.words)
        PyMem_Free(self.owners)
        PyMem_Free(self.blocks)

    def __len__(self):
        return self.count

    cdef bint write_all(self) except -1:
        """Let each record write its words; return False if a record has changed."""
        cdef Record record
        cdef Py_ssize_t i
        self.count = self.block_count = 0
        self.partial = True
        for i in range(len(self.records)):
            record = self.records[i]
            if not record.same():
                self.failed = <int>i
                return False
            self.writing = <int>i
            self.cursor = record.first = self.count
            record.write(self)
            record.size = self.count - record.first
        self.partial = False
        self.failed = -1
        return True

    cdef int put(self, void* at) except -1:
        """Write a word with its current value at the cursor."""
        cdef void* larger
        if self.renewing and self.cursor >= self.end:
            self.cursor += 1  # more words than before do not fit
            return 0
        if self.cursor == self.count:
            if self.count == self.room:
                larger = PyMem_Realloc(self.words, (2 * self.room + 64) * sizeof(Word))
                if larger == NULL:
                    raise MemoryError
                self.words = <Word*>larger
                larger = PyMem_Realloc(self.owners, (2 * self.room + 64) * sizeof(int))
                if larger == NULL:
                    raise MemoryError
                self.owners = <int*>larger
                self.room = 2 * self.room + 64
            self.owners[self.count] = self.writing
            self.count += 1
        self.words[self.cursor].at = <uint64_t*>at
        self.words[self.cursor].expected = (<uint64_t*>at)[0]
        self.cursor += 1
        return 0

    cdef int expect_always_other(self) except -1:
        """Make the word differ at each call, so that its record is compared."""
        self.words[self.cursor - 1].expected = ~self.words[self.cursor - 1].at[0]
        return 0

    cdef int put_block(self, const char* at, bytes expected) except -1:
        """Compare bytes at each call with those that the record being written stores."""
        cdef void* larger
        cdef Py_ssize_t i
        if self.renewing:
            return 0
        larger = PyMem_Realloc(self.blocks, (self.block_count + 1) * sizeof(Block))
        if larger == NULL:
            raise MemoryError
        self.blocks = <Block*>larger
        i = self.block_count
        self.blocks[i].at, self.blocks[i].expected, self.blocks[i].size = at, expected, len(expected)
        self.blocks[i].record = self.writing
        self.block_count += 1
        return 0

    cdef int add_loose(self, Record record) except -1:
        if record not in self.loose:
            self.loose.append(record)
        return 0

    cdef int renew(self, Py_ssize_t at) except -1:
        """Whether the record of a changed word is unchanged; if so, it rewrites its words.

        If the number of its words has changed, all records rewrite theirs, and the result is 2.
        """
        cdef Record record = self.records[self.owners[at]]
        if not record.same():
            self.failed = self.owners[at]
            return False
        self.cursor, self.end, self.renewing = record.first, record.first + record.size, True
        record.write(self)
        self.renewing = False
        if self.cursor != self.end:  # the layout of its memory has changed
            return 2 if self.write_all() else 0
        return True

    cpdef bint hold(self) except -1:
        cdef Py_ssize_t i
        cdef Word* word = self.words
        cdef Word* end = word + self.count
        cdef int renewed
        if self.partial:
            return self.write_all()
        while word != end:
            if cython.unlikely(word.at[0] != word.expected):
                renewed = self.renew(word - self.words)
                if renewed != 1:
                    return renewed == 2  # all of them hold
            word += 1
        for i in range(self.block_count):
            if memcmp(self.blocks[i].at, self.blocks[i].expected, self.blocks[i].size) != 0:
                self.failed = self.blocks[i].record
                return False
        if self.loose:
            for record in self.loose:
                if not (<Record>record).same():
                    self.failed = self.records.index(record)
                    return False
        self.failed = -1
        return True

    def failed_record(self):
        """Return the record that the last `hold` found to be different, or None."""
        return None if self.failed < 0 else self.records[self.failed]

    def why(self):
        """Return a description of the difference that the last `hold` found, or the empty string."""
        if self.failed < 0:
            return ""
        record = self.records[self.failed]
        changes = record.changes()
        if not changes:
            return f"{record.path()} was set, and set back"
        return "; ".join([describe(record, *change) for change in changes[:3]])


def describe(record, key, before, value):
    """Return a description of one change."""
    path = record.path() if key is None else record.place_of(key)
    if before is _MISSING:
        return f"{path} was added: {brief(value)}"
    if value is _MISSING:
        return f"{path} was deleted, it was {brief(before)}"
    return f"{path} was set: {brief(before)} -> {brief(value)}"


def brief(value):
    """Return a short text for a value."""
    if isinstance(value, str) and value in ("the one before", "another one", "nothing", "an object", "an array"):
        return value
    if is_plain(value):
        text = repr(value)
        return text if len(text) < 40 else text[:37] + "..."
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return value.__qualname__
    return f"{type(value).__name__} at {id(value):#x}"
