"""``torch._dynamo.exc``: the errors of PyTorch's compiler, of which `Unsupported` and `InvalidBackend` are raised."""

from flambeau_compile.errors import InvalidBackend as InvalidBackend
from flambeau_compile.errors import TorchDynamoException as TorchDynamoException
from flambeau_compile.errors import Unsupported as Unsupported


class InternalTorchDynamoError(TorchDynamoException):
    """The compiler failed."""


class BackendCompilerFailed(TorchDynamoException):
    """What it calls failed."""


class RecompileError(TorchDynamoException):
    """Something would be compiled again."""


class RecompileLimitExceeded(Unsupported):
    """Something was compiled too often."""


class TorchRuntimeError(TorchDynamoException):
    """What is compiled fails."""


class ResetRequired(TorchDynamoException):
    """`torch._dynamo.reset` has to be called first."""


class UserError(Unsupported):
    """The program that is compiled has an error."""


class RestartAnalysis(TorchDynamoException):
    """The compiler starts anew."""


class TensorifyScalarRestartAnalysis(RestartAnalysis):
    """The compiler starts anew, for a number became a tensor."""
