"""``torch.version``: the PyTorch release whose interface is provided, followed by our own version; no graphics
processor.

>>> import flambeau as torch
>>> torch.__version__ >= "2.1", str(torch.__version__).split("+")[0]
(True, '2.13.0')
"""

from flambeau import RELEASE
from flambeau.torch_version import TorchVersion

__version__ = TorchVersion(f"2.13.0+flambeau.{RELEASE}")
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
git_version = "unknown"
