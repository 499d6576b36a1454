"""Library, define and impl: operators declared by schema, kernels by key, overloads, and what goes with a Library."""

import gc

import pytest

import flambeau_tensor as ft
from flambeau_cext import ops
from flambeau_cext.library import Library, _scoped_library, define, fallthrough_kernel, impl, register_kernel
from flambeau_tensor.not_built import NotBuiltError


def test_a_library():
    with _scoped_library("lib_a", "DEF") as lib:
        assert repr(lib) == "Library(kind=DEF, ns=lib_a, dispatch_key=)"
        assert lib.define("f(Tensor x, float a=2.0, *, bool b=False) -> Tensor") == "f"
        with pytest.raises(NotImplementedError, match="Could not run 'lib_a::f' with arguments from the 'CPU' backend"):
            ops.lib_a.f(ft.ones(1))
        lib.impl("f", lambda x, a=2.0, *, b=False: x * a + b, "CPU")
        assert ops.lib_a.f(ft.ones(1)).item() == 2.0
        assert ops.lib_a.f(ft.ones(1), 3.0, b=True).item() == 4.0
        assert str(ops.lib_a.f.default._schema) == "lib_a::f(Tensor x, float a=2.0, *, bool b=False) -> Tensor"
    with pytest.raises(AttributeError, match="module 'torch.ops.lib_a' has no attribute 'f'"):
        ops.lib_a.f(ft.ones(1))


def test_what_a_library_did_goes_with_it():
    def declare():
        lib = Library("lib_b", "DEF")
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
        assert ops.lib_b.f(ft.zeros(1)).item() == 1.0

    for _ in range(2):  # the second could not own the namespace if the first still did
        declare()
        gc.collect()
    assert not hasattr(ops.lib_b, "f")


def test_one_owner_and_fragments():
    with _scoped_library("lib_c", "DEF") as owner, _scoped_library("lib_c", "FRAGMENT") as more:
        owner.define("f(Tensor x) -> Tensor")
        more.define("g(Tensor x) -> Tensor")
        with pytest.raises(
            RuntimeError, match="Only a single TORCH_LIBRARY can be used to register the namespace lib_c"
        ):
            Library("lib_c", "DEF")
        kernels = Library("lib_c", "IMPL", "CPU")
        kernels.impl("f", lambda x: x + 1)
        kernels.impl(ops.lib_c.g, lambda x: x + 2)
        assert (ops.lib_c.f(ft.zeros(1)).item(), ops.lib_c.g(ft.zeros(1)).item()) == (1.0, 2.0)
        kernels._destroy()
        with pytest.raises(NotImplementedError, match="Could not run"):
            ops.lib_c.f(ft.zeros(1))


def test_kernels_that_come_before_their_operator():
    with _scoped_library("lib_d", "IMPL") as kernels, _scoped_library("lib_d", "FRAGMENT") as lib:
        kernels.impl("late", lambda x: x + 5, "CPU")
        kernels.impl("never", lambda x: x, "CPU")
        lib.define("late(Tensor x) -> Tensor")
        assert ops.lib_d.late(ft.zeros(1)).item() == 5.0


def test_short_names_of_dtypes():
    with _scoped_library("lib_short", "FRAGMENT") as lib:
        lib.define("f(Tensor x, *, ScalarType a=float, ScalarType b=long, ScalarType c=complex) -> Tensor")
        lib.impl("f", lambda x, a, b, c: ft.tensor([a == ft.float32, b == ft.int64, c == ft.complex64]), "CPU")
        assert ops.lib_short.f(ft.zeros(1)).all()


def test_wrong_declarations():
    with pytest.raises(ValueError, match="Unsupported kind: NEW"):
        Library("lib_e", "NEW")
    for name in ("prim", "a b", "a.b"):
        with pytest.raises(ValueError, match="reserved namespace|not a valid namespace"):
            Library(name, "DEF")
    with _scoped_library("lib_e", "FRAGMENT") as lib:
        lib.define("f(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match="with the same name and overload name multiple times.*it is lib_e::f"):
            lib.define("f(Tensor x, Tensor y) -> Tensor")
        with pytest.raises(ValueError, match="a schema reads"):
            lib.define("g Tensor x")
        with pytest.raises(ValueError, match="unknown type 'Tenser'"):
            lib.define("g(Tenser x) -> Tensor")
        with pytest.raises(ValueError, match="'flat32' is no dtype"):
            lib.define("g(Tensor x, ScalarType d=flat32) -> Tensor")
        with pytest.raises(ValueError, match="is of namespace other, not lib_e"):
            lib.define("other::g(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match=r'def\("g"\): Cannot define an operator inside of a TORCH_LIBRARY_IMPL'):
            Library("lib_e", "IMPL").define("g(Tensor x) -> Tensor")
        with pytest.raises(TypeError, match="Input function is required to be a callable but found type <class 'int'>"):
            lib.impl("f", 3, "CPU")
        with pytest.raises(RuntimeError, match="could not parse dispatch key: TPU"):
            lib.impl("f", lambda x: x, "TPU")
        with pytest.raises(NotImplementedError, match="with_keyset"):
            lib.impl("f", lambda x: x, "CPU", with_keyset=True)
        lib.impl("f", lambda x: x + 1, "CPU")
        with pytest.warns(UserWarning, match="Overriding a previously registered kernel.*lib_e::f, CPU"):
            lib.impl("f", lambda x: x + 2, "CPU")
        lib.impl("f", lambda x: x + 3, "CPU", allow_override=True)
        assert ops.lib_e.f(ft.zeros(1)).item() == 3.0
        with pytest.raises(ValueError, match="lib_e::f is not in namespace lib_x"):
            Library("lib_x", "IMPL").impl(ops.lib_e.f, lambda x: x)
    with pytest.raises(NotImplementedError, match="should never be called"):
        fallthrough_kernel()


def test_define_and_impl():
    define("lib_f::f", "(Tensor x) -> Tensor")

    @impl("lib_f::f", "cpu")
    def f(x):
        return x + 1

    assert f(ft.zeros(1)).item() == 1.0  # the function stays what it was
    assert ops.lib_f.f(ft.zeros(1)).item() == 1.0
    impl("lib_f::f", ["cuda", "CompositeExplicitAutograd"], lambda x: x + 2)
    assert ops.lib_f.f(ft.zeros(1)).item() == 1.0
    for call, error, message in [
        (lambda: define("f", "(Tensor x) -> Tensor"), ValueError, "of the form"),
        (lambda: define("lib_f::g", 3), TypeError, r"argument 'schema' \(position 2\) must be str, not int"),
        (lambda: define("lib_f::g", "g(Tensor x) -> Tensor"), ValueError, "expected schema to look like"),
        (lambda: define(3, "(Tensor x) -> Tensor"), ValueError, "expected qualname to be instance of str"),
        (lambda: impl("lib_f::f", "abacus"), RuntimeError, "could not parse dispatch key: abacus"),
    ]:
        with pytest.raises(error, match=message):
            call()


def test_the_older_forms():
    with _scoped_library("lib_g", "DEF") as lib:

        @define(lib, "f(Tensor x) -> Tensor")
        def f(x):
            return x + 1

        lib.define("g(Tensor x) -> Tensor")

        @impl(lib, "g", "CPU")
        def g(x):
            return x + 2

        assert (ops.lib_g.f(ft.zeros(1)).item(), ops.lib_g.g(ft.zeros(1)).item()) == (1.0, 2.0)


def test_overloads():
    with _scoped_library("lib_h", "DEF") as lib:
        lib.define("f.Tensor(Tensor x) -> Tensor")
        lib.define("f.Number(float x, *, int n=1) -> float")
        lib.impl("f.Tensor", lambda x: x + 1, "CPU")
        lib.impl("f.Number", lambda x, *, n: x + 10 * n, "CompositeExplicitAutograd")
        packet = ops.lib_h.f
        assert repr(packet) == "<OpOverloadPacket(op='lib_h.f')>" and packet.overloads() == ["Tensor", "Number"]
        assert packet(ft.zeros(1)).item() == 1.0 and packet(1.0) == 11.0 and packet(1, n=2) == 21.0
        assert packet.Tensor(ft.zeros(1)).item() == 1.0
        assert packet.Tensor.name() == "lib_h::f.Tensor" and str(packet.Tensor) == "lib_h.f.Tensor"
        with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor' for argument 'x'.* type 'float'"):
            packet.Tensor(1.0)
        with pytest.raises(
            RuntimeError, match="(?s)failed to match any schema:.*type 'Tensor'.*type 'str'.*\n\n.*type 'float'"
        ):
            packet("x")
        with pytest.raises(AttributeError, match="'lib_h.f' has no overload name 'Scalar'"):
            packet.Scalar  # noqa: B018
        lib.define("f(str x) -> str")
        lib.impl("f", lambda x: x + "!", "CompositeExplicitAutograd")
        assert ops.lib_h.f.overloads() == ["default", "Tensor", "Number"]
        assert ops.lib_h.f("x") == "x!"


def test_an_overload_that_raises_is_not_passed_over():
    with _scoped_library("lib_i", "DEF") as lib:

        def wrong(x):
            raise TypeError("of the kernel's own")

        lib.define("f.a(Tensor x) -> Tensor")
        lib.define("f.b(Tensor x, Tensor? y=None) -> Tensor")
        lib.impl("f.a", wrong, "CPU")
        lib.impl("f.b", lambda x, y=None: x + 1, "CPU")
        with pytest.raises(TypeError, match="of the kernel's own"):
            ops.lib_i.f(ft.zeros(1))
        assert ops.lib_i.f(ft.zeros(1), ft.zeros(1)).item() == 1.0


def test_views_and_writing_by_schema():
    with _scoped_library("lib_j", "DEF") as lib:
        lib.define("head(Tensor(a) x) -> Tensor(a)")
        lib.define("fill_(Tensor(a!) x, float v) -> Tensor(a!)")
        lib.impl("head", lambda x: x[:1], "CPU")
        lib.impl("fill_", lambda x, v: x.fill_(v), "CPU")
        x = ft.zeros(3)
        ops.lib_j.head(x).add_(5)
        assert x.tolist() == [5.0, 0.0, 0.0]
        assert ops.lib_j.fill_(x, 2.0) is x and x.tolist() == [2.0, 2.0, 2.0]


def test_the_librarys_own_operators():
    assert repr(ops.aten.add) == "<OpOverloadPacket(op='aten.add')>" and ops.aten.add is ops.aten.add
    assert ops.aten.add(ft.ones(1), 2).item() == 3.0
    with pytest.raises(AttributeError, match="'torch.ops.aten' has no attribute 'no_such'"):
        ops.aten.no_such  # noqa: B018
    assert not hasattr(ops, "__path__")


def test_a_library_of_c():
    """What C registered is found, and takes further registrations."""
    with pytest.raises(OSError, match="Could not load this library: /nonexistent.so"):
        ops.load_library("/nonexistent.so")
    with _scoped_library("lib_k", "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor")
        register_kernel("lib_k::f", "cpu", lambda x: x + 1)
        assert ops.lib_k.f(ft.zeros(1)).item() == 1.0


def test_kernels_for_the_librarys_operators_take_the_place_of_its_own():
    pytest.importorskip("flambeau_autograd")
    x, w = ft.ones(2), ft.ones(2, requires_grad=True)
    with _scoped_library("aten", "IMPL") as lib:
        lib.impl("neg", lambda a: a + 100, "CPU")
        lib.impl("sum", lambda a, *, dtype=None: a.reshape(-1)[0] * 7, "CPU")
        for negated in (ft.neg(x), -x, x.neg(), ops.aten.neg(x)):
            assert negated.tolist() == [101.0, 101.0]
        out = ft.neg(w)
        assert out.tolist() == [101.0, 101.0] and out.grad_fn is not None  # below autograd
        assert ft.sum(x).item() == x.sum().item() == 7.0
        assert ft.sum(x, 0).item() == 2.0  # another overload
        with _scoped_library("aten", "IMPL") as inner:
            inner.impl("neg", lambda a: a * 6, "CPU")
            assert ft.neg(x).tolist() == [6.0, 6.0]
        assert ft.neg(x).tolist() == [101.0, 101.0]
        lib.impl("add.Tensor", lambda a, b, *, alpha=1: ft.mul(b, alpha), "CPU")
        assert ft.add(x, 3 * x, alpha=2).tolist() == [6.0, 6.0] and (x + x).tolist() == [1.0, 1.0]
        lib.impl("exp", lambda a: a, "CompositeImplicitAutograd")  # the library's own kernel comes first
        assert ft.exp(ft.zeros(1)).item() == 1.0
        for key in ("Autograd", "AutogradCPU", "AutocastCPU"):
            with pytest.raises(NotBuiltError, match="a kernel 'Auto.*' for aten::sin is not built"):
                lib.impl("sin", lambda a: a, key)
    assert ft.neg(x).tolist() == [-1.0, -1.0] and x.sum().item() == 2.0 and (x + x).tolist() == [2.0, 2.0]
    assert ft.neg(x, out=ft.zeros(2)).tolist() == [-1.0, -1.0]
    with _scoped_library("aten", "IMPL") as lib:
        lib.impl("neg", lambda a: a * 3, "CPU")
        assert ft.neg(x).tolist() == [3.0, 3.0]
    assert ft.neg(x).tolist() == [-1.0, -1.0]


def test_every_key_of_pytorch_is_one():
    with _scoped_library("lib_keys", "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x + 1, "CPU")
        for key in ("Conjugate", "ZeroTensor", "Negative", "ADInplaceOrView", "Functionalize", "Python", "SparseCPU",
                    "FuncTorchBatched", "AutocastCUDA", "AutogradOther", "QuantizedCPU", "BackendSelect"):  # fmt: skip
            lib.impl("f", lambda x: x + 2, key)
        assert ops.lib_keys.f(ft.ones(1)).item() == 2.0
        with pytest.raises(RuntimeError, match="could not parse dispatch key: Nothing"):
            lib.impl("f", lambda x: x, "Nothing")


def test_a_schema_may_say_that_nothing_is_returned():
    seen = []
    with _scoped_library("lib_none", "DEF") as lib:
        lib.define("f(Tensor x) -> None")
        lib.impl("f", lambda x: seen.append(x.numel()), "CPU")
        assert ops.lib_none.f(ft.ones(3)) is None and seen == [3]


def test_tags():
    from flambeau_cext.tags import Tag

    aten = ops.aten
    assert Tag.pointwise in aten.add.Tensor.tags and Tag.pointwise not in aten.mm.default.tags
    assert Tag.nondeterministic_seeded in aten.bernoulli.default.tags
    assert {Tag.inplace, Tag.inplace_view} <= set(aten.t_.default.tags)
    assert Tag.inplace_view not in aten.add_.Tensor.tags and Tag.inplace in aten.add_.Tensor.tags
    with _scoped_library("lib_tags", "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor", tags=Tag.core)
        assert ops.lib_tags.f.default.tags == [Tag.core]


def test_sizes_of_images_by_mode():
    x = ft.arange(4.0).reshape(1, 1, 2, 2)
    each = {"upsample_nearest2d": (), "upsample_bilinear2d": (False,), "upsample_bicubic2d": (True,)}
    each |= {"_upsample_bilinear2d_aa": (False,), "_upsample_nearest_exact2d": ()}
    for name, corners in each.items():
        op = getattr(ops.aten, name)
        mode = {"nearest2d": "nearest", "exact2d": "nearest-exact"}.get(name.rpartition("_")[2], "")
        mode = mode or ("bicubic" if "bicubic" in name else "bilinear")
        options = {"align_corners": corners[0]} if corners else {}
        expected = nn_interpolate(x, (3, 5), mode=mode, antialias=name.endswith("aa"), **options)
        assert op(x, (3, 5), *corners).tolist() == op.vec(x, (3, 5), *corners, None).tolist() == expected.tolist()
        assert op.vec(x, None, *corners, (1.5, 2.5)).shape == (1, 1, 3, 5)
        with pytest.raises(RuntimeError, match="exactly one of output_size and scale_factors"):
            op.vec(x, None, *corners, None)


def nn_interpolate(*args, **kwargs):
    return pytest.importorskip("flambeau_nn.functional").interpolate(*args, **kwargs)
