"""Distributions: densities, moments, samples and their gradients. Numbers are PyTorch's unless there is a formula."""

import math
import pickle

import pytest

import flambeau_distributions as D
import flambeau_tensor as torch
from flambeau_autograd.func import jacrev, vmap


def v(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


M = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
ALL = {
    "Bernoulli": lambda: D.Bernoulli(v(0.2, 0.7)),
    "Beta": lambda: D.Beta(v(0.5, 2), v(1.5, 3)),
    "Binomial": lambda: D.Binomial(5, v(0.2, 0.7)),
    "Categorical": lambda: D.Categorical(v(1, 2, 3)),
    "Cauchy": lambda: D.Cauchy(v(0, 1), v(1, 2)),
    "Chi2": lambda: D.Chi2(v(1.5, 4)),
    "ContinuousBernoulli": lambda: D.ContinuousBernoulli(v(0.2, 0.5, 0.9)),
    "Dirichlet": lambda: D.Dirichlet(v(0.5, 1, 2)),
    "Exponential": lambda: D.Exponential(v(0.5, 2)),
    "FisherSnedecor": lambda: D.FisherSnedecor(v(3, 5), v(5, 9)),
    "Gamma": lambda: D.Gamma(v(0.5, 3), v(1, 2)),
    "GeneralizedPareto": lambda: D.GeneralizedPareto(v(0, 1), v(1, 2), v(0.2, -0.3)),
    "Geometric": lambda: D.Geometric(v(0.2, 0.7)),
    "Gumbel": lambda: D.Gumbel(v(0, 1), v(1, 2)),
    "HalfCauchy": lambda: D.HalfCauchy(v(1, 2)),
    "HalfNormal": lambda: D.HalfNormal(v(1, 2)),
    "Independent": lambda: D.Independent(D.Normal(v(0, 1), 1.0), 1),
    "InverseGamma": lambda: D.InverseGamma(v(3, 2.5), v(1, 2)),
    "Kumaraswamy": lambda: D.Kumaraswamy(v(2, 1.5), v(3, 2)),
    "LKJCholesky": lambda: D.LKJCholesky(3, v(1, 2.5)),
    "Laplace": lambda: D.Laplace(v(0, 1), v(1, 2)),
    "LogNormal": lambda: D.LogNormal(v(0, 0.5), v(1, 0.5)),
    "LogisticNormal": lambda: D.LogisticNormal(v(0, 0.5), v(1, 0.5)),
    "LowRankMultivariateNormal": lambda: D.LowRankMultivariateNormal(v(0, 1), M[:, :1], v(1, 2)),
    "MixtureSameFamily": lambda: D.MixtureSameFamily(D.Categorical(v(0.3, 0.7)), D.Normal(v(-1, 1), v(0.5, 1))),
    "Multinomial": lambda: D.Multinomial(4, v(0.2, 0.3, 0.5)),
    "MultivariateNormal": lambda: D.MultivariateNormal(v(0, 1), M),
    "NegativeBinomial": lambda: D.NegativeBinomial(v(3, 4), v(0.2, 0.7)),
    "Normal": lambda: D.Normal(v(0, 1), v(1, 2)),
    "OneHotCategorical": lambda: D.OneHotCategorical(v(1, 2, 3)),
    "OneHotCategoricalStraightThrough": lambda: D.OneHotCategoricalStraightThrough(v(1, 2, 3)),
    "Pareto": lambda: D.Pareto(v(1, 2), v(3, 4)),
    "Poisson": lambda: D.Poisson(v(0.5, 8)),
    "RelaxedBernoulli": lambda: D.RelaxedBernoulli(v(0.7), v(0.2, 0.6)),
    "RelaxedOneHotCategorical": lambda: D.RelaxedOneHotCategorical(v(0.7), v(0.2, 0.6, 0.2)),
    "StudentT": lambda: D.StudentT(v(5, 4), v(0, 1), v(1, 2)),
    "Uniform": lambda: D.Uniform(v(0, -1), v(1, 3)),
    "TransformedDistribution": lambda: D.TransformedDistribution(
        D.Normal(v(0, 1), v(1, 2)), [D.AffineTransform(1.0, -2.0), D.SigmoidTransform()]
    ),
    "VonMises": lambda: D.VonMises(v(0, 1), v(0.5, 6)),
    "Weibull": lambda: D.Weibull(v(1, 2), v(1.5, 0.7)),
    "Wishart": lambda: D.Wishart(v(4, 5), M),
}
SEVERAL = pytest.mark.parametrize("make", ALL.values(), ids=ALL)


def test_every_distribution_stands_here():
    kinds = {
        name
        for name in D.__all__
        if isinstance(getattr(D, name), type) and issubclass(getattr(D, name), D.Distribution)
    }
    assert kinds == {*ALL, "Distribution", "ExponentialFamily"}


@SEVERAL
def test_shapes(make):
    d = make()
    x = d.sample((5, 2))
    assert x.shape == (5, 2) + d.batch_shape + d.event_shape and x.dtype is torch.float64 or "Categorical" in repr(d)
    assert d.log_prob(x).shape == (5, 2) + d.batch_shape and d.log_prob(x).isfinite().all()
    assert d.support.check(x).all() and d.support.check(x).shape == (5, 2) + d.batch_shape
    big = d.expand((3,) + d.batch_shape)
    assert big.batch_shape == (3,) + d.batch_shape and type(big) is type(d)
    assert torch.allclose(big.log_prob(x[0, 0]), d.log_prob(x[0, 0]).expand(big.batch_shape))
    assert big.sample().shape == big.batch_shape + big.event_shape
    if d.has_rsample:
        assert d.rsample((4,)).shape == (4,) + d.batch_shape + d.event_shape


@SEVERAL
def test_pickling(make):
    d = make()
    x = d.sample()
    again = pickle.loads(pickle.dumps(d))
    assert repr(again) == repr(d) and torch.equal(again.log_prob(x), d.log_prob(x))


@SEVERAL
def test_moments_of_samples(make):
    d = make()
    try:
        mean, variance = d.mean, d.variance
    except NotImplementedError:
        return
    if isinstance(d, (D.VonMises, D.Categorical)) or not (mean.isfinite() & variance.isfinite()).all():
        return
    torch.manual_seed(1)
    n = 4000
    x = d.sample((n,))
    error = (variance / n).sqrt()
    assert ((x.mean(0) - mean).abs() < 5 * error + 1e-9).all()
    if isinstance(d, (D.StudentT, D.FisherSnedecor, D.InverseGamma, D.Pareto)):
        return  # fourth moments are infinite, or nearly
    assert (x.var(0) / variance - 1).abs().nan_to_num().max() < 0.35


@SEVERAL
def test_distribution_functions(make):
    d = make()
    p = torch.linspace(0.05, 0.95, 8, dtype=torch.float64).reshape(-1, *[1] * len(d.batch_shape))
    try:
        x = d.icdf(p.expand((8,) + d.batch_shape))
    except (NotImplementedError, AttributeError):
        return
    assert torch.allclose(d.cdf(x), p.expand(x.shape), atol=1e-9)
    x = x.detach().requires_grad_()
    slope = torch.ones_like(x) if not x.requires_grad else _grad(d.cdf(x).sum(), x)
    assert torch.allclose(slope.log(), d.log_prob(x), atol=1e-7)


def _grad(y, *x):
    from flambeau_autograd import grad

    found = grad(y, x)
    return found[0] if len(x) == 1 else found


@pytest.mark.parametrize(
    ("make", "x", "log_prob", "entropy"),
    [
        (
            lambda: D.Normal(0.5, 2.0),
            1.0,
            -math.log(2) - 0.5 * math.log(2 * math.pi) - 1 / 32,
            0.5 * math.log(2 * math.pi * math.e * 4),
        ),
        (lambda: D.Gamma(v(3), v(2)), [1.5], math.log(8 / 2) + 2 * math.log(1.5) - 3, 1.1544313298030657),
        (lambda: D.Beta(v(2), v(3)), [0.25], math.log(12 * 0.25 * 0.5625), -0.23490664978800099),
        (lambda: D.StudentT(v(4)), [1.0], -1.538688131297, 1.681760016879),
        (lambda: D.Poisson(v(2.5)), [3.0], 3 * math.log(2.5) - 2.5 - math.log(6), None),
        (lambda: D.NegativeBinomial(v(3), v(0.25)), [2.0], math.log(6 * 0.75**3 * 0.25**2), None),
        (lambda: D.Binomial(4, v(0.25)), [3.0], math.log(4 * 0.25**3 * 0.75), 1.221565833660),
        (lambda: D.Geometric(v(0.25)), [2.0], math.log(0.25 * 0.75**2), 2.249340578475233),
        (lambda: D.VonMises(v(0.5), v(2)), [1.0], 2 * math.cos(0.5) - math.log(2 * math.pi * 2.2795853023360673), None),
        (lambda: D.Weibull(v(2), v(1.5)), [1.0], math.log(0.75) + 0.5 * math.log(0.5) - 0.5**1.5, 1.4800870749),
        (lambda: D.Kumaraswamy(v(2), v(3)), [0.5], math.log(6 * 0.5 * 0.75**2), -0.208426135895),
        (lambda: D.Gumbel(v(1), v(2)), [1.0], -math.log(2) - 1, math.log(2) + 1.5772156649015329),
        (lambda: D.Wishart(v(4), M), [M.tolist()], None, None),
        (lambda: D.MultivariateNormal(v(0, 1), M), [0.5, 0.5], None, 0.5 * math.log(1.75) + math.log(2 * math.pi) + 1),
    ],
)
def test_densities_and_entropies(make, x, log_prob, entropy):
    d = make()
    x = torch.tensor(x, dtype=torch.float64)
    if log_prob is not None:
        assert d.log_prob(x).item() == pytest.approx(log_prob, rel=2e-7)
    if entropy is not None:
        assert d.entropy().item() == pytest.approx(entropy, rel=2e-7)


def test_densities_of_matrices():
    """Against the densities written down."""
    x = v(0.5, 0.5) - v(0, 1)
    quadratic = float(x @ (M.inverse() @ x))
    expected = -0.5 * quadratic - math.log(2 * math.pi) - 0.5 * math.log(1.75)
    for given in ({"covariance_matrix": M}, {"precision_matrix": M.inverse()}, {"scale_tril": M.cholesky()}):
        d = D.MultivariateNormal(v(0, 1), **given)
        assert d.log_prob(v(0.5, 0.5)).item() == pytest.approx(expected)
        assert torch.allclose(d.covariance_matrix, M) and torch.allclose(d.precision_matrix, M.inverse())
        assert torch.allclose(d.scale_tril, M.cholesky())
    low = D.LowRankMultivariateNormal(v(0, 1), v(1, 0.5).unsqueeze(-1), v(1, 0.75))
    assert torch.allclose(low.covariance_matrix, M) and low.log_prob(v(0.5, 0.5)).item() == pytest.approx(expected)
    assert torch.allclose(low.precision_matrix, M.inverse()) and torch.allclose(low.scale_tril, M.cholesky())
    wishart = D.Wishart(v(4), M)
    log_gamma = math.log(math.pi) / 2 + math.lgamma(2) + math.lgamma(1.5)
    assert wishart.log_prob(M).item() == pytest.approx(
        0.5 * math.log(1.75) - 1 - 4 * math.log(2) - 2 * math.log(1.75) - log_gamma
    )


@pytest.mark.parametrize(
    ("make", "numbers"),
    [
        (lambda: D.Gamma(torch.tensor([0.3, 1.0, 5.0, 50.0]), 1.0), [5.9070e-06, 0.11898, 5.0218, 45.514]),
        (lambda: D.Dirichlet(torch.ones(3)), [0.8349, 0.1317, 0.0334]),
        (lambda: D.Binomial(torch.tensor([5.0, 100.0, 40.0]), torch.tensor([0.3, 0.4, 0.9])), None),
    ],
)
def test_samples_are_those_of_pytorch(make, numbers):
    torch.manual_seed(0)
    found = make().sample()
    if numbers is not None:
        assert torch.allclose(found, torch.tensor(numbers), rtol=2e-4, atol=5e-5)


def test_gradients_of_gamma_samples_are_exact():
    """Along the curve on which the distribution function stays what it is, by finite differences of SciPy's inverse:
    d gammaincinv(a, gammainc(a, x)) / da."""
    a = v(0.3, 1.0, 5.0, 50.0, 0.01, 200.0).requires_grad_()
    torch.manual_seed(0)
    x = D.Gamma(a, 1.0).rsample()
    slopes = _grad(x.sum(), a)
    x = x.detach()
    for i in range(a.numel()):
        h = 1e-4 * a[i].item()

        # F(a + h, x + s h) = F(a - h, x - s h) to second order
        def F(b, y):
            return _lower_gamma(b, y)

        s = slopes[i].item()
        up, down = F(a[i].item() + h, x[i].item() + s * h), F(a[i].item() - h, x[i].item() - s * h)
        assert up == pytest.approx(down, rel=1e-5, abs=1e-12)


def _lower_gamma(a, x):
    """The distribution function, by its series."""
    term = math.exp(a * math.log(x) - x - math.lgamma(a + 1)) if x > 0 else 0.0
    total, n = 0.0, 1
    while term > total * 1e-17:
        total += term
        term *= x / (a + n)
        n += 1
    return total


def test_gradients_of_beta_samples():
    """The mean of a Beta variable's samples moves as the mean does."""
    a, b = v(2.0).requires_grad_(), v(3.0).requires_grad_()
    torch.manual_seed(0)
    x = D.Beta(a.expand(20_000), b.expand(20_000)).rsample()
    da, db = _grad(x.mean(), a, b)
    assert da.item() == pytest.approx(3 / 25, rel=0.02) and db.item() == pytest.approx(-2 / 25, rel=0.02)
    with pytest.raises(NotImplementedError, match="the derivative for '_dirichlet_grad' is not implemented"):
        from flambeau_autograd import grad

        x = D.Beta(a, b).rsample()
        grad(grad(x.sum(), a, create_graph=True)[0].sum(), a)


@SEVERAL
def test_gradients_of_samples(make):
    """Of location and scale families by their definition; for all, that there are some."""
    d = make()
    if not d.has_rsample:
        return
    names = [n for n in d.arg_constraints if n in d.__dict__]
    kind = type(d)
    if not names or kind in (D.LKJCholesky, D.Wishart):
        return
    args = {n: d.__dict__[n].clone().requires_grad_() for n in names}
    if hasattr(d, "temperature"):
        args["temperature"] = d.temperature
    torch.manual_seed(2)
    x = kind(**args).rsample((3,))
    weights = 1 if "loc" in names else torch.arange(1, 1 + x.shape[-1])
    slopes = _grad((x * weights).sum(), *[args[n] for n in names])
    slopes = slopes if isinstance(slopes, tuple) else (slopes,)
    assert all(s.isfinite().all() for s in slopes) and any((s != 0).any() for s in slopes)
    if "loc" in names and x.shape[1:] == args["loc"].shape:
        assert torch.allclose(slopes[names.index("loc")], torch.full_like(args["loc"], 3.0))


def test_enumerating():
    assert D.Bernoulli(v(0.5, 0.5)).enumerate_support().tolist() == [[0, 0], [1, 1]]
    assert D.Bernoulli(v(0.5, 0.5)).enumerate_support(expand=False).tolist() == [[0], [1]]
    assert D.Categorical(v(1, 1, 1)).enumerate_support().tolist() == [0, 1, 2]
    assert D.Binomial(2, v(0.5)).enumerate_support().tolist() == [[0], [1], [2]]
    assert D.OneHotCategorical(v(1, 1)).enumerate_support().tolist() == [[1, 0], [0, 1]]
    for d in (D.Bernoulli(v(0.3)), D.Categorical(v(1, 2, 3)), D.Binomial(3, v(0.4))):
        assert d.log_prob(d.enumerate_support()).exp().sum(0).mean().item() == pytest.approx(1)


REPRESENTATIONS = [
    (lambda: D.Normal(0.0, 1.0), "Normal(loc: 0.0, scale: 1.0)"),
    (lambda: D.Normal(v(0, 1), 1.0), "Normal(loc: torch.Size([2]), scale: torch.Size([2]))"),
    (lambda: D.Bernoulli(logits=v(0, 1)), "Bernoulli(logits: torch.Size([2]))"),
    (
        lambda: D.Independent(D.Normal(v(0, 1), 1.0), 1),
        "Independent(Normal(loc: torch.Size([2]), scale: torch.Size([2])), 1)",
    ),
    (lambda: D.LogNormal(0.0, 1.0), "LogNormal()"),
    (
        lambda: D.MultivariateNormal(v(0, 1), M),
        "MultivariateNormal(loc: torch.Size([2]), covariance_matrix: torch.Size([2, 2]))",
    ),
]


@pytest.mark.parametrize(("make", "text"), REPRESENTATIONS)
def test_representations(make, text):
    assert repr(make()) == text


REFUSED = [
    (
        lambda: D.Normal(0.0, -1.0),
        ValueError,
        "Expected parameter scale (Tensor of shape ()) of distribution Normal("
        "loc: 0.0, scale: -1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:",
    ),
    (
        lambda: D.Normal(0.0, "a"),
        ValueError,
        "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.",
    ),
    (lambda: D.Normal(0.0, 1.0).log_prob(1.0), ValueError, "The value argument to log_prob must be a Tensor"),
    (
        lambda: D.Normal(0.0, 1.0).log_prob(torch.tensor(math.nan)),
        ValueError,
        "Expected value argument (Tensor of shape ()) to be within the support (Real()) of the distribution "
        "Normal(loc: 0.0, scale: 1.0), but found invalid",
    ),
    (
        lambda: D.Normal(v(0, 1), 1.0).log_prob(v(1, 2, 3)),
        ValueError,
        "Value is not broadcastable with batch_shape+event_shape: torch.Size([3]) vs torch.Size([2]).",
    ),
    (
        lambda: D.MultivariateNormal(v(0, 1), M).log_prob(v(1, 2, 3)),
        ValueError,
        "The right-most size of value must match event_shape: torch.Size([3]) vs torch.Size([2]).",
    ),
    (
        lambda: D.MultivariateNormal(v(0, 1)),
        ValueError,
        "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.",
    ),
    (
        lambda: D.MultivariateNormal(v(0, 1), -M),
        ValueError,
        "Expected parameter covariance_matrix (Tensor of shape "
        "(2, 2)) of distribution MultivariateNormal(loc: torch.Size([2]), covariance_matrix: torch.Size([2, 2])) to "
        "satisfy the constraint PositiveDefinite(), but found invalid values:",
    ),
    (lambda: D.Bernoulli(0.5, logits=1.0), ValueError, "Either `probs` or `logits` must be specified, but not both."),
    (lambda: D.Categorical(torch.tensor(1.0)), ValueError, "`probs` parameter must be at least one-dimensional."),
    (lambda: D.Uniform(1.0, 0.0), ValueError, "Expected parameter low"),
    (
        lambda: D.Multinomial(torch.tensor(3), v(1, 1)),
        NotImplementedError,
        "inhomogeneous total_count is not supported",
    ),
    (lambda: D.Normal(0.0, 1.0).enumerate_support(), NotImplementedError, ""),
    (lambda: D.Distribution().arg_constraints, NotImplementedError, ""),
    (
        lambda: D.Independent(D.Normal(0.0, 1.0), 1),
        ValueError,
        "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual 1 vs 0",
    ),
    (
        lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [3]),
        ValueError,
        "transforms must be a Transform or a list of Transforms",
    ),
    (
        lambda: D.MixtureSameFamily(D.Categorical(v(1, 1, 1)), D.Normal(v(0, 1), 1.0)),
        ValueError,
        "`mixture_distribution component` (3) does not equal `component_distribution.batch_shape[-1]` (2)",
    ),
    (lambda: D.LKJCholesky(1), ValueError, "Expected dim to be an integer greater than or equal to 2. Found dim=1."),
]


@pytest.mark.parametrize(("make", "kind", "said"), REFUSED)
@pytest.mark.filterwarnings("ignore:.*does not define `arg_constraints`")
def test_what_is_refused(make, kind, said):
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value).startswith(said)


def test_validation_can_be_left_out():
    assert D.Normal(0.0, -1.0, validate_args=False).scale.item() == -1
    D.Distribution.set_default_validate_args(False)
    try:
        assert D.Bernoulli(3.0).probs.item() == 3
    finally:
        D.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError):
        D.Distribution.set_default_validate_args("yes")


@pytest.mark.parametrize("p", [0.4, 0.49, 0.498, 0.4989, 0.4995, 0.5, 0.5011, 0.502, 0.51, 0.999])
def test_single_precision_is_as_good_as_double(p):
    """Near 1/2 the formulas are differences of large numbers: PyTorch's variance at 0.499 is negative."""
    single = D.ContinuousBernoulli(torch.tensor(p))
    double = D.ContinuousBernoulli(torch.tensor(p).double())
    half = torch.tensor(0.3)
    for what in (
        lambda d, x: d.variance,
        lambda d, x: d.stddev,
        lambda d, x: d.mean,
        lambda d, x: d.log_prob(x),
        lambda d, x: d.cdf(x),
        lambda d, x: d.icdf(x),
    ):
        found = what(single, half)
        assert found.dtype is torch.float32
        assert found.item() == pytest.approx(what(double, half.double()).item(), rel=2e-6, abs=2e-7)


IN_EXAMPLES = {
    "Normal": lambda a: D.Normal(1.0, a).log_prob(a / 2),
    "Categorical": lambda a: D.Categorical(probs=torch.stack([a, 1 - a])).log_prob(torch.tensor(1)),
    "MultivariateNormal": lambda a: D.MultivariateNormal(torch.zeros(2), a * torch.eye(2)).log_prob(torch.ones(2)),
    "Gamma": lambda a: D.Gamma(a, 1.0).log_prob(a),
    "Beta": lambda a: D.Beta(a, 2.0).log_prob(a),
    "Dirichlet": lambda a: D.Dirichlet(torch.stack([a, a])).log_prob(torch.stack([a, 1 - a])),
    "Geometric": lambda a: D.Geometric(a).log_prob(torch.tensor(2.0)),
    "ContinuousBernoulli": lambda a: D.ContinuousBernoulli(a).log_prob(a),
    "Wishart": lambda a: D.Wishart(torch.tensor(3.0), a * torch.eye(2)).log_prob(torch.eye(2)),
    "Multinomial": lambda a: D.Multinomial(3, torch.stack([a, 1 - a])).log_prob(torch.tensor([1.0, 2.0])),
    "kl of normals": lambda a: D.kl_divergence(D.Normal(a, 1.0), D.Normal(0.0, a)),
    "kl of categoricals": lambda a: D.kl_divergence(D.Bernoulli(a), D.Bernoulli(a / 2)),
}


@pytest.mark.parametrize("name", IN_EXAMPLES)
def test_validation_under_vmap(name):
    function, a = IN_EXAMPLES[name], torch.tensor([0.3, 0.6, 0.2])
    expected = torch.stack([function(x) for x in a])
    assert torch.allclose(vmap(function)(a), expected)
    slopes = torch.stack([jacrev(function)(x) for x in a])
    assert torch.allclose(vmap(jacrev(function))(a), slopes, rtol=1e-4)
    with pytest.raises((ValueError, RuntimeError)):
        vmap(function)(torch.tensor([0.3, -0.5, 0.2]))


def test_continuous_bernoulli_of_large_logits():
    """Probabilities stay away from 0 and 1, where the density would have no constant."""
    logits = torch.tensor([100.0, -100.0], requires_grad=True)
    density = D.ContinuousBernoulli(logits=logits).log_prob(torch.tensor([1.0, 0.0]))
    density.sum().backward()
    assert torch.allclose(density, torch.tensor([2.76898, 2.76898]), atol=1e-4)
    assert logits.grad.tolist() == [0.0, 0.0]


def test_gradient_of_wishart_by_each_element():
    """The density is a function of all elements of the matrix, also of one that is not quite symmetric."""
    from flambeau_autograd.gradcheck import gradcheck

    scale = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
    d = D.Wishart(torch.tensor(4.0, dtype=torch.float64), covariance_matrix=scale, validate_args=False)
    assert gradcheck(d.log_prob, ((2 * scale).requires_grad_(),))
    assert d.log_prob(-scale).isfinite()
