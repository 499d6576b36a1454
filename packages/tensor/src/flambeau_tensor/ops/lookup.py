"""Lookup of elements: membership, positions, one-hot encoding and hashes."""

from collections.abc import Sequence

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import lookup as kernels
from flambeau_tensor.packing import apply_functional

_INT64 = find_operator("torch.arange")(0).dtype


# --- membership -----------------------------------------------------------------------------------------------------


_DOC = """
Whether each element is in a set of elements.

Args:
    elements: a tensor of any shape, or a number.
    test_elements: the set: a tensor of any shape, or a number. Both are compared in the dtype they promote to.
    assume_unique: whether no element occurs twice in either; it has no effect.
    invert: whether to return the negation.

Returns:
    Truth values, of the shape of `elements`. NaN is in no set.

Raises:
    RuntimeError: complex numbers or truth values.

>>> import flambeau_tensor as ft
>>> ft.isin(ft.tensor([[1, 2], [3, 4]]), ft.tensor([2, 3]))
tensor([[False,  True],
        [ True, False]])
"""
for _overload, _these, _those in (
    ("Tensor_Tensor", "Tensor elements", "Tensor test_elements"),
    ("Tensor_Scalar", "Tensor elements", "Scalar test_element"),
    ("Scalar_Tensor", "Scalar element", "Tensor test_elements"),
):
    Operator(
        f"isin.{_overload}({_these}, {_those}, *, bool assume_unique=False, bool invert=False, "
        "Tensor(a!)? out=None) -> Tensor",
        kernels.isin,
        variants=FUNCTION,
        differentiable=False,
        doc=_DOC,
    )


# --- places ---------------------------------------------------------------------------------------------------------


def _nonzero_static(input, size, fill_value, out):
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = find_operator("torch.nonzero")(input)
    result = find_operator("torch.full")((size, input.ndim), fill_value, dtype=_INT64)
    n = min(size, found.shape[0])
    result.narrow(0, 0, n).copy_(found.narrow(0, 0, n))
    return result


nonzero_static = Operator(
    "nonzero_static(Tensor self, *, int size, int fill_value=-1, Tensor(a!)? out=None) -> Tensor",
    _nonzero_static,
    differentiable=False,
    doc="""
The indices of nonzero elements, one per row, with a fixed number of rows.

Args:
    size: the number of rows; further elements are omitted.
    fill_value: the value in the remaining rows.

Returns:
    int64, of shape (`size`, number of dimensions).

Raises:
    RuntimeError: `size` is negative.

>>> import flambeau_tensor as ft
>>> ft.nonzero_static(ft.tensor([0, 5, 7]), size=3)
tensor([[ 1],
        [ 2],
        [-1]])
""",
)


def _coordinates(indices, shape):
    if indices.is_complex() or indices.is_floating_point() or indices.dtype.name == "bool":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in shape:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    indices, out = indices.to(_INT64), []
    for n in reversed(shape):
        out.append(indices % max(n, 1))
        indices = find_operator("torch.div")(indices, max(n, 1), rounding_mode="floor")
    return tuple(reversed(out))


unravel_index = Operator(
    "unravel_index(Tensor indices, Object shape) -> Tensor[]",
    _coordinates,
    composite=True,
    variants=FUNCTION,
    doc="""
The coordinates of indices into a flattened tensor.

Args:
    indices: integers, of any shape. Those beyond the last element wrap around.
    shape: the sizes of the tensor that was flattened, the last dimension running fastest; an int for one dimension.

Returns:
    An int64 tensor of the shape of `indices` for each dimension.

Raises:
    TypeError: `indices` are no integers, or `shape` is something else.
    ValueError: a size is negative.

>>> import flambeau_tensor as ft
>>> ft.unravel_index(ft.tensor([1, 5]), (2, 3))
(tensor([0, 1]), tensor([1, 2]))
""",
)


# --- hashes ---------------------------------------------------------------------------------------------------------


hash_tensor = Operator(
    "hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0, Tensor(a!)? out=None) -> Tensor",
    kernels.hash_tensor,
    differentiable=False,
    doc="""
A hash of the elements over `dim`, or over all dimensions: the bitwise XOR of the elements as float64 or int64.

Args:
    input: floating point numbers, integers or truth values.
    dim: the dimensions to go over.
    keepdim: whether they stay, with one element.
    mode: 0, as there is one hash.

Returns:
    uint64.

Raises:
    RuntimeError: another mode, or nothing to go over. IndexError: a dimension of no elements.
    NotImplementedError: complex numbers, uint16, uint32 and uint64.

>>> import flambeau_tensor as ft
>>> ft.hash_tensor(ft.tensor([1, 2, 4]))
tensor(7, dtype=torch.uint64)
""",
)
apply_functional({"unravel_index": "indices! * shape"})
