"""Lookup of operators by their qualified names, such as ``torch.add``."""

cdef object find(str name)  # an Operator, or the OverloadSet of the operators with this name
