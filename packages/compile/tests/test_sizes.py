"""Sizes that change: programs for further sizes share libraries, and compute what programs of their own compute."""

import os
import threading
import warnings

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_compile import api, compile, explain, plans
from flambeau_compile.sizes import Forms, Numbers

F = nn.functional
SIZES = (40, 64, 48, 57, 38)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def libraries(cache):
    return sum(name.endswith(".so") for _, _, names in os.walk(cache) for name in names)


def small_net():
    ft.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 10), nn.Tanh(), nn.LayerNorm(10), nn.Linear(10, 3))


def net_of(x):
    with no_grad():
        return NET(x).softmax(-1), NET(x).argmax(-1)


NET = small_net()
CASES = {
    "elementwise": lambda x: ((x * 2 + 1).relu() - x.sin()) / x.shape[0],
    "mean": lambda x: (x * x).mean(),
    "columns": lambda x: x.sum(0) * x.std(0),
    "strided": lambda x: x.t().exp() + x[:, :1].t(),
    "joined": lambda x: ft.cat([x, x.flip(0), ft.zeros(2, 6)]),
    "product": lambda x: x.t() @ x,
    "batches": lambda x: ft.bmm(x.view(-1, 1, 6), x.view(-1, 6, 1)),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "sorted": lambda x: x.sort(0)[0] * 2 + x.cumsum(0),
    "net": net_of,
    "loss": lambda x: F.cross_entropy(x, ft.arange(len(x)) % 6),
    "integers": lambda x: (x * 9).long() // 3 + len(x),
    "double": lambda x: (x.double() * 0.1).sum(1) / len(x),
    "triangle": lambda x: (x @ x.t()).tril(-1) + ft.eye(len(x)),
}


def flattened(o):
    return [t for each in o for t in flattened(each)] if isinstance(o, tuple) else [o]


@pytest.mark.parametrize("case", CASES)
def test_programs_share_libraries(case, cache):
    function = CASES[case]
    compiled, own = compile(function), compile(function, dynamic=False, recompile_limit=100)
    results, made = {}, []
    for n in SIZES:
        x = ft.randn(n, 6)
        compiled(x)
        results[n] = x, compiled(x)
        made.append(libraries(cache))
    assert explain(compiled).count("\n") == len(SIZES) - 1 and "eagerly" not in explain(compiled)
    assert made[-1] == made[-2], "later sizes still run the C compiler"
    for x, found in (results[57], results[38]):
        own(x)
        for t, expected in zip(flattened(found), flattened(own(x)), strict=True):
            assert ft.equal(t, expected) and t.stride() == expected.stride()


def test_histories_and_steps(cache):
    def run(**options):
        net = small_net()
        optimizer = nn.optim.Adam(net.parameters(), 0.1)

        def step(x, y):
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            return loss.detach()

        loss_of = compile(lambda x, y: F.mse_loss(net(x), y), **options)
        step = compile(step, **options)
        ft.manual_seed(1)
        found, made = [], []
        for n in SIZES[:4]:
            x, y = ft.randn(n, 6), ft.randn(n, 3)
            for _ in range(2):
                loss = loss_of(x, y)
                loss.backward()
                found += [loss.detach(), *(p.grad.clone() for p in net.parameters())]
                found.append(step(x, y))
            made.append(libraries(cache))
        assert "eagerly" not in explain(step) and "eagerly" not in explain(loss_of)
        return [*found, *net.parameters()], made

    found, made = run()
    assert made[-1] == made[-2], "later sizes still run the C compiler"
    expected, _ = run(dynamic=False, recompile_limit=100)
    assert all(map(ft.equal, found, expected))


def test_what_python_does_with_sizes_is_kept():
    def f(x):
        n = min(len(x), 50)
        return x * n if len(x) != 33 else x + n

    compiled = compile(f)
    for n in (20, 30, 40, 49, 50, 51, 60, 33, 70, 31):
        x = ft.randn(n, 8)
        compiled(x)
        assert ft.equal(compiled(x), f(x)), n


def test_many_sizes_stay_compiled(cache):
    compiled = compile(lambda x: (x * 3 + 1).cos().sum(-1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(2, 302):
            for _ in range(9):  # so that tracing pays
                found = compiled(ft.ones(n, 60))
            assert ft.equal(found, (ft.ones(n, 60) * 3 + 1).cos().sum(-1))
    assert libraries(cache) <= 8 and len(compiled.entries) <= api.MOST_SIZES


def test_tiny_programs_have_libraries_of_their_own_at_first():
    compiled = compile(lambda x: (x * 3 + 1).sum(-1))
    for n in range(1, 10):
        compiled(ft.ones(n, 2))
    levels = [entry.about["level"] for entry in reversed(compiled.entries)]
    assert levels[:4] == ["-O2"] * 4 and levels[-3:] == ["-O3"] * 3
    assert len({entry.about["library"] for entry in compiled.entries}) <= 8


def test_dynamic_expects_other_sizes_from_the_first():
    compiled = compile(lambda x: (x * 3 + 1).cos(), dynamic=True)
    for n in (100, 200, 300):
        compiled(ft.ones(n, 60))
    assert len({entry.about["library"] for entry in compiled.entries}) == 2
    own = compile(lambda x: (x * 3 + 1).cos(), dynamic=False)
    for n in (100, 200, 300):
        own(ft.ones(n, 60))
    assert len({entry.about["library"] for entry in own.entries}) == 3


def test_threads_share_a_library():
    function = lambda x: (x * 3 + 1).cos().cumsum(0) / len(x)  # noqa: E731
    compiled = compile(function)
    arguments = [ft.randn(n, 60) for n in (100, 200, 300, 400)]
    for x in arguments:
        compiled(x)
    expected = [function(x) for x in arguments]
    wrong = []

    def call(x, result):
        for _ in range(200):
            if not ft.equal(compiled(x), result):
                wrong.append(len(x))

    threads = [threading.Thread(target=call, args=pair) for pair in zip(arguments, expected, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- texts ----------------------------------------------------------------------------------------------------------

BODY = "\nint fl_run(void *const *p) {\n    "


def plan(text):
    return plans.Plan(text, "-O3", [1], [], 0, 0, [], [], [], False, False, 1)


def text_of(body, head=""):
    from flambeau_compile.printing import PRELUDE

    return f"{PRELUDE}{head}{BODY}{body}\n}}\n"


def test_numbers_are_told_from_names():
    found = Numbers(text_of("v12 = x3[4] * 0x1.8p-3f + 2.5e-05 - (-7LL) + 1e+16 + (i32)8; FL_VECTOR(f32, 16) s0_1;"))
    assert found.numbers == ["4", "0x1.8p-3", "2.5e-05", "7", "1e+16", "8"]
    assert [piece[-1] for piece in found.form[:-1]] == ["\0", "\3", "\2", "\1", "\2", "\0"]


def test_a_library_takes_only_texts_that_are_its_own():
    forms = Forms()
    first = forms.shared(plan(text_of("a[8] = 0x1.8p+0f * 16 + 8;")))
    assert first.functions == [1] and forms.shared(first) is first
    second = forms.shared(plan(text_of("a[9] = 0x1.0p+0f * 16 + 9;")))
    third = forms.shared(plan(text_of("a[5] = 0x1.4p+0f * 16 + 5;")))
    assert second.text == third.text and "a[fl_0] = ((f32)fl_1) * 16 + fl_0;" in second.text
    assert [len(p.functions[1]) for p in (second, third)] == [16, 16]
    assert second.functions[1] != third.functions[1]
    other = forms.shared(plan(text_of("a[5] = 0x1.4p+0f * 17 + 5;")))  # with more inputs
    assert other.text != second.text and "* fl_2 +" in other.text
    apart = forms.shared(plan(text_of("a[5] = 0x1.4p+0f * 17 + 6;")))  # numbers that were equal so far
    assert apart.text != other.text and "+ fl_3;" in apart.text
    alone = forms.shared(plan(text_of("b[5] = 0x1.4p+0f * 17 + 6;")))
    assert alone.functions == [1]


def test_functions_without_inputs_keep_their_numbers():
    forms = Forms()
    head = "static f32 twice(f32 x) {{\n    return x * {0};\n}}\n"
    for number in (2, 3, 4):
        made = plan(text_of("a[0] = twice(a[1]);", head.format(number)))
        assert forms.shared(made) is made
