"""Calls of views, of what their gradients are, and of what writes to a part."""

import flambeau_tensor as torch
from samples import Dtypes, call, real

X = real(3, 4)
D = real(2, 3, 4)
UNIT = real(3, 1, 4)
Z = dict(dtypes=Dtypes.COMPLEX)

TABLE = {
    "Tensor.view": call(X, 4, 3, dtypes=Dtypes.ALL, layouts=False),
    "Tensor.view, dtype": call(X, torch.int64, dtypes=Dtypes.DOUBLE | Dtypes.UNASKED, layouts=False),
    "reshape": call(X, (2, 6), dtypes=Dtypes.ALL),
    "reshape, of a transposed one": call(X, via=lambda op, x: op(x.t(), (12,)), dtypes=Dtypes.ALL),
    "transpose": call(D, 0, -1, dtypes=Dtypes.ALL),
    "t": call(X, dtypes=Dtypes.ALL),
    "permute": call(D, (2, 0, 1), dtypes=Dtypes.ALL),
    "unsqueeze": call(X, 1, dtypes=Dtypes.ALL),
    "squeeze": call(UNIT, dtypes=Dtypes.ALL),
    "squeeze, one dimension": call(UNIT, 1, dtypes=Dtypes.ALL),
    "squeeze, dimensions": call(UNIT, (0, 1), dtypes=Dtypes.ALL),
    "_ops.squeeze": call(UNIT, dtypes=Dtypes.ALL),
    "Tensor.expand": call(UNIT, (2, 3, 2, 4), dtypes=Dtypes.ALL),
    "select": call(X, 1, -2, dtypes=Dtypes.ALL),
    "_ops.slice": call(X, 1, 1, 4, 2, dtypes=Dtypes.ALL),
    "narrow": call(X, 1, -3, 2, dtypes=Dtypes.ALL),
    "_ops.unsafe_narrow": call(X, 1, 1, 2, dtypes=Dtypes.ALL),
    "as_strided": call(X, (2, 3), (4, 1), 1, loop=False, dtypes=Dtypes.ALL, layouts=False),
    "as_strided, overlapping": call(X, (3, 3), (1, 1), loop=False, dtypes=Dtypes.ALL, layouts=False),
    "diagonal": call(X, 1, dtypes=Dtypes.ALL),
    "Tensor.unfold": call(X, 1, 2, 1, dtypes=Dtypes.ALL),
    "Tensor.unfold, from the end": call(X, -2, 2, 1, dtypes=Dtypes.ALL),
    "flatten": call(D, 1, dtypes=Dtypes.ALL),
    "_ops.alias": call(X, dtypes=Dtypes.ALL),
    "view_as_real": call(X, dtypes=Dtypes.COMPLEX),
    "view_as_complex": call(real(3, 2), dtypes=Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.HALF, layouts=False),
    "real": call(X, dtypes=Dtypes.ALL),
    "imag": call(X, dtypes=Dtypes.COMPLEX),
    "Tensor.T.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.mT.__get__": call(D, dtypes=Dtypes.ALL),
    "Tensor.mH.__get__": call(D, dtypes=Dtypes.ALL),
    "Tensor.H.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.real.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.imag.__get__": call(X, dtypes=Dtypes.COMPLEX),
    "adjoint": call(D, dtypes=Dtypes.ALL),
    "swapaxes": call(D, 0, 2, dtypes=Dtypes.ALL),
    "Tensor.expand_as": call(UNIT, D, via=lambda op, a, b: op(a, b[:1].expand(3, 3, 4)), dtypes=Dtypes.ALL),
    "Tensor.view_as": call(X, real(2, 6), dtypes=Dtypes.ALL, layouts=False),
    "Tensor.reshape_as": call(X, real(2, 6), dtypes=Dtypes.ALL),
    "ravel": call(X, dtypes=Dtypes.ALL),
    "unflatten": call(X, 1, (2, 2), dtypes=Dtypes.ALL),
    "movedim": call(D, 0, 2, dtypes=Dtypes.ALL),
    "movedim, two": call(D, (0, 1), (2, 0), dtypes=Dtypes.ALL),
    "_ops.movedim": call(D, 0, 2, dtypes=Dtypes.ALL),
    "_ops.select_backward": call(real(3), (3, 4), 1, 2, dtypes=Dtypes.ALL),
    "_ops.slice_backward": call(real(3, 2), (3, 4), 1, 1, 4, 2, dtypes=Dtypes.ALL),
    "_ops.diagonal_backward": call(real(3), (3, 4), 1, 0, 1, dtypes=Dtypes.ALL),
    "_ops.unfold_backward": call(real(3, 3, 2), (3, 4), 1, 2, 1, dtypes=Dtypes.ALL),
    "diagonal_scatter": call(X, real(3), 1, dtypes=Dtypes.ALL),
    "select_scatter": call(X, real(4), -2, 1, dtypes=Dtypes.ALL),
    "slice_scatter": call(X, real(3, 2), 1, 1, 4, 2, dtypes=Dtypes.ALL),
    "as_strided_scatter": call(X, real(2, 2), (2, 2), (4, 1), 1, loop=False, dtypes=Dtypes.ALL, layouts=False),
    "Tensor.fill_diagonal_": call(X, 0.5, dtypes=Dtypes.ALL),
    "Tensor.real.__set__": call(real(3), real(3), via=lambda op, a, b: (z := torch.complex(a, a), op(z, b))[0]),
    "Tensor.imag.__set__": call(real(3), real(3), via=lambda op, a, b: (z := torch.complex(a, a), op(z, b))[0]),
}
EXCUSED = {"where in memory: tests/test_views.py in autograd": "_ops.as_strided_backward"}
