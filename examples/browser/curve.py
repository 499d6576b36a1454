"""A network that the reader's browser trains: a whole training step leaves Python as WebAssembly, inside one page.

    python examples/browser/curve.py docs/_static/gallery/curve.html

The page needs no server and loads nothing else. The compiler is zig's: ``pip install flambeau-compile[zig]``.
"""

import base64
import json
import sys
import tempfile
from pathlib import Path

import flambeau as torch
from flambeau import nn
from flambeau.compiler import export_wasm

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.005)
x = torch.linspace(-1, 1, 32)[:, None]
y = 0.6 * torch.sin(5 * x) + 0.2 * torch.cos(13 * x)
places = torch.linspace(-1, 1, 96)[:, None]


def step(x, y, places):
    """One step of Adam on the points; gives the loss, and the curve as it was before."""
    with torch.no_grad():
        curve = net(places)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    return loss, curve


def page():
    """The page: the template with the compiled step, the module that loads it, and the points."""
    with tempfile.TemporaryDirectory() as folder:
        code, loader = export_wasm(step, (x, y, places), folder, "curve")
        bytes_of_code, script = code.read_bytes(), loader.read_text()
    template = Path(__file__).with_suffix(".html").read_text()
    points = {name: t.flatten().tolist() for name, t in (("x", x), ("y", y), ("places", places))}
    return (
        template.replace("/* loader */", script.replace("export async", "async"))
        .replace("{{wasm}}", base64.b64encode(bytes_of_code).decode())
        .replace("{{size}}", f"{len(bytes_of_code) / 1000:.1f} KB")
        .replace("{{points}}", json.dumps({name: [round(v, 5) for v in values] for name, values in points.items()}))
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
