"""``torch.onnx.symbolic_helper`` and the ``symbolic_opset`` modules: packages say with these how their operators are
exported, which is never asked. Decorators leave functions as they are; the functions for graphs raise when called."""


def parse_args(*arg_descriptors):
    """A decorator that changes nothing."""

    def decorate(function):
        return function

    return decorate


quantized_args = parse_args


def __getattr__(name):
    from flambeau_tensor.not_built import not_built

    if name.startswith("__"):
        raise AttributeError(f"module 'torch.onnx.symbolic_helper' has no attribute {name!r}")
    raise not_built(f"torch.onnx.symbolic_helper.{name}")
