"""torch::nn and torch::optim: a program of modules in C++, with the numbers that PyTorch gives for it.

programs/world/modules.cpp compiles against PyTorch as well, which printed what stands here.
"""

from pathlib import Path

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as torch

pytest.importorskip("flambeau_nn")

SOURCE = Path(__file__).parent / "programs" / "world" / "modules.cpp"

# The first element and the sum of each result.
FUNCTIONS = [
    (0.28571, 3.42857), (2.5, 11.14286), (-1.0, 2.14286), (-1.0, 2.28571), (-2.57143, 7.14286), (-2.57143, 0.71429),
    (-0.92857, 2.0), (-0.64286, 0.42857), (0.05544, 1.0), (-1.34112, 0.0), (0.07143, 0.07143), (-1.0, 1.14286),
    (-1.30397, 23.05686), (7.02041, 7.02041), (1.11735, 1.11735), (3.55924, 3.55924), (0.71056, 0.71056), (0.0, 0.0),
    (-1.0, 1.14286), (1.0, 2.0),
]  # fmt: skip
LOSSES = {
    "SGD": [1.34844923, 0.4250446, 0.28625882, 0.21238053],
    "Adam": [1.34844923, 0.69643807, 0.56037927, 0.49861419],
    "RMSprop": [1.34844923, 1.25310969, 0.34728235, 0.27731264],
}
NAMES = (
    "0.weight[4, 1, 3, 3] 0.bias[4] 2.scale[4, 1, 1] 2.conv.weight[4, 4, 3, 3] 2.norm.weight[4] 2.norm.bias[4] "
    "5.weight[3, 36] 5.bias[3] 2.calls 2.norm.running_mean 2.norm.running_var 2.norm.num_batches_tracked "
    "//0/1/2/2.conv/2.norm/2.drop/3/4/5/6"
)


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    return cext.load("modules", SOURCE, extra_cflags=["-O0"], build_directory=tmp_path_factory.mktemp("modules"))


@pytest.mark.parametrize("how", LOSSES)
def test_training(modules, how):
    np.testing.assert_allclose(modules.train(how, 4), LOSSES[how], rtol=1e-5)


def test_functions(modules):
    x = (torch.arange(16.0) / 7 - 1).reshape(1, 1, 4, 4)
    got = [(r.flatten()[0].item(), r.sum().item()) for r in modules.functions(x)]
    np.testing.assert_allclose(got, FUNCTIONS, atol=2e-5)


def test_names_and_text(modules):
    *text, names = modules.describe().splitlines()
    assert names == NAMES
    assert text[0] == "torch::nn::Sequential(" and text[3].strip() == "(2): BlockImpl("
    assert text[-2].strip() == "(6): torch::nn::Functional()"


def test_what_modules_do(modules):
    assert all(modules.properties())


def test_containers_and_utilities(modules):
    wanted = [2, 1, 2, 0.5, 3, 5, 0, 6, 1, 5.830952, 0.514496, 0.25, 4, 2]
    np.testing.assert_allclose(modules.contained(), wanted, rtol=1e-5)


def test_schedules(modules):
    assert modules.scheduled(5) == [1, 1, 0.5, 0.5, 0.25, 1 - 1 - 1 - 1 - 0.5 - 0.5]


def test_saving(modules, tmp_path):
    assert all(modules.saved(str(tmp_path / "saved.pt")))


WRONG = {
    "name": "Parameter name must not contain a dot (got 'a.b')",
    "twice": "Parameter 'weight' already defined",
    "empty": "Accessing empty ModuleHolder",
    "dimensions": "expected 4D input (got 2D input)",
    "input": "Expected argument #0 to be of type at::Tensor, but received value of type double",
    "size": "Expected 2 values, but instead got 3",
}


@pytest.mark.parametrize("what", WRONG)
def test_mistakes(modules, what):
    with pytest.raises(RuntimeError) as error:
        modules.wrong(what)
    assert str(error.value).splitlines()[0] == WRONG[what]


def test_what_is_not_built_says_so():
    source = "torch::Tensor run(torch::Tensor x) { torch::nn::LSTM lstm(2, 3); return x; }"
    with pytest.raises(cext.CompileError, match=r"torch::nn::LSTM is not built in flambeau's C\+\+ headers: compute"):
        cext.load_inline("recurrent", source, functions="run", extra_cflags=["-O0", "-fsyntax-only"])
