"""``torch.signal``: processing signals."""

from flambeau_tensor.signal import windows as windows

__all__ = ["windows"]


def __getattr__(name):
    from flambeau_tensor.not_built import missing

    raise missing("torch.signal", name)
