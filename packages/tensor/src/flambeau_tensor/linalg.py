"""``torch.linalg``: the operators of linear algebra that are declared for this namespace."""
from flambeau_tensor._core.registry import first_use as _first_use
from flambeau_tensor._core.registry import functions as _functions
from flambeau_tensor._core.registry import lazy_names as _lazy_names
from flambeau_tensor._kernels.lapack import LinAlgError

_found = _functions("torch.linalg", lazy=False)
__all__ = ["LinAlgError", *_found, *_lazy_names("torch.linalg")]
globals().update(_found)


def __getattr__(name):
    found = _first_use("torch.linalg", name)
    if found is not None:
        globals()[name] = found
        return found
    from flambeau_tensor.not_built import missing

    raise missing("torch.linalg", name)


def __dir__():
    return sorted({*globals(), *_lazy_names("torch.linalg")})
