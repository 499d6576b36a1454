"""Compiled kernels, one module per family; ``hot`` contains the loops that are built for several CPU levels."""
