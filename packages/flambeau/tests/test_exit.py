"""The end of a program: whatever is alive then goes without a word."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[2]
ALIVE = {
    "a shared tensor": "x = torch.ones(3).share_memory_()",
    "shared memory behind a view": "x = torch.ones(2000).share_memory_().untyped_storage()[:8]",
    "a tensor from another process": """
        import torch.multiprocessing as mp
        a, b = mp.Pipe()
        a.send(torch.ones(5000)); x = b.recv()""",
    "a tensor over a file": """
        import tempfile
        f = tempfile.NamedTemporaryFile()
        x = torch.from_file(f.name, shared=True, size=10)""",
    "a loaded file": """
        import tempfile
        f = tempfile.NamedTemporaryFile()
        torch.save(torch.ones(1000), f.name); x = torch.load(f.name, mmap=True)""",
    "a DataLoader's iterator": """
        x = iter(torch.utils.data.DataLoader(list(range(10)), num_workers=1)); next(x)""",
    "a graph": "x = torch.ones(3, requires_grad=True).exp().sum()",
    "a Function's context": """
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): ctx.save_for_backward(x); return x * 2
            @staticmethod
            def backward(ctx, g): return g
        x = F.apply(torch.ones(3, requires_grad=True))""",
    "a library": "x = torch.library.Library('ends', 'DEF'); x.define('f(Tensor x) -> Tensor')",
    "an open block": "x = torch.no_grad(); x.__enter__(); y = torch.autocast('cpu'); y.__enter__()",
    "a mode": """
        class M(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, f, t, a=(), k=None): return f(*a, **(k or {}))
        x = M(); x.__enter__()""",
    "a stream of a file": """
        import io
        from torch.utils.data.datapipes.utils.common import StreamWrapper
        x = StreamWrapper(io.BytesIO(b'abc'))""",
}


@pytest.mark.parametrize("what", ALIVE)
@pytest.mark.parametrize("where", ["globals", "a module that goes late", "a cycle"])
def test_nothing_is_said(what, where):
    code = "\n".join(line.removeprefix("        ") for line in ALIVE[what].split("\n"))
    keep = {
        "globals": "",
        "a module that goes late": "import sys; sys.kept = x; import builtins; builtins.kept = [x]",
        "a cycle": "c = [x]; c.append(c); import sys; sys.kept = c; del c",
    }[where]
    program = f"import flambeau.as_torch, torch\n{code}\n{keep}\n"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr, run.stdout) == (0, "", "")


def test_destructors_import_nothing():
    """When a program ends, `import` raises; names that a module lacks by then are bound as defaults."""
    destructor = re.compile(r"^( +)(?:def|cdef void) __(?:del|dealloc)__.*\n((?:\1 +.*\n|\n)*)", re.M)
    found = 0
    for path in [*PACKAGES.glob("*/src/**/*.py"), *PACKAGES.glob("*/src/**/*.pyx")]:
        for match in destructor.finditer(path.read_text(encoding="utf-8")):
            found += 1
            assert not re.search(r"\bimport\b|import_module", match[2]), f"{path}: {match[0]}"
    assert found > 3
