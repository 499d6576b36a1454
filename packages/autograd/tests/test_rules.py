"""The table of rules: how a formula says what it needs, what is saved, and what a wrong line is told."""

import weakref

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd import check_complete, derivative, grad, gradcheck, gradgradcheck
from flambeau_autograd.batching import table
from flambeau_autograd.derivatives import missing_derivatives
from flambeau_autograd.func import vmap
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION, operators
from samples.operators import operators_of

COUNT = iter(range(10**6))


def operator(schema, function, **options):
    """A fresh operator in a namespace of the tests."""
    name = f"op{next(COUNT)}"
    return Operator(name + schema, function, namespace="tests", variants=FUNCTION, **options)


def test_parameters_say_what_is_needed(leaf):
    op = operator("(Tensor self, Tensor other, *, Scalar k=2) -> Tensor", lambda a, b, k: a * b * k)
    derivative(op, self=lambda grad, other, k: grad * other * k, other=lambda grad, self, k, needs: grad * self * k)
    assert gradcheck(lambda a, b: op(a, b, k=3.0), (leaf(1.0, 2.0), leaf(3.0, 4.0)))
    assert gradgradcheck(lambda a, b: op(a, b, k=3.0), (leaf(1.0, 2.0), leaf(3.0, 4.0)))
    assert op(leaf(1.0), leaf(2.0)).grad_fn.name() == op.name.capitalize() + "Backward0"


def test_only_what_wanted_gradients_read_is_saved(leaf):
    op = operator("(Tensor self, Tensor other) -> Tensor", lambda a, b: a * b)
    derivative(op, self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
    y = op(leaf(1.0), torch.ones(1, dtype=torch.float64))
    assert y.grad_fn._saved_self is None and y.grad_fn._saved_other is not None


def test_shapes_do_not_keep_tensors(leaf):
    op = operator("(Tensor self) -> Tensor", lambda a: a.sum())
    derivative(op, self=lambda grad, self_shape, self_dtype: grad.expand(self_shape))
    x = leaf(1.0, 2.0) * 1
    y = op(x)
    reference = weakref.ref(x)
    del x
    assert reference() is None
    y.backward()


def test_shape_of_what_needs_no_gradient(leaf):
    op = operator("(Tensor self, Tensor other) -> Tensor", lambda a, b: a + b.sum())
    seen = []
    derivative(
        op,
        self=lambda grad, other_shape, other_dtype: seen.append((other_shape, other_dtype)) or grad,
        other=lambda grad, other_shape: grad.sum().expand(other_shape),
    )
    op(leaf(1.0), torch.ones(2, 3)).sum().backward()
    assert seen == [((2, 3), torch.float32)]


def test_result(leaf):
    op = operator("(Tensor self) -> Tensor", lambda a: a.exp())
    derivative(op, self=lambda grad, result: grad * result)
    assert gradgradcheck(op, (leaf(0.5, 1.0),))


def test_several_results(leaf):
    op = operator("(Tensor self) -> (Tensor first, Tensor second, Tensor index)", lambda a: (a * 2, a * a, a.argmax()))
    derivative(
        op,
        self=lambda grads, self, second: (
            (0 if grads[0] is None else grads[0] * 2) + (0 if grads[1] is None else grads[1] * 2 * self)
        ),
    )
    x = leaf(1.0, 2.0)
    first, second, index = op(x)
    assert (first.output_nr, second.output_nr) == (0, 1) and not index.requires_grad
    assert grad((first * second).sum(), x)[0].tolist() == [6.0, 24.0]
    assert grad(op(x)[1].sum(), x)[0].tolist() == [2.0, 4.0]
    assert gradcheck(lambda x: op(x)[:2], (x,))


def test_results_without_gradient(leaf):
    op = operator("(Tensor self) -> (Tensor value, Tensor scale)", lambda a: (a * 2, a.abs()))
    derivative(op, self=lambda grad: grad * 2, not_differentiable=("scale",))
    value, scale = op(leaf(1.0))
    assert value.requires_grad and not scale.requires_grad


def test_one_formula_for_several_arguments(leaf):
    op = operator(
        "(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor", lambda a, w, b: a * w if b is None else a * w + b
    )
    wanted = []

    def all_three(grad, self, weight, bias, needs):
        wanted.append(needs)
        return grad * weight, grad * self, grad if needs[2] else None

    derivative(op, {"self, weight, bias": all_three})
    assert gradcheck(op, (leaf(1.0), leaf(2.0), leaf(3.0)))
    wanted.clear()
    op(leaf(1.0), torch.ones(1, dtype=torch.float64)).sum().backward()
    assert wanted == [(True, False, False)]


def test_lists(leaf):
    op = operator("(Tensor[] tensors, Tensor scale) -> Tensor", lambda ts, s: sum(t.sum() for t in ts) * s)
    derivative(
        op,
        tensors=lambda grad, tensors_shape, scale: [(grad * scale).expand(s) for s in tensors_shape],
        scale=lambda grad, tensors: grad * sum(t.sum() for t in tensors),
    )
    a, b, s = leaf(1.0, 2.0), leaf(3.0), torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda *x: op(x[:2], x[2]), (a, b, s))
    assert gradgradcheck(lambda *x: op(x[:2], x[2]), (a, b, s))
    constant = torch.ones(3, dtype=torch.float64)
    op([a, constant], s).backward()
    assert a.grad.tolist() == [2.0, 2.0] and s.grad.item() == 6.0


def test_optional_and_numbers(leaf):
    x = leaf(1.0, 2.0)
    (2.0 / x).sum().backward()
    assert x.grad.tolist() == [-2.0, -0.5]


def test_in_place_variants_use_the_same_rule(leaf):
    def function(x):
        y = x * 1
        y.mul_(x)
        y.div_(x + 3)
        return y

    assert gradcheck(function, (leaf(1.0, 2.0),))
    assert gradgradcheck(function, (leaf(1.0, 2.0),))


def test_one_operation_returns_its_argument(leaf):
    x = leaf(1.0)
    assert x.contiguous() is x and x.to(torch.float64) is x


@pytest.mark.parametrize(
    ("formulas", "message"),
    [
        ({"other": lambda grad: grad}, r"derivative of tests.op\d+: no argument named 'other' in op"),
        ({"self": lambda grad, wight: grad}, "the formula's parameter 'wight' is neither an argument of op"),
        ({"k": lambda grad: grad}, "argument 'k' is no tensor"),
        ({"self": 3}, "a formula is a Python function or an operator, not 3"),
        ({}, "no formula; what never has gradients is declared with differentiable=False"),
        ({"self, b": lambda grad: grad, "b": lambda grad: grad}, "an argument has two formulas"),
        ({"b, self": lambda grad: grad}, "in the order of the schema"),
    ],
)
def test_wrong_lines_fail_at_import(formulas, message):
    op = operator("(Tensor self, Tensor b, int k=0) -> Tensor", lambda a, b, k: a)
    with pytest.raises(ImportError, match=message):
        derivative(op, formulas)


def test_wrong_tangents_fail_at_import():
    op = operator("(Tensor self, Tensor b) -> (Tensor value, Tensor rest)", lambda a, b: (a, b))
    for wrong in (lambda sel_t: sel_t, lambda self_t, grad: self_t, lambda self_t, needs: self_t):
        with pytest.raises(ImportError, match="nor one of NAME_t, result, NAME_shape, NAME_dtype, NAME_geometry"):
            derivative(op, self=lambda grad: grad, jvp=wrong)
    derivative(
        op, self=lambda grad: grad, jvp=lambda self_t, b, rest, result1, b_shape, self_dtype, self_geometry: self_t
    )


def test_elementwise_is_what_the_kernel_says():
    rules = [op.derivative for op in (torch.exp, torch.tanh, torch.sgn, torch.cumsum, torch.add)]
    assert [bool(rule.elementwise) for rule in rules] == [True, True, False, False, False]  # the last two are linear
    op = operator("(Tensor self) -> Tensor", lambda a: a * 2)
    assert not derivative(op, self=lambda grad: grad * 2).elementwise


def test_missing_rules(leaf):
    op = operator("(Tensor self) -> Tensor", lambda a: a * 2)
    assert op in missing_derivatives("tests")
    with pytest.raises(ImportError, match=rf"no derivative: .*tests\.{op.name}"):
        check_complete("tests")
    with pytest.raises(NotImplementedError, match=rf"the derivative for '{op.name}' is not implemented"):
        op(leaf(1.0))
    derivative(op, self=lambda grad: grad * 2)
    assert op not in missing_derivatives("tests")
    exempt = operator("(Tensor self) -> Tensor", lambda a: a * 2, differentiable=False)
    assert exempt not in missing_derivatives() and not exempt(leaf(1.0)).requires_grad


def test_a_formula_that_returns_something_else(leaf):
    op = operator("(Tensor self) -> Tensor", lambda a: a * 2)
    derivative(op, self=lambda grad: 3)
    with pytest.raises(RuntimeError, match=rf"derivative of tests.{op.name}: a formula returned int"):
        op(leaf(1.0)).sum().backward()


def test_the_table_is_complete():
    missing = [op for op in missing_derivatives() if op.namespace != "tests"]
    assert not missing
    assert len([op for op in operators().values() if op.derivative is not None]) > 100


def test_a_kernel_with_numpy(leaf):
    op = operator("(Tensor self) -> Tensor", lambda a: torch.from_numpy(np.cbrt(a.numpy(force=True))))
    derivative(op, self=lambda grad, result: grad / (3 * result * result))
    assert gradgradcheck(op, (leaf(1.0, 2.0),))


# --- batching rules --------------------------------------------------------------------------------------------------

LOOPED = {
    "numbers are read from tensors": "linspace logspace",
    "counts between edges of their own": "histogram_counts histogram_edges",
    "rows up to a number": "nonzero_static",
    "all elements at once": "hash_tensor isin",
    "results whose size depends on the elements": "argwhere bincount nonzero repeated unique unique_consecutive",
    "where in memory, and the base of views": "as_strided_backward",
    "concerns the tensor itself": "__deepcopy__ resize_",
}


def test_what_runs_once_for_each_example():
    """No other operator lacks a rule."""
    vmap(torch.sin)(torch.ones(2, 1))  # which loads the rules
    own = operators_of("flambeau_autograd")
    left = {op.name for op in own if takes_and_gives_tensors(op) and table.rule_of(op) is table.looped}
    assert left == {name for names in LOOPED.values() for name in names.split()}


def takes_and_gives_tensors(op):
    given = [a for a in op.schema.arguments if a.type.startswith("Tensor") and a.name != "out"]
    of_elements = (
        op.namespace.startswith("torch") and op.namespace != "torch._C._nn" and not (op.is_composite or op.object_state)
    )
    return of_elements and given and op.schema.returns and "Tensor" in op.schema.returns[0].type
