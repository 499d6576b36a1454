"""``torch.utils``: what stands beside the packages; ``_layout`` adds the aliases ``cpp_extension`` and ``checkpoint``."""
