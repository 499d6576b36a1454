"""Forward mode: not built."""

_NAMES = ("dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual")


def _missing(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f"torch.autograd.forward_ad.{name} is not built")
    function.__name__ = function.__qualname__ = name
    return function


for _name in _NAMES:
    globals()[_name] = _missing(_name)
