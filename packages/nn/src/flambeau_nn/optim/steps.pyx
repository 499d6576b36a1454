# cython: language_level=3
"""An optimizer's step, as a traced program repeats it.

For each step of an optimizer, a thread's Tracer receives one event ``("update", Step)`` instead of the step's
operators. The compiler of the trace takes the loop's C code from the Step, and calls it with coefficients that the Step
computes for each call from the optimizer's current options, so a new learning rate compiles nothing.
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from flambeau_tensor.abi cimport is_tensor
from flambeau_tensor.compute cimport Array, D_COMPLEX128, D_COMPLEX64, D_FLOAT32, D_FLOAT64, array_of

from flambeau_nn.optim._fused cimport COEFFICIENTS, STATES, Plan, Rule, next_step, set_single, single

cdef extern from * nogil:
    """
    /* A number that changes whenever a dict changes; CPython 3.14 has none. */
    #if PY_VERSION_HEX < 0x030E0000
    #define FL_DICT_VERSIONS 1
    #if defined(__GNUC__)
    #pragma GCC diagnostic push
    #pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    #endif
    static unsigned long long fl_dict_version(PyObject* d) { return ((PyDictObject*)d)->ma_version_tag; }
    #if defined(__GNUC__)
    #pragma GCC diagnostic pop
    #endif
    #else
    #define FL_DICT_VERSIONS 0
    static unsigned long long fl_dict_version(PyObject* d) { return 0; }
    #endif
    """
    bint FL_DICT_VERSIONS
    uint64_t fl_dict_version(PyObject* d)

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(PyObject*, PyObject*) except? NULL
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t)
    Py_ssize_t PyList_GET_SIZE(PyObject*)
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t)
    Py_ssize_t PyTuple_GET_SIZE(PyObject*)

cdef enum:
    KEPT = 3  # numbers that a step changes: its count, and up to two more

cdef struct Group:  # the options read from a parameter group
    PyObject* options
    PyObject* params  # a list
    PyObject* known  # a tuple of its parameters
    uint64_t version  # of `options`, when they were read
    bint numbers  # whether `version` detects every change of `options`
    Plan plan
    Py_ssize_t begin, end  # the range of updated parameters that belong to it

cdef struct Entry:  # an updated parameter
    PyObject* p
    PyObject* entries  # its dict in the optimizer's state, or NULL
    uint64_t version
    PyObject* step  # the tensor that counts steps
    PyObject* states[STATES]
    double before[KEPT]


cdef class Step:
    """One step of an optimizer: the parameters that it updated in memory, and the tensors that it used.

    Args:
        rule: the optimizer's rule.
        optimizer: the optimizer.
        updated: a list of (index of the group, parameter, gradient), in the order of the groups.

    ``parameters`` contains for each (parameter, gradient, the loop's three states: a tensor or None, the dict of its
    state or None, the tensor that counts its steps or None, whether the loop can run on the memory in place),
    ``variants`` the loop's variant for each group, ``bounds`` the range of parameters of each group.
    """
    cdef readonly Rule rule
    cdef readonly object optimizer
    cdef readonly list parameters, bounds
    cdef list listed, held
    cdef object state  # a dict of any kind
    cdef Group* groups
    cdef Entry* updated
    cdef Py_ssize_t ngroups, n

    def __cinit__(self, Rule rule not None, optimizer not None, list updated not None):
        cdef Py_ssize_t i
        cdef Group* group
        self.rule, self.optimizer = rule, optimizer
        self.listed, self.state = optimizer.param_groups, optimizer.state
        self.parameters, self.bounds, self.held = [], [], []
        self.ngroups, self.n = len(self.listed), len(updated)
        self.groups = <Group*>calloc(self.ngroups + 1, sizeof(Group))
        self.updated = <Entry*>calloc(self.n + 1, sizeof(Entry))
        if self.groups == NULL or self.updated == NULL:
            raise MemoryError()
        for i in range(self.ngroups):
            group = &self.groups[i]
            options = self.listed[i]
            group.options = self._hold(options)
            group.params = self._hold(<list?>options["params"])
            group.known = self._hold(tuple(options["params"]))
            self._read(group)
        for i in range(self.n):
            number, p, grad = updated[i]
            self.groups[<Py_ssize_t>number].end = i + 1
            self._note(&self.updated[i], &self.groups[<Py_ssize_t>number].plan, p, grad)
        for i in range(self.ngroups):
            group = &self.groups[i]
            group.begin = self.groups[i - 1].end if i else 0
            group.end = max(group.begin, group.end)
            self.bounds.append((group.begin, group.end))

    def __dealloc__(self):
        free(self.groups)
        free(self.updated)

    cdef PyObject* _hold(self, object o) except NULL:
        self.held.append(o)
        return <PyObject*>o

    cdef int _note(self, Entry* entry, Plan* plan, object p, object grad) except -1:
        cdef int k
        cdef list tensors = [None] * STATES
        cdef dict entries = None
        cdef PyObject* found = PyDict_GetItemWithError(<PyObject*>self.state, <PyObject*>p)
        entry.p = self._hold(p)
        if found != NULL and (self.rule.counted or plan.wanted[0]):
            entries = <dict?><object>found
            entry.entries, entry.version = self._hold(entries), fl_dict_version(found)
        for k in range(STATES):
            if plan.wanted[k]:
                entry.states[k] = self._hold(entries[self.rule.states[k]])
                tensors[k] = <object>entry.states[k]
        if self.rule.counted:
            entry.step = self._hold(entries["step"])
        self.parameters.append((p, grad, tuple(tensors), entries, entries["step"] if self.rule.counted else None,
                                _lies_dense([p, grad, *[t for t in tensors if t is not None]])))
        return 0

    # --- checking and counting

    cdef int _read(self, Group* group) except -1:
        cdef uint64_t version = fl_dict_version(group.options)
        group.plan.step = -1
        options = <object>group.options
        self.rule.read(options if type(options) is dict else dict(options), &group.plan)
        if version != group.version or not FL_DICT_VERSIONS:
            group.version = version
            group.numbers = FL_DICT_VERSIONS and type(options) is dict and \
                all([key == "params" or _is_fixed(value) for key, value in (<dict>options).items()])
        return 0

    cdef bint _read_again(self) except -1:
        """Read options that may have changed; return whether the same loops still run on the same states."""
        cdef Py_ssize_t i
        cdef int k, variant
        cdef bint[STATES] wanted
        cdef Group* group
        for i in range(self.ngroups):
            group = &self.groups[i]
            if group.numbers and fl_dict_version(group.options) == group.version:
                continue
            variant, wanted = group.plan.variant, group.plan.wanted
            self._read(group)
            if group.plan.variant != variant:
                return False
            for k in range(STATES):
                if group.plan.wanted[k] != wanted[k]:
                    return False
        return True

    cdef bint is_valid(self) except -1:
        cdef Py_ssize_t i, j
        cdef Group* group
        if self.optimizer.param_groups is not self.listed or self.optimizer.state is not self.state or \
                PyList_GET_SIZE(<PyObject*>self.listed) != self.ngroups:
            return False
        for i in range(self.ngroups):
            group = &self.groups[i]
            if PyList_GET_ITEM(<PyObject*>self.listed, i) != group.options:
                return False
            if not (group.numbers and fl_dict_version(group.options) == group.version) and \
                    (<object>group.options)["params"] is not <object>group.params:
                return False
            if PyList_GET_SIZE(group.params) != PyTuple_GET_SIZE(group.known):
                return False
            for j in range(PyList_GET_SIZE(group.params)):
                if PyList_GET_ITEM(group.params, j) != PyTuple_GET_ITEM(group.known, j):
                    return False
        for i in range(self.n):
            if not self._has_its_state(&self.updated[i]):
                return False
        return self._read_again()

    cdef bint _has_its_state(self, Entry* entry) except -1:
        cdef int k
        if entry.entries == NULL:
            return True
        if PyDict_GetItemWithError(<PyObject*>self.state, entry.p) != entry.entries:
            return False
        if FL_DICT_VERSIONS and fl_dict_version(entry.entries) == entry.version:
            return True
        entries = <dict>entry.entries
        if entry.step != NULL and entries.get("step") is not <object>entry.step:
            return False
        for k in range(STATES):
            if entry.states[k] != NULL and entries.get(self.rule.states[k]) is not <object>entry.states[k]:
                return False
        entry.version = fl_dict_version(entry.entries)
        return True

    cdef int fill_in(self, double* k) except -1:
        cdef Py_ssize_t i, j
        cdef int s
        cdef Group* group
        cdef Entry* entry
        cdef Rule rule = self.rule
        cdef dict entries
        cdef double count = 2  # not the first step, which is a special case
        if not self._read_again():
            raise RuntimeError(f"{rule.key}: options of the optimizer changed to another loop; ask valid() first")
        for i in range(self.ngroups):
            group = &self.groups[i]
            for j in range(group.begin, group.end):
                entry = &self.updated[j]
                entries = <dict>entry.entries if entry.entries != NULL else None
                if entry.step != NULL:
                    entry.before[0] = single(<object>entry.step, "step")
                    for s in range(len(rule.singles)):
                        entry.before[s + 1] = single(entries[rule.singles[s]], rule.singles[s])
                    count = next_step(<object>entry.step)
                rule.count(&group.plan, count, entries)
                memcpy(k, group.plan.k, sizeof(group.plan.k))
                k += COEFFICIENTS
        return 0

    cdef int take_back(self) except -1:
        cdef Py_ssize_t i
        cdef int s
        cdef Entry* entry
        for i in range(self.n):
            entry = &self.updated[i]
            if entry.step != NULL:
                set_single(<object>entry.step, "step", entry.before[0])
                for s in range(len(self.rule.singles)):
                    set_single((<dict>entry.entries)[self.rule.singles[s]], self.rule.singles[s], entry.before[s + 1])
        return 0

    def valid(self):
        """Whether the optimizer still updates these parameters by the same loops, with the same state tensors."""
        return self.is_valid()

    def fill(self):
        """Count a step and return the coefficients of each parameter as a tuple of tuples; ``fill_step`` in C."""
        cdef double* k = <double*>calloc(self.n * COEFFICIENTS + 1, sizeof(double))
        cdef Py_ssize_t i, j
        if k == NULL:
            raise MemoryError()
        try:
            self.fill_in(k)
            return tuple([tuple([k[i * COEFFICIENTS + j] for j in range(COEFFICIENTS)]) for i in range(self.n)])
        finally:
            free(k)

    def undo(self):
        """Undo the count of the last `fill`."""
        self.take_back()

    def run(self, Py_ssize_t i, grad):
        """Update one parameter with a gradient as the optimizer does, and count the step.

        This is for parameters on whose memory the loop cannot run in place.
        """
        cdef Py_ssize_t j
        cdef Entry* entry
        cdef dict entries
        if not 0 <= i < self.n:
            raise IndexError(f"there are {self.n} parameters, got {i}")
        entry = &self.updated[i]
        entries = <dict>entry.entries if entry.entries != NULL else None
        self._read_again()
        for j in range(self.ngroups):
            if self.groups[j].begin <= i < self.groups[j].end:
                if not self.rule.counted:
                    self.rule.count(&self.groups[j].plan, 2, entries)
                self.rule.run(<object>entry.p, grad, entries, &self.groups[j].plan)

    # --- the loop

    @property
    def variants(self):
        """The loop's variant for each group."""
        return [self.groups[i].plan.variant for i in range(self.ngroups)]

    @property
    def key(self):
        """The key of programs that repeat this step: the rule, and for each group its variant and parameters."""
        return self.rule.key, tuple([(self.groups[i].plan.variant, *self.bounds[i]) for i in range(self.ngroups)])

    def c_source(self, dtype, Py_ssize_t group=0):
        """Return (name, text) of a group's loop in C, for ``"float32"`` or ``"float64"``."""
        return c_source(self.rule.key, dtype, self.groups[group].plan.variant)


cdef bint _is_fixed(object value) except -1:
    if isinstance(value, tuple):
        return all([_is_fixed(each) for each in <tuple>value])
    return value is None or type(value) in (float, int, bool, str)


cdef bint _lies_dense(list tensors) except -1:
    """Whether a loop can run over the memory of the tensors.

    They must be dense and have the same floating point dtype and number of elements.
    """
    cdef Array first, other
    array_of(<PyObject*>tensors[0], &first)
    if first.dtype not in (D_FLOAT32, D_FLOAT64, D_COMPLEX64, D_COMPLEX128):
        return False
    for t in tensors:
        if not is_tensor(<PyObject*>t):
            return False
        array_of(<PyObject*>t, &other)
        if other.dtype != first.dtype or not other.contiguous or other.numel != first.numel:
            return False
    return True


cdef bint step_is_valid(object step) except -1:
    return (<Step?>step).is_valid()


cdef int fill_step(object step, double* k) except -1:
    return (<Step?>step).fill_in(k)


cdef int undo_step(object step) except -1:
    return (<Step?>step).take_back()


def c_source(key, dtype, int variant):
    """Return the loop of include/optim_loops.h for one rule, dtype and variant, as C code without includes.

    Args:
        key: the key of the rule, such as ``"adam"``.
        dtype: ``"float32"`` or ``"float64"``.
        variant: the bits that the header describes.

    Returns:
        The name of a function ``void name(T *p, const T *g, T *a, T *b, T *c, ptrdiff_t n, const double *k)``, and the
        text that defines it. It rounds as the optimizer's own step does if the compiler does not contract expressions.

    Raises:
        KeyError: the loop or dtype does not exist.
    """
    import re
    from pathlib import Path

    import flambeau_nn
    from flambeau_tensor.extend import hot

    real, suffix = {"float32": ("float", "f"), "float64": ("double", "")}[dtype]
    header = (Path(flambeau_nn.__file__).parent / "include" / "optim_loops.h").read_text(encoding="utf-8")
    loops = dict(re.findall(r"^FL_LOOP\((\w+)\) (\{.*?^\})", header, re.DOTALL | re.MULTILINE))
    name = f"fl_{key}_{real}_{variant}"
    body = re.sub(r"/\*.*?\*/", "", loops[key], flags=re.DOTALL)
    body = re.sub(r"\bvariant\b", str(variant), body).replace("FL_REAL", real).replace("FL_INDEX", "__PTRDIFF_TYPE__")
    body = body.replace("FL_ROOT(", f"__builtin_sqrt{suffix}(")
    helper = ""
    if hot("optim", "flambeau_nn._kernels").FUSED:
        body = body.replace("FL_FMA(", f"__builtin_fma{suffix}(")
    else:
        body = body.replace("FL_FMA(", f"{name}_sum(")
        helper = f"static inline {real} {name}_sum({real} x, {real} y, {real} z) {{ return x * y + z; }}\n"
    head = (f"static inline void {name}({real} *restrict p, const {real} *restrict g, {real} *restrict a, "
            f"{real} *restrict b, {real} *restrict c, __PTRDIFF_TYPE__ n, const double *k) ")
    return name, helper + head + body + "\n"
