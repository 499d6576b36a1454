"""opcheck finds what an operator does and its registration does not say."""

import pytest

import flambeau_tensor as ft
from flambeau_cext import ops
from flambeau_cext.library import OpCheckError, _scoped_library, custom_op, get_ctx, opcheck

Tensor = ft.Tensor
X = ft.tensor([1.0, -2.0, 3.0])
FINE = {"test_schema": "SUCCESS", "test_autograd_registration": "SUCCESS"}


def op(function, schema="(Tensor x) -> Tensor", mutates_args=()):
    return custom_op("checked::f", function, mutates_args=mutates_args, schema=schema)


def test_what_is_as_it_says():
    assert opcheck(op(lambda x: x * 2), (X,)) == FINE
    assert opcheck(op(lambda x: (x.add_(1), None)[1], "(Tensor(a!) x) -> ()", ["x"]), (X,)) == FINE
    assert opcheck(op(lambda x, *, y: x * y, "(Tensor x, *, float y) -> Tensor"), (X,), {"y": 2.0}) == FINE
    assert opcheck(op(lambda xs: [x + 1 for x in xs], "(Tensor[] xs) -> Tensor[]"), ([X, X],)) == FINE
    assert opcheck(ft.add, (X, X)) == FINE
    assert X.tolist() == [1.0, -2.0, 3.0]  # it works on copies


def test_arguments_that_are_written_to_in_secret():
    sneaky = op(lambda x: x.add_(1) * 2)
    with pytest.raises(
        OpCheckError, match="test_schema failed with Argument x is not defined as mutable but was mutated"
    ):
        opcheck(sneaky, (X,))
    failures = opcheck(sneaky, (X,), test_utils="test_schema", raise_exception=False)
    assert isinstance(failures["test_schema"], RuntimeError)
    assert X.tolist() == [1.0, -2.0, 3.0]
    nan = ft.tensor([float("nan")])
    assert opcheck(op(lambda x: x * 2), (nan,)) == FINE


def test_results_that_share_memory_in_secret():
    with _scoped_library("checked2", "DEF") as lib:
        for name, schema, function in [
            ("same", "(Tensor x) -> Tensor", lambda x: x),
            ("view", "(Tensor x) -> Tensor", lambda x: x[1:]),
            ("declared", "(Tensor(a) x) -> Tensor(a)", lambda x: x[1:]),
            ("twice", "(Tensor x) -> (Tensor, Tensor)", lambda x: (x + 1,) * 2),
        ]:
            lib.define(name + schema)
            lib.impl(name, function, "CPU")
        from flambeau_cext.ops import checked2

        for name in ("same", "view"):
            with pytest.raises(OpCheckError, match="Argument x is not defined to alias output but was aliasing"):
                opcheck(getattr(checked2, name), (X,))
        assert opcheck(checked2.declared, (X,)) == FINE
        with pytest.raises(OpCheckError, match="Results 1 and 0 share memory"):
            opcheck(checked2.twice, (X,))


def test_shapes():
    f = op(lambda x: x[x > 0] * 1)
    f.register_fake(lambda x: x.new_empty((get_ctx().new_dynamic_size(),)))
    assert opcheck(f, (X,)) == {**FINE, "test_faketensor": "SUCCESS"}
    assert get_ctx() is None
    for fake, message in [
        (lambda x: x.new_empty((3,)), r"result 0: the fake impl says shape \(3,\), the operator \(2,\)"),
        (lambda x: x.new_empty((2, 1)), r"shape \(2, 1\), the operator \(2,\)"),
        (lambda x: ft.empty(2, dtype=ft.int64), "says torch.int64, the operator torch.float32"),
        (lambda x: ft.empty(2, 2)[:, 0], r"says strides \(2,\), the operator \(1,\)"),
        (lambda x: (x, x), "returned 2 tensors, the operator 1"),
    ]:
        f.register_fake(fake)
        with pytest.raises(OpCheckError, match=f"test_faketensor failed with .*{message}"):
            opcheck(f, (X,))
    with pytest.raises(OpCheckError, match="There was no fake impl registered for"):
        opcheck(op(lambda x: x * 1), (X,), test_utils="test_faketensor")


def test_wrong_calls():
    f = op(lambda x: x * 1)
    with pytest.raises(ValueError, match=r"op must be an operator, e.g. torch.ops.mylib.sin, got <class 'str'>"):
        opcheck("checked::f", (X,))
    with pytest.raises(
        ValueError, match=r"test_utils=\('test_foo',\)\), expected test_utils to be subset of \('test_schema'"
    ):
        opcheck(f, (X,), test_utils="test_foo")
    with pytest.raises(NotImplementedError, match="test_aot_dispatch_dynamic is not built"):
        opcheck(f, (X,), test_utils=["test_aot_dispatch_dynamic"])
    with pytest.raises(OpCheckError, match="must be Tensor, not int"):
        opcheck(f, (3,))


def test_a_kernel_that_nobody_gave_a_derivative():
    pytest.importorskip("flambeau_autograd")
    with _scoped_library("checked3", "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.define("g(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x * 2, "CPU")
        lib.impl("g", lambda x: x * 2, "CompositeImplicitAutograd")
        x = ft.ones(2, requires_grad=True)
        assert opcheck(ops.checked3.f, (X,)) == FINE == opcheck(ops.checked3.g, (x,))
        with pytest.raises(
            OpCheckError, match="test_autograd_registration failed with checked3::f: .*register_autograd"
        ):
            opcheck(ops.checked3.f, (x,))
