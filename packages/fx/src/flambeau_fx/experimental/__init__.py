"""Graphs of what programs do below autograd: ``proxy_tensor``."""
