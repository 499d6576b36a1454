"""Tensors in notebooks."""

from html.parser import HTMLParser

import pytest

import flambeau_tensor as ft


class Shown(HTMLParser):
    """The line above the table, and the table's rows."""

    def __init__(self, text):
        super().__init__()
        self.open, self.told, self.rows = [], "", []
        self.feed(text)
        assert not self.open  # every tag is closed

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open:
            self.rows[-1][-1] += data.strip()
        else:
            self.told += data


@pytest.mark.parametrize(
    ("tensor", "told", "rows"),
    [
        (
            ft.tensor([[1.5, -2.0], [0.0, 3.0]]),
            "torch.float32, shape (2, 2)",
            [["1.5000", "-2.0000"], ["0.0000", "3.0000"]],
        ),
        (ft.tensor([True, False]), "torch.bool, shape (2,)", [["True", "False"]]),
        (ft.tensor(7), "torch.int64, shape ()", [["7"]]),
        (ft.zeros(0, 3), "torch.float32, shape (0, 3), no elements", []),
        (ft.arange(8).reshape(2, 2, 2), "torch.int64, shape (2, 2, 2), here [0]", [["0", "1"], ["2", "3"]]),
        (ft.tensor([1.0, 2.0], dtype=ft.bfloat16), "torch.bfloat16, shape (2,)", [["1.", "2."]]),
        (ft.tensor([1 + 2j]), "torch.complex64, shape (1,)", [["1.+2.j"]]),
        (ft.tensor([1 + 2j]).conj().imag, "torch.float32, shape (1,)", [["-2."]]),
    ],
)
def test_tables(tensor, told, rows):
    shown = Shown(tensor._repr_html_())
    assert (shown.told, shown.rows) == (told, rows)


def test_large_tables_show_their_edges():
    rows = Shown(ft.arange(20_000).reshape(100, 200)._repr_html_()).rows
    first = " ".join(row[0] for row in rows)
    assert first == "0 200 400 600 800 ⋮ 19000 19200 19400 19600 19800"
    assert rows[0] == ["0", "1", "2", "3", "4", "…", "195", "196", "197", "198", "199"]
    assert len(Shown(ft.arange(11)._repr_html_()).rows[0]) == 11


def test_subclasses_show_their_text():
    class Sub(ft.Tensor):
        pass

    assert ft.ones(2).as_subclass(Sub)._repr_html_() is None
