"""A table of a network's modules: result sizes, numbers of parameters, and numbers of multiplications."""

from math import prod
from typing import Any, NamedTuple

from flambeau import nn, no_grad
from flambeau_nn.modules.conv import _ConvNd, _ConvTransposeNd
from flambeau_tensor import Tensor

__all__ = ["Row", "Summary", "summary"]


class Row(NamedTuple):
    """One module.

    Its path in the model, its class, the shape of its result (None if it was not called), its own parameters, and the
    number of multiply-adds of its products.
    """

    path: str
    kind: str
    shape: "tuple | None"
    parameters: int
    multiply_adds: int


class Summary:
    """The result of :func:`summary`; it prints as a table.

    Attributes:
        rows: a :class:`Row` for each module, a module before those inside it.
        parameters: the number for the whole model; shared parameters count once.
        trainable: the number of those that require grad.
        multiply_adds: the number for one call.
    """

    def __init__(self, rows: "list[Row]", parameters: int, trainable: int) -> None:
        self.rows = rows
        self.parameters = parameters
        self.trainable = trainable
        self.multiply_adds = sum(row.multiply_adds for row in rows)

    def __repr__(self) -> str:
        lines = [("module", "returns", "parameters", "multiply-adds")]
        for row in self.rows:
            depth = row.path.count(".") + 1 if row.path else 0
            name = row.path.rpartition(".")[2]
            lines.append(
                (
                    "  " * depth + (f"{name}: {row.kind}" if name else row.kind),
                    "-" if row.shape is None else str(list(row.shape)),
                    f"{row.parameters:,}" if row.parameters else "",
                    f"{row.multiply_adds:,}" if row.multiply_adds else "",
                )
            )
        lines.append(("total", "", f"{self.parameters:,}", f"{self.multiply_adds:,}"))
        wide = [max(len(line[k]) for line in lines) for k in range(4)]
        texts = [f"{a:<{wide[0]}}  {b:<{wide[1]}}  {c:>{wide[2]}}  {d:>{wide[3]}}".rstrip() for a, b, c, d in lines]
        rule = "-" * max(map(len, texts))
        frozen = self.parameters - self.trainable
        note = [f"{frozen:,} of the parameters do not require grad"] if frozen else []
        return "\n".join([texts[0], rule, *texts[1:-1], rule, texts[-1], *note])


# The number of multiply-adds of a call, given the module, its first argument, its result and the other arguments.
# Modules that are not listed are elementwise, or consist of modules.
def _of_linear(module, x, y, *_):
    return y.numel() * module.in_features


def _of_bilinear(module, x, y, *_):
    return y.numel() * module.in1_features * (module.in2_features + 1)


def _of_convolution(module, x, y, *_):
    return y.numel() * module.in_channels // module.groups * prod(module.kernel_size)


def _of_transposed_convolution(module, x, y, *_):
    return x.numel() * module.out_channels // module.groups * prod(module.kernel_size)


def _matrices(module):
    return sum(p.numel() for p in module.parameters(recurse=False) if p.dim() > 1)


def _of_recurrent_layer(module, x, y, *_):
    steps = (x if isinstance(x, Tensor) else x.data).numel() // module.input_size
    return steps * _matrices(module)


def _of_recurrent_cell(module, x, y, *_):
    return x.numel() // module.input_size * _matrices(module)


def _of_attention(module, x, y, key=None, value=None, *_):
    """The projections, and the two products between queries and keys."""
    key, value = (x if t is None else t for t in (key, value))
    length = key.shape[-2 if module.batch_first or key.dim() == 2 else 0]
    projected = 2 * x.numel() * module.embed_dim + (key.numel() + value.numel()) * module.embed_dim
    return projected + 2 * x.numel() * length


_COUNTS = (
    (nn.Linear, _of_linear),
    (nn.Bilinear, _of_bilinear),
    (_ConvTransposeNd, _of_transposed_convolution),
    (_ConvNd, _of_convolution),
    (nn.RNNBase, _of_recurrent_layer),
    (nn.RNNCellBase, _of_recurrent_cell),
    (nn.MultiheadAttention, _of_attention),
)


def _first(value):
    """The first tensor in a result, or None."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return next((found for found in map(_first, value) if found is not None), None)
    return value if isinstance(value, Tensor) else getattr(value, "data", None)


def summary(model: nn.Module, input: Any) -> Summary:
    """Return a table of a model's modules, computed by one call in evaluation mode without gradients.

    Products are counted for the modules that compute them (linear maps, convolutions, recurrent layers, attention);
    other products in a custom `forward` are not counted.

    Args:
        model: the model; its training modes are restored.
        input: the input of the call: a tensor, a tuple of arguments, or a dict of keyword arguments.

    Raises:
        AttributeError: the model is not a module.

    >>> import flambeau as torch
    >>> torch.summary(torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), torch.zeros(2, 8))
    module       returns  parameters  multiply-adds
    -----------------------------------------------
    Sequential   [2, 4]
      0: Linear  [2, 4]           36             64
      1: ReLU    [2, 4]
    -----------------------------------------------
    total                         36             64
    """
    shapes: dict[nn.Module, tuple[int, ...]] = {}
    counts: dict[nn.Module, int] = {}

    def watch(module, args, kwargs, result):
        y = _first(result)
        if y is None:
            return
        shapes[module] = tuple(y.shape)
        for kind, count in _COUNTS:
            if isinstance(module, kind):
                x, *others = (*args, *kwargs.values()) or (y,)
                counts[module] = counts.get(module, 0) + count(module, x, y, *others)
                return

    modes = {module: module.training for module in model.modules()}
    handles = [module.register_forward_hook(watch, with_kwargs=True) for module in modes]
    try:
        model.eval()
        with no_grad():
            if isinstance(input, dict):
                model(**input)
            else:
                model(*(input if isinstance(input, tuple) else (input,)))
    finally:
        for handle in handles:
            handle.remove()
        for module, training in modes.items():
            module.training = training
    rows = [
        Row(
            path,
            type(module).__name__,
            shapes.get(module),
            sum(p.numel() for p in module.parameters(recurse=False)),
            counts.get(module, 0),
        )
        for path, module in model.named_modules()
    ]
    parameters = list(model.parameters())
    return Summary(rows, sum(p.numel() for p in parameters), sum(p.numel() for p in parameters if p.requires_grad))
