"""Every test builds into a cache of its own, with the machine's real compilers."""

import gc
import os
import subprocess
import sys
import textwrap

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The folder that extensions are built in."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(folder))
    return folder


@pytest.fixture
def python():
    """Start a Python process that runs a piece of code; gives the Popen."""
    started = []

    def start(code, *arguments, **options):
        environment = {**os.environ, **options.pop("env", {})}
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            **options,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def run(python):
    """Run a piece of code in a Python process and give what it printed; its failure is the test's."""

    def finish(code, *arguments, **options):
        process = python(code, *arguments, **options)
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        return output

    return finish


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """Put a shell script in the place of the C compiler; gives its path."""

    def place(does):
        script = tmp_path / "my cc"
        script.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        script.chmod(0o755)
        monkeypatch.setenv("CC", f"'{script}'")
        return script

    return place


@pytest.fixture
def keeps_references():
    """Check that a call, its failure included, leaves as many references to a tensor and to None as there were."""

    def check(call, tensor):
        call()
        gc.collect()  # earlier tests' tracebacks hold None
        before = sys.getrefcount(tensor), sys.getrefcount(None)
        for _ in range(50):
            call()
        assert sys.getrefcount(tensor) == before[0]
        assert abs(sys.getrefcount(None) - before[1]) < 20

    return check
