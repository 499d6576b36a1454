"""Checking derivatives against finite differences: of first and second order, in both modes.

A complex output counts as two real ones, its real and its imaginary part.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.backward import grad as _grad
from flambeau_autograd.finite_differences import (
    directional_derivative,
    flat,
    is_inexact,
    joined,
    numerical,
    random_like,
    replaced,
    tensors_in,
    unit_like,
    units,
)
from flambeau_autograd.function import Function
from flambeau_tensor import Tensor

__all__ = ["GradcheckError", "get_numerical_jacobian", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A derivative does not agree with the reference value.

    >>> issubclass(torch.autograd.GradcheckError, RuntimeError)
    True
    """


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the derivatives of ``func`` with finite differences, for every input that requires grad.

    Args:
        func: a function of the inputs that returns a tensor, or tensors in tuples, lists and dicts.
        inputs: a tensor or a tuple, which may hold such containers;
            those to check require grad and should be float64 or complex128.
        eps: the step of the finite differences.
        atol, rtol: the tolerances of the comparison.
        raise_exception: whether to raise an error if they disagree, instead of returning False.
        nondet_tol: the tolerance for differences between two backward passes on the same input.
        check_undefined_grad: also check backward for outputs without gradients, and forward mode for inputs without
            tangents.
        check_grad_dtypes: also compare the dtypes of gradients and inputs.
        check_batched_grad: also compare batched gradients by ``vmap`` with gradients one by one.
        check_batched_forward_grad: the same for forward mode.
        check_forward_ad: check forward mode.
        check_backward_ad: check reverse mode.
        fast_mode: compare one random direction instead of every element; compare every element only if that fails.
        masked: has no effect: of sparse inputs, the derivatives by the stored values are compared.

    Returns:
        True, or False where ``raise_exception`` is off and the check failed.

    Raises:
        GradcheckError: names output, input, the worst element and both of its values.
        ValueError: no input requires grad, or ``func`` returns no tensor, or a sparse one.
        AssertionError: the options contradict each other, or the form of the results depends on their values.

    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.sin, (x,))
    True
    """
    if not check_forward_ad and not check_backward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    func, inputs = _by_values(func, inputs)
    check = _Check(func, inputs, eps, atol, rtol, nondet_tol, check_grad_dtypes)
    try:
        modes = ([_Backward(check)] if check_backward_ad else []) + ([_Forward(check)] if check_forward_ad else [])
        for mode in modes:
            check.run(mode, fast_mode)
            if check_undefined_grad:
                mode.check_undefined()
            if check_batched_grad if isinstance(mode, _Backward) else check_batched_forward_grad:
                mode.check_batched()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _by_values(func: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a function of the stored values instead of sparse tensors, and these values."""
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.layout is not torch.strided]
    if not places:
        return func, inputs
    values = list(inputs)
    for i in places:
        values[i] = inputs[i]._values().detach().requires_grad_(inputs[i].requires_grad)

    def of_values(*given: Any) -> Any:
        arguments = list(given)
        for i in places:
            arguments[i] = inputs[i]._with(given[i])
        return func(*arguments)

    return of_values, tuple(values)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool | None = False,
) -> bool:
    """Check second derivatives: ``gradcheck`` of the gradients of ``func``, with respect to the inputs and
    ``grad_outputs``.

    Args:
        grad_outputs: a gradient for each differentiable output; random gradients by default.
        gen_non_contig_grad_outputs: make the random gradients non-contiguous.
        check_fwd_over_rev: check forward mode of the gradients.
        check_rev_over_rev: check reverse mode of the gradients.

    The others are those of ``gradcheck``.

    Raises:
        ValueError: no input requires grad.
        GradcheckError: second derivatives differ from differences of the first; without ``raise_exception``, the result
            is False.

    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.sin, (x,))
    True
    """
    if not check_fwd_over_rev and not check_rev_over_rev:
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for on, name in ((check_undefined_grad, "check_undefined_grad"), (check_batched_grad, "check_batched_grad")):
        if on and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if grad_outputs is None:
        random = np.random.RandomState(0)
        grad_outputs = tuple(
            random_like(o, random, gen_non_contig_grad_outputs).requires_grad_()
            for o in _differentiable(_some_tensor(func(*inputs)))
        )
    else:
        grad_outputs = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    n = len(inputs)
    wanted = [t.requires_grad for t in tensors_in(inputs)]

    def gradients(*args: Any) -> Any:
        given = list(tensors_in(args[:n]))
        for t, requires_grad in zip(given, wanted, strict=True):
            if requires_grad and not t.requires_grad:  # forward mode passes tensors that do not require grad
                t.requires_grad_()
        outputs = _differentiable(func(*args[:n]))
        found = _grad(
            outputs,
            [t for t, w in zip(given, wanted, strict=True) if w],
            args[n:],
            create_graph=True,
            allow_unused=True,
        )
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients,
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: Any = 1.0
) -> tuple[Tensor, ...]:
    """The Jacobians of ``fn``'s output by finite differences: for each input (elements of it, elements of output)."""
    inputs = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)

    def values() -> list[Any]:
        return [flat(fn(*inputs) if len(inputs) > 1 else fn(inputs[0]))]

    return tuple(
        torch.from_numpy(numerical(values, x, eps)[0])
        for x in tensors_in(inputs if target is None else target, is_inexact)
    )


# --- comparing ------------------------------------------------------------------------------------------------------


def _some_tensor(outputs: Any) -> Any:
    """Return ``outputs`` if they are empty or contain a tensor; otherwise raise an error."""
    empty = isinstance(outputs, (tuple, list, dict)) and not outputs
    if not empty and next(tensors_in(outputs), None) is None:
        raise ValueError(f"gradcheck expects func to return tensors, but got {type(outputs).__name__}")
    return outputs


def _differentiable(outputs: Any) -> tuple[Tensor, ...]:
    return tuple(tensors_in(outputs, lambda t: is_inexact(t) and t.requires_grad))


class _Part:
    """A real function for an output: the output itself, or its real or imaginary part."""

    def __init__(
        self, output_number: int, text: str = "", seed: Any = 1.0, of: Callable[[Any], Any] = lambda a: a
    ) -> None:
        self.k, self.text, self.seed, self.of = output_number, text, seed, of


def _parts(k: int, t: Any) -> list[_Part]:
    if not t.is_complex():
        return [_Part(k)]
    return [
        _Part(k, "While considering the imaginary part of complex outputs only, ", 1j, lambda a: a.imag),
        _Part(k, "While considering the real part of complex outputs only, ", 1.0, lambda a: a.real),
    ]


class _Check:
    """The functions to check, and the tolerances."""

    def __init__(
        self,
        func: Callable[..., Any],
        inputs: Any,
        eps: float,
        atol: float,
        rtol: float,
        nondet_tol: float,
        check_dtypes: bool,
    ) -> None:
        self.func, self.inputs = func, inputs
        self.eps, self.atol, self.rtol, self.nondet_tol = eps, atol, rtol, nondet_tol
        self.check_dtypes = check_dtypes
        self._numerical: Any = None
        self._slopes: list[tuple[Any, Any]] | None = None
        self._compared: list[bool] | None = None
        self.checked = list(tensors_in(inputs, lambda t: t.requires_grad))
        self._judge_inputs()

    def _judge_inputs(self) -> None:
        if not self.checked:
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of them have "
                "requires_grad=True."
            )
        import warnings

        for i, t in enumerate(self.checked):
            if t.dtype.name not in ("float64", "complex128"):
                warnings.warn(
                    f"Input #{i} requires gradient and is not a double precision floating point or complex. "
                    "This check will likely fail if all the inputs are not of double precision floating "
                    "point or complex. ",
                    UserWarning,
                    stacklevel=4,
                )
            if t.numel() and any(stride == 0 and size > 1 for stride, size in zip(t.stride(), t.shape, strict=True)):
                raise RuntimeError(
                    f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                    "that are non-overlapping to be able to compute the numerical gradients correctly. "
                    "You should call .contiguous on the input before passing it to gradcheck."
                )

    def outputs(self) -> list[Any]:
        return self.compared(self.func(*self.inputs))

    def compared(self, outputs: Any) -> list[Any]:
        """Return the outputs that have a history, if any has; the others are constants."""
        found = list(tensors_in(_some_tensor(outputs), is_inexact))
        if any(o.layout is not torch.strided for o in found):
            raise ValueError(
                "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output "
                "of fn for gradcheck."
            )
        if self._compared is None:
            some = any(o.requires_grad for o in found)
            self._compared = [o.requires_grad or not some for o in found]
        return [o for o, compared in zip(found, self._compared, strict=True) if compared]

    def values(self) -> list[Any]:
        """The values of all parts of all outputs."""
        return [part.of(flat(o)) for k, o in enumerate(self.outputs()) for part in _parts(k, o)]

    def run(self, mode: Any, fast: bool) -> None:
        """Compare the derivatives of ``mode`` with finite differences."""
        outputs = self.outputs()
        if not any(o.requires_grad for o in outputs):
            self._expect_no_gradient()
            return
        parts = [(part, o) for k, o in enumerate(outputs) for part in _parts(k, o)]
        for n, (part, output) in enumerate(parts):
            if not fast or not self._agree_along(mode, n, part, output):
                self._compare(mode, n, part, output)
                if fast:
                    raise GradcheckError(
                        f"{part.text}Fast gradcheck failed for output {part.k} though all elements of the Jacobian "
                        "are close to their numerical values. Functions with very large derivatives may need larger "
                        "tolerances in fast mode."
                    )

    def numerical_jacobians(self) -> Any:
        """For each checked input the matrices of all parts, by finite differences."""
        if self._numerical is None:
            self._numerical = [numerical(self.values, x, self.eps) for x in self.checked]
        return self._numerical

    def slopes(self) -> list[tuple[Any, Any]]:
        """For each checked input a random direction, and the derivatives of all parts along it."""
        if self._slopes is None:
            random = np.random.RandomState(1)
            directions = [unit_like(x, random) for x in self.checked]
            self._slopes = [
                (along, directional_derivative(self.values, x, flat(along).reshape(tuple(x.shape)), self.eps))
                for along, x in zip(directions, self.checked, strict=True)
            ]
        return self._slopes

    def _expect_no_gradient(self) -> None:
        for matrices in self.numerical_jacobians():
            for jacobian in matrices:
                if np.abs(jacobian).max(initial=0.0) > self.atol:
                    raise GradcheckError("Numerical gradient for function expected to be zero")

    def _compare(self, mode: Any, n: int, part: Any, output: Any) -> None:
        for i, (x, analytical) in enumerate(zip(self.checked, mode.matrices(part, output), strict=True)):
            self._judge(mode, part, i, output, x, self.numerical_jacobians()[i][n], analytical)

    def _judge(self, mode: Any, part: Any, i: int, output: Any, x: Tensor, jacobian: Any, analytical: Any) -> None:
        difference = np.abs(jacobian - analytical)
        allowed = self.atol + self.rtol * np.abs(jacobian)
        wrong = ~(difference <= allowed) & ~(np.isnan(jacobian) & np.isnan(analytical))
        if not wrong.any():
            return
        excess = np.where(wrong, np.nan_to_num(difference - allowed, nan=np.inf), -np.inf)
        row, column = (int(v) for v in np.unravel_index(np.argmax(excess), excess.shape))
        sentence = f"{mode.name} mismatch for output {part.k} with respect to input {i},"
        raise GradcheckError(
            f"{part.text + sentence}\n"
            f"numerical:{torch.from_numpy(jacobian)}\nanalytical:{torch.from_numpy(np.asarray(analytical))}\n"
            f"The worst of {int(wrong.sum())} differing elements is the derivative of output {part.k}"
            f"{_position(column, output)} by input {i}{_position(row, x)}: numerical {jacobian[row, column]:g}, "
            f"analytical {analytical[row, column]:g}.\n"
        )

    def _agree_along(self, mode: Any, n: int, part: Any, output: Any) -> bool:
        """One random direction: the derivative along it of the output summed with random weights."""
        weights = np.random.RandomState(0).standard_normal(output.numel())
        weights /= max(float(np.linalg.norm(weights)), 1e-300)
        slopes = self.slopes()
        analytical_ones = mode.along(part, output, weights, [direction for direction, _ in slopes])
        for analytical, (direction, slope) in zip(analytical_ones, slopes, strict=True):
            numerical = (slope[n] * weights).sum()
            length = np.abs(flat(direction)).sum() * np.abs(weights).sum()
            allowed = self.atol * length + self.rtol * abs(numerical)
            if not abs(numerical - analytical) <= allowed and not (np.isnan(numerical) and np.isnan(analytical)):
                return False
        return True


def _position(number: int, t: Any) -> str:
    """Return the index of an element as text: [1, 2]."""
    if not t.ndim:
        return ""
    return str([int(v) for v in np.unravel_index(number, tuple(t.shape))])


# --- reverse mode ---------------------------------------------------------------------------------------------------


class _Backward:
    """Matrices by reverse mode: a column for each element of the output."""

    name = "Jacobian"

    def __init__(self, check: Any) -> None:
        self.check = check

    def gradients(self, output: Any, seed: Any) -> Any:
        """A vector for each checked input."""
        checked = self.check.checked
        if not output.requires_grad:
            return [np.zeros(x.numel(), dtype=flat(x).dtype) for x in checked]
        found = _grad(output, checked, seed, retain_graph=True, allow_unused=True)
        for x, g in zip(checked, found, strict=True):
            if g is not None and g.shape != x.shape:
                raise GradcheckError(
                    f"Analytical gradient has incorrect size: {list(g.shape)} for an input of size {list(x.shape)}"
                )
            if g is not None and self.check.check_dtypes and g.dtype is not x.dtype:
                raise GradcheckError(f"Gradient has dtype mismatch: {g.dtype} for an input of dtype {x.dtype}")
        return [
            np.zeros(x.numel(), dtype=flat(x).dtype) if g is None else flat(g)
            for x, g in zip(checked, found, strict=True)
        ]

    def columns(self, output: Any, seed: Any) -> list[Any]:
        columns = []
        for place in np.ndindex(*output.shape):
            one = np.zeros(tuple(output.shape), dtype=flat(output).dtype)
            one[place] = seed
            columns.append(self.gradients(output, torch.from_numpy(one)))
        return [
            np.array([c[i] for c in columns]).reshape(len(columns), x.numel()).T
            for i, x in enumerate(self.check.checked)
        ]

    def matrices(self, part: Any, output: Any) -> Any:
        first = self.columns(output, part.seed)
        self._expect_same(first, self.columns(output, part.seed))
        return first

    def _expect_same(self, first: Any, again: Any) -> None:
        for a, b in zip(first, again, strict=True):
            if np.abs(np.nan_to_num(a - b)).max(initial=0.0) > self.check.nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and "
                    "grad_output multiple times gives different values, although analytical gradient "
                    f"matches numerical gradient.The tolerance for nondeterminism was "
                    f"{self.check.nondet_tol}."
                )

    def along(self, part: Any, output: Any, weights: Any, directions: Any) -> list[float]:
        seeds = torch.from_numpy(np.asarray(weights * part.seed).reshape(tuple(output.shape))).to(output.dtype)
        first = self.gradients(output, seeds)
        self._expect_same(first, self.gradients(output, seeds))
        return [float((g.conj() * flat(d)).sum().real) for g, d in zip(first, directions, strict=True)]

    def check_undefined(self) -> None:
        """Check backward with undefined gradients of outputs (of all, then of each), and with zero gradients."""
        check = self.check
        outputs = list(_differentiable(check.func(*check.inputs)))
        if not outputs:
            return
        for g in _grad(outputs, check.checked, [torch.zeros_like(o) for o in outputs], allow_unused=True):
            if g is not None and bool((g != 0).any()):
                raise GradcheckError("backward not multiplied by grad_output")
        several = [list(range(len(outputs)))] + ([[i] for i in range(len(outputs))] if len(outputs) > 1 else [])
        for missing in several:
            outputs = list(_differentiable(check.func(*check.inputs)))
            hidden = _Undefined.apply(*[outputs[i] for i in missing])
            roots = list(hidden if isinstance(hidden, tuple) else (hidden,))
            roots += [o for i, o in enumerate(outputs) if i not in missing]
            seeds = [torch.zeros_like(o) for o in roots]
            try:
                found = _grad(roots, check.checked, seeds, allow_unused=True)
            except RuntimeError as error:
                warnings.warn(
                    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, "
                    "but it found that backward of the function raises an error for undefined gradients of outputs; "
                    "pass check_undefined_grad=False to skip this check.",
                    stacklevel=5,
                )
                raise GradcheckError("Expected backward function to handle undefined output grads.") from error
            for g in found:
                if g is not None and bool((g != 0).any()):
                    raise GradcheckError(
                        "Expected all input grads to be undefined or zero when all output grads are undefined or zero."
                    )

    def check_batched(self) -> None:
        """Compare batched gradients with gradients one by one."""
        check, random = self.check, np.random.RandomState(0)
        for k, output in enumerate(check.outputs()):
            if not output.requires_grad:
                continue
            seeds = torch.stack([random_like(output, random) for _ in range(2)])
            one_by_one = [_grad(output, check.checked, s, retain_graph=True, allow_unused=True) for s in seeds]
            try:
                batched = _grad(
                    output, check.checked, seeds, retain_graph=True, allow_unused=True, is_grads_batched=True
                )
            except RuntimeError as error:
                raise GradcheckError(
                    f"While computing batched gradients of output {k}, got: {error}\n\ngradcheck or "
                    "gradgradcheck failed while testing batched gradient computation: backward does "
                    "not work under vmap."
                ) from error
            _expect_batches(batched, one_by_one, k, check)


class _Undefined(Function):
    """Lets values through and no gradient back."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(t.clone() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[None, ...]:
        return (None,) * len(grads)


def _expect_batches(batched: Any, one_by_one: Any, k: int, check: Any) -> None:
    """Raise an error unless batch ``j`` of each tensor equals the tensor in ``one_by_one[j]``."""
    for i, together in enumerate(batched):
        for j, alone in enumerate(one_by_one):
            if alone[i] is None and together is None:
                continue
            got = together[j] if together is not None else torch.zeros_like(alone[i])
            expected = alone[i] if alone[i] is not None else torch.zeros_like(got)
            if not torch.allclose(got, expected, rtol=check.rtol, atol=check.atol, equal_nan=True):
                raise GradcheckError(
                    f"For output {k} and input {i}, number {j} of a batch of derivatives is not what "
                    f"it is alone:\ngot:\n{got}\n\nexpected:\n{expected}\n"
                )


# --- forward mode ---------------------------------------------------------------------------------------------------


class _Forward:
    """Matrices by forward mode: a row for each element of the input."""

    name = "Jacobian computed with forward mode"

    def __init__(self, check: Any) -> None:
        self.check = check
        self._all: Any = None
        self._along: Any = None

    def tangents(self, given: Any) -> list[Any]:
        """Return the tangents of all outputs if the checked inputs have the tangents ``given`` (None: no tangent)."""
        from flambeau_autograd import forward_ad

        chosen = iter(given)

        def dual(t: Any) -> Any:
            if not t.requires_grad:
                return t
            tangent = next(chosen)
            return t.detach() if tangent is None else forward_ad.make_dual(t.detach(), tangent)

        with forward_ad.dual_level():
            outputs = self.check.compared(self.check.func(*replaced(self.check.inputs, dual)))
            pairs = [forward_ad.unpack_dual(o) for o in outputs]
        if self.check.check_dtypes and any(t is not None and t.dtype is not p.dtype for p, t in pairs):
            raise GradcheckError("Forward AD gradient has dtype mismatch.")
        return [torch.zeros_like(p) if t is None else t.detach() for p, t in pairs]

    def only(self, i: int, tangent: Any) -> list[Any]:
        """Return the `tangents` if only input ``i`` has a tangent."""
        return self.tangents([tangent if j == i else None for j in range(len(self.check.checked))])

    def beside_zeros(self, i: int, tangent: Any) -> list[Any]:
        """Return the `tangents` if those of all inputs but ``i`` are zeros."""
        return self.tangents([tangent if j == i else torch.zeros_like(x) for j, x in enumerate(self.check.checked)])

    def all_tangents(self) -> list[Any]:
        """For each input, each of its elements and each of their `units` the tangents of all outputs."""
        if self._all is None:
            self._all = [
                [[self._at(i, x, place, unit) for unit in units(x)] for place in np.ndindex(*x.shape)]
                for i, x in enumerate(self.check.checked)
            ]
        return self._all

    def _at(self, i: int, x: Tensor, place: tuple[int, ...], unit: Any) -> Any:
        one = np.zeros(tuple(x.shape), dtype=flat(x).dtype)
        one[place] = unit
        return [flat(t) for t in self.beside_zeros(i, torch.from_numpy(one))]

    def matrices(self, part: Any, output: Any) -> Any:
        return [
            np.array([joined([part.of(outputs[part.k]) for outputs in jacobian]) for jacobian in elements]).reshape(
                len(elements), output.numel()
            )
            for elements in self.all_tangents()
        ]

    def along(self, part: Any, output: Any, weights: Any, directions: Any) -> list[float]:
        if self._along is None:  # the directions are the same for all outputs
            self._along = [self.beside_zeros(i, d) for i, d in enumerate(directions)]
        return [float((part.of(flat(tangents[part.k])) * weights).sum()) for tangents in self._along]

    def check_undefined(self) -> None:
        """No tangent must mean the same as a tangent of zeros."""
        random = np.random.RandomState(0)
        checked = self.check.checked
        for i, x in enumerate(checked):
            direction = random_like(x, random)
            alone = self.only(i, direction)
            zeros = self.beside_zeros(i, direction) if len(checked) > 1 else alone
            for k, (absent, zero) in enumerate(zip(alone, zeros, strict=True)):
                if not torch.allclose(absent, zero, rtol=self.check.rtol, atol=self.check.atol, equal_nan=True):
                    raise GradcheckError(
                        f"Mismatch in tangent values for output with index: {k} when input {i} has a "
                        f"tangent and the others have none, or zeros:\n{absent}\n{zero}\n"
                    )

    def check_batched(self) -> None:
        """Compare batched tangents with tangents one by one."""
        from flambeau_autograd.func import vmap

        check, random = self.check, np.random.RandomState(0)
        for i, x in enumerate(check.checked):
            directions = torch.stack([random_like(x, random) for _ in range(2)])
            one_by_one = [self.only(i, d) for d in directions]
            try:
                batched = vmap(lambda d, i=i: tuple(self.only(i, d)))(directions)
            except RuntimeError as error:
                raise GradcheckError(
                    f"While computing batched gradients by input {i}, got: {error}\n\ngradcheck "
                    "failed while testing batched forward mode: it does not work under "
                    "vmap."
                ) from error
            for k, together in enumerate(batched):
                _expect_batches([together], [[alone[k]] for alone in one_by_one], k, check)
