"""``opcheck``: tests of custom operators against their declarations."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import flambeau_tensor as torch
from flambeau_cext.library import operators
from flambeau_tensor.extend import Operator, OperatorHandle, set_grad_mode, share_memory

_NOT_BUILT = ("test_aot_dispatch_static", "test_aot_dispatch_dynamic")


class OpCheckError(Exception):
    """An operator failed a test of `opcheck`.

    >>> issubclass(OpCheckError, Exception)
    True
    """


def opcheck(op: Operator | OperatorHandle, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, *,
            test_utils: str | Sequence[str] | None = None, raise_exception: bool = True, atol: float | None = None,
            rtol: float | None = None) -> dict[str, object]:  # fmt: skip
    """Test an operator's registrations against its behavior on some arguments.

    Args:
        op: the operator, in any language.
        args, kwargs: the arguments of the call. Test several: each dtype, with and without gradients.
        test_utils: one or several of these, instead of all that apply:

            - ``"test_schema"``: writes to arguments and memory shared with results match the schema;
            - ``"test_autograd_registration"``: results that require grad have a derivative;
            - ``"test_faketensor"``: the function of `register_fake` computes the results' shapes, dtypes and strides
              (skipped if none is registered);
            - ``"test_gradients"``: the derivative agrees with finite differences, see
              :func:`torch.autograd.gradcheck` (skipped unless all arguments that require grad are float64).
        raise_exception: whether to raise the first failure instead of returning all.
        atol, rtol: the tolerances for gradients.

    Returns:
        For each test ``"SUCCESS"`` or the exception.

    Raises:
        OpCheckError: a test failed.
        ValueError: ``op`` is not an operator, or a test does not exist.

    >>> from flambeau_cext.library import custom_op, opcheck
    >>> @custom_op("docs::negative", mutates_args=())
    ... def negative(x: torch.Tensor) -> torch.Tensor:
    ...     return -x
    >>> opcheck(negative, (torch.ones(3),))
    {'test_schema': 'SUCCESS', 'test_autograd_registration': 'SUCCESS'}
    """
    if isinstance(op, OperatorHandle):
        op = op.target
    if not isinstance(op, Operator):
        raise ValueError(f"opcheck(op, ...): op must be an operator, e.g. torch.ops.mylib.sin, got {type(op)}")
    kwargs = dict(kwargs or {})
    if test_utils is None:
        names = [name for name, (applies, _) in _TESTS.items() if applies(op, args, kwargs)]
    else:
        names = [test_utils] if isinstance(test_utils, str) else list(test_utils)
        for name in names:
            if name in _NOT_BUILT:
                raise NotImplementedError(f"opcheck(): {name} is not built: there is no compiler to compare with")
            if name not in _TESTS:
                raise ValueError(
                    f"opcheck(op, ..., test_utils={tuple(names)}), expected test_utils to be subset of {tuple(_TESTS)} "
                    "but it was not"
                )
    results: dict[str, object] = {}
    tolerances = {k: v for k, v in {"atol": atol, "rtol": rtol}.items() if v is not None}
    for name in names:
        try:
            _TESTS[name][1](op, args, kwargs, tolerances)
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {name} failed with {error} (scroll up for stack trace)"
                ) from error
            results[name] = error
    return results


# --- the schema -----------------------------------------------------------------------------------------------------


def _schema(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any], tolerances: Mapping[str, Any]) -> None:
    args, kwargs = _copied(args), _copied(kwargs)
    given = {a: _tensors(value) for a, value in _by_argument(op, args, kwargs)}
    with _no_grad():
        before = {a: [t.clone() for t in tensors] for a, tensors in given.items()}
        results = op(*args, **kwargs)
    for a, tensors in given.items():
        changed = any(not _same(old, new) for old, new in zip(before[a], tensors, strict=True))
        if changed and not a.write:
            raise RuntimeError(f"Argument {a.name} is not defined as mutable but was mutated")
    returns = op.schema.returns
    several = results if len(returns) > 1 else (results,)
    outputs = [(r, t) for r, result in zip(returns, several, strict=False) for t in _tensors(result)]
    for a, tensors in given.items():
        for r, out in outputs:
            shares = any(t is out or share_memory(t, out) for t in tensors)
            if shares and (a.alias is None or a.alias != r.alias):
                raise RuntimeError(f"Argument {a.name} is not defined to alias output but was aliasing")
    for i, (r, one) in enumerate(outputs):
        for s, other in outputs[:i]:
            if share_memory(one, other) and (r.alias is None or r.alias != s.alias) and not r.is_list:
                raise RuntimeError(
                    f"Results {i} and {outputs.index((s, other))} share memory, which the schema does not declare"
                )


@contextlib.contextmanager
def _no_grad() -> Iterator[None]:
    """A context in which nothing is recorded; it works without autograd, too."""
    was = set_grad_mode(False)
    try:
        yield
    finally:
        set_grad_mode(was)


def _by_argument(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """The arguments of the schema that were given, with their values."""
    named = {a.name: a for a in op.schema.arguments}
    return [*zip(op.schema.arguments, args, strict=False), *((named[k], v) for k, v in kwargs.items() if k in named)]


def _tensors(value: object) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [t for item in value for t in _tensors(item)]
    return []


def _copied(value: Any) -> Any:
    """Copy the arguments to new memory."""
    if isinstance(value, torch.Tensor):
        with _no_grad():
            copy = value.clone()
        return copy.requires_grad_() if value.requires_grad else copy
    if isinstance(value, list | tuple):
        return type(value)([_copied(item) for item in value])
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    return value


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and bool(((a == b) | ((a != a) & (b != b))).all())


# --- autograd -------------------------------------------------------------------------------------------------------


def _registration(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any], tolerances: Mapping[str, Any]) -> None:
    leaves = [t for t in _tensors([args, list(kwargs.values())]) if t.requires_grad]
    given = operators.kernels(op)
    # A kernel without a derivative runs as a composition, although it was not declared as one.
    below = (operators.CPU in given.by_key or operators.EXPLICIT in given.by_key) and given.original is None
    if not leaves or (op.is_composite and not below):
        return
    declared = given.derivative or operators.AUTOGRAD in given.by_key or op.gradients is not None or given.checked
    if declared or any(a.write for a in op.schema.arguments):
        return
    results = op(*_copied(args), **_copied(kwargs))
    if any(t.requires_grad for t in _tensors(results)):
        raise RuntimeError(
            f"{operators.qualified(op)}: at least one output of this operator has requires_grad=True but the operator "
            "does not have an autograd kernel defined at an autograd key (e.g. DispatchKey::Autograd). Register its "
            "derivative with torch.library.register_autograd."
        )


def _gradients_apply(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    leaves = [t for t in _tensors([args, list(kwargs.values())]) if t.requires_grad]
    given = operators.kernels(op)
    derivative = given.derivative or operators.AUTOGRAD in given.by_key or op.gradients is not None
    return bool(leaves and derivative and all(t.dtype is torch.float64 for t in leaves))


def _gradients(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any], tolerances: Mapping[str, Any]) -> None:
    from flambeau_autograd.gradcheck import gradcheck

    args, kwargs = _copied(args), _copied(kwargs)
    leaves = [t for t in _tensors([args, list(kwargs.values())]) if t.requires_grad]

    def call(*values: torch.Tensor) -> Any:
        replaced = dict(zip(map(id, leaves), values, strict=True))
        results = op(*_replaced(args, replaced), **_replaced(kwargs, replaced))
        return tuple(t for t in _tensors(results) if t.is_floating_point() or t.is_complex())

    gradcheck(call, tuple(leaves), **tolerances)


def _replaced(value: Any, by: Mapping[int, torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return by.get(id(value), value)
    if isinstance(value, list | tuple):
        return type(value)([_replaced(item, by) for item in value])
    if isinstance(value, dict):
        return {k: _replaced(v, by) for k, v in value.items()}
    return value


# --- shapes ---------------------------------------------------------------------------------------------------------


class _FakeContext:
    """The object that `get_ctx` returns in a function of `register_fake`."""

    def __init__(self, size: int):
        self._size = size

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> int:  # noqa: A002  (PyTorch's names)
        """Return a size that depends on the elements; it is not compared with the actual size."""
        return self._size + min

    create_unbacked_symint = new_dynamic_size


_context: _FakeContext | None = None


def get_ctx() -> _FakeContext | None:
    """Return the context of a function of `register_fake`, or None outside such functions.

    ``get_ctx().new_dynamic_size()`` represents a size that depends on the elements.

    >>> get_ctx() is None
    True
    """
    return _context


def _fake(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any], tolerances: Mapping[str, Any]) -> None:
    global _context
    function = op.meta
    if function is None:
        raise RuntimeError(
            f"There was no fake impl registered for {operators.qualified(op)}. Please use `register_fake` to add an "
            "fake impl."
        )
    with _no_grad():
        results = _tensors(op(*_copied(args), **_copied(kwargs)))
        shapes = []
        for size in (3, 5):  # sizes that differ between the two runs depend on elements
            _context = _FakeContext(size)
            try:
                fakes = _tensors(function(*_empty(args), **_empty(kwargs)))
            finally:
                _context = None
            shapes.append([tuple(t.shape) for t in fakes])
    if len(fakes) != len(results):
        raise RuntimeError(f"the fake impl returned {len(fakes)} tensors, the operator {len(results)}")
    for i, (fake, real) in enumerate(zip(fakes, results, strict=True)):
        known = [a if a == b else None for a, b in zip(shapes[0][i], shapes[1][i], strict=True)]
        if len(known) != real.ndim or any(a not in (None, b) for a, b in zip(known, real.shape, strict=True)):
            raise RuntimeError(
                f"result {i}: the fake impl says shape {tuple(fake.shape)}, the operator {tuple(real.shape)}"
            )
        if fake.dtype != real.dtype:
            raise RuntimeError(f"result {i}: the fake impl says {fake.dtype}, the operator {real.dtype}")
        if None not in known and fake.stride() != real.stride() and real.numel():
            raise RuntimeError(f"result {i}: the fake impl says strides {fake.stride()}, the operator {real.stride()}")


def _empty(value: Any) -> Any:
    """The same arguments with other elements: a fake implementation must not look at them."""
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(tuple(value.shape), value.stride(), dtype=value.dtype).zero_()
    if isinstance(value, list | tuple):
        return type(value)([_empty(item) for item in value])
    if isinstance(value, dict):
        return {k: _empty(v) for k, v in value.items()}
    return value


def _always(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return True


def _fake_applies(op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return op.meta is not None


_TESTS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {  # whether it applies, and the test
    "test_schema": (_always, _schema),
    "test_autograd_registration": (_always, _registration),
    "test_faketensor": (_fake_applies, _fake),
    "test_gradients": (_gradients_apply, _gradients),
}
