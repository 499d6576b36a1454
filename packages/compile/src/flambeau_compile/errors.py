"""The errors of `compile`."""


class TorchDynamoException(RuntimeError):
    """What all of them are; the name is PyTorch's."""


class Unsupported(TorchDynamoException):
    """A function that was to be compiled as a whole cannot be; the message says why."""


class InvalidBackend(TorchDynamoException):
    """There is no backend of that name."""

    def __init__(self, name: object) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")
