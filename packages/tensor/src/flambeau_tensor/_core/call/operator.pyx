# cython: language_level=3
"""The Operator: one object per operation, and the path that every call takes.

1. bind the arguments to the schema's slots (positional calls with plain arguments take a fast path);
2. ``__torch_function__``, if a mode is active or an argument's type overrides;
3. autograd, through a socket, if recording is on and an argument requires it; it runs step 4 itself;
4. the kernel.
"""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE

from flambeau_overrides.abi cimport active_modes_ptr, collect_vector, mode_handles, pop_all_disabled, push_all_disabled

from flambeau_tensor._core.elementwise.copying cimport become_view, check_out_dtype, write_inplace, write_out
from flambeau_tensor._core.elementwise.dtype cimport DType
from flambeau_tensor._core.memory.meta_device cimport INDIRECT, META
from flambeau_tensor._core.elementwise.operands cimport check_out_overlap
from flambeau_tensor._core.call.sequences cimport as_given, pack_list, pack_rest, release
from flambeau_tensor._core.elementwise.scalar cimport is_number
from flambeau_tensor._core.call.sockets cimport call_for_subclass, call_general, declare, decompose, find, record, \
    resolve_and_run, sockets
from flambeau_tensor._core.memory.subclass cimport is_light_subclass, is_tensor
from flambeau_tensor._core.memory.tensor cimport SizeType, Tensor, grad_flags, is_plain
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.memory.type_slots cimport enable_vectorcall
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.schema.transaction import Declaring
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD, Variants, bits, call_site, check_function
from flambeau_tensor._core.schema.declaring import line_of, names
from flambeau_tensor._core.schema.schema import ACCESSORS, check_numbers, inplace_schema, intern, parse, torch_name

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    PyObject* lookup "_PyType_Lookup"(PyTypeObject*, PyObject*)
    object tuple_new "PyTuple_Type.tp_new"(PyTypeObject*, object, PyObject*)

cdef extern from *:
    """
    /* An int that obviously fits in 64 bits; other ints take the slow path. */
    #if PY_VERSION_HEX >= 0x030C0000
    #define FL_IS_SHORT_INT(o) (PyLong_CheckExact(o) && PyUnstable_Long_IsCompact((const PyLongObject*)(o)))
    #else
    #define FL_IS_SHORT_INT(o) (PyLong_CheckExact(o) && (size_t)(Py_SIZE(o) + 2) <= 4)
    #endif
    """
    bint is_short_int "FL_IS_SHORT_INT"(PyObject*) noexcept

cdef enum:  # the bits of `declaring.Variants`
    V_FUNCTION = 1
    V_METHOD = 2
    V_INPLACES = 12

cdef int* _modes = active_modes_ptr()


cdef class Kernel:
    """A compiled kernel. Compiled modules create them; an Operator takes a Kernel or a Python function."""

    def __init__(self):
        raise TypeError("kernels are made by compiled modules")

    def check_schema(self, schema):
        """Raise ValueError if the kernel does not implement the schema."""

    def read_slots(self, dict slots not None):
        """Find the slots of the arguments that the kernel reads; called for every operator that uses the kernel."""


cdef int read_slot(int* slot, str name, dict slots, bint needed=True) except -1:
    """Set the slot of an argument that a kernel reads; -1 if `name` is None or an unneeded argument is missing."""
    cdef int found = -1
    if name is not None:
        if needed and name not in slots:
            raise ValueError(f"the kernel reads an argument '{name}', which is not among {', '.join(slots)}")
        found = slots.get(name, -1)
    if slot[0] >= 0 and found != slot[0]:
        raise ValueError(f"the argument '{name}' stands elsewhere in another operator with the same kernel")
    slot[0] = found
    return 0


cdef Kernel make_kernel(kernel_t run, bint handles_out=False):
    cdef Kernel k = Kernel.__new__(Kernel)
    k.run = run
    k.handles_out = handles_out
    return k


# --- step 1: binding ------------------------------------------------------------------------------------------------

cdef bint is_ready(const ArgSpec* spec, PyObject* o) noexcept:
    """Whether kernels can read `o` without conversion; the caller handles tensors."""
    cdef int kind = spec.kind
    cdef Py_ssize_t i
    if o == <PyObject*>None:
        return (spec.flags & A_OPTIONAL) != 0 or kind == K_ANY
    if kind == K_INT:
        return is_short_int(o)
    if kind == K_INTS or kind == K_SCALARS:
        if o.ob_type == <PyTypeObject*>tuple or o.ob_type == <PyTypeObject*>SizeType:
            for i in range(PyTuple_GET_SIZE(<object>o)):
                if not is_short_int(PyTuple_GET_ITEM(<object>o, i)) and (
                        kind == K_INTS or not is_number(PyTuple_GET_ITEM(<object>o, i))):
                    return False
            return True
        return spec.flags & A_SINGLE and kind == K_INTS and is_short_int(o)
    if kind == K_BOOL:
        return PyBool_Check(<object>o)
    if kind == K_SCALAR:
        return is_number(o)
    if kind == K_FLOAT:
        return PyFloat_CheckExact(<object>o)
    if kind == K_DTYPE:
        return o.ob_type == <PyTypeObject*>DType
    if kind == K_STR:
        return o.ob_type == <PyTypeObject*>str
    return kind == K_ANY and collect_vector(&o, 1) is None


cdef bint is_bare_subclass(PyObject* o) noexcept:
    """Whether `o` is a tensor of a subclass that overrides nothing."""
    return is_tensor(o) and lookup(o.ob_type, <PyObject*>"__torch_function__") == <PyObject*>sockets.default_handler


cdef bint bind_positional(Operator op, PyObject* const* args, Py_ssize_t n, Bound* bound) noexcept:
    """The fast path: positional arguments of the expected types, no overrides. False if it cannot bind them."""
    bound.packed = 0
    return _fill_slots(op, args, n, bound) or release(bound)


cdef inline bint _fill_slots(Operator op, PyObject* const* args, Py_ssize_t n, Bound* bound) noexcept:
    cdef PyObject** slots = bound.slots
    cdef unsigned int flags = 0
    cdef Py_ssize_t i, j
    cdef PyObject* o
    cdef PyObject* element
    cdef PyObject* rest = NULL
    cdef ArgSpec* spec
    cdef bint tensors = False, numbers = False
    cdef PyTypeObject* cls = NULL
    if n < op.nrequired:
        return False
    if n > op.npos:
        if op.varargs < 0 or not PyLong_CheckExact(<object>args[op.varargs]):
            return False
        rest = pack_rest(bound, args + op.varargs, n - op.varargs)
        n = op.varargs + 1
    for i in range(n):
        o = rest if i == op.varargs and rest != NULL else args[i]
        spec = &op.args[i]
        if spec.kind == K_TENSOR:
            if is_plain(o):
                flags |= grad_flags(<Tensor>o)
                tensors = True
            elif o == <PyObject*>None and spec.flags & A_OPTIONAL:
                pass
            elif spec.flags & A_NUMBER and not is_light_subclass(o) and is_number(o):
                numbers = True
            elif cls == o.ob_type or (cls == NULL and is_bare_subclass(o)):
                cls = o.ob_type
                flags |= grad_flags(<Tensor>o)
                tensors = True
            else:
                return False
        elif spec.kind == K_TENSORS:
            o = o if PyTuple_CheckExact(<object>o) else pack_list(bound, o)
            if o == NULL:
                return False
            for j in range(PyTuple_GET_SIZE(<object>o)):
                element = PyTuple_GET_ITEM(<object>o, j)
                if not is_plain(element):
                    return False
                flags |= grad_flags(<Tensor>element)
        elif not is_ready(spec, o):
            o = pack_list(bound, o) if spec.kind == K_INTS or spec.kind == K_SCALARS else NULL
            if o == NULL or not is_ready(spec, o):
                return False
        slots[i] = o
    if numbers and not tensors:
        return False
    for i in range(n, op.nslots):
        slots[i] = op.args[i].default
    bound.flags, bound.cls = flags, cls
    return True


cdef object call_bound(Operator op, Bound* bound):
    if not bound.packed:
        return _call_filled(op, bound)
    try:
        return as_given(bound, _call_filled(op, bound))
    finally:
        release(bound)


cdef inline object _call_filled(Operator op, Bound* bound):
    if bound.cls == NULL:
        return call_slots(op, bound.slots, bound.flags)
    return call_for_subclass(op, bound.cls, bound.slots, bound.flags)


cdef object call_positional(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* called):
    cdef Bound bound
    if bind_positional(op, args, n, &bound) and (_modes[0] == 0 or not mode_handles(<object>called)):
        return call_bound(op, &bound)
    release(&bound)
    return call_general(op, args, n, NULL, called)


cdef object _vectorcall(Operator op, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    if kwnames == NULL:
        return call_positional(op, args, PyVectorcall_NARGS(nargsf), <PyObject*>op)
    return call_general(op, args, PyVectorcall_NARGS(nargsf), kwnames, <PyObject*>op)


# --- steps 3 and 4 --------------------------------------------------------------------------------------------------

cdef object call_slots(Operator op, PyObject** slots, unsigned int flags):
    cdef ThreadState* state = thread_state()
    flags |= state.dispatching
    if not state.grad_enabled:
        return _call_unrecorded(op, slots, flags)
    if flags & (REQUIRES_GRAD | LAYERED | INFERENCE | INDIRECT) or state.transform_depth:
        if flags & INFERENCE:
            _check_inference(op, slots)
        if flags & DISPATCH and (result := decompose(op, slots)) is not NotImplemented:
            return result
        if flags & LAYERED or state.transform_depth:
            if not op.flags & OP_COMPOSITE:
                return _record(op, slots, flags)
        elif op.flags & OP_RECORD and flags & REQUIRES_GRAD:
            return _record(op, slots, flags)
        if flags & INDIRECT:
            return call_lazily(op, slots)
    return op.kernel(op, slots)


cdef object call_lazily(Operator op, PyObject** slots):
    """Run the kernel, or its replacement, on arguments that may differ from their memory."""
    return op.kernel(op, slots) if op.flags & OP_COMPOSITE else resolve_and_run(op, slots)


cdef object _record(Operator op, PyObject** slots, unsigned int flags):
    if record == NULL:
        raise RuntimeError(f"{op.name}(): recording needs flambeau-autograd: pip install flambeau-autograd")
    return record(op, slots, flags)


cdef unsigned int _all_flags(Operator op, PyObject** slots):
    """Return the combined flags of all tensor arguments, including those that views get from their bases."""
    cdef Py_ssize_t i
    cdef unsigned int flags = 0
    for i in range(op.nslots):
        if op.args[i].kind == K_TENSOR and isinstance(<object>slots[i], Tensor):
            flags |= grad_flags(<Tensor>slots[i])
        elif op.args[i].kind == K_TENSORS and slots[i] != <PyObject*>None:
            for o in <tuple>slots[i]:
                if isinstance(o, Tensor):
                    flags |= grad_flags(<Tensor>o)
    return flags | META if names_device(op, slots) else flags


cdef int _check_inference(Operator op, PyObject** slots) except -1:
    cdef int where = 0 if op.flags & OP_INPLACE else op.out_index
    if op.flags & OP_OBJECT_STATE:  # `detach_` does not write elements
        return 0
    written = <object>slots[where] if where >= 0 and not thread_state().inference else ()
    for t in written if isinstance(written, (tuple, list)) else (written,):
        if isinstance(t, Tensor) and (<Tensor>t).flags & INFERENCE:
            if not op.flags & OP_INPLACE and thread_state().grad_enabled and _all_flags(op, slots) & REQUIRES_GRAD:
                return 0  # the same call on other tensors raises an error, too, which says more
            raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed. You can make "
                               "a clone to get a normal tensor before doing inplace update.")


cdef object _call_unrecorded(Operator op, PyObject** slots, unsigned int flags):
    """Run an operator while recording is off. Marks views, and in inference mode all results, as made unrecorded."""
    cdef ThreadState* state = thread_state()
    if flags & DISPATCH and (result := decompose(op, slots)) is not NotImplemented:
        return result
    if state.kernels == 0:
        if flags & INFERENCE:
            _check_inference(op, slots)
        if (flags & LAYERED or state.transform_depth) and not op.flags & OP_COMPOSITE:
            return _record(op, slots, flags)
        if op.flags & OP_VIEW or state.inference:
            result = call_lazily(op, slots) if flags & INDIRECT else op.kernel(op, slots)
            if not op.flags & OP_INPLACE:
                _mark_unrecorded(result, op, slots)
            return result
    return call_lazily(op, slots) if flags & INDIRECT else op.kernel(op, slots)


cdef int _mark_unrecorded(object result, Operator op, PyObject** slots) except -1:
    cdef Tensor t
    cdef int i
    if isinstance(result, Tensor):
        t = <Tensor>result
        for i in range(op.nslots):
            if <PyObject*>t == slots[i] or (t.base is None and isinstance(<object>slots[i], Tensor) and (
                    <Tensor>slots[i]).data == t.data and not (<Tensor>slots[i]).flags & INFERENCE):
                return 0  # also if it is detached from an argument
        if t.base is not None:  # both flags: created in inference mode
            t.flags = t.flags & ~<unsigned int>ODD_VIEW | NO_GRAD_VIEW | (FUNCTION_VIEW * thread_state().inference)
        elif thread_state().inference:
            t.flags |= INFERENCE
    elif isinstance(result, (tuple, list)):
        for o in result:
            _mark_unrecorded(o, op, slots)
    return 0


cdef object call_again(Operator op, PyObject** slots):
    return call_slots(op, slots, _all_flags(op, slots))


cdef object call1(Operator op, object a):
    cdef PyObject* args = <PyObject*>a
    return call_positional(op, &args, 1, <PyObject*>op)


cdef object call2(Operator op, object a, object b):
    cdef PyObject* args[2]
    args[0], args[1] = <PyObject*>a, <PyObject*>b
    return call_positional(op, args, 2, <PyObject*>op)


cdef object _run_python(Operator op, PyObject** slots):
    """Run a kernel written in Python; its calls are neither recorded nor overridden."""
    cdef ThreadState* state = thread_state()
    cdef bint recording = state.grad_enabled
    state.grad_enabled = False
    state.kernels += 1
    push_all_disabled()
    try:
        return _returned(op, _owned(PyObject_Vectorcall(<PyObject*>op.implementation, slots, op.nslots, NULL)))
    except MemoryError as e:  # raised by NumPy; our allocator raises PyTorch's error itself
        raise RuntimeError(f"DefaultCPUAllocator: can't allocate memory: {e}") from None
    finally:
        pop_all_disabled()
        state.kernels -= 1
        state.grad_enabled = recording


cdef object _returned(Operator op, object result):
    if result is None and op.flags & OP_RETURNS:
        raise TypeError(f"{op.__torch_name__}, declared at {op.declared_at}, returned None where its schema says "
                        f"{op.schema.returns[0]}: {op.schema}")
    return result


cdef object _run_composite(Operator op, PyObject** slots):
    return _returned(op, _owned(PyObject_Vectorcall(<PyObject*>op.implementation, slots, op.nslots, NULL)))


cdef inline object _owned(PyObject* new_reference):
    o = <object>new_reference
    Py_DECREF(o)
    return o


cdef object _run_out(Operator op, PyObject** slots):
    """Implement `out=` for kernels that only create new results: compute, then copy into `out`."""
    cdef PyObject* out = slots[op.out_index]
    if out == <PyObject*>None:
        return _raw(op)(op, slots)
    slots[op.out_index] = <PyObject*>None
    try:
        check_out_overlap(<object>out, op.nslots, slots)
        result = _raw(op)(op, slots)
    finally:
        slots[op.out_index] = out
    if op.flags & OP_EXACT_OUT:
        check_out_dtype(op.name, <object>out, result)
    return write_out(op.name, <object>out, result, op.flags & OP_COMPOSITE != 0)


cdef object _run_inplace(Operator op, PyObject** slots):
    """Implement in-place variants of kernels that only create new results."""
    if op.flags & OP_COMPOSITE:
        return _compose_inplace(op, slots)
    return write_inplace(op.name, <object>slots[0], _raw(op)(op, slots))


cdef object _compose_inplace(Operator op, PyObject** slots):
    """The same for a composition: its operators are recorded, so they receive and keep the earlier value of `self`."""
    cdef unsigned int flags = _all_flags(op, slots)
    before = target = <object>slots[0]
    if op.functional.flags & OP_VIEW:
        return become_view(target, call_slots(op.functional, slots, flags))
    if flags & LAYERED or (flags & REQUIRES_GRAD and thread_state().grad_enabled):
        before = find("torch.clone")(target)
    slots[0] = <PyObject*>before
    try:
        return write_inplace(op.name, target, _raw(op)(op, slots), True)
    finally:
        slots[0] = <PyObject*>target


cdef inline kernel_t _raw(Operator op):
    if isinstance(op.implementation, Kernel):
        return (<Kernel>op.implementation).run
    return _run_composite if op.flags & OP_COMPOSITE else _run_python


cdef object _run_named(Operator op, PyObject** slots):
    """Return several named results as a named tuple."""
    result = (_run_out if op.out_index >= 0 and not op.flags & OP_OUT else _raw(op))(op, slots)
    if op.result_type is None:
        from flambeau_tensor.return_types import type_of_results

        op.result_type = type_of_results(op)
    return tuple_new(<PyTypeObject*>op.result_type, (result,), NULL)


# --- the object -----------------------------------------------------------------------------------------------------

cdef class Operator(Public):
    """An operation, declared once by a schema and a kernel. It is called as a function or installed as a method.

    Args:
        schema: in PyTorch's schema language. A ``Tensor(a)`` result makes it a view; an argument ``out`` adds `out=`.
        implementation: a compiled Kernel, or a Python function that takes the arguments in the schema's order.
        namespace: the namespace in which users find it: ``"torch"``, ``"torch.nn.functional"``, …
        variants: ``FUNCTION``, ``METHOD`` or both; ``INPLACE`` adds the method ``name_``, ``INPLACE_FUNCTION`` also the
            function.
        syntax: the names of Python's operators that it implements, such as ``{"add", "iadd"}``.
        numbers: the names of tensor arguments that accept Python numbers.
        composite: the implementation calls other operators, which are recorded and batched themselves.
        differentiable: False if it never has gradients (integer results, random numbers, …).
        plain_result: the result is a plain Tensor even for subclasses.
        data_dependent: it exposes elements as numbers or memory, which a batched tensor does not allow.
        object_state: it concerns the tensor object, not its elements (``grad``, ``_base``), and bypasses transforms.
        lazy: its kernel accepts conjugate and negative views. Views and compositions always do.
        exact_out: `out` must have the dtype of the result, for implementations that do not write to it themselves.
        random: it draws random numbers; `vmap` has an option to refuse them, draw for each example or share them.
        meta: its implementation on device 'meta', if a dry run of the kernel does not suffice: True if the kernel reads
            no elements, False if results depend on elements, an exception to raise, or a function that takes the same
            arguments and creates the results, or returns NotImplemented to request the dry run.
        aten: its schemas in `torch.ops.aten` and C++, if they differ. One with an optional `out` stands for two.
        doc: the documentation; by default the docstring of a Python implementation.
    """

    def __init__(self, str schema not None, implementation, *, str namespace="torch",
                 variants=FUNCTION | METHOD, syntax=(), numbers=(), bint composite=False,
                 bint differentiable=True, bint plain_result=False, bint data_dependent=False, bint object_state=False,
                 bint lazy=False, bint random=False, bint exact_out=False, meta=None, aten=(), doc=None):
        cdef int words = bits(schema, "variants", variants, Variants)
        with Declaring():
            self.code, self.place = call_site()
            _fill(self, parse(schema), implementation, namespace, words, names(schema, "numbers", numbers), composite,
                  differentiable, plain_result)
            self.flags |= (OP_DATA_DEPENDENT if data_dependent else 0) | (OP_OBJECT_STATE if object_state else 0) | \
                (OP_LAZY if lazy else 0) | (OP_RANDOM if random else 0) | (OP_EXACT_OUT if exact_out else 0)
            self.doc, self.meta = doc, meta
            declare(self, words, names(schema, "syntax", syntax))
            if aten:
                from flambeau_tensor._core.call.forwarding import aten_overloads

                aten_overloads(self, aten)

    def _make_inplace(self, bint as_function):
        """Make the in-place operator ``name_`` with the same kernel."""
        cdef Operator v = Operator.__new__(Operator)
        cdef int words = (V_FUNCTION if as_function else 0) | (V_METHOD if self.is_method or not as_function else 0)
        v.functional, v.meta, v.code, v.place = self, self.meta, self.code, self.place
        # Always recorded, because the earlier elements no longer count.
        _fill(v, inplace_schema(self.schema), self.implementation, self.namespace, words, (),
              (self.flags & (OP_COMPOSITE | OP_VIEW)) != 0, True, True)
        for i in range(1, self.nslots):  # the same slots, but `out` cannot be passed
            v.args[i].flags = self.args[i].flags
        if self.out_index >= 0:
            v.out_index = self.out_index
            del v.index["out"]
        v.flags = (v.flags | OP_INPLACE) & ~OP_VIEW
        self.inplace = v
        return v

    def implement(self, implementation, *, bint composite=False, bint differentiable=True):
        """Replace the implementation with another kernel or Python function."""
        global implementations
        implementations += 1
        self.implementation = implementation
        self.flags = self.flags & ~(OP_RECORD | OP_COMPOSITE | OP_OUT) | (
            OP_COMPOSITE if composite else OP_RECORD if differentiable else 0)
        _choose_kernel(self)

    def __repr__(self):
        return f"<operator {self.__torch_name__}>"

    @property
    def __name__(self):
        return ACCESSORS.get(self.namespace, self.name)

    @property
    def __module__(self):
        return "torch" if self.namespace in ACCESSORS else self.namespace

    @property
    def __torch_name__(self):
        return torch_name(self)

    @property
    def default(self):
        """The operator itself, as its only overload: ``torch.ops.mylib.leaky.default``."""
        return self

    @property
    def overloads(self):
        """A tuple of the operator itself, as for an `OverloadSet` with one member."""
        return (self,)

    @property
    def declared_at(self):
        """File and line of the declaration, for error messages."""
        return line_of(self.code, self.place)

    @property
    def _schema(self):
        return self.schema

    @property
    def numbers(self):
        """The names of the tensor arguments that accept Python numbers."""
        return tuple([a.name for i, a in enumerate(self.schema.arguments)
                      if self.args[i].kind == K_TENSOR and self.args[i].flags & A_NUMBER])

    def testing_signature(self):
        """Return the signature of the dummy function for tests of overrides, see `documentation.testing_signature`."""
        from flambeau_tensor.documentation import testing_signature

        return testing_signature(self)

    @property
    def __doc__(self):
        from flambeau_tensor.documentation import docstring

        return docstring(self, self.doc)

    @property
    def __signature__(self):
        from flambeau_tensor.documentation import signature

        return signature(self)

    def __getattr__(self, name):
        if self.extra is not None and name in self.extra:
            return self.extra[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    @property
    def returns_view(self):
        return (self.flags & OP_VIEW) != 0

    @property
    def plain_result(self):
        return (self.flags & OP_PLAIN_RESULT) != 0

    @property
    def writes(self):
        return (self.flags & OP_INPLACE) != 0

    @property
    def records(self):
        return (self.flags & OP_RECORD) != 0

    @property
    def object_state(self):
        return (self.flags & OP_OBJECT_STATE) != 0

    @property
    def random(self):
        return (self.flags & OP_RANDOM) != 0

    @property
    def is_composite(self):
        return (self.flags & OP_COMPOSITE) != 0


cdef int _fill(Operator self, schema, implementation, str namespace, int variants, tuple numbers, bint composite,
               bint differentiable, bint plain_result) except -1:
    cdef bint inplace
    if variants & V_INPLACES and (not schema.arguments or schema.arguments[0].kind != K_TENSOR):
        raise ValueError(f"{schema.name}: it has no tensor first that an in-place variant could write: {schema}")
    check_numbers(schema, numbers)
    self.vectorcall = <vectorcallfunc>_vectorcall
    self.schema = schema
    self.name, self.namespace = schema.name, intern(namespace)
    self.implementation = implementation
    self.is_function, self.is_method = (variants & V_FUNCTION) != 0, (variants & V_METHOD) != 0
    inplace = _read_arguments(self, schema.arguments, numbers)
    self.flags = (OP_RECORD if differentiable and not composite else 0) | (OP_INPLACE if inplace else 0) | \
        (OP_PLAIN_RESULT if plain_result else 0) | \
        (OP_TENSORS if schema.returns and "Tensor" in schema.returns[0].type else 0)
    if composite:
        self.flags |= OP_COMPOSITE
    elif "device" in self.index and schema.arguments[self.index["device"]].type.startswith("Device"):
        self.device_index = self.index["device"]
    if len(schema.returns) and schema.returns[0].kind != K_ANY and not schema.returns[0].optional:
        self.flags |= OP_RETURNS
    if not inplace and schema.returns and schema.returns[0].alias and not schema.returns[0].write:
        self.flags |= OP_VIEW
    _choose_kernel(self)


cdef bint _read_arguments(Operator self, tuple arguments, tuple number_names) except -1:
    """Read the properties of the arguments that binding needs; return whether the operator writes to the first."""
    cdef int i
    cdef ArgSpec* spec
    cdef bint inplace = False
    self.out_index = self.device_index = self.varargs = -1
    self.index = {}
    self.nslots = len(arguments)
    for i, a in enumerate(arguments):
        spec = &self.args[i]
        spec.kind = a.kind
        spec.flags = 0
        name = a.name
        self.index[name] = i
        spec.name = <PyObject*>name  # owned by the schema
        spec.default = NULL
        if a.has_default:
            default = a.default
            spec.default = <PyObject*>default  # likewise
        if a.optional:
            spec.flags |= A_OPTIONAL
        if name in number_names:
            spec.flags |= A_NUMBER
        if spec.kind == K_INTS and a.size:
            spec.flags |= A_SINGLE
        if name == "out" and a.write:
            spec.flags |= A_OUT
            self.out_index = i
        if a.write and i == 0:
            inplace = True
        if not a.kwarg_only:
            self.npos = i + 1
            if not a.has_default:
                self.nrequired = i + 1
        elif not a.has_default:
            self.nrequired = MAX_ARGS + 1  # the fast path does not apply
    for i in range(self.npos):  # `x.permute(0, 1)`: ints one by one, if a list of ints is first after self
        if arguments[i].is_list and self.args[i].kind in (K_INTS, K_ANY) and \
                i + 1 == self.npos and (i == 0 or (i == 1 and self.args[0].kind == K_TENSOR)):
            self.varargs = i
    if self.varargs >= 0:
        self.args[self.varargs].flags |= A_SINGLE
    return inplace


cdef int _choose_kernel(Operator self) except -1:
    cdef bint native = False
    if isinstance(self.implementation, Kernel):
        self.implementation.check_schema(self.schema)
        self.implementation.read_slots(self.index)
        native = (<Kernel>self.implementation).handles_out
    else:
        check_function(self.schema, self.implementation)
    self.flags |= OP_OUT if native else 0
    if len(self.schema.returns) > 1 and self.schema.returns[0].name:
        self.kernel = _run_named
    elif self.functional is not None and not native:
        self.kernel = _run_inplace
    elif self.out_index >= 0 and not native:
        self.kernel = _run_out
    else:
        self.kernel = _raw(self)
    return 0


cdef Operator _any = Operator.__new__(Operator)
enable_vectorcall(Operator, <char*>&_any.vectorcall - <char*><PyObject*>_any, False)
