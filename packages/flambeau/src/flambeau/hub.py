"""``torch.hub``: models from a folder with a ``hubconf.py``, and files of weights. Nothing is loaded from GitHub."""

import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import NotBuiltError

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_folder = None


def _progress_bar(name: str) -> Any:
    if name != "tqdm":
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        from flambeau.viz._progress import _Unseen as tqdm
    return tqdm


_names = dict.fromkeys(("Request", "urlopen"), "urllib.request")
__getattr__, __dir__ = _attach(__name__, "torch.hub", _names, find=_progress_bar)


def get_dir() -> str:
    """Return the folder of files: that of `set_dir`, ``$TORCH_HOME/hub``, or by default ``~/.cache/torch/hub``.

    >>> import tempfile
    >>> torch.hub.set_dir(tempfile.gettempdir())
    >>> get_dir() == tempfile.gettempdir()
    True
    """
    if _folder is not None:
        return _folder
    return os.path.join(_get_torch_home(), "hub")


def _get_torch_home():
    home = os.environ.get("TORCH_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "torch")
    return os.path.expanduser(home)


def set_dir(d: str | os.PathLike[str]) -> None:
    """Keep files in another folder.

    Raises:
        TypeError: the argument is not a path.

    >>> import tempfile
    >>> set_dir(tempfile.gettempdir())
    >>> torch.hub.get_dir() == tempfile.gettempdir()
    True
    """
    global _folder
    _folder = os.path.expanduser(d)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Download a URL (also ``file:``) to a file, which appears when it is complete.

    Raises:
        RuntimeError: the SHA256 of the download does not begin with ``hash_prefix``.

    >>> import os
    >>> import pathlib
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, copy = pathlib.Path(folder, "a.txt"), os.path.join(folder, "b.txt")
    ...     _ = source.write_text("weights")
    ...     download_url_to_file(source.as_uri(), copy, progress=False)
    ...     print(pathlib.Path(copy).read_text())
    weights
    """
    import tempfile
    from urllib.request import urlopen

    target, digest = Path(dst).expanduser(), hashlib.sha256()
    with urlopen(url) as source, tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as f:
        try:
            while block := source.read(1 << 20):
                f.write(block)
                digest.update(block)
            if hash_prefix is not None and not digest.hexdigest().startswith(hash_prefix):
                raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')
            f.close()
            os.replace(f.name, target)
        except BaseException:
            f.close()
            os.unlink(f.name)
            raise


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """`torch.load` of the file of an address, which is copied to ``model_dir`` unless it is there.

    Args:
        url: the address; the file has the same name.
        model_dir: a folder; by default ``checkpoints`` in `get_dir`.
        map_location, weights_only: for `torch.load`.
        progress: has no effect.
        check_hash: the name ends with the first digits of the file's SHA256, ``name-0123abcd.pth``, which are compared.
        file_name: another name for the file.

    Raises:
        FileNotFoundError: the file is not in the folder, which cannot be made.

    >>> import pathlib
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "weights.pt")
    ...     torch.save({"w": torch.ones(2)}, file)
    ...     print(load_state_dict_from_url(file.as_uri(), model_dir=folder + "/kept", progress=False))
    {'w': tensor([1., 1.])}
    """
    import flambeau

    folder = Path(get_dir(), "checkpoints") if model_dir is None else Path(model_dir)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (file_name or os.path.basename(urlparse(url).path))
    if not file.exists():
        found = HASH_REGEX.search(file.name) if check_hash else None
        download_url_to_file(url, str(file), found[1] if found else None, progress)
    return flambeau.load(str(file), map_location=map_location, weights_only=weights_only)


def _entries(folder, source):
    """The module ``hubconf`` of a folder."""
    if source not in ("local", "github"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise NotBuiltError("torch.hub does not load from GitHub: pass a folder and source='local'")
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("hubconf", Path(folder) / "hubconf.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _entry(module, name):
    function = getattr(module, name, None) if isinstance(name, str) else None
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return function


def _source(repo, source):
    return source or ("local" if Path(repo, "hubconf.py").exists() else "github")


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
    verbose: bool = True,
) -> Sequence[str]:  # noqa: A001
    """Return the names of the functions in the ``hubconf.py`` of a folder.

    Raises:
        NotBuiltError: the repository is not a local folder: there are no downloads.

    >>> import pathlib
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "hubconf.py").write_text("def small(): pass")
    ...     print(torch.hub.list(folder))
    ['small']
    """
    module = _entries(github, _source(github, None))
    return [name for name in dir(module) if callable(getattr(module, name)) and not name.startswith("_")]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
) -> str | None:  # noqa: A001
    """Return the docstring of a function in the ``hubconf.py`` of a folder.

    Raises:
        NotBuiltError: the repository is not a local folder: there are no downloads.

    >>> import pathlib
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "hubconf.py").write_text("def small(): 'A small model.'")
    ...     print(torch.hub.help(folder, "small"))
    A small model.
    """
    return _entry(_entries(github, _source(github, None)), model).__doc__


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: bool | str | None = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """Call the function ``model`` in the ``hubconf.py`` of a folder with the other arguments and return its result.

    Args:
        repo_or_dir: a folder.
        model: the function's name.
        source: ``"local"``.

    Raises:
        NotBuiltError: the source is GitHub.
        RuntimeError: the function does not exist, or a module that the file depends on is missing.

    >>> import pathlib
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "hubconf.py").write_text("def small(n): return list(range(n))")
    ...     print(load(folder, "small", 3, source="local"))
    [0, 1, 2]
    """
    return _entry(_entries(repo_or_dir, source.lower()), model)(*args, **kwargs)
