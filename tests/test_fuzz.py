"""A slice of ``nox -s fuzz``: programs with PyTorch's outcomes, what once crashed, and damaged pickles."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

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
