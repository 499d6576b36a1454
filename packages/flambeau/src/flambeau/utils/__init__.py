"""``torch.utils``: what stands beside the packages. ``_layout`` has the aliases, such as ``cpp_extension``."""
