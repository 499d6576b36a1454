"""Calls of products with weights."""

from samples import Dtypes, call, real

TABLE = {
    "nn.functional.bilinear": call(real(2, 3), real(2, 4), real(2, 3, 4), real(2), dtypes=Dtypes.NUMBERS),
    "nn.functional.bilinear, without bias": call(real(3), real(4), real(2, 3, 4), dtypes=Dtypes.NUMBERS),
}
