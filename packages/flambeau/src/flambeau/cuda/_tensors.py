"""The types ``torch.cuda.FloatTensor`` and so on, for ``isinstance``: nothing is an instance."""

__all__ = []


def _refuse(self, *args, **kwargs):
    raise TypeError(f"type torch.cuda.{type(self).__name__} not available. Torch not compiled with CUDA enabled.")


for _name in ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"):
    for _kind in ("Tensor", "Storage"):
        __all__ += [_name + _kind]
        globals()[_name + _kind] = type(
            _name + _kind,
            (),
            {"__init__": _refuse, "__module__": "torch.cuda", "__doc__": "Raises when made: there is no CUDA."},
        )
