"""Records of dicts: of all keys and their order, or of some names."""
cimport cython
from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t, uintptr_t

from flambeau_compile._watch cimport Checks, Held, Record, equal, hold_value

from collections import OrderedDict

from flambeau_compile._watch import MISSING

cdef extern from *:
    """
    #include <stdint.h>
    #ifdef __GNUC__  /* version tags of dicts are deprecated in 3.12 and removed in 3.13 */
    #pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    #endif
    #if PY_VERSION_HEX < 0x030d0000
    #define FL_DICT_TAGS 1
    static uint64_t *fl_dict_tag(PyObject *dict) { return &((PyDictObject *)dict)->ma_version_tag; }
    static int fl_add_watcher(void *callback) { (void)callback; return 0; }
    static int fl_watch(int id, PyObject *dict) { (void)id; (void)dict; return 0; }
    static int fl_unwatch(int id, PyObject *dict) { (void)id; (void)dict; return 0; }
    static int fl_deallocated(int event) { (void)event; return 0; }
    static int fl_slots(PyObject *dict, PyObject ***slots) { (void)dict; (void)slots; return 0; }
    static void *fl_values(PyObject *dict) { return dict; }
    #else
    #define Py_BUILD_CORE 1
    #include "internal/pycore_dict.h"
    #undef Py_BUILD_CORE
    #define FL_DICT_TAGS 0
    static uint64_t *fl_dict_tag(PyObject *dict) { (void)dict; return NULL; }
    static int fl_add_watcher(void *callback) { return PyDict_AddWatcher((PyDict_WatchCallback)callback); }
    static int fl_watch(int id, PyObject *dict) { return PyDict_Watch(id, dict); }
    static int fl_unwatch(int id, PyObject *dict) { return PyDict_Unwatch(id, dict); }
    static int fl_deallocated(int event) { return event == PyDict_EVENT_DEALLOCATED; }
    /* Set `slots` to the inline values of an object and return their number; setting one notifies no watcher. */
    static int fl_slots(PyObject *dict, PyObject ***slots) {
        PyDictValues *values = ((PyDictObject *)dict)->ma_values;
        if (!values) return 0;
        *slots = values->values;
        return values->capacity;
    }
    static void *fl_values(PyObject *dict) { return &((PyDictObject *)dict)->ma_values; }
    #endif

    /* The fields of an OrderedDict, which no header declares. `state` changes with the order. */
    typedef struct {
        PyDictObject dict; void *first; void *last; void *fast; Py_ssize_t size; void *sentinel; size_t state;
    } fl_ordered;
    """
    const bint FL_DICT_TAGS
    uint64_t* fl_dict_tag(PyObject*)
    int fl_add_watcher(void*) except -1
    int fl_watch(int, PyObject*) except -1
    int fl_unwatch(int, PyObject*) except -1
    int fl_deallocated(int)
    int fl_slots(PyObject*, PyObject***)
    void* fl_values(PyObject*)
    ctypedef struct fl_ordered:
        size_t state

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(PyObject*, PyObject*) except? NULL

cdef object _MISSING = MISSING

# --- dicts without version tags -------------------------------------------------------------------------------------

cdef dict _watched = {}  # address of a dict -> address of its Watched
cdef int _watcher = -1


@cython.final
cdef class Watched:
    """Counts the changes of a dict."""

    def __dealloc__(self):
        if self.place != NULL:
            _watched.pop(<uintptr_t>self.place, None)
            fl_unwatch(_watcher, self.place)


cdef int _heard(int event, PyObject* place, PyObject* key, PyObject* value) noexcept:
    found = _watched.get(<uintptr_t>place)
    if found is not None:
        watched = <Watched><PyObject*><uintptr_t>found
        watched.changes += 1
        if fl_deallocated(event):
            watched.place = NULL
            del _watched[<uintptr_t>place]
    return 0


cdef Watched watch(PyObject* place):
    global _watcher
    cdef Watched watched
    found = _watched.get(<uintptr_t>place)
    if found is not None:
        return <Watched><PyObject*><uintptr_t>found
    if _watcher < 0:
        _watcher = fl_add_watcher(<void*>&_heard)
    watched = Watched.__new__(Watched)
    fl_watch(_watcher, place)
    watched.place = place
    _watched[<uintptr_t>place] = <uintptr_t><PyObject*>watched
    return watched


cdef bint _order_has_number() except -1:
    trial = OrderedDict.fromkeys((1, 2))
    cdef size_t before = (<fl_ordered*><PyObject*>trial).state, after
    trial.move_to_end(1)
    after = (<fl_ordered*><PyObject*>trial).state
    trial[1] = 1
    return before < after < before + 9 and (<fl_ordered*><PyObject*>trial).state == after


cdef bint _ORDER_HAS_NUMBER = _order_has_number()


# --- records ----------------------------------------------------------------------------------------------------------

cdef class DictRecord(Record):
    """Keys, values and order of a dict. With `names`, only these keys matter, and those that start with `marks`."""

    def __init__(
        self, parent, key, style, d, names=None, str marks="", skipped=frozenset(), bint keep=False
    ):
        Record.__init__(self, parent, key, style)
        self.place = <PyObject*>d
        self.names, self.marks, self.skipped, self.keep = names, marks, skipped, keep
        self.ordered = isinstance(d, OrderedDict)
        self.keys, self.values = [], []
        cdef PyObject *k
        cdef PyObject *v
        cdef Py_ssize_t at = 0
        while PyDict_Next(d, &at, &k, &v):
            if self.matters(<object>k):
                self.keys.append(<object>k)
                self.values.append(hold_value(v, keep))
        if self.ordered:
            self.keys_in_order = list(d)

    cdef bint matters(self, object key) except -1:
        if self.skipped and key in self.skipped:
            return False
        if self.names is None or key in self.names:
            return True
        return type(key) is str and bool(self.marks) and key.startswith(self.marks)

    cdef int write(self, Checks checks) except -1:
        if FL_DICT_TAGS:
            checks.put(fl_dict_tag(self.place))
        else:
            self.watched = watch(self.place)
            checks.put(&self.watched.changes)
            self.write_slots(checks)
        if self.ordered:
            if _ORDER_HAS_NUMBER:
                checks.put(&(<fl_ordered*>self.place).state)
            else:
                checks.add_loose(self)
        return 0

    cdef int write_slots(self, Checks checks) except -1:
        """Write words for values that can be set without notifying a watcher."""
        cdef PyObject** slots
        cdef int i, n = fl_slots(self.place, &slots)
        checks.put(fl_values(self.place))
        for i in range(n):
            checks.put(slots + i)
        for held in self.values if n else ():
            (<Held>held).write_identity(checks)
        return 0

    cdef bint same(self) except -1:
        cdef PyObject *k
        cdef PyObject *v
        cdef Py_ssize_t at = 0, i = 0, n = len(self.keys)
        while PyDict_Next(<object>self.place, &at, &k, &v):
            if i < n and k == <PyObject*>self.keys[i]:
                if not (<Held>self.values[i]).same(v):
                    return False
                i += 1
            elif self.matters(<object>k):
                if i == n or not equal(<object>k, self.keys[i]):
                    return False
                if not (<Held>self.values[i]).same(v):
                    return False
                i += 1
        if i != n:
            return False
        return not self.ordered or list(<object>self.place) == self.keys_in_order

    def container(self):
        """Return the recorded dict; call it only while the dict is known to exist."""
        return <object><PyObject*>self.place

    def changes(self):
        now = <object>self.place
        cdef Held held
        found = []
        before = set()
        for key, value in zip(self.keys, self.values):
            held = value
            before.add(key)
            v = now.get(key, _MISSING)
            if v is _MISSING or not held.same(<PyObject*>v):
                found.append((key, held.get(), v))
        found += [(key, _MISSING, v) for key, v in list(dict.items(now)) if key not in before and self.matters(key)]
        if not found and not self.same():
            found.append((None, "another order", "this order"))
        return found

    def place_of(self, key):
        return self.path_of(key, "attribute" if self.style == "fields" else "item")


cdef class NamesRecord(Record):
    """The values of some names in a dict in which most names do not matter: globals, builtins, modules."""
    cdef PyObject* place
    cdef Watched watched
    cdef tuple names
    cdef list values

    def __init__(self, parent, key, style, d, names, bint keep=False):
        Record.__init__(self, parent, key, style)
        self.place = <PyObject*>d
        self.names = tuple(names)
        self.values = [hold_value(PyDict_GetItemWithError(self.place, <PyObject*>name), keep) for name in self.names]

    cdef int write(self, Checks checks) except -1:
        if FL_DICT_TAGS:
            return checks.put(fl_dict_tag(self.place))
        self.watched = watch(self.place)
        return checks.put(&self.watched.changes)

    cdef bint same(self) except -1:
        cdef Py_ssize_t i
        for i in range(len(self.names)):
            if not (<Held>self.values[i]).same(PyDict_GetItemWithError(self.place, <PyObject*>self.names[i])):
                return False
        return True

    def container(self):
        """Return the recorded dict; call it only while the dict is known to exist."""
        return <object><PyObject*>self.place

    def changes(self):
        now = <object>self.place
        found = []
        cdef Held held
        for name, value in zip(self.names, self.values):
            held = value
            v = now.get(name, _MISSING)
            if not held.same(NULL if v is _MISSING else <PyObject*>v):
                found.append((name, held.get(), v))
        return found

    def place_of(self, key):
        return str(key) if self.style == "globals" else self.path_of(key, "attribute")
