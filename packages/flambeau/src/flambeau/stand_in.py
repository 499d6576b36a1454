"""``python -m flambeau.stand_in FOLDER`` writes a distribution that pip takes for PyTorch.

Packages declare that they need ``torch``. Where this wheel is installed, pip finds that so, ``import torch`` gives
flambeau in every process, and nothing else has to be said. It holds no more than that import, and it is for the
environment that it is made in: it must not be published, for the name belongs to others.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

import flambeau
from flambeau.version import __version__

MODULE = Path(__file__).with_name("_under_torch") / "torch/__init__.py"
METADATA = f"""Metadata-Version: 2.1
Name: torch
Version: {{version}}
Summary: flambeau in PyTorch's place, in this environment; not to be published
Requires-Dist: flambeau=={flambeau.RELEASE}
"""
WHEEL = """Wheel-Version: 1.0
Generator: flambeau.stand_in
Root-Is-Purelib: true
Tag: py3-none-any
"""


def write(folder: "str | Path" = ".") -> Path:
    """Write the wheel into a folder, and return its path.

    Its version is that of PyTorch whose interface this is, with our own behind a plus sign, so it satisfies
    ``torch>=2`` and ``torch==2.13.*``.
    """
    version = str(__version__)
    info = f"torch-{version}.dist-info"
    files = {
        "torch/__init__.py": MODULE.read_text(),
        f"{info}/METADATA": METADATA.format(version=version),
        f"{info}/WHEEL": WHEEL,
    }
    record = "".join(f"{name},sha256={_digest(text)},{len(text.encode())}\n" for name, text in files.items())
    path = Path(folder) / f"torch-{version}-py3-none-any.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(name, text)
    return path


def _digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(write(*sys.argv[1:2]))
