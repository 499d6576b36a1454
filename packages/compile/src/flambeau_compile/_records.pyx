"""Records of lists, tuples, sets, arrays, cells, and of values that can only be compared."""
from cpython.object cimport PyObject

from flambeau_compile._watch cimport BARE, STRONG, WEAK, Checks, Held, PyWeakReference, Record, hold_value

from flambeau_compile._watch import MISSING

cdef extern from "Python.h":
    ctypedef struct PyCellObject:
        PyObject* ob_ref
    ctypedef struct PyListObject:
        PyObject** ob_item
    ctypedef struct PyTupleObject:
        PyObject** ob_item
    ctypedef struct PyVarObject:
        Py_ssize_t ob_size
    ctypedef struct setentry:
        PyObject* key
    ctypedef struct PySetObject:
        Py_ssize_t used
        Py_ssize_t mask
        setentry* table

cdef extern from *:
    """
    /* The first fields of a NumPy array, which have been fixed since NumPy 1. */
    typedef struct {
        PyObject_HEAD char *data; int nd; Py_ssize_t *dimensions, *strides; PyObject *base, *descr;
    } fl_array;
    """
    ctypedef struct fl_array:
        char* data
        int nd
        Py_ssize_t* dimensions
        Py_ssize_t* strides
        PyObject* descr

cdef object _MISSING = MISSING


cdef class RootRecord(Record):
    """An object that no recorded container holds: whether it still exists."""
    cdef Held held

    def __init__(self, parent, key, style, value, bint keep=False):
        Record.__init__(self, parent, key, style)
        self.held = hold_value(<PyObject*>value, keep)
        if self.held.mode == BARE:
            self.held.mode, self.held.owner = STRONG, value

    cdef int write(self, Checks checks) except -1:
        if self.held.mode == WEAK:
            checks.put(&(<PyWeakReference*><PyObject*>self.held.owner).wr_object)
        return 0

    cdef bint same(self) except -1:
        return self.held.same(self.held.value)

    def changes(self):
        return [] if self.same() else [(None, "an object", "nothing")]


cdef class ReferenceRecord(Record):
    """The referent of a weak reference."""
    cdef PyWeakReference* place
    cdef PyObject* value

    def __init__(self, parent, key, style, reference):
        Record.__init__(self, parent, key, style)
        self.place = <PyWeakReference*><PyObject*>reference
        self.value = self.place.wr_object

    cdef int write(self, Checks checks) except -1:
        return checks.put(&self.place.wr_object)

    cdef bint same(self) except -1:
        return self.place.wr_object == self.value

    def changes(self):
        return [] if self.same() else [(None, "an object", None)]


cdef class CellRecord(Record):
    """The value of a cell variable."""
    cdef PyCellObject* place
    cdef Held held

    def __init__(self, parent, key, style, cell, bint keep=False):
        Record.__init__(self, parent, key, style)
        self.place = <PyCellObject*><PyObject*>cell
        self.held = hold_value(self.place.ob_ref, keep)

    cdef int write(self, Checks checks) except -1:
        return self.held.write(checks, &self.place.ob_ref)

    cdef bint same(self) except -1:
        return self.held.same(self.place.ob_ref)

    def container(self):
        """Return the recorded cell; call it only while the cell is known to exist."""
        return <object><PyObject*>self.place

    def changes(self):
        cdef PyObject* value = self.place.ob_ref
        return [] if self.same() else [(self.key, self.held.get(), _MISSING if value == NULL else <object>value)]

    def place_of(self, key):
        return self.path()


cdef class SequenceRecord(Record):
    """The items of a list or tuple."""
    cdef PyObject* place
    cdef bint is_list
    cdef list values
    cdef frozenset skipped

    def __init__(self, parent, key, style, items, skipped=frozenset(), bint keep=False):
        Record.__init__(self, parent, key, style)
        self.place = <PyObject*>items
        self.is_list = isinstance(items, list)
        self.skipped = skipped
        cdef Py_ssize_t i
        self.values = []
        for i in range((<PyVarObject*>self.place).ob_size):
            self.values.append(None if i in skipped else hold_value(self.items()[i], keep))

    cdef PyObject** items(self) noexcept:
        if self.is_list:
            return (<PyListObject*>self.place).ob_item
        return <PyObject**>&(<PyTupleObject*>self.place).ob_item

    cdef int write(self, Checks checks) except -1:
        cdef Py_ssize_t i
        checks.put(&(<PyVarObject*>self.place).ob_size)
        if self.is_list:
            checks.put(&(<PyListObject*>self.place).ob_item)
        for i in range(len(self.values)):
            if self.values[i] is not None:
                (<Held>self.values[i]).write(checks, self.items() + i)
        return 0

    cdef bint same(self) except -1:
        cdef Py_ssize_t i
        if (<PyVarObject*>self.place).ob_size != len(self.values):
            return False
        for i in range(len(self.values)):
            if self.values[i] is not None and not (<Held>self.values[i]).same(self.items()[i]):
                return False
        return True

    def container(self):
        """Return the recorded sequence; call it only while the sequence is known to exist."""
        return <object><PyObject*>self.place

    def changes(self):
        cdef Py_ssize_t i, n = (<PyVarObject*>self.place).ob_size
        found = []
        cdef Held held
        for i in range(min(n, len(self.values))):
            held = self.values[i]
            if held is not None and not held.same(self.items()[i]):
                found.append((i, held.get(), <object>self.items()[i]))
        if n != len(self.values):
            found.append((None, f"{len(self.values)} items", f"{n} items"))
        return found

    def place_of(self, key):
        return self.path_of(key, "item")


cdef class SetRecord(Record):
    """The items of a set, in iteration order."""
    cdef PySetObject* place
    cdef list values

    def __init__(self, parent, key, style, items, bint keep=False):
        Record.__init__(self, parent, key, style)
        self.place = <PySetObject*><PyObject*>items
        self.values = [hold_value(<PyObject*>item, keep) for item in items]

    cdef int write(self, Checks checks) except -1:
        cdef Py_ssize_t i
        checks.put(&self.place.used)
        checks.put(&self.place.mask)
        checks.put(&self.place.table)
        for i in range(self.place.mask + 1):
            checks.put(&self.place.table[i].key)
        for held in self.values:
            (<Held>held).write_identity(checks)
        return 0

    cdef bint same(self) except -1:
        cdef Py_ssize_t i = 0
        if self.place.used != len(self.values):
            return False
        for item in <object><PyObject*>self.place:
            if not (<Held>self.values[i]).same(<PyObject*>item):
                return False
            i += 1
        return True

    def changes(self):
        if self.same():
            return []
        return [(None, f"a set of {len(self.values)} items", f"another set of {self.place.used} items")]


cdef class ArrayRecord(Record):
    """The geometry and the bytes of a NumPy array."""
    cdef fl_array* place
    cdef object array, shape, strides, dtype
    cdef bytes content
    cdef char* data

    def __init__(self, parent, key, style, array):
        Record.__init__(self, parent, key, style)
        self.place = <fl_array*><PyObject*>array
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.content = array.tobytes()
        self.data = self.place.data

    cdef int write(self, Checks checks) except -1:
        cdef int i
        checks.put(&self.place.data)
        checks.put(&self.place.dimensions)
        checks.put(&self.place.strides)
        checks.put(&self.place.descr)
        for i in range(self.place.nd):
            checks.put(self.place.dimensions + i)
            checks.put(self.place.strides + i)
        if (<object><PyObject*>self.place).flags.c_contiguous:
            checks.put_block(self.place.data, self.content)  # contiguous bytes
        else:
            checks.add_loose(self)
        return 0

    cdef bint same(self) except -1:
        array = <object><PyObject*>self.place
        return (
            self.place.data == self.data
            and array.shape == self.shape
            and array.strides == self.strides
            and array.dtype == self.dtype
            and array.tobytes() == self.content
        )

    def changes(self):
        return [] if self.same() else [(None, "an array", "other elements")]


cdef class LooseRecord(Record):
    """A value without words to compare: `look` returns a tuple, which is compared at each call."""
    cdef PyObject* place
    cdef object look
    cdef list values

    def __init__(self, parent, key, style, o, look, bint keep=False):
        Record.__init__(self, parent, key, style)
        self.place = <PyObject*>o
        self.look = look
        self.values = [hold_value(<PyObject*>v, keep) for v in look(o)]

    cdef int write(self, Checks checks) except -1:
        checks.add_loose(self)
        return 0

    cdef bint same(self) except -1:
        cdef Py_ssize_t i
        seen = tuple(self.look(<object>self.place))
        if len(seen) != len(self.values):
            return False
        for i in range(len(seen)):
            if not (<Held>self.values[i]).same(<PyObject*>seen[i]):
                return False
        return True

    def changes(self):
        return [] if self.same() else [(None, "its state", "another one")]
