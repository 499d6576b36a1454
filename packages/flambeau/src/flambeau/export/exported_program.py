"""The result of ``torch.export.export``: a graph of operators with the model's tensors."""

from collections.abc import Iterator
from typing import Any, NoReturn

import flambeau as torch
from flambeau.export.graph_signature import ExportGraphSignature
from flambeau.utils._pytree import tree_flatten, tree_unflatten


class _Checked(torch.nn.Module):
    """A program as a module: the original's tensors under their names, and its arguments."""

    def __init__(self, program: "ExportedProgram") -> None:
        super().__init__()
        self._program = program
        for name, t in program.state_dict.items():
            owner: Any = self
            *path, last = name.split(".")
            for part in path:
                if part not in owner._modules:
                    owner.add_module(part, torch.nn.Module())
                owner = owner._modules[part]
            if isinstance(t, torch.nn.Parameter):
                owner.register_parameter(last, t)
            else:
                owner.register_buffer(last, t)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        program = self._program
        flat, spec = tree_flatten((args, kwargs))
        if spec != program.call_spec[0]:
            raise ValueError(
                "torch.export: the program is called with other arguments than it was exported with: "
                f"{spec}, not {program.call_spec[0]}"
            )
        program.check(flat)
        tensors = {**dict(self.named_parameters()), **dict(self.named_buffers())}
        held = [tensors[s.target] for s in program.graph_signature.input_specs if s.target is not None]
        result = program.graph_module(*held, *(value for value in flat if isinstance(value, torch.Tensor)))
        return tree_unflatten(list(result), program.call_spec[1])


class ExportedProgram:
    """A model as a graph of operators, which runs without the model's Python.

    Attributes:
        graph_module: the graph with its code; its inputs are parameters, buffers, and then the arguments of the call.
        graph_signature: the kind of each input and output.
        state_dict: the parameters and buffers by name.
        range_constraints: for each dynamic size, its name with its minimum and maximum.
        example_inputs: the arguments of the export.
        call_spec: the structure of arguments and results.
    """

    def __init__(self, graph_module: Any, graph_signature: ExportGraphSignature, state_dict: dict[str, Any],
                 range_constraints: dict[str, tuple[int, int | None]], example_inputs: Any, call_spec: Any,
                 shapes: list[Any], steps: dict[str, tuple[int, int]]) -> None:  # fmt: skip
        self.graph_module, self.graph_signature, self.state_dict = graph_module, graph_signature, state_dict
        self.range_constraints, self.example_inputs, self.call_spec = range_constraints, example_inputs, call_spec
        self._shapes, self._steps = shapes, steps

    @property
    def graph(self) -> Any:
        """The graph of `graph_module`."""
        return self.graph_module.graph

    @property
    def code(self) -> str:
        """The Python code of the graph."""
        return str(self.graph_module.code)

    def module(self, check_guards: bool = True) -> Any:
        """The program as a module that takes the model's arguments and has its parameters and buffers.

        Raises, when it is called with other shapes: AssertionError.
        """
        return _Checked(self)

    def check(self, flat: list[Any]) -> None:
        """Return True if arguments have the shapes and dtypes of the export, except for dynamic sizes."""
        found: dict[str, int] = {}
        for given, (name, expected) in zip(flat, self._shapes, strict=True):
            if not isinstance(expected, tuple):
                if given != expected:
                    raise AssertionError(f"Guard failed: {name} == {expected!r}")
                continue
            dtype, sizes = expected
            if not isinstance(given, torch.Tensor):
                raise AssertionError(f"Guard failed: {name} is a tensor")
            if given.dtype != dtype:
                raise AssertionError(f"Guard failed: {name}.dtype == {dtype}")
            if given.ndim != len(sizes):
                raise AssertionError(f"Guard failed: {name}.dim() == {len(sizes)}")
            for d, (size, wanted) in enumerate(zip(given.shape, sizes, strict=True)):
                if isinstance(wanted, str):
                    least, most = self.range_constraints[wanted]
                    if found.setdefault(wanted, size) != size:
                        raise AssertionError(f"Guard failed: {name}.size()[{d}] == {wanted}, which is {found[wanted]}")
                    if size < least or (most is not None and size > most):
                        raise AssertionError(f"Guard failed: {least} <= {name}.size()[{d}] <= {most}")
                    start, step = self._steps[wanted]
                    if (size - start) % step:
                        raise AssertionError(f"Guard failed: ({name}.size()[{d}] - {start}) % {step} == 0")
                elif size != wanted:
                    raise AssertionError(f"Guard failed: {name}.size()[{d}] == {wanted}")

    def parameters(self) -> Iterator[Any]:
        """The model's parameters."""
        return (t for _, t in self.named_parameters())

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """The model's parameters with their names."""
        return ((name, self.state_dict[name]) for name in self.graph_signature.parameters)

    def buffers(self) -> Iterator[Any]:
        """The model's buffers."""
        return (t for _, t in self.named_buffers())

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """The model's buffers with their names."""
        return ((name, self.state_dict[name]) for name in self.graph_signature.buffers)

    def run_decompositions(self, decomp_table: Any = None, **options: Any) -> "ExportedProgram":
        """Return the program itself: its operators are already decomposed."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def __str__(self) -> str:
        code = "\n".join("    " + line for line in self.code.strip().split("\n"))
        about = f"Graph signature: {self.graph_signature}\nRange constraints: {self.range_constraints}\n"
        return f"ExportedProgram:\n{code}\n\n{about}"

    __repr__ = __str__
