"""``torch.compile`` and its settings."""

import copy
import functools
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any

from flambeau_compile._arguments import MOST, tensors_in
from flambeau_compile._call import Compiled
from flambeau_compile.calls import difference, look_of
from flambeau_compile.capture import capture
from flambeau_compile.effects import Place, place_in
from flambeau_compile.errors import InvalidBackend, Unsupported
from flambeau_compile.logs import counters, say
from flambeau_compile.sizes import MOST as MOST_SIZES
from flambeau_compile.sizes import Forms
from flambeau_compile.symbols import numbers_in
from flambeau_nn import Module
from flambeau_tensor.extend import is_tracing

settings = {"recompile_limit": 8}  # maximum number of programs per function, beyond which it runs without compiling
AS_IT_IS = frozenset(
    ("eager", "eager_noexcept", "pre_dispatch_eager", "aot_eager", "aot_eager_default_partitioner",
     "aot_eager_decomp_partition", "aot_ts", "ts")
)  # fmt: skip
BACKENDS = frozenset(("inductor", "cudagraphs"))
MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")

PATIENCE = 16  # consecutive traces that may serve few calls
ENOUGH = 8  # number of calls that justify a trace
PAUSE = 1024  # calls that run eagerly before a function at its limit is checked again

_all: "weakref.WeakSet[Compiled]" = weakref.WeakSet()
_STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile",
            "aot_eager_then_compile")  # fmt: skip
_stance = "default"
_local = threading.local()


class Function:
    """The record of one compiled function: its options, its calls, and the reasons for running eagerly.

    Attributes:
        function: the original function.
        fullgraph: whether a call that cannot be compiled is an error.
        fast: whether last digits may differ.
        events: a line for each trace: that it was compiled, or why not.
    """

    def __init__(
        self, function: Callable[..., Any], *, fullgraph: bool, fast: bool, limit: int | None, wait: bool = True,
        dynamic: bool | None = None,
    ) -> None:  # fmt: skip
        self.function, self.fullgraph, self.fast, self.limit, self.wait = function, fullgraph, fast, limit, wait
        self.events: list[str] = []
        self.look: dict[str, str] | None = None  # of the call that the last program was made for
        self.warned = False
        self.options: dict[str, Any] = {}  # to compile a copy in the same way
        self.building: threading.Thread | None = None
        self.tracing = threading.Lock()  # held by the thread that traces, while others run it uncompiled
        self.unused = 0  # consecutive traces whose programs served almost no calls
        self.unknown: list[Any] = []  # containers that only a run shows, until a program is built
        self.unsettled = 0  # traces that were deferred to the next call
        self.dynamic = dynamic is not False  # whether numbers that change become inputs of programs
        self.sized = dynamic  # whether sizes are expected to change: None if a second size shows it
        self.forget_sizes()
        self.numbers: dict[Any, Any] = {}  # numbers among the arguments of the last trace, by their path
        self.followed: dict[Any, Any] = {}  # numbers that programs read at each call: paths, and Places by key
        self.fixed: dict[Any, Any] = {}  # numbers that must be constants, by the same keys
        self.compiled = Compiled(function, self.miss)
        _all.add(self.compiled)
        self.compiled.about = self

    @property
    def name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__name__)

    def miss(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call for which no compiled program is valid, and compile a program from it."""
        entries = self.compiled.entries
        wait = self.wait
        if self.building is not None:
            if self.building.is_alive():
                return self.function(*args, **kwargs)
            self.building, wait = None, True
        if _stance == "force_eager" or is_tracing() or getattr(_local, "compiling", False):
            return self.function(*args, **kwargs)
        if entries and _stance in ("eager_on_recompile", "fail_on_recompile"):
            if _stance == "eager_on_recompile":
                return self.function(*args, **kwargs)
            raise RuntimeError(f"Detected recompile when torch.compile stance is 'fail_on_recompile': {self.why()}")
        if not self.tracing.acquire(blocking=False):
            return self.function(*args, **kwargs)
        try:
            return self.trace(args, kwargs, wait)
        finally:
            self.tracing.release()

    def trace(self, args: tuple[Any, ...], kwargs: dict[str, Any], wait: bool) -> Any:
        """Run a call under a Tracer, and compile a program from it."""
        entries = self.compiled.entries
        self.count_unused(entries)
        self.follow(args, kwargs)
        reasons = [(entry, entry.why()) for entry in entries]
        changed = [why for _, why in reasons if why is not None]
        self.compiled.entries = entries = [entry for entry, why in reasons if why is None]
        limit = self.limit or settings["recompile_limit"]
        if _libraries(entries) >= limit:  # drop programs from before more numbers were followed
            entries[:] = [entry for entry in entries if entry.about.get("followed", 0) >= len(self.followed)]
        del entries[MOST_SIZES - 1 :]
        if _libraries(entries) >= limit:
            self.compiled.resting = PAUSE
            self.refuse(f"it was called in more than {limit} different ways{self.of_numbers()}")
            return self.function(*args, **kwargs)
        if len(tensors_in((args, kwargs))) > MOST:
            self.compiled.resting = PAUSE
            self.refuse(f"more than {MOST} tensors are among its arguments")
            return self.function(*args, **kwargs)
        _local.compiling = True
        try:
            found = capture(
                self.function, args, kwargs, fast=self.fast, settles=self.unsettled < 4, wait=wait,
                followed=self.sources(args, kwargs), fixed=self.fixed if self.dynamic else None, known=self.unknown,
                forms=self.forms_of(args, kwargs),
            )  # fmt: skip
        finally:
            _local.compiling = False
        followed = len(self.followed)
        self.note(found)
        if found.building is not None:
            self.building = found.building
            self.events.append("is being built")
            return found.result
        if found.entry is None:
            self.unknown.extend(found.unknown)
            self.unsettled += found.settles and len(self.followed) == followed
            self.events.append(f"will be traced again: {found.reason}")
            return found.result
        self.unknown.clear()
        entries.insert(0, found.entry)
        counters["frames"]["total"] += 1
        look = look_of(args, kwargs)
        if self.look is not None:
            changed.append(difference(self.look, look))
        self.look = look
        again = f" again, since {changed[0]}" if changed else ""
        if found.reason is None:
            about = found.entry.about
            about["followed"] = len(self.followed)
            self.events.append(f"compiled{again}: {about['steps']} steps" + _of_kernels(about["kernels"]))
            counters["frames"]["ok"] += 1
            counters["stats"]["unique_graphs"] += 1
            say("recompiles" if len(self.events) > 1 else "compiled", f"{self.name}: {self.events[-1]}")
            say("output_code", about["source"])
        else:
            self.events.append(f"runs eagerly: {found.reason}")
            counters["graph_break"][found.reason] += 1
            say("graph_breaks", f"{self.name} {self.events[-1]}")
            self.refuse(found.reason)
        return found.result

    def count_unused(self, entries: list[Any]) -> None:
        """If programs serve too few calls to justify tracing, let a growing number of calls run eagerly."""
        if sum(entry.hits for entry in entries) >= ENOUGH:
            self.unused = 0
        else:
            self.unused += 1
        for entry in entries:
            entry.hits = 0
        if self.unused > PATIENCE:
            self.compiled.resting = 1 << min(self.unused - PATIENCE, 30)
            del self.events[:-PATIENCE]
            if self.unused == PATIENCE + 4:
                self.refuse(f"what it reads changes nearly every time it is called ({self.why()})")

    def forget_sizes(self) -> None:
        """Discard what is known of programs for several sizes."""
        self.forms = None if self.sized is False else Forms()
        self.met: dict[Any, list[set[int]]] = {}  # the sizes of arguments in traced calls, by their other properties

    def forms_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Forms | None:
        """Return the forms that a program may share if such calls came with other sizes."""
        if self.forms is None:
            return None
        tensors = tensors_in((args, kwargs))
        kinds = tuple([(t.dtype, t.ndim, t.requires_grad) for t in tensors])
        sizes = tuple([size for t in tensors for size in t.shape])
        met = self.met.setdefault(kinds, [set() for _ in sizes])
        for known, size in zip(met, sizes, strict=True):
            known.add(size)
        changing = {size for known, size in zip(met, sizes, strict=True) if len(known) > 1}
        if not (changing or self.sized):
            return None
        self.forms.changing = frozenset(changing)
        return self.forms

    # --- numbers that change --------------------------------------------------------------------------------------

    def follow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Follow the numbers that are others than in the last trace."""
        now = dict(numbers_in((args, kwargs)))
        before, self.numbers = self.numbers, now
        if not self.dynamic or not self.compiled.entries:
            return
        for way, value in now.items():
            known = before.get(way)
            if type(known) is type(value) and known != value and way not in self.fixed:
                self.followed[way] = way
        for entry in self.compiled.entries:
            for record, key in entry.numbers_set():
                self.follow_place(place_in(record, key))

    def follow_place(self, place: Any) -> None:
        if self.dynamic and place.name not in self.fixed:
            self.followed[place.name] = place

    def of_numbers(self) -> str:
        """Return a text that names the numbers that must be constants although they change."""
        names = " and ".join(sorted({_described(source) for source in self.fixed.values()}))
        return f", and Python itself looks at {names}, which a program can only have as constants" if names else ""

    def sources(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The numbers that are there in a call, of those that are followed."""
        found = []
        for source in self.followed.values():
            if not isinstance(source, Place):
                if source in self.numbers:
                    found.append(source)
                continue
            try:
                value = source.get()
            except (AttributeError, LookupError, ValueError):
                continue
            if type(value) in (int, float):
                found.append(source)
        return found

    def note(self, found: Any) -> None:
        """Store what a trace determines about numbers."""
        self.dynamic = self.dynamic and not found.asks_types
        for source in found.fixed:
            key = source.name if isinstance(source, Place) else source
            self.fixed[key] = source
            self.followed.pop(key, None)
        for place in found.follow:
            self.follow_place(place)

    def reduced(self) -> Any:
        """Return how `compiled` is pickled: by its name if that refers to it, as for a decorated function."""
        found: Any = sys.modules.get(getattr(self.function, "__module__", ""))
        for part in self.name.split("."):
            found = getattr(found, part, None)
        return self.name if found is self.compiled else (_compiled_again, (self.function, self.options))

    def copied(self, memory: dict[int, Any]) -> Any:
        """Return a deep copy of `compiled`: itself, unless the function belongs to an object that is copied."""
        function = copy.deepcopy(self.function, memory)
        return self.compiled if function is self.function else compile(function, **self.options)

    def refuse(self, reason: str) -> None:
        """Warn once that calls run eagerly, or with `fullgraph` raise an error."""
        if self.fullgraph:
            raise Unsupported(f"torch.compile(fullgraph=True): {self.name} cannot be compiled as a whole: {reason}")
        if not self.warned:
            self.warned = True
            warnings.warn(f"torch.compile: {self.name} runs eagerly: {reason}", RuntimeWarning, stacklevel=4)

    def why(self) -> str:
        """Why the last trace was made."""
        return self.events[-1] if self.events else "it was not called yet"


def _libraries(entries: list[Any]) -> int:
    """The number of different libraries of programs; a call that runs eagerly counts as one."""
    return len({entry.about.get("library", id(entry)) for entry in entries})


def _described(source: Any) -> str:
    """A number that is followed, in words."""
    if isinstance(source, Place):
        return f"'{source.key}'"
    kind, *rest = source
    return f"argument {rest[0]}" if kind == 0 else f"argument {rest[0]!r}"


def _of_kernels(kernels: list[str]) -> str:
    return f", of which {len(kernels)} call a kernel ({', '.join(sorted(set(kernels)))})" if kernels else ""


class OptimizedModule(Module):
    """A compiled module: it has the attributes of the original module and runs compiled when it is called.

    Instances belong to a class that is a subclass of this one and of the module's own.
    """


@functools.cache
def _class_of(cls: Any) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _programs[id(self)].compiled(*args, **kwargs)

    def reduce(self: Any, protocol: int) -> Any:
        return _compiled_again, (self._orig_mod, _programs[id(self)].options)

    def original(self: Any) -> Any:
        made = _programs[id(self)].function
        if not isinstance(made, MethodType):
            return made
        plain = cls.__new__(cls)  # compiled in place
        object.__setattr__(plain, "__dict__", vars(self))
        return plain

    names = {"__call__": call, "__reduce_ex__": reduce, "_orig_mod": property(original), "__module__": cls.__module__}
    return type(cls.__name__, (OptimizedModule, cls), names)


_programs: dict[int, Any] = {}  # id of a compiled module -> its Function


def _compiled_again(module: Any, options: dict[str, Any]) -> Any:
    return compile(module, **options)


def compile_in_place(module: Any, **options: Any) -> None:
    """Compile the calls of a module in place; see `compile` for the options."""
    if isinstance(module, OptimizedModule):
        return
    own: Any = type(module)
    made = _function(MethodType(own.__call__, module), options)
    module.__class__ = _class_of(own)
    _programs[id(module)] = made
    weakref.finalize(module, _programs.pop, id(module), None)


def _compiled_module(module: Any, made: Function) -> Any:
    own: Any = type(module)
    cls = _class_of(own)
    twin = cls.__new__(cls)
    object.__setattr__(twin, "__dict__", vars(module))
    _programs[id(twin)] = made
    weakref.finalize(twin, _programs.pop, id(twin), None)
    return twin


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """Compile a function or module to C code.

    The first call runs the function in Python and records the operators that it calls, including those of autograd and
    optimizers. A C function is built from the recording, and later calls of this kind run it. Guards check everything
    that the function reads in Python (globals, attributes of modules, hooks, lists), so a change makes the next call
    trace again. A function that cannot be compiled runs in Python, and one warning gives the reason.

    Args:
        model: a function or a module; if omitted, a decorator is returned.
        fullgraph: whether to raise an error instead of warning.
        dynamic: whether Python numbers and sizes that change become inputs of the program: by default from their second
            value on, with ``True`` sizes are expected to change from the first; with ``False``, each value is compiled.
            Each new size is traced once.
        backend: ``"inductor"`` or ``"cudagraphs"`` for C code, ``"eager"`` or ``"aot_eager"`` for the uncompiled
            function, or a function of (GraphModule, example inputs) that returns a callable.
        mode: ``"default"``, ``"reduce-overhead"``, ``"max-autotune"`` and so on; all have the same effect here.
        options: ``{"fast": True}`` lets last digits differ from those of eager calls, for speed; ``{"wait": False}``
            builds in the background, and calls run uncompiled until the build is ready. Other settings, such as those
            of PyTorch's inductor, are ignored.
        name, isolate_recompiles, shapes_spec: have no effect.
        disable: whether to return `model` unchanged.
        recompile_limit: how many programs one function may have before it runs uncompiled; by default
            ``torch._dynamo.config.recompile_limit``, which is 8. Programs for several sizes that share a library
            count as one.

    Returns:
        For a function, a callable; for a module, a module of a subclass of its class with the same attributes.

    Raises:
        RuntimeError: both ``mode`` and ``options`` are given, or the mode does not exist.
        InvalidBackend: the backend does not exist.
        AssertionError: `model` is not callable, or ``dynamic`` is not a bool.

    >>> import flambeau as torch
    >>> @torch.compile
    ... def f(x):
    ...     return torch.sin(x) ** 2 + torch.cos(x) ** 2
    >>> f(torch.tensor([0.5]))
    tensor([1.])
    >>> f(torch.tensor([0.25]))
    tensor([1.])
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if not callable(backend) and backend not in AS_IT_IS and backend not in BACKENDS:
        raise InvalidBackend(backend)
    if model is None:
        given = {"fullgraph": fullgraph, "dynamic": dynamic, "backend": backend, "options": options,
                 "recompile_limit": recompile_limit, "disable": disable}  # fmt: skip
        return lambda function: compile(function, **given)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable or backend in AS_IT_IS or isinstance(model, (Compiled, OptimizedModule)):
        return model
    made = _function(model, {"fullgraph": fullgraph, "dynamic": dynamic, "options": options,
                             "recompile_limit": recompile_limit})  # fmt: skip
    if isinstance(model, Module):
        return _compiled_module(model, made)
    functools.update_wrapper(made.compiled, model, updated=())
    made.compiled._torchdynamo_orig_callable = model
    return made.compiled


def _function(function: Callable[..., Any], options: dict[str, Any]) -> Function:
    chosen = options.get("options") or {}
    fast, wait = bool(chosen.get("fast", False)), bool(chosen.get("wait", True))
    fullgraph, limit = bool(options.get("fullgraph", False)), options.get("recompile_limit")
    dynamic = options.get("dynamic")
    made = Function(function, fullgraph=fullgraph, fast=fast, limit=limit, wait=wait, dynamic=dynamic)
    made.options = {"fullgraph": fullgraph, "dynamic": dynamic, "options": options.get("options")}
    made.options["recompile_limit"] = limit
    return made


def is_compiling() -> bool:
    """Return True if this thread is tracing a function for a compiler.

    >>> is_compiling()
    False
    """
    return bool(getattr(_local, "compiling", False))


def reset() -> None:
    """Discard all programs: each function is traced again at its next call.

    >>> reset()
    """
    for compiled in list(_all):
        compiled.entries = []
        compiled.about.unused = compiled.resting = 0
        compiled.about.forget_sizes()


def explain(function: Any) -> str:
    """A report on a compiled function, with one line per trace.

    Raises:
        TypeError: the function is not compiled.

    >>> import flambeau as torch
    >>> f = torch.compile(lambda x: x + 1)
    >>> f(torch.ones(2))
    tensor([2., 2.])
    >>> print(explain(f))
    compiled: 1 steps
    """
    found = function.about if isinstance(function, Compiled) else _programs.get(id(function))
    if found is None:
        raise TypeError(f"explain(): a compiled function or module is needed, not {type(function).__name__}")
    return "\n".join(found.events) or "not called yet"


def set_stance(stance: str) -> str:
    """Set how compiled functions are called from now on; returns the previous stance.

    Raises:
        RuntimeError: the stance is unknown.
    """
    global _stance
    if stance not in _STANCES:
        raise RuntimeError(f"invalid torch.compile stance '{stance}'; expected one of {', '.join(_STANCES)}")
    before, _stance = _stance, stance
    for compiled in list(_all):
        compiled.disabled, compiled.resting = stance == "force_eager", 0
    return before
