"""Checking derivatives against finite differences.

For complex numbers the convention is PyTorch's: the gradient of a real function L of z = x + iy is dL/dx + i dL/dy. A
complex output counts as two real ones, its real and its imaginary part.
"""

import numpy as np

import flambeau_tensor as torch
from flambeau_autograd._engine.backward import grad as _grad
from flambeau_autograd.function import Function

__all__ = ["GradcheckError", "get_numerical_jacobian", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A derivative does not agree with what it is checked against."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False,
              masked=None):
    """Compare the gradients of ``func`` with finite differences, for every input that requires grad.

    Args:
        func: takes the inputs, returns a tensor or a sequence of tensors.
        inputs: a tensor or a tuple; those to check require grad and should be float64 or complex128.
        eps: the step of the finite differences.
        atol, rtol: how far apart the two may be.
        raise_exception: raise where they disagree, rather than return False.
        nondet_tol: how far two runs of backward on the same input may be apart.
        check_undefined_grad: also see that backward works where no gradient arrives for an output.
        check_grad_dtypes: also compare the dtypes of gradients and inputs.
        fast_mode: compare one random direction instead of every element.

    Returns:
        True, or False where ``raise_exception`` is off and the check failed.

    Raises:
        GradcheckError: names output, input, the worst element and both of its values.
        ValueError: no input requires grad.

    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.sin, (x,))
    True
    """
    for on, name in ((check_batched_grad, "check_batched_grad"), (check_forward_ad, "check_forward_ad"),
                     (check_batched_forward_grad, "check_batched_forward_grad")):
        if on:
            raise NotImplementedError(f"gradcheck({name}=True) is not built")
    if not check_forward_ad and not check_backward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    inputs = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
    check = _Check(func, inputs, eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
    try:
        check.run()
        if check_undefined_grad:
            check.run_undefined()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
                  check_grad_dtypes=False, check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True,
                  fast_mode=False, masked=False):
    """Check second derivatives: ``gradcheck`` of the gradients of ``func``, by the inputs and by ``grad_outputs``.

    Args:
        grad_outputs: a gradient for each differentiable output; random ones by default.
        gen_non_contig_grad_outputs: make the random ones non-contiguous.

    The others are those of ``gradcheck``.
    """
    if check_fwd_over_rev:
        raise NotImplementedError("gradgradcheck(check_fwd_over_rev=True) is not built")
    inputs = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
    if grad_outputs is None:
        random = np.random.RandomState(0)
        grad_outputs = tuple(_random_like(o, random, gen_non_contig_grad_outputs).requires_grad_()
                             for o in _differentiable(func(*inputs)))
    else:
        grad_outputs = (grad_outputs,) if isinstance(grad_outputs, torch.Tensor) else tuple(grad_outputs)
    n = len(inputs)

    def gradients(*args):
        args, seeds = args[:n], args[n:]
        # Views stand for the inputs, so that func may change them in place.
        outputs = _differentiable(func(*args))
        wanted = tuple(_tensors(args, lambda t: t.requires_grad))
        found = _grad(outputs, wanted, seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(gradients, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
                     check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad, fast_mode=fast_mode)


def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """The Jacobians of ``fn``'s output by finite differences: for each input (elements of it, elements of output)."""
    inputs = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
    out = []
    for x in _tensors(inputs if target is None else target, _is_inexact):
        columns = _numerical(lambda: [_flat(fn(*inputs) if len(inputs) > 1 else fn(inputs[0]))], x, eps)
        out.append(torch.from_numpy(columns[0]))
    return tuple(out)


# --- pieces ---------------------------------------------------------------------------------------------------------

def _is_inexact(t):
    return t.is_floating_point() or t.is_complex()


def _tensors(items, keep):
    for item in items if isinstance(items, (tuple, list)) else (items,):
        if isinstance(item, torch.Tensor):
            if keep(item):
                yield item
        elif isinstance(item, (tuple, list)):
            yield from _tensors(item, keep)


def _differentiable(outputs):
    return tuple(_tensors(outputs, lambda t: _is_inexact(t) and t.requires_grad))


def _random_like(t, random, gapped):
    shape = (*t.shape, 2) if gapped else tuple(t.shape)
    values = random.standard_normal(shape)
    if t.is_complex():
        values = values + 1j * random.standard_normal(shape)
    made = torch.from_numpy(np.asarray(values)).to(t.dtype)
    return made.select(-1, 0) if gapped else made


def _flat(t):
    """The elements as a NumPy vector of their own."""
    t = t.detach()
    return (t.float() if t.dtype.name == "bfloat16" else t).numpy().reshape(-1).copy()


def _numerical(values, x, eps):
    """d values / d x by central differences: for each array of ``values()`` a matrix (elements of x, of the array)."""
    elements = x.detach().numpy()
    rows = []
    for place in np.ndindex(*x.shape):
        was = elements[place]
        slopes = None
        for unit in (1.0, 1j) if x.is_complex() else (1.0,):
            elements[place] = was + eps * unit
            above = values()
            elements[place] = was - eps * unit
            below = values()
            elements[place] = was
            slope = [(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)]
            slopes = slope if slopes is None else [(s, t) for s, t in zip(slopes, slope, strict=True)]
        rows.append(slopes)
    out = []
    sizes = [v.size for v in values()]
    for k, size in enumerate(sizes):
        if not rows:
            out.append(np.zeros((0, size)))
        elif x.is_complex():
            out.append(np.array([r[k][0] + 1j * r[k][1] for r in rows]).reshape(len(rows), size))
        else:
            out.append(np.array([r[k] for r in rows]).reshape(len(rows), size))
    return out


class _Undefined(Function):
    """Lets values through and no gradient back."""

    @staticmethod
    def forward(ctx, *tensors):
        return tuple(t.clone() for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return (None,) * len(grads)


class _Check:
    """One call of gradcheck."""

    def __init__(self, func, inputs, eps, atol, rtol, nondet_tol, check_dtypes, fast):
        self.func, self.inputs = func, inputs
        self.eps, self.atol, self.rtol, self.nondet_tol = eps, atol, rtol, nondet_tol
        self.check_dtypes, self.fast = check_dtypes, fast
        self.checked = [t for t in _tensors(inputs, lambda t: t.requires_grad)]
        self._judge_inputs()

    def _judge_inputs(self):
        if not self.checked:
            raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                             "requires_grad=True.")
        import warnings

        for i, t in enumerate(self.checked):
            if t.dtype.name not in ("float64", "complex128"):
                warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. "
                              "This check will likely fail if all the inputs are not of double precision floating "
                              "point or complex. ", UserWarning, stacklevel=4)
            if any(stride == 0 and size > 1 for stride, size in zip(t.stride(), t.shape, strict=True)):
                raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                                   "that are non-overlapping to be able to compute the numerical gradients correctly. "
                                   "You should call .contiguous on the input before passing it to gradcheck.")

    def outputs(self):
        return list(_tensors(self.func(*self.inputs), _is_inexact))

    def parts(self, t):
        """The real functions that an output stands for: (what to say of it, seed, its value)."""
        if not t.is_complex():
            return [("", 1.0, lambda a: a)]
        return [("While considering the real part of complex outputs only, ", 1.0, lambda a: a.real),
                ("While considering the imaginary part of complex outputs only, ", 1j, lambda a: a.imag)]

    def run(self):
        outputs = self.outputs()
        if not any(o.requires_grad for o in outputs):
            self._expect_no_gradient(outputs)
            return
        for k, output in enumerate(outputs):
            for text, seed, part in self.parts(output):
                if self.fast:
                    self._compare_fast(k, output, text, seed, part)
                else:
                    self._compare(k, output, text, seed, part)

    def _expect_no_gradient(self, outputs):
        for x in self.checked:
            for slopes in _numerical(lambda: [_flat(o) for o in self.outputs()], x, self.eps):
                if np.abs(slopes).max(initial=0.0) > self.atol:
                    raise GradcheckError("Numerical gradient for function expected to be zero")

    def _analytical(self, output, seed):
        """d output / d input: for each input a matrix (its elements, the output's)."""
        matrices = [np.zeros((x.numel(), output.numel()), dtype=_flat(x).dtype) for x in self.checked]
        if not output.requires_grad:
            return matrices
        for j, place in enumerate(np.ndindex(*output.shape)):
            one = np.zeros(tuple(output.shape), dtype=output.detach().numpy().dtype)
            one[place] = seed
            found = _grad(output, self.checked, torch.from_numpy(one), retain_graph=True, allow_unused=True)
            for matrix, x, g in zip(matrices, self.checked, found, strict=True):
                if g is not None:
                    self._judge_gradient(x, g)
                    matrix[:, j] = _flat(g)
        return matrices

    def _judge_gradient(self, x, g):
        if g.shape != x.shape:
            raise GradcheckError(f"grad has incorrect size: {list(g.shape)} for an input of size {list(x.shape)}")
        if self.check_dtypes and g.dtype is not x.dtype:
            raise GradcheckError(f"Gradient has dtype mismatch: {g.dtype} for an input of dtype {x.dtype}")

    def _compare(self, k, output, text, seed, part):
        analytical = self._analytical(output, seed)
        for again, first in zip(self._analytical(output, seed), analytical, strict=True):
            if np.abs(again - first).max(initial=0.0) > self.nondet_tol:
                raise GradcheckError("Backward is not reentrant, i.e., running backward with same input and "
                                     "grad_output multiple times gives different values, although analytical gradient "
                                     "matches numerical gradient. The tolerance for nondeterminism was "
                                     f"{self.nondet_tol}.")
        for i, x in enumerate(self.checked):
            numerical, = _numerical(lambda: [part(_flat(self.outputs()[k]))], x, self.eps)
            self._judge(k, i, output, x, numerical, analytical[i], text)

    def _judge(self, k, i, output, x, numerical, analytical, text):
        difference = np.abs(numerical - analytical)
        allowed = self.atol + self.rtol * np.abs(numerical)
        wrong = ~(difference <= allowed) & ~(np.isnan(numerical) & np.isnan(analytical))
        if not wrong.any():
            return
        excess = np.where(wrong, np.nan_to_num(difference - allowed, nan=np.inf), -np.inf)
        row, column = (int(v) for v in np.unravel_index(np.argmax(excess), excess.shape))
        at_input = tuple(int(v) for v in np.unravel_index(row, tuple(x.shape) or (1,)))
        at_output = tuple(int(v) for v in np.unravel_index(column, tuple(output.shape) or (1,)))
        sentence = f"Jacobian mismatch for output {k} with respect to input {i},"
        raise GradcheckError(
            f"{text + sentence}\n"
            f"numerical:{torch.from_numpy(numerical)}\nanalytical:{torch.from_numpy(np.asarray(analytical))}\n"
            f"The worst of {int(wrong.sum())} differing elements is the derivative of output {k}"
            f"{_index(at_output, output)} by input {i}{_index(at_input, x)}: numerical {numerical[row, column]:g}, "
            f"analytical {analytical[row, column]:g}.\n")

    def _compare_fast(self, k, output, text, seed, part):
        """One random direction: the slope along it, and the gradient of the output summed with random weights."""
        random = np.random.RandomState(0)
        weights = random.standard_normal(tuple(output.shape))
        seeds = torch.from_numpy(np.asarray(weights * seed)).to(output.dtype)
        found = _grad(output, self.checked, seeds, retain_graph=True, allow_unused=True) if output.requires_grad else \
            (None,) * len(self.checked)
        for i, (x, g) in enumerate(zip(self.checked, found, strict=True)):
            direction = _flat(_random_like(x, random, False)).reshape(tuple(x.shape))
            elements = x.detach().numpy()
            was = elements.copy()
            ends = []
            for sign in (1, -1):
                elements[...] = was + sign * self.eps * direction
                ends.append(float((part(_flat(self.outputs()[k])) * weights.reshape(-1)).sum()))
            elements[...] = was
            numerical = (ends[0] - ends[1]) / (2 * self.eps)
            analytical = 0.0 if g is None else float((_flat(g).conj() * direction.reshape(-1)).sum().real)
            if g is not None:
                self._judge_gradient(x, g)
            allowed = self.atol * max(1.0, np.sqrt(direction.size)) + self.rtol * abs(numerical)
            if not abs(numerical - analytical) <= allowed:
                sentence = f"Jacobian mismatch for output {k} with respect to input {i},"
                raise GradcheckError(f"{text + sentence}\nnumerical:{numerical:g}\nanalytical:{analytical:g}\nThe "
                                     "above quantities relating the numerical and analytical jacobians are computed in "
                                     "fast mode, along one random direction.\n")

    def run_undefined(self):
        """Backward where outputs have no gradient: all of them, then each."""
        outputs = list(_differentiable(self.func(*self.inputs)))
        if not outputs:
            return
        several = [list(range(len(outputs)))] + ([[i] for i in range(len(outputs))] if len(outputs) > 1 else [])
        for missing in several:
            outputs = list(_differentiable(self.func(*self.inputs)))
            hidden = _Undefined.apply(*[outputs[i] for i in missing])
            roots = list(hidden if isinstance(hidden, tuple) else (hidden,))
            roots += [o for i, o in enumerate(outputs) if i not in missing]
            seeds = [torch.zeros_like(o) for o in roots]
            try:
                found = _grad(roots, self.checked, seeds, allow_unused=True)
            except RuntimeError as error:
                raise GradcheckError("Expected backward function to handle undefined output grads.") from error
            for g in found:
                if g is not None and bool((g != 0).any()):
                    raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are "
                                         "undefined or zero.")


def _index(place, t):
    return str(list(place)) if t.ndim else ""
