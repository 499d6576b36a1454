"""Cython sources: translated, compiled and cached like others; tensors are memoryviews to them."""

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft
from flambeau_cext import CompileError

pytest.importorskip("Cython")

QUICK = {"extra_cflags": ["-O0"]}

SUM = """
def total(double[:, :] x):
    "The sum of all elements."
    cdef double s = 0
    cdef Py_ssize_t i, j
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s += x[i, j]
    return s

def scale(double[:] x, double factor):
    for i in range(x.shape[0]):
        x[i] *= factor

def read(const float[::1] x):
    return x[0]
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cython")
    return cext.load_inline("sums", cython_sources=SUM, functions=["total"], build_directory=folder, **QUICK)


def test_tensors_are_memoryviews(module):
    x = ft.arange(12.0, dtype=ft.float64).reshape(3, 4)
    assert module.total(x) == 66.0
    assert module.total(x.t()) == 66.0
    assert module.total(x[:, ::2]) == 30.0
    assert module.total.__doc__ == "The sum of all elements."
    row = x[1]
    module.scale(row, 2.0)
    assert x.tolist()[1] == [8.0, 10.0, 12.0, 14.0]


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_what_is_no_such_memoryview(module):
    with pytest.raises(ValueError, match="Buffer dtype mismatch, expected 'double' but got 'float'"):
        module.total(ft.ones(2, 2))
    with pytest.raises(ValueError, match="wrong number of dimensions"):
        module.total(ft.ones(2, dtype=ft.float64))
    with pytest.raises(ValueError, match="not C.contiguous"):
        module.read(ft.ones(4, 4)[:, 0])
    array = np.ones(3)
    array.flags.writeable = False
    with pytest.raises((ValueError, BufferError), match="read.only"):
        module.scale(ft.from_numpy(array), 2.0)
    assert array.tolist() == [1.0, 1.0, 1.0]


def test_cxx_and_c_beside_it(tmp_path):
    source = '''# distutils: language = c++
from libcpp.vector cimport vector
cdef extern from *:
    """extern "C" double half(double x);"""
    double half(double)

def halves(values):
    cdef vector[double] kept = values
    return [half(x) for x in kept]
'''
    beside = 'extern "C" double half(double x) { return x / 2; }'
    module = cext.load_inline("halves", beside, cython_sources=source, **QUICK)
    assert module.halves([1.0, 3.0]) == [0.5, 1.5]


def test_files_and_what_they_include(tmp_path):
    folder = tmp_path / "mes sources é"
    folder.mkdir()
    (folder / "steps.pxi").write_text("STEP = 2\n", encoding="utf-8")
    (folder / "shared.pxd").write_text("cdef inline int twice(int n): return 2 * n\n", encoding="utf-8")
    (folder / "walk.pyx").write_text(
        'from shared cimport twice\ninclude "steps.pxi"\ndef walk(int n): return twice(n) + STEP\n', encoding="utf-8"
    )
    assert cext.load("walk", folder / "walk.pyx", **QUICK).walk(5) == 12
    (folder / "steps.pxi").write_text("STEP = 3\n", encoding="utf-8")
    assert cext.load("walk", folder / "walk.pyx", **QUICK).walk(5) == 13
    (folder / "shared.pxd").write_text("cdef inline int twice(int n): return 4 * n\n", encoding="utf-8")
    assert cext.load("walk", folder / "walk.pyx", **QUICK).walk(5) == 23


def test_warm_it_is_not_translated_again(run):
    code = """
        import sys, time
        import flambeau_cext
        started = time.perf_counter()
        module = flambeau_cext.load_inline("quick", cython_sources="def f(x): return x + 1")
        print(time.perf_counter() - started)
    """
    cold, warm = float(run(code)), float(run(code))
    assert warm < cold / 5


def test_a_syntax_error_comes_first():
    with pytest.raises(CompileError) as caught:
        cext.load_inline("wrong", cython_sources="def fine(): pass\n\ndef f(x):\n    return x +\n")
    head, line, *_, last = str(caught.value).splitlines()
    assert head.endswith("wrong.pyx:4:14: error: Expected an identifier or literal")
    assert "return x +" in line and "full log" in last


def test_functions_that_it_does_not_define():
    with pytest.raises(ValueError, match=r"function 'g' is not defined by names\.pyx"):
        cext.load_inline("names", cython_sources="def f(): pass\n", functions=["f", "g"], **QUICK)


def test_without_cython(run):
    code = """
        import sys
        sys.modules["Cython"] = None
        import importlib.util
        real = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *rest: None if name == "Cython" else real(name, *rest)
        import flambeau_cext
        try:
            flambeau_cext.load_inline("x", cython_sources="")
        except flambeau_cext.CompileError as error:
            print(error)
    """
    assert run(code).strip() == "Cython sources need Cython: pip install cython"


def test_numpy_from_cython():
    source = """
cimport numpy as np
np.import_array()

def largest(x):
    cdef np.ndarray array = x.numpy()
    return array.max(), np.PyArray_NDIM(array)
"""
    module = cext.load_inline("with_numpy", cython_sources=source, **QUICK)
    assert module.largest(ft.tensor([[1.0, 5.0, 2.0]])) == (5.0, 2)
