"""Type stubs, written from the schemas: ``python -m flambeau_tensor.stubs [folder]``.

Without a folder, the text of ``__init__.pyi`` is written to standard output; with one, all stub files are written
there. The stubs beside the sources are part of the wheel, and a test compares them with the output of this module.
"""

import re
import sys
import textwrap
from pathlib import Path

import flambeau_tensor
from flambeau_tensor import documentation
from flambeau_tensor._core.call.overloads import OverloadSet
from flambeau_tensor._core.elementwise.dtype import DType
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.registry import Property, functions, names_of_families, operators, syntax_operators
from flambeau_tensor.ops import LAZY

_MARK = '"""Written from the operators\' schemas by flambeau_tensor.stubs; do not edit."""\n'
# Everything that schemas do not contain. Inside `Tensor`, names such as `float` are methods and dtypes, hence the
# underscores.
_HEAD = (
    _MARK
    + """
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, SupportsIndex, TypeVar, overload

from typing_extensions import TypeIs

from flambeau_tensor import return_types as _return_types
from flambeau_tensor._core.schema.declaring import Variants
from flambeau_tensor.checks import (
    _assert as _assert, _check as _check, _check_index as _check_index,
    _check_not_implemented as _check_not_implemented, _check_tensor_all as _check_tensor_all,
    _check_tensor_all_with as _check_tensor_all_with, _check_type as _check_type, _check_value as _check_value,
    _check_with as _check_with,
)
from flambeau_tensor.dlpack import from_dlpack as from_dlpack, to_dlpack as to_dlpack
from flambeau_tensor.numeric_limits import finfo as finfo, iinfo as iinfo
from flambeau_tensor.options import (
    channels_last as channels_last, channels_last_3d as channels_last_3d, contiguous_format as contiguous_format,
    device as device, layout as layout, memory_format as memory_format, preserve_format as preserve_format,
    strided as strided,
)
from flambeau_tensor.printing import printoptions as printoptions, set_printoptions as set_printoptions
from flambeau_tensor.random import fork_rng as fork_rng

__version__: _str
Number = _bool | _int | _float | _complex
_T = TypeVar("_T", bound=Tensor)

class Operator:
    name: _str
    namespace: _str
    def __init__(
        self, schema: _str, implementation: Any, *, namespace: _str = "torch", variants: Variants = ...,
        syntax: Collection[_str] = (), numbers: Collection[_str] = (), composite: _bool = False,
        differentiable: _bool = True, plain_result: _bool = False, data_dependent: _bool = False,
        object_state: _bool = False, lazy: _bool = False, random: _bool = False,
        aten: _str | tuple[_str, ...] = (), doc: _str | None = None
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: _str) -> Any: ...

class dtype:
    is_floating_point: _bool
    is_complex: _bool
    is_signed: _bool
    itemsize: _int
    def to_complex(self) -> dtype: ...
    def to_real(self) -> dtype: ...

class Size(tuple[_int, ...]):
    def numel(self) -> _int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Size: ...

class Generator:
    def __init__(self, device: _device | _str = "cpu") -> None: ...
    @property
    def device(self) -> _device: ...
    def manual_seed(self, seed: _int) -> Generator: ...
    def seed(self) -> _int: ...
    def initial_seed(self) -> _int: ...
    def get_state(self) -> Tensor: ...
    def set_state(self, new_state: Tensor) -> Generator: ...

default_generator: Generator
e: _float
inf: _float
nan: _float
pi: _float
newaxis: None

def manual_seed(seed: _int) -> Generator: ...
def seed() -> _int: ...
def initial_seed() -> _int: ...
def get_rng_state() -> Tensor: ...
def set_rng_state(new_state: Tensor) -> None: ...

class UntypedStorage:
    def __init__(
        self, size_or_sequence: _int | Sequence[_int] = 0, *, device: _device | _str | None = None
    ) -> None: ...
    def __len__(self) -> _int: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __iter__(self) -> Iterator[_int]: ...
    def nbytes(self) -> _int: ...
    def data_ptr(self) -> _int: ...
    def tolist(self) -> list[_int]: ...
    def __getattr__(self, name: _str) -> Any: ...

_Storage = UntypedStorage

def save(
    obj: object, f: Any, pickle_module: Any = ..., pickle_protocol: _int = 2,
    _use_new_zipfile_serialization: _bool = True, _disable_byteorder_record: _bool = False
) -> None: ...
def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: _bool | None = None,
    mmap: _bool | None = None, **pickle_load_args: Any
) -> Any: ...
def is_storage(obj: object, /) -> _bool: ...
def is_tensor(obj: object, /) -> TypeIs[Tensor]: ...

_dtype = dtype
_device = device
_layout = layout
_memory_format = memory_format

def can_cast(from_: _dtype, to: _dtype) -> _bool: ...
def promote_types(type1: _dtype, type2: _dtype) -> _dtype: ...
def get_default_dtype() -> _dtype: ...
def set_default_dtype(d: _dtype) -> None: ...
def get_num_threads() -> _int: ...
def set_num_threads(n: _int) -> None: ...

class Tensor:
    data: Tensor
    grad: Tensor | None
    requires_grad: _bool
    _backward_hooks: Any
    @property
    def is_leaf(self) -> _bool: ...
    @property
    def grad_fn(self) -> Any: ...
    @property
    def output_nr(self) -> _int: ...
    @property
    def retains_grad(self) -> _bool: ...
    def __init__(self, *args: Any, device: _device | _str | None = None, data: Any = None) -> None: ...
    def __hash__(self) -> _int: ...
    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: _int) -> _int: ...
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]: ...
    @overload
    def stride(self, dim: _int) -> _int: ...
    def __array__(self, dtype: Any = None, copy: _bool | None = None) -> Any: ...
    def __array_namespace__(self, /, *, api_version: _str | None = None) -> Any: ...
    def __dir__(self) -> list[_str]: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[_int, _int]: ...
    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Sequence[type], args: tuple[Any, ...] = (),
        kwargs: dict[_str, Any] | None = None,
    ) -> Any: ...
    def as_subclass(self, cls: type[_T]) -> _T: ...
    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor: ...
    def backward(
        self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor: ...
    def _is_view(self) -> _bool: ...
    def detach(self) -> Tensor: ...
    def new(self, *args: Any, **kwargs: Any) -> Tensor: ...
    def detach_(self) -> Tensor: ...
    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Any: ...
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Any: ...
    def retain_grad(self) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> Any: ...
"""
)
_WRITTEN_OUT = {*re.findall(r"(?m)^    (?:def )?(\w+)", _HEAD.partition("class Tensor:")[2])}
_RESULTS = {"Number": "int | float", "torch.device | str": "torch.device"}  # results are narrower than arguments
_REFLECTED = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
_SYNTAX_RESULTS = {
    "repr": "_str",
    "iter": "Iterator[Tensor]",
    "bool": "_bool",
    "int": "_int",
    "float": "_float",
    "complex": "_complex",
    "index": "_int",
    "len": "_int",
    "contains": "_bool",
    "setitem": "None",
}
_SYNTAX_ARGUMENTS = {"getitem": "index: Any", "setitem": "index: Any, value: Any", "contains": "element: Any"}


def signatures(op):
    """Return the operators with a name, one for each signature."""
    return op.overloads if isinstance(op, OverloadSet) else (op,)


def function_stub(op, name=None, *, method=False, indent="", module=""):
    """Return the ``def`` of an operator; if it has several signatures, with an ``@overload`` for each.

    ``module`` precedes types that are defined in another file.

    >>> from flambeau_tensor import exp
    >>> function_stub(exp)
    'def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...'
    """
    texts = [text for one in signatures(op) for text in _signatures(one, name or op.name, method, module)]
    mark = f"{indent}@overload\n" if len(texts) > 1 else ""
    return "\n".join(f"{mark}{indent}{text}" for text in texts)


_FLAG = "return_indices: _bool = False"


def _signatures(op, name, method, module):
    """Return the signature of an operator, or three if a flag determines whether it returns one tensor or several."""
    text = _signature(op, name, method, module)
    head, _, result = text.removesuffix(": ...").rpartition(" -> ")
    if _FLAG not in head or " | tuple[" not in result:
        return [text]
    one, several = result.split(" | ", 1)
    before, _, after = head.partition(_FLAG)
    return [
        f"{before}{flag}{after} -> {kind}: ..."
        for flag, kind in (
            ("return_indices: Literal[False] = False", one),
            ("*, return_indices: Literal[True]", several),
            (_FLAG, "Any"),
        )
    ]


def _signature(op, name, method, module):
    numbers, parts, starred = op.numbers, [], False
    for i, (public, a) in enumerate(documentation.parameter_names(op)):
        public = "self" if method and i == 0 else public
        if a.kwarg_only and not starred:
            parts.append("*")
            starred = True
        kind = _spelled(documentation.type_text(a, a.name in numbers), module)
        text = public if method and i == 0 else f"{public}: {kind}"
        if i == op.varargs and all(b.kwarg_only for b in op.schema.arguments[i + 1 :]):
            text, starred = f"*{public}: Any", True  # passed one by one, or as one sequence
        elif a.has_default:
            if a.default is None and not kind.endswith(("None", "Any")):
                text += " | None"
            text += f" = {a.default!r}" if isinstance(a.default, (int, str, tuple, type(None))) else " = ..."
        parts.append(text)
    return f"def {name}({', '.join(parts)}) -> {_result(op, module)}: ..."


def _result(op, module=""):
    """Return the type of the result: a named tuple if the schema names several results."""
    returns = op.schema.returns
    if any(a.name == "out" and a.type.startswith("Any") for a in op.schema.arguments):
        return "Any"  # one tensor or several, depending on the arguments
    if len(returns) > 1 and all(r.name for r in returns):
        return f"_return_types.{op.name}"
    text = documentation.result_text(op)
    return _spelled(_RESULTS.get(text, text), module)


def _spelled(text, module=""):
    """Return a type whose built-in names cannot be hidden by dtypes or methods."""
    text = re.sub(r"\btorch\.(\w+)", lambda m: {"Size": "Size", "Generator": "Generator"}.get(m[1], f"_{m[1]}"), text)
    text = re.sub(r"\bBuffer\b", "Any", text)  # from Python 3.12, NumPy declares its arrays as Buffer
    text = re.sub(r"\bStorage\b", "_Storage", text)
    text = re.sub(r"(?<![.\w])(bool|complex|float|int|str)\b", r"_\1", text)
    return re.sub(r"\b(Tensor|Number|Size|Generator|_dtype|_device|_layout|_memory_format)\b", rf"{module}\1", text)


def _members():
    syntax = {f"__{word}__" for word in syntax_operators()} | {f"__r{word}__" for word in _REFLECTED}
    for name, value in sorted(vars(Tensor).items()):
        if name in _WRITTEN_OUT or name in syntax:
            continue
        if isinstance(value, Property):
            yield f"    @property\n    def {name}(self) -> {_result(value.getter)}: ..."
            if value.setter is not None:
                yield f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ..."
        elif type(value).__name__ == "Method":
            yield function_stub(value.target, name, method=True, indent="    ")


def _syntax():
    for word, op in sorted(syntax_operators().items()):
        result = _SYNTAX_RESULTS.get(word, "Tensor")
        other = _SYNTAX_ARGUMENTS.get(word)
        if other is None:
            second = op.schema.arguments[1:2]
            other = "other: Any" if second and second[0].kind == 0 and not second[0].kwarg_only else ""
        ignore = "  # type: ignore[override]" if word in ("eq", "ne") else ""
        yield f"    def __{word}__(self{', ' * bool(other)}{other}) -> {result}: ...{ignore}"
        if word in _REFLECTED:
            yield f"    def __r{word}__(self, other: Any) -> Tensor: ..."


def _found_when_used():
    """Return the names that are imported on first use, except those in `_HEAD`."""
    for name, module in sorted(flambeau_tensor.LAZY_NAMES.items(), key=lambda item: (item[1], item[0])):
        if re.search(rf"\b(def {name}\(|class {name}\b|{name}: |{name} as {name}\b)", _HEAD):
            continue
        kind = "_layout" if module == ".options" else "Any"
        source = Path(flambeau_tensor.__file__).with_name(f"{module[1:]}.py").read_text(encoding="utf-8")
        written = re.search(rf"(?m)^(def|class) {name}\b|^{name}\b.* = |^from .* import .*\b{name}\b", source)
        yield f"from flambeau_tensor{module} import {name} as {name}" if written else f"{name}: {kind}"


def stub_text():
    """Return the stub file of `flambeau_tensor`."""
    lines = [_HEAD.rstrip(), *_members(), *_syntax(), ""]
    names = functions("torch")
    for name, value in sorted(vars(flambeau_tensor).items()):
        if isinstance(value, DType) and not name.startswith("_") and name != "dtype":
            lines.append(f"{name}: _dtype")
        elif getattr(value, "__wrapped__", None) is not None and name not in names and not name.startswith("_"):
            lines.append(f"def {name}(*args: Any, **kwargs: Any) -> Any: ...")
    lines += [f"from . import {name} as {name}" for name in ("fft", "linalg", "masked", "random", "signal", "special")]
    lines += [
        "def broadcast_shapes(*shapes: Any) -> Size: ...",
        "def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor: ...",
        "def einsum(equation: Any, *operands: Any) -> Tensor: ...",
    ]
    lines += _found_when_used()
    lines += [function_stub(op, name) for name, op in sorted(names.items()) if name.isidentifier()]
    return "\n".join(lines) + "\n"


def return_types_text():
    """Return the stub file of `flambeau_tensor.return_types`."""
    lines = [
        _MARK,
        "from collections.abc import Sequence",
        "from typing import Any, NamedTuple",
        "",
        "from flambeau_tensor import Tensor",
        "",
        "class NamedResult(tuple[Any, ...]): ...",
        "def named_result(name: str, fields: tuple[str, ...]) -> type: ...",
    ]
    found = {
        one.name: one
        for op in operators().values()
        for one in signatures(op)
        if len(one.schema.returns) > 1 and all(r.name for r in one.schema.returns)
    }
    for name, op in sorted(found.items()):
        lines += ["", f"class {name}(NamedTuple):"]
        lines += [f"    {r.name}: {documentation.type_text(r)}" for r in op.schema.returns]
    return "\n".join(lines) + "\n"


def namespace_text(namespace, more=""):
    """Return the stub file of another package's module with the operators of a namespace, ``torch.nn.functional``."""
    lines = [
        _MARK,
        "from builtins import bool as _bool, float as _float, int as _int, str as _str",
        "from collections.abc import Callable, Sequence",
        "from typing import Any, Literal, overload",
        "",
        "import flambeau_tensor as _torch",
        "from flambeau_tensor import return_types as _return_types",
        "",
        more,
    ]
    lines += [function_stub(op, name, module="_torch.") for name, op in sorted(functions(namespace).items())]
    return "\n".join(lines) + "\n"


def lazy_names_text(package, families):
    """Return the text of the module `package.ops.lazy_names`, which lists the names of a package's lazy families."""
    start = f"{package}.ops."
    lines = [f'"""Written by {package}.stubs: the names that wait for each family of ``LAZY``."""', "", "NAMES = {"]
    for module, names in names_of_families([start + family for family in families]).items():
        lines += [
            f'    "{module.removeprefix(start)}": """',
            *textwrap.wrap(" ".join(names), 116, break_on_hyphens=False),
            '""",',
        ]
    return "\n".join([*lines, "}"]) + "\n"


def files():
    """Return the texts of the files to write, by name."""
    names = lazy_names_text("flambeau_tensor", LAZY)  # first, because the other texts load lazy families
    more = {"linalg": "class LinAlgError(RuntimeError): ...\n"}
    namespaces = {
        f"{name}.pyi": namespace_text(f"torch.{name}", more.get(name, "")) for name in ("fft", "linalg", "special")
    }
    return {
        "__init__.pyi": stub_text(),
        "return_types.pyi": return_types_text(),
        "ops/lazy_names.py": names,
        **namespaces,
    }


def main(arguments):
    """Write the stubs; return the exit status of the process."""
    if not arguments:
        sys.stdout.write(stub_text())
        return 0

    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
