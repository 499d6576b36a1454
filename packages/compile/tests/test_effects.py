"""What a run changed in Python, and whom it called."""

import functools
import io
import linecache
import logging
import random
import time
import types
import warnings

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_compile.watching import Recording


def world(source, **names):
    module = types.ModuleType("program")
    module.__dict__.update(names)
    exec(compile(source, "program.py", "exec"), module.__dict__)
    return module


def record(function, *args):
    with Recording(function, args, {}) as recording:
        function(*args)
    return recording


def effects(function, *args):
    return record(function, *args).effects


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(2, 2)
        self.h, self.calls, self.total, self.log, self.cache = ft.zeros(1, 2), 0, 0.5, [], None
        self.register_buffer("seen", ft.zeros(1))


class Recurrent(Memory):
    def forward(self, x):
        self.h = (self.cell(x) + self.h).tanh()
        self.calls += 1
        self.seen = self.seen + 1
        return self.h


def test_tensors_and_counters_of_modules():
    net = Recurrent()
    before = net.h
    recording = record(net, ft.ones(1, 2))
    found = {effect.what.split(" ")[0]: effect for effect in recording.effects}
    assert {name: effect.kind for name, effect in found.items()} == {
        "self.h": "attribute_tensor",
        "self.seen": "attribute_tensor",
        "self.calls": "counter",
    }
    place = found["self.h"].replay
    assert (place.owner, place.key, place.tensor) == (net, "h", before)
    file, _, line = found["self.h"].where.rpartition(":")
    assert "self.h = (self.cell" in linecache.getline(file, int(line))
    assert recording.tensors[id(before)].path == "self.h"
    place.set(before)
    assert net.h is before
    found["self.calls"].replay.add()
    assert net.calls == 2
    assert recording.checks.hold()  # as each call changes them
    net.h = ft.ones(1, 2)
    net.seen = ft.ones(1)
    assert recording.checks.hold()
    net.cell = nn.Linear(2, 2)
    assert not recording.checks.hold()


def test_a_counter_that_is_read():
    m = world("class A:\n    n = 0\na = A()\na.n = 0\ndef f(x):\n    a.n += 1\n    return x / a.n\n")
    (effect,) = effects(m.f, 2.0)
    assert effect.kind == "other"
    assert "a.n was set: 0 -> 1" in effect.what
    assert effect.where == "program.py:6"


def test_counters_elsewhere():
    m = world("n = 0\nd = {'n': 0}\ndef f():\n    global n\n    n = n + 2\ndef g():\n    d['n'] += 1\n")
    (effect,) = effects(m.f)
    assert (effect.kind, effect.where, effect.replay.delta) == ("counter", "program.py:5", 2)
    effect.replay.add()
    assert m.n == 4
    (effect,) = effects(m.g)
    assert (effect.kind, effect.where) == ("other", "program.py:7")

    calls = 0

    def h():
        nonlocal calls
        calls += 1

    (effect,) = effects(h)
    assert effect.kind == "counter"
    effect.replay.add()
    assert calls == 2


def test_tensors_in_globals_cells_lists_and_dicts():
    m = world(
        "def f(x):\n    global h\n    h = h + x\ndef g(x):\n    items[0] = items[0] + x\n"
        "    table['h'] = table['h'] + x\n",
        h=ft.zeros(1),
        items=[ft.zeros(1)],
        table={"h": ft.zeros(1)},
    )
    recording = record(m.f, ft.ones(1))
    (effect,) = recording.effects
    assert (effect.kind, effect.where) == ("attribute_tensor", "program.py:3")
    effect.replay.set(ft.full((1,), 9.0))
    assert m.h.item() == 9.0
    assert recording.checks.hold()
    recording = record(m.g, ft.ones(1))
    assert [e.kind for e in recording.effects] == ["attribute_tensor"] * 2
    for effect in recording.effects:
        effect.replay.set(ft.full((1,), 9.0))
    assert m.items[0].item() == m.table["h"].item() == 9.0
    assert recording.checks.hold()
    m.items.append(1)
    assert not recording.checks.hold()

    h = ft.zeros(1)

    def inner(x):
        nonlocal h
        h = h + x

    (effect,) = effects(inner, ft.ones(1))
    effect.replay.set(ft.full((1,), 9.0))
    assert h.item() == 9.0


@pytest.mark.parametrize(
    "line",
    [
        "log.append(x)",
        "table['a'] = x",
        "seen.add(x)",
        "thing.fresh = x",
        "thing.value = 'y'",
        "del thing.value",
        "Thing.shared = x",
        "queue.append(x)",
        "array[0] = x",
        "nested['a'][0].append(x)",
        "setattr(thing, 'value', x)",
        "vars(thing)['value'] = x",
        "thing.inner.value = x",
        "f.mark = x",
        "settings.rate = x",
        "log.sort(reverse=True)",
        "table.pop('b')",
        "bits[0] = 1",
        "default.append(x)",
        "globals_().update(k=x)",
        "thing.__class__ = Thing2",
        "ordered.move_to_end('a')",
        "np.add(array, 1, out=array)",
    ],
)
def test_other_changes(line):
    settings = types.ModuleType("settings")
    settings.rate = 1.0
    m = world(
        "import collections\nimport numpy as np\nclass Thing:\n    shared = 0.5\n"
        "    def __init__(self): self.value, self.inner = 1.5, None\n"
        "class Thing2(Thing): pass\nthing = Thing(); thing.inner = Thing()\n"
        "log, table, seen, queue = [1.0, 2.0], {'a': 0, 'b': 1}, set(), collections.deque()\n"
        "array, bits = np.zeros(3), bytearray(2)\n"
        "nested = {'a': [[]]}\nordered = collections.OrderedDict(a=1, b=2)\nglobals_ = globals\nk = 0\n"
        f"def f(x, default=[]):\n    {line}\n",
        settings=settings,
    )
    found = effects(m.f, 7)
    assert found, line
    assert {effect.kind for effect in found} <= {"other", "unwatchable"}, found


def test_what_a_run_makes_and_leaves_is_no_effect():
    m = world(
        "class Thing:\n    def __init__(self): self.v = []\n    def put(self, x): self.v.append(x); self.last = x\n"
        "def f(x):\n    t, total, d = Thing(), 0, {}\n    t.put(x)\n    def add(v):\n"
        "        nonlocal total\n        total += v\n        d['x'] = v\n"
        "    add(1); add(2)\n    items = [i for i in range(3)]\n    items.append(1)\n    return total\n"
    )
    assert effects(m.f, 1) == []


def test_a_first_time():
    m = world(
        "class A: pass\na = A(); a.cache = None\ndef f(x):\n    if a.cache is None:\n"
        "        a.cache = x + 1\n    return a.cache\n"
    )
    (effect,) = effects(m.f, ft.ones(1))
    assert (effect.kind, effect.settles) == ("attribute_tensor", True)
    recording = record(m.f, ft.ones(1))
    assert recording.effects == []
    m.a.cache = None
    assert not recording.checks.hold()


CALLS = {
    "print(1)": "print()",
    "time.time()": "time.time()",
    "time.perf_counter()": "time.perf_counter()",
    "random.random()": "random",
    "random.randint(1, 2)": "random.Random.randint()",
    "np.random.rand(2)": "numpy.random",
    "np.random.randn()": "numpy.random",
    "rng.normal()": "rng",
    "open(os.devnull).close()": "open()",
    "os.getcwd()": "os.getcwd()",
    "os.urandom(2)": "os.urandom()",
    "warnings.warn('x')": "warnings.warn()",
    "log.error('x')": "logging.Logger.error()",
    "datetime.datetime.now()": "datetime.now()",
    "uuid.uuid4()": "uuid4()",
    "threading.Thread(target=int).start()": "threading.Thread.start()",
    "input_('')": "input()",
}


@pytest.mark.parametrize("line", CALLS)
def test_calls(line, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    m = world(
        "import time, random, os, warnings, logging, datetime, uuid, threading\nimport numpy as np\n"
        "log = logging.getLogger('x')\n"
        f"log.propagate = False\nlog.addHandler(logging.NullHandler())\nrng = np.random.default_rng(0)\n"
        f"input_ = input\n\ndef f():\n    {line}\n"
    )

    def run():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                m.f()
            except EOFError:
                pass

    with Recording(m.f) as recording:
        run()
    found = [effect for effect in recording.effects if effect.kind == "call" and CALLS[line] in effect.what]
    assert found, recording.effects
    assert found[0].where == "program.py:10", found


def test_calls_that_do_nothing_outside():
    m = world(
        "import math, os.path, itertools, json, re, logging\nlog = logging.getLogger('quiet')\ndef f(x):\n"
        "    log.debug('x')\n"
        "    a = [math.sin(i) for i in range(3)]; a.sort()\n"
        "    return os.path.join('a', str(x)), sum(a), list(itertools.chain(a)), (\n"
        "        json.dumps(a), re.sub('a', 'b', 'c'), isinstance(x, int))\n"
    )
    assert effects(m.f, 1) == []
    checks = record(m.f, 1).checks
    logging.getLogger("quiet").setLevel(logging.DEBUG)
    try:
        assert not checks.hold()
    finally:
        logging.getLogger("quiet").setLevel(logging.NOTSET)


def test_the_environment_is_read(monkeypatch):
    monkeypatch.setenv("FLAMBEAU_TRIAL", "1")
    m = world("import os\ndef f():\n    return os.environ['FLAMBEAU_TRIAL']\n")
    recording = record(m.f)
    assert recording.effects == []
    monkeypatch.setenv("FLAMBEAU_TRIAL", "2")
    assert not recording.checks.hold()


def test_a_cached_result():
    @functools.lru_cache
    def cached(n):
        return n

    assert effects(lambda: cached(1)) == []
    (effect,) = effects(lambda: cached(1))
    assert effect.kind == "unwatchable"
    assert "lru_cache" in effect.what


@pytest.mark.parametrize("make", [nn.optim.Adam, nn.optim.SGD, nn.optim.AdamW, nn.optim.RMSprop])
def test_training_has_no_effects_of_its_own(make):
    net = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.5), nn.LSTM(4, 3))
    opt = make(net.parameters(), lr=0.01)

    def step(x):
        opt.zero_grad()
        loss = net(x)[0].square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        return loss

    x = ft.randn(5, 2)
    for _ in range(2):
        recording = record(step, x)
        assert recording.effects == [], recording.effects
        assert recording.checks.hold(), recording.checks.why()


def test_a_schedule_is_an_effect():
    p = nn.Parameter(ft.ones(1))
    opt = nn.optim.SGD([p], lr=1.0)
    schedule = nn.optim.lr_scheduler.StepLR(opt, 1)

    def step():
        (p * p).sum().backward()
        opt.step()
        schedule.step()

    assert any("lr" in effect.what for effect in effects(step))


def test_a_seeded_generator_that_is_not_used():
    m = world("import random\nrng = random.Random(1)\ndef f():\n    return rng is None\n", np=np)
    assert effects(m.f) == []
    assert random.random() is not None
    assert time.time() > 0


def test_tensors_in_a_dict_that_a_closure_holds():
    table = {0: ft.zeros(1), "h": ft.zeros(1)}

    def inner(x):
        table[0] = table[0] + x
        table["h"] = table["h"] + x

    found = effects(inner, ft.ones(1))
    assert sorted(effect.what.partition(" ")[0] for effect in found) == ["table['h']", "table[0]"]
    for effect in found:
        assert effect.kind == "attribute_tensor"
        effect.replay.set(ft.full((1,), 9.0))
    assert table[0].item() == table["h"].item() == 9.0
