"""Calls of dropout as it is without training; what it draws is tested in packages/nn/tests/test_dropout.py."""

from samples import Dtypes, call, real

TABLE = {
    f"nn.functional.{name}": call(real(*shape), 0.4, False, dtypes=Dtypes.ALL)
    for name, shape in (
        ("dropout", (2, 3)),
        ("alpha_dropout", (2, 3)),
        ("feature_alpha_dropout", (2, 3, 2)),
        ("dropout1d", (2, 3, 2)),
        ("dropout2d", (2, 3, 2, 2)),
        ("dropout3d", (2, 3, 2, 2, 2)),
    )
} | {"nn.functional.dropout, of all": call(real(2, 3), 1.0, True, dtypes=Dtypes.ALL)}
