"""The class of compiled modules, for ``isinstance``. ``torch.compile`` returns modules as they are."""

from flambeau_nn import Module


class OptimizedModule(Module):
    """What PyTorch makes of a module that it compiles. Nothing is an instance here."""
