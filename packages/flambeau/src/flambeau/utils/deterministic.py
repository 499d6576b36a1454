"""``torch.utils.deterministic``: a setting of PyTorch's deterministic mode; see the page of differences."""

fill_uninitialized_memory = True
