# cython: language_level=3
"""The kernel of all elementwise operators.

It promotes and broadcasts its operands, checks for overlap, and runs an inner loop: NumPy's, which NumPy selects for
the CPU at run time, or ours with the same signature.
"""
cimport numpy as cnp
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from flambeau_tensor._core.elementwise.casts cimport CAST
from flambeau_tensor._core.elementwise.copying cimport copy_elements, copy_of, to_dtype
from flambeau_tensor._core.elementwise.dtype cimport (
    CATEGORY, DType, ITEMSIZE, NPY_TYPE, default_dtype, dtype_from_npy, dtype_object, family, real_of,
    type_name,
)
from flambeau_tensor._core.memory.layout cimport restride
from flambeau_tensor._core.elementwise.loops cimport loop_t, run_loop
from flambeau_tensor._core.elementwise.operands cimport (
    broadcast_shape, broadcast_strides, check_cast, check_overlap, check_same_dtype, check_writable, interleaves,
    out_tensor, promote, result_strides, same_sizes,
)
from flambeau_tensor._core.call.operator cimport OP_INPLACE, Kernel, Operator, read_slot
from flambeau_tensor._core.elementwise.scalar cimport Scalar, c_name, is_number, read_scalar, store_scalar
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, empty_strided, same_shape, shape_str
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor._core.schema.declaring import REAL_PART, SAME, USUAL, Dtypes, bits, names
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name

cdef object _ONE = 1


cdef object _fast(Operator op, Elementwise el, Tensor a, PyObject* second, PyObject** slots):
    """Run the common case: contiguous operands of one dtype, and a new result or the first operand as the result.

    The operands have the same shape, or one is a number or broadcasts as repeated rows. Returns None if the general
    path is needed.
    """
    cdef Entry* e = &el.entries[a.dtype]
    cdef Tensor b, out, shaped = a
    cdef char* ptrs[3]
    cdef Py_ssize_t[3] steps
    cdef char[16] number
    cdef double[128] rows
    cdef Scalar s
    cdef int nop = 2
    cdef bint inplace = (op.flags & OP_INPLACE) != 0
    if e.loop == NULL or e.compute != a.dtype or e.result != e.written or not a.flags & CONTIGUOUS:
        return None
    if inplace and (e.result != a.dtype or a.storage.readonly):
        return None
    if a.numel >= GIL_FREE:
        return None
    ptrs[0] = a.data
    steps[0] = ITEMSIZE[a.dtype]
    if second != NULL:
        nop = 3
        if isinstance(<object>second, Tensor):
            b = <Tensor>second
            if b.dtype != a.dtype or not b.flags & CONTIGUOUS:
                return None
            ptrs[1] = b.data
            steps[1] = steps[0]
            if same_shape(a, b):
                if inplace and b.data != a.data and not _is_beside(a, b):
                    return None
            elif _is_row(a, b):
                if inplace and not _is_beside(a, b) or not _repeat(a, b, &ptrs[1], &steps[1], rows):
                    return None
            elif not inplace and b.numel < GIL_FREE and _is_row(b, a) and _repeat(b, a, &ptrs[0], &steps[0], rows):
                shaped = b
            else:
                return None
        elif is_number(second) and a.ndim:
            read_scalar(second, &s)
            if s.category > CATEGORY[a.dtype]:
                return None
            _store_number(el, &s, a.dtype, number)
            ptrs[1] = number
            steps[1] = 0
        else:
            return None
    if el.check is not None:
        el.check.run(op, slots, a.dtype)
    out = a if inplace else empty(e.result, shaped.ndim, shaped.sizes)
    ptrs[nop - 1] = out.data
    steps[nop - 1] = ITEMSIZE[e.result]
    e.loop(ptrs, &out.numel, steps, e.data)
    if inplace:
        out.storage.version += 1
    return out


cdef object _fast_of_many(Operator op, Elementwise el, PyObject** slots):
    """The same for other numbers of operands and for loops with parameters: contiguous operands of one shape, single
    elements or numbers, in the dtypes that the loop reads."""
    cdef char* ptrs[MAX_OPERANDS]
    cdef Py_ssize_t[MAX_OPERANDS] steps
    cdef char[MAX_OPERANDS][16] numbers
    cdef double[MAX_PARAMS] params
    cdef Entry* e
    cdef Tensor t, shaped = None, out
    cdef Scalar s
    cdef int k, dtype = -1
    cdef bint inplace = (op.flags & OP_INPLACE) != 0
    for k in range(el.nin):
        if isinstance(<object>slots[k], Tensor):
            t = <Tensor>slots[k]
            if not t.flags & CONTIGUOUS:
                return None
            if shaped is None or (shaped.numel == 1 and t.ndim >= shaped.ndim):
                shaped = t
            if el.fixed[k] < 0 and dtype < 0:
                dtype = t.dtype
            elif t.dtype != (dtype if el.fixed[k] < 0 else el.fixed[k]):
                return None
        elif el.fixed[k] >= 0 or not is_number(slots[k]):
            return None
    if dtype < 0 or shaped.numel >= GIL_FREE:
        return None
    e = &el.entries[dtype]
    if e.loop == NULL or e.compute != dtype or e.result != e.written:
        return None
    for k in range(el.nin):
        if isinstance(<object>slots[k], Tensor):
            t = <Tensor>slots[k]
            ptrs[k], steps[k] = t.data, ITEMSIZE[t.dtype]
            if not same_shape(shaped, t):
                if t.numel != 1 or t.ndim > shaped.ndim:
                    return None
                steps[k] = 0
            if inplace and k and not _is_beside(<Tensor>slots[0], t):
                return None
        else:
            read_scalar(slots[k], &s)
            if s.category > CATEGORY[dtype] or not shaped.ndim:
                return None
            _store_number(el, &s, dtype, numbers[k])
            ptrs[k], steps[k] = numbers[k], 0
    if inplace:
        t = <Tensor>slots[0]
        if e.result != t.dtype or t.storage.readonly or not same_shape(shaped, t):
            return None
    if el.check is not None:
        el.check.run(op, slots, dtype)
    if el.nparams:
        _read_params(el, slots, dtype, params)
    out = <Tensor>slots[0] if inplace else empty(e.result, shaped.ndim, shaped.sizes)
    ptrs[el.nin], steps[el.nin] = out.data, ITEMSIZE[e.result]
    e.loop(ptrs, &out.numel, steps, <void*>params if el.nparams else e.data)
    if inplace:
        out.storage.version += 1
    return out


cdef inline bint _is_beside(Tensor a, Tensor b) noexcept:
    """Whether contiguous tensors obviously share no memory."""
    return a.data + a.numel * ITEMSIZE[a.dtype] <= b.data or b.data + b.numel * ITEMSIZE[b.dtype] <= a.data


cdef inline bint _is_row(Tensor t, Tensor row) noexcept:
    """Whether broadcasting `row` to the shape of `t` repeats all its elements in order."""
    cdef int d, lead = t.ndim - row.ndim
    cdef bint begun = False
    if lead < 0 or t.numel == 0:
        return False
    for d in range(row.ndim):
        begun = begun or row.sizes[d] != 1
        if begun and row.sizes[d] != t.sizes[lead + d]:
            return False
    return True


cdef inline bint _repeat(Tensor t, Tensor row, char** data, Py_ssize_t* step, double[128] rows) noexcept:
    """Repeat the elements of `row` for each element of `t`; False if there are too many."""
    cdef Py_ssize_t length = row.numel * step[0], whole = t.numel * step[0], at = 0
    if row.numel == 1:
        step[0] = 0
        return True
    if whole > <Py_ssize_t>(128 * sizeof(double)):
        return False
    while at < whole:
        memcpy(<char*>rows + at, row.data, length)
        at += length
    data[0] = <char*>rows
    return True


cdef object run_elementwise(Operator op, PyObject** slots):
    cdef Elementwise el = <Elementwise>op.implementation
    cdef object result
    cdef PyObject* out = slots[op.out_index] if op.out_index >= 0 else <PyObject*>None
    cdef PyObject* operands[MAX_OPERANDS]
    cdef int k
    if el.mode >= 0:
        el = _chosen(op, el, <object>slots[el.mode])
    if el.alpha >= 0 and slots[el.alpha] != <PyObject*>_ONE:
        el = el.scaled
    if out == <PyObject*>None:
        if el.nparams == 0 and el.nin <= 2 and el.fixed[0] < 0 and el.fixed[1] < 0:
            result = None
            if isinstance(<object>slots[0], Tensor):
                result = _fast(op, el, <Tensor>slots[0], slots[1] if el.nin == 2 else NULL, slots)
        else:
            result = _fast_of_many(op, el, slots)
        if result is not None:
            return result
    if op.flags & OP_INPLACE:
        out = slots[0]
    for k in range(el.nin):
        operands[k] = slots[k]
    return _general(op, el, operands, out, slots)


cdef Elementwise _chosen(Operator op, Elementwise el, object mode):
    chosen = el.modes.get(mode)
    if chosen is None:
        raise RuntimeError(f"{op.name} expected {op.schema.arguments[el.mode].name} to be one of "
                           f"{', '.join(map(repr, el.modes))} but found '{mode}'")
    return <Elementwise>chosen


cdef object _general(Operator op, Elementwise el, PyObject** operands, PyObject* out_slot, PyObject** slots):
    cdef PyObject* tensors[MAX_OPERANDS]
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[MAX_OPERANDS][MAX_NDIM] strides
    cdef Py_ssize_t* rows[MAX_OPERANDS]
    cdef char* ptrs[MAX_OPERANDS]
    cdef int[MAX_OPERANDS] have
    cdef int[MAX_OPERANDS] want
    cdef char[MAX_OPERANDS][16] numbers
    cdef double[MAX_PARAMS] params
    cdef Scalar s
    cdef Entry* e
    cdef Tensor out, t, given = None
    cdef list keep = []
    cdef int k, ndim, dtype
    cdef int nop = el.nin + 1
    cdef bint half

    dtype = promote(el.nin, operands, el.fixed)
    if el.check is not None:
        el.check.run(op, operands, dtype)
    if el.default_float and CATEGORY[dtype] <= CAT_INT:
        dtype = default_dtype()
    e = _entry(el, dtype)
    for k in range(el.nin):
        tensors[k] = operands[k] if isinstance(<object>operands[k], Tensor) else NULL
    ndim = broadcast_shape(el.nin, tensors, shape)

    if out_slot == <PyObject*>None:
        out = _fresh(el.nin, tensors, ndim, shape, e.result)
    else:
        out = _given(op, el, tensors, out_slot, ndim, shape, e.result, keep)
        if out.dtype != e.result and e.written != e.result:  # round to the result's dtype before writing
            given, out = out, _fresh(el.nin, tensors, ndim, shape, e.result)

    for k in range(el.nin):
        rows[k] = strides[k]
        want[k] = e.compute if el.fixed[k] < 0 else el.fixed[k]
        half = e.compute != dtype and el.fixed[k] < 0
        if tensors[k] != NULL:
            t = <Tensor>tensors[k]
            if half:
                t = _beside_half(t, dtype, e)
                keep.append(t)
            have[k] = t.dtype
            ptrs[k] = t.data
            broadcast_strides(t, ndim, shape, strides[k])
        else:
            read_scalar(operands[k], &s)
            have[k] = dtype if half and e.written == BOOL else want[k]  # comparisons read one dtype
            _store_number(el, &s, have[k], numbers[k])
            ptrs[k] = numbers[k]
            memset(strides[k], 0, ndim * sizeof(Py_ssize_t))
    rows[nop - 1] = strides[nop - 1]
    broadcast_strides(out, ndim, shape, strides[nop - 1])
    ptrs[nop - 1], have[nop - 1], want[nop - 1] = out.data, out.dtype, e.written
    if el.nparams:
        _read_params(el, slots, e.compute, params)
    run_loop(e.loop, <void*>params if el.nparams else e.data, nop, ptrs, have, want, ndim, shape, rows, True)
    if given is not None:
        copy_elements(given, out)
        out = given
    if out_slot != <PyObject*>None:
        out.storage.version += 1
    return out


cdef Tensor _beside_half(Tensor t, int dtype, Entry* e):
    """Convert an operand to the half type to which operands promote, with that type's precision and range."""
    if t.dtype != dtype if e.written == BOOL else t.ndim and CATEGORY[t.dtype] == CAT_INT:
        return to_dtype(t, dtype)
    return t


cdef Entry* _entry(Elementwise el, int dtype) except NULL:
    """Return the entry for a dtype, or raise an error that says why there is none."""
    if el.entries[dtype].loop != NULL:
        return &el.entries[dtype]
    refusal = el.refusals.get(family(dtype)) or \
        f'"{el.name}" not implemented for \'{type_name(dtype_object(dtype))}\''
    if isinstance(refusal, Exception):
        raise type(refusal)(*refusal.args)
    raise NotImplementedError(refusal)


cdef Tensor _given(Operator op, Elementwise el, PyObject** tensors, PyObject* out_slot, int ndim,
                   const Py_ssize_t* shape, int result, list keep):
    """Return the checked tensor to write to, in place or as `out`. Overlapping operands are copied into `keep`."""
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Tensor out = <Tensor>out_slot, t
    cdef bint fits = out.ndim == ndim and same_sizes(ndim, out.sizes, shape)
    cdef int k
    if op.flags & OP_INPLACE:
        check_writable(op.name, out)
        check_cast(result, out.dtype)
        if CATEGORY[out.dtype] == CAT_COMPLEX and CATEGORY[result] == CAT_FLOAT:
            raise RuntimeError(f"In-place {op.name.removesuffix('_')} is not supported for complex tensors.")
        if not fits:
            raise RuntimeError(f"output with shape {shape_str(out.ndim, out.sizes)} doesn't match the broadcast shape "
                               f"{shape_str(ndim, shape)}")
    else:
        if el.exact_out and (<Tensor>tensors[0]).dtype == result:
            check_same_dtype(result, out.dtype)
        out = out_tensor(op.name, out, result, ndim, shape)
        if not fits and result_strides(el.nin, tensors, ndim, shape, strides):
            restride(out, strides)
    for k in range(el.nin):
        if tensors[k] != NULL:
            t = <Tensor>tensors[k]
            check_overlap(out, t)
            if interleaves(out, t):
                t = copy_of(t)
                keep.append(t)
                tensors[k] = <PyObject*>t
    return out


cdef int _read_params(Elementwise el, PyObject** slots, int compute, double* params) except -1:
    """Read the loop's parameters: doubles followed by their imaginary parts, or integers instead."""
    cdef Scalar s
    cdef int k
    for k in range(el.nparams):
        if slots[el.params[k]] == <PyObject*>None:
            params[k] = params[el.nparams + k] = 0
            continue
        read_scalar(slots[el.params[k]], &s)
        if el.scales:
            _check_alpha(&s, compute)
        elif s.category == CAT_COMPLEX and CATEGORY[compute] != CAT_COMPLEX:
            raise RuntimeError(f"value cannot be converted to type {c_name(compute)} without overflow")
        if CATEGORY[compute] == CAT_INT:
            (<long long*>params)[k] = _integer_param(&s, compute)
        else:
            params[k], params[el.nparams + k] = s.re, s.im
    return 0


cdef int _check_alpha(const Scalar* s, int dtype) except -1:
    if s.category == CAT_BOOL and dtype != BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if s.category >= CAT_FLOAT and CATEGORY[dtype] <= CAT_INT:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if s.category == CAT_COMPLEX and CATEGORY[dtype] != CAT_COMPLEX:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return 0


cdef long long _integer_param(const Scalar* s, int dtype) except? -1:
    """Convert a parameter of an integer computation; raises if it does not fit the dtype."""
    cdef char[16] element
    cdef long long value = 0
    store_scalar(s, dtype, element)
    CAST[dtype][INT64](element, 0, <char*>&value, 0, 1)
    return value


cdef int _store_number(Elementwise el, const Scalar* s, int dtype, char* dst) except -1:
    """Store a Python number as an operand: integers wrap around in narrower integer dtypes."""
    if s.category <= CAT_INT and CATEGORY[dtype] == CAT_INT and not el.exact_numbers:
        CAST[INT64][dtype](<const char*>&s.i, 0, dst, 0, 1)
        return 0
    return store_scalar(s, dtype, dst)


cdef Tensor _fresh(int n, PyObject** tensors, int ndim, const Py_ssize_t* shape, int dtype):
    """Create the result, with the operands' order of dimensions."""
    cdef Py_ssize_t[MAX_NDIM] strides
    if result_strides(n, tensors, ndim, shape, strides):
        return empty_strided(dtype, ndim, shape, strides)
    return empty(dtype, ndim, shape)


# --- declaring elementwise kernels ----------------------------------------------------------------------------------

cdef cnp.ufunc _as_ufunc(object u):
    return <cnp.ufunc>u


cdef class Elementwise(Kernel):
    """A kernel that consists of inner loops, one for each dtype to which operands promote.

    Args:
        name: the kernel's name in errors about dtypes.
        nin: number of operands.
        loops: a NumPy ufunc, a dict from dtype names to addresses of loops with NumPy's signature, or both, where the
            dict takes precedence.
        result: the result's dtype: a dtype (bool for comparisons), ``SAME`` for the operands' dtype, or ``REAL_PART``
            for that of the real part of complex operands.
        default_float: integers are computed in the default floating dtype.
        dtypes: the accepted families of dtypes, such as ``INTS | FLOATS``; others raise "not implemented for".
        params: the names of the float arguments that the loop reads through its data pointer, in order.
        alpha: the name of an argument that multiplies the second operand, and the loops for values other than 1, whose
            parameter it is.
        fixed: {operand: dtype} for operands that take no part in promotion, such as a boolean condition.
        modes: (name, {value: kernel or None for this one}): a string argument that selects another kernel.
        bool_as: the dtype in which booleans are computed, if it is not bool.
        check: a compiled check of the operands.
        exact_out: whether ``out`` must have the dtype of the result, if that is the first operand's dtype.
        exact_numbers: whether Python numbers that do not fit the dtype are errors; otherwise integers wrap around.
        refuse: {family of dtypes: message} for rejected dtypes, if the default message does not suffice; an exception
            if it should not be a NotImplementedError.
    """

    def __init__(self, str name not None, int nin, loops, *, result=SAME, bint default_float=False, dtypes=USUAL,
                 params=(), tuple alpha=None, dict fixed=None, tuple modes=(), DType bool_as=None, Check check=None,
                 bint exact_out=False, bint exact_numbers=False, dict refuse=None):
        cdef int d, k, accepted = bits(name, "dtypes", dtypes, Dtypes)
        cdef bint half
        cdef Entry* e
        self.run, self.handles_out = run_elementwise, True
        self.name, self.nin = name, nin
        self.default_float = default_float
        self.alpha = self.mode = -1
        if alpha is not None:
            self.scaled = Elementwise(name, nin, alpha[1], result=result, dtypes=dtypes, params=alpha[:1], check=check)
            self.scaled.scales = True
        self.names = alpha[0] if alpha else None, modes[0] if modes else None, *names(name, "params", params)
        if modes:
            self.modes = {key: self if kernel is None else kernel for key, kernel in modes[1].items()}
        self.check = check
        self.exact_out, self.exact_numbers = exact_out, exact_numbers
        self.refusals = {bits(name, "refuse", each, Dtypes): text for each, text in (refuse or {}).items()}
        for d in self.refusals:
            if d & accepted:
                raise ValueError(f"{name}: {Dtypes(d & accepted)!r} are both accepted and refused")
        if result is not SAME and result is not REAL_PART and not isinstance(result, DType):
            raise TypeError(f"{name}: the result's dtype is SAME, REAL_PART or a dtype, not {result!r}")
        if not 0 < nin < MAX_OPERANDS:
            raise ValueError(f"{name}: a loop has 1 to {MAX_OPERANDS - 1} operands, not {nin}")
        tables, ufunc = loops if isinstance(loops, tuple) else (loops, None) if isinstance(loops, dict) else ({}, loops)
        _check_loops(name, tables)
        self.nparams = <int>len(self.names) - 2
        if 2 * self.nparams > MAX_PARAMS:  # complex numbers take two
            raise ValueError(f"{name}: a loop reads at most {MAX_PARAMS // 2} parameters, not {self.nparams}")
        for k in range(self.nparams):
            self.params[k] = -1
        for k in range(MAX_OPERANDS):
            self.fixed[k] = -1
        if fixed:
            for k, dtype in fixed.items():
                self.fixed[k] = dtype.id
        for d in range(NDTYPES):
            e = &self.entries[d]
            e.loop = NULL
            if not family(d) & accepted or (default_float and CATEGORY[d] <= CAT_INT):
                continue
            half = d in (FLOAT16, BFLOAT16, COMPLEX32) and dtype_object(d).name not in tables
            e.compute = d if not half else COMPLEX64 if d == COMPLEX32 else FLOAT32
            if d == BOOL and bool_as is not None:
                e.compute = bool_as.id
            address = tables.get(dtype_object(e.compute).name)
            if address is not None:
                e.loop = <loop_t><size_t>address
                e.data = NULL
                e.written = e.compute if result is SAME else real_of(e.compute) if result is REAL_PART else \
                    (<DType>result).id
            elif ufunc is None or not _from_ufunc(e, _as_ufunc(ufunc), nin, self.fixed):
                continue
            if result is SAME:
                e.result = e.compute if d == BOOL else d
            elif result is REAL_PART:
                e.result = real_of(d)
            else:
                e.result = e.written

    def check_schema(self, schema):
        tensors = [a.name for a in schema.arguments if a.kind == K_TENSOR and a.name != "out"]
        if len(tensors) != self.nin or [a.name for a in schema.arguments[:self.nin]] != tensors:
            raise ValueError(f"{schema.name}: the loops of '{self.name}' have {self.nin} operands, which the first "
                             f"arguments have to be, and no others tensors: {schema}")
        if len(schema.returns) != 1 or schema.returns[0].kind != K_TENSOR:
            raise ValueError(f"{schema.name}: an elementwise kernel computes one Tensor: {schema}")

    def read_slots(self, dict slots not None):
        cdef int k
        read_slot(&self.alpha, self.names[0], slots)
        read_slot(&self.mode, self.names[1], slots)
        for k in range(self.nparams):
            read_slot(&self.params[k], self.names[2 + k], slots)
        for kernel in (*(self.modes or {}).values(), self.scaled):
            if kernel is not self and kernel is not None:
                kernel.read_slots(slots)


cdef class Plan:
    """The inner loop that a call of an elementwise operator runs; compilers use it.

    ``reads`` and ``writes`` are the dtypes that the loop reads and writes; the latter is converted to ``result``.
    ``loop`` is the address of the loop, and ``data`` its data argument: an address, or the bytes of the parameters.
    ``mode`` is the value of the argument that selected the loop, and ``alpha`` the factor on the second operand.
    """
    cdef readonly tuple reads
    cdef readonly object writes, result, mode, alpha, data
    cdef readonly size_t loop


def plan(Operator op not None, tuple arguments not None):
    """Return the Plan of a call with bound arguments; None if the loop's dtypes differ from the computation's."""
    cdef Elementwise el = <Elementwise?>op.implementation
    cdef PyObject* operands[MAX_OPERANDS]
    cdef PyObject* slots[MAX_ARGS]
    cdef double[MAX_PARAMS] params
    cdef Plan p = Plan.__new__(Plan)
    cdef Entry* e
    cdef int dtype, k
    if el.mode >= 0:
        p.mode = arguments[el.mode]
        el = _chosen(op, el, p.mode)
    for k in range(op.nslots):
        slots[k] = <PyObject*>arguments[k]
    for k in range(el.nin):
        operands[k] = slots[k]
    dtype = promote(el.nin, operands, el.fixed)
    if el.default_float and CATEGORY[dtype] <= CAT_INT:
        dtype = default_dtype()
    e = _entry(el, dtype)
    if e.compute != dtype and dtype != BOOL:
        return None
    p.reads = tuple([dtype_object(e.compute if el.fixed[k] < 0 else el.fixed[k]) for k in range(el.nin)])
    p.writes, p.result, p.loop = dtype_object(e.written), dtype_object(e.result), <size_t>e.loop
    p.alpha = arguments[el.alpha] if el.alpha >= 0 else 1
    p.data = <size_t>e.data
    if el.nparams:
        _read_params(el, slots, e.compute, params)
        p.data = (<char*>params)[:2 * el.nparams * sizeof(double)]
    return p


cdef int _check_loops(str name, dict loops) except -1:
    """Check that a kernel's own loops are addresses, and that the keys are names of dtypes."""
    for dtype, address in loops.items():
        if type(address) is not int or not address:
            raise TypeError(f"{name}: the loop for {dtype} is the address of a function, not {address!r}")
        _dtype_by_name(dtype)


cdef class Check:
    """A compiled check of operands, created by compiled modules."""


cdef Check make_check(check_t run):
    cdef Check c = Check.__new__(Check)
    c.run = run
    return c


def ufunc_loop(ufunc, str dtype not None):
    """Return the addresses of a ufunc's inner loop for a dtype and of its data, for loops that call it."""
    cdef Entry e
    cdef int[MAX_OPERANDS] fixed
    cdef int k
    for k in range(MAX_OPERANDS):
        fixed[k] = -1
    e.compute = _dtype_by_name(dtype).id
    if not _from_ufunc(&e, _as_ufunc(ufunc), ufunc.nin, fixed):
        raise TypeError(f"{ufunc.__name__} has no loop for {dtype}")
    return <size_t>e.loop, <size_t>e.data


cdef bint _from_ufunc(Entry* e, cnp.ufunc u, int nin, int* fixed) except -1:
    """Find the loop of a NumPy ufunc for the entry's compute dtype."""
    cdef int i, j, wanted = NPY_TYPE[e.compute]
    cdef UFunc* f = <UFunc*><PyObject*>u
    if f.nin != nin or f.nout != 1:
        raise ValueError(f"{u.__name__} has {f.nin} inputs, not {nin}")
    for i in range(f.ntypes):
        for j in range(nin):
            if fixed[j] < 0 and f.types[i * (nin + 1) + j] != wanted:
                break
        else:
            if f.functions[i] == NULL:
                return False
            e.written = dtype_from_npy(f.types[i * (nin + 1) + nin])
            e.loop = <loop_t>f.functions[i]
            e.data = f.data[i] if f.data != NULL else NULL
            return True
    return False


cdef extern from "numpy/ufuncobject.h":
    ctypedef struct UFunc "PyUFuncObject":
        int nin
        int nout
        int ntypes
        void** functions
        void** data
        char* types


cnp.import_array()
