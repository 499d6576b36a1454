"""Gathering and scattering along a dimension, by a vector of indices or element by element."""

from flambeau_tensor._core.call.forwarding import overloads
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.call.sockets import sockets
from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.schema.declaring import FUNCTION, INPLACE, INPLACE_FUNCTION, METHOD
from flambeau_tensor._core.schema.registry import declared_operators, find_operator
from flambeau_tensor._kernels import gathering as kernels
from flambeau_tensor._kernels import lookup

FUNCTIONAL = "torch.nn.functional"
_ALL_FORMS = FUNCTION | METHOD | INPLACE

index_select = Operator(
    "index_select(Tensor self, int dim, Tensor index, *, Tensor(a!)? out=None) -> Tensor",
    kernels.index_select,
    doc="The slices of a dimension at a vector of indices.",
)
index_add = Operator(
    "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
    kernels.index_add,
    variants=_ALL_FORMS,
    doc="Adds slices of `source`, multiplied by `alpha`, to the slices at `index`; repeated indices accumulate.",
)
index_copy = Operator(
    "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
    kernels.index_copy,
    variants=_ALL_FORMS,
    doc="Replaces the slices at `index` with those of `source`.",
)
index_fill = Operator(
    "index_fill(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
    kernels.index_fill,
    variants=_ALL_FORMS,
    numbers={"value"},
    doc="Sets the slices at `index` to one value.",
)
take = Operator(
    "take(Tensor self, Tensor index, *, Tensor(a!)? out=None) -> Tensor",
    kernels.take,
    doc="The elements of the flattened tensor at `index`; the result has the shape of `index`.",
)
put = Operator(
    "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor",
    kernels.put,
    variants=_ALL_FORMS,
    doc="Writes (or adds) elements of `source` to the flattened tensor at the given indices.",
)
gather = Operator(
    "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, Tensor(a!)? out=None) -> Tensor",
    kernels.gather,
    doc="For each element of `index`, the element of `input` that has it as its coordinate in `dim`.",
)
scatter = Operator(
    "scatter(Tensor self, int dim, Tensor index, Tensor? src=None, *, Scalar? value=None, str? reduce=None) -> Tensor",
    kernels.scatter,
    namespace="torch._ops",
    variants=FUNCTION | INPLACE_FUNCTION,
    numbers={"src"},
    doc="Writes each element of `src` (or one value) to the position whose coordinate in `dim` is in `index`; "
    "`reduce` ('add' or 'multiply') combines it with the present value.",
)
_SCATTER = "(Tensor self, int dim, Tensor index, "
overloads(
    scatter,
    *(
        f"scatter.{overload}{_SCATTER}{rest}) -> Tensor"
        for overload, rest in (
            ("src", "Tensor src"),
            ("value", "Scalar value"),
            ("reduce", "Tensor src, *, str reduce"),
            ("value_reduce", "Scalar value, *, str reduce"),
        )
    ),
    variants=_ALL_FORMS,
)
scatter_add = Operator(
    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
    kernels.scatter_add,
    variants=_ALL_FORMS,
    doc="Adds each element of `src` to the position whose coordinate in `dim` is in `index`.",
)
scatter_reduce = Operator(
    "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, "
    "bool include_self=True) -> Tensor",
    kernels.scatter_reduce,
    variants=_ALL_FORMS,
    doc="Combines the elements of `src` with the same position by sum, prod, mean, amax or amin, together with the "
    "present value unless `include_self` is False.",
)


def _index_reduce(input, dim, index, source, reduce, include_self):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    if index.ndim > 1:
        raise IndexError(
            f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{type_name(index.dtype)} and size: {list(index.shape)}"
        )
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"index_reduce_(): Expected dtype int32/int64 for index but got: {type_name(index.dtype)}")
    if input.dtype is not source.dtype:
        raise RuntimeError(
            f"index_reduce_(): self ({type_name(input.dtype)}) and source ({type_name(source.dtype)}) "
            "must have the same scalar type"
        )
    dim = wrapped_dim(dim, input.ndim)
    if source.ndim != input.ndim or any(
        a != b for d, (a, b) in enumerate(zip(input.shape, source.shape, strict=True)) if d != dim
    ):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    count = source.shape[dim] if source.ndim else 1
    if index.numel() != count:
        raise RuntimeError(
            f"index_reduce_(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
            f"({count}), for dim: {dim}"
        )
    places = index.long().reshape(tuple(count if d == dim else 1 for d in range(source.ndim)))
    try:
        return scatter_reduce(input, dim, places.expand(tuple(source.shape)), source, reduce, include_self=include_self)
    except RuntimeError:
        input.index_select(dim, index)  # raises an IndexError if that was the reason
        raise


index_reduce = Operator(
    "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
    _index_reduce,
    variants=_ALL_FORMS,
    composite=True,
    doc="""
Combines slices of `source` with the slices of a dimension at `index`.

Args:
    dim: the dimension of the slices.
    index: the indices of the slices, an int64 or int32 vector with one element per slice of `source`.
    source: of the dtype of `input`, and of its sizes in other dimensions.
    reduce: 'prod', 'mean', 'amax' or 'amin': how slices with the same index are combined.
    include_self: whether the present slices take part, too.

Raises:
    IndexError: an index is out of range, or `index` is no vector.
    RuntimeError: sizes or dtypes do not fit, or `reduce` is something else.

>>> import flambeau_tensor as ft
>>> ft.index_reduce(ft.ones(2, 2), 0, ft.tensor([1, 1]), ft.tensor([[2.0, 3.0], [4.0, 5.0]]), "prod")
tensor([[ 1.,  1.],
        [ 8., 15.]])
""",
)
embedding = Operator(
    "embedding(Tensor input, Tensor weight, int? padding_idx=None, float? max_norm=None, "
    "float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
    kernels.embedding,
    namespace=FUNCTIONAL,
    variants=FUNCTION,
    aten="embedding(Tensor weight, Tensor input, int? padding_idx=None, "
    "bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
    doc="The rows of `weight` at the indices in `input`. With `max_norm`, rows with a larger norm are first scaled "
    "down in place.",
)


def renormalize(weight, index, max_norm, norm_type):
    """Scale the rows of `weight` at `index` whose norm is larger down to `max_norm`, without recording."""
    op = find_operator
    detach = declared_operators().get("torch.detach")  # autograd's; without it, there is no history
    weight = weight if detach is None else detach(weight)
    rows = op("torch.unique")(index) if index.numel() else index.reshape((-1,))
    found = index_select(weight, 0, rows)
    norms = op("torch.norm")(found, norm_type, 1, True).double()
    scale = op("torch.where")(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    wide = found.float() if found.element_size() == 2 else found
    scaled = wide * (scale if wide.dtype.name in ("float64", "complex128") else scale.float())
    index_copy.inplace(weight, 0, rows, scaled.to(found.dtype))


def scatter_mean(input, dim, index, src, include_self):
    """Return the mean of the values that are scattered to each element; integers round down."""
    op = find_operator
    sums = scatter_reduce(input, dim, index, src, "sum", include_self=include_self)
    one = op("torch.ones_like")
    counts = one(input) if include_self else op("torch.zeros_like")(input)
    counts = scatter_add(counts, dim, index, one(src))
    if not include_self:
        counts = op("torch.where")(op("torch.eq")(counts, 0), one(counts), counts)
    exact = input.dtype.is_floating_point or input.dtype.is_complex
    return op("torch.div")(sums, counts) if exact else op("torch.floor_divide")(sums, counts)


def _take_along_dim(input, indices, dim, out):
    if indices.dtype.name != "int64":
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {type_name(indices.dtype)}"
        )
    if dim is None:
        return gather(input.reshape((-1,)), 0, indices.reshape((-1,)))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but "
            f"got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = wrapped_dim(dim, input.ndim)
    shape = []
    for d, (a, b) in enumerate(zip(input.shape, indices.shape, strict=True)):
        if d != dim and a != b and a != 1 and b != 1:
            raise RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {d}"
            )
        shape.append(b if a == 1 else a)
    shape[dim] = input.shape[dim]
    spread = input.expand(tuple(shape))
    shape[dim] = indices.shape[dim]
    indices = find_operator("torch.remainder")(indices, max(input.shape[dim], 1))  # indices wrap around
    return gather(spread, dim, indices.expand(tuple(shape)))


take_along_dim = Operator(
    "take_along_dim(Tensor self, Tensor indices, int? dim=None, *, Tensor(a!)? out=None) -> Tensor",
    _take_along_dim,
    composite=True,
    doc="As `gather`, with `input` and `indices` broadcast against each other in other "
    "dimensions; without `dim`, of the flattened tensor. Undoes argsort.",
)


def _classes_unknown(tensor, num_classes):
    """Raise on device 'meta', where the number of classes is unknown."""
    if num_classes == -1 and tensor.numel():
        tensor.flatten()[0].item()  # raises
    return NotImplemented


one_hot = Operator(
    "one_hot(Tensor tensor, int num_classes=-1) -> Tensor",
    lookup.one_hot,
    meta=_classes_unknown,
    namespace=FUNCTIONAL,
    variants=FUNCTION,
    differentiable=False,
    aten="one_hot(Tensor tensor, int num_classes=-1) -> Tensor",
    doc="A one-hot encoding: a new last dimension with 1 at the index of the class and 0 elsewhere.",
)

sockets.renormalize, sockets.scatter_mean = renormalize, scatter_mean
