"""Finding operators by their qualified names, such as ``torch.add``."""

cdef object find(str name)  # an Operator, or the OverloadSet of those that share the name
