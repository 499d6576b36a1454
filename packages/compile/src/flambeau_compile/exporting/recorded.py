"""Recording a function as a program whose memory has names, the common basis of all exporters."""

import contextlib
import keyword
import re
from collections.abc import Callable
from typing import Any

import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_compile import reaching
from flambeau_compile._arguments import tensors_in
from flambeau_compile.graph import C_TYPES, ITEMSIZE, Buffer, Check, Opaque, Window, flat, row_major
from flambeau_compile.looping import MARKS, Loops
from flambeau_compile.updates import add_step
from flambeau_compile.watching import Recording
from flambeau_nn import Module
from flambeau_nn.optim.optimizer import Optimizer
from flambeau_tensor.extend import Tracer, window

_C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while state work "
    "weights main run init".split()
)


class ExportError(RuntimeError):
    """A function cannot be exported; the message names the obstacle and an alternative.

    >>> import flambeau_tensor as ft
    >>> from flambeau_compile.exporting import export_c
    >>> export_c(lambda x: x.sort()[0], (ft.ones(3),), "folder")
    Traceback (most recent call last):
    flambeau_compile.exporting.recorded.ExportError: <lambda> cannot be exported: torch.sort.default has no form in C; \
write it with elementwise functions, sums and products
    """


class Named:
    """Memory with a name in the exported code.

    Attributes:
        name: a C identifier.
        label: the expression in the program: ``net.0.weight``, ``x``.
        buffer: the memory in the program.
        window: the layout of the tensor in it.
        role: ``"input"``, ``"output"``, ``"constant"`` for read-only values, ``"state"`` for values that calls change.
        value: a NumPy array of the tensor's elements before the call; for outputs, after it.
    """

    def __init__(self, name: str, label: str, buffer: Buffer, window: Window, role: str, value: Any) -> None:
        self.name, self.label, self.buffer, self.window, self.role, self.value = (
            name,
            label,
            buffer,
            window,
            role,
            value,
        )

    @property
    def kind(self) -> str:
        return C_TYPES[self.window.dtype]

    @property
    def count(self) -> int:
        """Elements of the buffer."""
        return self.buffer.nbytes // ITEMSIZE[self.window.dtype]


class Stepped:
    """An optimizer's step in a recorded run, with the data that the exported program needs.

    Attributes:
        step: the tracer's event.
        rule: the name of the optimizer's rule, such as ``"adam"``.
        options: the options of each parameter group.
        bounds: for each group, the range of updated parameters, as (first, end).
        count: the number of previous steps.
        position: the offset of its coefficients among those of all steps.
        coefficients: those of each parameter, in this step.
    """

    def __init__(self, step: Any, count: float, position: int) -> None:
        self.step, self.rule, self.count, self.position = step, step.key[0], count, position
        self.options = [{k: v for k, v in group.items() if k != "params"} for group in step.optimizer.param_groups]
        self.bounds = list(step.bounds)
        self.coefficients = step.fill()
        step.undo()


class Recorded:
    """One run of a function.

    Attributes:
        program: the steps.
        inputs, outputs, constants, states: the memory that the steps use, in order.
        structure: the result of the function, with a Window for each tensor.
        steps: the optimizers' steps, in order.
        after: for each state, its elements after the call.
        spread: for each state, its change after an optimizer's step if inputs change by units in the last place. Rules
            that divide by the size of a gradient amplify rounding errors.
    """

    def __init__(self) -> None:
        self.program: Any = None
        self.inputs: list[Named] = []
        self.outputs: list[Named] = []
        self.constants: list[Named] = []
        self.states: list[Named] = []
        self.structure: Any = None
        self.steps: list[Stepped] = []
        self.after: dict[int, Any] = {}
        self.spread: dict[int, float] = {}

    def named(self) -> list[Named]:
        return [*self.inputs, *self.constants, *self.states, *self.outputs]


def identifier(text: str, taken: set[str]) -> str:
    """Return a C name for ``text`` that differs from those in ``taken`` and from ``v1``, … of the code."""
    name = re.sub(r"\W+", "_", text).strip("_") or "value"
    if name[0].isdigit() or name in _C_WORDS or keyword.iskeyword(name) or re.fullmatch(r"v\d[\d_]*", name):
        name = f"v_{name}"
    plain, n = name, 2
    while name in taken:
        name, n = f"{plain}_{n}", n + 1
    taken.add(name)
    return name


def record(function: Callable[..., Any], examples: tuple[Any, ...], names: tuple[str, ...] | None = None) -> Recorded:
    """Run a function on examples and return its program with names; changes of the run are undone.

    Args:
        function: a function, method or module.
        examples: its arguments; tensors become inputs, all other values are constants.
        names: the names of the inputs; by default those of the parameters.

    Raises:
        ExportError: the function does something that a program without Python cannot do.
    """
    held = _Held(function, examples)
    try:
        return _Run(function, examples, held).recorded(names)
    finally:
        held.put_back()


def builder() -> Any:
    """A Builder of programs that need nothing of eager's."""
    from flambeau_compile.exporting.forms import PortableBuilder

    return PortableBuilder()


class _Run:
    """The run that is recorded, and the program built from it."""

    def __init__(self, function: Any, examples: tuple[Any, ...], held: "_Held") -> None:
        self.function, self.examples, self.held = function, examples, held
        self.b, self.found = builder(), Recorded()
        self.found.program = self.b.program
        for last in (False, False, True):
            held.put_back_values()
            self.tensors = tensors_in((examples, {}))
            self.before = {id(t): _values(t) for t in [*self.tensors, *held.tensors()]}
            self.counts = held.counts()
            with Recording(function, examples, {}) as recording, Tracer() as tracer:
                result = function(*examples)
            grown = held.note(recording.captured)
            blocking = [effect for effect in recording.effects if effect.replay is None]
            if not blocking and not grown and self.before.keys() >= {id(t) for t in recording.captured}:
                break
            if last or not all(effect.settles for effect in blocking):
                raise self.refusal(blocking[0] if blocking else "it makes new tensors at each call that outlive it")
        self.labels = {i: source.path for i, source in recording.tensors.items()} | held.labels()
        self.own_labels = _labels(recording.arguments, examples, self.tensors)
        self.records, self.outputs = tracer.records, _flat(result)
        self.taken: set[str] = set()

    def refusal(self, why: Any) -> ExportError:
        return ExportError(f"{_called(self.function)} cannot be exported: {why}")

    def recorded(self, names: tuple[str, ...] | None) -> Recorded:
        b, found = self.b, self.found
        arguments = {b.window(window(t)).buffer.index: t for t in self.tensors}
        self.lower()
        for t in self.outputs:
            if not b.is_known(window(t)):
                raise self.refusal("it returns a tensor that no operator made")
            b.window(window(t)).buffer.lasts = True
        b.program.remove_dead_steps()
        _check_steps(self.function, b.program)
        self.labels.update(zip(map(id, self.tensors), names or self.own_labels, strict=False))
        self.name_memory(arguments)
        several = len(self.outputs) > 1
        for k, t in enumerate(self.outputs):
            w = b.window(window(t))
            dense = Window(b.program.buffer(w.numel * ITEMSIZE[w.dtype]), w.dtype, 0, w.sizes, row_major(w.sizes))
            dense.buffer.lasts = True
            b.copy(w, dense)  # so that results never share memory with each other or with values that are read
            name = identifier(f"result{k}" if several else "result", self.taken)
            found.outputs.append(Named(name, name, dense.buffer, dense, "output", _values(t)))
        for t in self.outputs:
            b.window(window(t)).buffer.lasts = False
        b.program.remove_dead_steps()
        if found.steps:
            self.look_at_rounding()
        return found

    def look_at_rounding(self) -> None:
        """Run again with inputs changed by units in the last place, and measure the effect on states."""
        import numpy as np

        random = np.random.default_rng(0)
        self.held.put_back_values()
        with no_grad():
            for t in {id(t): t for t in [*self.tensors, *self.held.tensors()]}.values():
                if t.dtype in (ft.float32, ft.float64):
                    unit = 2.0**-23 if t.dtype == ft.float32 else 2.0**-52
                    t.detach().mul_(ft.tensor(1 + unit * random.integers(-2, 3, tuple(t.shape))))
        self.function(*self.examples)
        states = {n.buffer.index: n for n in self.found.states}
        for i, t in ((b.index, b.tensor) for b in self.b.program.given() if b.index in states):
            n = states[i]
            changed = _spread(_values(t), n.window, n.buffer) - self.found.after[i]
            self.found.spread[i] = float(np.abs(changed).max(initial=0.0)) if n.kind in ("f32", "f64") else 0.0

    def lower(self) -> None:
        """Convert the tracer's events to steps."""
        b, loops, position = self.b, Loops(self.b), 0
        for entry in self.records:
            if entry[0] in MARKS:
                loops.mark(*entry)
            elif entry[0] == "refuse":
                raise self.refusal(entry[1])
            elif entry[0] == "update":
                count = self.counts.get(id(entry[1].parameters[0][0]), 0.0) if entry[1].parameters else 0.0
                self.found.steps.append(Stepped(entry[1], count, position))
                position = add_step(b, entry[1], position)
            elif entry[0] == "grad_read":
                if entry[2] is not None and not b.is_known(window(entry[2])):
                    raise self.refusal("it adds to gradients of earlier calls: call zero_grad() before backward()")
            elif entry[0] != "grad_set":
                b.call(*entry)

    def name_memory(self, arguments: dict[int, Any]) -> None:
        """Name the memory that existed before the run, as far as the program reads, writes or returns it."""
        b, found = self.b, self.found
        read = {w.buffer.index for step in b.program.steps for w in step.windows()}
        written = {w.buffer.index for step in b.program.steps for w in step.written()}
        shown = {b.window(window(t)).buffer.index for t in self.outputs}
        for buffer in b.program.given():
            i = buffer.index
            if i not in read | written | shown and i not in arguments:
                continue
            t = arguments.get(i, buffer.tensor)
            w = b.window(window(t))
            role = "input" if i in arguments else "state" if i in written else "constant"
            label = self.labels.get(id(t)) or f"constant{len(found.constants)}"
            label = label.removeprefix("self.")
            if role == "input" and i in written:
                raise self.refusal(f"it writes to its argument {label}: return the new value instead")
            value = self.before.get(id(t))
            if value is None or id(t) in self.held.late:
                if role == "state":
                    raise self.refusal(f"it changes {label}, which cannot be put back")
                value = _values(t)
            named = Named(identifier(label, self.taken), label, buffer, w, role, _spread(value, w, buffer))
            {"input": found.inputs, "state": found.states, "constant": found.constants}[role].append(named)
            if role == "state":
                found.after[i] = _spread(_values(t), w, buffer)


def _check_steps(function: Any, program: Any) -> None:
    for step in flat(program.steps):
        if isinstance(step, Opaque):
            raise ExportError(
                f"{_called(function)} cannot be exported: {step.op.__torch_name__} has no form in C; write it with "
                "elementwise functions, sums and products"
            )
        if isinstance(step, Check):
            raise ExportError(
                f"{_called(function)} cannot be exported: it takes a branch that depends on {step.what} of a tensor; "
                "write torch.where, torch.cond or torch.while_loop"
            )


def _labels(arguments: dict[str, Any], examples: tuple[Any, ...], tensors: list[Any]) -> list[str]:
    """Return the names of the tensors among arguments."""
    found: dict[int, str] = {}

    def walk(o: Any, label: str) -> None:
        if isinstance(o, ft.Tensor):
            found.setdefault(id(o), label)
        elif isinstance(o, dict):
            for key, value in o.items():
                walk(value, f"{label}_{key}" if label else str(key))
        elif isinstance(o, (list, tuple)):
            for i, value in enumerate(o):
                walk(value, f"{label}_{i}" if len(o) > 1 or label not in ("args",) else label)

    for name, value in arguments.items():
        walk(value, name)
    for i, value in enumerate(examples):
        walk(value, f"x{i}")
    return [found[id(t)] for t in tensors]


def _flat(o: Any) -> list[Any]:
    if isinstance(o, ft.Tensor):
        return [o]
    if isinstance(o, dict):
        return [t for value in o.values() for t in _flat(value)]
    if isinstance(o, (list, tuple)):
        return [t for value in o for t in _flat(value)]
    return []


def _values(t: Any) -> Any:
    with no_grad():
        return t.detach().clone(memory_format=ft.contiguous_format).numpy()


def _spread(value: Any, w: Window, buffer: Buffer) -> Any:
    """The elements of a tensor at their places in its buffer."""
    import numpy as np

    if w.contiguous and w.offset == 0 and w.numel * ITEMSIZE[w.dtype] == buffer.nbytes:
        return value.reshape(-1)
    flat_values = np.zeros(buffer.nbytes // ITEMSIZE[w.dtype], value.dtype)
    flat_values[list(w.elements())] = value.reshape(-1)
    return flat_values


def _called(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


def _variables(function: Any) -> dict[str, Any]:
    """Return the outer variables that a function's code names: those of enclosing functions and of its module."""
    target = getattr(function, "__func__", function)
    code = getattr(target, "__code__", None)
    if code is None:
        return {}
    around = target.__globals__
    found = {name: around[name] for name in code.co_names if name in around}
    for name, cell in zip(code.co_freevars, target.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell
            found[name] = cell.cell_contents
    if target is not function:
        found["self"] = function.__self__
    return found


class _Held:
    """Saves the values of the tensors, modules and optimizers that a function reaches, to restore them."""

    def __init__(self, function: Any, examples: tuple[Any, ...]) -> None:
        walk = reaching.Walk(keep=True)
        walk.reach(function, None, "self" if isinstance(function, Module) else _called(function), "name")
        for value in examples:
            walk.reach(value, None, "x", "name")
        variables = _variables(function)
        for name, value in variables.items():
            walk.reach(value, None, name, "name")
        walk.drain()
        self.sources = dict(walk.tensors)
        self.names = {i: source.path for i, source in self.sources.items()}
        modules = {name: value for name, value in variables.items() if isinstance(value, Module)}
        if isinstance(function, Module):
            modules[""] = function
        for name, module in modules.items():
            for key, t in (*module.named_parameters(), *module.named_buffers()):
                self.names[id(t)] = f"{name}.{key}" if name else key
        self.values: dict[int, tuple[Any, Any]] = {}
        self.late: set[int] = set()  # ids of tensors whose values before the first run were not saved
        self.gradients: list[tuple[Any, Any]] = []
        self.optimizers = [o for o in walk.seen.values() if isinstance(o, Optimizer)]
        self.states = [{id(p): (p, dict(state)) for p, state in o.state.items()} for o in self.optimizers]
        for t in self.tensors():
            self._keep(t)
        for o in self.optimizers:
            for group in o.param_groups:
                for p in group["params"]:
                    self._keep(p)
            for state in o.state.values():
                for value in state.values():
                    if isinstance(value, ft.Tensor):
                        self._keep(value)
        for o in walk.seen.values():
            if isinstance(o, Module):
                for t in (*o.parameters(), *o.buffers()):
                    self._keep(t)

    def _keep(self, t: Any) -> None:
        if id(t) not in self.values:
            self.values[id(t)] = t, t.detach().clone()
            if t.is_leaf:
                self.gradients.append((t, t.grad))

    def note(self, captured: list[Any]) -> bool:
        """Add values that only a run shows; return whether there are any.

        States that optimizers created are initially zero. Other tensors count as unchanged, because their old values
        are unknown.
        """
        before = len(self.values)
        for o in self.optimizers:
            for state in o.state.values():
                for value in state.values():
                    if isinstance(value, ft.Tensor) and id(value) not in self.values:
                        self.values[id(value)] = value, ft.zeros_like(value)
        for t in captured:
            if id(t) not in self.values:
                self.late.add(id(t))
                self._keep(t)
        return len(self.values) > before

    def tensors(self) -> list[Any]:
        return [source.tensor for source in self.sources.values()] + [
            t for t, _ in getattr(self, "values", {}).values()
        ]

    def labels(self) -> dict[int, str]:
        """Names of the states of optimizers, after the parameters'."""
        found = dict(self.names)
        for o in self.optimizers:
            for p, state in o.state.items():
                for key, value in state.items():
                    if isinstance(value, ft.Tensor):
                        found[id(value)] = f"{found.get(id(p), 'parameter')}.{key}"
        return found

    def counts(self) -> dict[int, float]:
        """Return the step count of each parameter that an optimizer knew before; 1 if steps are not counted."""
        return {i: float(state.get("step", 1.0)) for states in self.states for i, (_, state) in states.items() if state}

    def put_back_values(self) -> None:
        with no_grad():
            for t, value in self.values.values():
                t.detach().copy_(value)
        for t, gradient in self.gradients:
            t.grad = gradient

    def put_back(self) -> None:
        self.put_back_values()
        for o, states in zip(self.optimizers, self.states, strict=True):
            for p in list(o.state):
                if id(p) not in states:
                    del o.state[p]
