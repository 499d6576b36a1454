"""The errors of `compile`."""


class TorchDynamoException(RuntimeError):
    """The base class of the compiler's errors, under PyTorch's name."""


class Unsupported(TorchDynamoException):
    """A function cannot be compiled as a whole, although this was requested; the message gives the reason."""


class InvalidBackend(TorchDynamoException):
    """No backend has that name."""

    def __init__(self, name: object) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")
