"""The active transforms: levels, the layers of tensors at each level, and calls on tensors with layers."""
