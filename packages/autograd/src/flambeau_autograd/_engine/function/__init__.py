"""Custom Functions: applying them, their contexts, tensors in containers."""
