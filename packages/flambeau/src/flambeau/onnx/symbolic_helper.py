"""``torch.onnx.symbolic_helper`` and the ``symbolic_opset`` modules: packages say with these how their operators are
exported, which is never asked. Decorators leave functions as they are; the functions for graphs raise when called."""


def parse_args(*arg_descriptors):
    """A decorator that changes nothing."""

    def decorate(function):
        return function

    return decorate


quantized_args = parse_args


def __getattr__(name):
    from flambeau_tensor.not_built import left_out

    raise left_out("torch.onnx.symbolic_helper", name)
