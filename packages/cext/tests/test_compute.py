"""``compute.pxd``, as a package with kernels of its own uses it."""

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as torch

SOURCE = r"""
from cpython.object cimport PyObject
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, D_FLOAT64, Array, Product, array_of, convert, elementwise, fresh, multiply,
)
from flambeau_tensor.compute import require

require(COMPUTE_ABI, "test")


def product(a, b, int times=1):
    cdef Array x, y, z
    cdef Product p
    cdef Py_ssize_t[3] sizes
    cdef int i
    array_of(<PyObject*>a, &x)
    array_of(<PyObject*>b, &y)
    sizes[0], sizes[1], sizes[2] = x.sizes[0], x.sizes[1], y.sizes[2]
    out = fresh(x.dtype, 3, sizes, &z)
    p.dtype, p.m, p.n, p.k, p.count = x.dtype, x.sizes[1], y.sizes[2], x.sizes[2], x.sizes[0]
    p.a, p.b, p.c = x.data, y.data, z.data
    p.a_step, p.a_row, p.a_col = x.strides[0], x.strides[1], x.strides[2]
    p.b_step, p.b_row, p.b_col = y.strides[0], y.strides[1], y.strides[2]
    p.c_step, p.c_row = z.strides[0], z.strides[1]
    for i in range(times):
        p.add = i > 0
        multiply(&p)
    return out


cdef void _weighted(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil:
    cdef Py_ssize_t i
    cdef double factor = (<double*>data)[0]
    for i in range(n[0]):
        (<double*>(args[2] + i * steps[2]))[0] = (<double*>(args[0] + i * steps[0]))[0] + factor * (
            <double*>(args[1] + i * steps[1]))[0]


def weighted(a, b, double factor):
    cdef PyObject* both[2]
    both[0], both[1] = <PyObject*>a, <PyObject*>b
    return elementwise(2, both, D_FLOAT64, D_FLOAT32, _weighted, &factor)


def as_floats(a):
    cdef Array x, y
    array_of(<PyObject*>a, &x)
    out = fresh(D_FLOAT32, x.ndim, x.sizes, &y)
    convert(x.dtype, x.data, 8 * x.strides[0], D_FLOAT32, y.data, 4, x.numel)
    return out
"""


@pytest.fixture(scope="module")
def kernels():
    return cext.load_inline("kernels", cython_sources=SOURCE)


def numbers(dtype, *shape):
    drawn = np.random.default_rng(len(shape)).integers(-9, 9, shape)
    return (drawn / 4 if np.dtype(dtype).kind in "fc" else drawn).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64", "int16"])
@pytest.mark.parametrize(
    "sizes", [(1, 2, 3, 4), (5, 7, 1, 3), (2, 64, 80, 33), (3, 4, 0, 2), (0, 2, 2, 2), (2, 1, 9, 1)], ids=str
)
def test_products(kernels, dtype, sizes):
    count, m, k, n = sizes
    a, b = numbers(dtype, count, m, k), numbers(dtype, count, k, n)
    expected = (a @ b).astype(dtype)
    given = torch.from_numpy(a), torch.from_numpy(b)
    assert np.allclose(kernels.product(*given).numpy(), expected)
    assert np.allclose(kernels.product(*given, times=3).numpy(), 3 * expected)
    columns = given[0], torch.from_numpy(np.ascontiguousarray(b.swapaxes(1, 2))).transpose(1, 2)
    assert np.allclose(kernels.product(*columns).numpy(), expected)


def test_products_say_what_they_do_not_take(kernels):
    x = torch.ones((1, 4, 4))
    with pytest.raises(ValueError, match="neither the rows nor the columns of a factor are adjacent; copy it first"):
        kernels.product(torch.ones((1, 8, 8))[:, ::2, ::2], x)
    with pytest.raises(ValueError, match="convert the factors first"):
        kernels.product(x.half(), x.half())


def test_elementwise_broadcasts_and_converts(kernels):
    a, b = numbers("float32", 40, 1, 50), numbers("int64", 30, 50)
    out = kernels.weighted(torch.from_numpy(a), torch.from_numpy(b), 0.5)
    assert out.dtype is torch.float32 and np.array_equal(out.numpy(), (a + 0.5 * b).astype("float32"))
    turned = torch.ones((4, 3)).t()
    assert kernels.weighted(turned, turned, 1.0).stride() == (1, 3)
    with pytest.raises(RuntimeError, match="must match the size"):
        kernels.weighted(torch.ones(2), torch.ones(3), 1.0)


def test_convert(kernels):
    assert kernels.as_floats(torch.arange(6)[::2]).tolist() == [0.0, 2.0, 4.0]
