"""The graph that autograd has recorded for a tensor, as a drawing."""

import linecache
import shutil
import subprocess
from collections.abc import Hashable, Iterable, Mapping
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from flambeau import nn
from flambeau.viz._layered import layered
from flambeau_tensor import Tensor

__all__ = ["Drawing", "graph"]

_MARGIN, _HEIGHT, _LETTER = 8, 40, 8


class _Box(NamedTuple):
    kind: str  # leaf, operation or result
    title: str
    note: str
    about: str  # the tooltip of the box


class Drawing:
    """The result of :func:`graph`. Notebooks show it.

    Attributes:
        svg: the picture.
        dot: the same graph in the language of Graphviz.

    Raises:
        AttributeError: the boxes are not a dict; raised when it is drawn.

    >>> import flambeau as torch
    >>> picture = torch.viz.graph(torch.ones(2, requires_grad=True).exp())
    >>> picture.svg[:4], picture.dot[:7]
    ('<svg', 'digraph')
    """

    def __init__(self, boxes: "dict[Any, _Box]", edges: "list[tuple[Any, Any, str]]") -> None:
        self._boxes, self._edges = boxes, edges

    def __repr__(self) -> str:
        counts = [sum(box.kind == kind for box in self._boxes.values()) for kind in ("operation", "leaf")]
        return f"<Drawing of {counts[0]} operations and {counts[1]} leaves>"

    def _repr_svg_(self) -> str:
        return self.svg

    @property
    def svg(self) -> str:
        sizes: dict[Hashable, tuple[float, float]] = {
            k: (_LETTER * max(len(b.title), len(b.note), 6) + 20, _HEIGHT) for k, b in self._boxes.items()
        }
        layout = layered(sizes, [(a, b) for a, b, _ in self._edges])
        width, height = (round(size + 2 * _MARGIN) for size in (layout.width, layout.height))
        out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_MARGIN} {-_MARGIN} {width} {height}" width="{width}" '
            'role="img" aria-label="The autograd graph" font-family="system-ui, sans-serif" font-size="13">'
        ]
        out.append('<g fill="none" stroke="var(--color-foreground-muted, #666)">')
        for (_, _, about), way in zip(self._edges, layout.ways, strict=True):
            out.append(f'<path d="{_curve(way)}">{_title(about)}</path>')
        out.append('</g><g text-anchor="middle" fill="var(--color-foreground-primary, #000)">')
        for key, box in self._boxes.items():
            (x, y), (w, h) = layout.places[key], sizes[key]
            fill, radius = _LOOKS[box.kind]
            out.append(
                f'<g>{_title(box.about)}<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h}" '
                f'rx="{radius}" fill="{fill}" stroke="var(--color-foreground-border, #878787)"/>'
                f'<text x="{x:.1f}" y="{y - 3:.1f}" font-weight="600">{escape(box.title)}</text>'
                f'<text x="{x:.1f}" y="{y + 13:.1f}" font-size="12">{escape(box.note)}</text></g>'
            )
        return "\n".join([*out, "</g></svg>\n"])

    @property
    def dot(self) -> str:
        names = {key: f"n{number}" for number, key in enumerate(self._boxes)}
        lines = ["digraph {", '  node [fontname="sans-serif" fontsize=10 shape=box]']
        for key, box in self._boxes.items():
            style = {"leaf": ' style="filled,rounded"', "operation": "", "result": " style=filled"}[box.kind]
            label = _quoted(box.title + "\n" + box.note)
            lines.append(f"  {names[key]} [label={label}{style}]")
        lines += [f"  {names[a]} -> {names[b]} [tooltip={_quoted(about)}]" for a, b, about in self._edges]
        return "\n".join([*lines, "}\n"])

    def save(self, path: "str | Path") -> None:
        """Write the drawing: ``.svg`` and ``.dot`` directly, other formats (``.pdf``, ``.png``) with Graphviz.

        Raises:
            RuntimeError: Graphviz is needed and not installed.
        """
        path = Path(path)
        if path.suffix in (".svg", ".dot"):
            path.write_text(self.svg if path.suffix == ".svg" else self.dot, encoding="utf-8")
            return
        program = shutil.which("dot")
        if program is None:
            raise RuntimeError(f"Drawing.save(): '{path.suffix}' needs Graphviz, but its program dot was not found")
        command = [program, f"-T{path.suffix[1:]}", "-o", str(path)]
        subprocess.run(command, input=self.dot, text=True, encoding="utf-8", check=True)


_LOOKS = {
    "leaf": ("var(--color-admonition-title-background--tip, #d3f3e3)", 16),
    "operation": ("var(--color-background-secondary, #f8f9fb)", 4),
    "result": ("var(--color-admonition-title-background--note, #cfe4ff)", 16),
}


def graph(tensor: "Tensor | Iterable[Tensor]", names: "nn.Module | Mapping[str, Tensor] | None" = None) -> Drawing:
    """Draw the graph that autograd has recorded: from leaves at the top, through operations to the tensor.

    Each operation shows the shape of its result. Its tooltip shows the line of the program that called it; the tooltip
    of an edge shows the argument.

    Args:
        tensor: a result; or several tensors, whose graphs are drawn together.
        names: the names of leaves: a module, for the names of its parameters, or a mapping from names to tensors.

    Returns:
        A drawing that notebooks show, with `svg`, `dot` and `save(path)`.

    Raises:
        TypeError: the argument is neither a tensor nor an iterable of tensors.
        RuntimeError: a tensor that does not require grad has no graph.

    >>> import flambeau as torch
    >>> layer = torch.nn.Linear(3, 1)
    >>> torch.viz.graph(layer(torch.ones(2, 3)).tanh(), names=layer)
    <Drawing of 2 operations and 2 leaves>
    """
    tensors = [tensor] if isinstance(tensor, Tensor) else list(tensor)
    if not tensors or not all(isinstance(t, Tensor) for t in tensors):
        raise TypeError("graph(): argument 'tensor' must be a Tensor, or several")
    named = names.named_parameters() if isinstance(names, nn.Module) else (names or {}).items()
    called = {id(t): name for name, t in named}
    boxes: dict[Any, _Box] = {}
    edges = []
    waiting = []
    for number, result in enumerate(tensors):
        if not result.requires_grad:
            raise RuntimeError("graph(): the tensor does not require grad, so nothing was recorded for it")
        key = ("result", number)
        boxes[key] = _Box("result", called.get(id(result), "result"), _shape(result), "")
        edges.append((result.grad_fn if result.grad_fn is not None else _leaf(result), key, ""))
        waiting.append(edges[-1][0])
    while waiting:
        node = waiting.pop()
        if node in boxes:
            continue
        boxes[node] = _box(node, called)
        following = node.next_functions
        argument = getattr(node, "_argument", lambda edge: None)
        for edge, (source, _) in enumerate(following):
            if source is not None:
                edges.append((source, node, argument(edge) or ""))
        waiting += [source for source, _ in reversed(following) if source is not None]
    return Drawing(boxes, edges)


def _leaf(tensor):
    from flambeau.autograd.graph import get_gradient_edge

    return get_gradient_edge(tensor).node


def _box(node, called):
    leaf = getattr(node, "variable", None)
    if leaf is not None:
        return _Box("leaf", called.get(id(leaf), "leaf"), _shape(leaf), str(leaf.dtype).removeprefix("torch."))
    shapes = [str(tuple(m.shape)) for m in getattr(node, "_input_metadata", ()) if m is not None]
    title = node.name().removesuffix("0").removesuffix("Backward")
    return _Box("operation", title, ", ".join(shapes), _line(getattr(node, "_call_site", None)))


def _line(call_site):
    """The line of the program that made a node: file, number and text."""
    if call_site is None:
        return ""
    code, instruction = call_site
    line = next(islice(code.co_positions(), max(instruction, 0) // 2, None))[0] or 0  # two bytes each
    return f"{code.co_filename}:{line}\n{linecache.getline(code.co_filename, line).strip()}".strip()


def _shape(tensor):
    return str(tuple(tensor.shape))


def _title(text):
    return f"<title>{escape(text)}</title>" if text else ""


def _quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _curve(way):
    """A line that leaves and arrives from above to below, with a head."""
    x, y = way[0]
    parts = [f"M{x:.1f} {y:.1f}"]
    for next_x, next_y in way[1:]:
        middle = (y + next_y) / 2
        parts.append(f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}")
        x, y = next_x, next_y
    return " ".join([*parts, f"M{x - 4:.1f} {y - 7:.1f} L{x:.1f} {y:.1f} L{x + 4:.1f} {y - 7:.1f}"])
