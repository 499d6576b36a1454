"""``Library``: declarations and kernels of operators in a namespace."""

import contextlib
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flambeau_cext.library import operators
from flambeau_cext.library.schema import split_name
from flambeau_cext.tags import give_tags
from flambeau_tensor.extend import Operator, OperatorHandle, forget

_defining: set[str] = set()  # the namespaces that a Library of kind DEF has taken


class _Registrations:
    """The registrations of one Library, which are undone when it is freed."""

    def __init__(self, namespace: str, kind: str):
        self.namespace, self.kind = namespace, kind
        self.operators: list[Operator] = []
        self.kernels: list[tuple[str, Callable[..., Any], str]] = []

    def undo(self) -> None:
        for qualname, function, key in self.kernels:
            operators.withdraw(qualname, function, key)
        for op in self.operators:
            forget(op)
        self.kernels.clear()
        self.operators.clear()
        if self.kind == "DEF":
            _defining.discard(self.namespace)


class Library:
    """Declares operators of a namespace and registers their kernels. They are unregistered with the object, so keep it,
    for example in a global variable.

    Args:
        ns: the namespace.
        kind: ``"DEF"`` for the Library that owns the namespace, ``"FRAGMENT"`` for one of several that declare
            operators in it, ``"IMPL"`` to register only kernels.
        dispatch_key: the default key of `impl`.

    Raises:
        ValueError: the namespace is reserved, or the kind unknown.
        RuntimeError: another Library owns the namespace.

    >>> lib = Library("measures", "DEF")
    >>> lib.define("norm(Tensor x, float p=2.0) -> Tensor")
    'norm'
    >>> lib.impl("norm", lambda x, p=2.0: x.abs().pow(p).sum() ** (1 / p), "CompositeImplicitAutograd")
    >>> torch.ops.measures.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        operators.check_namespace(ns)
        if kind == "DEF":
            if ns in _defining:
                raise RuntimeError(
                    f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your "
                    "definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, "
                    "consider using TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define "
                    "operators for a single namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to "
                    "explicitly indicate this."
                )
            _defining.add(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._done = _Registrations(ns, kind)
        self._finalizer = weakref.finalize(self, self._done.undo)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})"

    def define(self, schema: str, alias_analysis: str = "", *, tags: object = ()) -> str:
        """Declare an operator and return its name.

        Args:
            schema: ``"name(Tensor x, float a=1.0) -> Tensor"``; arguments that the operator writes to are
                ``Tensor(a!)``, and results that are views are ``Tensor(a)``. ``name.overload`` declares an overload.
            alias_analysis: has no effect; accepted for compatibility.
            tags: words that are said of it, of `torch.Tag`; has no effect.

        Raises:
            RuntimeError: the operator exists already, or the kind is ``"IMPL"``.
            ValueError: the schema cannot be read.
        """
        if self.kind == "IMPL":
            raise RuntimeError(
                f'def("{schema.partition("(")[0]}"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  '
                "All def()s should be placed in the (unique) TORCH_LIBRARY block for their namespace."
            )
        op = operators.declare(self.ns, schema)
        give_tags(op, tags)
        self._done.operators.append(op)
        return operators.qualified(op).partition("::")[2]

    def impl(
        self,
        op_name: str | Operator | OperatorHandle,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Register a kernel of an operator.

        Args:
            op_name: the operator, or its name without the namespace; it may be declared later.
            fn: a function with the schema's arguments.
            dispatch_key: ``"CPU"`` for a kernel, whose calls are not recorded if the operator has its own derivative;
                ``"CompositeImplicitAutograd"`` for a composition of other operators; ``"Autograd"`` for a function that
                is called instead if a call must be recorded; ``"AutocastCPU"`` for one that is called instead under
                autocast; ``"Meta"``. A kernel ``"CPU"`` for an operator of the library (namespace ``"aten"``) replaces
                the library's own everywhere.
            with_keyset: must be false.
            allow_override: whether to replace an earlier kernel of this Library without a warning.

        Raises:
            TypeError: ``fn`` is not callable.
            RuntimeError: the key is unknown.
            NotBuiltError: a kernel ``"Autograd"`` or ``"AutocastCPU"`` for an operator of the library.
        """
        if with_keyset:
            raise NotImplementedError("impl(): argument 'with_keyset': dispatch key sets are not supported")
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = operators.key_of(dispatch_key or self.dispatch_key)
        if isinstance(op_name, str):
            qualname = op_name if "::" in op_name else f"{self.ns}::{op_name}"
        else:
            qualname = operators.qualified(operators.find(op_name))
        if dispatch_key and self.dispatch_key and key != operators.key_of(self.dispatch_key):
            raise RuntimeError(
                f'impl("{op_name}", ...): Explicitly provided dispatch key ({dispatch_key}) is inconsistent with the '
                f"dispatch key of the enclosing TORCH_LIBRARY_IMPL block ({self.dispatch_key})."
            )
        if qualname.partition("::")[0] != self.ns:
            raise ValueError(f"{qualname} is not in namespace {self.ns}")
        if not allow_override and any((qualname, key) == (done[0], done[2]) for done in self._done.kernels):
            warnings.warn(
                "Overriding a previously registered kernel for the same operator and the same dispatch key: "
                f"{qualname}, {key}",
                UserWarning,
                stacklevel=2,
            )
        operators.implement(qualname, fn, key)
        self._done.kernels.append((qualname, fn, key))

    def _destroy(self) -> None:
        self._finalizer()


@contextlib.contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A Library for the length of a ``with`` block."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


_kept: list[Library] = []  # of define() and impl() without a Library


def _fragment(namespace: str) -> Library:
    library = Library(namespace, "FRAGMENT")
    _kept.append(library)
    return library


def define(qualname: str | Library, schema: str, alias_analysis: str = "", *, lib: Library | None = None,
           tags: object = ()) -> Any:  # fmt: skip
    """Declare an operator; `impl` adds kernels.

    Args:
        qualname: ``"namespace::name"``.
        schema: its arguments and results, ``"(Tensor x) -> Tensor"``.
        lib: the Library that owns the registration; without one, it is permanent.
        tags: has no effect.

    The older form ``define(lib, schema)`` is a decorator that also registers the kernel.

    Raises:
        ValueError: the name has no namespace; the schema cannot be read.

    >>> define("measures2::twice", "(Tensor x) -> Tensor")
    >>> @impl("measures2::twice", "cpu")
    ... def twice(x):
    ...     return x + x
    >>> torch.ops.measures2.twice(torch.ones(2))
    tensor([2., 2.])
    """
    if isinstance(qualname, Library):
        name = qualname.define(schema, alias_analysis)

        def give(function: Callable[..., Any]) -> Callable[..., Any]:
            qualname.impl(name, function)
            return function

        return give
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    namespace, name = split_name(qualname)
    if not isinstance(schema, str):
        raise TypeError(f"define(): argument 'schema' (position 2) must be str, not {type(schema).__name__}")
    if not schema.lstrip().startswith("("):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    (lib or _fragment(namespace)).define(name + schema.strip(), alias_analysis, tags=tags)
    return None


def impl(qualname: str | Library, types: str | Sequence[str], func: Callable[..., Any] | str | None = None, *,
         lib: Library | None = None) -> Any:  # fmt: skip
    """Give an operator a kernel for some types of devices; a decorator without ``func``.

    Args:
        qualname: ``"namespace::name"``.
        types: ``"cpu"``, ``"default"`` for all, or several; or a dispatch key.
        func: the kernel.
        lib: the Library that owns the registration; without one, it is permanent.

    The older form ``impl(lib, name, dispatch_key="")`` is a decorator, too. Example: see `define`.

    Raises:
        ValueError: the name has no namespace.

    >>> define("measures3::half", "(Tensor x) -> Tensor")
    >>> impl("measures3::half", "cpu", lambda x: x / 2)
    >>> torch.ops.measures3.half(torch.ones(2))
    tensor([0.5000, 0.5000])
    """
    if isinstance(qualname, Library):
        return _decorator(lambda f: qualname.impl(str(types), f, func if isinstance(func, str) else ""), None)
    namespace, name = split_name(qualname)
    keys = [operators.key_of(kind) for kind in ((types,) if isinstance(types, str) else types)]

    def give(function: Callable[..., Any]) -> None:
        owner = lib or _fragment(namespace)
        for key in dict.fromkeys(keys):
            owner.impl(name, function, key)

    return _decorator(give, func if callable(func) else None)


def _decorator(give: Callable[[Callable[..., Any]], None], function: Callable[..., Any] | None) -> Any:
    """Apply ``give`` to the function, or return the decorator that will."""
    if function is not None:
        give(function)
        return None

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        give(function)
        return function

    return decorated


def fallthrough_kernel() -> None:
    """Represents "no kernel" in calls that require one.

    Raises:
        NotImplementedError: it is called rather than registered.

    >>> fallthrough_kernel.__name__
    'fallthrough_kernel'
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")
