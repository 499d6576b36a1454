"""Passes for graphs of the operators of ``torch.ops.aten``."""
