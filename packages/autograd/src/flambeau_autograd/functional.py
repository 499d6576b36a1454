"""Jacobians, Hessians and products with them, of functions of tensors at given inputs.

Products with a vector on the left take one backward. For products with a vector on the right, the backward is
differentiated with respect to its initial vector, in which it is linear. ``torch.func`` has the same functions as
transforms that compose; these functions take the inputs directly.

``strict`` raises errors for a case that is mathematically valid but rarely intended: a result that does not depend on
an input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.backward import grad as _grad
from flambeau_autograd._engine.levels.tape_level import TapeLevel
from flambeau_autograd.fresh import where
from flambeau_autograd.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from flambeau_tensor import Tensor
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_STRICT = " This is not allowed in strict mode."


# --- products -------------------------------------------------------------------------------------------------------


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The vector-Jacobian product: ``v`` times the Jacobian of ``func`` at ``inputs``.

    Args:
        func: a function of the inputs that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: a vector with the structure of the result; it may be None for a result with one element.
        create_graph: whether both results are differentiable.
        strict: whether to raise an error if a result does not depend on an input, instead of returning zeros.

    Returns:
        The value of ``func``, and the product, of the form of the inputs.

    Raises:
        RuntimeError: ``v`` does not have the form of the result; or see ``strict``.
        TypeError: inputs or results are not tensors.

    >>> torch.autograd.functional.vjp(torch.exp, torch.zeros(2), torch.tensor([1.0, 2.0]))
    (tensor([1., 1.]), tensor([1., 2.]))
    """
    with enable_grad():
        call = _Call("vjp", func, inputs, create_graph, strict)
        call.evaluate()
        v = call.vector(
            v,
            call.outputs,
            call.several_outputs,
            "the user-provided function returns a single Tensor with a single element.",
        )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = _gradients(call.outputs, call.inputs, v, create_graph)
        product = call.completed(
            product,
            call.inputs,
            "The output of the user-provided function is independent of input {}.",
            "The jacobian of the user-provided function is independent of input {}.",
        )
    return call.result(call.outputs, call.several_outputs), call.result(product, call.several_inputs)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Jacobian-vector product of ``func`` at ``inputs`` and ``v``, by double backward.

    Args:
        v: a vector with the structure of the inputs; it may be None for one input with one element.

    The others are those of `vjp`.

    Returns:
        The value of ``func``, and the product, of the form of the result.

    Raises:
        RuntimeError: the sizes of ``v`` are not those of the inputs, or it is missing for inputs of several elements;
            with ``strict``, the result does not depend on an input.
        TypeError: an input or a result is not a tensor.

    >>> torch.autograd.functional.jvp(torch.exp, torch.zeros(2), torch.tensor([1.0, 2.0]))
    (tensor([1., 1.]), tensor([1., 2.]))
    """
    with enable_grad():
        call = _Call("jvp", func, inputs, create_graph, strict)
        v = call.vector_of_inputs(v)
        call.evaluate()
        seeds = tuple(torch.zeros_like(o).requires_grad_() for o in call.outputs)
        gradients = _gradients(call.outputs, call.inputs, seeds, True)
        call.demand(
            gradients,
            "The gradient with respect to input {} is independent of the inputs of the "
            "user-provided function." + _STRICT,
        )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = _gradients(gradients, seeds, v, create_graph)
        product = call.completed(
            product,
            call.outputs,
            "The gradient with respect to the input is independent of entry {} in the "
            "grad_outputs when using the double backward trick to compute forward mode gradients.",
            "The jacobian of the user-provided function is independent of input {}.",
        )
    return call.result(call.outputs, call.several_outputs), call.result(product, call.several_outputs)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """``v`` times the Hessian of ``func``, which returns one element, at ``inputs``.

    Args:
        v: a vector with the structure of the inputs; it may be None for one input with one element.

    The others are those of `vjp`.

    Returns:
        The value of ``func``, and the product, of the form of the inputs.

    Raises:
        RuntimeError: the sizes of ``v`` are not those of the inputs; the result is not a single number; with
            ``strict``, it does not depend on an input.

    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    (tensor(9.), tensor([6., 0.]))
    """
    with enable_grad():
        call = _Call("vhp", func, inputs, create_graph, strict)
        v = call.vector_of_inputs(v)
        gradients = call.gradients()
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = _gradients(gradients, call.inputs, v, create_graph)
        product = call.completed(
            product,
            call.inputs,
            "The jacobian of the user-provided function is independent of input {}.",
            "The hessian of the user-provided function is independent of input {}.",
        )
    return call.result(call.outputs, False), call.result(product, call.several_inputs)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The Hessian of ``func``, a scalar function, at ``inputs``, times ``v``; `vhp` is cheaper and has the same result.

    Arguments and results are those of `vhp`.

    Raises:
        RuntimeError: the sizes of ``v`` are not those of the inputs; the result is not a single number; with
            ``strict``, it does not depend on an input.

    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    (tensor(9.), tensor([6., 0.]))
    """
    with enable_grad():
        call = _Call("hvp", func, inputs, create_graph, strict)
        v = call.vector_of_inputs(v)
        gradients = call.gradients()
        seeds = tuple(torch.zeros_like(x).requires_grad_() for x in call.inputs)
        curvatures = _gradients(gradients, call.inputs, seeds, True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = _gradients(curvatures, seeds, v, create_graph)
        product = call.completed(
            product,
            call.inputs,
            "The hessian of the user-provided function is independent of entry {} in the grad_jacobian.",
            "The hessian of the user-provided function is independent of input {}.",
        )
    return call.result(call.outputs, False), call.result(product, call.several_inputs)


# --- matrices -------------------------------------------------------------------------------------------------------


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of ``func`` at ``inputs``.

    Args:
        func: a function of the inputs that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        create_graph: whether the result is differentiable.
        strict: whether to raise an error if a result does not depend on an input, instead of returning zeros.
        vectorize: whether to compute all rows at once with ``vmap``.
        strategy: ``"reverse-mode"`` computes rows, ``"forward-mode"`` columns, which is better for many results; the
            latter with ``vectorize=True`` only.

    Returns:
        A Jacobian of shape ``(*result.shape, *input.shape)``; a tuple over results of a tuple over inputs, if these
            are tuples.

    Raises:
        RuntimeError: see ``strict``.

    >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            f'Expected strategy to be either "forward-mode" or "reverse-mode", but got {strategy!r}. '
            'If the function has more outputs than inputs, "forward-mode" tends to be faster.'
        )
    if strategy == "forward-mode":
        return _by_columns(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        call = _Call("jacobian", func, inputs, create_graph, strict)
        call.evaluate()
        if vectorize:
            if strict:
                raise RuntimeError(
                    "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                    "supported together. Please either set `strict=False` or `vectorize=False`."
                )
            blocks = _all_rows(call)
        else:
            blocks = tuple(_row_by_row(call, i) for i in range(len(call.outputs)))
    blocks = tuple(call.result(row, call.several_inputs) for row in blocks)
    return blocks if call.several_outputs else blocks[0]


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of ``func``, which returns one element, at ``inputs``.

    Args:
        outer_jacobian_strategy: the strategy for the Jacobian of the gradient, which is always computed by reverse
            mode.

    The others are those of `jacobian`.

    Returns:
        A tensor of shape ``(*input.shape, *input.shape)``; a tuple of tuples if ``inputs`` is a tuple.

    Raises:
        RuntimeError: the function's result is not a single number, or it or an input is not a tensor; with ``strict``,
            the result does not depend on an input.

    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several, inputs = _tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def gradient(*at: Any) -> Any:
        call = _Call("hessian", func, at, True, strict)
        call.evaluate()
        call.expect_one_element()
        gradients = _gradients(call.outputs, call.inputs, (None,), True)
        gradients = tuple(torch.zeros_like(x) if g is None else g for g, x in zip(gradients, call.inputs, strict=True))
        call.demand(gradients, _NO_HESSIAN)
        return gradients

    def gradient_inside(*at: Any) -> Any:  # of forward mode, where the inputs are not yet recorded
        with TapeLevel(internal=True) as level, enable_grad():
            return tuple(level.unwrap(g) for g in gradient(*(level.wrap(x) for x in at)))

    chosen = gradient_inside if outer_jacobian_strategy == "forward-mode" else gradient
    blocks = jacobian(chosen, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return blocks if several else blocks[0][0]


def _row_by_row(call: _Call, i: int) -> tuple[Tensor, ...]:
    """For each input the block of the Jacobian that belongs to result ``i``: a backward for each element."""
    output, rows = call.outputs[i], []
    for element in output.reshape(-1):
        row = _gradients((element,), call.inputs, (None,), call.create_graph, retain_graph=True)
        rows.append(
            call.completed(
                row,
                call.inputs,
                f"Output {i} of the user-provided function is independent of input {{}}.",
                "The jacobian of the user-provided function is independent of input {}.",
            )
        )
    return _blocks(output, call.inputs, rows)


def _blocks(output: Any, inputs: Any, rows: Any) -> tuple[Tensor, ...]:
    return tuple(
        torch.stack([row[k] for row in rows]).reshape((*output.shape, *x.shape))
        if rows
        else x.new_zeros((*output.shape, *x.shape))
        for k, x in enumerate(inputs)
    )


def _all_rows(call: _Call) -> Any:
    """Return the blocks of the Jacobian, results first, from one batched backward of all unit vectors."""
    sizes = [o.numel() for o in call.outputs]
    seeds, start = [], 0
    for output, size in zip(call.outputs, sizes, strict=True):
        unit = torch.zeros(sum(sizes), size, dtype=output.dtype, device=where(output))
        unit[start : start + size] = torch.eye(size, dtype=output.dtype, device=where(output))
        seeds.append(unit.reshape((sum(sizes), *output.shape)))
        start += size
    rows = _gradients(call.outputs, call.inputs, tuple(seeds), call.create_graph, is_grads_batched=True)
    blocks, start = [], 0
    for output, size in zip(call.outputs, sizes, strict=True):
        blocks.append(
            tuple(
                x.new_zeros((*output.shape, *x.shape))
                if g is None
                else g[start : start + size].reshape((*output.shape, *x.shape))
                for g, x in zip(rows, call.inputs, strict=True)
            )
        )
        start += size
    return tuple(blocks)


def _by_columns(func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """Return the Jacobian by forward mode, all columns in one batch."""
    for wrong, what in ((create_graph, "`create_graph=True`"), (strict, "`strict=True`")):
        if wrong:
            raise (NotImplementedError if create_graph else RuntimeError)(
                f'torch.autograd.functional.jacobian: {what} and `strategy="forward-mode"` are not supported together. '
                f'Please either set `{what[1:-6]}=False` or `strategy="reverse-mode"`.'
            )
    if not vectorize:
        raise NotImplementedError(
            "torch.autograd.functional.jacobian: forward mode is only implemented for `vectorize=True`"
        )
    try:
        from flambeau_autograd.func import jacfwd
    except ImportError:
        raise NotImplementedError('torch.autograd.functional.jacobian(strategy="forward-mode") is not built') from None
    several, inputs = _tensors(inputs, "inputs", "jacobian")
    at = tuple(x.detach() for x in inputs)
    return jacfwd(func, argnums=tuple(range(len(at))) if several else 0)(*at)


# --- pieces ---------------------------------------------------------------------------------------------------------

_NO_HESSIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {} is independent of the input." + _STRICT + " You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
    "function for example)."
)


class _Call:
    """One call of a function of this module: the user's function at new inputs, and the checks."""

    def __init__(self, name: str, func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.func, self.create_graph, self.strict = name, func, create_graph, strict
        self.several_inputs, inputs = _tensors(inputs, "inputs", name)
        self.inputs = tuple(_fresh(x, create_graph, True) for x in inputs)

    def evaluate(self) -> Any:
        """Call the function."""
        self.several_outputs, self.outputs = _tensors(
            self.func(*self.inputs), "outputs of the user-provided function", self.name
        )
        self.demand(
            self.outputs,
            "Output {} of the user-provided function does not require gradients. The outputs "
            "must be computed in a differentiable manner from the input when running in strict mode.",
        )

    def expect_one_element(self) -> None:
        if self.several_outputs:
            raise RuntimeError(f"The function given to {self.name} should return a single Tensor")
        if self.outputs[0].numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {self.name} should contain a single element"
            )

    def gradients(self) -> Any:
        """The gradient of the function, recorded."""
        self.evaluate()
        self.expect_one_element()
        gradients = _gradients(self.outputs, self.inputs, (None,), True)
        self.demand(gradients, _NO_HESSIAN)
        return gradients

    def vector_of_inputs(self, v: Any) -> Any:
        return self.vector(
            v,
            self.inputs,
            self.several_inputs,
            "the input to the user-provided function is a single Tensor with a single element.",
        )

    def vector(self, v: Any, like: Any, several: bool, condition: str) -> Any:
        """Return ``v`` as a tuple, after checking it against the values that it is multiplied with."""
        if v is None:
            if len(like) != 1 or like[0].numel() != 1:
                raise RuntimeError(f"The vector v can only be None if {condition}")
            return (None,)
        _, v = _tensors(v, "v", self.name)
        if len(v) != len(like):
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
                if several
                else "The given v should contain a single Tensor."
            )
        for i, (given, wanted) in enumerate(zip(v, like, strict=True)):
            if given.shape != wanted.shape:
                raise RuntimeError(
                    f"{f'Entry {i} in ' if several else ''}v has invalid size: should be {wanted.shape} "
                    f"but got {given.shape}."
                )
        return tuple(_fresh(x, self.create_graph, False) for x in v)

    def demand(self, tensors: Sequence[Tensor], message: str) -> None:
        """In strict mode: raise unless all tensors depend on the inputs."""
        for i, t in enumerate(tensors if self.strict else ()):
            if t is None:
                raise RuntimeError(f"The output of the user-provided function is independent of input {i}." + _STRICT)
            if not t.requires_grad:
                raise RuntimeError(message.format(i))

    def completed(self, gradients: Any, like: Any, independent: str, constant: str) -> Any:
        """Zeros for gradients that are None; in strict mode errors, also for those that cannot be differentiated."""
        out = []
        for i, (g, x) in enumerate(zip(gradients, like, strict=True)):
            if self.strict and g is None:
                raise RuntimeError(independent.format(i) + _STRICT)
            if self.strict and self.create_graph and not g.requires_grad:
                raise RuntimeError(constant.format(i) + _STRICT[:-1] + " when create_graph=True.")
            out.append(torch.zeros_like(x) if g is None else g)
        return tuple(out)

    def result(self, tensors: Sequence[Tensor], several: bool) -> Any:
        if not self.create_graph:
            tensors = tuple(t.detach() for t in tensors)
        return tuple(tensors) if several else tensors[0]


def _tensors(value: Any, what: str, name: str) -> Any:
    """(whether it is a tuple, the tuple of tensors)"""
    several = isinstance(value, tuple)
    items = value if several else (value,)
    for i, item in enumerate(items):
        if not isinstance(item, torch.Tensor):
            which = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} "
                f"has type {type(item)}."
            )
    return several, items


def _fresh(tensor: Tensor, create_graph: bool, requires_grad: bool) -> Any:
    """Return a new tensor object, so that the same tensor captured by the function does not count as its input."""
    if create_graph and tensor.requires_grad:
        return tensor.view_as(tensor)
    return tensor.detach().requires_grad_(requires_grad)


def _gradients(outputs: Any, inputs: Any, seeds: Any, create_graph: bool, **options: Any) -> Any:
    """Return the gradients of the differentiable outputs; None for inputs that they do not depend on."""
    pairs = [
        (o, s)
        for o, s in zip(outputs, seeds if len(seeds) == len(outputs) else seeds * len(outputs), strict=True)
        if o is not None and o.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    outputs, seeds = zip(*pairs, strict=True)
    return _grad(outputs, inputs, seeds, allow_unused=True, create_graph=create_graph, **options)


_parts = (
    "_as_tuple",
    "_construct_standard_basis_for",
    "_grad_postprocess",
    "_grad_preprocess",
    "_tuple_postprocess",
    "_validate_v",
)
__getattr__, __dir__ = _attach(
    __name__, "torch.autograd.functional", dict.fromkeys(_parts, "flambeau_autograd.functional_parts")
)
