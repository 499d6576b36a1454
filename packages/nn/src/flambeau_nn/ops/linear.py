"""Products with weights. ``linear`` itself is among the matrix products of flambeau-tensor."""

from math import prod

from flambeau_nn.ops.declaring import composite


@composite(
    "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None)",
    "input1 · weight[k] · input2 for each k, plus `bias`: (*, n), (*, m), (out, n, m) and (out).",
    aten=True,
)
def bilinear(input1, input2, weight, bias):
    if not input1.dtype is input2.dtype is weight.dtype is (weight if bias is None else bias).dtype:
        raise RuntimeError(
            f"All tensors must have the same dtype, got input1: {input1.dtype}, input2: {input2.dtype}, "
            f"weight: {weight.dtype}" + ("" if bias is None else f", bias: {bias.dtype}")
        )
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for position, t in (0, input1), (1, weight), (2, weight):
        t.size(position if t is weight else -1)  # raises an IndexError
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            "bilinear(): input batch dimensions do not match: got "
            f"{tuple(input1.shape[:-1])} and {tuple(input2.shape[:-1])}"
        )
    if input1.shape[-1] != weight.shape[1]:
        raise RuntimeError(
            f"bilinear(): input1 size does not match weight size: got {input1.shape[-1]} but expected {weight.shape[1]}"
        )
    if input2.shape[-1] != weight.shape[2]:
        raise RuntimeError(
            f"bilinear(): input2 size does not match weight size: got {input2.shape[-1]} but expected {weight.shape[2]}"
        )
    if bias is not None and bias.size(0) != weight.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {weight.shape[0]}"
        )
    k, n, m = weight.shape
    outer = tuple(input1.shape[:-1])
    count = prod(outer)
    left = input1.reshape((count, n)) @ weight.permute((1, 0, 2)).reshape((n, k * m))
    out = (left.reshape((count, k, m)) @ input2.reshape((count, m, 1))).reshape((count, k))
    out = out if bias is None else out + bias
    return out.reshape((*outer, k))
