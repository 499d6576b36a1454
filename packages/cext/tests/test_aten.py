"""The library's own operators in ``torch.ops.aten``: names and schemas as PyTorch has them, from the declarations."""

import pickle

import pytest

import flambeau_tensor as ft
from flambeau_cext import ops
from flambeau_tensor.extend import declared_operators

# As PyTorch 2.13 lists them, in any order, without what is there for TorchScript alone.
OVERLOADS = {
    "add": "Tensor Scalar out Scalar_out", "add_": "Tensor Scalar", "exp": "default out", "exp_": "default",
    "max": "default dim other", "where": "self default Scalar", "matmul": "default out", "cat": "default out",
    "fill_": "Tensor Scalar", "linalg_vector_norm": "default out", "view": "default dtype", "split": "Tensor sizes",
    "clamp": "default Tensor out Tensor_out", "squeeze": "default dim dims", "norm": "Scalar ScalarOpt_dim "
    "ScalarOpt_dim_dtype", "scatter_": "src value reduce value_reduce", "random_": "default from to", "select": "int",
    "unbind": "int", "einsum": "default", "meshgrid": "default indexing", "sort": "default stable",
    "absolute": "default out",
}  # fmt: skip
SCHEMAS = {
    "add.Tensor": "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "add.Scalar": "aten::add.Scalar(Tensor self, Scalar other, *, Scalar alpha=1) -> Tensor",
    "add.out": "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
    "add_.Tensor": "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
    "max.dim": "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    "exp.default": "aten::exp(Tensor self) -> Tensor",
    "squeeze.dims": "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
    "amax.default": "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
    "slice.Tensor": "aten::slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> "
    "Tensor(a)",
}


def overload(name):
    packet, _, name = name.partition(".")
    return getattr(getattr(ops.aten, packet), name)


@pytest.mark.parametrize("name", OVERLOADS)
def test_overloads(name):
    found = getattr(ops.aten, name).overloads()
    own = {"max": {"out", "unary_out"}, "where": {"self_out"}}.get(name, set())
    assert set(OVERLOADS[name].split()) == set(found) - own and len(set(found)) == len(found)


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas(name):
    op = overload(name)
    assert str(op._schema) == SCHEMAS[name]
    assert op.name() == f"aten::{name.removesuffix('.default')}" and str(op) == f"aten.{name}"
    assert pickle.loads(pickle.dumps(op)) is op


def test_optional_outs_are_overloads():
    for name in OVERLOADS:
        getattr(ops.aten, name).overloads()  # which declares them
    declared = [op for op in declared_operators().values() if op.namespace == "torch.ops.aten"]
    assert len(declared) > 50
    assert [str(op._schema) for op in declared if "? out=None" in str(op._schema)] == []


def test_calls():
    x, y = ft.tensor([1.0, 5.0, 3.0]), ft.tensor([4.0, 4.0, 4.0])
    assert overload("add.Tensor")(x, y, alpha=2).tolist() == [9, 13, 11]
    assert overload("add.Scalar")(x, 1).tolist() == [2, 6, 4]
    assert ops.aten.add(x, 1).tolist() == ops.aten.add(x, ft.ones(3)).tolist() == [2, 6, 4]
    out = ft.empty(3)
    assert overload("add.out")(x, y, out=out) is out and out.tolist() == [5, 9, 7]
    values, index = overload("max.dim")(x, 0)
    assert (values.item(), index.item()) == (5, 1)
    assert overload("max.other")(x, y).tolist() == [4, 5, 4] and overload("max.default")(x).item() == 5
    z = x.clone()
    assert overload("add_.Scalar")(z, 1) is z and z.tolist() == [2, 6, 4]
    assert overload("select.int")(x, 0, 1).item() == 5
    assert overload("einsum.default")("i,i->", [x, y]).item() == 36
    with pytest.raises((TypeError, RuntimeError), match="other"):
        overload("add.Scalar")(x, y)
    with pytest.raises(RuntimeError, match=r"aten::exp\(\) is missing value for argument 'self'"):
        overload("exp.default")()
    with pytest.raises(AttributeError, match="has no overload name 'nothing'"):
        overload("add.nothing")
    with pytest.raises(AttributeError, match="'torch.ops.aten' has no attribute 'nothing'"):
        overload("nothing.default")
