"""``Tensor.__array_namespace__``: the array API standard on tensors. Its own tests run in `nox -s conformance`."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import flambeau_tensor as torch

xp = torch.ones(1).__array_namespace__()
MODULES = [importlib.import_module(f"{xp.__name__}.{m.name}") for m in pkgutil.iter_modules(xp.__path__)]


def test_the_namespace():
    assert torch.ones(1).__array_namespace__(api_version="2024.12") is xp and xp.__array_api_version__ == "2024.12"
    with pytest.raises(ValueError, match=r"version '2019.01' is not one of 2021.12"):
        torch.ones(1).__array_namespace__(api_version="2019.01")
    assert torch.ones(2).to_device("meta").is_meta
    assert all(hasattr(xp, name) for name in xp.__all__)


@pytest.mark.parametrize("module", [xp, *MODULES], ids=lambda m: m.__name__.rpartition(".")[2])
def test_examples(module):
    examples = doctest.DocTestFinder().find(module, module.__name__, globs={**vars(module), "torch": torch})
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    assert not runner.failures


def test_promotion():
    half, double = torch.ones(3, dtype=torch.int8), torch.ones((), dtype=torch.int64)
    assert xp.add(half, double).dtype is torch.int64 and (half + double).dtype is torch.int8
    assert xp.multiply(half, 2).dtype is torch.int8 and xp.pow(2, half).dtype is torch.int8
    assert xp.result_type(torch.uint8, torch.int8) is torch.int16 and xp.result_type(torch.uint16, 3) is torch.uint16
    assert xp.result_type(torch.float32, 1j) is torch.complex64 and xp.result_type(torch.int8, 0.5) is torch.float32
    assert xp.result_type(torch.uint32, torch.int32) is torch.int64
    assert xp.can_cast(torch.int8, torch.int16) and not xp.can_cast(torch.int64, torch.int8)
    assert xp.where(torch.tensor([True]), half[:1], double).dtype is torch.int64
    with pytest.raises(TypeError, match="one of the operands has to be a tensor"):
        xp.add(1, 2)
    with pytest.raises(ValueError, match="no kind 'number'"):
        xp.isdtype(torch.int8, "number")


def test_axes():
    x = torch.arange(6.0).reshape(1, 2, 3)
    assert xp.sum(x, axis=(), keepdims=True).shape == x.shape and xp.max(x, axis=(0, 2)).tolist() == [2.0, 5.0]
    assert xp.prod(x + 1, axis=(1, 2)).tolist() == [720.0] and xp.argmax(x, keepdims=True).shape == (1, 1, 1)
    assert xp.var(x, correction=1).item() == 3.5 and xp.any(x, axis=(0, 1)).tolist() == [True] * 3
    assert xp.take(x[0, 0], torch.tensor([-1, 0])).tolist() == [2.0, 0.0]
    assert xp.cumulative_sum(x, axis=2, include_initial=True).shape == (1, 2, 4)
    for wrong in (lambda: xp.sum(x, axis=3), lambda: xp.flip(x, axis=-4)):
        with pytest.raises(IndexError, match="of a tensor with 3 dimensions"):
            wrong()
    with pytest.raises(ValueError, match="name a dimension twice"):
        xp.sum(x, axis=(0, -3))
    for wrong in (lambda: xp.squeeze(x, 1), lambda: xp.nonzero(x[0, 0, 0]), lambda: xp.cumulative_sum(x)):
        with pytest.raises(ValueError, match="dimension"):
            wrong()


def test_complex_numbers():
    z = torch.tensor([1 + 2j, 1e-9 + 1e-9j], dtype=torch.complex128)
    assert np.allclose(xp.expm1(z).numpy(), np.expm1(z.numpy()), rtol=1e-15, atol=0)
    assert xp.round(torch.tensor([1.5 + 2.5j])).tolist() == [2 + 2j]
    assert xp.sign(torch.tensor([3 + 4j])).tolist() == [pytest.approx(0.6 + 0.8j)]
    values, first, inverse, counts = xp.unique_all(torch.tensor([2j, 1j, 2j]))
    assert values.tolist() == [1j, 2j] and first.tolist() == [1, 0]
    assert inverse.tolist() == [1, 0, 1] and counts.tolist() == [1, 2]


def test_linear_algebra():
    a = torch.tensor([[[2.0]], [[4.0]]])
    assert xp.linalg.solve(a, torch.ones(1)).tolist() == [[0.5], [0.25]]  # torch would treat it as two vectors
    assert xp.linalg.vecdot(torch.tensor([1j]), torch.tensor([1j])).item() == 1
    assert xp.linalg.trace(torch.ones(2, 3, 3), offset=1).tolist() == [2.0, 2.0]
    assert xp.linalg.eigh(a).eigenvalues.shape == (2, 1) and xp.linalg.slogdet(a).logabsdet.shape == (2,)
    with pytest.raises(ValueError, match="vectors of 3 elements"):
        xp.linalg.cross(torch.ones(2), torch.ones(2))


def test_numpy_functions_of_an_array_program():
    """A program that is written for any library with the standard."""

    def standardized(x):
        xp = x.__array_namespace__()
        return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)

    x = np.arange(6.0).reshape(3, 2) ** 2
    assert np.allclose(standardized(torch.from_numpy(x)).numpy(), standardized(x))
