"""``torch.onnx``: nothing is exported, and programs that ask whether they are being exported are told so."""


class OnnxExporterError(RuntimeError):
    """An error of an export; never raised here."""


def is_in_onnx_export() -> bool:
    """False."""
    return False


def export(*args, **kwargs):
    """Raises: it is not built."""
    from flambeau_tensor.not_built import not_built

    raise not_built("torch.onnx.export")


def __getattr__(name):
    from flambeau_tensor.not_built import not_built

    if name.startswith("__"):
        raise AttributeError(f"module 'torch.onnx' has no attribute {name!r}")
    raise not_built(f"torch.onnx.{name}")
