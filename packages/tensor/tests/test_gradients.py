"""The gradient attributes of tensors without an autograd package."""

import subprocess
import sys

PROGRAM = """
import flambeau_tensor as ft
x = ft.ones(2)
assert (x.requires_grad, x.grad, x.grad_fn, x.is_leaf) == (False, None, None, True)
x.requires_grad, x.grad = False, None
assert x.requires_grad_(False) is x
for call in (
    lambda: setattr(x, "requires_grad", True),
    lambda: setattr(x, "grad", x),
    lambda: x.requires_grad_(),
    lambda: x.backward(),
):
    try:
        call()
    except RuntimeError as error:
        assert "needs flambeau-autograd" in str(error), error
    else:
        raise AssertionError("does nothing")
"""


def test_without_a_package_for_gradients():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
