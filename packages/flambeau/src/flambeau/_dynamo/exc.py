"""``torch._dynamo.exc``: the errors of PyTorch's compiler. Nothing is compiled, so none is raised."""


class TorchDynamoException(RuntimeError):
    """What all of them are."""


class InternalTorchDynamoError(TorchDynamoException):
    """The compiler failed."""


class BackendCompilerFailed(TorchDynamoException):
    """What it calls failed."""


class Unsupported(TorchDynamoException):
    """Something cannot be compiled."""


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
