"""A C++ extension under the name torch, as programs for PyTorch use it: built, found in torch.ops, differentiated."""

import os
import subprocess
import sys
import textwrap

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
