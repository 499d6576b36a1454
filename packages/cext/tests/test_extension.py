"""Extensions of packages: `setup.py` builds them with setuptools, CMake and meson with the command line."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import flambeau_cext as cext

pytestmark = pytest.mark.builder

pytest.importorskip("setuptools")

KERNEL = r"""
#include <flambeau/tensor.h>
#include "factor.h"
fl_tensor scaled(fl_tensor x) {
    if (FL_CHECK(x, FL_FLOAT32, FL_ANY)) return NULL;
    fl_tensor y = fl_empty_like(x);
    if (!y) return NULL;
    for (int64_t i = 0; i < fl_numel(x); i++) ((float *)fl_data(y))[i] = FACTOR * ((const float *)fl_const_data(x))[i];
    return y;
}
"""
SETUP = """
from setuptools import setup
from flambeau_cext import BuildExtension, CExtension, CppExtension, CythonExtension
setup(name="mine", version="1", packages=["mine"], ext_modules=[{extensions}],
      cmdclass={{"build_ext": {command}}})
"""
C_EXTENSION = 'CExtension("mine.kernels", ["src/kernel.c"], functions=["scaled"], include_dirs=["src"]{more})'
USE = "import mine.kernels as k, flambeau_tensor as ft; print(k.__file__, k.scaled(ft.ones(2)).tolist(), sep='\\n')"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "my project"
    (folder / "src").mkdir(parents=True)
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").touch()
    (folder / "src" / "kernel.c").write_text(KERNEL, encoding="utf-8")
    (folder / "src" / "factor.h").write_text("#define FACTOR 2\n", encoding="utf-8")
    return folder


def setup(project, extensions, *arguments, command="BuildExtension", env=None):
    text = SETUP.format(extensions=extensions, command=command)
    (project / "setup.py").write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-W", "ignore", "setup.py", "build_ext", "--inplace", *arguments],
        cwd=project, capture_output=True, text=True, check=False, env={**os.environ, **(env or {})},
    )  # fmt: skip


def built(project, extensions, **options):
    """Build in place, and give the name of the file and what its function returns."""
    done = setup(project, extensions, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([sys.executable, "-c", USE], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    file, values = done.stdout.splitlines()
    return Path(file).name, values


@pytest.mark.parametrize("command", ["BuildExtension", "BuildExtension.with_options(use_ninja=False)"])
def test_a_kernel_in_c(project, command):
    extension = C_EXTENSION.format(more="")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert built(project, extension, command=command) == (f"kernels{suffix}", "[2.0, 2.0]")
    (project / "src" / "factor.h").write_text("#define FACTOR 3\n", encoding="utf-8")  # a changed header is noticed
    assert built(project, extension, command=command) == (f"kernels{suffix}", "[3.0, 3.0]")


def test_ninja_compiles_only_what_changed(project):
    if not cext.is_ninja_available():
        pytest.skip("ninja is not installed")
    (project / "src" / "other.c").write_text("int other(void) { return 1; }\n", encoding="utf-8")
    extension = C_EXTENSION.replace('["src/kernel.c"]', '["src/kernel.c", "src/other.c"]').format(more="")
    compiled = []
    for _ in range(2):
        done = setup(project, extension)
        assert done.returncode == 0, done.stdout + done.stderr
        compiled.append([name for name in ("kernel.c", "other.c", "bindings.c") if f"{name} -o" in done.stdout])
        (project / "src" / "factor.h").write_text("#define FACTOR 3\n", encoding="utf-8")
    assert compiled == [["kernel.c", "other.c", "bindings.c"], ["kernel.c"]]


def test_names_of_files(project):
    extension = C_EXTENSION.format(more="")
    without = "BuildExtension.with_options(no_python_abi_suffix=True)"
    suffix = sysconfig.get_config_var("EXT_SUFFIX").rpartition(".")[2]
    assert built(project, extension, command=without) == (f"kernels.{suffix}", "[2.0, 2.0]")
    (project / "mine" / f"kernels.{suffix}").unlink()
    if sys.platform != "win32":
        stable = C_EXTENSION.format(more=", py_limited_api=True")
        assert built(project, stable) == (f"kernels.abi3.{suffix}", "[2.0, 2.0]")


def test_both_languages(project):
    (project / "src" / "kernel.cpp").write_text(
        '#include <string>\nextern "C" int length(const char *);\n'
        "int twice(const std::string &s) { return STANDARD * 2 * length(s.c_str()) + (__cplusplus >= 202002L); }\n",
        encoding="utf-8",
    )
    (project / "src" / "length.c").write_text(
        "#include <string.h>\nint length(const char *class) { return strlen(class); }\n", encoding="utf-8"
    )
    extension = (
        'CppExtension("mine.text", ["src/kernel.cpp", "src/length.c"], functions={"twice": "Twice the length."}, '
        'extra_compile_args={"cxx": ["-std=c++20", "-DSTANDARD=1"], "c": ["-std=c99"]})'
    )
    done = setup(project, extension)
    assert done.returncode == 0, done.stdout + done.stderr
    use = "import mine.text as t; print(t.twice('four'), t.twice.__doc__)"
    done = subprocess.run([sys.executable, "-c", use], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout == "9 Twice the length.\n"


def test_cython(project):
    pytest.importorskip("Cython")
    (project / "src" / "fast.pyx").write_text("def total(double[:] x): return x[0] + x[1]\n", encoding="utf-8")
    extension = 'CythonExtension("mine.fast", ["src/fast.pyx"], extra_compile_args=["-O0"])'
    done = setup(project, extension)
    assert done.returncode == 0, done.stdout + done.stderr
    use = "import mine.fast as f, flambeau_tensor as ft; print(f.total(ft.tensor([1, 2], dtype=ft.float64)))"
    done = subprocess.run([sys.executable, "-c", use], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout == "3.0\n"


@pytest.mark.parametrize("command", ["BuildExtension", "BuildExtension.with_options(use_ninja=False)"])
def test_the_first_error_is_the_error(project, command):
    (project / "src" / "kernel.c").write_text("int scaled(int n) {\n    return n +;\n}\n", encoding="utf-8")
    done = setup(project, C_EXTENSION.format(more=""), command=command)
    assert done.returncode == 1
    error = done.stderr[done.stderr.index("error: ") :].splitlines()
    assert error[0].startswith("error: src/kernel.c:2:"), done.stderr
    assert "return n +;" in error[1] and "the full log is in " in error[-1]
    log = project / error[-1].rpartition("the full log is in ")[2]
    assert "src/kernel.c:2:" in log.read_text(encoding="utf-8")


def test_arguments():
    extension = cext.CppExtension("a.b", ["x.cpp"], include_dirs=["mine"], libraries=["m"], functions=["f"])
    assert extension.language == "c++" and extension.functions == {"f": ""} and extension.libraries == ["m"]
    assert extension.include_dirs == ["mine", *cext.include_paths()]
    with pytest.raises(NotImplementedError, match=r"CUDAExtension\(\): a.b: flambeau has no CUDA devices"):
        cext.CUDAExtension("a.b", ["x.cu"])
    with pytest.raises(NotImplementedError, match=r"SyclExtension\(\): a.b: flambeau has no SYCL devices"):
        cext.SyclExtension("a.b", ["x.sycl"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'use_make'"):
        cext.BuildExtension.with_options(use_make=True)
    assert cext.CUDA_HOME is cext.ROCM_HOME is None
    assert Path(cext.get_cxx_compiler()).exists()
    assert cext.get_default_build_root() == os.environ["FLAMBEAU_EXTENSIONS_DIR"]


def test_without_ninja(monkeypatch, project):
    monkeypatch.setenv("PATH", "/nonexistent")
    cext.ninja.find.cache_clear()
    try:
        assert not cext.is_ninja_available()
        with pytest.raises(RuntimeError, match="Ninja is required"):
            cext.verify_ninja_availability()
    finally:
        cext.ninja.find.cache_clear()


def test_bindings_from_the_command_line(project):
    command = [sys.executable, "-m", "flambeau_cext", "bindings", "kernels", "src/kernel.c", "-f", "scaled", "-Isrc"]
    subprocess.run([*command, "-o", "bindings.c"], cwd=project, check=True)
    include = subprocess.run([sys.executable, "-m", "flambeau_cext", "include-paths"], capture_output=True, text=True,
                             check=True).stdout.splitlines()  # fmt: skip
    assert include == cext.include_paths()
    compiler = [shutil.which("cc"), "-shared", "-fPIC", "-Isrc", f"-I{sysconfig.get_paths()['include']}"]
    compiler += [*(f"-I{folder}" for folder in include), "src/kernel.c", "bindings.c", "-o", "mine/kernels.so"]
    subprocess.run(compiler, cwd=project, check=True)
    done = subprocess.run([sys.executable, "-c", USE], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "[2.0, 2.0]"
    command += ["-f", "absent", "-o", "x.c"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "no source declares the function 'absent'" in done.stderr


CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(mine LANGUAGES C CXX)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(flambeau_cext REQUIRED)
flambeau_add_extension(kernels SOURCES src/kernel.c FUNCTIONS scaled)
target_include_directories(kernels PRIVATE src)
set_target_properties(kernels PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/mine)
"""


def test_cmake(project):
    if not shutil.which("cmake"):
        pytest.skip("CMake is not installed")
    (project / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
    subprocess.run(
        ["cmake", "-S", ".", "-B", "build", f"-DPython_EXECUTABLE={sys.executable}",
         f"-Dflambeau_cext_ROOT={cext.get_cmake_dir()}"], cwd=project, check=True, capture_output=True,
    )  # fmt: skip
    subprocess.run(["cmake", "--build", "build"], cwd=project, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", USE], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "[2.0, 2.0]"
