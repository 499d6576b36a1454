"""Effects of the environment: threads, CPU level, Python without docstrings, no autograd package."""

import os
import subprocess
import sys

import pytest

import flambeau_tensor as ft
from flambeau_tensor._core.elementwise import parallel


def run(code, *options, **environment):
    keep = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    return subprocess.run(
        [sys.executable, *options, "-c", code], env={**keep, **environment}, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"MKL_NUM_THREADS": "5"}, 5),
        ({"OMP_NUM_THREADS": "3", "MKL_NUM_THREADS": "5"}, 3),
        ({"OMP_NUM_THREADS": "4,2"}, 4),
        ({"OMP_NUM_THREADS": "0", "MKL_NUM_THREADS": "2"}, 2),
        ({"OMP_NUM_THREADS": "many"}, None),
    ],
)
def test_threads_to_begin_with(environment, threads, monkeypatch):
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    got = run("import flambeau_tensor as ft; print(ft.get_num_threads())", **environment)
    assert got.returncode == 0, got.stderr
    assert int(got.stdout) == (threads or parallel.default_threads())


@pytest.mark.parametrize(
    ("files", "share"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, float("inf")),
        ({}, float("inf")),
        ({"cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n"}, 0.5),
        ({"cpu.max": "?"}, float("inf")),
        ({"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}, float("inf")),
    ],
)
def test_the_share_that_a_control_group_grants(tmp_path, files, share):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert parallel._quota(str(tmp_path)) == share


def test_a_wrong_level_is_named():
    got = run("import flambeau_tensor", FLAMBEAU_CPU_LEVEL="v9")
    assert got.returncode == 1
    assert "ImportError: FLAMBEAU_CPU_LEVEL=v9: there is no such level of instructions" in got.stderr


def test_python_without_docstrings_and_assertions():
    code = "import flambeau_tensor as ft; print((ft.ones(2) + 1).tolist(), ft.block_diag(ft.ones(1)).tolist())"
    got = run(code, "-OO")
    assert (got.stdout, got.stderr) == ("[2.0, 2.0] [[1.0]]\n", "")


FACTORIES = [
    "tensor([1.])",
    "zeros(2)",
    "full((2,), 1.)",
    "empty(2)",
    "empty_strided((2,), (1,))",
    "rand(2)",
    "randn(2)",
    "ones_like(ft.ones(2))",
    "rand_like(ft.ones(2))",
    "arange(3.)",
    "eye(2)",
    "asarray([1.])",
    "linspace(0, 1, 3)",
    "ones(2).new_zeros(2)",
    "ones(2).new_tensor([1.])",
    "scalar_tensor(1.)",
]


def test_gradients_need_the_package_for_them():
    """Each operation requires the package, but tensors without requires_grad, and False, are accepted."""
    code = f"""
import flambeau_tensor as ft
for call in {FACTORIES}:
    assert eval(f"ft.{{call[:-1]}}, requires_grad=False)").numel()
    try:
        print(call, eval(f"ft.{{call[:-1]}}, requires_grad=True)"))
    except RuntimeError as error:
        if "needs flambeau-autograd: pip install flambeau-autograd" not in str(error):
            print(call, error)
"""
    got = run(code)
    assert (got.stdout, got.stderr) == ("", "")
    for call in ("tensor([1])", "zeros(2, dtype=ft.int64)", "randperm(3)"):
        with pytest.raises(RuntimeError, match="floating point and complex dtype can require gradients"):
            eval(f"ft.{call[:-1]}, requires_grad=True)", {"ft": ft})
