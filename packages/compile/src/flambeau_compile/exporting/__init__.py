"""Exporters for captured programs: standalone C99, CasADi, and WebAssembly.

`recorded` runs a function once and names its memory, `language` has elementwise functions in C99, `text`
prints the steps, `optimizers` the steps of optimizers, `files` the header, the code and its test; `casadi` and `wasm`
wrap the code.
"""

from flambeau_compile.exporting.files import export_c
from flambeau_compile.exporting.recorded import ExportError
from flambeau_compile.exporting.wasm import export_wasm

__all__ = ["ExportError", "export_c", "export_wasm"]
