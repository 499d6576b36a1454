"""Headers of PyTorch's names that are the `#include` of another and nothing else, and are therefore not committed.

Every build of this package writes them, an editable one beside the headers that are committed, and so does
``python packages/cext/forwarding_headers.py``. Two tables say which there are: `FORWARDS`, and the functions of
``ATen/Functions.h``, for each of which PyTorch has a file in ``ATen/ops``. A header that gets more than its `#include`
leaves `FORWARDS` and is committed.
"""

import os
import re
from pathlib import Path

PLACE = "src/flambeau_cext/include"
INCLUDE = Path(__file__).parent / PLACE

# Header -> the names under which it is included, too, without their ".h".
FORWARDS = {
    "ATen/ATen.h": """
        ATen/AccumulateType ATen/ArrayRef ATen/Config ATen/Context ATen/Device
        ATen/NativeFunctions ATen/OpMathType ATen/Operators ATen/Scalar ATen/ScalarOps ATen/ScalarType
        ATen/TensorGeometry ATen/TensorOptions ATen/Utils ATen/Version
        ATen/core/IListRef ATen/core/Scalar ATen/core/ScalarType ATen/core/TensorBase ATen/core/TensorBody
        ATen/core/grad_mode ATen/native/TypeProperties ATen/record_function c10/core/InferenceMode
        c10/core/TensorImpl
    """,
    "ATen/DeviceGuard.h": "c10/core/DeviceGuard",
    "ATen/TensorIterator.h": "ATen/native/TensorIterator",
    "ATen/core/Dict.h": "ATen/core/Dict_inl",
    "ATen/core/Generator.h": "ATen/CPUGeneratorImpl ATen/Generator",
    "ATen/core/TensorAccessor.h": "ATen/TensorAccessor",
    "ATen/core/dispatch/Dispatcher.h": "c10/core/impl/LocalDispatchKeySet",
    "ATen/core/ivalue.h": "ATen/core/jit_type ATen/core/stack",
    "c10/core/Device.h": "c10/core/DeviceType",
    "c10/core/Scalar.h": "c10/util/TypeCast",
    "c10/macros/Macros.h": "c10/macros/Export",
    "c10/core/Storage.h": "ATen/Storage",
    "c10/core/SymInt.h": "c10/core/SymBool c10/core/SymFloat",
    "c10/util/ArrayRef.h": "c10/core/SymIntArrayRef c10/util/SmallVector",
    "c10/util/Exception.h": "c10/util/StringUtil",
    "c10/util/Half.h": "c10/util/BFloat16",
    "c10/util/Optional.h": "c10/util/OptionalArrayRef",
    "torch/all.h": """
        torch/autograd torch/csrc/autograd/autograd torch/csrc/autograd/function torch/csrc/autograd/grad_mode
        torch/csrc/autograd/variable torch/script torch/utils
    """,
    "torch/csrc/autograd/VariableTypeUtils.h": "torch/csrc/autograd/functions/utils",
    "torch/csrc/stable/c/shim.h": "torch/csrc/inductor/aoti_torch/c/shim",
    "torch/csrc/stable/device.h": """
        torch/csrc/stable/accelerator torch/csrc/stable/device_inl torch/csrc/stable/device_struct
        torch/csrc/stable/macros
    """,
    "torch/csrc/stable/tensor.h": "torch/csrc/stable/tensor_inl torch/csrc/stable/tensor_struct",
    "torch/custom_class.h": "ATen/core/custom_class torch/csrc/jit/custom_class",
    "torch/headeronly/headeronly.h": """
        torch/headeronly/core/DeviceType torch/headeronly/core/Dispatch torch/headeronly/core/Dispatch_v2
        torch/headeronly/core/Layout torch/headeronly/core/MemoryFormat torch/headeronly/core/ScalarType
        torch/headeronly/core/TensorAccessor torch/headeronly/core/enum_tag torch/headeronly/macros/Export
        torch/headeronly/macros/Macros torch/headeronly/util/BFloat16 torch/headeronly/util/Exception
        torch/headeronly/util/Half torch/headeronly/util/HeaderOnlyArrayRef
        torch/headeronly/util/Metaprogramming torch/headeronly/util/TypeTraits torch/headeronly/util/complex
        torch/headeronly/util/shim_utils
    """,
    "torch/headeronly/version.h": "torch/csrc/stable/version",
    "torch/library.h": "torch/csrc/jit/runtime/custom_operator",
    "torch/serialize/archive.h": "torch/serialize/tensor",
    "torch/types.h": "torch/csrc/autograd/generated/variable_factories",
}
BY_HAND = {"convolution_backward", "resize_as"}  # functions of ATen/BackwardFunctions.h and of Tensor
_MERE = re.compile("#pragma once\n#include <[^>]+>\n")
_FUNCTION = re.compile(r'^inline [^()]*?[ &](\w+)\(.*FL_CALL\([^"]*"[^"]*", "([^"]*)"', re.MULTILINE)


def names_of_operators() -> set[str]:
    """PyTorch's files in ``ATen/ops``: one for a function, its form in place, and the one that writes to ``out``."""
    text = (INCLUDE / "ATen" / "Functions.h").read_text(encoding="utf-8")
    functions = _FUNCTION.findall(text)
    return BY_HAND | {
        name.removesuffix("_out") if arguments.startswith("out") else name.rstrip("_") for name, arguments in functions
    }


def files() -> dict[str, str]:
    """The texts of the headers, by their names under `PLACE`."""
    targets = {f"ATen/ops/{name}.h": "ATen/ATen.h" for name in names_of_operators()}
    targets |= {f"{name}.h": header for header, names in FORWARDS.items() for name in names.split()}
    return {name: f"#pragma once\n#include <{target}>\n" for name, target in sorted(targets.items())}


def write() -> None:
    """Bring the folder up to date; git is told to ignore what is written, by a list that is read the next time."""
    texts, ignore = files(), INCLUDE / ".gitignore"
    before = ignore.read_text(encoding="utf-8").split() if ignore.exists() else []
    for name in {name[1:] for name in before} - {*texts, ".gitignore"}:
        path = INCLUDE / name
        if path.exists() and _MERE.fullmatch(path.read_text(encoding="utf-8")):  # else it is now written by hand
            path.unlink()
    texts[".gitignore"] = "".join(f"/{name}\n" for name in (".gitignore", *texts))
    for name, text in texts.items():
        path = INCLUDE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f"{path.name}.{os.getpid()}")  # compilers of other processes never see half of a file
            new.write_text(text, encoding="utf-8")
            new.replace(path)


def get_build_hook() -> type:
    """What hatchling calls before it collects the files of a wheel or an sdist."""
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class Hook(BuildHookInterface):
        def initialize(self, version: str, build_data: dict) -> None:
            write()

    return Hook


if __name__ == "__main__":
    write()
