"""Records of objects, classes and functions."""
from cpython.object cimport Py_TYPE, PyObject, PyTypeObject
from libc.stdint cimport uintptr_t

from flambeau_compile._dicts cimport DictRecord
from flambeau_compile._watch cimport Checks, Held, PyWeakReference, Record, equal, hold_value

from flambeau_compile._watch import MISSING
from flambeau_tensor import Tensor

cdef extern from *:
    """
    #include <structmember.h>
    static PyObject **fl_slot(PyObject *object, Py_ssize_t offset) { return (PyObject **)((char *)object + offset); }
    static Py_ssize_t fl_member_offset(PyObject *descriptor) {
        PyMemberDef *member = ((PyMemberDescrObject *)descriptor)->d_member;
        return member->type == T_OBJECT_EX ? member->offset : -1;
    }
    """
    PyObject** fl_slot(PyObject*, Py_ssize_t)
    Py_ssize_t fl_member_offset(PyObject*)

cdef extern from "Python.h":
    PyObject* _PyType_Lookup(PyTypeObject*, PyObject*)
    PyObject** _PyObject_GetDictPtr(PyObject*)
    object PyWeakref_NewRef(object, PyObject*)
    ctypedef struct FullType "PyTypeObject":
        unsigned int tp_version_tag
        PyObject* tp_mro
        PyObject* tp_dict
        void* tp_dealloc
    ctypedef struct PyFunctionObject:
        PyObject* func_code
        PyObject* func_defaults
        PyObject* func_kwdefaults
    ctypedef struct AnyObject "PyObject":
        PyTypeObject* ob_type

cdef object _MISSING = MISSING


cdef class ObjectRecord(Record):
    """The class of an object, the identity of its dict, and the values of its slots."""
    cdef PyObject* place
    cdef PyObject** state
    cdef PyObject* state_value
    cdef PyTypeObject* kind
    cdef object kind_held
    cdef list offsets, slots, names
    cdef readonly object type

    def __init__(self, parent, key, style, o, slots=(), skipped=frozenset(), bint with_state=True, bint keep=False):
        Record.__init__(self, parent, key, style)
        self.place = <PyObject*>o
        self.kind = Py_TYPE(o)
        self.type = type(o)
        self.state = _PyObject_GetDictPtr(self.place) if with_state else NULL
        if self.state != NULL and self.state[0] == NULL:
            o.__dict__  # creates it
            self.state = _PyObject_GetDictPtr(self.place)
        self.state_value = NULL if self.state == NULL else self.state[0]
        self.offsets, self.slots, self.names = [], [], []
        for descriptor in slots:
            offset = fl_member_offset(<PyObject*>descriptor)
            if offset > 0 and descriptor.__name__ not in skipped:
                self.names.append(descriptor.__name__)
                self.offsets.append(offset)
                self.slots.append(hold_value(fl_slot(self.place, offset)[0], keep))

    cdef int write(self, Checks checks) except -1:
        cdef Py_ssize_t i
        checks.put(&(<AnyObject*>self.place).ob_type)
        if self.state != NULL:
            checks.put(self.state)
        for i in range(len(self.slots)):
            (<Held>self.slots[i]).write(checks, fl_slot(self.place, self.offsets[i]))
        return 0

    cdef bint same(self) except -1:
        cdef Py_ssize_t i
        if Py_TYPE(<object>self.place) != self.kind:
            return False
        if self.state != NULL and self.state[0] != self.state_value:
            return False
        for i in range(len(self.slots)):
            if not (<Held>self.slots[i]).same(fl_slot(self.place, self.offsets[i])[0]):
                return False
        return True

    def changes(self):
        found = []
        cdef Held held
        cdef PyObject* v
        if Py_TYPE(<object>self.place) != self.kind:
            return [("__class__", self.type, type(<object>self.place))]
        if self.state != NULL and self.state[0] != self.state_value:
            return [("__dict__", "the one before", "another one")]
        for name, offset, value in zip(self.names, self.offsets, self.slots):
            held = value
            v = fl_slot(self.place, offset)[0]
            if not held.same(v):
                found.append((name, held.get(), _MISSING if v == NULL else <object>v))
        return found


cdef dict _class_states = {}  # class address -> (version, weak reference, record of its dict)


cdef class ClassRecord(Record):
    """A class with its bases: CPython changes its version tag whenever an attribute of any of them is set."""
    cdef PyTypeObject* place
    cdef PyObject* order
    cdef object order_held
    cdef list dicts

    def __init__(self, parent, key, style, cls, names_for, bint keep=False):
        Record.__init__(self, parent, key, style)
        self.place = <PyTypeObject*><PyObject*>cls
        self.order = (<FullType*>self.place).tp_mro
        self.order_held = <object>self.order
        self.version()
        self.dicts = []
        for base in cls.__mro__:
            if can_change(base):
                self.dicts.append(_class_dict(base, names_for(base), keep))

    cdef unsigned int version(self) except? 0:
        _PyType_Lookup(self.place, <PyObject*>"__class__")  # makes CPython assign a version tag
        return (<FullType*>self.place).tp_version_tag

    cdef int write(self, Checks checks) except -1:
        cdef unsigned int version = self.version()
        checks.put(&(<FullType*>self.place).tp_version_tag)
        if version == 0:
            checks.expect_always_other()  # no tag was assigned
        return 0

    cdef bint same_order(self) except -1:
        """Whether the bases are unchanged."""
        cdef tuple order
        cdef Py_ssize_t i
        if (<FullType*>self.place).tp_mro != self.order:
            order = <object>(<FullType*>self.place).tp_mro
            if len(order) != len(self.order_held):
                return False
            for i in range(len(order)):
                if order[i] is not (<tuple>self.order_held)[i]:
                    return False
            self.order_held, self.order = order, <PyObject*>order
        return True

    cdef bint same(self) except -1:
        if not self.same_order():
            return False
        for record in self.dicts:
            if not (<Record>record).same():
                return False
        return True

    def changes(self):
        if not self.same_order():
            return [("__bases__", self.order_held, (<object>self.place).__mro__)]
        return [change for record in self.dicts for change in record.changes()]

    def parts(self):
        """Return the records of the dicts of the class and its bases."""
        return self.dicts


cdef object _class_dict(base, names, bint keep):
    """Return a record of a class's dict. If the whole dict matters, records of the same class version are shared."""
    cdef PyTypeObject* place = <PyTypeObject*><PyObject*>base
    cdef unsigned int version
    state = <object>(<FullType*>place).tp_dict
    root = Record(None, base.__qualname__, "")
    if keep or names is not None:
        return DictRecord(root, None, "fields", state, names, "_", _CLASS_NOISE, keep)
    _PyType_Lookup(place, <PyObject*>"__class__")
    version = (<FullType*>place).tp_version_tag
    found = _class_states.get(<uintptr_t>place)
    if found is not None and version != 0 and found[0] == version and found[1]() is base:
        return found[2]
    fresh = DictRecord(root, None, "fields", state, skipped=_CLASS_NOISE)
    if len(_class_states) > 2000:
        _class_states.clear()
    _class_states[<uintptr_t>place] = version, PyWeakref_NewRef(base, NULL), fresh
    return fresh


def can_change(cls):
    """Whether programs can set attributes of a class: it was created by a class statement, or is Tensor."""
    return bool(cls.__flags__ & (1 << 9)) or cls is Tensor


def made_by_python(cls):
    """Whether a class statement created a class, so that its instances have no fields except a dict and slots."""
    return (<FullType*><PyObject*>cls).tp_dealloc == (<FullType*>Py_TYPE(_MISSING)).tp_dealloc


# Attributes of a class that change without an action of the program.
cdef frozenset _CLASS_NOISE = frozenset(
    ("__abstractmethods__", "_abc_impl", "__annotations__", "__annotations_cache__", "__doc__")
)


cdef class FunctionRecord(Record):
    """The code and the defaults of a function that ran."""
    cdef object reference, code, defaults, keyword_defaults
    cdef PyFunctionObject* place

    def __init__(self, parent, key, style, function):
        Record.__init__(self, parent, key, style)
        self.place = <PyFunctionObject*><PyObject*>function
        self.reference = PyWeakref_NewRef(function, NULL)
        self.code, self.defaults = function.__code__, function.__defaults__
        self.keyword_defaults = function.__kwdefaults__

    cdef int write(self, Checks checks) except -1:
        checks.put(&(<PyWeakReference*><PyObject*>self.reference).wr_object)
        checks.put(&self.place.func_code)
        checks.put(&self.place.func_defaults)
        checks.put(&self.place.func_kwdefaults)
        return 0

    cdef bint same(self) except -1:
        if (<PyWeakReference*><PyObject*>self.reference).wr_object != <PyObject*>self.place:
            return False
        return (
            self.place.func_code == <PyObject*>self.code
            and equal(_or_none(self.place.func_defaults), self.defaults)
            and _or_none(self.place.func_kwdefaults) is self.keyword_defaults
        )

    def changes(self):
        function = self.reference()
        if function is None:
            return [(None, "a function", "nothing")]
        pairs = (("__code__", self.code, function.__code__), ("__defaults__", self.defaults, function.__defaults__),
                 ("__kwdefaults__", self.keyword_defaults, function.__kwdefaults__))
        return [(name, before, value) for name, before, value in pairs if not equal(before, value)]


cdef object _or_none(PyObject* value):
    return None if value == NULL else <object>value
