"""Products with weights. ``linear`` itself stands with the matrix products of flambeau-tensor."""
from flambeau_nn.ops.front import composite


@composite("bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None)",
           "input1 · weight[k] · input2 for each k, plus `bias`: (*, n), (*, m), (out, n, m) and (out).")
def bilinear(input1, input2, weight, bias):
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError("bilinear(): input batch dimensions do not match: got "
                           f"{tuple(input1.shape[:-1])} and {tuple(input2.shape[:-1])}")
    if input1.shape[-1] != weight.shape[1]:
        raise RuntimeError(f"bilinear(): input1 size does not match weight size: got {input1.shape[-1]} but expected "
                           f"{weight.shape[1]}")
    if input2.shape[-1] != weight.shape[2]:
        raise RuntimeError(f"bilinear(): input2 size does not match weight size: got {input2.shape[-1]} but expected "
                           f"{weight.shape[2]}")
    n, m = weight.shape[1:]
    rows = input1.reshape((-1, n))
    left = rows @ weight.permute((1, 0, 2)).reshape((n, -1))  # (rows, out · m)
    out = (left.reshape((-1, weight.shape[0], m)) * input2.reshape((-1, 1, m))).sum(-1)
    out = out if bias is None else out + bias
    return out.reshape(tuple(input1.shape[:-1]) + (weight.shape[0],))
