# cython: language_level=3
"""The compiled kinds of batching rules; the table of each family assigns a kind to each operator.

The meaning of an operator's arguments follows from their names in the schema and is determined once per operator.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    ABI_MAX_NDIM, TensorInfo, O_INPLACE, call_bound, dtype_number, is_tensor, tensor_info,
)

from flambeau_autograd._engine.levels.batch_level cimport (
    MAX_SLOTS, SHARED, BatchLevel, BatchRule, Examples, for_python, put,
)
from flambeau_autograd._engine.refs cimport is_tuple, tuple_item, tuple_size
from flambeau_autograd.batching.batched_views cimport (
    NEW, examples_first, ndim_of, rearranged, repeated_first,
)

from flambeau_tensor.extend import wrapped_dim

cdef enum:  # the meaning of an argument
    PLAIN
    DIM  # a dimension, or several
    SIZE  # the sizes of a tensor

cdef tuple _DIMS = ("dim", "dims", "dim0", "dim1", "dim2", "dimension", "start_dim", "end_dim")
cdef tuple _SIZES = ("size", "sizes", "shape", "input_size")
cdef PyObject* NONE = <PyObject*>None


cdef inline int _rank(Examples* call, int slot) noexcept:
    """Return the number of dimensions of an example, without the batch dimension."""
    return ndim_of(call.values[slot]) - (call.dims[slot] >= 0)


cdef inline int _first_rank(Examples* call, int slot) noexcept:
    """Return the rank of an example of the argument, or of the first tensor if it is a list."""
    if is_tensor(call.values[slot]):
        return _rank(call, slot)
    return ndim_of(tuple_item(call.values[slot], 0)) - (
        call.nested[slot] != NULL and tuple_item(call.nested[slot], 0) != NONE)


cdef inline bint _holds_tensors(PyObject* value) noexcept:
    cdef Py_ssize_t i
    if is_tensor(value):
        return True
    if is_tuple(value):
        for i in range(tuple_size(value)):
            if is_tensor(tuple_item(value, i)):
                return True
    return False


cdef int _all_first(BatchLevel level, Examples* call) except -1:
    """Move the batch dimension of every tensor to the front, and repeat unbatched tensors."""
    cdef PyObject* p
    cdef int i
    for i in range(call.info.nslots):
        p = call.values[i]
        if is_tensor(p):
            if call.dims[i] == SHARED:
                put(call, i, repeated_first(p, level.size))
            elif call.dims[i]:
                put(call, i, examples_first(p, call.dims[i], 0))
        elif _holds_tensors(p):
            put(call, i, _list_first(level, <object>p, <object>call.nested[i] if call.nested[i] != NULL else None))
    return 0


cdef tuple _list_first(BatchLevel level, tuple items, object dims):
    cdef list out = []
    for i, item in enumerate(items):
        dim = None if dims is None else dims[i]
        if is_tensor(<PyObject*>item):
            item = repeated_first(<PyObject*>item, level.size) if dim is None else \
                examples_first(<PyObject*>item, dim, 0)
        elif isinstance(item, tuple):
            item = _list_first(level, item, dim)
        out.append(item)
    return tuple(out)


cdef object _in_python(object rule, BatchLevel level, Examples* call):
    """Run a rule in Python on the same call; both kinds of rules return results with the batch dimension in front."""
    result, at = rule(level, <object>call.op, *for_python(call))
    call.at = 0 if at is not None else SHARED
    return result


# --- element by element ---------------------------------------------------------------------------------------------

cdef class Elementwise(BatchRule):
    """Elementwise operators: moves the batch dimension to the front and pads examples with dimensions of size 1.

    promote: computes the result dtype from ``[(tensor, dimensions of an example), …]``.
    """

    cdef object promote

    def __init__(self, promote):
        self.promote = promote

    cdef object run(self, BatchLevel level, Examples* call):
        cdef PyObject* p
        cdef int i, own, rank = 0, dtype = -1
        cdef bint mixed = False
        for i in range(call.info.nslots):
            p = call.values[i]
            if is_tensor(p):
                own = _rank(call, i)
                rank = max(rank, own)
                if dtype >= 0 and dtype != dtype_number(p):
                    mixed = True
                dtype = dtype_number(p)
        if mixed:
            self.convert(call)
        for i in range(call.info.nslots):
            if call.dims[i] > 0 or (call.dims[i] == 0 and _rank(call, i) < rank):
                put(call, i, examples_first(call.values[i], call.dims[i], rank))
        return call_bound(call.op, call.values)

    cdef int convert(self, Examples* call) except -1:
        """Convert batched scalars, so that their batch dimension does not raise their precedence in type promotion."""
        cdef int i, dim
        tensors = [(<object>call.values[i], _rank(call, i)) for i in range(call.info.nslots)
                   if is_tensor(call.values[i])]
        promoted = self.promote(tensors)
        for i in range(call.info.nslots):
            if call.dims[i] < 0 or _rank(call, i) or (i == 0 and call.info.flags & O_INPLACE):
                continue
            value = <object>call.values[i]
            if value.dtype.name != "bool":
                dim = call.dims[i]
                put(call, i, value.to(promoted))
                call.dims[i] = dim
        return 0


cdef class Plain(BatchRule):
    """Operators that treat an additional leading dimension as a batch."""

    cdef object run(self, BatchLevel level, Examples* call):
        _all_first(level, call)
        return call_bound(call.op, call.values)


cdef class Matrices(Plain):
    """Plain operators of matrices. A batch of vectors would look like a matrix, so vectors take the loop, which raises.

    looped: the rule that runs the operator once for each example.
    """

    cdef object looped

    def __init__(self, looped):
        self.looped = looped

    cdef object run(self, BatchLevel level, Examples* call):
        cdef int i
        for i in range(call.info.nslots):
            if is_tensor(call.values[i]) and _rank(call, i) < 2:
                return _in_python(self.looped, level, call)
        return Plain.run(self, level, call)


# --- along dimensions -----------------------------------------------------------------------------------------------

cdef class _Reading:
    """The meaning of an operator's arguments, derived from the schema."""

    cdef int[MAX_SLOTS] means
    cdef int dim, keepdim  # the slots of the arguments with these names, or -1
    cdef bint has_dims, several  # `dim` is a list


cdef dict _readings = {}


cdef _Reading _reading(PyObject* op):
    cdef _Reading r
    found = _readings.get(<object>op)
    if found is not None:
        return <_Reading>found
    r = _Reading.__new__(_Reading)
    r.dim = r.keepdim = -1
    for i, a in enumerate((<object>op).schema.arguments):
        if a.name in _DIMS:
            r.means[i], r.has_dims = DIM, True
        elif a.name in _SIZES and a.is_list:
            r.means[i] = SIZE
        if a.name == "dim":
            r.dim, r.several = i, a.is_list
        elif a.name == "keepdim":
            r.keepdim = i
    _readings[<object>op] = r
    return r


cdef class Shifted(BatchRule):
    """Operators along dimensions: shifts dimension numbers by one and prepends the batch size to sizes.

    looped: the rule for examples without dimensions.
    more: the number of dimensions that the result has in addition to those of the first tensor.
    scalars: the operator treats tensors without dimensions as having one, and its result has no more than they.
    order: the dimensions are a permutation of all.
    """

    cdef object looped
    cdef int more
    cdef bint scalars, order

    def __init__(self, looped, int more=0, bint scalars=False, bint order=False):
        self.looped, self.more, self.scalars, self.order = looped, more, scalars, order

    cdef object run(self, BatchLevel level, Examples* call):
        cdef int i
        if self.scalars:
            for i in range(call.info.nslots):
                if is_tensor(call.values[i]) and _rank(call, i):
                    return self.shift(level, call)
            return self.of_scalars(level, call)
        return self.shift(level, call)

    cdef object shift(self, BatchLevel level, Examples* call):
        cdef _Reading r = _reading(call.op)
        cdef int i, first = 0, rank
        while not _holds_tensors(call.values[first]):
            first += 1
        rank = _first_rank(call, first) + self.more
        if rank == 0 and r.has_dims and not self.order:
            return _in_python(self.looped, level, call)
        for i in range(call.info.nslots):
            if r.means[i] == DIM and call.values[i] != NONE:
                put(call, i, self.shifted_dims(<object>call.op, <object>call.values[i], rank))
                call.dims[i] = SHARED
            elif r.means[i] == SIZE:
                size = <object>call.values[i]
                put(call, i, (level.size, *size) if isinstance(size, (tuple, list)) else (level.size, size))
                call.dims[i] = SHARED
        _all_first(level, call)
        return call_bound(call.op, call.values)

    cdef object shifted_dims(self, object op, object given, int rank):
        if not isinstance(given, tuple):
            if self.order:
                given = given,
            else:
                return _shift(given, rank)
        dims = [_shift(d, rank) for d in <tuple>given]
        if self.order:
            if len(dims) != rank:
                raise RuntimeError(f"{op.name}(): {len(dims)} dimensions were given for a tensor of {rank}")
            dims.insert(0, 0)
        return tuple(dims)

    cdef object of_scalars(self, BatchLevel level, Examples* call):
        cdef int order[2]
        cdef int i
        for i in range(call.info.nslots):
            if not is_tensor(call.values[i]):
                continue
            if call.dims[i] == SHARED:
                order[0] = NEW
                put(call, i, rearranged(call.values[i], order, 1))
                call.dims[i] = SHARED
            else:
                order[0], order[1] = 0, NEW
                put(call, i, rearranged(call.values[i], order, 2))
        result = self.shift(level, call)
        return _each(result, _without_1)


cdef object _shift(object dim, int rank):
    cdef int d
    if type(dim) is int and -rank <= dim < rank:
        d = dim
        return (d + rank if d < 0 else d) + 1
    return wrapped_dim(dim, rank) + 1  # which raises


cdef object _each(object result, object function):
    """Apply ``function`` to every tensor among the results."""
    if is_tensor(<PyObject*>result):
        return function(result)
    items = tuple([_each(r, function) for r in result])
    return items if type(result) is tuple else type(result)(items)


def _without_1(t):
    """Remove dimension 1, which has size 1, unless a reduction has done so."""
    cdef int order[ABI_MAX_NDIM]
    cdef int i, n = ndim_of(<PyObject*>t) - 1
    if n == 0:
        return t
    order[0] = 0
    for i in range(1, n):
        order[i] = i + 1
    return rearranged(<PyObject*>t, order, n)


cdef class Reduced(Shifted):
    """Reductions, over all dimensions except the batch dimension if none is given."""

    cdef object run(self, BatchLevel level, Examples* call):
        cdef _Reading r = _reading(call.op)
        cdef PyObject* dim = call.values[r.dim]
        cdef int rank
        if dim != NONE and not (is_tuple(dim) and tuple_size(dim) == 0):
            return self.shift(level, call)
        if call.dims[0] == SHARED:
            put(call, 0, repeated_first(call.values[0], level.size))
        elif call.dims[0]:
            put(call, 0, examples_first(call.values[0], call.dims[0], 0))
        rank = ndim_of(call.values[0]) - 1
        if r.several:
            if rank == 0:
                put(call, 0, _with_1(<object>call.values[0]))
            put(call, r.dim, _BEHIND[rank] if 0 < rank < 4 else tuple(range(1, rank + 1)) if rank else (1,))
            result = call_bound(call.op, call.values)
            return _each(result, _without_1) if rank == 0 and ndim_of(<PyObject*>result) > 1 else result
        put(call, 0, _rows(<object>call.values[0], level.size))
        put(call, r.dim, 1)
        result = call_bound(call.op, call.values)
        if r.keepdim >= 0 and <object>call.values[r.keepdim]:
            return result.reshape((level.size,) + (1,) * rank)
        return result


cdef tuple _BEHIND = (None, (1,), (1, 2), (1, 2, 3))


def _with_1(t):
    """Append a dimension of size 1 to a one-dimensional tensor."""
    cdef int order[2]
    order[0], order[1] = 0, NEW
    return rearranged(<PyObject*>t, order, 2)


cdef object _rows(object t, Py_ssize_t size):
    """Flatten each example into a row."""
    cdef TensorInfo f
    cdef Py_ssize_t count = 1
    cdef int i
    tensor_info(<PyObject*>t, &f)
    if f.ndim == 2:
        return t
    if f.ndim == 1:
        return _with_1(t)
    for i in range(1, f.ndim):
        count *= f.sizes[i]
    return t.reshape((size, count))


# --- views ----------------------------------------------------------------------------------------------------------

cdef class Expanded(BatchRule):
    """``expand``: inserts new dimensions behind the batch dimension."""

    cdef object run(self, BatchLevel level, Examples* call):
        size = <object>call.values[1]
        size = size if isinstance(size, (tuple, list)) else (size,)
        put(call, 0, examples_first(call.values[0], call.dims[0], <int>len(size)))
        put(call, 1, (level.size, *size))
        return call_bound(call.op, call.values)


cdef class Rearranged(BatchRule):
    """Views with the dimensions of examples reversed: all of them, or only those of matrices.

    by: the operator that permutes dimensions.
    same: the operator that returns a view of the whole tensor.
    """

    cdef object by, same
    cdef bint matrices

    def __init__(self, by, same, bint matrices=False):
        self.by, self.same, self.matrices = by, same, matrices

    cdef object run(self, BatchLevel level, Examples* call):
        cdef int rank = _rank(call, 0), i
        cdef PyObject* args[2]
        if self.matrices and rank > 2:
            raise RuntimeError(f"{(<object>call.op).name}() expects a tensor with <= 2 dimensions, but self is {rank}D")
        t = examples_first(call.values[0], call.dims[0], 0)
        args[0] = <PyObject*>t
        if rank < 2:
            return call_bound(<PyObject*>self.same, args)
        order = (0, *[i for i in range(rank, 0, -1)])
        args[1] = <PyObject*>order
        return call_bound(<PyObject*>self.by, args)


# --- products -------------------------------------------------------------------------------------------------------

cdef class Product(BatchRule):
    """Products of matrices and vectors; left, right: the number of dimensions of the factors."""

    cdef int left, right

    def __init__(self, int left, int right):
        self.left, self.right = left, right

    cdef object run(self, BatchLevel level, Examples* call):
        cdef int ranks[2]
        ranks[0], ranks[1] = _rank(call, 0), _rank(call, 1)
        if ranks[0] != self.left or ranks[1] != self.right:
            raise RuntimeError(
                f"Shape mismatch: Got incorrect dims for {(<object>call.op).name}(a, b). a has dim {ranks[0]} and b "
                f"has dim {ranks[1]} but expected them to have dim {self.left} and dim {self.right}")
        return _multiplied(level, call, 0, 1)


cdef object _multiplied(BatchLevel level, Examples* call, int a, int b):
    """Multiply factors whose examples have one to three dimensions; at least one factor is batched."""
    cdef int order[4]
    cdef int rank_a = _rank(call, a), rank_b = _rank(call, b)
    cdef TensorInfo f
    if rank_a == 3:
        for i in (a, b):
            put(call, i, repeated_first(call.values[i], level.size) if call.dims[i] == SHARED else
                examples_first(call.values[i], call.dims[i], 0))
        return <object>call.values[a] @ <object>call.values[b]
    left = _matrix(call, a, rank_a, True)
    right = _matrix(call, b, rank_b, False)
    if call.dims[b] == SHARED and rank_a == 2 and rank_b == 2:
        tensor_info(<PyObject*>left, &f)
        rows, columns = f.sizes[1], f.sizes[2]
        out = (left.reshape((level.size * rows, columns)) @ right).reshape((level.size, rows, right.shape[1]))
    else:
        out = left @ right  # one matrix broadcasts against many
    if rank_a == 2 and rank_b == 2:
        return out
    order[0], order[1] = 0, 1 if rank_b == 1 else 2
    return rearranged(<PyObject*>out, order, 1 if rank_a == 1 and rank_b == 1 else 2)


cdef object _matrix(Examples* call, int slot, int rank, bint left):
    """Return a factor with its batch dimension, if any, in front, and a vector as a matrix with one row or column."""
    cdef int order[3]
    cdef int n = 0, dim = call.dims[slot]
    if rank == 2 and dim <= 0:
        return <object>call.values[slot]
    if dim >= 0:
        order[0], n = dim, 1
    if rank == 2:
        order[1], order[2] = 0 if dim else 1, 2 if dim < 2 else 1
        return rearranged(call.values[slot], order, 3)
    order[n + left] = 1 if dim == 0 else 0
    order[n + (not left)] = NEW
    return rearranged(call.values[slot], order, n + 2)


cdef class Linear(BatchRule):
    """``input @ weight.T + bias``; batched weights become a batched product."""

    cdef object looped

    def __init__(self, looped):
        self.looped = looped

    cdef object run(self, BatchLevel level, Examples* call):
        cdef int order[ABI_MAX_NDIM]
        cdef int n, rank
        cdef bint alone
        bias = <object>call.values[2]
        rank = _rank(call, 0)
        if rank and call.dims[1] == SHARED and call.dims[2] == SHARED:
            put(call, 0, examples_first(call.values[0], call.dims[0], 0))
            return call_bound(call.op, call.values)
        if _rank(call, 1) < 2 or rank == 0:
            return _in_python(self.looped, level, call)
        alone = rank == 1  # an example is one row
        if call.dims[0] >= 0:
            put(call, 0, examples_first(call.values[0], call.dims[0], 0))
        if alone:
            n = 1 + (call.dims[0] >= 0)
            order[0], order[n - 1], order[n] = 0, NEW, n - 1
            x = rearranged(call.values[0], order, n + 1)
        else:
            x = <object>call.values[0]
        n = 0
        if call.dims[1] >= 0:
            put(call, 1, examples_first(call.values[1], call.dims[1], 0))
            order[0], n = 0, 1
            for _ in range(rank - 2):
                order[n] = NEW
                n += 1
            order[n], order[n + 1] = 2, 1
        else:
            order[0], order[1] = 1, 0
        out = x @ rearranged(call.values[1], order, n + 2)
        if alone:
            n = ndim_of(<PyObject*>out)
            order[0] = 0
            order[n - 2] = n - 1
            out = rearranged(<PyObject*>out, order, n - 1)
        if call.dims[2] >= 0:
            out = out + examples_first(call.values[2], call.dims[2], rank)
        elif bias is not None:
            out = out + bias
        return out


# --- others ---------------------------------------------------------------------------------------------------------

cdef class Joined(Shifted):
    """``cat``; ignored empty tensors of another rank are left to the loop over examples."""

    cdef object run(self, BatchLevel level, Examples* call):
        cdef int rank = _first_rank(call, 0), i
        cdef PyObject* items = call.values[0]
        for i in range(1, <int>tuple_size(items)):
            if ndim_of(tuple_item(items, i)) - (
                    call.nested[0] != NULL and tuple_item(call.nested[0], i) != NONE) != rank:
                return _in_python(self.looped, level, call)
        return self.shift(level, call)


cdef class Squeezed(BatchRule):
    """``squeeze``; same: the operator that returns a view of the whole tensor, if there is nothing to squeeze."""

    cdef object same

    def __init__(self, same):
        self.same = same

    cdef object run(self, BatchLevel level, Examples* call):
        cdef TensorInfo f
        cdef list found = []
        cdef int rank
        given = <object>call.values[1]
        put(call, 0, examples_first(call.values[0], call.dims[0], 0))
        tensor_info(call.values[0], &f)
        rank = f.ndim - 1
        for d in range(rank) if given is None else given if isinstance(given, (tuple, list)) else (given,):
            at = _shift(d, rank)
            if at in found:
                raise RuntimeError(f"dim {at - 1} appears multiple times in the list of dims")
            found.append(at)
        found = [at for at in found if at <= rank and f.sizes[<int>at] == 1]
        if not found:
            return call_bound(<PyObject*>self.same, call.values)
        put(call, 1, tuple(found))
        return call_bound(call.op, call.values)


cdef class Formatted(Plain):
    """Plain operators, except that ``rule`` handles calls whose last argument is a memory format for a batch.

    formats: these memory formats.
    """

    cdef object formats, rule

    def __init__(self, formats, rule):
        self.formats, self.rule = formats, rule

    cdef object run(self, BatchLevel level, Examples* call):
        if <object>call.values[1] in self.formats:
            return _in_python(self.rule, level, call)
        _all_first(level, call)
        return call_bound(call.op, call.values)
