"""Graphs of operators below autograd: ``proxy_tensor``."""
