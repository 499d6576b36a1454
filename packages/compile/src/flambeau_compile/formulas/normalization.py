"""Softmax and related functions, which currently call their kernels."""
