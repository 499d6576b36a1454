"""Kullback-Leibler divergences, by the types of the two distributions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import flambeau_tensor as torch
from flambeau_autograd import grad
from flambeau_distributions.bernoulli import Bernoulli
from flambeau_distributions.beta import Beta
from flambeau_distributions.binomial import Binomial
from flambeau_distributions.categorical import Categorical
from flambeau_distributions.cauchy import Cauchy
from flambeau_distributions.continuous_bernoulli import ContinuousBernoulli
from flambeau_distributions.dirichlet import Dirichlet
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_distributions.exponential import Exponential
from flambeau_distributions.gamma import Gamma
from flambeau_distributions.geometric import Geometric
from flambeau_distributions.gumbel import Gumbel
from flambeau_distributions.half_normal import HalfNormal
from flambeau_distributions.independent import Independent
from flambeau_distributions.laplace import Laplace
from flambeau_distributions.lowrank_multivariate_normal import LowRankMultivariateNormal, log_det, mahalanobis
from flambeau_distributions.multivariate_normal import MultivariateNormal, batch_mahalanobis, half_log_det
from flambeau_distributions.normal import Normal
from flambeau_distributions.one_hot_categorical import OneHotCategorical
from flambeau_distributions.parameters import euler_constant, softplus, sum_rightmost
from flambeau_distributions.pareto import Pareto
from flambeau_distributions.poisson import Poisson
from flambeau_distributions.transformed_distribution import TransformedDistribution
from flambeau_distributions.uniform import Uniform
from flambeau_tensor import Tensor, linalg

__all__ = ["kl_divergence", "register_kl"]

_F = TypeVar("_F", bound=Callable[..., Tensor])
_KL_REGISTRY: dict[tuple[type, type], Callable[..., Tensor]] = {}  # the pairs of types that are registered
_FOUND: dict[tuple[type, type], Any] = {}  # results of the search for other pairs


def register_kl(type_p: type, type_q: type) -> Callable[[_F], _F]:
    """A decorator: the function computes divergences from instances of one type to those of another, and subclasses.

    Raises:
        TypeError: one is not a class.

    >>> class Point(torch.distributions.Distribution):
    ...     def __init__(self, at):
    ...         self.at = at
    ...         super().__init__(validate_args=False)
    >>> @register_kl(Point, torch.distributions.Normal)
    ... def _kl_point_normal(p, q):
    ...     return -q.log_prob(p.at)
    >>> q = torch.distributions.Normal(0.0, 1.0)
    >>> torch.distributions.kl_divergence(Point(torch.tensor(0.0)), q)
    tensor(0.9189)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):  # a class may count as a Distribution only by its metaclass
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(fun: _F) -> _F:
        _KL_REGISTRY[type_p, type_q] = fun
        _FOUND.clear()
        return fun

    return decorator


def _dispatch(type_p: type, type_q: type) -> Any:
    """Return the function of the nearest registered types; if types of p and q disagree, the first type decides."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented

    def order(cls: type) -> Any:
        places = {base: i for i, base in enumerate(cls.__mro__)}
        return lambda base: places.get(base, len(places))  # virtual base classes come last

    p_order, q_order = order(type_p), order(type_q)
    by_p = min(matches, key=lambda m: (p_order(m[0]), q_order(m[1])))
    by_q = min(matches, key=lambda m: (q_order(m[1]), p_order(m[0])))
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
            f"register_kl({by_p[0].__name__}, {by_q[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[by_p]


def kl_divergence(p: Any, q: Any) -> Tensor:
    """The divergence from ``p`` to ``q``, the mean of ``log p(x) - log q(x)`` over x from ``p``, of the batch's shape.

    Raises:
        NotImplementedError: nothing is registered for the two types.

    >>> kl_divergence(Bernoulli(0.5), Bernoulli(torch.tensor(0.25)))
    tensor(0.1438)
    """
    types = type(p), type(q)
    fun = _FOUND.get(types)
    if fun is None:
        fun = _FOUND[types] = _dispatch(*types)
    if fun is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {types[0].__name__} and q type {types[1].__name__}"
        )
    return fun(p, q)


def _infinite(p: Any, q: Any) -> Tensor:
    return torch.full_like(getattr(p, next(iter(p.arg_constraints))), math.inf)


def _pairs(*pairs: tuple[type, type]) -> Callable[[_F], _F]:
    def decorator(fun: _F) -> _F:
        for p, q in pairs:
            register_kl(p, q)(fun)
        return fun

    return decorator


def _x_log_x(t: Tensor) -> Tensor:
    return t.xlogy(t)


# --- of one type ------------------------------------------------------------------------------------------------------


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli(p: Any, q: Any) -> Tensor:
    t1 = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    t2 = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    t1 = torch.where(q.probs == 0, math.inf, t1)
    t1 = torch.where(p.probs == 0, 0.0, t1)
    t2 = torch.where(q.probs == 1, math.inf, t2)
    return t1 + torch.where(p.probs == 1, 0.0, t2)


@register_kl(Beta, Beta)
def _kl_beta(p: Any, q: Any) -> Tensor:
    sum_p, sum_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = q.concentration1.lgamma() + q.concentration0.lgamma() + sum_p.lgamma()
    t2 = p.concentration1.lgamma() + p.concentration0.lgamma() + sum_q.lgamma()
    return (
        t1
        - t2
        + (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
        + (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
        + (sum_q - sum_p) * torch.digamma(sum_p)
    )


@register_kl(Binomial, Binomial)
def _kl_binomial(p: Any, q: Any) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return torch.where(p.total_count > q.total_count, math.inf, kl)


@register_kl(Categorical, Categorical)
def _kl_categorical(p: Any, q: Any) -> Tensor:
    t = p.probs * (p.logits - q.logits)
    t = torch.where(q.probs == 0, math.inf, t)
    return torch.where(p.probs == 0, 0.0, t).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(p: Any, q: Any) -> Tensor:
    return _kl_categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return (
        p.mean * (p.logits - q.logits)
        + p._cont_bern_log_norm()
        + torch.log1p(-p.probs)
        - q._cont_bern_log_norm()
        - torch.log1p(-q.probs)
    )


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet(p: Any, q: Any) -> Tensor:
    sum_p, sum_q = p.concentration.sum(-1), q.concentration.sum(-1)
    return (
        sum_p.lgamma()
        - sum_q.lgamma()
        - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
        + ((p.concentration - q.concentration) * (p.concentration.digamma() - sum_p.digamma().unsqueeze(-1))).sum(-1)
    )


@register_kl(Exponential, Exponential)
def _kl_exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Tensor:
    """Bregman's divergence of the logarithms of the normalizers."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed "
            "using Bregman divergences"
        )
    p_params, q_params = [t.detach().requires_grad_() for t in p._natural_params], q._natural_params
    normalizer = p._log_normalizer(*p_params)
    gradients = grad(normalizer.sum(), p_params, create_graph=True)
    result = q._log_normalizer(*q_params) - normalizer
    for a, b, g in zip(p_params, q_params, gradients, strict=True):
        result = result - sum_rightmost((b - a) * g, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _kl_gamma(p: Any, q: Any) -> Tensor:
    return (
        q.concentration * (p.rate / q.rate).log()
        + torch.lgamma(q.concentration)
        - torch.lgamma(p.concentration)
        + (p.concentration - q.concentration) * torch.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Gumbel, Gumbel)
def _kl_gumbel(p: Any, q: Any) -> Tensor:
    ratio, shift = p.scale / q.scale, p.loc / q.scale
    t1 = ratio.log() - shift + q.loc / q.scale
    t3 = torch.exp(q.loc / q.scale + (1 + ratio).lgamma() - shift)
    return -t1 + ratio * euler_constant + t3 - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _kl_geometric(p: Any, q: Any) -> Tensor:
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _kl_half_normal(p: Any, q: Any) -> Tensor:
    return _kl_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _kl_laplace(p: Any, q: Any) -> Tensor:
    ratio, shift = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + shift / q.scale + ratio * torch.exp(-shift / p.scale) - 1


@register_kl(Normal, Normal)
def _kl_normal(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _kl_pareto(p: Any, q: Any) -> Tensor:
    ratio = p.alpha / q.alpha
    kl = q.alpha * (p.scale / q.scale).log() + ratio.log() + ratio.reciprocal() - 1
    return torch.where(p.support.lower_bound < q.support.lower_bound, math.inf, kl)


@register_kl(Poisson, Poisson)
def _kl_poisson(p: Any, q: Any) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed(p: Any, q: Any) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _kl_uniform(p: Any, q: Any) -> Tensor:
    kl = ((q.high - q.low) / (p.high - p.low)).log()
    return torch.where((q.low > p.low) | (q.high < p.high), math.inf, kl)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy(p: Any, q: Any) -> Tensor:
    t1 = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return t1 - (4 * p.scale * q.scale).log()


@register_kl(Independent, Independent)
def _kl_independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# --- of normal vectors ------------------------------------------------------------------------------------------------


def _same_events(p: Any, q: Any) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
            if type(p) is type(q) is MultivariateNormal
            else "KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot "
            "be computed"
        )


def _trace_of_product(matrix: Tensor) -> Tensor:
    """The trace of A A^T."""
    return matrix.pow(2).sum((-2, -1))


def _solved(factor: Tensor, matrix: Tensor) -> Tensor:
    shape = torch.broadcast_shapes(factor.shape[:-2], matrix.shape[:-2])
    return linalg.solve_triangular(
        factor.expand(shape + factor.shape[-2:]), matrix.expand(shape + matrix.shape[-2:]), upper=False
    )


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariate_normal(p: Any, q: Any) -> Tensor:
    _same_events(p, q)
    fp, fq = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    distance = batch_mahalanobis(fq, q.loc - p.loc)
    return (
        half_log_det(fq) - half_log_det(fp) + 0.5 * (_trace_of_product(_solved(fq, fp)) + distance - p.event_shape[0])
    )


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_low_rank(p: Any, q: Any) -> Tensor:
    _same_events(p, q)
    wp, dp = p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag
    wq, dq = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    t1 = log_det(wq, dq, q._capacitance_tril) - log_det(wp, dp, p._capacitance_tril)
    t3 = mahalanobis(wq, dq, q.loc - p.loc, q._capacitance_tril)
    weighted = wq.mT / dq.unsqueeze(-2)
    a = _solved(q._capacitance_tril, weighted)
    t2 = (
        (dp / dq).sum(-1)
        + _trace_of_product(wp * dq.rsqrt().unsqueeze(-1))
        - _trace_of_product(a * dp.sqrt().unsqueeze(-2))
        - _trace_of_product(a.matmul(wp))
    )
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_full_low_rank(p: Any, q: Any) -> Tensor:
    _same_events(p, q)
    wq, dq, fp = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, p._unbroadcasted_scale_tril
    t1 = log_det(wq, dq, q._capacitance_tril) - 2 * half_log_det(fp)
    t3 = mahalanobis(wq, dq, q.loc - p.loc, q._capacitance_tril)
    a = _solved(q._capacitance_tril, wq.mT / dq.unsqueeze(-2))
    t2 = _trace_of_product(fp * dq.rsqrt().unsqueeze(-1)) - _trace_of_product(a.matmul(fp))
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_low_rank_full(p: Any, q: Any) -> Tensor:
    _same_events(p, q)
    wp, dp, fq = p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag, q._unbroadcasted_scale_tril
    t1 = 2 * half_log_det(fq) - log_det(wp, dp, p._capacitance_tril)
    t3 = batch_mahalanobis(fq, q.loc - p.loc)
    t2 = _trace_of_product(_solved(fq, wp)) + _trace_of_product(_solved(fq, torch.diag_embed(dp.sqrt())))
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


# --- of two types: infinite if q has zero density at some values of p -------------------------------------------------

_pairs((Bernoulli, Poisson))(lambda p, q: -p.entropy() - (p.probs * q.rate.log() - q.rate))
_pairs((Beta, Pareto), (ContinuousBernoulli, Pareto))(_infinite)
_pairs(
    (Exponential, Beta),
    (Exponential, ContinuousBernoulli),
    (Exponential, Pareto),
    (Exponential, Uniform),
    (Gamma, Beta),
    (Gamma, ContinuousBernoulli),
    (Gamma, Pareto),
    (Gamma, Uniform),
    (Gumbel, Beta),
    (Gumbel, ContinuousBernoulli),
    (Gumbel, Exponential),
    (Gumbel, Gamma),
    (Gumbel, Pareto),
    (Gumbel, Uniform),
    (Laplace, Beta),
    (Laplace, ContinuousBernoulli),
    (Laplace, Exponential),
    (Laplace, Gamma),
    (Laplace, Pareto),
    (Laplace, Uniform),
    (Normal, Beta),
    (Normal, ContinuousBernoulli),
    (Normal, Exponential),
    (Normal, Gamma),
    (Normal, Pareto),
    (Normal, Uniform),
    (Pareto, Beta),
    (Pareto, ContinuousBernoulli),
    (Pareto, Uniform),
    (Poisson, Bernoulli),
    (Poisson, Binomial),
)(_infinite)


@register_kl(Beta, ContinuousBernoulli)
def _kl_beta_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _kl_beta_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p: Any, q: Any) -> Tensor:
    t3 = (q.concentration - 1) * (p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma())
    return -p.entropy() + q.concentration.lgamma() - q.concentration * q.rate.log() - t3 + q.rate * p.mean


def _against_normal(p: Any, q: Any, entropy: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    """E[-log q] for normal q needs two moments of p only."""
    return (
        -entropy
        + 0.5 * (2 * math.pi * q.scale.pow(2)).log()
        + 0.5 * (variance + (mean - q.loc).pow(2)) / q.scale.pow(2)
    )


@_pairs(
    (Beta, Normal),
    (ContinuousBernoulli, Normal),
    (Exponential, Normal),
    (Gamma, Normal),
    (Gumbel, Normal),
    (Laplace, Normal),
    (Uniform, Normal),
)
def _kl_normal_by_moments(p: Any, q: Any) -> Tensor:
    return _against_normal(p, q, p.entropy(), p.mean, p.variance)


@register_kl(Beta, Uniform)
def _kl_beta_uniform(p: Any, q: Any) -> Tensor:
    kl = -p.entropy() + (q.high - q.low).log()
    return torch.where((q.low > 0) | (q.high < 1), math.inf, kl)


@register_kl(ContinuousBernoulli, Exponential)
def _kl_continuous_bernoulli_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - torch.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Uniform)
def _kl_continuous_bernoulli_uniform(p: Any, q: Any) -> Tensor:
    kl = -p.entropy() + (q.high - q.low).log()
    return torch.where((q.low > 0) | (q.high < 1), math.inf, kl)


@register_kl(Exponential, Gamma)
def _kl_exponential_gamma(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return (
        -q.concentration * ratio.log()
        + ratio
        + q.concentration.lgamma()
        + q.concentration * euler_constant
        - (1 + euler_constant)
    )


@register_kl(Exponential, Gumbel)
def _kl_exponential_gumbel(p: Any, q: Any) -> Tensor:
    product, shift = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 + product.reciprocal() - shift + torch.exp(shift + product.log() - (product + 1).log())


@register_kl(Gamma, Exponential)
def _kl_gamma_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _kl_gamma_gumbel(p: Any, q: Any) -> Tensor:
    product, shift = p.rate * q.scale, q.loc / q.scale
    t1 = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    t2 = product.log() + p.concentration / product
    t3 = torch.exp(shift) * (1 + product.reciprocal()).pow(-p.concentration) - shift
    return t1 + t2 + t3


@register_kl(Normal, Gumbel)
def _kl_normal_gumbel(p: Any, q: Any) -> Tensor:
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    t2 = torch.exp(-shift + 0.5 * ratio.pow(2))
    return -ratio.log() + shift + t2 - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _kl_normal_laplace(p: Any, q: Any) -> Tensor:
    shift = p.loc - q.loc
    ratio, z = p.scale / q.scale, shift / p.scale
    t2 = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.pow(2))
    t3 = shift * torch.erf(math.sqrt(0.5) * z)
    return -ratio.log() + (t2 + t3) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _kl_pareto_exponential(p: Any, q: Any) -> Tensor:
    product = p.scale * q.rate
    kl = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return torch.where(p.alpha <= 1, math.inf, kl)


@register_kl(Pareto, Gamma)
def _kl_pareto_gamma(p: Any, q: Any) -> Tensor:
    mean_log = p.scale.log() + p.alpha.reciprocal()
    kl = (
        -p.entropy()
        + q.concentration.lgamma()
        - q.concentration * q.rate.log()
        + (1 - q.concentration) * mean_log
        + q.rate * p.alpha * p.scale / (p.alpha - 1)
    )
    return torch.where(p.alpha <= 1, math.inf, kl)


@register_kl(Pareto, Normal)
def _kl_pareto_normal(p: Any, q: Any) -> Tensor:
    kl = _against_normal(p, q, p.entropy(), p.mean, p.variance)
    return torch.where(p.alpha <= 2, math.inf, kl)


@register_kl(Uniform, Beta)
def _kl_uniform_beta(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    t2 = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    t3 = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    t4 = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    return torch.where((p.high > 1) | (p.low < 0), math.inf, t3 + t4 - width.log() - t2)


@register_kl(Uniform, ContinuousBernoulli)
def _kl_uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    kl = -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()
    return torch.where((p.high > 1) | (p.low < 0), math.inf, kl)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponential(p: Any, q: Any) -> Tensor:
    kl = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return torch.where(p.low < 0, math.inf, kl)


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    mean_log = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    kl = (
        -width.log()
        + q.concentration.lgamma()
        - q.concentration * q.rate.log()
        + (1 - q.concentration) * mean_log
        + q.rate * (p.high + p.low) / 2
    )
    return torch.where(p.low < 0, math.inf, kl)


@register_kl(Uniform, Gumbel)
def _kl_uniform_gumbel(p: Any, q: Any) -> Tensor:
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    # E[log q] is -log(scale) - E[z + exp(-z)], for uniform z
    return (q.scale / (p.high - p.low)).log() + 0.5 * (high + low) - (torch.exp(-high) - torch.exp(-low)) / (high - low)


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    mean_log = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    kl = mean_log * (q.alpha + 1) - (q.alpha * q.scale.pow(q.alpha) * width).log()
    return torch.where(p.low < q.support.lower_bound, math.inf, kl)
