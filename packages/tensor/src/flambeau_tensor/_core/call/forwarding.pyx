# cython: language_level=3
"""Kernels that forward a call to another operator with different arguments.

A call of an overload set goes directly to the operator at the end of the chain, which `_follow` finds.
"""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.memory.meta_device cimport META
from flambeau_tensor._core.call.operator cimport (
    A_NUMBER, Kernel, Operator, call_again, call_slots, kernel_t, names_device,
)
from flambeau_tensor._core.call.sockets cimport call_for_subclass
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.memory.types cimport DISPATCH, K_SCALAR, K_TENSOR, MAX_ARGS

from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.transaction import Declaring


cdef class Forward(Kernel):
    """The kernel of a composition that calls one other operator with different arguments.

    Each argument of the target gets the argument of the same name, the value in ``fixed``, or its default. ``first`` is
    the number of results to return; 0 means all.

    >>> from flambeau_tensor import amax
    >>> Operator("largest(Tensor self) -> Tensor", Forward(amax), composite=True, namespace="torch._ops",
    ...          variants=FUNCTION)(flambeau_tensor.tensor([1, 3, 2]))
    tensor(3)
    """

    def __init__(self, Operator target not None, int first=0, /, **fixed):
        self.target, self.first, self.fixed, self.prepared = target, first, fixed, False
        self.run, self.handles_out = <kernel_t>_forward, first == 0  # it passes `out` on

    def check_schema(self, schema):
        given = {a.name for a in schema.arguments} | self.fixed.keys()
        for a in self.target.schema.arguments:
            if not a.has_default and a.name not in given:
                raise TypeError(f"{schema.name}() has no argument '{a.name}' for {self.target!r}: {schema}")

    cdef int prepare(self, Operator op) except -1:
        cdef int i
        order = [a.name for a in op.schema.arguments]
        for i, a in enumerate(self.target.schema.arguments):
            self.source[i] = order.index(a.name) if a.name in order else -1
            self.values[i] = <PyObject*>self.fixed[a.name] if a.name in self.fixed else self.target.args[i].default
        self.prepared = True
        self.same = op.nslots == self.target.nslots and all([self.source[i] == i for i in range(op.nslots)])
        return 0

    cdef PyObject* fill(self, Operator op, PyObject** slots, PyObject** bound) except NULL:
        """Fill `bound` with the target's arguments from those of `op`; return the target."""
        cdef PyObject* target = _target(self, op)
        cdef int i
        if not self.prepared:
            self.prepare(op)
        for i in range((<Operator>target).nslots):
            bound[i] = self.values[i] if self.source[i] < 0 else slots[self.source[i]]
        return target


cdef inline PyObject* _target(Forward f, Operator op) noexcept:
    return <PyObject*>f.target if <PyObject*>op.functional == <PyObject*>None else <PyObject*>f.target.inplace


cdef Operator target_of(Operator op):
    """Return the operator to which a member forwards all arguments unchanged, or None."""
    if not isinstance(op.implementation, Forward) or (<Forward>op.implementation).fixed or \
            (<Forward>op.implementation).first:
        return None
    target = (<Forward>op.implementation).target
    return target if op.functional is None else target.inplace


cdef object _forward(Operator op, PyObject** slots):
    cdef Forward f = <Forward>op.implementation
    result = _fill_and_call(f, op, slots)
    return result if f.first == 0 else result[0] if f.first == 1 else tuple(result[:f.first])


cdef PyObject* _follow(PyObject* op, PyObject*** slots, PyObject** bound, bint heard) except NULL:
    """Return the operator at the end of the chain of Forwards that begins at `op`, and set `slots` to its arguments.

    `bound` has room for two sets of arguments. If `heard`, the chain ends at an operator that chooses among several,
    since handlers below autograd receive that one."""
    cdef PyObject* f
    cdef int turn = 0
    while is_redirected(op):
        f = <PyObject*>(<Operator>op).implementation
        if f.ob_type == <PyTypeObject*>ByGiven:
            if heard:
                break
            f = (<ByGiven>f).choose(slots[0])
        if (<Forward>f).first:
            break
        if (<Forward>f).same:
            op = _target(<Forward>f, <Operator>op)
        else:
            op = (<Forward>f).fill(<Operator>op, slots[0], bound + turn * MAX_ARGS)
            slots[0], turn = bound + turn * MAX_ARGS, 1 - turn
    return op


cdef object call_target(PyObject* op, PyObject** slots, unsigned int flags, PyTypeObject* cls):
    """Run steps 3 and 4 of the operator at the end of the chain of Forwards that begins at `op`."""
    cdef PyObject* bound[2 * MAX_ARGS]
    op = _follow(op, &slots, bound, flags & DISPATCH != 0 or thread_state().modes != NULL)
    if names_device(<Operator>op, slots):
        flags |= META
    if cls != NULL:
        return call_for_subclass(<Operator>op, cls, slots, flags)
    return call_slots(<Operator>op, slots, flags)


cdef PyObject* straight_target(Operator op, PyObject* const* args, Py_ssize_t n) except? NULL:
    """Return the operator at the end of the chain of Forwards, if positional calls with arguments of these types can
    go to it unchanged; else NULL."""
    cdef PyObject* bound[2 * MAX_ARGS]
    cdef PyObject* given[MAX_ARGS]
    cdef PyObject** slots = given
    cdef Operator target
    cdef int i
    for i in range(op.nslots):  # a distinct address for each argument, by which it is recognized below
        given[i] = <PyObject*>&given[i] if i < n and args[i] != <PyObject*>None else \
            <PyObject*>None if i < n else op.args[i].default
    target = <Operator>_follow(<PyObject*>op, &slots, bound, False)
    if n > target.npos or names_device(target, slots):
        return NULL
    for i in range(target.nslots):
        if slots[i] != (given[i] if i < n else target.args[i].default):
            return NULL
        if i < n and op.args[i].kind != target.args[i].kind and not (
                op.args[i].kind == K_SCALAR and target.args[i].kind == K_TENSOR and target.args[i].flags & A_NUMBER):
            return NULL
    return <PyObject*>target


cdef class ByGiven(Kernel):
    """The kernel of a composition that calls one of several operators, selected by the optional arguments that are
    given: ``{"min max": clamp_both, "min": clamp_min, "max": clamp_max}``. Raises `error` for other combinations."""

    def __init__(self, dict operators not None, error):
        self.forwards = {frozenset(given.split()): Forward(op) for given, op in operators.items()}
        self.names = sorted({name for given in self.forwards for name in given})
        self.count = len(self.names)
        if self.count > MAX_GIVEN:
            raise ValueError(f"more than {MAX_GIVEN} arguments to choose by")
        for bits in range(1 << self.count):
            found = self.forwards.get(frozenset([name for i, name in enumerate(self.names) if bits >> i & 1]))
            self.by_bits[<int>bits] = NULL if found is None else <PyObject*>found
        self.error = error
        self.run, self.handles_out = <kernel_t>_by_given, True  # it passes `out` on

    def read_slots(self, dict slots not None):
        for i, name in enumerate(self.names):
            self.slot[i] = slots[name]

    cdef PyObject* choose(self, PyObject** slots) except NULL:
        cdef int i, bits = 0
        for i in range(self.count):
            bits |= <int>(slots[self.slot[i]] != <PyObject*>None) << i
        if self.by_bits[bits] == NULL:
            raise type(self.error)(*self.error.args)
        return self.by_bits[bits]


cdef object _by_given(Operator op, PyObject** slots):
    return _fill_and_call(<Forward>(<ByGiven>op.implementation).choose(slots), op, slots)


cdef object _fill_and_call(Forward f, Operator op, PyObject** slots):
    cdef PyObject* bound[MAX_ARGS]
    cdef PyObject* target = f.fill(op, slots, bound)
    return call_again(<Operator>target, bound)


def overloads(Operator target not None, *schemas, **settings):
    """Declare public operators: signatures of an operator of `torch._ops`, with the same argument names.

    >>> from flambeau_tensor import amax
    >>> overloads(amax, "most(Tensor self) -> Tensor", "most.dim(Tensor self, int[1] dim) -> Tensor",
    ...           namespace="torch._ops", variants=FUNCTION)
    [<operator torch._ops.most.default>, <operator torch._ops.most.dim>]
    """
    settings.setdefault("doc", target.doc)
    with Declaring():
        return [Operator(schema, Forward(target), composite=True, **settings) for schema in schemas]


cdef str _OUT = "Tensor(a!)? out=None) -> Tensor"


def aten_overloads(Operator target not None, aten):
    """Declare the schemas in `torch.ops.aten` that a declaration lists: a text or several.

    There, an optional `out` makes two operators: one without it, and an overload that requires it.
    """
    found = []
    for schema in (aten,) if type(aten) is str else aten:
        if not schema.endswith(_OUT):
            found.append(schema)
            continue
        start = schema.removesuffix(_OUT)
        name, _, arguments = start.partition("(")
        found.append(f"{start.removesuffix(', ').removesuffix(', *')}) -> Tensor")
        found.append(f"{name}{'_' if '.' in name else '.'}out({arguments}Tensor(a!) out) -> Tensor(a!)")
    overloads(target, *found, namespace="torch.ops.aten", variants=FUNCTION)
