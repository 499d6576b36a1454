"""``torch.backends.miopen``: a library for AMD's devices, which are not here."""

immediate = False
