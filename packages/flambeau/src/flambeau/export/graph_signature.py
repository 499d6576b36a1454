"""The inputs and outputs of the graph of an exported program."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, NamedTuple


class InputKind(Enum):
    """The kind of an input of a graph."""

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()


class OutputKind(Enum):
    """The kind of an output of a graph."""

    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


class TensorArgument(NamedTuple):
    """An input or output that is a tensor, by the name of its node."""

    name: str


class ConstantArgument(NamedTuple):
    """An input or output that is not a tensor, with its value in the export."""

    name: str
    value: Any


class InputSpec(NamedTuple):
    """One input of a graph; ``target`` is the name of a parameter or buffer."""

    kind: InputKind
    arg: Any
    target: str | None
    persistent: bool | None = None


class OutputSpec(NamedTuple):
    """One output of a graph."""

    kind: OutputKind
    arg: Any
    target: str | None = None


class ExportGraphSignature:
    """The roles of a graph's inputs and outputs.

    Attributes:
        input_specs, output_specs: one for each, in order.
    """

    def __init__(self, input_specs: list[InputSpec], output_specs: list[OutputSpec]) -> None:
        self.input_specs, self.output_specs = input_specs, output_specs

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple(s.target for s in self.input_specs if s.kind is kind and s.target is not None)

    def _by_name(self, kind: InputKind) -> dict[str, str]:
        return {s.arg.name: s.target for s in self.input_specs if s.kind is kind and s.target is not None}

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that are inputs."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of the buffers that are inputs."""
        return self._targets(InputKind.BUFFER)

    @property
    def inputs_to_parameters(self) -> Mapping[str, str]:
        """The parameter of each node that is one."""
        return self._by_name(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> Mapping[str, str]:
        """The buffer of each node that is one."""
        return self._by_name(InputKind.BUFFER)

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """The names of the user's inputs."""
        return tuple(s.arg.name for s in self.input_specs if s.kind is InputKind.USER_INPUT)

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """The names of the nodes that are results for the user."""
        return tuple(s.arg.name for s in self.output_specs if s.kind is OutputKind.USER_OUTPUT)

    def __str__(self) -> str:
        lines = ["", "# inputs"]
        for s in self.input_specs:
            target = "" if s.target is None else f" target='{s.target}'"
            lines.append(
                f"{s.arg.name}: {s.kind.name}{target}" + (f" persistent={s.persistent}" if s.persistent else "")
            )
        lines += ["", "# outputs", *(f"{s.arg.name}: {s.kind.name}" for s in self.output_specs), ""]
        return "\n".join(lines)

    __repr__ = __str__
