"""Whether `Checks` notices each change of what a function read, and only those."""

import builtins
import collections
import functools
import gc
import math
import mimetypes
import random
import sys
import time
import types
import typing
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_nn.functional as F
import flambeau_tensor as ft
from flambeau_compile.watching import Recording

ALIVE = []  # the functions that a test records, until it ends


@pytest.fixture(autouse=True)
def forget():
    yield
    ALIVE.clear()


def record(function, *args, **kwargs):
    ALIVE.append(function)
    with Recording(function, args, kwargs) as recording:
        function(*args, **kwargs)
    return recording


def world(source):
    """A program's module, run from its text."""
    module = types.ModuleType("program")
    exec(compile(source, "program.py", "exec"), module.__dict__)
    return module


def changes(function, *mutations, args=()):
    """Every mutation is (change, undo): the checks hold before, not after the change, and again after undoing it."""
    recording = record(function, *args)
    assert recording.effects == [], recording.effects
    checks = recording.checks
    for change, undo in mutations:
        assert checks.hold(), checks.why()
        change()
        assert not checks.hold()
        assert checks.why()
        undo()
    assert checks.hold(), checks.why()


def setting(owner, name, value):
    """The two functions that set an attribute and set it back."""
    before = getattr(owner, name)
    return lambda: setattr(owner, name, value), lambda: setattr(owner, name, before)


# --- each kind ------------------------------------------------------------------------------------------------------


def test_globals_by_value_and_identity():
    m = world("a = 1.5\nb = (1, 'x')\nunrelated = 0\ndef f():\n    return a, b\n")
    checks = record(m.f).checks
    m.unrelated = 5
    m.a = float("1.5")
    m.b = (1, "".join(["x"]))
    m.new = 3
    assert checks.hold()
    m.a = -1.5
    assert not checks.hold()
    assert checks.why() == "a was set: 1.5 -> -1.5"
    m.a = 1.5
    assert checks.hold()
    assert checks.why() == ""
    del m.b
    assert not checks.hold()
    assert checks.why() == "b was deleted, it was (1, 'x')"


@pytest.mark.parametrize(
    "before, after", [(0.0, -0.0), (1, 1.0), (1, True), (0j, complex(0.0, -0.0)), ("1", b"1"), (2**70, 2**70 + 1)]
)
def test_values_that_compare_equal_and_are_not_the_same(before, after):
    m = world("def f():\n    return a\n")
    m.a = before
    checks = record(m.f).checks
    m.a = after
    assert not checks.hold()


def test_nan_is_itself():
    m = world("def f():\n    return a\n")
    m.a = float("nan")
    checks = record(m.f).checks
    m.a = float("nan")
    assert checks.hold()


def test_builtins_and_names_that_hide_them(monkeypatch):
    m = world("def f():\n    return abs(-2)\n")
    checks = record(m.f).checks
    m.abs = int
    assert not checks.hold()
    assert "abs" in checks.why()
    del m.abs
    assert checks.hold()
    monkeypatch.setattr(builtins, "abs", lambda x: x)
    assert not checks.hold()


def test_closure():
    def make():
        scale, unrelated = 2.0, [1]

        def f():
            return scale

        def change(value):
            nonlocal scale, unrelated
            unrelated = value
            scale = value

        return f, change

    f, change = make()
    changes(f, (lambda: change(3.0), lambda: change(2.0)))


def test_defaults_code_and_keyword_defaults():
    def f(a=1, *, b=2, c=[3]):  # noqa: B006
        return a, b, c

    def other(a=1, *, b=2, c=None):
        return 0

    changes(
        f,
        setting(f, "__defaults__", (2,)),
        setting(f, "__code__", other.__code__),
        (lambda: f.__kwdefaults__.update(b=5), lambda: f.__kwdefaults__.update(b=2)),
        (lambda: f.__kwdefaults__["c"].append(1), lambda: f.__kwdefaults__["c"].pop()),
    )


def test_helpers_and_what_they_read():
    m = world(
        "k = 3\ndef unused():\n    return zzz\nzzz = 1\ndef inner(x, by=2):\n    return x * k * by\n"
        "def f(x):\n    return inner(x)\n"
    )
    changes(
        m.f, setting(m, "k", 4), setting(m, "inner", lambda x: x), setting(m.inner, "__defaults__", (5,)), args=(1,)
    )
    checks = record(m.f, 1).checks
    m.zzz, m.unused = 2, None
    assert checks.hold()


def test_containers():
    m = world(
        "import collections\n"
        "items = [1, [2.0, {'a': {3, 4}}], (5, [6])]\nqueue = collections.deque([1, 2])\nnumbers = {1: 2}\n"
        "long = list(range(1000))\nbits = bytearray(b'ab')\nframe = collections.OrderedDict(a=1, b=2)\n"
        "def f():\n    return items, queue, numbers, long, bits, frame\n"
    )
    changes(
        m.f,
        (lambda: m.items.append(1), lambda: m.items.pop()),
        (lambda: m.items[1].__setitem__(0, 2.5), lambda: m.items[1].__setitem__(0, 2.0)),
        (lambda: m.items[1][1]["a"].add(9), lambda: m.items[1][1]["a"].discard(9)),
        (lambda: m.items[2][1].append(9), lambda: m.items[2][1].pop()),
        (lambda: m.queue.append(1), lambda: m.queue.pop()),
        (lambda: m.queue.rotate(1), lambda: m.queue.rotate(-1)),
        (lambda: m.numbers.update({3: 4}), lambda: m.numbers.pop(3)),
        (lambda: m.long.__setitem__(999, 0), lambda: m.long.__setitem__(999, 999)),
        (lambda: m.bits.__setitem__(0, 0), lambda: m.bits.__setitem__(0, 97)),
        (lambda: m.frame.move_to_end("a"), lambda: m.frame.move_to_end("b")),
    )


def test_order_of_a_dict():
    m = world("d = {'a': 1, 'b': 2}\ndef f():\n    return list(d.items())\n")
    checks = record(m.f).checks
    m.d["a"] = m.d.pop("a")
    assert not checks.hold()


class Base:
    shared = 1.0
    table = [1, 2]  # noqa: RUF012

    def method(self):
        return self.shared

    @property
    def doubled(self):
        return 2 * self.value


class Reversed(Base):
    def method(self):
        return -1.0


class Thing(Base):
    def __init__(self, value):
        self.value, self.history, self.inner = value, [], None

    def __call__(self):
        return self.method(), self.doubled, self.table, self.inner


class Other(Thing):
    pass


class Slots:
    __slots__ = ("a", "b")


def test_changes_of_containers_that_only_a_run_shows():
    def counted():
        mimetypes.types_map[".counted"] = str(int(mimetypes.types_map.get(".counted", "0")) + 1)
        return len(mimetypes.types_map)

    def read():
        return mimetypes.types_map[".counted"]

    try:
        for function, effects in ((counted, 1), (read, 0)):
            first = record(function)
            assert [str(effect).partition(" ")[0] for effect in first.effects] == ["mimetypes.types_map"]
            assert first.unknown == [mimetypes.types_map] and first.effects[0].settles
            with Recording(function, known=first.unknown) as second:
                function()
            assert second.unknown == [] and len(second.effects) == effects
    finally:
        del mimetypes.types_map[".counted"]


def test_objects():
    thing = Thing(3.0)
    thing.inner = Thing(types.SimpleNamespace(deep=[1]))
    changes(
        lambda: (thing(), thing.inner.value.deep),
        setting(thing, "value", 4.0),
        setting(Base, "shared", 2.0),
        (lambda: setattr(thing, "shared", 5.0), lambda: delattr(thing, "shared")),
        (lambda: setattr(thing, "method", lambda: 1), lambda: delattr(thing, "method")),
        setting(Base, "method", lambda self: 0),
        setting(Base, "doubled", 3),
        (lambda: Base.table.append(3), lambda: Base.table.pop()),
        setting(thing, "__class__", Other),
        (lambda: thing.inner.value.deep.append(1), lambda: thing.inner.value.deep.pop()),
        setting(thing, "inner", Thing(1)),
        setting(Thing, "__bases__", (Reversed,)),
        (
            lambda: setattr(Thing, "__getattribute__", object.__getattribute__),
            lambda: delattr(Thing, "__getattribute__"),
        ),
    )


def test_attributes_that_no_code_reads_do_not_matter():
    thing = Thing(3.0)
    checks = record(thing).checks
    thing.history.append(1)
    thing.epoch = 5
    Thing.unread = 1
    assert checks.hold()


def test_attributes_read_by_strings():
    thing = Thing(3.0)
    checks = record(lambda: getattr(thing, "".join(["his", "tory"]))).checks
    thing.history.append(1)
    assert not checks.hold()
    assert checks.why() == "thing.history was set: '0 items' -> '1 items'" or "history" in checks.why()


def test_slots():
    o = Slots()
    o.a = [1]
    changes(lambda: o.a, setting(o, "a", [1]), (lambda: o.a.append(2), lambda: o.a.pop()))
    checks = record(lambda: hasattr(o, "b")).checks
    o.b = 1
    assert not checks.hold()


@dataclass
class Config:
    rate: float
    layers: tuple


def test_dataclasses_partials_methods_references():
    config = Config(0.5, (1, 2))
    power = functools.partial(pow, 2)
    bound = Thing(1.0).method
    reference = weakref.ref(config)
    changes(
        lambda: (config.rate, config.layers, power(3), bound(), reference().rate),
        setting(config, "rate", 0.25),
        setting(Base, "shared", 9.0),
    )


def test_namespaces_of_modules():
    settings = types.ModuleType("settings")
    settings.rate, settings.unread, settings.names = 1.0, 1, [1]
    changes(
        lambda: (settings.rate, settings.names, math.pi),
        setting(settings, "rate", 2.0),
        (lambda: settings.names.append(1), lambda: settings.names.pop()),
        setting(math, "pi", 3.0),
    )
    checks = record(lambda: settings.rate).checks
    settings.unread = 2
    assert checks.hold()


def test_arrays():
    a, b = np.arange(5.0), np.arange(12.0).reshape(3, 4).T
    changes(
        lambda: (a, b),
        (lambda: a.__setitem__(4, 9.0), lambda: a.__setitem__(4, 4.0)),
        (lambda: b.__setitem__((3, 2), 0.0), lambda: b.__setitem__((3, 2), 11.0)),
    )
    checks = record(lambda: a).checks
    a.resize((5, 1), refcheck=False)
    assert not checks.hold()


def test_modules():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 2)))
    x = ft.ones(1, 2)

    def hooked():
        net.handle = net[0].register_forward_hook(lambda module, args, result: result * 2)

    def unhooked():
        net.handle.remove()
        for name in ("_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called"):
            net[0].__dict__.pop(name, None)
        del net.handle

    changes(
        lambda: net(x),
        (net.eval, net.train),
        (lambda: net[2].eval(), lambda: net[2].train()),
        setting(net, "1", nn.Tanh()),
        setting(net[0], "weight", nn.Parameter(ft.ones(3, 2))),
        setting(net[0], "bias", None),
        setting(nn.Linear, "forward", lambda self, x: x),
        setting(nn.ReLU, "forward", lambda self, x: x),
        (hooked, unhooked),
        (lambda: net.append(nn.ReLU()), lambda: net._modules.pop("3")),
    )
    checks = record(lambda: net(x)).checks
    handle = nn.modules.module.register_module_forward_hook(lambda *args: None)
    try:
        assert not checks.hold()
    finally:
        handle.remove()
    assert checks.hold()
    assert net[0](x) is not None and checks.hold()


def test_the_messages_name_what_was_set():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.inner = 1.0, nn.Sequential(nn.Linear(2, 2))

        def forward(self, x):
            return self.inner(x) * self.scale

    net = Net()
    recording = record(net, ft.ones(2, 2))
    net.scale = 2.0
    assert not recording.checks.hold()
    assert recording.checks.why() == "self.scale was set: 1.0 -> 2.0"
    net.scale = 1.0
    net.inner[0].training = False
    assert not recording.checks.hold()
    assert recording.checks.why() == "self.inner.0.training was set: True -> False"
    assert {source.path for source in recording.tensors.values()} == {"self.inner.0.weight", "self.inner.0.bias", "x"}
    source = recording.tensors[id(net.inner[0].weight)]
    assert (source.owner, source.key, source.kind) == (net.inner[0], "weight", "attribute")


def test_functional_monkeypatched(monkeypatch):
    x = ft.ones(2)
    checks = record(lambda: F.relu(x)).checks
    assert checks.hold()
    monkeypatch.setattr(F, "relu", F.tanh)
    assert not checks.hold()


def test_optimizers():
    p = nn.Parameter(ft.ones(2))
    opt = nn.optim.Adam([p], lr=0.1)

    def step():
        opt.zero_grad()
        (p * p).sum().backward()
        opt.step()

    recording = record(step)
    assert recording.effects == []
    checks = recording.checks
    for name, value in (("lr", 0.2), ("betas", (0.5, 0.6)), ("eps", 1e-3), ("weight_decay", 0.5)):
        opt.param_groups[0][name] = value
    step()
    assert checks.hold(), checks.why()
    opt.param_groups[0]["maximize"] = True
    assert not checks.hold()
    assert "maximize" in checks.why()
    opt.param_groups[0]["maximize"] = False
    assert checks.hold()
    opt.add_param_group({"params": [nn.Parameter(ft.ones(1))]})
    assert not checks.hold()


def test_a_learning_rate_that_the_program_reads_itself():
    p = nn.Parameter(ft.ones(2))
    opt = nn.optim.SGD([p], lr=0.1)

    def step():
        return p * opt.param_groups[0]["lr"]

    checks = record(step).checks
    opt.param_groups[0]["lr"] = 0.2
    assert not checks.hold()


def test_nothing_large_is_kept_alive():
    m = world("def f():\n    return net(x)\n")
    m.net, m.x = nn.Linear(2, 2), ft.ones(1, 2)
    checks = record(m.f).checks
    weight, net = weakref.ref(m.net.weight), weakref.ref(m.net)
    m.net = None
    gc.collect()
    assert weight() is None
    assert net() is None
    assert not checks.hold()
    m.net = nn.Linear(2, 2)
    assert not checks.hold()


def test_another_object_at_the_same_address():
    m = world("items = []\ndef f():\n    return items\n")
    for _ in range(200):
        m.items[:] = [Thing(1.0)]
        checks = record(m.f).checks
        address = id(m.items[0])
        del m.items[0]
        m.items.append(Thing(1.0))
        if id(m.items[0]) == address:
            assert not checks.hold()
            return
    pytest.skip("no address came again")


def test_a_function_that_is_gone():
    m = world(
        "def helper():\n    return 1\nhelpers = {'a': helper}\nname = 'a'\ndef f():\n    return helpers[name]()\n"
    )
    checks = record(m.f).checks
    del m.helper, m.helpers["a"]
    gc.collect()
    assert not checks.hold()


def test_local_functions_and_their_variables():
    m = world(
        "k = 2\ndef f(x):\n    total = 0\n    def add(v, by=k):\n        nonlocal total\n"
        "        total = total + v * k\n"
        "    add(x)\n    g = lambda v: v + k\n"
        "    return total + g(1) + sum(i * k for i in range(3)) + len([i + k for i in (1, 2)])\n"
    )
    changes(m.f, setting(m, "k", 3), args=(2,))


def test_generators_and_files_cannot_be_watched():
    m = world(
        "it = iter([1, 2, 3])\ng = (i for i in (1, 2))\ndef f():\n    return next(it)\ndef h():\n    return next(g)\n"
    )
    assert [e.kind for e in record(m.f).effects] == ["unwatchable"]
    effects = record(m.h).effects
    assert [e.kind for e in effects] == ["unwatchable"]
    assert "g" in str(effects[0])


def test_a_long_list_cannot_be_watched():
    m = world("data = [0] * 5000\ndef f():\n    return data[0]\n")
    (effect,) = record(m.f).effects
    assert effect.kind == "unwatchable"
    assert "5000 items" in effect.what


def test_a_profile_function_goes_on():
    heard = []

    def profile(frame, event, argument):
        heard.append(event)

    def f():
        return len([1])

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        record(f)
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(before)
    assert "c_call" in heard


def test_arguments_in_lists_are_the_callers_to_compare():
    net = nn.Linear(2, 2)
    batch = [ft.ones(1, 2), {"y": ft.ones(1, 2), "net": net}]
    recording = record(lambda batch: batch[1]["net"](batch[0]) + batch[1]["y"], batch)
    assert {source.path for source in recording.tensors.values()} == {
        "batch[0]",
        "batch[1]['y']",
        "batch[1]['net'].weight",
        "batch[1]['net'].bias",
    }
    batch.clear()
    gc.collect()
    assert recording.checks.hold()
    net.weight = nn.Parameter(ft.zeros(2, 2))
    assert not recording.checks.hold()


def test_a_program_that_is_being_imported(tmp_path, monkeypatch):
    (tmp_path / "runs_at_import.py").write_text(
        "from flambeau_compile.watching import Recording\nscale = 2.0\ndef f():\n    print(scale)\n"
        "with Recording(f) as recording:\n    f()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import runs_at_import

    assert [effect.what for effect in runs_at_import.recording.effects] == ["print() is called"]
    assert runs_at_import.recording.checks.hold()
    runs_at_import.scale = 3.0
    assert not runs_at_import.recording.checks.hold()


def test_an_error_passes():
    def f():
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"), Recording(f):
        f()
    assert sys.getprofile() is None or sys.getprofile().__module__ != "flambeau_compile"


# --- many at random -------------------------------------------------------------------------------------------------

PROGRAM = """
import collections
import flambeau_nn as nn
import flambeau_nn.functional as F
import numpy as np

class Part:
    kind = 1.0
    shared = [1.0]
    def __init__(self, v): self.v, self.log, self.next = v, [], None
    def get(self): return self.v * self.kind + self.shared[0] + len(self.shared)

class Sub(Part):
    __slots__ = ()
    extra = 2.0
    @property
    def more(self): return self.v + self.extra

class Packed:
    __slots__ = ('a', 'b')

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.scale, self.epoch = nn.Linear(2, 2), 1.0, 0
        self.rest = nn.Sequential(nn.Tanh(), nn.Dropout(0.0), nn.Linear(2, 2))
        self.register_buffer('shift', x.clone())
        self.flags = {'bias': 0.5, 'on': True}
    def forward(self, y):
        y = self.rest(self.first(y)) * self.scale + self.shift
        return y + self.flags['bias'] if self.flags['on'] else y

a, b, name = 1.0, 2, 'one'
items, table, chosen = [1.0, 2.0], {'one': 1.0, 'two': 2.0}, {1, 2}
queue = collections.deque([1.0])
pair = (1.0, [2.0])
array = np.arange(4.0)
part = Sub(1.0)
part.next = Part(2.0); part.next.next = Part(3.0); part.next.next.next = Part(4.0)
packed = Packed(); packed.a = 1.0
net = Net()
unread, other, others = 0, Part(9.0), []

def make():
    inside = 1.0
    def closed(y): return y + inside
    def put(v):
        nonlocal inside
        inside = v
    return closed, put
closed, put = make()

def helper(y, by=2.0, *, plus=1.0):
    return closed(y) * by + plus + abs(-1.0)

def f():
    p, total = part, 0.0
    while p is not None:
        total = 3.0 * total + p.get()
        p = p.next
    values = net(x)
    numbers = [a, b, table[name], pair[0], pair[1][0], packed.a, part.more, float(array.sum()), helper(a)]
    numbers += [*items, *queue, *sorted(chosen)]
    return [total, *numbers, *F.relu(values + 10).tolist()[0], net.training]
"""


def mutations(m):
    """Changes of the program, as functions; those of the second list do not concern `f`."""
    r = random.Random(5)

    def number():
        return r.choice((0.25, 0.5, 1.0, 1.5, 2.0))

    def setter(owner, name):
        return lambda: setattr(owner() if isinstance(owner, types.FunctionType) else owner, name, number())

    def flip(o, name, one, two):
        setattr(o, name, two if getattr(o, name) == one else one)

    def hook():
        if m.handles:
            m.handles.pop().remove()
        else:
            m.handles.append(m.net.first.register_forward_hook(lambda module, args, y: y * 3))

    def patch(cls, name, one, two):
        setattr(cls, name, two if getattr(cls, name) is one else one)

    get, forward, relu, absolute = m.Part.get, nn.Linear.forward, F.relu, abs
    m.handles = []

    def shadow():
        if "kind" in vars(m.part):
            del m.part.kind
        else:
            m.part.kind = number()

    def hide():
        if hasattr(m, "abs"):
            del m.abs
        else:
            m.abs = lambda v: 7.0

    def swap(group, key, make):
        group[key] = make()

    def parameter():
        return nn.Parameter(ft.randn(2, 2))

    related = [
        setter(m, "a"),
        setter(m, "b"),
        lambda: setattr(m, "name", r.choice(("one", "two"))),
        lambda: m.items.__setitem__(r.randrange(len(m.items)), number()),
        lambda: m.items.append(number()),
        lambda: m.items.pop() if len(m.items) > 1 else None,
        lambda: m.table.__setitem__(m.name, number()),
        lambda: m.chosen.symmetric_difference_update({r.randrange(5)}),
        lambda: m.queue.append(number()),
        lambda: m.queue.popleft() if len(m.queue) > 1 else None,
        lambda: m.pair[1].__setitem__(0, number()),
        lambda: setattr(m, "pair", (number(), [number()])),
        lambda: m.array.__setitem__(r.randrange(4), number()),
        lambda: setattr(m, "array", np.arange(4.0) * number()),
        setter(m.part, "v"),
        setter(lambda: m.part.next, "v"),
        setter(lambda: m.part.next.next.next, "v"),
        setter(m.Part, "kind"),
        setter(m.Sub, "extra"),
        setter(m.packed, "a"),
        shadow,
        hide,
        lambda: m.Part.shared.append(1.0),
        lambda: m.Part.shared.__setitem__(0, number()),
        lambda: setattr(m.part.next.next, "next", m.Part(number())),
        lambda: patch(m.Part, "get", get, lambda self: self.v),
        lambda: patch(nn.Linear, "forward", forward, lambda self, y: y),
        lambda: patch(F, "relu", relu, lambda y: y - 1),
        lambda: m.put(number()),
        lambda: setattr(m.helper, "__defaults__", (number(),)),
        lambda: m.helper.__kwdefaults__.__setitem__("plus", number()),
        lambda: m.net.train(not m.net.training),
        setter(m.net, "scale"),
        lambda: flip(m.net, "scale", 1.0, 2.0),
        lambda: m.net.flags.__setitem__("bias", number()),
        lambda: m.net.flags.__setitem__("on", not m.net.flags["on"]),
        lambda: setattr(m.net, "shift", ft.randn(1, 2)),
        lambda: setattr(m.net.first, "weight", parameter()),
        lambda: setattr(m.net, "first", nn.Linear(2, 2)),
        lambda: swap(m.net.rest, 0, r.choice((nn.Tanh, nn.ReLU))),
        hook,
        lambda: setattr(m, "closed", r.choice((m.closed, lambda y: y * 5))),
        lambda: setattr(m, "x", ft.randn(1, 2)),
        lambda: setattr(m.part, "__class__", m.Sub),
    ]
    unrelated = [
        setter(m, "unread"),
        lambda: setattr(m, "other", m.Part(number())),
        lambda: m.others.append(1),
        lambda: m.part.log.append(1),
        setter(m.net, "epoch"),
        lambda: setattr(m, f"fresh{r.randrange(20)}", r.random()),
        lambda: m.__dict__.pop(f"fresh{r.randrange(20)}", None),
        setter(m.Part, "unread"),
        lambda: m.part.next.log.append(2),
        lambda: setattr(m, "a", float(repr(m.a))),
        lambda: setattr(m, "name", "".join(list(m.name))),
        lambda: setattr(m.net, "scale", float(repr(m.net.scale))),
        lambda: (m.net(m.x) * ft.ones(1, requires_grad=True)).sum().backward(),
        lambda: m.net.zero_grad(),
        lambda: setattr(m.net, "unread", r.random()),
    ]

    def restore():
        m.Part.get, nn.Linear.forward, F.relu = get, forward, relu
        assert builtins.abs is absolute

    return related, unrelated, restore


@pytest.mark.parametrize("seed", range(4))
def test_random_mutations(seed, count=500):
    m = types.ModuleType("program")
    m.x = ft.ones(1, 2)
    exec(compile(PROGRAM, "program.py", "exec"), m.__dict__)
    related, unrelated, restore = mutations(m)
    r = random.Random(seed)
    checks, result = None, None
    noticed = 0
    try:
        for i in range(count):
            if checks is None:
                recording = record(m.f)
                assert recording.effects == [], recording.effects
                checks, result = recording.checks, m.f()
                assert checks.hold()
            one = r.randrange(len(related) + len(unrelated))
            if one < len(related):
                related[one]()
            else:
                unrelated[one - len(related)]()
            held, now = checks.hold(), m.f()
            if now != result:
                assert not held, (i, one)
                noticed += 1
            elif one >= len(related):
                assert held, (i, one, checks.why())
            if not held:
                assert isinstance(checks.why(), str)
                checks = None
    finally:
        restore()
    assert noticed > count / 4


def test_what_a_look_costs():
    """A function over four layers, in a script whose globals change all the time: beside its eager call."""
    m = world("def f(y):\n    return net(y) * scale\n")
    m.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh())
    m.scale, m.i = 2.0, 0
    checks = record(m.f, ft.ones(1, 4)).checks

    def least(look):
        best = math.inf
        for _ in range(300):
            start = time.perf_counter()
            for i in range(50):
                look(i)
            best = min(best, time.perf_counter() - start)
        return best / 50

    def changing(i):
        m.i = i
        checks.hold()

    assert checks.hold()
    assert len(checks) < 200
    y = ft.ones(1, 4)
    eager = least(lambda i: m.f(y))
    assert least(lambda i: checks.hold()) < eager / 8
    assert least(changing) < eager / 4
    assert isinstance(collections.OrderedDict(m.net.named_modules()), dict)


def test_slots_whose_names_classes_have():
    """`__doc__` of an object is that of its class where its slot is empty, as in what `typing` has."""

    class Base:
        __slots__ = ("__doc__",)

    class Derived(Base):
        """Text."""

        __slots__ = ()

    held = Derived(), typing.Literal

    def f():
        return held[0].__doc__

    with Recording(f) as recording:
        assert f() == "Text."
    assert recording.checks.hold()


def test_paths_of_roots_without_names_and_of_objects_as_keys():
    from flambeau_compile._watch import Record

    assert Record(None, None, "name").path() == ""
    assert Record(Record(None, None, "name"), None, "same").path() == ""
    record = Record(None, "deep", "name")
    for _ in range(100_000):
        record = Record(record, 0, "item")
    assert record.path() == "…" + "[0]" * 40
    key = ft.zeros(50)
    assert Record(Record(None, "state", "name"), key, "item").path() == f"state[Tensor at {id(key):#x}]"
