"""The note that is added to an error in a model: which module was called, with which arguments, and what it accepts.

The first error that leaves a module imports this file; successful calls do not.
"""

from __future__ import annotations

import inspect
import weakref
from typing import TYPE_CHECKING, Any

from flambeau_overrides import DisableTorchFunction
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_nn.modules.module import Module

_MOST = 8  # arguments, or entries of one, that are described

# Class -> argument -> description of valid values; braces contain attributes of the module.
EXPECTED: dict[str, dict[str, str]] = {
    "Linear": {"input": "(*, {in_features})"},
    "Bilinear": {"input1": "(*, {in1_features})", "input2": "(*, {in2_features})"},
    **{
        f"{kind}{n}d": {"input": f"(N, {{{channels}}}, {sizes}) or ({{{channels}}}, {sizes})"}
        for n, sizes in ((1, "L"), (2, "H, W"), (3, "D, H, W"))
        for kind, channels in (
            ("Conv", "in_channels"),
            ("ConvTranspose", "in_channels"),
            ("InstanceNorm", "num_features"),
        )
    },
    **{
        f"{kind}{n}d": {"input": f"(N, C, {sizes}) or (C, {sizes})"}
        for n, sizes in ((1, "L"), (2, "H, W"), (3, "D, H, W"))
        for kind in (
            "AvgPool",
            "MaxPool",
            "LPPool",
            "AdaptiveAvgPool",
            "AdaptiveMaxPool",
            "ReflectionPad",
            "ReplicationPad",
            "CircularPad",
        )
    },
    "FractionalMaxPool2d": {"input": "(N, C, H, W) or (C, H, W)"},
    "FractionalMaxPool3d": {"input": "(N, C, D, H, W) or (C, D, H, W)"},
    "PixelShuffle": {"input": "(*, C, H, W), C a multiple of {upscale_factor} squared"},
    "PixelUnshuffle": {"input": "(*, C, H, W), H and W multiples of {downscale_factor}"},
    "Unflatten": {"input": "a dimension {dim} of as many elements as {unflattened_size} has"},
    "BatchNorm1d": {"input": "(N, {num_features}) or (N, {num_features}, L)"},
    "BatchNorm2d": {"input": "(N, {num_features}, H, W)"},
    "BatchNorm3d": {"input": "(N, {num_features}, D, H, W)"},
    "SyncBatchNorm": {"input": "(N, {num_features}, *)"},
    "GroupNorm": {"input": "(N, {num_channels}, *)"},
    "LayerNorm": {"input": "sizes that end in {normalized_shape}"},
    "RMSNorm": {"x": "sizes that end in {normalized_shape}"},
    "PReLU": {"input": "(N, {num_parameters}, *), or any shape for one parameter"},
    "Embedding": {"input": "int64 or int32, at least 0 and below {num_embeddings}"},
    "EmbeddingBag": {
        "input": "(B, L), or (L) with offsets; int64 or int32, at least 0 and below {num_embeddings}",
        "offsets": "(B), where bags begin, for an input of one dimension",
    },
    "RNNBase": {
        "input": "(L, N, {input_size}), (N, L, {input_size}) if batch_first, or (L, {input_size})",
        "hx": "(layers times directions, N, {hidden_size}), for LSTM a pair, or None",
    },
    "RNNCellBase": {
        "input": "(N, {input_size}) or ({input_size})",
        "hx": "(N, {hidden_size}) or ({hidden_size}), for LSTM a pair, or None",
    },
    "MultiheadAttention": {
        "query": "(L, N, {embed_dim}), (N, L, {embed_dim}) if batch_first, or (L, {embed_dim})",
        "key": "(S, N, {kdim}), (N, S, {kdim}) if batch_first, or (S, {kdim})",
        "value": "(S, N, {vdim}), (N, S, {vdim}) if batch_first, or (S, {vdim})",
    },
    "AdaptiveLogSoftmaxWithLoss": {
        "input_": "(N, {in_features}) or ({in_features})",
        "target_": "(N) or (), int64, at least 0 and below {n_classes}",
    },
    "CrossEntropyLoss": {
        "input": "(N, C, *) or (C)",
        "target": "classes, int64 of shape (N, *) or (), or probabilities of the input's shape and dtype",
    },
    "NLLLoss": {"input": "(N, C, *) or (C)", "target": "(N, *) or (), int64, at least 0 and below C"},
    "LinearCrossEntropyLoss": {
        "input": "(N, {linear.in_features}) or ({linear.in_features})",
        "target": "(N) or (), int64, at least 0 and below {num_classes}",
    },
    "BCELoss": {"input": "floating point from 0 to 1", "target": "the input's shape and dtype"},
    "BCEWithLogitsLoss": {"target": "the input's shape"},
}


class ModuleNote(str):
    """A note on an error, with the outermost module whose call the error has left so far."""

    __slots__ = ("module", "path", "text")
    module: weakref.ref[Module]
    path: str
    text: str

    @classmethod
    def of(cls, module: Module, path: str, text: str) -> ModuleNote:
        kind, _, rest = text.partition(",")
        note = cls(f"In {path} ({kind}) of {type(module).__name__},{rest}" if path else f"In {text}")
        note.module, note.path, note.text = weakref.ref(module), path, text
        return note

    def __reduce__(self) -> Any:
        return str, (str(self),)  # a copy is not extended any more


def note_module(error: Exception, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Add a note to ``error``, which leaves the call of ``module``, that says where in the model it was raised.

    The innermost module's call creates the note; the calls around it add the path to it.
    """
    with DisableTorchFunction():
        notes: list[str] = getattr(error, "__notes__", [])
        for at, note in enumerate(notes):
            if isinstance(note, ModuleNote):
                inner = note.module()
                name = next((name for name, m in module.named_modules() if m is inner and m is not module), None)
                if name is not None:
                    notes[at] = note.of(module, f"{name}.{note.path}" if note.path else name, note.text)
                return
        error.add_note(ModuleNote.of(module, "", _call(module, args, kwargs)))


def _call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The class, and a line for each argument."""
    try:
        arguments = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):  # this may be the error itself: the arguments do not match
        arguments = {**{str(n): value for n, value in enumerate(args)}, **kwargs}
    expected = _expected(module)
    lines = []
    for name, value in list(arguments.items())[:_MOST]:
        line = f"    {name}: {_described(value)}"
        lines.append(f"{line}; expected {expected[name]}" if name in expected else line)
    called = "called with" if lines else "called without arguments"
    return "\n".join([f"{type(module).__name__}, {called}", *lines])


def _expected(module: Module) -> dict[str, str]:
    """Return descriptions of valid values for the arguments that have one."""
    from flambeau_nn import modules

    for cls in type(module).__mro__:
        if cls.__name__ in EXPECTED and getattr(modules, cls.__name__, None) is cls:
            break
    else:
        return {}
    told = {name: text.format_map(_Attributes(module)) for name, text in EXPECTED[cls.__name__].items()}
    weight = next((p for p in module._parameters.values() if p is not None), None)
    if weight is not None and "int64" not in told[first := next(iter(told))]:
        told[first] += f" of {_name(weight.dtype)}"
    return told


class _Attributes:
    """The attributes of a module, for format strings with names in braces."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def __getitem__(self, name: str) -> Any:
        return getattr(self.module, name)


def _described(value: Any) -> str:
    if isinstance(value, Tensor):
        kind = "" if type(value) is Tensor else f"{type(value).__name__}, "
        device = "" if value.device.type == "cpu" else f" on {value.device}"
        return f"{kind}{_name(value.dtype)} of shape {tuple(value.shape)}{_range(value)}{device}"
    if isinstance(value, (list, tuple)):
        entries = [_described(entry) for entry in value[:_MOST]] + ["…"] * (len(value) > _MOST)
        return f"{type(value).__name__} of {', '.join(entries) if entries else 'nothing'}"
    if value is None or isinstance(value, (bool, int, float, complex)):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) < 40 else f"{value[:40]}…")
    return type(value).__name__


def _range(value: Tensor) -> str:
    """The smallest and the largest of whole numbers, which may be indices."""
    if value.dtype.is_floating_point or value.dtype.is_complex or not value.numel():
        return ""
    try:
        return f", from {int(value.min())} to {int(value.max())}"
    except Exception:  # the values are not available: on 'meta', in a transform
        return ""


def _name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")
