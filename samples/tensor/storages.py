"""What concerns the memory under tensors has no sample calls."""

TABLE = {}
EXCUSED = {
    "concerns the memory under a tensor, not its elements": "Tensor.set_ Tensor.storage Tensor._typed_storage "
    "Tensor.share_memory_ from_file",
}
