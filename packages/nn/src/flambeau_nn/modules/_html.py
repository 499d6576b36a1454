"""The notebook display of modules: a collapsible tree with the number and the shapes of parameters."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flambeau_nn.modules.module import Module

_LINE = "margin-left:1.2em"


def module_html(module: Module, name: str = "") -> str:
    """The tree of a module, closed below its first level.

    >>> from flambeau_nn import Linear
    >>> print(module_html(Linear(2, 3)).partition("</summary>")[0])
    <details open><summary><code>Linear(in_features=2, out_features=3, bias=True)</code> <small>9 parameters</small>
    """
    lines = []
    for own, tensor in [*module._parameters.items(), *module._buffers.items()]:
        if tensor is not None:
            kind = "parameter" if own in module._parameters else "buffer"
            shape = getattr(tensor, "shape", None)  # a lazy layer's parameters have none yet
            told = f"{tuple(shape) if shape is not None else 'no shape yet'}, {str(tensor.dtype)}"
            frozen = ", frozen" if kind == "parameter" and not tensor.requires_grad else ""
            about = f"<small>{kind}, {escape(told)}{frozen}</small>"
            lines.append(f'<div style="{_LINE}"><code>{escape(own)}</code> {about}</div>')
    for child_name, child in module._modules.items():
        text = f"<code>{escape(child_name)}: None</code>" if child is None else module_html(child, child_name)
        lines.append(f'<div style="{_LINE}">{text}</div>')
    extra = module.extra_repr()
    title = f"{name}: " * bool(name) + f"{module._get_name()}({extra})"
    head = f"<code>{escape(title)}</code>{_count(module)}"
    if not lines:
        return f"<div>{head}</div>"
    return f"<details{' open' * (not name)}><summary>{head}</summary>{''.join(lines)}</details>"


def _count(module: Module) -> str:
    """Describe the numbers of trained and frozen elements."""
    try:
        counts = {True: 0, False: 0}
        for parameter in module.parameters():
            counts[parameter.requires_grad] += parameter.numel()
    except (RuntimeError, ValueError):  # a lazy layer that has seen no input
        return ""
    told = [
        f"{counts[trained]:,} {word}" for trained, word in ((True, "parameters"), (False, "frozen")) if counts[trained]
    ]
    return f" <small>{', '.join(told)}</small>" if told else ""
