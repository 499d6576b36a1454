"""Jacobians, Hessians and products with them, as functions of functions: not built."""

_NAMES = ("hessian", "hvp", "jacobian", "jvp", "vhp", "vjp")


def _missing(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f"torch.autograd.functional.{name} is not built")
    function.__name__ = function.__qualname__ = name
    return function


for _name in _NAMES:
    globals()[_name] = _missing(_name)
