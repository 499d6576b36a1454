"""Sampling with tensors as parameters, and derivatives by the parameters.

For the same seed, the numbers are those of PyTorch's CPU generator.
"""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._kernels import sampling as kernels

_standard_gamma = Operator(
    "_standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
    kernels.standard_gamma,
    variants=FUNCTION,
    random=True,
    doc="Random gamma numbers with the shape parameters `input` and rate 1.",
)
_sample_dirichlet = Operator(
    "_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor",
    kernels.sample_dirichlet,
    variants=FUNCTION,
    random=True,
    doc="Random Dirichlet numbers with the parameters `input` along the last dimension.",
)
binomial = Operator(
    "binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
    kernels.binomial,
    variants=FUNCTION,
    random=True,
    doc="""
Random binomial numbers: the number of successful trials.

Args:
    count: the number of trials, of a floating-point dtype.
    prob: the probability that one succeeds, of the same dtype and shape.
    generator: the source of random numbers; by default the default generator.

Returns:
    Whole numbers, of the shape and dtype of `count`. Their gradient is 0.

Raises:
    RuntimeError: a count is negative or NaN, or the dtypes differ.
    NotImplementedError: the dtype is not floating point.

>>> import flambeau_tensor as ft
>>> ft.binomial(ft.tensor([5.0, 5.0]), ft.tensor([0.0, 1.0]))
tensor([0., 5.])
""",
)
_standard_gamma_grad = Operator(
    "_standard_gamma_grad(Tensor self, Tensor output) -> Tensor",
    kernels.standard_gamma_grad,
    variants=FUNCTION,
    doc="The derivatives of samples `output` of `_standard_gamma` by its parameters.",
)
_dirichlet_grad = Operator(
    "_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor",
    kernels.dirichlet_grad,
    variants=FUNCTION,
    doc="The derivatives of beta variables `x` with the parameters `alpha` and `total - alpha` "
    "by the former, over `1 - x`.",
)
