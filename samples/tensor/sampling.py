"""Calls of random numbers from tensors, and of their derivatives."""

from samples import call, real

P = real(3, low=0.5, high=2)

TABLE = {
    "_standard_gamma_grad": call(P, real(3, low=0.2, high=1), derivative=False),
    "_dirichlet_grad": call(
        real(2, 3, low=0.2, high=0.4), real(2, 3, low=1, high=2), real(2, 3, low=4, high=5), derivative=False
    ),
}
EXCUSED = {"random numbers": "_standard_gamma _sample_dirichlet binomial"}
