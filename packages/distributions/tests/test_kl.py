"""Divergences against means over samples, and how functions are found."""

import pytest

import flambeau_distributions as D
import flambeau_tensor as torch
from flambeau_distributions import kl


def v(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


M = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
EXAMPLES = {
    D.Bernoulli: [D.Bernoulli(v(0.3)), D.Bernoulli(v(0.6))],
    D.Beta: [D.Beta(v(2), v(3)), D.Beta(v(1.5), v(2))],
    D.Binomial: [D.Binomial(3, v(0.3)), D.Binomial(3, v(0.6))],
    D.Categorical: [D.Categorical(v(1, 2, 3)), D.Categorical(v(2, 1, 1))],
    D.Cauchy: [D.Cauchy(v(0), v(1)), D.Cauchy(v(1), v(2))],
    D.ContinuousBernoulli: [D.ContinuousBernoulli(v(0.3)), D.ContinuousBernoulli(v(0.6))],
    D.Dirichlet: [D.Dirichlet(v(1, 2, 3)), D.Dirichlet(v(2, 1, 1))],
    D.Exponential: [D.Exponential(v(2)), D.Exponential(v(1))],
    D.Gamma: [D.Gamma(v(3), v(2)), D.Gamma(v(2), v(1))],
    D.Geometric: [D.Geometric(v(0.4)), D.Geometric(v(0.6))],
    D.Gumbel: [D.Gumbel(v(1), v(0.5)), D.Gumbel(v(0), v(1))],
    D.HalfNormal: [D.HalfNormal(v(1)), D.HalfNormal(v(2))],
    D.Independent: [D.Independent(D.Normal(v(0, 1), 1.0), 1), D.Independent(D.Normal(v(1, 1), 2.0), 1)],
    D.Laplace: [D.Laplace(v(0), v(1)), D.Laplace(v(1), v(2))],
    D.LowRankMultivariateNormal: [
        D.LowRankMultivariateNormal(v(0, 1), M[:, :1], v(1, 2)),
        D.LowRankMultivariateNormal(v(1, 1), M[:, 1:], v(2, 2)),
    ],
    D.MultivariateNormal: [D.MultivariateNormal(v(0, 1), M), D.MultivariateNormal(v(1, 1), M + 1)],
    D.Normal: [D.Normal(v(0), v(1)), D.Normal(v(1), v(2))],
    D.OneHotCategorical: [D.OneHotCategorical(v(1, 2, 3)), D.OneHotCategorical(v(2, 1, 1))],
    D.Pareto: [D.Pareto(v(1), v(8)), D.Pareto(v(0.5), v(3))],
    D.Poisson: [D.Poisson(v(2)), D.Poisson(v(3))],
    D.TransformedDistribution: [D.LogNormal(v(0), v(1)), D.LogNormal(v(1), v(2))],
    D.Uniform: [D.Uniform(v(0.6), v(0.9)), D.Uniform(v(-1), v(2))],
}


@pytest.mark.parametrize(
    ("first", "second"),
    [pair for pair in kl._KL_REGISTRY if D.ExponentialFamily not in pair],
    ids=lambda kind: kind.__name__,
)
def test_divergences_are_means_over_samples(first, second):
    p, q = EXAMPLES[first][0], EXAMPLES[second][1]
    exact = D.kl_divergence(p, q)
    assert exact.shape == p.batch_shape
    torch.manual_seed(0)
    x = p.sample((4000,))
    if not q.support.check(x).all() or exact.isinf().any():
        assert exact.isinf().all() and not q.support.check(x).all()
        return
    difference = p.log_prob(x) - q.log_prob(x)
    error = difference.std(0) / 4000**0.5
    assert ((difference.mean(0) - exact).abs() < 5 * error + 1e-9).all(), (difference.mean(0), exact)


def test_families_follow_from_their_normalizers():
    for kind in (D.Normal, D.Gamma, D.Beta, D.Bernoulli, D.Exponential, D.Poisson, D.Dirichlet, D.ContinuousBernoulli):
        p, q = EXAMPLES[kind]
        assert torch.allclose(kl._kl_expfamily_expfamily(p, q), D.kl_divergence(p, q), rtol=1e-6)
        if kind not in (D.Poisson, D.Beta, D.Dirichlet):
            assert torch.allclose(D.ExponentialFamily.entropy(p), p.entropy(), rtol=1e-6)


def test_the_nearest_types_decide():
    class First(D.Normal):
        pass

    class Second(First):
        pass

    assert D.kl_divergence(Second(0.0, 1.0), First(0.0, 1.0)).item() == 0
    D.register_kl(First, D.Normal)(lambda p, q: "first")
    try:
        assert D.kl_divergence(Second(0.0, 1.0), First(0.0, 1.0)) == "first"
        D.register_kl(D.Normal, First)(lambda p, q: "second")
        with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(Second, First\)"):
            assert D.kl_divergence(Second(0.0, 1.0), First(0.0, 1.0)) == "first"
    finally:
        for pair in ((First, D.Normal), (D.Normal, First)):
            kl._KL_REGISTRY.pop(pair, None)
        kl._FOUND.clear()


def test_what_is_not_known():
    with pytest.raises(NotImplementedError, match=r"^No KL\(p \|\| q\) is implemented for p type Cauchy and q type"):
        D.kl_divergence(D.Cauchy(0.0, 1.0), D.Normal(0.0, 1.0))
    with pytest.raises(NotImplementedError, match="cross KL-divergence between different exponential families"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Poisson(1.0))
    with pytest.raises(TypeError, match="Expected type_p to be a Distribution subclass"):
        D.register_kl("int", D.Normal)
    with pytest.raises(NotImplementedError):
        D.kl_divergence(EXAMPLES[D.Independent][0], D.Independent(D.Normal(torch.zeros(1, 2), 1.0), 2))


def test_classes_that_count_as_distributions_only_by_their_metaclass():
    class Counting(type):
        def __subclasscheck__(cls, other):
            return cls.__name__ == "Anything" and issubclass(other, D.Distribution)

    class Anything(metaclass=Counting):
        pass

    class Mine(D.Normal):
        pass

    @D.register_kl(Mine, Anything)
    def _kl(p, q):
        return torch.tensor(7.0)

    assert D.kl_divergence(Mine(0.0, 1.0), D.Cauchy(0.0, 1.0)).item() == 7
    assert D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)).item() == 0
