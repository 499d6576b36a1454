"""Compiled kernels, one module a family; ``hot`` holds the loops that are built for several CPU levels."""
