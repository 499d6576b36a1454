"""Calls of views, of what their gradients are, and of what writes to a part."""

import flambeau_tensor as torch
from samples import call, real

X = real(3, 4)
D = real(2, 3, 4)
UNIT = real(3, 1, 4)
Z = dict(dtypes="c")

TABLE = {
    "Tensor.view": call(X, 4, 3, dtypes="dfhgcliub", layouts=False),
    "Tensor.view, dtype": call(X, torch.int64, dtypes="d?", layouts=False),
    "reshape": call(X, (2, 6), dtypes="dfhgcliub"),
    "reshape, of a transposed one": call(X, via=lambda op, x: op(x.t(), (12,)), dtypes="dfhgcliub"),
    "transpose": call(D, 0, -1, dtypes="dfhgcliub"),
    "t": call(X, dtypes="dfhgcliub"),
    "permute": call(D, (2, 0, 1), dtypes="dfhgcliub"),
    "unsqueeze": call(X, 1, dtypes="dfhgcliub"),
    "squeeze": call(UNIT, dtypes="dfhgcliub"),
    "squeeze, one dimension": call(UNIT, 1, dtypes="dfhgcliub"),
    "squeeze, dimensions": call(UNIT, (0, 1), dtypes="dfhgcliub"),
    "_ops.squeeze": call(UNIT, dtypes="dfhgcliub"),
    "Tensor.expand": call(UNIT, (2, 3, 2, 4), dtypes="dfhgcliub"),
    "select": call(X, 1, -2, dtypes="dfhgcliub"),
    "_ops.slice": call(X, 1, 1, 4, 2, dtypes="dfhgcliub"),
    "narrow": call(X, 1, -3, 2, dtypes="dfhgcliub"),
    "as_strided": call(X, (2, 3), (4, 1), 1, loop=False, dtypes="dfhgcliub", layouts=False),
    "as_strided, overlapping": call(X, (3, 3), (1, 1), loop=False, dtypes="dfhgcliub", layouts=False),
    "diagonal": call(X, 1, dtypes="dfhgcliub"),
    "Tensor.unfold": call(X, 1, 2, 1, dtypes="dfhgcliub"),
    "Tensor.unfold, from the end": call(X, -2, 2, 1, dtypes="dfhgcliub"),
    "flatten": call(D, 1, dtypes="dfhgcliub"),
    "_ops.alias": call(X, dtypes="dfhgcliub"),
    "view_as_real": call(X, dtypes="c"),
    "view_as_complex": call(real(3, 2), dtypes="dfh", layouts=False),
    "real": call(X, dtypes="dfhgcliub"),
    "imag": call(X, dtypes="c"),
    "Tensor.T.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.mT.__get__": call(D, dtypes="dfhgcliub"),
    "Tensor.mH.__get__": call(D, dtypes="dfhgcliub"),
    "Tensor.H.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.real.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.imag.__get__": call(X, dtypes="c"),
    "adjoint": call(D, dtypes="dfhgcliub"),
    "swapaxes": call(D, 0, 2, dtypes="dfhgcliub"),
    "Tensor.expand_as": call(UNIT, D, via=lambda op, a, b: op(a, b[:1].expand(3, 3, 4)), dtypes="dfhgcliub"),
    "Tensor.view_as": call(X, real(2, 6), dtypes="dfhgcliub", layouts=False),
    "Tensor.reshape_as": call(X, real(2, 6), dtypes="dfhgcliub"),
    "ravel": call(X, dtypes="dfhgcliub"),
    "unflatten": call(X, 1, (2, 2), dtypes="dfhgcliub"),
    "movedim": call(D, 0, 2, dtypes="dfhgcliub"),
    "movedim, two": call(D, (0, 1), (2, 0), dtypes="dfhgcliub"),
    "_ops.movedim": call(D, 0, 2, dtypes="dfhgcliub"),
    "_ops.select_backward": call(real(3), (3, 4), 1, 2, dtypes="dfhgcliub"),
    "_ops.slice_backward": call(real(3, 2), (3, 4), 1, 1, 4, 2, dtypes="dfhgcliub"),
    "_ops.diagonal_backward": call(real(3), (3, 4), 1, 0, 1, dtypes="dfhgcliub"),
    "_ops.unfold_backward": call(real(3, 3, 2), (3, 4), 1, 2, 1, dtypes="dfhgcliub"),
    "diagonal_scatter": call(X, real(3), 1, dtypes="dfhgcliub"),
    "select_scatter": call(X, real(4), -2, 1, dtypes="dfhgcliub"),
    "slice_scatter": call(X, real(3, 2), 1, 1, 4, 2, dtypes="dfhgcliub"),
    "as_strided_scatter": call(X, real(2, 2), (2, 2), (4, 1), 1, loop=False, dtypes="dfhgcliub", layouts=False),
    "Tensor.fill_diagonal_": call(X, 0.5, dtypes="dfhgcliub"),
    "Tensor.real.__set__": call(real(3), real(3), via=lambda op, a, b: (z := torch.complex(a, a), op(z, b))[0]),
    "Tensor.imag.__set__": call(real(3), real(3), via=lambda op, a, b: (z := torch.complex(a, a), op(z, b))[0]),
}
EXCUSED = {"where in memory: tests/test_views.py in autograd": "_ops.as_strided_backward"}
