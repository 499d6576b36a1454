# cython: language_level=3
"""Device 'meta': tensors with a geometry but without memory, and operators on them.

Operators need no separate rules for them: the kernel runs *dry*. It receives stand-ins, tensors of the same geometry
over fresh zeros, checks its arguments and creates its results as usual. Loops over many elements and products do
nothing meanwhile (`parallel.parallel_for`, `blas`), and untouched memory costs nothing (`storage.begin_dry`). Only the
geometry of the results is kept. A kernel therefore never sees a tensor without memory, unless it declares that it reads
no elements (``meta=True``). An operator whose results depend on elements declares that, and raises an error.
"""
from cpython.object cimport PyObject

from flambeau_tensor._core.call cimport sockets as sockets_in_c
from flambeau_tensor._core.call.dispatching cimport dispatch
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY
from flambeau_tensor._core.elementwise.engine cimport Elementwise
from flambeau_tensor._core.memory.lazy_views cimport run_with_memory
from flambeau_tensor._core.memory.meta_device cimport META, META_OWNER, begin_dry, end_dry
from flambeau_tensor._core.call.operator cimport OP_DATA_DEPENDENT, OP_OBJECT_STATE, Operator, names_device
from flambeau_tensor._core.call.sockets cimport run_t
from flambeau_tensor._core.memory.storage cimport Storage, borrow_storage, new_storage
from flambeau_tensor._core.memory.tensor cimport Tensor, detached, new_tensor, set_geometry, view_of
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.call.tracing cimport begin, end, failed
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor.options import META as META_DEVICE, check_device


# --- operands -------------------------------------------------------------------------------------------------------

cdef struct Operands:
    unsigned int flags  # of all tensors, combined
    bint to_meta  # results are on device 'meta'
    int device  # the slot of the `device` argument; -1: none


cdef int _read_operands(Operator op, PyObject** slots, Operands* found) except -1:
    cdef int i
    found.flags = 0
    for i in range(op.nslots):
        if isinstance(<object>slots[i], Tensor):
            found.flags |= (<Tensor>slots[i]).flags
        elif isinstance(<object>slots[i], (tuple, list)):
            for o in <object>slots[i]:
                if isinstance(o, Tensor):
                    found.flags |= (<Tensor>o).flags
    found.to_meta = found.flags & META
    found.device = op.device_index
    if names_device(op, slots):
        found.to_meta = check_device(<object>slots[found.device]) is META_DEVICE
    return 0


cdef object _elsewhere(bint meta):
    here, there = ("meta", "cpu") if meta else ("cpu", "meta")
    return RuntimeError(f"Tensor on device {there} is not on the expected device {here}!")


cdef int _check_devices(Operator op, PyObject** slots) except -1:
    """Check that the other tensors are allowed together with tensors on device 'meta'.

    Allowed are 0-dimensional tensors on the CPU and, unless the kernel is elementwise, integer tensors (indices)."""
    cdef bint strict = isinstance(op.implementation, Elementwise)
    cdef list tensors = []
    cdef Tensor t
    cdef int i
    for i in range(op.nslots):
        if isinstance(<object>slots[i], Tensor):
            t = <Tensor>slots[i]
            if not t.flags & META and op.schema.arguments[i].write:
                if op.schema.arguments[i].name == "out":
                    raise RuntimeError("Attempting to copy from device meta to device cpu, but cross-device copies are "
                                       "not allowed!")
                raise _elsewhere(False)
            tensors.append(t)
        elif isinstance(<object>slots[i], (tuple, list)):
            tensors.extend([o for o in <object>slots[i] if isinstance(o, Tensor)])
    tensors = [t for t in tensors if t.flags & META or (t.ndim and (strict or CATEGORY[t.dtype] > CAT_INT))]
    for t in tensors:
        if (t.flags ^ (<Tensor>tensors[0]).flags) & META:
            raise _elsewhere((<Tensor>tensors[0]).flags & META)
    return 0


# --- the dry run ----------------------------------------------------------------------------------------------------

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char*) except 1
    void Py_LeaveRecursiveCall() noexcept


cdef class StandIns:
    """Maps tensors without memory to stand-ins with memory, and results back."""

    cdef dict tensors  # id of an original -> (original, stand-in)
    cdef dict storages  # id of the storage of an original -> (the storage, its stand-in)
    cdef dict originals  # id of a stand-in -> original
    cdef dict owners  # id of a stand-in's storage, or of that of a CPU operand -> an original that uses it
    cdef dict made  # id of the storage of a result -> (the storage, its replacement)

    def __cinit__(self):
        self.tensors, self.storages, self.originals, self.owners, self.made = {}, {}, {}, {}, {}

    cdef object of(self, object o):
        if isinstance(o, Tensor):
            return self.of_tensor(<Tensor>o)
        if type(o) is tuple or type(o) is list:
            Py_EnterRecursiveCall(" while looking for tensors in arguments")
            try:
                items = [self.of(each) for each in o]
            finally:
                Py_LeaveRecursiveCall()
            return tuple(items) if type(o) is tuple else items
        return o

    cdef Tensor of_tensor(self, Tensor t):
        cdef Tensor s
        cdef Storage memory
        if not t.flags & META:
            self.owners[id(t.storage)] = t
            return t
        if id(t) in self.tensors:
            return <Tensor>self.tensors[id(t)][1]
        if id(t.storage) in self.storages:
            memory = <Storage>self.storages[id(t.storage)][1]
        else:
            memory = new_storage(t.storage.nbytes)
            self.storages[id(t.storage)] = t.storage, memory
            self.owners[id(memory)] = t
        s = new_tensor()
        set_geometry(s, t.ndim, t.sizes, t.strides)
        s.dtype, s.storage = t.dtype, memory
        s.data = memory.data + (t.data - t.storage.data)
        s.flags |= t.flags & LAZY
        self.tensors[id(t)] = t, s
        self.originals[id(s)] = t
        return s

    cdef int note_writes(self) except -1:
        """Repeat the kernel's effects on the operands: versions of writes, and resizing."""
        cdef Storage before, memory
        cdef Tensor t, s
        for before, memory in self.storages.values():
            before.version += memory.version
            before.nbytes = memory.nbytes
        for t, s in self.tensors.values():
            if s.ndim != t.ndim or _differs(t, s):
                set_geometry(t, s.ndim, s.sizes, s.strides)
                t.data = t.storage.data + (s.data - s.storage.data)
        return 0

    cdef object result(self, object o):
        if isinstance(o, Tensor):
            return self.tensor(<Tensor>o)
        if isinstance(o, (tuple, list)):
            Py_EnterRecursiveCall(" while looking for tensors in results")
            try:
                items = [self.result(each) for each in o]
            finally:
                Py_LeaveRecursiveCall()
            if type(o) is list:
                return items
            return type(o)(items) if type(o) is tuple or hasattr(o, "n_fields") else tuple(items)
        if o is None:
            return None
        raise TypeError(type(o))

    cdef Tensor tensor(self, Tensor r):
        cdef Tensor v, owner
        cdef Storage memory
        cdef Py_ssize_t offset = r.data - r.storage.data
        if r.flags & META:
            return r
        if id(r) in self.originals:
            return <Tensor>self.originals[id(r)]
        if id(r.storage) in self.owners:
            owner = <Tensor>self.owners[id(r.storage)]
            if owner.flags & META:  # a view of an operand
                if r.base is not None:
                    v = view_of(<Tensor>self.originals.get(id(r.base), owner), r.ndim, r.sizes, r.strides,
                                owner.storage.data + offset)
                else:
                    v = detached(owner)
                    set_geometry(v, r.ndim, r.sizes, r.strides)
                    v.data = owner.storage.data + offset
                v.dtype = r.dtype
                v.flags = v.flags & ~<unsigned int>(LAZY | MULTI_VIEW) | r.flags & (LAZY | MULTI_VIEW | REQUIRES_GRAD)
                return v
            memory = borrow_storage(NULL, r.storage.nbytes, META_OWNER, False)
        elif id(r.storage) in self.made:
            memory = <Storage>self.made[id(r.storage)][1]
        else:
            memory = borrow_storage(NULL, r.storage.nbytes, META_OWNER, False)
            self.made[id(r.storage)] = r.storage, memory
        v = new_tensor()
        set_geometry(v, r.ndim, r.sizes, r.strides)
        v.dtype, v.storage = r.dtype, memory
        v.data = memory.data + offset
        v.flags |= META | r.flags & (REQUIRES_GRAD | LAZY | INFERENCE)
        if r.base is not None and id(r.base.storage) in self.made:
            v.base = self.tensor(r.base)
            v.flags |= VIEW | r.flags & ODD_VIEW
        return v


cdef bint _differs(Tensor t, Tensor s) noexcept:
    cdef int i
    for i in range(t.ndim):
        if t.sizes[i] != s.sizes[i] or t.strides[i] != s.strides[i]:
            return True
    return t.data - t.storage.data != s.data - s.storage.data


cdef object _dry_run(Operator op, PyObject** slots, Operands* found):
    cdef PyObject* bound[MAX_ARGS]
    cdef list keep = []
    cdef StandIns stand_ins = StandIns()
    cdef int i
    begin_dry()
    try:
        for i in range(op.nslots):
            o = stand_ins.of(<object>slots[i])
            keep.append(o)
            bound[i] = <PyObject*>o
        if found.device >= 0:
            bound[found.device] = <PyObject*>None
        if not found.to_meta:  # `zeros_like(x, device="cpu")`: only the operands lack memory
            end_dry()
            try:
                return run_with_memory(op, bound, found.flags)
            finally:
                begin_dry()
        result = run_with_memory(op, bound, found.flags)
    finally:
        end_dry()
    stand_ins.note_writes()
    try:
        return stand_ins.result(result)
    except TypeError:
        raise no_answer(op) from None


class NoMetaKernel(NotImplementedError):
    """Raised if an operator has no rule for the geometry of its results, or they depend on elements."""


cdef object no_answer(Operator op):
    return NoMetaKernel(f"{_qualified(op)}: attempted to run this operator with Meta tensors, but there was no "
                        "fake impl or Meta kernel registered.")


cdef str _qualified(Operator op):
    namespace = op.namespace.removeprefix("torch.ops.") if op.namespace.startswith("torch.ops.") else "aten"
    return f"{namespace}::{op.name}" + (f".{op.schema.overload}" if op.schema.overload else "")


cdef bint _is_foreign(Operator op):
    """Whether the kernel is a user's, which may have any effects."""
    return op.namespace.startswith("torch.ops.") and op.namespace != "torch.ops.aten"


# --- step 4 ---------------------------------------------------------------------------------------------------------

cdef object run_indirectly(Operator op, PyObject** slots):
    """Run step 4 if the kernel cannot read its arguments directly, or a handler or Tracer must see the call."""
    result = dispatch(op, slots)
    if result is not NotImplemented:
        return result
    if thread_state().tracer == NULL or _reads_no_elements(op):
        return _run_on_meta(op, slots)
    call = begin(op, slots)
    try:
        result = _run_on_meta(op, slots)
    except BaseException:
        failed(call)
        raise
    end(call, result)
    return result


cdef bint _reads_no_elements(Operator op) except -1:
    """Whether a Tracer can ignore the operator, since it neither reads elements nor creates tensors."""
    return op.flags & OP_OBJECT_STATE or (op.meta is True and not any(["Tensor" in r.type for r in op.schema.returns]))


cdef object _run_on_meta(Operator op, PyObject** slots):
    cdef Operands found
    _read_operands(op, slots, &found)
    if op.flags & OP_OBJECT_STATE or op.meta is True or not (found.flags & META or found.to_meta):  # `device="cpu"`
        return run_with_memory(op, slots, found.flags)
    if op.meta is False or (op.meta is None and (op.flags & OP_DATA_DEPENDENT or _is_foreign(op))):
        raise no_answer(op)
    if op.meta is None:
        if found.flags & META:
            _check_devices(op, slots)
        return _dry_run(op, slots, &found)
    if isinstance(op.meta, Exception):
        raise type(op.meta)(*op.meta.args)
    result = op.meta(*[<object>slots[i] for i in range(op.nslots)])
    return result if result is not NotImplemented else _dry_run(op, slots, &found)


sockets_in_c.resolve_and_run = <run_t>run_indirectly
