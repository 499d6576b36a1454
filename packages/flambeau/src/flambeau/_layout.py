"""Which module answers to which name of PyTorch's: one table, one import hook.

``flambeau.nn`` and ``flambeau_nn`` are one module object, and after `install_as_torch()` so is ``torch.nn``. The hook
only ever sees names that begin with ``flambeau.`` or, when asked for, ``torch``.
"""

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec

from flambeau._functions_of_nn import FUNCTIONS_OF_NN as FUNCTIONS_OF_NN
from flambeau_tensor.extend import name_tensor

# The part of a dotted name after "torch." -> the module that holds it. Longer entries win; what follows an entry is
# looked up below its module (nn.functional -> flambeau_nn.functional).
TABLE = {
    "autograd": "flambeau_autograd",
    "autograd.profiler": "flambeau.profiler.legacy",
    "autograd.forward_ad": "flambeau_autograd.forward_ad",
    "utils.checkpoint": "flambeau_autograd.checkpoint",
    "distributions": "flambeau_distributions",
    "distributions.utils": "flambeau_distributions.parameters",
    "nn": "flambeau_nn",
    "nn.modules.utils": "flambeau_nn.modules.sizes",
    "optim": "flambeau_nn.optim",
    "optim.adamw": "flambeau_nn.optim.adam",
    **dict.fromkeys(("optim.adamax", "optim.nadam", "optim.radam"), "flambeau_nn.optim.moments"),
    "overrides": "flambeau_overrides",
    "_overrides": "flambeau_overrides",
    "library": "flambeau_cext.library",
    "ops": "flambeau_cext.ops",
    "classes": "flambeau_cext.classes",
    "distributed._tensor": "flambeau.distributed.tensor",
    "utils._foreach_utils": "flambeau_nn.optim._foreach_utils",
    "utils._python_dispatch": "flambeau_cext.dispatch.python_dispatch",
    "utils.tensorboard.writer": "flambeau.utils.tensorboard",
    "utils.cpp_extension": "flambeau_cext",
    "utils.data": "flambeau_data",
    "utils.dlpack": "flambeau_tensor.dlpack",
    "utils.ffi": "flambeau_cext.ffi",
    "cext": "flambeau_cext",
    "random": "flambeau_tensor.random",
    "return_types": "flambeau_tensor.return_types",
    "linalg": "flambeau_tensor.linalg",
    "fx": "flambeau_fx",
    "masked": "flambeau_tensor.masked",
    "backends.opt_einsum": "flambeau_tensor.contraction_order",
    "fft": "flambeau_tensor.fft",
    "signal": "flambeau_tensor.signal",
    "special": "flambeau_tensor.special",
    "storage": "flambeau_tensor.storage",
    "functional": "flambeau_tensor.functional",
    "serialization": "flambeau_tensor.serialization",
    "_utils": "flambeau_tensor.serialization.rebuilding",
    "profiler.profiler": "flambeau.profiler",
}
# Modules that are files of this package.
OWN = {
    "_C",
    "__config__",
    "_custom_ops",
    "_dynamo",
    "_functorch",
    "_guards",
    "_higher_order_ops",
    "_jit_internal",
    "_subclasses",
    "_tensor",
    "_tensor_str",
    "accelerator",
    "ao",
    "amp",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "distributed",
    "export",
    "func",
    "futures",
    "hub",
    "jit",
    "mps",
    "mtia",
    "nested",
    "multiprocessing",
    "onnx",
    "profiler",
    "quasirandom",
    "sparse",
    "testing",
    "torch_version",
    "types",
    "utils",
    "version",
    "viz",
    "xpu",
}
SUBMODULES = {name for name in TABLE if "." not in name} | OWN
MISSING = {"quantization"}
# Names of ``torch`` itself that a module has which loads when one of them is first used.
NAMES = {
    "__version__": "flambeau.version",
    "vmap": "flambeau_autograd.func",
    "summary": "flambeau.model_summary",
    "compile": "flambeau.compiler",
    "Future": "flambeau.futures",
    "OutOfMemoryError": "flambeau.cuda",
    "ScriptFunction": "flambeau.jit",
    "ScriptModule": "flambeau.jit",
    "GradScaler": "flambeau.amp",
    **dict.fromkeys(("Event", "Stream", "get_device_module"), "flambeau.streams"),
    **dict.fromkeys(("_assert_async", "cond", "while_loop"), "flambeau.control_flow"),
    **dict.fromkeys(
        """
        _shape_as_tensor SymBool SymFloat SymInt sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not
        sym_sqrt sym_sum
        """.split(),
        "flambeau.symbolic",
    ),
    "StorageBase": "flambeau_tensor.storage",
    "TensorType": "flambeau._C",
    "PyTorchFileReader": "flambeau_tensor.private_names",
    **dict.fromkeys(
        (f"_cast_{kind}" for kind in ("Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")),
        "flambeau_tensor.private_names",
    ),
    **dict.fromkeys(
        (
            "_convert_indices_from_coo_to_csr",
            "_convert_indices_from_csr_to_coo",
            "dsmm",
            "hsmm",
            "sparse_compressed_tensor",
            "sparse_coo_tensor",
            "sparse_csc_tensor",
            "sparse_csr_tensor",
        ),
        "flambeau.sparse",
    ),
    "autocast": "flambeau.amp.autocast_mode",
    **dict.fromkeys(
        (
            "adaptive_avg_pool1d",
            "avg_pool1d",
            "bilinear",
            "cosine_similarity",
            "hardshrink",
            "pairwise_distance",
            "prelu",
            "threshold",
        ),
        "flambeau_nn.functional",
    ),
    **dict.fromkeys(
        (
            "get_autocast_cpu_dtype",
            "get_autocast_dtype",
            "get_autocast_gpu_dtype",
            "is_autocast_available",
            "is_autocast_cache_enabled",
            "is_autocast_cpu_enabled",
            "is_autocast_enabled",
            "set_autocast_dtype",
        ),
        "flambeau.amp.autocast_mode",
    ),
}


class _Alias:
    """Finds and loads the modules of one prefix."""

    def __init__(self, prefix: str):
        self.prefix = prefix

    def find_spec(self, fullname, path=None, target=None):
        if fullname == self.prefix:
            return ModuleSpec(fullname, self) if self.prefix == "torch" else None
        if fullname == "functorch" and self.prefix == "torch":  # PyTorch brings it along
            importlib.import_module("flambeau.functorch")
            return ModuleSpec(fullname, self, origin="flambeau.functorch")
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
        return ModuleSpec(fullname, self, origin=name, is_package=hasattr(module, "__path__"))

    def get_code(self, fullname):
        """What ``python -m`` runs."""
        name = real_name(fullname[len(self.prefix) + 1 :])
        return importlib.util.find_spec(name).loader.get_code(name)

    def create_module(self, spec):
        module = sys.modules[spec.origin or "flambeau"]
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        spec = module.__spec__
        if isinstance(spec.loader, _Alias):
            module.__spec__ = spec.loader_state  # the module keeps its own identity
            _keep_names(module, spec.name)


def _keep_names(module, name):
    """Let importing ``autograd.gradcheck`` leave ``autograd.gradcheck``, a function of that module, what it is.

    Loading a module sets an attribute of its package. What is listed already is not loaded.
    """
    start = module.__name__ + "."
    for full, part in list(sys.modules.items()):
        if full.startswith(start) and getattr(module, full[len(start) :], part) is not part:
            sys.modules[f"{name}.{full[len(start) :]}"] = part


def real_name(name: str) -> str | None:
    """The module behind a name of the layout (without the leading ``torch.``), or None."""
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
    """Put flambeau under the name ``torch`` in this process, so that programs written for PyTorch run unchanged.

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
    name_tensor("torch")  # and choose among libraries of arrays by the module of a tensor's class
    if "flambeau_nn.parameter" in sys.modules:
        sys.modules["flambeau_nn.parameter"].name_classes()
    for name in [n for n in sys.modules if n.startswith("flambeau.")]:
        sys.modules["torch." + name[len("flambeau.") :]] = sys.modules[name]
