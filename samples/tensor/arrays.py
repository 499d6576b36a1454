"""What hands tensors to NumPy has no sample calls."""

TABLE = {}
EXCUSED = {"gives arrays of NumPy, or is given them": "Tensor.__array__ Tensor.__array_wrap__"}
