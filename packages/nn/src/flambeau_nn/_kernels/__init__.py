"""Compiled kernels that only neural networks need, one module a family; ``hot`` holds the loops that are built once for
each CPU level."""
