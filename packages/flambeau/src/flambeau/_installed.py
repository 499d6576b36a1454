"""What goes with the name ``torch`` beside the modules: the distribution that packages ask for, and new processes."""

import importlib
import os
from functools import cache
from types import ModuleType
from typing import Any


@cache
def _distribution() -> Any:
    from importlib.metadata import Distribution

    class TorchDistribution(Distribution):
        """The distribution ``torch``, as ``importlib.metadata`` sees it."""

        def read_text(self, filename: str) -> str | None:
            from flambeau.version import __version__

            return {
                "METADATA": f"Metadata-Version: 2.1\nName: torch\nVersion: {__version__}\n",
                "top_level.txt": "torch\n",
            }.get(filename)

        def locate_file(self, path: Any) -> Any:
            return os.path.join(os.path.dirname(os.path.dirname(__file__)), path)

    return TorchDistribution()


class Distributions:
    """Stands in ``sys.meta_path``, where ``importlib.metadata`` looks for who knows of distributions."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        return None

    def find_distributions(self, context: Any = None) -> list[Any]:
        """The one, if it or all are asked for."""
        name = getattr(context, "name", None)
        return [_distribution()] if name is None or name.lower() == "torch" else []


class _UnderTorch:
    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, ("flambeau.as_torch",)


def pass_on(module: ModuleType) -> None:
    """Let the processes that a module like ``multiprocessing.spawn`` starts stand under the name, too.

    They unpickle what the module says of this process first, and then what is called there.
    """
    told = module.get_preparation_data

    def get_preparation_data(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {**told(*args, **kwargs), "flambeau": _UnderTorch()}

    module.get_preparation_data = get_preparation_data  # type: ignore[attr-defined]


STARTERS = ("multiprocessing.spawn", "loky.backend.spawn", "joblib.externals.loky.backend.spawn")
