"""``torch.SymInt`` and its like: numbers that stand for sizes that are not known yet. Here all are, so none is made.

>>> import flambeau as torch
>>> isinstance(torch.ones(2).shape[0], torch.SymInt)
False
"""


class _Symbol:
    def __init__(self, *args, **kwargs):
        from flambeau_tensor.not_built import not_built

        raise not_built(f"torch.{type(self).__name__}")


class SymInt(_Symbol):
    """A whole number that is not known yet.

    >>> isinstance(3, torch.SymInt)
    False
    """


class SymFloat(_Symbol):
    """A number that is not known yet.

    >>> isinstance(3.0, torch.SymFloat)
    False
    """


class SymBool(_Symbol):
    """A truth that is not known yet.

    >>> isinstance(True, torch.SymBool)
    False
    """
