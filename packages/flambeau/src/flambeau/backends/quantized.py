"""``torch.backends.quantized``: quantized tensors are not built."""

engine = "none"
supported_engines = ["none"]
