"""create_extension: the extension-ffi example of early PyTorch, from C sources and a build script to a package."""

import os
import subprocess
import sys

import pytest

import flambeau_cext as cext
from flambeau_cext.ffi import create_extension

HEADER = """
int my_lib_add_forward(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output);
int my_lib_add_backward(THFloatTensor *grad_output, THFloatTensor *grad_input);
"""
SOURCE = """
#include <TH/TH.h>

int my_lib_add_forward(THFloatTensor *input1, THFloatTensor *input2, THFloatTensor *output)
{
    if (!THFloatTensor_isSameSizeAs(input1, input2))
        return 0;
    THFloatTensor_resizeAs(output, input1);
    THFloatTensor_cadd(output, input1, 1.0, input2);
    return 1;
}

int my_lib_add_backward(THFloatTensor *grad_output, THFloatTensor *grad_input)
{
    THFloatTensor_resizeAs(grad_input, grad_output);
    THFloatTensor_fill(grad_input, 1);
    return 1;
}
"""
BUILD = """
from flambeau_cext.ffi import create_extension

ffi = create_extension(
    '_ext.my_lib',
    headers=['src/my_lib.h'],
    sources=['src/my_lib.c'],
    define_macros=[],
    relative_to=__file__,
    with_cuda=False
)

if __name__ == '__main__':
    ffi.build()
"""
USE = """
import flambeau_tensor as torch
from _ext import my_lib
a, b, out, grad = torch.ones(2, 3), torch.full((2, 3), 2.0), torch.zeros(0), torch.zeros(0)
print(my_lib.my_lib_add_forward(a, b, out), out.tolist())
print(my_lib.my_lib_add_backward(out, grad), grad.tolist(), my_lib.my_lib_add_forward(a, b[:1], out))
print(my_lib.__all__)
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "old project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "my_lib.h").write_text(HEADER, encoding="utf-8")
    (folder / "src" / "my_lib.c").write_text(SOURCE, encoding="utf-8")
    (folder / "build.py").write_text(BUILD, encoding="utf-8")
    return folder


def test_the_example(project, tmp_path):
    subprocess.run([sys.executable, str(project / "build.py")], check=True, cwd=tmp_path)
    done = subprocess.run([sys.executable, "-c", USE], check=True, cwd=project, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "1 [[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]",
        "1 [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]] 0",
        "['my_lib_add_forward', 'my_lib_add_backward']",
    ]


def test_an_installed_package(project):
    (project / "setup.py").write_text(
        "from setuptools import setup\nfrom flambeau_cext import BuildExtension\nfrom build import ffi\n"
        'setup(name="old", version="1", ext_modules=[ffi.setuptools()], cmdclass={"build_ext": BuildExtension})\n',
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(project), os.environ.get("PYTHONPATH", "")])}
    (project / "_ext").mkdir()
    command = [sys.executable, "-W", "ignore", "setup.py", "build_ext", "--inplace"]
    subprocess.run(command, check=True, cwd=project, env=environment, capture_output=True)
    use = "import flambeau_tensor as t, _ext.my_lib as lib\nprint(lib.my_lib_add_backward(t.ones(2), t.zeros(0)))"
    done = subprocess.run([sys.executable, "-c", use], check=True, cwd=project, capture_output=True, text=True)
    assert done.stdout == "1\n"


def test_a_library_beside_the_build_script(project):
    """Its folder, like the others, is relative to the script."""
    (project / "lib").mkdir()
    (project / "lib" / "seven.c").write_text("int seven(void) { return 7; }\n", encoding="utf-8")
    subprocess.run(["cc", "-fPIC", "-c", "seven.c", "-o", "seven.o"], check=True, cwd=project / "lib")
    subprocess.run(["ar", "rcs", "libseven.a", "seven.o"], check=True, cwd=project / "lib")
    (project / "src" / "my_lib.h").write_text("int eight(void);\n", encoding="utf-8")
    (project / "src" / "my_lib.c").write_text(
        "int seven(void);\nint eight(void) { return seven() + 1; }\n", encoding="utf-8"
    )
    described = BUILD.replace("define_macros=[]", "library_dirs=['lib'], libraries=['seven']")
    (project / "build.py").write_text(described, encoding="utf-8")
    subprocess.run([sys.executable, "build.py"], check=True, cwd=project)
    use = "from _ext import my_lib\nprint(my_lib.eight())"
    done = subprocess.run([sys.executable, "-c", use], check=True, cwd=project, capture_output=True, text=True)
    assert done.stdout == "8\n"


def test_wrong_calls(project):
    build = {"headers": ["src/my_lib.h"], "sources": ["src/my_lib.c"], "relative_to": project / "build.py"}
    with pytest.raises(NotImplementedError, match="'with_cuda': flambeau has no CUDA devices"):
        create_extension("a", **build, with_cuda=True)
    with pytest.raises(ValueError, match=r"'name' \(position 1\) must be a dotted name, got 'a-b'"):
        create_extension("a-b", **build)
    with pytest.raises(TypeError, match="unexpected keyword argument 'optimise'"):
        create_extension("a", **build, optimise=True)
    (project / "src" / "my_lib.h").write_text("int other;\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no function is declared in src/my_lib.h"):
        create_extension("a", **build).build()
    with pytest.raises(cext.CompileError, match=r"headers\.c:2:10: fatal error: .*no\.h"):
        create_extension("a", **{**build, "headers": "src/no.h"}).build()


ALL = r"""
#include <TH/TH.h>
#define CHECK(condition) if (!(condition)) { THError("line %d: " #condition, __LINE__); return; }
#define TEST(Real, real)                                                                  \
    void test_##Real(TH##Real##Tensor *t) {                                               \
        TH##Real##Tensor *r = TH##Real##Tensor_new(), *m = TH##Real##Tensor_newWithSize2d(2, 3), *c;  \
        CHECK(TH##Real##Tensor_nElement(r) == 0)                                          \
        CHECK(TH##Real##Tensor_nDimension(m) == 2 && TH##Real##Tensor_size(m, -1) == 3)   \
        CHECK(TH##Real##Tensor_stride(m, 0) == 3 && TH##Real##Tensor_isContiguous(m))     \
        TH##Real##Tensor_fill(m, 4);                                                      \
        TH##Real##Tensor_set2d(m, 1, 2, 6);                                               \
        CHECK(TH##Real##Tensor_get2d(m, 1, 2) == 6 && TH##Real##Tensor_get2d(m, 0, 0) == 4) \
        CHECK(TH##Real##Tensor_sumall(m) == 26)                                           \
        TH##Real##Tensor_csub(r, m, 2, m);                                                \
        CHECK(TH##Real##Tensor_get2d(r, 0, 1) == (real)-4)                                \
        TH##Real##Tensor_cmul(r, m, m);                                                   \
        CHECK(TH##Real##Tensor_get2d(r, 0, 1) == 16)                                      \
        TH##Real##Tensor_add(r, r, 4);                                                    \
        TH##Real##Tensor_mul(r, r, 2);                                                    \
        TH##Real##Tensor_div(r, r, 4);                                                    \
        CHECK(TH##Real##Tensor_get2d(r, 0, 1) == 10)                                      \
        TH##Real##Tensor_cdiv(r, r, m);                                                   \
        c = TH##Real##Tensor_newClone(r);                                                 \
        TH##Real##Tensor_zero(r);                                                         \
        CHECK(TH##Real##Tensor_sumall(r) == 0 && TH##Real##Tensor_sumall(c) != 0)         \
        TH##Real##Tensor_resize1d(r, 5);                                                  \
        CHECK(TH##Real##Tensor_nElement(r) == 5 && !TH##Real##Tensor_isSameSizeAs(r, c))  \
        TH##Real##Tensor_set1d(t, 1, 7);                                                  \
        CHECK(TH##Real##Tensor_get1d(t, 1) == 7 && TH##Real##Tensor_data(t)[0] == 1)      \
        TH##Real##Tensor_free(c); TH##Real##Tensor_free(m); TH##Real##Tensor_free(r);     \
    }
TEST(Byte, uint8_t) TEST(Char, int8_t) TEST(Short, int16_t) TEST(Int, int32_t) TEST(Long, int64_t)
TEST(Float, float) TEST(Double, double)
void outside(THFloatTensor *t) { THFloatTensor_get1d(t, 9); }
THFloatTensor *made(void) { return THFloatTensor_newWithSize1d(2); }
void refuses(int n) { THArgCheck(n > 0, 1, "n must be positive"); }
"""
DTYPES = {"Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Float": "float32",
          "Double": "float64"}  # fmt: skip


def test_the_functions_of_th():
    import flambeau_tensor as ft

    names = [f"test_{real}" for real in DTYPES]
    module = cext.load_inline("th", c_sources=ALL, functions=[*names, "outside", "made", "refuses"])
    for real, dtype in DTYPES.items():
        t = ft.ones(3, dtype=getattr(ft, dtype))
        getattr(module, f"test_{real}")(t)
        assert t.tolist() == [1, 7, 1]
    with pytest.raises(TypeError, match=r"test_Float\(\): argument 't' \(position 1\) must be torch.FloatTensor"):
        module.test_Float(ft.ones(3, dtype=ft.int64))
    with pytest.raises(IndexError, match="index 9 is out of range for dimension 0 of size 3"):
        module.outside(ft.ones(3))
    with pytest.raises(IndexError, match="1 indices for a tensor of 2 dimensions"):
        module.outside(ft.ones(3, 1))
    assert tuple(module.made().shape) == (2,)
    with pytest.raises(ValueError, match="invalid argument 1: n must be positive"):
        module.refuses(0)
