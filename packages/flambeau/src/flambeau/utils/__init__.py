"""``torch.utils``: what stands beside the packages (``cpp_extension`` and ``checkpoint`` are aliases, see ``_layout``)."""
