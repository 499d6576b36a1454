"""Which module answers to which name of PyTorch's: one table, one import hook.

``flambeau.nn`` and ``flambeau_nn`` are one module object, and after `install_as_torch()` so is ``torch.nn``. The hook
only sees names that begin with ``flambeau.`` or, if enabled, ``torch``.
"""

import importlib
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec

from flambeau._class_names import NAMING
from flambeau._names import TABLE


class _Alias:
    """Finds and loads the modules of one prefix."""

    gives_what_is_loaded = True

    def __init__(self, prefix: str):
        self.prefix = prefix

    def find_spec(self, fullname, path=None, target=None):
        if fullname == self.prefix:
            return ModuleSpec(fullname, self) if self.prefix == "torch" else None
        if fullname.partition(".")[0] == "functorch" and self.prefix == "torch":  # PyTorch brings it along
            name = f"flambeau.{fullname}"
            try:
                module = importlib.import_module(name)
            except ModuleNotFoundError as e:
                if e.name == name:
                    return None
                raise
            return ModuleSpec(fullname, self, origin=name, is_package=hasattr(module, "__path__"))
        if not fullname.startswith(self.prefix + "."):
            return None
        name = real_name(fullname[len(self.prefix) + 1 :])
        if name is None:
            if self.prefix == "flambeau":
                return None  # a file of this package
            name = "flambeau." + fullname[len(self.prefix) + 1 :]
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as e:
            if e.name is not None and (name == e.name or name.startswith(e.name + ".")):
                return None
            raise
        sys.modules.pop(fullname, None)  # otherwise Python would run the loaded module again
        return ModuleSpec(fullname, self, origin=name, is_package=hasattr(module, "__path__"))

    def get_code(self, fullname):
        """Return the code that ``python -m`` runs."""
        name = real_name(fullname[len(self.prefix) + 1 :])
        return importlib.util.find_spec(name).loader.get_code(name)

    def create_module(self, spec):
        module = sys.modules[spec.origin or "flambeau"]
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        spec = module.__spec__
        if isinstance(spec.loader, _Alias):
            module.__spec__ = spec.loader_state  # the module keeps its original spec
            _keep_names(module, spec.name)


def _keep_names(module, name):
    """Keep the function ``autograd.gradcheck`` of a package when the submodule ``autograd.gradcheck`` is imported.

    Importing a submodule sets an attribute of its package. Modules that are listed already are not imported.
    """
    start = module.__name__ + "."
    for full, part in list(sys.modules.items()):
        if full.startswith(start) and getattr(module, full[len(start) :], part) is not part:
            sys.modules[f"{name}.{full[len(start) :]}"] = part


def real_name(name: str) -> str | None:
    """Return the name of the module that a name of the layout (without the leading ``torch.``) refers to, or None."""
    head, tail = name, ""
    while head:
        if head in TABLE:
            return TABLE[head] + tail
        head, _, last = head.rpartition(".")
        tail = f".{last}{tail}"
    return None


def install(prefix: str) -> None:
    """Serve the layout under ``prefix``."""
    if not any(isinstance(f, _Alias) and f.prefix == prefix for f in sys.meta_path):
        sys.meta_path.insert(0, _Alias(prefix))


def install_as_torch() -> None:
    """Register flambeau under the name ``torch`` in this process, so that programs written for PyTorch run unchanged.

    Child processes inherit the registration: a folder with a package ``torch`` that imports flambeau is added to
    ``sys.path``, which `multiprocessing` and others pass on, and to ``PYTHONPATH`` in ``os.environ``. No files are
    written. Only Pythons that ignore ``PYTHONPATH`` (``python -I``, ``python -E``) are not affected.

    Raises:
        RuntimeError: PyTorch itself is already imported.

    >>> import flambeau
    >>> flambeau.install_as_torch()
    >>> import torch
    >>> torch is flambeau
    True
    """
    present = sys.modules.get("torch")
    ours = sys.modules["flambeau"]
    if present is ours:
        return
    if present is not None:
        raise RuntimeError(
            "install_as_torch(): PyTorch is already imported in this process; call it before the first 'import torch'"
        )
    install("torch")
    sys.modules["torch"] = ours
    ours.__name__ = "torch"  # packages that patch functions look their modules up by it
    for name in [n for n in sys.modules if n.startswith("flambeau.")]:
        sys.modules["torch." + name[len("flambeau.") :]] = sys.modules[name]
    NAMING.name_all("torch")
    _pass_on()


def _pass_on():
    """Let child processes import flambeau under the name, and packages find the distribution ``torch``."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_under_torch")
    if folder not in sys.path:
        sys.path.insert(1, folder)  # after the program's own folder, as with PYTHONPATH
    present = os.environ.get("PYTHONPATH", "")
    if folder not in present.split(os.pathsep):
        os.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{present}" if present else folder
