"""The class of sparse tensors: the indices and the values of the stored elements.

To the rest of the library such a tensor is a subclass whose only element, a zero, is expanded to its size, and which
implements each function itself or raises an error. All derivatives come from operations on the values, which are an
ordinary tensor.
"""

import math

import flambeau as torch
from flambeau.sparse import _blocks as blocks
from flambeau.sparse import _products as products
from flambeau_tensor.extend import wrapped_dim
from flambeau_tensor.pytorch_names import REDUCED
from flambeau_tensor.serialization import rebuilding

Tensor = torch.Tensor
# Functions of a tensor's size and dtype, which behave as for any other tensor.
_AS_DENSE = frozenset(
    (
        "size dim ndim ndimension numel nelement shape dtype device is_floating_point is_complex is_signed itemsize "
        "element_size names __len__ get_device is_cuda is_meta is_mps is_cpu is_xpu is_ipu is_maia "
        "is_mtia is_vulkan is_xla is_quantized is_nested is_inference"
    ).split()
)
# Functions of one argument that map zero to zero: they apply to the values of a coalesced tensor.
_OF_VALUES = frozenset(
    (
        "abs absolute neg negative sqrt sin sinh asin arcsin asinh arcsinh atan arctan atanh arctanh tan tanh expm1 "
        "log1p relu sign sgn signbit ceil floor round trunc deg2rad rad2deg erf erfinv isnan isinf square nan_to_num "
        "positive conj conj_physical real imag angle frac isposinf isneginf"
    ).split()
)
_CALLED = {  # in errors
    torch.sparse_coo: ("coordinate", "Sparse"),
    torch.sparse_csr: ("row compressed", "SparseCsr"),
    torch.sparse_csc: ("column compressed", "SparseCsc"),
    torch.sparse_bsr: ("row compressed", "SparseBsr"),
    torch.sparse_bsc: ("column compressed", "SparseBsc"),
}
_TRANSPOSED = {torch.sparse_csr: torch.sparse_csc, torch.sparse_bsr: torch.sparse_bsc}
_TRANSPOSED |= {columns: rows for rows, columns in _TRANSPOSED.items()}
_ROWS = (torch.sparse_csr, torch.sparse_bsr)
_CONVERTING = frozenset(
    (
        "to float double half bfloat16 long int short char byte bool type cpu clone detach contiguous type_as "
        "resolve_conj"
    ).split()
)


class SparseTensor(Tensor):
    """A tensor of layout ``torch.sparse_coo``, ``sparse_csr``, ``sparse_csc``, ``sparse_bsr`` or ``sparse_bsc``.

    `torch.sparse_coo_tensor` and its like create it.

    The stored elements are in the order of the layout: for ``torch.sparse_csc``, column by column.

    Raises:
        NotBuiltError: sparse tensors do not support a method.

    >>> x = torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()
    >>> x.indices(), x.values(), x.shape
    (tensor([[0],
            [1]]), tensor([2.]), torch.Size([2, 2]))
    """

    @staticmethod
    def _of(places, values, size, coalesced=False, layout=torch.sparse_coo):
        shape = tuple(size)
        self = torch.zeros((), dtype=values.dtype).expand(shape).as_subclass(SparseTensor)
        self.__dict__.update(_places=places, _stored=values, _coalesced=coalesced, _layout=layout)
        return self

    def _with(self, values, **changes):
        """The same places with other values."""
        options = {"coalesced": self._coalesced, "layout": self._layout, **changes}
        return SparseTensor._of(self._places, values, self.shape, **options)

    # --- properties ---

    @property
    def layout(self):
        """``torch.sparse_coo``, or another sparse layout."""
        return self._layout

    @property
    def is_sparse(self):
        """Whether the layout is ``torch.sparse_coo``."""
        return self._layout is torch.sparse_coo

    @property
    def is_sparse_csr(self):
        """Whether the layout is ``torch.sparse_csr``."""
        return self._layout is torch.sparse_csr

    @property
    def requires_grad(self):
        """Whether gradients of the values are computed."""
        return self._stored.requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self._stored.requires_grad_(value)

    def requires_grad_(self, requires_grad=True):
        """Set `requires_grad`."""
        self._stored.requires_grad_(requires_grad)
        return self

    @property
    def is_leaf(self):
        """Whether no operation made the values."""
        return self._stored.is_leaf

    @property
    def grad_fn(self):
        """The node that produced the values."""
        return self._stored.grad_fn

    @property
    def grad(self):
        """The gradient, sparse with the same places."""
        return None if self._stored.grad is None else self._with(self._stored.grad)

    @grad.setter
    def grad(self, value):
        self._stored.grad = None if value is None else value.coalesce()._stored

    @property
    def data(self):
        """The same places and values, without history."""
        return self._with(self._stored.detach())

    @data.setter
    def data(self, value):
        if not isinstance(value, SparseTensor) or value.layout is not self.layout or value.shape != self.shape:
            raise not_built("other data than a tensor of the same layout and size")
        self.__dict__.update(_places=value._places, _coalesced=value._coalesced)
        self._stored.data = value._stored

    def register_hook(self, hook):
        """Call ``hook(grad)`` when the gradient is known, which is sparse with the same places; its result replaces it.

        Returns a handle whose ``remove()`` removes the hook.
        """

        def of_values(grad):
            new = hook(None if grad is None else self._with(grad))
            return None if new is None else _seed(self, new)

        return self._stored.register_hook(of_values)

    def stride(self, dim=None):
        """Raise a RuntimeError: sparse tensors have no strides."""
        raise RuntimeError("sparse tensors do not have strides")

    def sparse_dim(self):
        """The number of sparse dimensions."""
        return self._places.shape[0]

    def dense_dim(self):
        """The number of dense dimensions."""
        return self._stored.ndim - 1 - len(blocks.size_of_blocks(self))

    def is_coalesced(self):
        """Return True if the indices are sorted and unique."""
        self._check(torch.sparse_coo, "is_coalesced")
        return self._coalesced

    def _coalesced_(self, coalesced):
        self._check(torch.sparse_coo, "_coalesced_")
        self._coalesced = coalesced
        return self

    def _nnz(self):
        return self._places.shape[1]

    def _check(self, layout, name):
        if _CALLED[self._layout][0] != _CALLED[layout][0]:
            expected, found = _CALLED[layout][0], _CALLED[self._layout][1]
            raise RuntimeError(f"{name} expected sparse {expected} tensor layout but got {found}")

    # --- its parts ---

    def _indices(self):
        return self._places

    def _values(self):
        """The values, without history."""
        return self._stored.detach()

    def indices(self):
        """The indices of a coalesced tensor, one per column."""
        self._check(torch.sparse_coo, "indices")
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._places

    def values(self):
        """The values; of layout ``torch.sparse_coo``, of a coalesced tensor."""
        if self.is_sparse and not self._coalesced:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return self._stored

    def crow_indices(self):
        """The start of each row among the values, and the end of the last row."""
        self._check(torch.sparse_csr, "crow_indices")
        counts = torch.bincount(self._places[0], minlength=self.shape[0] // (*blocks.size_of_blocks(self), 1)[0])
        return torch.cat([counts.new_zeros(1), counts.cumsum(0)])

    def col_indices(self):
        """The column of each value."""
        self._check(torch.sparse_csr, "col_indices")
        return self._places[1]

    def ccol_indices(self):
        """The start of each column among the values, and the end of the last column."""
        self._check(torch.sparse_csc, "ccol_indices")
        return self._transposed().crow_indices()

    def row_indices(self):
        """The row of each value, column by column."""
        self._check(torch.sparse_csc, "row_indices")
        return self._places[0]

    def _transposed(self):
        """Return the transpose, which has the same memory in the other compressed layout."""
        size = self.shape[1], self.shape[0], *self.shape[2:]
        values = self._stored.transpose(1, 2) if self._layout in blocks.BLOCKS else self._stored
        return SparseTensor._of(self._places.flip(0), values, size, True, _TRANSPOSED[self._layout])

    # --- other forms ---

    def coalesce(self):
        """Return the tensor with sorted unique indices; values with equal indices are added."""
        self._check(torch.sparse_coo, "coalesce")
        if self._coalesced:
            return self
        sizes = tuple(self.shape[: self.sparse_dim()])
        found, where = torch.unique(_flat(self._places, sizes), return_inverse=True)
        values = self._stored.new_zeros((len(found), *self._stored.shape[1:])).index_add(0, where, self._stored)
        return SparseTensor._of(_unflat(found, sizes), values, self.shape, True)

    def to_dense(self, dtype=None, *, masked_grad=None):
        """The dense tensor."""
        if self._layout in blocks.BLOCKS:
            return self.to_sparse().to_dense(dtype)
        values = self._stored if dtype is None else self._stored.to(dtype)
        if not self.sparse_dim():
            return values.sum(0, dtype=values.dtype)
        return values.new_zeros(self.shape).index_put(tuple(self._places), values, accumulate=True)

    def to_sparse(self, *args, layout=None, blocksize=None, **options):
        """The tensor in another sparse layout, by default ``torch.sparse_coo``."""
        layout = torch.sparse_coo if layout is None else layout
        blocks.check_given(self._layout, layout, blocksize or blocks.size_of_blocks(self) or None)
        if layout in blocks.BLOCKS:
            return self._to_blocks(layout, blocksize)
        if layout in (torch.sparse_csr, torch.sparse_csc):
            return self.to_sparse_csr() if layout is torch.sparse_csr else self.to_sparse_csc()
        if self._layout in blocks.BLOCKS:
            return blocks.elements(self)
        if self._layout is torch.sparse_csc:
            return SparseTensor._of(self._places, self._stored, self.shape).coalesce()
        return self if self.is_sparse else self._with(self._stored, layout=layout, coalesced=True)

    to_sparse_coo = to_sparse

    def _check_matrix(self, what):
        if self.sparse_dim() != 2:
            raise RuntimeError(f"{what}(): expected a matrix, got a tensor with {self.sparse_dim()} sparse dimensions")

    def to_sparse_csr(self, dense_dim=None):
        """The matrix with layout ``torch.sparse_csr``."""
        if self.is_sparse_csr:
            return self
        self._check_matrix("to_sparse_csr")
        coo = self.to_sparse().coalesce()
        return coo._with(coo._stored, layout=torch.sparse_csr)

    def to_sparse_csc(self, dense_dim=None):
        """The matrix with layout ``torch.sparse_csc``."""
        if self._layout is torch.sparse_csc:
            return self
        self._check_matrix("to_sparse_csc")
        return self.to_sparse().transpose(0, 1).to_sparse_csr()._transposed()

    def to_sparse_bsr(self, blocksize, dense_dim=None):
        """The matrix with layout ``torch.sparse_bsr``."""
        return self._to_blocks(torch.sparse_bsr, blocksize)

    def to_sparse_bsc(self, blocksize, dense_dim=None):
        """The matrix with layout ``torch.sparse_bsc``."""
        return self._to_blocks(torch.sparse_bsc, blocksize)

    def _to_blocks(self, layout, blocksize):
        blocksize = (blocksize,) * 2 if isinstance(blocksize, int) else blocksize
        if self._layout is layout and (blocksize is None or tuple(blocksize) == blocks.size_of_blocks(self)):
            return self
        return blocks.from_elements(self.to_sparse(), layout, blocksize or blocks.size_of_blocks(self))

    def transpose(self, dim0, dim1):
        """Two sparse dimensions exchanged."""
        dim0, dim1 = (wrapped_dim(dim, self.ndim) for dim in (dim0, dim1))
        if not self.ndim:
            return self
        if not self.is_sparse:
            if {dim0, dim1} - {0, 1}:
                raise not_built("transpose of a dense dimension")
            return self if dim0 == dim1 else self._transposed()
        coo = self
        order, size = list(range(self.sparse_dim())), list(self.shape)
        if max(dim0, dim1) >= self.sparse_dim():
            raise not_built("transpose of a dense dimension")
        order[dim0], order[dim1] = order[dim1], order[dim0]
        size[dim0], size[dim1] = size[dim1], size[dim0]
        return SparseTensor._of(coo._places[order], coo._stored, size, dim0 == dim1 and coo._coalesced)

    def t(self):
        """The transposed matrix."""
        if self.ndim > 2 or self.dense_dim():
            raise RuntimeError(
                f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_dim()} sparse and "
                f"{self.dense_dim()} dense dimensions"
            )
        return self.transpose(0, 1) if self.ndim == 2 else self

    @property
    def T(self):  # noqa: N802
        """The transposed matrix."""
        return self.t()

    @property
    def mT(self):  # noqa: N802
        """The last two dimensions exchanged."""
        return self.transpose(-2, -1)

    def numpy(self, *, force=False):
        """Raises TypeError."""
        raise TypeError(f"can't convert {self._layout} layout tensor to numpy. Use Tensor.to_dense() first.")

    def _parts(self):
        """The tensors that are stored, by the names that the layout has for them."""
        if self.is_sparse:
            parts = {"indices": self._places}
        elif self._layout in _ROWS:
            parts = {"crow_indices": self.crow_indices(), "col_indices": self.col_indices()}
        else:
            parts = {"ccol_indices": self.ccol_indices(), "row_indices": self.row_indices()}
        return {**parts, "values": self._stored.detach()}

    def __repr__(self, *, tensor_contents=None):
        parts = self._parts()
        notes = [f"size={tuple(self.shape)}", f"nnz={self._nnz()}"]
        if self.dtype not in (torch.get_default_dtype(), torch.int64, torch.bool):
            notes.append(f"dtype={self.dtype}")
        notes.append(f"layout={self._layout}")
        if self.grad_fn is not None:
            notes.append(f"grad_fn=<{type(self.grad_fn).__name__}>")
        elif self.requires_grad:
            notes.append("requires_grad=True")
        pad = " " * 7
        texts = [_shown(f"{name}=", part, pad) for name, part in parts.items()]
        if self.is_sparse:
            texts.append(notes.pop(0))
        text = "tensor(" + f",\n{pad}".join(texts)
        width = len(text) - text.rfind("\n") + 1
        for note in notes:
            if width + len(note) + 2 > 80:  # a line's length
                text, width = f"{text},\n{pad}{note}", len(pad) + len(note)
            else:
                text, width = f"{text}, {note}", width + len(note) + 2
        return text + ")"

    def __reduce_ex__(self, protocol):
        return _reduced(self)

    def __deepcopy__(self, memo):
        return self._with(self._stored.detach().clone().requires_grad_(self.requires_grad))

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        """Handle operators that reach the tensor without `__torch_function__` in the same way, by their names."""
        return cls.__torch_function__(func.overloadpacket, types, args, kwargs)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__"):
            name = str(func).split(".")[-2]
        elif name.startswith("__") and name != "__len__":
            name = name.strip("_")
        if name in _AS_DENSE or func is Tensor.as_subclass:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **kwargs)
        if name in _OF_VALUES or name in _CONVERTING:
            return _on_values(func, name, *args, **kwargs)
        if name.endswith("_") and name[:-1] in _OF_VALUES:
            return _become(args[0], getattr(Tensor, name[:-1])(*args, **kwargs))
        if name in HANDLERS:
            return HANDLERS[name](*args, **kwargs)
        own = cls.__dict__.get(name)
        if callable(own) and args and isinstance(args[0], cls):
            return own(*args, **kwargs)
        raise not_built(f"{name}() of sparse tensors", "dense ones, which to_dense() gives")


def not_built(what, instead=None):
    from flambeau_tensor.not_built import NotBuiltError

    return NotBuiltError(f"{what} is not built" + (f": use {instead}" if instead else ""))


def _shown(head, part, pad):
    """Return a part as text, without the dtype of the values, which is printed separately."""
    text = repr(part)
    if head == "values=" and text.endswith(f", dtype={part.dtype})"):
        text = text[: -len(f", dtype={part.dtype})")] + ")"
    first, *rest = text.split("\n")
    return "\n".join([head + first, *(pad + " " * len(head) + line if line else "" for line in rest)])


def _flat(places, sizes):
    """Each place as one number, in the order of the elements."""
    steps = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    return (places * torch.tensor(steps, dtype=torch.int64).reshape(-1, 1)).sum(0)


def _is_sorted(x):
    """Return True if the places of a tensor are sorted and different, whatever its flag says."""
    return x._coalesced or bool((_flat(x._places, x.shape[: x.sparse_dim()]).diff() > 0).all())


def _unflat(flat, sizes):
    parts = []
    for size in reversed(sizes):
        parts.append(flat % size)
        flat = flat // size
    return torch.stack(parts[::-1]) if parts else flat.new_zeros((0, len(flat)))


def _become(x, other):
    """Make a tensor the other one, in its own dtype, and return it."""
    if not torch.can_cast(other.dtype, x.dtype):
        raise RuntimeError(f"result type {other.dtype} can't be cast to the desired output type {x.dtype}")
    x.__dict__.update(_places=other._places, _stored=other._stored.to(x.dtype), _coalesced=other._coalesced)
    return x


def _on_values(func, name, x, *args, out=None, **kwargs):
    if not isinstance(x, SparseTensor):
        raise not_built(f"{name}() with a sparse tensor in that place")
    if out is not None:
        if not isinstance(out, SparseTensor) or out.layout is not x.layout or out.shape != x.shape:
            raise RuntimeError(f"{name}(): expected an out tensor of layout {x.layout} and shape {list(x.shape)}")
        return _become(out, _on_values(func, name, x, *args, **kwargs))
    if name in _OF_VALUES and x.is_sparse:
        x = x.coalesce()
    args = [a._stored if isinstance(a, SparseTensor) else a for a in args]
    values = func(x._stored, *args, **kwargs)
    return x._with(values) if isinstance(values, Tensor) else values


def from_dense(x, sparse_dim=None, layout=None, blocksize=None, dense_dim=None):
    """The elements of a tensor that are not zero, with their places."""
    sparse_dim = x.ndim if sparse_dim is None else sparse_dim
    if not 0 <= sparse_dim <= x.ndim or (sparse_dim == 0 and x.ndim):
        raise RuntimeError(f"sparse_dim argument must be in >0 when dense_dim is None, got {sparse_dim}")
    blocks.check_given(torch.strided, layout, blocksize)
    if layout in blocks.BLOCKS:
        return blocks.from_dense(x, layout, blocksize, dense_dim, SparseTensor._of)
    there = x.detach() != 0
    if sparse_dim < x.ndim:
        there = there.flatten(sparse_dim).any(-1)
    places = there.nonzero().T.contiguous()
    out = SparseTensor._of(places, x[tuple(places)] if x.ndim else x.reshape(1)[there.reshape(1)], x.shape, True)
    return out if layout is None else out.to_sparse(layout=layout)


def _by_elements(x):
    """Return a tensor of blocks as its elements, and others as they are."""
    return x.to_sparse() if isinstance(x, SparseTensor) and x.layout in blocks.BLOCKS else x


def _matmul(a, b, *, out=None):
    if out is not None:
        raise not_built("out= of a product with sparse tensors")
    a, b = _by_elements(a), _by_elements(b)
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise not_built("a product of sparse tensors that are not matrices")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {'x'.join(map(str, b.shape))})"
        )
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a.dtype} != {b.dtype}")
    for x in (a, b):
        if isinstance(x, SparseTensor) and x.dense_dim():
            raise not_built("a product of sparse tensors with dense dimensions")
    if not isinstance(b, SparseTensor):
        return products.SparseByDense.apply(a._stored, a._places, tuple(a.shape), b)
    if not isinstance(a, SparseTensor):  # as (Bᵀ Aᵀ)ᵀ
        coo = b.to_sparse()
        by = products.SparseByDense.apply(coo._stored, coo._places.flip(0), tuple(b.shape)[::-1], a.t())
        return by.t()
    layout = torch.sparse_coo if a.is_sparse else torch.sparse_csr
    a, b = a.to_sparse(), b.to_sparse()
    where = a._places, tuple(a.shape), b._places, tuple(b.shape)
    places = products.product_places(*where)
    values = products.SparseBySparse.apply(a._stored, *where[:2], b._stored, *where[2:], places)
    out = SparseTensor._of(places, values, (a.shape[0], b.shape[1]), True)
    return out.to_sparse(layout=layout)


def _addmm(x, a, b, *, beta=1, alpha=1):
    product = alpha * _matmul(a, b)
    return product if beta == 0 else _add(beta * x if beta != 1 else x, product)


def _add(a, b, *, alpha=1):
    if alpha != 1:
        b = b * alpha
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        raise not_built("a sum of a sparse tensor and a number", "to_dense()")
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        if a.shape != b.shape:
            raise RuntimeError(
                f"add: expected sizes of 'self' and 'other' to match, but {tuple(a.shape)} != {tuple(b.shape)}"
            )
        layout, blocksize, (a, b) = a.layout, blocks.size_of_blocks(a) or None, (a.to_sparse(), b.to_sparse())
        dtype = torch.promote_types(a.dtype, b.dtype)
        out = SparseTensor._of(
            torch.cat([a._places, b._places], 1), torch.cat([a._stored.to(dtype), b._stored.to(dtype)]), a.shape
        )
        coalesced = a._coalesced and b._coalesced
        if coalesced or all(x._stored.is_contiguous() and _is_sorted(x) for x in (a, b)):  # as PyTorch does
            out = out.coalesce()._coalesced_(coalesced)
        return out.to_sparse(layout=layout, blocksize=blocksize)
    return (a.to_dense() if isinstance(a, SparseTensor) else a) + (b.to_dense() if isinstance(b, SparseTensor) else b)


def _sub(a, b, *, alpha=1):
    return _add(a, -b, alpha=alpha)


def _mul(a, b, *, out=None):
    a, b = (x.to_dense() if isinstance(x, SparseTensor) and not x.ndim else x for x in (a, b))
    if not isinstance(a, SparseTensor):
        a, b = b, a
    if not isinstance(a, SparseTensor):
        return a * b
    if not isinstance(b, Tensor) or (not isinstance(b, SparseTensor) and b.ndim == 0):
        return a._with(a._stored * b)
    if isinstance(b, SparseTensor):
        layout, blocksize = a.layout, blocks.size_of_blocks(a) or None
        a, b = a.to_sparse().coalesce(), b.to_sparse().coalesce()
        if a.shape != b.shape:
            raise RuntimeError(f"mul operands have incompatible sizes: {tuple(a.shape)} and {tuple(b.shape)}")
        sizes = tuple(a.shape[: a.sparse_dim()])
        left, right = _flat(a._places, sizes), _flat(b._places, sizes)
        kept, other = torch.isin(left, right), torch.isin(right, left)
        out = SparseTensor._of(a._places[:, kept], a._stored[kept] * b._stored[other], a.shape, True)
        return out.to_sparse(layout=layout, blocksize=blocksize)
    return a._with(a._stored * blocks.taken(b.expand(a.shape), a))


def _div(a, b, *, rounding_mode=None):
    if not isinstance(a, SparseTensor) or isinstance(b, SparseTensor):
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor")
    if isinstance(b, Tensor) and b.ndim:
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor "
            f"(got shape {list(b.shape)} for divisor)"
        )
    a = a.coalesce() if rounding_mode and a.is_sparse else a
    return a._with(torch.div(a._stored, b, rounding_mode=rounding_mode))


def _pow(a, exponent):
    a = a.coalesce() if a.is_sparse else a
    return a._with(a._stored**exponent)


def total(x, dim=None, dtype=None):
    """Return the sum of all elements, or over some dimensions: dense if these include all sparse ones, else sparse."""
    values = x._stored if dtype is None else x._stored.to(dtype)
    if dim is None:
        return values.sum()
    dims = {wrapped_dim(d, x.ndim) for d in ([dim] if isinstance(dim, int) else dim)}
    if x.layout in blocks.BLOCKS:
        return total(x.to_sparse(), dim, dtype)
    sparse = x.sparse_dim()
    dense = tuple(d - sparse + 1 for d in dims if d >= sparse)
    values = values.sum(dense) if dense else values
    kept = [d for d in range(sparse) if d not in dims]
    if not kept:
        return values.sum(0)
    size = [s for d, s in enumerate(x.shape) if d not in dims]
    out = SparseTensor._of(x._places[kept], values, size, x._coalesced and len(kept) == sparse)
    return out.coalesce() if x._coalesced else out


def index_select(x, dim, index):
    """The slices of a sparse dimension that an index names, sparse."""
    x = _by_elements(x)
    layout, x = x.layout, x.to_sparse()
    dim = wrapped_dim(dim, x.ndim)
    if dim >= x.sparse_dim():
        size = [*x.shape[:dim], len(index), *x.shape[dim + 1 :]]
        values = x._stored.index_select(dim - x.sparse_dim() + 1, index)
        return SparseTensor._of(x._places, values, size, x._coalesced)
    found, at = (x._places[dim].unsqueeze(0) == index.unsqueeze(1)).nonzero().unbind(1)
    places = x._places[:, at]
    places[dim] = found
    size = [*x.shape[:dim], len(index), *x.shape[dim + 1 :]]
    return SparseTensor._of(places, x._stored[at], size).coalesce().to_sparse(layout=layout)


def _equal(a, b):
    return torch.equal(a.to_dense(), b.to_dense())


def at_places(x, mask):
    """The elements of a dense tensor at the places of a sparse one."""
    if not isinstance(mask, SparseTensor):
        raise NotImplementedError(
            f"sparse_mask(): argument 'mask' (position 1) must be a sparse tensor, not {mask.layout}"
        )
    if x.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(x.shape)} but mask "
            f"has size {list(mask.shape)}"
        )
    mask = mask.coalesce() if mask.is_sparse else mask
    return mask._with(blocks.taken(x, mask))


def _backward(x, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    if isinstance(x, SparseTensor):
        x, gradient = x._stored, _seed(x, gradient)
    with torch._C.DisableTorchFunctionSubclass():
        return Tensor.backward(x, gradient, retain_graph, create_graph, inputs)


def _grad(outputs, inputs, grad_outputs=None, **options):
    outputs, inputs = ((x,) if isinstance(x, Tensor) else tuple(x) for x in (outputs, inputs))
    seeds = (grad_outputs,) if grad_outputs is None or isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
    seeds = seeds * len(outputs) if len(seeds) == 1 and seeds[0] is None else seeds
    seeds = [_seed(x, g) if isinstance(x, SparseTensor) else g for x, g in zip(outputs, seeds, strict=True)]
    outputs, wanted = ([x._stored if isinstance(x, SparseTensor) else x for x in xs] for xs in (outputs, inputs))
    with torch._C.DisableTorchFunctionSubclass():
        found = torch.autograd.grad(outputs, wanted, seeds, **options)
    return tuple(
        x._with(g) if isinstance(x, SparseTensor) and g is not None else g for x, g in zip(inputs, found, strict=True)
    )


def _seed(x, gradient):
    """The gradient of the values of a sparse tensor, from that of the tensor."""
    return None if gradient is None else blocks.taken(gradient.to_dense(), x)


HANDLERS = {
    "backward": _backward,
    "grad": _grad,
    **dict.fromkeys(("mm", "matmul", "spmm", "smm", "hspmm", "mv", "rmatmul"), _matmul),
    "addmm": _addmm,
    **dict.fromkeys(("add", "radd"), _add),
    **dict.fromkeys(("sub", "subtract"), _sub),
    **dict.fromkeys(("mul", "multiply", "rmul"), _mul),
    **dict.fromkeys(("div", "divide", "truediv", "true_divide"), _div),
    "pow": _pow,
    "sum": lambda x, dim=None, keepdim=False, *, dtype=None: total(x, dim, dtype),
    "equal": _equal,
    "index_select": index_select,
    "sparse_mask": at_places,
}


def _reduced(x):
    """Return the pickled form of a sparse tensor."""
    parts = (*x._parts().values(), x.shape, *([x.is_coalesced()] if x.is_sparse else []))
    return rebuilding._rebuild_sparse_tensor, (x.layout, parts)


REDUCED[SparseTensor] = _reduced
