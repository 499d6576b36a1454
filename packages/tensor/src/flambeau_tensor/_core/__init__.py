"""The compiled heart: dtypes, storage, the Tensor, the Operator and the elementwise engine. Nothing here knows a
single operation by name, except the operators of Python's syntax; operations are declared in ``ops``."""
