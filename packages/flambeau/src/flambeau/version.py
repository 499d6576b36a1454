"""``torch.version``: which version this is, and that it was built for no graphics processor."""
from flambeau import __version__ as __version__

cuda: str | None = None
hip: str | None = None
