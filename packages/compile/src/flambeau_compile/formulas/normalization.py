"""Softmax and its kin: left to their kernels so far."""
