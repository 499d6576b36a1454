"""custom_op: schemas from type hints, calls, results that are checked, registrations that need no autograd."""

import copy
import gc
import inspect
import pickle
import timeit
import tracemalloc
from collections.abc import Sequence
from typing import Optional

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft
from flambeau_cext import ops
from flambeau_cext.library import (
    CustomOpDef,
    _scoped_library,
    custom_op,
    get_kernel,
    impl_abstract,
    infer_schema,
    register_autocast,
    register_autograd,
    register_fake,
    register_kernel,
    register_torch_dispatch,
    register_vmap,
    triton_op,
    wrap_triton,
)

Tensor = ft.Tensor


def everything(
    x: Tensor, n: int = 3, a: float = 2.0, b: bool = True, s: str = "hi", o: Optional[Tensor] = None,  # noqa: UP045
    sizes: Sequence[int] = (1, 2), d: ft.dtype = ft.float32, where: ft.device = None, *, k: int | float | bool = 1,
) -> tuple[Tensor, int]: ...  # fmt: skip


def lists(xs: list[Tensor], ys: Sequence[Optional[Tensor]], zs: list[int] | None = None) -> list[Tensor]: ...  # noqa: UP045


def text(x: "Tensor", y: "torch.Tensor | None") -> "tuple[Tensor, list[Tensor]]": ...  # noqa: F821


def nothing(x: Tensor, out: Tensor) -> None: ...


@pytest.mark.parametrize(
    ("function", "mutates", "schema"),
    [
        (everything, (), '(Tensor x, SymInt n=3, float a=2.0, bool b=True, str s="hi", Tensor? o=None, '
                         "SymInt[] sizes=[1, 2], ScalarType d=float32, Device where=None, *, Scalar k=1) "
                         "-> (Tensor, SymInt)"),
        (lists, (), "(Tensor[] xs, Tensor?[] ys, SymInt[]? zs=None) -> Tensor[]"),
        (lists, {"xs"}, "(Tensor(a0!)[] xs, Tensor?[] ys, SymInt[]? zs=None) -> Tensor[]"),
        (text, (), "(Tensor x, Tensor? y) -> (Tensor, Tensor[])"),
        (nothing, ["out"], "(Tensor x, Tensor(a1!) out) -> ()"),
        (nothing, "unknown", "(Tensor(a0!) x, Tensor(a1!) out) -> ()"),
    ],
)  # fmt: skip
def test_schemas_of_functions(function, mutates, schema):
    assert infer_schema(function, mutates_args=mutates) == schema
    assert infer_schema(function, mutates_args=mutates, op_name="f") == "f" + schema
    custom_op("schemas::f", function, mutates_args=mutates)
    assert str(ops.schemas.f.default._schema) == f"schemas::f{schema}"


def unhinted(x) -> Tensor: ...
def no_result(x: Tensor): ...
def odd(x: dict) -> Tensor: ...
def varying(*x: Tensor) -> Tensor: ...
def pair(x: tuple[int, int]) -> Tensor: ...
def odd_result(x: Tensor) -> dict: ...
def odd_default(x: Tensor, y: Tensor = 3 + 4j) -> Tensor: ...
def unknown(x: "Tenser") -> Tensor: ...  # noqa: F821


@pytest.mark.parametrize(
    ("function", "mutates", "message"),
    [
        (
            unhinted,
            (),
            r"infer_schema\(func\): Parameter x must have a type annotation\. Got func with signature \(x\)",
        ),
        (no_result, (), "No return type annotation was provided. Please add one."),
        (odd, (), "Parameter x has unsupported type <class 'dict'>. The valid types are: Tensor, int, float"),
        (varying, (), "We do not support positional-only args, varargs, or varkwargs."),
        (pair, (), r"Parameter x has unsupported type tuple\[int, int\]. We do not support Tuple inputs"),
        (odd_result, (), "Return has unsupported type <class 'dict'>"),
        (odd_default, (), "Parameter y has an unsupported default value type <class 'complex'>"),
        (unknown, (), "Unsupported type annotation Tenser"),
        (nothing, ["y"], r"\{'y'\} in mutates_args were not found in the custom op's signature"),
        (everything, ["n"], "Parameter n is in mutable_args but only Tensors or collections of Tensors can be mutated"),
        (nothing, "out", "mutates_args must either be a sequence of the names"),
    ],
)
def test_functions_without_a_schema(function, mutates, message):
    with pytest.raises(ValueError, match=message):
        infer_schema(function, mutates_args=mutates)


@pytest.mark.parametrize("name", ["f", "a::b::c", "::f", "a::", 3])
def test_names(name):
    with pytest.raises(ValueError, match='of the form "namespace::name"'):
        custom_op(name, nothing, mutates_args=["out"])


@pytest.fixture
def scaled():
    @custom_op("mine::scaled", mutates_args=())
    def scaled(x: Tensor, factor: float, *, shift: float = 0.0) -> Tensor:
        """A line through the origin, and off it."""
        return ft.from_numpy(x.numpy() * factor + shift)

    return scaled


def test_it_is_an_operator(scaled):
    x = ft.tensor([1.0, 2.0])
    assert isinstance(scaled, CustomOpDef) and scaled._opoverload is ops.mine.scaled.default
    assert scaled(x, 2.0).tolist() == [2.0, 4.0]
    assert scaled(x, factor=2, shift=1).tolist() == [3.0, 5.0]
    assert scaled(x=x, factor=2.0).tolist() == [2.0, 4.0]
    assert str(inspect.signature(scaled)) == "(x: Tensor, factor: float, *, shift: float = 0.0) -> Tensor"
    assert scaled.__doc__.startswith("A line through the origin, and off it.\n\nArgs:\n    x (Tensor)")
    assert scaled.__name__ == "scaled" and scaled._qualname == "mine::scaled"
    assert repr(scaled) == "<CustomOpDef(mine::scaled)>"
    assert "scaled" in dir(ops.mine)


def test_packets_and_overloads(scaled):
    packet = ops.mine.scaled
    overload = packet.default
    assert repr(packet) == "<OpOverloadPacket(op='mine.scaled')>" and str(packet) == "mine.scaled"
    assert repr(overload) == "<OpOverload(op='mine.scaled', overload='default')>"
    assert str(overload) == "mine.scaled.default" and packet.overloads() == ["default"]
    assert overload.name() == overload._name == "mine::scaled" and overload.namespace == "mine"
    assert overload.__name__ == "scaled.default" and overload._overloadname == "default"
    assert overload.overloadpacket is packet and packet.default is overload
    assert packet._qualified_op_name == "mine::scaled"
    schema = overload._schema
    assert (schema.name, schema.overload_name, schema.is_mutable) == ("mine::scaled", "", False)
    assert [(a.name, a.type, a.kwarg_only, a.has_default_value(), a.default_value) for a in schema.arguments] == [
        ("x", "Tensor", False, False, None),
        ("factor", "float", False, False, None),
        ("shift", "float", True, True, 0.0),
    ]  # fmt: skip
    assert [r.type for r in schema.returns] == ["Tensor"]
    for name in (packet, overload):
        assert name(ft.ones(2), 2.0, shift=1).tolist() == [3.0, 3.0]
        assert pickle.loads(pickle.dumps(name)) is name and copy.deepcopy(name) is name
        assert str(inspect.signature(name)) == str(inspect.signature(scaled)) and name.__doc__ == scaled.__doc__
    with pytest.raises(AttributeError, match="The underlying op of 'mine.scaled' has no overload name 'nope'"):
        packet.nope  # noqa: B018
    with pytest.raises(AttributeError):
        overload.nope  # noqa: B018


def test_wrong_arguments(scaled):
    x = ft.ones(2)
    for call, message in [
        (lambda f: f(1, 2.0), r"mine::scaled\(\) Expected a value of type 'Tensor' for argument 'x' but instead "
                              r"found type 'int'\.\nPosition: 0\nValue: 1\nDeclaration: mine::scaled\(Tensor x, "),
        (lambda f: f(x, "2"), "Expected a value of type 'float' for argument 'factor' but instead found type 'str'"),
        (lambda f: f(x, factor="2"), "Expected a value of type 'float' for argument 'factor' but instead found type"),
        (lambda f: f(x), r"mine::scaled\(\) is missing value for argument 'factor'\. Declaration: mine::"),
        (lambda f: f(x, 2.0, 3.0), r"mine::scaled\(\) takes 2 positional argument\(s\) but 3 was/were given\.  Decl"),
        (lambda f: f(x, 2.0, 3.0, 4.0), r"mine::scaled\(\) expected at most 3 argument\(s\) but received 4 argument"),
        (lambda f: f(x, 2.0, by=3.0), "Unknown keyword argument 'by' for operator 'mine::scaled'. Schema: mine::"),
        (lambda f: f(x, 2.0, x=x), "Argument 'x' specified both as positional and keyword argument. Schema: mine::sca"),
    ]:  # fmt: skip
        for f in (scaled, ops.mine.scaled, ops.mine.scaled.default):
            with pytest.raises(RuntimeError, match=message):
                call(f)


def test_a_type_error_of_the_functions_own():
    """Also where the arguments are of a kind that binding takes."""

    def wrong(x, n):
        raise TypeError("its own")

    f = custom_op("mine::wrong", wrong, mutates_args=(), schema="(Tensor? x, float n) -> Tensor")
    for args in ((ft.ones(2), 1.0), (None, 1), (ft.ones(1), ft.tensor(2.0))):
        with pytest.raises(TypeError, match="its own"):
            f(*args)


@pytest.mark.parametrize(
    ("mutates", "schema", "error", "message"),
    [
        (("x",), "(Tensor x) -> ()", ValueError, r"mutates set\(\) which is different from what was provided"),
        ((), "(Tensor(a!) x) -> ()", ValueError, r"`mutates_args=\(\)` and `schema=\(Tensor\(a!\) x\) -> \(\)\. The "
                                                 r"schema suggests that the op mutates \{'x'\} which is different"),
        (("y",), "(Tensor(a!) x, Tensor y) -> ()", ValueError, r"mutates \{'x'\} which is different"),
        ("unknown", "(Tensor x) -> ()", ValueError, "`mutates_args=unknown`"),
        ((), "(Tensor x, *, Tensor y) -> Tensor", NotImplementedError,
         r"custom_op with kwarg-only Tensor args\. Please make your tensors not kwarg-only\. Got: g\(Tensor x, \*, "),
        ((), "(Tensor x, *, Tensor? y=None) -> Tensor", NotImplementedError, "kwarg-only Tensor args"),
    ],
)  # fmt: skip
def test_schemas_that_do_not_go(mutates, schema, error, message):
    with pytest.raises(error, match=message):
        custom_op("mine::g", lambda *args, **kwargs: None, mutates_args=mutates, schema=schema)
    assert not hasattr(ops.mine, "g")


def test_types_of_devices():
    def make(devices, schema="(Tensor x) -> Tensor"):
        return custom_op("mine::on", lambda *args: ft.ones(2), mutates_args=(), device_types=devices, schema=schema)

    for devices in ("quantum", ["cpu", "quantum"], "CPU", "cuda:0"):
        with pytest.raises(RuntimeError, match="Expected one of cpu, cuda, .*, privateuseone device type at start"):
            make(devices)
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        make(3)
    with pytest.raises(ValueError, match="inputs are required to have a `device: torch.device` argument"):
        make("cpu", "(int n) -> Tensor")
    assert make("cpu", "(int n, Device device) -> Tensor")(2, "cpu").tolist() == [1.0, 1.0]
    assert make(None, "(int n) -> Tensor")(2).tolist() == [1.0, 1.0]
    assert make(["cuda", "cpu"])(ft.ones(1)).tolist() == [1.0, 1.0]


def test_a_name_registered_again_and_again():
    """Leaves nothing behind but the last."""

    def register():
        f = custom_op("mine::often", lambda x, a: x + a, mutates_args=(), schema="(Tensor x, float a=1.0) -> Tensor")
        f.register_fake(lambda x, a=1.0: x)
        assert f(ft.ones(1)).item() == 2.0 and ops.mine.often(ft.ones(1)).item() == 2.0

    register()
    gc.collect()
    before = len(gc.get_objects())
    tracemalloc.start()
    try:
        for _ in range(200):
            register()
        gc.collect()
        start, _ = tracemalloc.get_traced_memory()
        for _ in range(200):
            register()
        gc.collect()
        end, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert end - start < 400 * 300 and len(gc.get_objects()) - before < 50


def test_what_the_function_calls_is_its_own_business(scaled):
    @custom_op("mine::inner", mutates_args=())
    def inner(x: Tensor) -> Tensor:
        return scaled(x, 2.0) + x

    assert inner(ft.ones(2)).tolist() == [3.0, 3.0]


def test_exceptions_pass(scaled):
    @custom_op("mine::fails", mutates_args=())
    def fails(x: Tensor) -> Tensor:
        raise KeyError("from within")

    with pytest.raises(KeyError, match="from within"):
        fails(ft.ones(1))
    assert scaled(ft.ones(1), 2.0).tolist() == [2.0]


def test_every_kind_of_result():
    @custom_op("results::two", mutates_args=())
    def two(x: Tensor) -> tuple[Tensor, int]:
        return [x + 1, 5]

    @custom_op("results::many", mutates_args=())
    def many(xs: list[Tensor]) -> list[Tensor]:
        assert type(xs) is list
        return tuple(x * 2 for x in xs)

    @custom_op("results::both", mutates_args=())
    def both(x: Tensor) -> tuple[list[Tensor], float]:
        return [x + 1, x + 2], 0.5

    first, second = two(ft.ones(1))
    assert (first.tolist(), second) == ([2.0], 5)
    assert [t.tolist() for t in many((ft.ones(1), ft.zeros(1)))] == [[2.0], [0.0]]
    assert type(many([ft.ones(1)])) is list
    listed, number = both(ft.zeros(1))
    assert [t.tolist() for t in listed] == [[1.0], [2.0]] and number == 0.5


@pytest.mark.parametrize(
    ("schema", "function", "message"),
    [
        ("(Tensor x) -> Tensor", lambda x: 3, r"wrong::f: its function \(.*ops.py:\d+\) returned a int, not a Tensor"),
        ("(Tensor x) -> (Tensor, Tensor)", lambda x: x.clone(), "returned a Tensor, not 2 results"),
        ("(Tensor x) -> (Tensor, Tensor)", lambda x: (x + 1,), "returned 1 results, not 2 results"),
        ("(Tensor x) -> (Tensor, int)", lambda x: (1, 1), "returned a int, not a Tensor for result 0"),
        ("(Tensor x) -> Tensor[]", lambda x: [1], "returned a list, not a list of Tensors"),
        ("(Tensor x) -> ()", lambda x: x, "returned a Tensor, not None; the schema is wrong::f"),
    ],
)  # fmt: skip
def test_results_that_are_not_what_the_schema_says(schema, function, message):
    f = custom_op("wrong::f", function, mutates_args=(), schema=schema)
    with pytest.raises(RuntimeError, match=message):
        f(ft.ones(2))


@pytest.mark.parametrize(
    ("schema", "function"),
    [
        ("(Tensor x) -> Tensor", lambda x: x),
        ("(Tensor x) -> Tensor", lambda x: x[:1]),
        ("(Tensor x) -> Tensor", lambda x: x.view(-1)),
        ("(Tensor x) -> (Tensor, Tensor)", lambda x: (x + 1,) * 2),
        ("(Tensor x) -> Tensor[]", lambda x: [x + 1, x.view(-1)]),
    ],
)
def test_results_that_share_memory(schema, function):
    f = custom_op("shares::f", function, mutates_args=(), schema=schema)
    with pytest.raises(
        RuntimeError, match=r"shares::f: The output of this custom operator \(1\) must not also be an input"
    ):
        f(ft.ones(2))


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_arguments_that_are_written_to():
    @custom_op("writes::fill", mutates_args={"out"})
    def fill(out: Tensor, value: float) -> None:
        out.numpy()[...] = value

    @custom_op("writes::swap", mutates_args={"xs"})
    def swap(xs: list[Tensor]) -> None:
        a, b = (x.numpy() for x in xs)
        a[...], b[...] = b.copy(), a.copy()

    x = ft.zeros(3)
    before = x._version
    assert fill(x[1:], 4.0) is None
    assert x.tolist() == [0.0, 4.0, 4.0] and x._version == before + 1
    a, b = ft.zeros(1), ft.ones(1)
    swap([a, b])
    assert (a.item(), b.item(), a._version, b._version) == (1.0, 0.0, 1, 1)
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        fill(ft.from_numpy(array), 1.0)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single"):
        fill(ft.zeros(1).expand(3), 1.0)
    assert array.tolist() == [0.0, 0.0]


def test_an_out_argument_is_written_to():
    with _scoped_library("writes_out", "DEF") as lib:
        lib.define("add(Tensor x, *, Tensor(a!) out) -> ()")

        def add(x, *, out):
            out.add_(x)

        lib.impl("add", add, "CPU")
        out = ft.ones(2)
        assert ops.writes_out.add(ft.ones(2), out=out) is None
        assert out.tolist() == [2.0, 2.0]


def test_overrides(scaled):
    class Logging:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func, args[1], kwargs

    class Sub(Tensor):
        pass

    overload, packet = ops.mine.scaled.default, ops.mine.scaled
    for name, seen in ((scaled, overload), (overload, overload), (packet, packet)):
        assert name(Logging(), 2.0, shift=1.0) == (seen, 2.0, {"shift": 1.0})
    assert type(scaled(ft.ones(2).as_subclass(Sub), 2.0)) is Sub
    from flambeau_overrides import TorchFunctionMode, get_overridable_functions, get_testing_overrides

    class Count(TorchFunctionMode):
        seen = ()

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.seen += (func,)
            return func(*args, **(kwargs or {}))

    x = ft.ones(2)
    with Count() as mode:
        results = [name(x, 2.0) for name in (scaled, overload, packet)]
    assert [result.tolist() for result in results] == [[2.0, 2.0]] * 3
    assert mode.seen == (overload, overload, packet)
    listed = [f for functions in get_overridable_functions().values() for f in functions]
    for name in (scaled, overload, packet, scaled.target):
        assert name not in listed and name not in get_testing_overrides()


def test_a_name_defined_again():
    def make(value):
        return custom_op("again::f", lambda x: x + value, mutates_args=(), schema="(Tensor x) -> Tensor")

    first = make(1)
    assert ops.again.f.default is first._opoverload
    second = make(2)
    assert ops.again.f.default is second._opoverload is not first._opoverload
    assert (first(ft.zeros(1)).item(), second(ft.zeros(1)).item()) == (1.0, 2.0)
    assert ops.again.f(ft.zeros(1)).item() == 2.0


def test_kernels_for_devices():
    @custom_op("devices::f", mutates_args=(), device_types="cuda")
    def f(x: Tensor) -> Tensor:
        return x + 1

    with pytest.raises(NotImplementedError, match="Could not run 'devices::f' with arguments from the 'CPU' backend"):
        f(ft.zeros(1))

    @f.register_kernel("cpu")
    def _(x):
        return x + 10

    assert f(ft.zeros(1)).item() == 10.0
    with f.set_kernel_enabled("cpu", False):
        assert f(ft.zeros(1)).item() == 1.0  # the function itself
    assert f(ft.zeros(1)).item() == 10.0
    register_kernel("devices::f", ["cpu", "cuda"], lambda x: x + 20)
    assert f(ft.zeros(1)).item() == 20.0
    with pytest.raises(RuntimeError, match="device type at start of device string: quantum"):
        f.register_kernel("quantum")


def test_a_fake_that_comes_before_its_operator():
    register_fake("later::pairs", lambda x: x.new_empty((x.shape[0] // 2,)))

    @custom_op("later::pairs", mutates_args=())
    def pairs(x: ft.Tensor) -> ft.Tensor:
        return x[::2] + x[1::2]

    assert pairs(ft.ones(4)).tolist() == [2.0, 2.0]
    assert pairs(ft.empty(6, device="meta")).shape == (3,)


def test_registering_for_what_is_not_there():
    for register in (register_fake, register_vmap, impl_abstract, lambda n, f: register_autograd(n, f)):
        if register not in (register_fake, impl_abstract):
            with pytest.raises(RuntimeError, match="operator nowhere::f does not exist"):
                register("nowhere::f", lambda: None)
        with pytest.raises(ValueError, match="of the form"):
            register("f", lambda: None)
    with pytest.raises(RuntimeError, match="operator a::b does not exist"):
        register_autocast("a::b", "cpu", ft.float16)
    with pytest.raises(NotImplementedError, match="register_torch_dispatch is not built"):
        register_torch_dispatch("a::b", object)
    with pytest.raises(NotImplementedError, match=r"triton_op is not built: .* graphics processors; .*custom_op"):

        @triton_op("a::b", mutates_args=())
        def b(x):
            return x

    with pytest.raises(NotImplementedError, match="wrap_triton is not built"):
        wrap_triton(b"kernel")
    with pytest.raises(NotImplementedError, match="get_kernel is not built: call the operator"):
        get_kernel("a::b", "CPU")


def test_what_is_registered_is_kept_with_the_operator(scaled):
    def batch(info, in_dims, x, factor, *, shift):
        return scaled(x, factor, shift=shift), in_dims[0]

    assert scaled.register_vmap(batch) is batch
    assert scaled.target.vmap is batch
    with pytest.raises(TypeError, match="argument 'func' must be callable, not int"):
        scaled.register_vmap(3)
    with pytest.raises(TypeError, match="argument 'backward' must be callable, not int"):
        scaled.register_autograd(3)
    with pytest.raises(RuntimeError, match="has a fake implementation already"):
        register_fake(scaled, lambda x: x, allow_override=True)
        register_fake(scaled, lambda x: x, allow_override=False)


C = r"""
fl_tensor scaled(fl_tensor x, double factor) {
    if (FL_CHECK(x, FL_FLOAT32, FL_ANY)) return NULL;
    fl_tensor y = fl_empty_like(x);
    if (!y) return NULL;
    const float *from = fl_const_data(x);
    float *to = fl_data(y);
    for (int64_t i = 0; i < fl_numel(x); i++) to[i] = (float)factor * from[i];
    return y;
}
"""


def test_a_kernel_in_c():
    module = cext.load_inline("in_c", c_sources=C, functions=["scaled"])
    scaled = custom_op("in_c::scaled", module.scaled, mutates_args=(), schema="(Tensor x, float factor=2.0) -> Tensor")
    x = ft.tensor([1.0, 2.0])
    assert scaled(x).tolist() == [2.0, 4.0]
    assert ops.in_c.scaled(x, factor=3.0).tolist() == [3.0, 6.0]
    with pytest.raises(RuntimeError, match="argument 'x': expected scalar type Float but found Long"):
        scaled(ft.tensor([1, 2]))
    with pytest.raises(ValueError, match="Parameter|signature|annotation"):
        custom_op("in_c::bare", module.scaled, mutates_args=())


def best(statement, names, number=500, repeat=400):
    """Nanoseconds, of rounds so short that some find the processor free."""
    return min(timeit.repeat(statement, globals=names, number=number, repeat=repeat)) / number * 1e9


@pytest.mark.measures
def test_calls_are_quick():
    """A small C operator takes as long as six Python functions, one in Python as two; the alarm is wider."""
    module = cext.load_inline("in_c", c_sources=C, functions=["scaled"])
    c = custom_op("quick::c", module.scaled, mutates_args=(), schema="(Tensor x, float factor=2.0) -> Tensor")
    result = ft.ones(2)

    def function(x: Tensor, factor: float) -> Tensor:
        return result

    python = custom_op("quick::python", function, mutates_args=())
    names = {"ops": ops, "x": ft.ones(4), "function": function, "python": python}
    assert ops.quick.c.default is c._opoverload
    in_c = best("ops.quick.c(x, 2.0)", names)
    plain, operator = best("function(x, 2.0)", names), best("python(x, 2.0)", names)
    print(f"C operator: {in_c:.0f} ns; Python function: {plain:.0f} ns, as an operator: {operator:.0f} ns")
    assert in_c < 20 * plain
    assert operator < 10 * plain
