"""Pictures of autograd graphs, and progress bars."""

import builtins
import importlib.util
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import flambeau as torch
from flambeau import nn
from flambeau.viz._layered import layered

DOCS = Path(__file__).parents[3] / "docs"


def titles(drawing):
    """The names of boxes, from the picture."""
    texts = ElementTree.fromstring(drawing.svg).iter("{http://www.w3.org/2000/svg}text")
    return [t.text for t in texts if t.get("font-weight")]


def test_what_is_drawn():
    layer = nn.Linear(3, 2)
    y = layer(torch.ones(4, 3)).tanh()
    drawing = torch.viz.graph(y, names=layer)
    assert titles(drawing) == ["result", "Tanh", "Linear", "weight", "bias"]
    assert drawing._repr_svg_() == drawing.svg
    assert "(2, 3)" in drawing.svg and "y = layer(torch.ones(4, 3)).tanh()" in drawing.svg  # where the pointer rests
    assert '[label="weight\\n(2, 3)" style="filled,rounded"]' in drawing.dot
    assert drawing.dot.count("->") == 4 and 'tooltip="weight"' in drawing.dot


def test_names_and_what_has_none():
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    assert titles(torch.viz.graph(a * b, names={"a": a})) == ["result", "Mul", "a", "leaf"]
    assert titles(torch.viz.graph(a)) == ["result", "leaf"]
    assert titles(torch.viz.graph([a + 1, a * 2])).count("leaf") == 1  # drawn together
    assert "&lt;b&gt;" in torch.viz.graph(a, names={"<b>": a}).svg


def test_functions_of_the_program():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    assert titles(torch.viz.graph(Double.apply(torch.ones(2, requires_grad=True)))) == ["result", "Double", "leaf"]


def test_what_cannot_be_drawn():
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.viz.graph(torch.ones(2))
    for wrong in ([], ["x"]):
        with pytest.raises(TypeError, match="must be a Tensor"):
            torch.viz.graph(wrong)


def test_a_long_graph():
    x = y = torch.ones(2, requires_grad=True)
    for _ in range(300):
        y = y * x.sin()
    assert titles(torch.viz.graph(y)).count("Mul") == 300


def test_layers():
    """Boxes do not overlap, edges point down, a chain is straight, and a long edge goes around what is between."""
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("e", "d"), ("f", "c"), ("f", "d")]
    sizes = {name: (40.0, 20.0) for name in "abcdef"}
    layout = layered(sizes, edges)
    for (start, end), way in zip(edges, layout.ways, strict=True):
        assert way[0] == (layout.places[start][0], layout.places[start][1] + 10)
        assert way[-1] == (layout.places[end][0], layout.places[end][1] - 10)
        assert [y for _, y in way] == sorted(y for _, y in way)
        for x, y in way[1:-1]:
            assert all(abs(x - a) >= 20 or abs(y - b) >= 10 for a, b in layout.places.values())
    places = list(layout.places.values())
    for i, (x, y) in enumerate(places):
        assert 20 <= x <= layout.width - 20 and 10 <= y <= layout.height - 10
        assert all(abs(x - a) >= 40 or abs(y - b) >= 20 for a, b in places[:i])
    chain = layered({n: (10.0, 10.0) for n in range(5)}, [(n, n + 1) for n in range(4)])
    assert {x for x, _ in chain.places.values()} == {5.0}


def test_files(tmp_path):
    drawing = torch.viz.graph(torch.ones(2, requires_grad=True).exp())
    for suffix, text in ((".svg", drawing.svg), (".dot", drawing.dot)):
        drawing.save(tmp_path / f"graph{suffix}")
        assert (tmp_path / f"graph{suffix}").read_text() == text
    if shutil.which("dot"):
        drawing.save(tmp_path / "graph.pdf")
        assert (tmp_path / "graph.pdf").read_bytes().startswith(b"%PDF")
    else:
        with pytest.raises(RuntimeError, match="needs Graphviz"):
            drawing.save(tmp_path / "graph.pdf")


def test_the_picture_of_the_documentation():
    """It is what the page's program draws; `picture.save("docs/_static/autograd_graph.svg")` there renews it."""
    page = (DOCS / "reference" / "seeing.md").read_text()
    program = re.search(r"```\{testcode\}\n(.*?class Residual.*?)```", page, re.S).group(1)
    names = {}
    exec(compile(program, "seeing.md", "exec"), names)
    assert (DOCS / "_static" / "autograd_graph.svg").read_text() == names["picture"].svg


@pytest.fixture
def no_tqdm(monkeypatch):
    genuine = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.split(".")[0] == "tqdm":
            raise ImportError(name)
        return genuine(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)


def use(bar):
    with bar:
        for i in bar:
            bar.set_description(f"step {i}")
            bar.set_postfix(loss=1.0)
    return bar


def test_progress_without_tqdm(no_tqdm, capsys):
    bar = use(torch.viz.progress(range(3), desc="training"))
    assert bar.n == 3 and len(bar) == 3 and bar.desc == "step 2"
    with torch.viz.progress(total=5) as moved:
        moved.update(2)
    assert (moved.n, moved.total) == (2, 5)
    moved.write("seen")
    assert capsys.readouterr() == ("seen\n", "")


@pytest.mark.skipif(importlib.util.find_spec("tqdm") is None, reason="tqdm is not installed")
def test_progress_with_tqdm(capsys):
    bar = use(torch.viz.progress(range(3), desc="training"))
    assert bar.n == 3 and "3/3" in capsys.readouterr().err
