"""The module names of classes and functions: ``torch.nn.modules.linear`` after `install_as_torch()`,
``flambeau.nn.modules.linear`` before.

Programs test ``type(m).__module__``, print types and pickle by their names, so each reports its module in PyTorch.
`flambeau_tensor.pytorch_names` derives it from the module that defines the class or function, with `HOMES` below for
names that PyTorch has elsewhere. Modules that are already loaded are renamed immediately, others after they are
loaded.
"""

import sys
from types import FunctionType, ModuleType
from typing import Any

from flambeau_overrides.declare import OverridableFunction
from flambeau_tensor.extend import name_type
from flambeau_tensor.pytorch_names import module_in_pytorch

# PyTorch's module -> our modules whose public classes and functions belong to it, and single names.
_THERE = {
    "torch": """
        flambeau.control_flow.cond flambeau.cuda.OutOfMemoryError flambeau_distributed.futures.Future
        flambeau.jit.ScriptModule
        flambeau.streams flambeau.symbolic flambeau._C.DeviceObjType flambeau._C.TensorType
        flambeau_compile.api.compile flambeau_tensor
        flambeau_tensor._core.elementwise.dtype
        flambeau_tensor._core.memory.size flambeau_tensor.checks flambeau_tensor.default_device
        flambeau_tensor.numeric_limits
        flambeau_tensor.options flambeau_tensor.private_names.PyTorchFileReader flambeau_tensor.storage
        flambeau_tensor.switches flambeau_tensor.tensor_types
        """,
    "torch._higher_order_ops.scan": "flambeau.control_flow.scan",
    "torch._higher_order_ops.while_loop": "flambeau.control_flow.while_loop",
    "torch._C": "flambeau_tensor._kernels.generator.Generator",
    "torch._tensor": "flambeau_tensor.serialization.rebuilding._rebuild_from_type_v2",
    "torch._tensor_str": "flambeau_tensor.printing",
    "torch._utils": "flambeau_tensor.private_names",
    "torch.autograd": "flambeau_autograd._engine.graph.backward",
    "torch.autograd.grad_mode": "flambeau_autograd._engine.graph.grad_mode",
    "torch.autograd.graph": "flambeau_autograd._engine.graph.node",
    "torch.autograd.profiler": "flambeau.profiler._profile.record_function",
    "torch.compiler": "flambeau_compile.api",
    "torch.cuda": "flambeau.cuda._tensors",
    "torch.distributed": """
        flambeau_distributed flambeau_distributed.errors flambeau_distributed.tcp_store flambeau_distributed.file_store
        """,
    "torch.distributed.distributed_c10d": """
        flambeau_distributed.collectives flambeau_distributed.methods flambeau_distributed.objects
        flambeau_distributed.point_to_point flambeau_distributed.reduce_op flambeau_distributed.stores
        flambeau_distributed.work flambeau_distributed.world
        """,
    "torch.distributed.tensor": "flambeau_distributed.tensor",
    "torch.distributions.transforms": """
        flambeau_distributions._transform flambeau_distributions._transform._InverseTransform
        flambeau_distributions._vector_transforms
        """,
    "torch.func": """
        flambeau_autograd.func.jacobians flambeau_autograd.func.transforms flambeau_autograd.func.vectorize
        flambeau_nn.func
        """,
    "torch.functional": "flambeau_tensor.ops.contraction flambeau_tensor.ops.joining",
    "torch.fx._symbolic_trace": "flambeau_fx._patching flambeau_fx._patching._Patcher",
    "torch.fx.graph": "flambeau_fx.codegen flambeau_fx.codegen._PyTreeCodeGen",
    "torch.library": """
        flambeau_cext.library.custom_ops flambeau_cext.library.libraries flambeau_cext.library.opcheck
        flambeau_cext.library.schema
        """,
    "torch.nn.functional": "flambeau_nn.ops.multi_head",
    "torch.nn.modules.module": """
        flambeau_nn.modules._hooks flambeau_nn.modules._state._IncompatibleKeys flambeau_nn.modules._state._WrappedHook
        """,
    "torch.optim": "flambeau_nn.optim.adafactor.Adafactor flambeau_nn.optim.muon.Muon",
    "torch.optim.lr_scheduler": "flambeau_nn.optim._cycles flambeau_nn.optim._schedule",
    "torch.overrides": """
        flambeau_overrides._dispatch flambeau_overrides.declare flambeau_overrides.modes flambeau_overrides.registry
        """,
    "torch.profiler.profiler": "flambeau.profiler._profile",
    "torch.serialization": """
        flambeau_tensor.options._get_layout flambeau_tensor.serialization.locations
        flambeau_tensor.serialization.settings
        """,
    "torch._ops": "flambeau_cext.overloads.OpOverload flambeau_cext.overloads.OpOverloadPacket",
    "torch.storage": "flambeau_tensor.UntypedStorage flambeau_tensor.storage.TypedStorage",
    "torch.utils": "flambeau.utils._swap",
    "torch.utils._pytree": "flambeau_autograd.pytree flambeau_autograd.treespec",
    "torch.utils.checkpoint": "flambeau_autograd.selective_checkpoint",
    "torch.utils.cpp_extension": """
        flambeau_cext.build flambeau_cext.extension flambeau_cext.load flambeau_cext.ninja
        """,
    "torch.utils.hooks": "flambeau_autograd.hooks",
}
HOMES = {here: there for there, names in _THERE.items() for here in names.split()}

_COMPILED = type(name_type)  # the class of Cython's functions
_HEAP_TYPE = 1 << 9  # bit of `type.__flags__`: set for classes other than static types of compiled modules

_given: set[str] = set()  # modules whose names were already set


def name_contents(module: ModuleType, prefix: str) -> None:
    """Make the classes and functions of a module report their module in PyTorch, below ``prefix``."""
    for name, value in list(vars(module).items()):
        if name.startswith("__") or not isinstance(value, (type, FunctionType, OverridableFunction, _COMPILED)):
            continue
        home = value.__module__
        top = home.partition(".")[0] if isinstance(home, str) else ""
        if not top.startswith("flambeau"):
            continue
        if home in _given and f"{home}.{value.__qualname__}" not in HOMES:
            there = prefix + home.removeprefix("flambeau")
        else:
            there = module_in_pytorch(home, value.__qualname__)
            if there.partition(".")[0] != "torch":
                continue
            there = prefix + there.removeprefix("torch")
        if there == home:
            continue
        _given.add(there)
        if isinstance(value, type) and not value.__flags__ & _HEAP_TYPE:
            name_type(value, f"{there}.{value.__qualname__}")
            continue
        line = vars(value).get("__firstlineno__") if isinstance(value, type) else None  # Python 3.13 forgets it now
        value.__module__ = there
        if line is not None:
            setattr(value, "__firstlineno__", line)  # noqa: B010 (mypy does not know it)
        for method in vars(value).values() if isinstance(value, type) else ():
            method = getattr(method, "__func__", method)  # of static and class methods
            if type(method) is FunctionType and method.__module__ == home:
                method.__module__ = there
    there = module_in_pytorch(module.__spec__.name if module.__spec__ else "", "_")
    if there.startswith("torch."):  # `inspect` and `typing` look names up there
        sys.modules.setdefault(prefix + there.removeprefix("torch"), module)


class Naming:
    """Renames the contents of loaded modules, and is a meta path finder that renames those of later ones."""

    def __init__(self) -> None:
        self.prefix = "flambeau"
        sys.meta_path.insert(0, self)

    def name_all(self, prefix: str) -> None:
        """Rename the contents of loaded and later modules below a prefix."""
        self.prefix = prefix
        for name, module in list(sys.modules.items()):
            if name.startswith("flambeau") and module.__spec__ is not None:
                name_contents(module, prefix)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec that the other finders find, with a loader that renames the contents of the module."""
        if not fullname.startswith("flambeau"):
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target) if finder is not self else None
            if spec is not None:
                if spec.loader is not None and not getattr(spec.loader, "gives_what_is_loaded", False):
                    spec.loader = _Loader(self, spec.loader)  # type: ignore[assignment]  # does what is asked of one
                return spec
        return None


class _Loader:
    def __init__(self, naming: Naming, loader: Any) -> None:
        self.naming, self.loader = naming, loader

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        spec = module.__spec__
        spec.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        name_contents(module, self.naming.prefix)
        if sys.meta_path[0] is not self.naming:  # a package has put the finder of its compiled modules first
            sys.meta_path.remove(self.naming)
            sys.meta_path.insert(0, self.naming)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


NAMING = Naming()
