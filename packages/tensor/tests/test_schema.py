"""The schema language."""

import pickle

import pytest
from flambeau_tensor._core.schema.schema import SchemaError, parse


def test_everything_a_schema_can_say():
    s = parse(
        "lib::thing.over(Tensor(a!) self, Tensor? other=None, int[2]? size=[1, 2], *, Scalar alpha=1.5, "
        "str mode='a, b', bool flag=True, ScalarType? dtype=None, Tensor(b!)? out=None) -> (Tensor(a!) x, int n)"
    )
    assert (s.namespace, s.name, s.overload) == ("lib", "thing", "over")
    assert [a.name for a in s.arguments] == ["self", "other", "size", "alpha", "mode", "flag", "dtype", "out"]
    first, other, size, alpha, mode, flag, dtype, out = s.arguments
    assert first.write and first.alias == "a" and not first.has_default and not first.optional
    assert other.optional and other.default is None
    assert size.is_list and size.size == 2 and size.default == (1, 2) and size.optional
    assert not size.kwarg_only and alpha.kwarg_only and alpha.default == 1.5
    assert mode.default == "a, b" and flag.default is True and dtype.default is None
    assert out.write and out.alias == "b"
    assert [(r.type, r.name) for r in s.returns] == [("Tensor(a!)", "x"), ("int", "n")]
    assert repr(s) == s.text
    assert pickle.loads(pickle.dumps(s)).text == s.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("add", "a schema reads"),
        ("add(Tensor self)", "a schema reads"),
        ("add(Tensor) -> Tensor", "needs a type and a name"),
        ("add(Tenser self=None) -> Tensor", r"unknown type 'Tenser' in 'Tenser self=None'"),
        ("f(Text[][] n) -> Tensor", r"unknown type 'Text' in 'Text\[\]\[\] n'"),
        ("f(Dict(str, Text) d) -> Tensor", r"unknown type 'Text' in 'Dict\(str, Text\) d'"),
        ("a-b(Tensor x) -> Tensor", "'a-b' is not a name"),
        ("f(Tensor x, int x) -> Tensor", "stands twice"),
        (f"f({', '.join(f'int a{i}' for i in range(30))}) -> Tensor", "more than 24 arguments"),
    ],
)
def test_mistakes_are_told(text, message):
    with pytest.raises(SchemaError, match=message):
        parse(text)
    assert issubclass(SchemaError, ValueError)


def test_no_arguments_and_several_unnamed_results():
    s = parse("f() -> (Tensor, Tensor)")
    assert s.arguments == () and len(s.returns) == 2 and s.returns[0].name == ""
    assert parse("g(int n=-1) -> int[]").arguments[0].default == -1
    assert parse("g(float x=inf) -> ()").arguments[0].default == float("inf")


def test_types_that_are_made_of_others():
    s = parse(
        "f(Dict(str, Tensor) d, (int, Tensor[])[]? t=None, str[] names, int[][] n, __torch__.torch.classes.a.B b) -> "
        "(Dict(str, (int, float)), Tensor?[])"
    )
    assert [(a.type, a.name) for a in s.arguments] == [
        ("Dict(str, Tensor)", "d"),
        ("(int, Tensor[])[]?", "t"),
        ("str[]", "names"),
        ("int[][]", "n"),
        ("__torch__.torch.classes.a.B", "b"),
    ]
    assert s.arguments[1].default is None and s.arguments[1].optional
    assert [r.type for r in s.returns] == ["Dict(str, (int, float))", "Tensor?[]"]
