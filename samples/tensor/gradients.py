"""What tensors say of gradients has no sample calls."""

TABLE = {}
EXCUSED = {"concerns the tensor itself, not its elements": "Tensor.volatile.__get__ Tensor.volatile.__set__"}
