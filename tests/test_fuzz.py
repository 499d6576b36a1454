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
HURT = tensor("float64", [[2.0, float("inf")], [0.0, 4.0]], (2, 2))
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
     tensor("float64", [[0.5, 0.0], [0.0, 0.25]], (2, 2)), False),
    ("torch.linalg.inv(a)", {"a": HURT}, tensor("float64", [[0.5, 0.0], [0.0, NAN]], (2, 2)),
     tensor("float64", [[0.5, 0.0], [0.0, 0.25]], (2, 2)), True),
    ("torch.linalg.inv(a)", {"a": A}, tensor("float64", [[0.7, 0.0], [0.0, NAN]], (2, 2)),
     tensor("float64", [[0.5, 0.0], [0.0, 0.25]], (2, 2)), False),
    ("torch.pinverse(a)", {"a": A}, tensor("float64", [[1.5, 0.0], [0.0, 0.25]], (2, 2)),
     tensor("float64", [[0.5, 0.0], [0.0, 0.25]], (2, 2)), False),
    ("a.squeeze(0)", {"a": X}, floats(1, 2), floats(1, 2, 3), False),
    ("a.unfold(0, 2, 1)", {"a": X}, floats(1, 2), floats(1, 3), False),
    ("torch.special.i0(a)", {"a": X}, floats(float("inf"), 2), floats(NAN, 2), True),
    ("torch.special.i0(a)", {"a": X}, floats(NAN, 2), floats(1, 2), False),
    ("torch.special.i0(a)", {"a": X}, floats(NAN, 2.5), floats(1, 2), False),
    ("torch.unique(a, dim=1)", {"a": A}, A, (*A[:3], (1, 2), *A[4:]), True),
    ("torch.unique(a, dim=1)", {"a": A}, (*A[:3], (1, 2), *A[4:]), A, False),
    ("torch.linalg.solve(a, a, out=b)", {"a": A}, A, (*A[:3], (1, 2), *A[4:]), True),
    ("torch.linalg.solve(a, a, out=b)", {"a": A}, A, (*A[:3], (4, 2), *A[4:]), False),
    ("torch.einsum('ij->ji', a)", {"a": A}, (*A[:3], (1, 2), *A[4:]), A, True),
    ("torch.einsum('ij->ji', a)", {"a": A}, (*A[:3], (4, 2), *A[4:]), A, False),
    ("torch.func.vmap(torch.func.grad(f))(a)", {"a": A}, (*A[:3], (0, 1), *A[4:]), A, True),
    ("torch.add(a, a)", {"a": A}, (*A[:3], (0, 1), *A[4:]), A, False),
    ("torch.add(a, a)", {"a": (*A[:3], (1, 1), *A[4:])}, (*A[:3], (1, 2), *A[4:]), A, True),
    ("torch.cholesky_solve(b, a)", {"a": tensor("float64", [[1.0, 0.0], [2.0, 0.0]], (2, 2)), "b": B},
     tensor("float64", [[NAN], [1.0]], (2, 1)), tensor("float64", [[NAN], [float("inf")]], (2, 1)), True),
    ("torch.cholesky_solve(b, a)", {"a": A, "b": B},
     tensor("float64", [[NAN], [1.0]], (2, 1)), tensor("float64", [[NAN], [float("inf")]], (2, 1)), False),
    ("torch.triplet_margin_loss(a, a, b, p=0.1)", {"a": tensor("int32", [2**31 - 1] * 4), "b": X},
     floats(1.2e11, 5e6), floats(1.2001e11, 0), True),
    ("torch.triplet_margin_loss(a, a, b, p=0.1)", {"a": X, "b": X}, floats(1.2e11, 5e6), floats(1.2001e11, 0), False),
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


FIELDS = ["tag", "dtype", "shape", "strides", "requires_grad", "values", "grad", "memory", "version"]
SMALL = (*tensor("float32", [1.0, 2.0, 3.0]), "a", 0)
SQUARE = (*tensor("float32", [[1.0, 2.0], [3.0, 4.0]], (2, 2)), "a", 0)
LEAF = (*SMALL[:4], True, SMALL[5], tensor("float32", [1.0, 1.0, 1.0]), "a", 0)
OURS = {"memory": "r"}  # of a result that shares with nothing
REFUSED = {1: ("IndexError", ["IndexError", "LookupError", "Exception"], "out of range")}
F32, F64 = "T('float32', (3,))", "T('float64', (3,))"

# What is wrong, the program, the name, what PyTorch has there, and what is another in ours; or the errors of both.
FAULTS = {
    "strides of a view": (f"a = {F32}\nb = a.t()", "b", SQUARE, {"strides": (1, 2)}),
    "strides after t_": (f"a = {F32}\na.t_()", "a", SQUARE, {"strides": (1, 2)}),
    "dtype of a sum": (f"a = {F32}\nr = a + 1", "r", SMALL, {"dtype": "torch.float64"}),
    "dtype of a private operator": (f"a = {F32}\nr = torch._softmax(a, 0, False)", "r", SMALL, {"dtype": "torch.int8"}),
    "a write that is counted twice": (f"a = {F32}\na.add_(1)", "a", SMALL, {"version": 1}),
    "a write to out= that is not counted": (
        f"a = {F32}\nr = torch.ones(3, out=a)", "a", (*SMALL[:8], 1), {"version": 0}
    ),
    "a lost history": (f"a = {F32}\nr = a * 2", "r", (*SMALL[:4], True, *SMALL[5:]), {"requires_grad": False}),
    "a history of a comparison": (f"a = {F32}\nr = a > 0", "r", SMALL, {"requires_grad": True}),
    "a history after detach": (f"a = {F32}\nb = a.detach()", "b", SMALL, {"requires_grad": True}),
    "a copy that shares": (f"a = {F32}\nr = a.clone()", "r", (*SMALL[:7], "r", 0), {"memory": "a"}),
    "a view that shares nothing": (f"a = {F32}\nb = a[0:]", "b", SMALL, {"memory": "b"}),
    "another object": (f"a = {F32}\nr = a.contiguous()", "r", ("same", "a"), SMALL),
    "the same object": (f"a = {F32}\nr = a + 0", "r", SMALL, ("same", "a")),
    "a second derivative": (
        f"a = {F64}\nr = torch.func.hessian(lambda x: x.sin().sum())(a)", "r", SQUARE,
        {"values": [[1.0, 2.0], [3.0, 5.0]]},
    ),
    "a gradient of a gradient": (
        f"a = {F32}\ng = torch.autograd.grad(a.exp().sum(), a, create_graph=True)\ng[0].sum().backward()", "a", LEAF,
        {"grad": tensor("float32", [1.0, 1.0, 0.0])},
    ),
    "a write through a view": (f"a = {F32}\nb = a[0:]\nb.mul_(2)", "a", SMALL, {"values": [2.0, 4.0, 3.0]}),
    "a write through .data": (f"a = {F32}\nb = a.data\nb.mul_(2)", "a", SMALL, {"values": [2.0, 4.0, 3.0]}),
    "out= that is not written": (
        f"a = {F32}\nb = {F32}\nr = torch.add(a, 1, out=b)", "b", SMALL, {"values": [0.0, 0.0, 0.0]}
    ),
    "a name that is lost": (f"a = {F32}\nr = a.sin()", "r", SMALL, None),
    "a gradient that is lost": (f"a = {F32}\na.sum().backward()", "a", LEAF, {"grad": None}),
    "the shape of a gradient": (
        f"a = {F32}\na.sum().backward()", "a", LEAF, {"grad": tensor("float32", [[1.0], [1.0], [1.0]], (3, 1))}
    ),
    "the dtype of a gradient": (
        f"a = {F32}\na.sum().backward()", "a", LEAF, {"grad": tensor("float64", [1.0, 1.0, 1.0])}
    ),
    "a number in a half type": ("a = T('float16', (3,))\nr = a.exp()", "r", SMALL, {"values": [1.0, 2.0, 3.5]}),
    "the class of an error": (f"a = {F32}\nr = a[3]", {1: ("TypeError", ["TypeError", "Exception"], "")}, REFUSED),
    "an error that is missing": (f"a = {F32}\nr = a[3]", {}, REFUSED),
    "an error that is too many": (f"a = {F32}\nr = a[3]", REFUSED, {}),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_invented_faults_are_caught(fault, monkeypatch):
    monkeypatch.syspath_prepend(FUZZ)
    known, checks = importlib.import_module("known"), importlib.import_module("checks")
    program, *rest = FAULTS[fault]
    a = {"a": SMALL}
    if len(rest) == 2:
        ours, theirs = (rest[0], a), (rest[1], a)
    else:
        name, value, change = rest
        theirs = ({}, {**a, name: value})
        if isinstance(change, dict):
            change = tuple(change.get(field, old) for field, old in zip(FIELDS, value, strict=True))
        ours = ({}, {**a, name: change} if change else a)
    found = outcomes.compare(ours, theirs, program)
    assert found is not None
    case = checks.Case(program, found, ours[1], theirs[1], lambda text: {**theirs[1], "r": SMALL})
    assert known.reason(case) is None
    if found[0] == "strides":
        assert importlib.import_module("sharing").shows_memory(program, found[1])
    else:
        assert found[0] in {*outcomes.WRONG, "type", "accepted", "refused"}


def test_each_difference_that_is_excused_is_stated_in_the_pages(monkeypatch):
    monkeypatch.syspath_prepend(FUZZ)
    known = importlib.import_module("known")
    pages = (FUZZ.parent / "docs").glob("differences*/*.md")
    pages = [FUZZ.parent / "docs" / "differences.md", *pages]
    text = " ".join(" ".join(page.read_text().split()) for page in pages)
    assert [row[3] for row in known.DECIDED if row[3] not in text] == []
    assert all(callable(row[2]) for row in known.DECIDED)


def test_strides_of_views_are_no_matter_of_taste(monkeypatch):
    monkeypatch.syspath_prepend(FUZZ)
    shows_memory = importlib.import_module("sharing").shows_memory
    program = "a = T('float32', (2, 3))\nb = a.t()\nb.resize_(3, 2)\nc = torch.matmul(a, b)"
    assert shows_memory(program, "b strides: (2, 1) for (1, 3) of (3, 2)")
    assert not shows_memory(program, "c strides: (2, 1) for (1, 2) of (2, 2)")
