"""A C++ extension under the name torch, as programs for PyTorch use it: built, found in torch.ops, differentiated."""

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = '''
import torch
from torch.utils.cpp_extension import load_inline

SOURCE = """
std::vector<torch::Tensor> gated(torch::Tensor x, torch::Tensor w) {
  auto parts = x.mm(w.t()).chunk(2, /*dim=*/1);
  auto gate = torch::sigmoid(parts[0]);
  return {torch::elu(parts[1], /*alpha=*/1.0) * gate, gate};
}
torch::Tensor cubed(const torch::Tensor& x) { return x * x * x; }
TORCH_LIBRARY(torch_named, m) {
  m.def("cubed(Tensor x) -> Tensor", &cubed);
}
"""
module = load_inline("torch_named", cpp_sources=[SOURCE], functions=["gated"])
x = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
w = torch.randn(6, 4, dtype=torch.double, requires_grad=True)
a, b = (x @ w.t()).chunk(2, dim=1)
out, gate = module.gated(x, w)
assert torch.allclose(out, torch.nn.functional.elu(b) * torch.sigmoid(a))
assert torch.autograd.gradcheck(lambda x, w: tuple(module.gated(x, w)), (x, w))
cubed = torch.ops.torch_named.cubed
assert torch.autograd.gradgradcheck(cubed, (x,))
assert set(torch.library.opcheck(cubed, (x,)).values()) == {"SUCCESS"}
print("ran")
'''


def test_under_the_name_torch(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    env = {**os.environ, "FLAMBEAU_EXTENSIONS_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-W", "error", "-m", "flambeau", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr


# A package as PyTorch's tutorial on operators in C++ lays it out.
SETUP = """
import torch
from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

use_cuda = torch.cuda.is_available() and CUDA_HOME is not None
extension = CUDAExtension if use_cuda else CppExtension
flags = {"cxx": ["-O1", "-fdiagnostics-color=always", "-DPy_LIMITED_API=0x03090000"], "nvcc": ["-O1"]}
setup(
    name="tutorial",
    version="0.0.1",
    packages=find_packages(),
    ext_modules=[extension("tutorial._C", ["tutorial/ops.cpp"], extra_compile_args=flags, py_limited_api=True)],
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
"""
OPS_CPP = r"""
#include <Python.h>
#include <ATen/Operators.h>
#include <torch/all.h>
#include <torch/library.h>

extern "C" {
PyObject* PyInit__C(void) {
  static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_C", NULL, -1, NULL};
  return PyModule_Create(&definition);
}
}

at::Tensor muladd_cpu(const at::Tensor& a, const at::Tensor& b, double c) {
  TORCH_CHECK(a.sizes() == b.sizes());
  TORCH_INTERNAL_ASSERT(a.device().type() == at::DeviceType::CPU);
  return a * b + c;
}

TORCH_LIBRARY(tutorial, m) {
  m.def("muladd(Tensor a, Tensor b, float c) -> Tensor");
}

TORCH_LIBRARY_IMPL(tutorial, CPU, m) {
  m.impl("muladd", &muladd_cpu);
}
"""
INIT = """
import torch
from . import _C


@torch.library.register_fake("tutorial::muladd")
def _(a, b, c):
    torch._check(a.shape == b.shape)
    torch._check(a.dtype == b.dtype, lambda: f"{a.dtype} and {b.dtype}")
    return torch.empty_like(a)


def setup_context(ctx, inputs, output):
    a, b, c = inputs
    ctx.save_for_backward(a, b)


def backward(ctx, grad):
    a, b = ctx.saved_tensors
    return grad * b, grad * a, None


torch.library.register_autograd("tutorial::muladd", backward, setup_context=setup_context)
"""
USE = """
import torch, tutorial
a, b = torch.randn(4, dtype=torch.double, requires_grad=True), torch.randn(4, dtype=torch.double)
muladd = torch.ops.tutorial.muladd.default
assert torch.autograd.gradcheck(muladd, (a, b, 1.0))
assert set(torch.library.opcheck(muladd, (a, b, 1.0)).values()) == {"SUCCESS"}
"""


def test_the_package_of_the_tutorial(tmp_path):
    pytest.importorskip("setuptools")
    package = tmp_path / "tutorial"
    package.mkdir()
    for path, text in ((tmp_path / "setup.py", SETUP), (tmp_path / "use.py", USE), (package / "ops.cpp", OPS_CPP),
                       (package / "__init__.py", INIT)):  # fmt: skip
        path.write_text(text, encoding="utf-8")
    for arguments in (["setup.py", "build_ext", "--inplace"], ["use.py"]):
        command = [sys.executable, "-m", "flambeau", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
