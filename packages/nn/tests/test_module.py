"""Modules: registration, attributes, walking, conversion, printing, copying. Texts of errors and printed modules were
made with PyTorch 2.13."""

import copy
import pickle
import warnings
import weakref

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft


class Net(nn.Module):
    """One of each kind of member."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.b = nn.Parameter(ft.zeros(2))
        self.register_buffer("c", ft.ones(2))
        self.register_buffer("d", ft.ones(1), persistent=False)
        self.e = None
        self.seq = nn.Sequential(nn.ReLU(), nn.Linear(3, 1, bias=False))

    def forward(self, x):
        return self.seq(self.a(x))


def message(call):
    with pytest.raises(Exception) as caught:
        call()
    text = caught.value.args[0] if isinstance(caught.value, KeyError) else str(caught.value)
    return type(caught.value), text


# --- members --------------------------------------------------------------------------------------------------------


def test_members_by_name():
    m = Net()
    assert [n for n, _ in m.named_parameters()] == ["b", "a.weight", "a.bias", "seq.1.weight"]
    assert [n for n, _ in m.named_buffers()] == ["c", "d"]
    assert [n for n, _ in m.named_modules()] == ["", "a", "seq", "seq.0", "seq.1"]
    assert [n for n, _ in m.named_children()] == ["a", "seq"]
    assert [n for n, _ in m.named_parameters(prefix="net", recurse=False)] == ["net.b"]
    assert [n for n, _ in m.named_modules(prefix="net")][:2] == ["net", "net.a"]
    assert list(m.parameters())[1] is m.a.weight
    assert list(m.children()) == [m.a, m.seq]
    assert m.d is m._buffers["d"] and m.b is m._parameters["b"] and m.a is m._modules["a"]


def test_shared_members_once():
    shared = nn.Linear(1, 1)
    m = nn.Sequential(shared, shared)
    assert [n for n, _ in m.named_parameters()] == ["0.weight", "0.bias"]
    assert [n for n, _ in m.named_parameters(remove_duplicate=False)] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert [n for n, _ in m.named_modules()] == ["", "0"]
    assert [n for n, _ in m.named_modules(remove_duplicate=False)] == ["", "0", "1"]
    assert len(list(m.children())) == 1


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        (
            "b",
            ft.zeros(2),
            TypeError,
            "cannot assign 'torch.FloatTensor' as parameter 'b' (torch.nn.Parameter or None expected)",
        ),
        ("a", 3, TypeError, "cannot assign 'int' as child module 'a' (torch.nn.Module or None expected)"),
        ("c", 3, TypeError, "cannot assign 'int' as buffer 'c' (torch.nn.Buffer, torch.Tensor or None expected)"),
    ],
)
def test_assignment_is_checked(name, value, error, text):
    m = Net()
    before = getattr(m, name)
    assert message(lambda: setattr(m, name, value)) == (error, text)
    assert getattr(m, name) is before


def test_assignment_moves_between_kinds():
    m = Net()
    m.x = 3
    m.x = p = nn.Parameter(ft.ones(1))
    assert "x" not in m.__dict__ and m._parameters["x"] is p
    m.y = 3
    m.y = r = nn.ReLU()
    assert "y" not in m.__dict__ and m._modules["y"] is r
    m.y = None
    assert m.y is None and "y" in m._modules
    m.y = p = nn.Parameter(ft.ones(1))
    assert "y" not in m._modules and m.y is p
    m.c = p = nn.Parameter(ft.ones(1))
    assert "c" not in m._buffers and m._parameters["c"] is p
    m.b = None
    assert m.b is None and "b" not in dict(m.named_parameters())
    m.d = ft.zeros(4)
    assert m._buffers["d"].shape == (4,) and "d" not in m.state_dict()


@pytest.mark.parametrize(
    ("kind", "name", "value", "error", "text"),
    [
        ("parameter", "x.y", None, KeyError, 'parameter name can\'t contain "."'),
        ("parameter", "", None, KeyError, 'parameter name can\'t be empty string ""'),
        ("parameter", 3, None, TypeError, "parameter name should be a string. Got int"),
        ("parameter", "a", None, KeyError, "attribute 'a' already exists"),
        (
            "parameter",
            "q",
            3,
            TypeError,
            "cannot assign 'int' object to parameter 'q' (torch.nn.Parameter or None required)",
        ),
        (
            "parameter",
            "q",
            ft.ones(1),
            TypeError,
            "cannot assign 'torch.FloatTensor' object to parameter 'q' (torch.nn.Parameter or None required)",
        ),
        ("buffer", "x.y", None, KeyError, 'buffer name can\'t contain "."'),
        ("buffer", "forward", None, KeyError, "attribute 'forward' already exists"),
        ("buffer", "q", 3, TypeError, "cannot assign 'int' object to buffer 'q' (torch Tensor or None required)"),
        ("module", "x.y", None, KeyError, 'module name can\'t contain ".", got: x.y'),
        ("module", "", None, KeyError, 'module name can\'t be empty string ""'),
        ("module", 3, None, TypeError, "module name should be a string. Got int"),
        ("module", "b", None, KeyError, "attribute 'b' already exists"),
        ("module", "q", 3, TypeError, "int is not a Module subclass"),
    ],
)
def test_registering_is_checked(kind, name, value, error, text):
    m = Net()
    assert message(lambda: getattr(m, f"register_{kind}")(name, value)) == (error, text)
    assert not hasattr(m, "q")


def test_non_leaf_is_no_parameter():
    made = nn.Parameter(ft.ones(1)) * 2
    made._is_param = True
    error, text = message(lambda: Net().register_parameter("q", made))
    assert error is ValueError and text.startswith("Cannot assign non-leaf Tensor to parameter 'q'.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda: nn.Linear(1, 1), "cannot assign module before Module.__init__() call"),
        (lambda: nn.Parameter(ft.ones(1)), "cannot assign parameters before Module.__init__() call"),
        (lambda: nn.Buffer(ft.ones(1)), "cannot assign buffer before Module.__init__() call"),
    ],
)
def test_init_must_come_first(value, text):
    class Early(nn.Module):
        def __init__(self):
            self.x = value()

    assert message(Early) == (AttributeError, text)


def test_init_takes_no_arguments():
    class Given(nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)

    assert message(lambda: Given(3)) == (TypeError, "Given.__init__() takes 1 positional argument but 2 were given")
    assert message(lambda: Given(q=3)) == (TypeError, "Given.__init__() got an unexpected keyword argument 'q'")


def test_call_super_init():
    class Other:
        def __init__(self, q):
            self.q = q

    class Both(nn.Module, Other):
        call_super_init = True

        def __init__(self):
            super().__init__(q=3)

    assert Both().q == 3


def test_delete():
    m = Net()
    del m.a, m.b, m.c, m.e
    assert list(m.state_dict()) == ["seq.1.weight"]
    assert message(lambda: delattr(m, "nope")) == (AttributeError, "'Net' object has no attribute 'nope'")


def test_by_path():
    m = Net()
    assert m.get_submodule("") is m and m.get_submodule("seq.1") is m.seq[1]
    assert m.get_parameter("seq.1.weight") is m.seq[1].weight
    assert m.get_buffer("c") is m.c
    assert message(lambda: m.get_submodule("seq.7")) == (AttributeError, "Sequential has no attribute `7`")
    assert message(lambda: m.get_submodule("b")) == (AttributeError, "`b` is not an nn.Module")
    assert message(lambda: m.get_parameter("c")) == (AttributeError, "`c` is not an nn.Parameter")
    assert message(lambda: m.get_buffer("b")) == (AttributeError, "`b` is not a buffer")
    assert message(lambda: m.get_buffer("q")) == (AttributeError, "Net has no attribute `q`")
    m.set_submodule("seq.0", nn.Tanh())
    assert isinstance(m.seq[0], nn.Tanh)


# --- attributes and classes -----------------------------------------------------------------------------------------


def test_missing_attribute():
    m = Net()
    assert message(lambda: m.foo) == (AttributeError, "'Net' object has no attribute 'foo'")
    assert getattr(m, "foo", 7) == 7


def test_own_getattr_sees_everything_first():
    seen = []

    class Wrapper(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        @property
        def size(self):
            return self.inner.weight.shape

        def __getattr__(self, name):
            seen.append(name)
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(super().__getattr__("inner"), name)

    m = Wrapper()
    seen.clear()
    assert m.size == (2, 2) and m.in_features == 2 and m.inner is m._modules["inner"]
    assert seen == ["inner", "in_features", "inner"]


def test_getattr_added_and_removed_later():
    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(ft.ones(1))

    m = Plain()
    Plain.__getattr__ = lambda self, name: "mine"
    assert m.w == "mine" and m.anything == "mine"
    del Plain.__getattr__
    assert m.w is m._parameters["w"]
    assert message(lambda: m.anything) == (AttributeError, "'Plain' object has no attribute 'anything'")


def test_getattribute_is_honoured():
    class Watching(nn.Module):
        def __getattribute__(self, name):
            return 42 if name == "answer" else super().__getattribute__(name)

    m = Watching()
    m.p = nn.Parameter(ft.ones(1))
    assert m.answer == 42 and m.p is m._parameters["p"]


def test_properties_and_class_attributes_go_first():
    class Lazy(nn.Module):
        scale = 3

        @property
        def broken(self):
            return self.nothing

    m = Lazy()
    assert m.scale == 3
    assert message(lambda: m.broken)[0] is AttributeError
    assert not hasattr(m, "broken")


def test_multiple_inheritance():
    class Mixin:
        def hello(self):
            return type(self).__name__

    class First(Mixin, nn.Module):
        pass

    class Dict(nn.Module, dict):
        def __init__(self):
            nn.Module.__init__(self)
            dict.__init__(self, a=1)
            self.p = nn.Parameter(ft.ones(1))

    class Error(nn.Module, Exception):
        pass

    assert First().hello() == "First" and copy.deepcopy(First()).hello() == "First"
    assert Dict()["a"] == 1 and Dict().p is not None and list(Dict().state_dict()) == ["p"]
    with pytest.raises(Error):
        raise Error


def test_weak_references():
    m = nn.Linear(1, 1)
    ref = weakref.ref(m)
    assert ref() is m
    del m
    assert ref() is None


def test_parameters_in_another_mapping():
    class Doubling(dict):
        def __getitem__(self, name):
            value = dict.__getitem__(self, name)
            return None if value is None else value * 2

    m = nn.Linear(2, 2, bias=False)
    m.weight.data.fill_(1.0)
    m._parameters = Doubling(m._parameters)
    assert m.weight.tolist() == [[2, 2], [2, 2]] and m(ft.ones(1, 2)).tolist() == [[4, 4]]


def test_dir_lists_members():
    names = dir(Net())
    assert {"a", "b", "c", "seq", "forward", "training"} <= set(names)
    assert "0" not in dir(nn.Sequential(nn.ReLU()))


# --- calls ----------------------------------------------------------------------------------------------------------


def test_forward_is_found():
    class Adds(nn.Module):
        def forward(self, x, *more, factor=1):
            return (x + sum(more)) * factor

    m = Adds()
    assert m(1) == 1 and m(1, 2, factor=3) == 9 and m(x=2) == 2 and m(*range(10)) == 45
    m.forward = lambda x: "instance"
    assert m(1) == "instance"
    del m.forward
    Adds.forward = lambda self, x: "class"
    assert m(1) == "class"

    class Static(nn.Module):
        forward = staticmethod(lambda x: x + 1)

    assert Static()(1) == 2 and nn.Sequential(Static(), Static())(1) == 3


def test_call_can_be_overridden():
    class Loud(nn.Module):
        def __call__(self, x):
            return "called", super().__call__(x)

        def forward(self, x):
            return x

    assert Loud()(3) == ("called", 3)
    assert nn.Sequential(Loud())(3) == ("called", 3)


def test_no_forward():
    class Empty(nn.Module):
        pass

    assert message(lambda: Empty()(3)) == (
        NotImplementedError,
        'Module [Empty] is missing the required "forward" function',
    )
    with pytest.raises(TypeError, match="forward"):
        Net()(1, 2)


# --- changing all of it ---------------------------------------------------------------------------------------------


def test_conversion():
    m = Net()
    before = m.a.weight
    assert m.double() is m and m.a.weight is before  # parameters stay the objects that optimizers hold
    assert {t.dtype for t in m.state_dict().values()} == {ft.float64} and m.d.dtype is ft.float64
    assert m.half().b.dtype is ft.float16 and m.b.requires_grad and m.b.is_leaf
    assert m.bfloat16().c.dtype is ft.bfloat16
    assert m.float().c.dtype is ft.float32
    assert m.to(ft.float64).c.dtype is ft.float64
    assert m.to(ft.ones(1)).c.dtype is ft.float32
    assert m.to("cpu") is m and m.cpu() is m and m.share_memory() is m
    assert m.type(ft.float64).b.dtype is ft.float64
    with pytest.raises(AssertionError, match="CUDA"):
        m.to("cuda")
    assert message(lambda: m.to(ft.int64)) == (
        TypeError,
        "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int64",
    )


def test_conversion_leaves_integers_and_converts_gradients():
    m = nn.BatchNorm1d(2)
    m(ft.ones(3, 2) * ft.arange(3).reshape(3, 1)).sum().backward()
    m.double()
    assert m.num_batches_tracked.dtype is ft.int64 and m.weight.grad.dtype is ft.float64


def test_train_and_eval():
    m = Net()
    assert m.training and m.seq[1].training
    assert m.eval() is m and not m.seq[1].training
    assert m.train().seq[1].training
    assert message(lambda: m.train(3)) == (ValueError, "training mode is expected to be boolean")


def test_requires_grad_and_zero_grad():
    m = Net()
    m(ft.ones(1, 2)).sum().backward()
    gradient = m.a.weight.grad
    m.zero_grad(set_to_none=False)
    assert m.a.weight.grad is gradient and not gradient.any()
    m.zero_grad()
    assert m.a.weight.grad is None
    assert m.requires_grad_(False) is m and not any(p.requires_grad for p in m.parameters())


def test_apply():
    seen = []
    m = Net()
    assert m.apply(lambda module: seen.append(type(module).__name__)) is m
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Net"]


# --- printing, copying, pickling ------------------------------------------------------------------------------------


def test_printing():
    assert (
        repr(Net())
        == """Net(
  (a): Linear(in_features=2, out_features=3, bias=True)
  (seq): Sequential(
    (0): ReLU()
    (1): Linear(in_features=3, out_features=1, bias=False)
  )
)"""
    )
    two_lines = type("Two", (nn.Module,), {"extra_repr": lambda self: "a\nb"})()
    assert repr(two_lines) == "Two(\n  a\n  b\n)"
    two_lines.child = nn.ReLU()
    assert repr(two_lines) == "Two(\n  a\n  b\n  (child): ReLU()\n)"
    assert repr(nn.Identity(3, x=1)) == "Identity()"


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies(duplicate):
    m = Net()
    m.eval()
    m.seq.register_forward_hook(print)
    c = duplicate(m)
    assert type(c) is Net and not c.training and type(c.a.weight) is nn.Parameter
    assert c.a.weight is not m.a.weight and (c.a.weight == m.a.weight).all() and c.a.weight.requires_grad
    assert c.c.data_ptr() != m.c.data_ptr() and list(c.seq._forward_hooks.values()) == [print]
    assert repr(c) == repr(m)


def test_shared_parameters_stay_shared():
    m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    m[1].weight = m[0].weight
    for c in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert c[0].weight is c[1].weight


def test_setstate_of_subclasses():
    class Old(nn.Module):
        def __setstate__(self, state):
            super().__setstate__(state)
            self.added = True

    assert copy.deepcopy(Old()).added


# --- modules that nobody trains -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "kind"),
    [(lambda layer: [layer], "list"), (lambda layer: {"x": layer}, "dict"), (lambda layer: (None, [layer]), "tuple")],
)
def test_hidden_modules_warn(value, kind):
    m = Net()
    m.seq.hidden = value(nn.Linear(1, 1))
    with pytest.warns(UserWarning, match=rf"Sequential\.hidden is a plain {kind} .* not be trained"):
        params = list(m.parameters())
    assert len(params) == 4


def test_no_warning_without_need():
    m = Net()
    m.layers = [m.a, m.seq]  # registered as attributes, too
    m.functions = [nn.ReLU()]  # nothing to train
    m.numbers = list(range(1000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(m.parameters())) == 4
        m.hidden = [nn.Linear(1, 1)]
        assert next(m.parameters()) is m.b  # one parameter is asked for, say for its dtype


def test_memory_format_of_parameters_and_buffers():
    module = nn.Module()
    module.weight = nn.Parameter(ft.zeros(2, 3, 4, 5))
    module.bias = nn.Parameter(ft.zeros(3))
    assert module.to(memory_format=ft.channels_last).weight.stride() == (60, 1, 15, 3)
    assert module.to(ft.float64).weight.stride() == (60, 1, 15, 3) and module.bias.dtype is ft.float64
    assert module.to(memory_format=ft.contiguous_format).weight.is_contiguous()
    module.register_buffer("volume", ft.zeros(2, 3, 4, 5, 6))
    with pytest.raises(RuntimeError, match="required rank 4 tensor"):
        module.to(memory_format=ft.channels_last)
    with pytest.raises(TypeError, match="must be torch.memory_format, not int"):
        module.to(memory_format=3)


def test_attributes_set_past_the_module():
    """Libraries set attributes by object.__setattr__, so that nothing is registered."""
    inner, outer = nn.Linear(1, 1), nn.Sequential()
    object.__setattr__(outer, "inner", inner)
    assert outer.inner is inner and not list(outer.children()) and outer.__dict__["inner"] is inner
    object.__delattr__(outer, "inner")
    assert not hasattr(outer, "inner")
    outer.inner = inner
    assert list(outer.children()) == [inner]
    del outer.inner
    assert not list(outer.children())


def test_buffers_of_modules_with_an_older_register_buffer():
    class Older(nn.Module):
        def register_buffer(self, name, tensor):
            super().register_buffer(name, tensor)

    module = Older()
    module.kept = nn.Buffer(ft.ones(1))
    assert list(module.state_dict()) == ["kept"] and isinstance(module.kept, nn.Buffer)
    with pytest.raises(TypeError):
        module.lost = nn.Buffer(ft.ones(1), persistent=False)


def test_a_buffer_takes_no_place_of_an_attribute():
    module = nn.Module()
    module.a = 1
    with pytest.raises(KeyError, match="attribute 'a' already exists"):
        module.a = nn.Buffer(ft.ones(1))
    assert module.a == 1
    module.b = nn.Buffer(ft.ones(1))
    module.b = nn.Buffer(ft.zeros(1), persistent=False)
    assert module.b.item() == 0.0 and not module.state_dict()


def test_conversions_may_give_new_parameters():
    from flambeau_nn.modules import conversions

    module = nn.Linear(2, 2)
    before = module.weight
    conversions.set_overwrite_module_params_on_conversion(True)
    try:
        assert conversions.get_overwrite_module_params_on_conversion()
        module.double()
    finally:
        conversions.set_overwrite_module_params_on_conversion(False)
    assert module.weight is not before and before.dtype is ft.float32 and module.weight.dtype is ft.float64
    kept = module.weight
    conversions.set_swap_module_params_on_conversion(True)
    assert conversions.get_swap_module_params_on_conversion()
    conversions.set_swap_module_params_on_conversion(False)
    assert module.float().weight is kept


def test_arguments_of_to_that_do_not_go_together():
    net = nn.Linear(2, 2)
    for args in (("cpu", True), (None, True), ("cpu", ft.ones(1))):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            net.to(*args)
    for call in (lambda: net.to("cpu", copy=True), lambda: net.to("cpu", ft.float64, True, True)):
        with pytest.raises(RuntimeError, match=".to.. does not accept copy argument"):
            call()


def test_state_of_hooks_can_be_deleted():
    """Programs delete it to make modules as older versions saved them."""
    m = nn.ParameterList([ft.ones(1)])
    del m._forward_pre_hooks, m._state_dict_hooks, m._load_state_dict_pre_hooks, m._non_persistent_buffers_set
    assert len(pickle.loads(pickle.dumps(m))) == 1 and len(m._forward_pre_hooks) == 0
    del m._forward_pre_hooks
    with pytest.raises(AttributeError):
        del m.absent


def test_gradients_move_to_replaced_parameters():
    from flambeau_nn.modules.conversions import set_overwrite_module_params_on_conversion

    m = nn.Linear(2, 2)
    old, m.weight.grad = m.weight, ft.ones(2, 2)
    set_overwrite_module_params_on_conversion(True)
    try:
        m.float()
    finally:
        set_overwrite_module_params_on_conversion(False)
    assert m.weight is not old and m.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]
