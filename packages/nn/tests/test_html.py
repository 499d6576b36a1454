"""What notebooks show of modules."""

import re

import flambeau_nn as nn


def text(html):
    return [part.strip() for part in re.split(r"<[^>]*>", html) if part.strip()]


def test_tree():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    model[0].bias.requires_grad_(False)
    html = model._repr_html_()
    assert text(html) == [
        "Sequential()",
        "6 parameters, 3 frozen",
        "0: Linear(in_features=2, out_features=3, bias=True)",
        "6 parameters, 3 frozen",
        "weight",
        "parameter, (3, 2), torch.float32",
        "bias",
        "parameter, (3,), torch.float32, frozen",
        "1: ReLU()",
    ]
    assert html.count("<details open>") == 1 and html.count("<details>") == 1
    for tag in ("details", "summary", "div", "code", "small"):
        assert html.count(f"<{tag}") == html.count(f"</{tag}>")


def test_buffers_and_names_are_escaped():
    model = nn.BatchNorm1d(3)
    model.register_module("<b>", None)
    shown = text(model._repr_html_())
    assert "running_mean" in shown and "buffer, (3,), torch.float32" in shown and "&lt;b&gt;: None" in shown


def test_a_text_of_its_own_is_shown():
    class Own(nn.Module):
        def __repr__(self):
            return "own"

    assert Own()._repr_html_() is None and nn.ReLU()._repr_html_() == "<div><code>ReLU()</code></div>"
