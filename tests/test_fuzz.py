"""A slice of ``nox -s fuzz``: programs with PyTorch's outcomes, what once crashed, and damaged pickles."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"


def module(name):
    """A module of the folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"fuzz_{name}", FUZZ / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


outcomes, peers, programs, recorded = (module(name) for name in ("outcomes", "peers", "programs", "slice"))


@pytest.fixture(scope="module")
def worker():
    """A process with flambeau; under AddressSanitizer, which reserves all of it, without a limit on memory."""
    peer = peers.Peer(sys.executable, "flambeau", seconds=60, megabytes=0 if "LD_PRELOAD" in os.environ else 1500)
    yield peer
    peer.close()


def huge(program):
    """Whether it may ask for more memory than there is, which only a limit refuses at once."""
    return "LD_PRELOAD" in os.environ and any(word in program for word in ("2**", "10**", "1e30"))


def test_programs_have_the_outcomes_that_pytorch_gave_them(worker):
    cases = [(program, theirs) for program, theirs in recorded.stored() if not huge(program)]
    assert len(cases) > 1000
    found = worker.outcomes([program for program, _ in cases])
    different = [
        f"{program}\n{difference}"
        for (program, theirs), ours in zip(cases, found, strict=True)
        if (difference := outcomes.compare(ours, theirs, program))
    ]
    assert not different, "\n\n".join(different[:20])


def test_what_once_crashed_or_hung_does_not(worker):
    corpus = [text for text in (FUZZ / "corpus.txt").read_text().split("\n\n") if text.strip() and not huge(text)]
    dead = [(text, how) for text, how in zip(corpus, worker.outcomes(corpus), strict=True) if isinstance(how, str)]
    assert not dead, "\n\n".join(f"{text}\n{how}" for text, how in dead)


def test_damaged_files_load_or_raise():
    command = [sys.executable, str(FUZZ / "loaders.py"), "--count", "1500", "--seed", "7"]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stdout.rstrip().endswith("0 wrong")


def test_damaged_pickles_do_not_crash(worker):
    texts = [programs.damage(seed)[1] for seed in range(1000)]
    dead = [(text, how) for text, how in zip(texts, worker.outcomes(texts), strict=True) if isinstance(how, str)]
    assert not dead, "\n\n".join(f"{text}\n{how}" for text, how in dead)


def test_a_damaged_cache_is_built_again(worker):
    texts = [programs.cache(seed)[1] for seed in range(4)]
    assert [text for text, how in zip(texts, worker.outcomes(texts), strict=True) if how != ({}, {})] == []


def test_calls_that_fit_run(worker, monkeypatch):
    """Most of what families draw gets past its checks, and none of it kills the process."""
    monkeypatch.syspath_prepend(FUZZ)
    families = module("families")
    found = worker.outcomes([families.program(seed)[1] for seed in range(600)])
    assert not [how for how in found if isinstance(how, str)]
    assert sum(not errors for errors, _ in found) > 350


@pytest.mark.measures
def test_nothing_is_kept():
    """Of a part of the slice, and of programs with views, hooks and transforms; None is counted before Python 3.12."""
    command = [sys.executable, str(FUZZ / "leaks.py"), "--every", "40", "--draw", "100"]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr


def test_differences_are_seen(worker):
    number = ("value", "int", 3)
    tensor = ("tensor", "torch.float32", (2,), (1,), False, [1.0, float("nan")], None)
    same = {0: ("ValueError", ["ValueError", "Exception"], "")}
    assert outcomes.compare((same, {"r": tensor}), (same, {"r": tensor})) is None
    for ours, theirs, kind in [
        (({}, {"r": number}), ({}, {"r": ("value", "int", 4)}), "value"),
        (({}, {"r": tensor}), ({}, {"r": (*tensor[:5], [1.0, 2.0], None)}), "value"),
        (({}, {"r": tensor}), ({}, {"r": (*tensor[:3], (2,), *tensor[4:])}), "strides"),
        (({}, {"r": tensor}), ({}, {"r": (tensor[0], "torch.float64", *tensor[2:])}), "dtype"),
        (({}, {"r": tensor}), (same, {}), "accepted"),
        ((same, {}), ({}, {"r": tensor}), "refused"),
        ((same, {}), ({0: ("TypeError", ["TypeError"], "")}, {}), "type"),
        (("crash: SIGSEGV"), ({}, {}), "crash"),
    ]:
        assert outcomes.compare(ours, theirs)[0] == kind


def test_a_process_that_dies_is_replaced_and_what_killed_it_made_small(worker):
    kill = "import os\nx = 3\nos.kill(os.getpid(), 9)\ny = 4"
    first, second, third = worker.outcomes(["a = 1", kill, "b = 2"])
    assert first == ({}, {"a": ("value", "int", 1)}) and third == ({}, {"b": ("value", "int", 2)})
    assert second == "crash: SIGKILL"
    assert peers.minimize_crash(worker, ["a = 1", kill]) == ["import os\nos.kill(os.getpid(), 9)"]


def tensor(dtype, values, shape=None, grad=None):
    """What a worker tells of a tensor."""
    shape = (len(values),) if shape is None else shape
    strides = tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
    return ("tensor", f"torch.{dtype}", shape, strides, False, values, grad)


X = tensor("float32", [1.0, 3.0, 3.0, 2.0])
A = tensor("float64", [[2.0, 0.0], [0.0, 4.0]], (2, 2))
B = tensor("float64", [[2.0], [4.0]], (2, 1))
TWICE, NAN = tensor("int64", [0, 0]), float("nan")
Q, R = [[-1.0, 0.0], [0.0, -1.0]], [[-2.0, 0.0], [0.0, -4.0]]


def both(*parts):
    return ("tuple", [*parts], len(parts))


def floats(*values):
    return tensor("float32", list(values))


# Call, operands, our result, PyTorch's, whether the difference is one that was decided.
INVENTED = [
    ("torch.sort(a)", {"a": X}, both(floats(1, 2, 3, 3), tensor("int64", [0, 3, 2, 1])), (0, 3, 1, 2), True),
    ("torch.sort(a)", {"a": X}, both(floats(1, 2, 3, 3), tensor("int64", [3, 0, 1, 2])), (0, 3, 1, 2), False),
    ("torch.sort(a)", {"a": X}, both(floats(1, 2, 3, 4), tensor("int64", [0, 3, 1, 2])), (0, 3, 1, 2), False),
    ("torch.sort(a)", {"a": X}, both(floats(1, 2, 3, 3), tensor("int64", [0, 3, 1, 1])), (0, 3, 1, 2), False),
    ("torch.topk(a, 2, sorted=False)", {"a": X}, both(floats(2, 3)), both(floats(3, 2)), True),
    ("torch.topk(a, 2)", {"a": X}, both(floats(2, 3)), both(floats(3, 2)), False),
    ("a.median(0)", {"a": X}, both(floats(2)), both(floats(1e-40)), True),
    ("a.median(0)", {"a": X}, both(floats(3)), both(floats(2)), False),
    ("torch.argsort(a)", {"a": X}, tensor("int64", [0, 3, 2, 1]), tensor("int64", [0, 3, 1, 2]), True),
    ("torch.argsort(a)", {"a": X}, tensor("int64", [3, 0, 2, 1]), tensor("int64", [0, 3, 1, 2]), False),
    ("a.scatter(0, b, c)", {"a": floats(7, 8), "b": TWICE, "c": floats(5, 6)}, floats(5, 8), floats(6, 8), True),
    ("a.scatter(0, b, c)", {"a": floats(7, 8), "b": TWICE, "c": floats(5, 6)}, floats(5.5, 8), floats(6, 8), False),
    ("a.scatter(0, b, c)", {"a": floats(7, 8), "b": tensor("int64", [0, 1]), "c": floats(5, 6)}, floats(5, 8),
     floats(5, 6), False),
    ("torch.linalg_qr(a)", {"a": A}, both(tensor("float64", Q, (2, 2)), tensor("float64", R, (2, 2))), None, True),
    ("torch.linalg_qr(a)", {"a": A}, both(tensor("float64", Q, (2, 2)), tensor("float64", Q, (2, 2))), None, False),
    ("torch.linalg.lstsq(a, b)", {"a": A, "b": B}, both(tensor("float64", [[1.0], [2.0]], (2, 1))),
     both(tensor("float64", [[1.0], [1.0]], (2, 1))), False),
    ("torch.linalg.inv(a)", {"a": A}, tensor("float64", [[0.5, 0.0], [0.0, NAN]], (2, 2)),
     tensor("float64", [[0.5, 0.0], [0.0, 0.25]], (2, 2)), True),
    ("torch.linalg.inv(a)", {"a": A}, tensor("float64", [[0.7, 0.0], [0.0, NAN]], (2, 2)),
     tensor("float64", [[0.5, 0.0], [0.0, 0.25]], (2, 2)), False),
    ("torch.pinverse(a)", {"a": A}, tensor("float64", [[1.5, 0.0], [0.0, 0.25]], (2, 2)),
     tensor("float64", [[0.5, 0.0], [0.0, 0.25]], (2, 2)), False),
    ("a.squeeze(0)", {"a": X}, floats(1, 2), floats(1, 2, 3), False),
    ("a.unfold(0, 2, 1)", {"a": X}, floats(1, 2), floats(1, 3), False),
    ("torch.special.i0(a)", {"a": X}, floats(NAN, 2), floats(1, 2), True),
    ("torch.special.i0(a)", {"a": X}, floats(NAN, 2.5), floats(1, 2), False),
    ("a.split(2)", {"a": X}, both(floats(1, 3)), both(floats(1, 3), floats(3, 2)), False),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(INVENTED)))
def test_only_what_was_decided_is_excused(case, monkeypatch):
    """Names of operators excuse nothing: results must have the properties of those that differ by decision."""
    monkeypatch.syspath_prepend(FUZZ)
    known, checks = importlib.import_module("known"), importlib.import_module("checks")
    call, operands, mine, others, decided = INVENTED[case]
    if others is None:
        others = both(tensor("float64", [[1.0, 0.0], [0.0, 1.0]], (2, 2)), operands["a"])
    elif isinstance(others[0], int):
        others = both(floats(1, 2, 3, 3), tensor("int64", list(others)))
    program = "\n".join(
        [*(f"{name} = T({value[1][6:]!r}, {value[2]})" for name, value in operands.items()), f"r = {call}"]
    )
    ours, theirs = {**operands, "r": mine}, {**operands, "r": others}
    found = outcomes.compare(({}, ours), ({}, theirs), program)
    assert found is not None
    assert (known.reason(checks.Case(program, found, ours, theirs)) is not None) == decided


def test_what_is_nearer_to_float64_is_excused(monkeypatch):
    monkeypatch.syspath_prepend(FUZZ)
    checks = importlib.import_module("checks")
    program = "a = T('bfloat16', (1,))\nr = torch.matrix_exp(a)"

    def near(ours, theirs):
        sides = ({"r": tensor("bfloat16", [x])} for x in (ours, theirs))
        found = ("value", f"r value: [{ours}] for [{theirs}]")
        asked = []

        def reference(text):
            asked.append(text)
            return {"r": tensor("float64", [1.0])}

        nearer = checks.nearer(checks.Case(program, found, *sides, reference))
        assert "T('float64', (1,))" in asked[0]
        return nearer

    assert near(1.01, 1.5) and near(1.9, 1.5) and not near(3.0, 1.5)


def test_strides_of_views_are_no_matter_of_taste(monkeypatch):
    monkeypatch.syspath_prepend(FUZZ)
    shows_memory = importlib.import_module("known").shows_memory
    program = "a = T('float32', (2, 3))\nb = a.t()\nb.resize_(3, 2)\nc = torch.matmul(a, b)"
    assert shows_memory(program, "b strides: (2, 1) for (1, 3) of (3, 2)")
    assert not shows_memory(program, "c strides: (2, 1) for (1, 2) of (2, 2)")
