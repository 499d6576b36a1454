"""PyTorch's layout over the flambeau packages: ``import flambeau as torch``.

Tensors, operators and autograd are imported immediately; ``torch.nn``, ``torch.optim`` and the other subpackages are
imported at their first use. A subpackage is the same module as the package that implements it (``torch.nn`` is
``flambeau_nn``), whatever name it is imported by.

>>> import flambeau as torch
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])
"""

from typing import Any

import flambeau_autograd as _autograd
import flambeau_tensor as _tensors
from flambeau import _class_names, _layout, _names
from flambeau._ignored import IGNORED as _IGNORED
from flambeau._layout import install_as_torch as install_as_torch
from flambeau_overrides import ignore_names as _ignore_names
from flambeau_overrides import register_namespace as _register_namespace
from flambeau_overrides.registry import before_listing as _before_listing
from flambeau_tensor.extend import declare_lazily as _declare_lazily
from flambeau_tensor.extend import find_operator as _find_operator
from flambeau_tensor.extend import find_quickly as _find_quickly
from flambeau_tensor.extend import first_use as _first_use
from flambeau_tensor.extend import functions as _functions
from flambeau_tensor.extend import lazy_names as _lazy_names
from flambeau_tensor.extend import sockets as _sockets
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import not_built as _not_built
from flambeau_tensor.pytorch_names import HOMES as _homes
from flambeau_tensor.pytorch_names import LOCAL_NAMES as _pytorch_names

RELEASE = "0.1.0"  # the version of flambeau; __version__ is the PyTorch version whose interface it implements

globals().update(_functions("torch", lazy=False))
globals().update({name: getattr(_tensors, name) for name in _tensors.TORCH_NAMES})
globals().update({name: getattr(_autograd, name) for name in _names.OF_AUTOGRAD})


_find_quickly("flambeau")
_layout.install("flambeau")
_pytorch_names.update({f"torch.{name}": module for name, module in _names.TABLE.items()}, torch="flambeau")
_homes.update(_class_names.HOMES)
_class_names.NAMING.name_all("flambeau")
for _name in ("", ".autograd", ".functional", ".nn.functional", ".nn.init"):
    _register_namespace(f"torch{_name}", f"flambeau{_name}")
for _name, _ignored in _IGNORED.items():
    _ignore_names(_name, _ignored)
for _name in ("torch.nn.", "torch._C._nn.", *(f"torch.{_function}" for _function in _names.FUNCTIONS_OF_NN)):
    _sockets.providers[_name] = "flambeau_nn"
_declare_lazily(
    "flambeau.sparse.methods",
    [
        "torch._ops.sparse_coo",
        *(
            f"torch.Tensor.{_name}"
            for _name in """
        ccol_indices coalesce col_indices crow_indices dense_dim indices is_coalesced row_indices sparse_dim sparse_mask
        to_dense to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr values
        """.split()
        ),
    ],
)


_before_listing(lambda: __getattr__("sym_int"))  # and with it the other functions on symbols


def _forms_of(op):
    """Return the forms of an operator for `__torch_dispatch__`; the first call imports the module that has them."""
    from flambeau_cext import dispatch

    return dispatch.forms_of(op)


def _decomposition(op):
    from flambeau_cext import dispatch

    return dispatch.decomposition(op)


def _compile_module(module: Any, **options: Any) -> None:
    from flambeau_compile import compile_in_place

    compile_in_place(module, **options)


_sockets.compile_module = _compile_module
_sockets.forms_of, _sockets.decompositions = _forms_of, _decomposition


def _declared_late(name: str) -> Any:
    if name in _names.MISSING:
        raise _not_built(f"torch.{name}")
    return _find_operator(f"torch.{name}") if name in _names.FUNCTIONS_OF_NN else _first_use("torch", name)


_late = {**dict.fromkeys(_tensors.LAZY_NAMES, "flambeau_tensor"), **_names.NAMES}
# PyTorch, too, has itself as ``torch.torch``
_modules = {_name: f".{_name}" for _name in _names.SUBMODULES} | {"torch": "flambeau"}
_lazy, _listed = _attach(__name__, "torch", _late, _modules, _declared_late)


def __getattr__(name: str) -> Any:
    if name == "__all__":  # `from torch import *` reads it, which imports all lazy names
        return [name for name in __dir__() if not name.startswith("_") and name not in _names.SUBMODULES]
    return _lazy(name)


def __dir__() -> list[str]:
    return sorted({*_listed(), *_lazy_names("torch"), *_names.FUNCTIONS_OF_NN} - {"torch"})
