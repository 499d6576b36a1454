"""``torch._dynamo.exc``: the errors of PyTorch's compiler. flambeau raises `Unsupported` and `InvalidBackend`."""

from flambeau_compile.errors import InvalidBackend as InvalidBackend
from flambeau_compile.errors import TorchDynamoException as TorchDynamoException
from flambeau_compile.errors import Unsupported as Unsupported


class InternalTorchDynamoError(TorchDynamoException):
    """The compiler failed."""


class BackendCompilerFailed(TorchDynamoException):
    """An error in a backend."""


class RecompileError(TorchDynamoException):
    """A function would be compiled again."""


class RecompileLimitExceeded(Unsupported):
    """Something was compiled too often."""


class TorchRuntimeError(TorchDynamoException):
    """An error in a compiled function."""


class ResetRequired(TorchDynamoException):
    """`torch._dynamo.reset` must be called first."""


class UserError(Unsupported):
    """The program that is compiled has an error."""


class RestartAnalysis(TorchDynamoException):
    """The compiler restarts."""


class TensorifyScalarRestartAnalysis(RestartAnalysis):
    """The compiler restarts because a number became a tensor."""
